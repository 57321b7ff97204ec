package graph

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fuzzMemory allows a hundred thousand pages, so that an id like 4000000000 does
// not cost seconds.
const fuzzMemory = baseMemory + 2*minSortMemory + 2*100_000*pageMemory

// FuzzImport gives arbitrary text to all lists: an error that leaves nothing behind,
// or a graph that equals a naive reading of them; never a panic.
func FuzzImport(f *testing.F) {
	f.Add("0 1\n1 0\n", "http://a/\nhttp://B/x\n", "1\n0\n", "x\ny\n", "0\n1\n", uint8(0xff), uint8(0))
	f.Add("0 1\n0 1\n#\n\n2\t2\r\n", "", "", "", "", uint8(0), uint8(0))
	f.Add("5 6\n7 5\n6 99\n", "a\na\n\nb\nc\nd\ne\nf", "5\n6\n7\n", "", "5\n7\n", uint8(1|2|8|16), uint8(2))
	f.Add("0 -1\n", "\xff\xfe", "0 1", "x", "x", uint8(0x7f), uint8(1))
	f.Add("4000000000 1\n", "", "", "", "", uint8(0), uint8(0))
	f.Add("0 1\n1 2\n0 3\n", "", "", "", "0\n1\n", uint8(8), uint8(2))
	f.Fuzz(func(t *testing.T, edges, urls, nodes, sites, fetched string, given, least uint8) {
		in := lists{"edges": edges}
		for i, l := range []struct{ name, text string }{{"urls", urls}, {"nodes", nodes}, {"sites", sites}, {"fetched", fetched}} {
			if given>>i&1 != 0 {
				in[l.name] = l.text
			}
		}
		dir, err := os.MkdirTemp("", "winnow-fuzz-*")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		drop := given&16 != 0
		g, report, err := importIn(dir, in, func(o *ImportOptions) {
			o.DropOutside, o.FrontierMinInLinks, o.MaxMemory = drop, int(least), fuzzMemory
		})
		if err != nil {
			if left := leftovers(t, dir, slices.Collect(maps.Keys(in))...); left != nil {
				t.Fatalf("left behind: %v", left)
			}
			return
		}
		defer g.Close()
		if in.compressed() {
			return
		}
		want := in.model(drop, int(least))
		if err := want.compare(g, report); err != nil {
			t.Fatal(err)
		}
	})
}

// compressed says whether a list begins like one that is not plain text.
func (in lists) compressed() bool {
	for _, text := range in {
		if strings.HasPrefix(text, "\x1f\x8b") || strings.Contains(text[:min(len(text), 4)], "\x2a\x4d\x18") || strings.HasPrefix(text, "\x28\xb5\x2f\xfd") {
			return true
		}
	}
	return false
}

// A model is what a graph should hold, by the most naive reading of the lists.
type model struct {
	ids                    []uint32
	links                  [][2]uint32 // sorted, distinct
	urls, sites            []string    // nil: not known; sites are folded
	fetched                []bool      // nil: nothing said
	dups, outside, dropped int64
}

