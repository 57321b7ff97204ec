package graph

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/winnow-crawler/winnow/graph/bv"
	"github.com/winnow-crawler/winnow/internal/data"
)

// realGraph is a graph beside the checkout, with what its README says of it.
type realGraph struct {
	edges, urls, nodes string
	pages              int
	links, self        int64   // self: -1 where the README is silent
	sites              int     // 0: unknown
	most               float64 // bytes per link both ways; 0: no bar
}

func realGraphs() []realGraph {
	graphs := []realGraph{
		{"cnr-2000/cnr-2000.edges.zst", "", "", 325557, 3216152, 87442, 0, 1.10},
		{"apache-sites/apache-sites.edges.zst", "apache-sites/apache-sites.urls.gz", "", 251863, 5052385, -1, 17, 0.95},
		{"wb-cs-stanford/wb-cs-stanford.edges.zst", "wb-cs-stanford/wb-cs-stanford.urls.gz", "", 9914, 36854, 1299, 21, 0},
		{"hollins/hollins.edges.gz", "hollins/hollins.urls.gz", "", 6012, 23875, -1, 4, 0},
		{"webkb/webkb.edges.zst", "webkb/webkb.urls.gz", "", 8213, 15577, -1, 589, 0},
	}
	for _, s := range []struct {
		name, date, ext string
		pages           int
		links           int64
	}{
		{"mdn", "2021-01-01", "zst", 11585, 83952},
		{"mdn", "2022-01-01", "zst", 11903, 88925},
		{"mdn", "2023-01-01", "zst", 11331, 92428},
		{"mdn", "2024-01-01", "zst", 12028, 100743},
		{"mdn", "2025-01-01", "zst", 12938, 111382},
		{"mdn", "2026-08-22", "zst", 14593, 132484},
		{"openbsd", "2000-01-01", "gz", 113, 532},
		{"openbsd", "2005-01-01", "gz", 1845, 13995},
		{"openbsd", "2010-01-01", "gz", 3472, 25790},
		{"openbsd", "2015-01-01", "gz", 3366, 21563},
		{"openbsd", "2020-01-01", "gz", 3684, 24711},
		{"openbsd", "2024-01-01", "gz", 3721, 26614},
		{"openbsd", "2026-08-22", "gz", 3744, 27895},
	} {
		base := fmt.Sprintf("%s/%s-%s", s.name, s.name, s.date)
		graphs = append(graphs, realGraph{
			base + ".edges." + s.ext, s.name + "/" + s.name + ".urls.gz", base + ".nodes.gz", s.pages, s.links, -1, 1, 0,
		})
	}
	return graphs
}

// realFile is the path of a file of a real graph, "" for none.
func realFile(t testing.TB, name string) string {
	t.Helper()
	if name == "" {
		return ""
	}
	path, ok := data.File(filepath.FromSlash(name))
	if !ok {
		t.Skipf("no real graphs beside the checkout (%s)", name)
	}
	return path
}

func (rg realGraph) options(t testing.TB) ImportOptions {
	return ImportOptions{
		Edges: realFile(t, rg.edges), URLs: realFile(t, rg.urls), Nodes: realFile(t, rg.nodes),
		WriteOptions: WriteOptions{Path: filepath.Join(t.TempDir(), "g.wg")},
	}
}