// linesOf is the lines of a list without terminators.
func linesOf(text string) []string {
	text = strings.TrimPrefix(text, "\xef\xbb\xbf")
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// numbersOf is the numbers of each line that has some. The lists are known to be
// good.
func numbersOf(text string) (rows [][]uint32) {
	for _, l := range linesOf(text) {
		var row []uint32
		for _, s := range strings.FieldsFunc(l, func(r rune) bool { return r == ' ' || r == '\t' }) {
			if s[0] == '#' && row == nil {
				break
			}
			v, err := strconv.ParseUint(s, 10, 32)
			if err != nil {
				panic(fmt.Sprintf("a list was accepted that has %q", s))
			}
			row = append(row, uint32(v))
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

func (in lists) model(drop bool, least int) *model {
	m := &model{}
	exists := in.pages()
	all := numbersOf(in["edges"])
	seen := map[[2]uint32]bool{}
	for _, row := range all {
		e := [2]uint32{row[0], row[1]}
		switch {
		case !exists[e[0]] || !exists[e[1]]:
			if !drop {
				panic(fmt.Sprintf("a link outside was accepted: %v", e))
			}
			m.outside++
		case seen[e]:
			m.dups++
		}
		seen[e] = exists[e[0]] && exists[e[1]]
	}
	in.leaveOut(m, exists, seen, least)
	m.ids = slices.Sorted(maps.Keys(exists))
	for e, ok := range seen {
		if ok && exists[e[0]] && exists[e[1]] {
			m.links = append(m.links, e)
		}
	}
	slices.SortFunc(m.links, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	in.name(m)
	return m
}

// pages is the ids that exist before any are left out.
func (in lists) pages() map[uint32]bool {
	exists := map[uint32]bool{}
	n := 0
	for _, row := range numbersOf(in["edges"]) {
		n = max(n, int(row[0])+1, int(row[1])+1)
	}
	for _, name := range []string{"urls", "sites"} {
		if text, ok := in[name]; ok {
			n = len(linesOf(text))
		}
	}
	if text, ok := in["nodes"]; ok {
		n = 0
		for _, row := range numbersOf(text) {
			exists[row[0]] = true
		}
	}
	for id := range n {
		exists[uint32(id)] = true
	}
	return exists
}

// leaveOut drops pages that were not fetched and have fewer in-links than least.
func (in lists) leaveOut(m *model, exists map[uint32]bool, links map[[2]uint32]bool, least int) {
	text, ok := in["fetched"]
	if !ok {
		return
	}
	was := map[uint32]bool{}
	for _, row := range numbersOf(text) {
		was[row[0]] = true
	}
	count := map[uint32]int{}
	for e, ok := range links {
		if ok {
			count[e[1]]++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(exists)) {
		if !was[id] && count[id] < least {
			delete(exists, id)
			m.dropped++
			continue
		}
		m.fetched = append(m.fetched, was[id])
	}
}

// name finds URL and site of every page.
func (in lists) name(m *model) {
	fold := func(s string) string {
		b := []byte(s)
		for i, c := range b {
			if k := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZ", c); k >= 0 {
				b[i] = "abcdefghijklmnopqrstuvwxyz"[k]
			}
		}
		return string(b)
	}
	if text, ok := in["urls"]; ok {
		lines := linesOf(text)
		for _, id := range m.ids {
			m.urls = append(m.urls, lines[id])
			parts := strings.SplitN(lines[id], "/", 4)
			m.sites = append(m.sites, fold(strings.Join(parts[:min(3, len(parts))], "/")))
		}
	}
	if text, ok := in["sites"]; ok {
		m.sites = nil
		lines := linesOf(text)
		for _, id := range m.ids {
			m.sites = append(m.sites, fold(lines[id]))
		}
	}
}

// compare says where a graph differs from the model.
func (m *model) compare(g *Graph, report ImportReport) error {
	var want bytes.Buffer
	for _, e := range m.links {
		fmt.Fprintf(&want, "%d %d\n", e[0], e[1])
	}
	var got bytes.Buffer
	if err := g.ExportEdges(context.Background(), &got, nil); err != nil {
		return err
	}
	c := g.Card()
	switch {
	case g.Pages() != len(m.ids) || report.Pages != len(m.ids):
		return fmt.Errorf("%d pages, report %d, want %d", g.Pages(), report.Pages, len(m.ids))
	case got.String() != want.String():
		return fmt.Errorf("exported %q, want %q", got.String(), want.String())
	case c.DuplicateLinks != m.dups || c.OutsideLinks != m.outside || c.DroppedPages != m.dropped:
		return fmt.Errorf("card %+v, want %d duplicates, %d outside, %d dropped", c, m.dups, m.outside, m.dropped)
	}
	for p, id := range m.ids {
		if err := m.comparePage(g, Page(p), id); err != nil {
			return err
		}
	}
	return transposed(g)
}

func (m *model) comparePage(g *Graph, p Page, id uint32) error {
	if q, ok := g.ByID(id); !ok || q != p || g.ID(p) != id {
		return fmt.Errorf("page %d has id %d, want %d; found as %d", p, g.ID(p), id, q)
	}
	if m.fetched != nil && g.Fetched(p) != m.fetched[p] {
		return fmt.Errorf("page %d: fetched is %v", p, g.Fetched(p))
	}
	if m.urls != nil {
		first := slices.Index(m.urls, m.urls[p])
		if q, ok := g.Lookup(m.urls[p]); !ok || int(q) != first || g.URL(p) != m.urls[p] {
			return fmt.Errorf("page %d has URL %q, want %q, found at %d", p, g.URL(p), m.urls[p], q)
		}
	}
	if m.sites != nil && g.SiteName(g.Site(p)) != m.sites[p] {
		return fmt.Errorf("page %d is of site %q, want %q", p, g.SiteName(g.Site(p)), m.sites[p])
	}
	if m.sites == nil && g.Site(p) != Site(p) {
		return fmt.Errorf("page %d is of site %d, want its own", p, g.Site(p))
	}
	return nil
}

// TestImportModel draws good lists, with everything there is.
func TestImportModel(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "lines")
		ids := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, n, rapid.ID[int]).Draw(t, "nodes")
		fetched := rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, len(ids), rapid.ID[int]).Draw(t, "fetched")
		in := lists{"edges": "", "urls": "", "nodes": "", "fetched": ""}
		for range rapid.IntRange(0, 60).Draw(t, "links") {
			in["edges"] += fmt.Sprintf("%d %d\n", rapid.SampledFrom(fetched).Draw(t, "source"), rapid.SampledFrom(ids).Draw(t, "target"))
		}
		for range n {
			in["urls"] += rapid.StringMatching(`[hH]ttp://[ab]/[xy]?`).Draw(t, "url") + "\n"
		}
		for _, id := range ids {
			in["nodes"] += fmt.Sprintln(id)
		}
		for _, id := range fetched {
			in["fetched"] += fmt.Sprintln(id)
		}
		least := rapid.IntRange(0, 3).Draw(t, "least")
		g, report, err := importIn(dir, in, func(o *ImportOptions) { o.FrontierMinInLinks = least })
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		if err := in.model(false, least).compare(g, report); err != nil {
			t.Fatal(err)
		}
	})
}