// importReal imports with the given options and opens the result.
func importReal(t testing.TB, o ImportOptions) (*Graph, ImportReport) {
	t.Helper()
	report, err := Import(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Open(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g, report
}

// TestRealGraphs: all graphs import, their counts are those of the README, and an
// export gives the sorted edge list back byte for byte.
func TestRealGraphs(t *testing.T) {
	for _, rg := range realGraphs() {
		t.Run(filepath.Base(rg.edges), func(t *testing.T) {
			if testing.Short() && rg.links > 50_000 {
				t.Skip("a larger one")
			}
			o := rg.options(t)
			g, report := importReal(t, o)
			if g.Pages() != rg.pages || g.Links() != rg.links || report.Pages != rg.pages || report.Links != rg.links {
				t.Errorf("%d pages, %d links (report %+v); want %d, %d", g.Pages(), g.Links(), report, rg.pages, rg.links)
			}
			if rg.sites != 0 && g.Sites() != rg.sites || rg.self >= 0 && g.SelfLinks() != rg.self {
				t.Errorf("%d sites, %d self-links; want %d, %d", g.Sites(), g.SelfLinks(), rg.sites, rg.self)
			}
			checkSize(t, g, rg.most)
			want := sortedEdges(t, unpack(t, o.Edges))
			if got := edgesOf(t, g); got != want {
				t.Errorf("the export has %d bytes, the sorted edge list %d, and they differ", len(got), len(want))
			}
			if err := transposed(g); err != nil {
				t.Error(err)
			}
		})
	}
}

// unpack reads a compressed file.
func unpack(t testing.TB, name string) string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader
	if strings.HasSuffix(name, ".zst") {
		r, err = zstd.NewReader(f)
	} else {
		r, err = gzip.NewReader(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := io.Copy(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sortedEdges sorts an edge list by number, unless it is sorted.
func sortedEdges(t testing.TB, text string) string {
	t.Helper()
	var pairs [][2]uint32
	for line := range strings.Lines(text) {
		var e [2]uint32
		k := 0
		for i := range len(line) - 1 {
			if line[i] == ' ' {
				k++
			} else {
				e[k] = e[k]*10 + uint32(line[i]-'0')
			}
		}
		pairs = append(pairs, e)
	}
	order := func(a, b [2]uint32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }
	if slices.IsSortedFunc(pairs, order) {
		return text
	}
	slices.SortFunc(pairs, order)
	var b strings.Builder
	for _, e := range pairs {
		fmt.Fprintf(&b, "%d %d\n", e[0], e[1])
	}
	return b.String()
}

// transposed says whether the in-links of a graph are its out-links, turned.
func transposed(g *Graph) error {
	next := make([]int, g.Pages()) // how many in-links of each page have been met
	back := g.Backward().Raw(2)
	defer back.Free()
	for c := g.Forward().Scan(0, Page(g.Pages())); c.Next(); {
		for _, q := range c.List() {
			in := back.List(q)
			if next[q] == len(in) || in[next[q]] != c.Page() {
				return fmt.Errorf("link %d to %d is not in-link %d of %d: %v", c.Page(), q, next[q], q, in)
			}
			next[q]++
		}
	}
	for q, n := range next {
		if n != back.Degree(Page(q)) {
			return fmt.Errorf("page %d has %d in-links and is the target of %d links", q, back.Degree(Page(q)), n)
		}
	}
	return nil
}

// sameGraph compares all that two files hold apart from their cards.
func sameGraph(a, b *Graph) error {
	if a.h.pages != b.h.pages || a.h.links != b.h.links || a.h.sites != b.h.sites || a.h.selfLinks != b.h.selfLinks {
		return fmt.Errorf("counts differ: %+v and %+v", a.h, b.h)
	}
	if len(a.h.sections) != len(b.h.sections) {
		return fmt.Errorf("%d and %d sections", len(a.h.sections), len(b.h.sections))
	}
	for _, s := range a.h.sections {
		if s.name != secCard && !bytes.Equal(a.bytes(s.name), b.bytes(s.name)) {
			return fmt.Errorf("section %q differs: %d and %d bytes", s.name, len(a.bytes(s.name)), len(b.bytes(s.name)))
		}
	}
	return nil
}

// checkSize wants forward and backward links together, index included, in at most
// that many bytes per link (W34; it was 2.4 in 2001).
func checkSize(t *testing.T, g *Graph, most float64) {
	t.Helper()
	bytes := g.Forward().Bytes() + g.Backward().Bytes()
	if i := g.Info(); i.BytesForward+i.BytesBackward != bytes {
		t.Errorf("the header counts %d bytes of links, the sections %d", i.BytesForward+i.BytesBackward, bytes)
	}
	got := float64(bytes) / float64(g.Links())
	t.Logf("%.3f bytes per link", got)
	if most > 0 && got > most {
		t.Errorf("%.3f bytes per link are more than %.2f", got, most)
	}
}

// TestWebGraphFiles: cnr-2000 as its makers published it gives the same graph as
// its edge list; written with the parameters of that file it is about as small; and
// comes back the same.
func TestWebGraphFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("three million links three times")
	}
	fromEdges, _ := importReal(t, realGraphs()[0].options(t))
	original := strings.TrimSuffix(realFile(t, "cnr-2000/original/cnr-2000.graph"), ".graph")
	fromBV, report := importReal(t, ImportOptions{BV: original, WriteOptions: WriteOptions{Path: filepath.Join(t.TempDir(), "bv.wg")}})
	if err := sameGraph(fromEdges, fromBV); err != nil {
		t.Errorf("imported from the edge list and from WebGraph's file: %v", err)
	}
	if report.Links != 3216152 || report.Pages != 325557 {
		t.Errorf("report %+v", report)
	}

	base := filepath.Join(t.TempDir(), "ours")
	if err := fromBV.ExportBV(context.Background(), base, bv.Params{Window: 7, MaxRef: 3, MinInterval: 3, ZetaK: 3}, nil); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(base + ".graph")
	if err != nil {
		t.Fatal(err)
	}
	if bits := float64(st.Size()) * 8 / float64(fromBV.Links()); bits > 3.60 {
		t.Errorf("%.3f bits per link, more than 3.60 (published: 3.56)", bits)
	} else {
		t.Logf("%.3f bits per link (published: 3.56)", bits)
	}
	again, _ := importReal(t, ImportOptions{BV: base, WriteOptions: WriteOptions{Path: filepath.Join(t.TempDir(), "again.wg")}})
	if err := sameGraph(fromEdges, again); err != nil {
		t.Errorf("exported and imported again: %v", err)
	}
}

// TestLittleMemory: with 64 MiB the links of apache-sites are sorted on disk, and
// the file is the same as with much memory and with any number of threads.
func TestLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("five million links three times")
	}
	var first []byte
	for _, c := range []struct {
		memory  int64
		threads int
	}{{4 << 30, 2}, {64 << 20, 2}, {64 << 20, 1}} {
		o := realGraphs()[1].options(t)
		o.MaxMemory, o.Threads = c.memory, c.threads
		_, report := importReal(t, o)
		if spilled := report.SpilledBytes > 0; spilled != (c.memory < 100<<20) {
			t.Errorf("%d MiB: %d bytes spilled", c.memory>>20, report.SpilledBytes)
		}
		b, err := os.ReadFile(o.Path)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		}
		if !bytes.Equal(first, b) {
			t.Errorf("%d MiB, %d threads: another file", c.memory>>20, c.threads)
		}
	}
}
