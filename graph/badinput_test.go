package graph

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/internal/input"
)

// TestBadInput: every error names its file, and its line where there is one, and
// leaves nothing behind.
func TestBadInput(t *testing.T) {
	drop := func(o *ImportOptions) { o.DropOutside = true }
	for name, c := range map[string]struct {
		in     lists
		change func(*ImportOptions)
		want   []string // in the error
	}{
		"one column":         {in: lists{"edges": "0 1\n2\n"}, want: []string{"DIR/edges:2:", "one column"}},
		"three columns":      {in: lists{"edges": "0 1 2\n"}, want: []string{"DIR/edges:1:", "third column"}},
		"a word":             {in: lists{"edges": "0 1\n\n#\n0 x\n"}, want: []string{"DIR/edges:4:", `"x"`}},
		"negative":           {in: lists{"edges": "0 -1\n"}, want: []string{"DIR/edges:1:", "negative"}},
		"no page":            {in: lists{"edges": "4294967295 0\n"}, want: []string{"DIR/edges:1:", "too large"}},
		"overflow":           {in: lists{"edges": "0 99999999999999999999999\n"}, want: []string{"DIR/edges:1:", "too large"}},
		"truncated gzip":     {in: lists{"edges": zipped(t, strings.Repeat("0 1\n", 9))[:25]}, want: []string{"DIR/edges:", "too early"}},
		"damaged gzip":       {in: lists{"edges": damaged(zipped(t, "0 1\n1 0\n"))}, want: []string{"DIR/edges:", "damaged"}},
		"beyond the URLs":    {in: lists{"edges": "0 1\n1 2\n", "urls": "a\nb\n"}, want: []string{"DIR/edges:2:", "id 2", "DIR/urls .*2 lines"}},
		"beyond the sites":   {in: lists{"edges": "0 1\n1 2\n", "sites": "a\nb\n"}, want: []string{"DIR/edges:2:", "DIR/sites .*2 lines"}},
		"other site count":   {in: lists{"edges": "", "urls": "a\nb\n", "sites": "a\n"}, want: []string{"DIR/urls .*2 lines", "DIR/sites .*1"}},
		"not among nodes":    {in: lists{"edges": "3 4\n4 5\n", "nodes": "3\n4\n"}, want: []string{"DIR/edges:2:", "id 5 .*DIR/nodes"}},
		"source no node":     {in: lists{"edges": "3 4\n5 4\n", "nodes": "3\n4\n"}, want: []string{"DIR/edges:2:", "id 5 .*DIR/nodes"}},
		"node twice":         {in: lists{"edges": "", "nodes": "3\n4\n\n3\n"}, want: []string{"DIR/nodes:4:", "id 3 .*twice"}},
		"node without URL":   {in: lists{"edges": "", "nodes": "1\n7\n0\n", "urls": "a\nb\n"}, want: []string{"DIR/nodes:2:", "id 7", "DIR/urls .*2 lines"}},
		"node of two":        {in: lists{"edges": "", "nodes": "1 2\n"}, want: []string{"DIR/nodes:1:", "second column"}},
		"bad node":           {in: lists{"edges": "", "nodes": "0\nx\n"}, want: []string{"DIR/nodes:2:", `"x"`}},
		"fetched twice":      {in: lists{"edges": "0 1\n", "fetched": "0\n0\n"}, want: []string{"DIR/fetched:2:", "twice"}},
		"fetched outside":    {in: lists{"edges": "0 1\n", "fetched": "0\n#\n2\n"}, want: []string{"DIR/fetched:3:", "id 2 .*page"}},
		"fetched no node":    {in: lists{"edges": "5 6\n", "nodes": "5\n6\n", "fetched": "5\n0\n"}, want: []string{"DIR/fetched:2:", "id 0"}},
		"links, not fetched": {in: lists{"edges": "0 1\n2 1\n1 0\n", "fetched": "0\n2\n"}, want: []string{"DIR/edges:3:", "page 1 .*links", "DIR/fetched"}},
		"long line":          {in: lists{"edges": "", "urls": "a\n" + strings.Repeat("x", input.MaxLine+1)}, want: []string{"DIR/urls:2:", "longer"}},
		"no such edges":      {in: lists{}, change: func(o *ImportOptions) { o.Edges = "/nowhere/x" }, want: []string{"/nowhere/x", "no such file"}},
		"edges a directory":  {in: lists{}, change: func(o *ImportOptions) { o.Edges = filepath.Dir(o.Path) }, want: []string{"DIR", "directory"}},
		"nothing given":      {in: lists{}, want: []string{"edge list"}},
		"both given":         {in: lists{"edges": ""}, change: func(o *ImportOptions) { o.BV = "x" }, want: []string{"either"}},
		"drop without nodes": {in: lists{"edges": ""}, change: drop, want: []string{"inside"}},
		"least, no fetched":  {in: lists{"edges": ""}, change: func(o *ImportOptions) { o.FrontierMinInLinks = 5 }, want: []string{"fetched"}},
		"URLs from stdin":    {in: lists{"edges": ""}, change: func(o *ImportOptions) { o.URLs = "-" }, want: []string{"standard input"}},
		"two from stdin":     {in: lists{}, change: func(o *ImportOptions) { o.Edges, o.Nodes = "-", "-" }, want: []string{"only one", "standard input"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.change == nil {
				c.change = func(*ImportOptions) {}
			}
			g, _, err := importIn(dir, c.in, c.change)
			if err == nil {
				g.Close()
				t.Fatal("imported")
			}
			for _, want := range c.want {
				if !regexp.MustCompile(strings.ReplaceAll(want, "DIR", regexp.QuoteMeta(dir))).MatchString(err.Error()) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
			if left := leftovers(t, dir, "edges", "urls", "nodes", "sites", "fetched"); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// damaged changes a byte in the middle.
func damaged(s string) string {
	b := []byte(s)
	b[len(b)/2] ^= 0x10
	return string(b)
}

// TestSparseIDs: a single huge id without --nodes would make billions of pages. It
// is refused at its line, and the memory that the error requests suffices.
func TestSparseIDs(t *testing.T) {
	dir := t.TempDir()
	in := lists{"edges": "0 1\n1 4000000000\n2 4000000001\n"}
	_, _, err := importIn(dir, in)
	var short *MemoryError
	if !errors.As(err, &short) || !strings.Contains(err.Error(), filepath.Join(dir, "edges")+":2: id 4000000000") {
		t.Fatalf("error %v", err)
	}
	if short.Pages != 4000000001 || short.Have != 1<<30 || short.Need < 4000000001*pageMemory {
		t.Errorf("%+v", short)
	}

	in["edges"] = "0 300000\n"
	for _, fetched := range []bool{false, true} {
		if fetched {
			in["fetched"] = "0\n"
		}
		_, _, err = importIn(dir, in, func(o *ImportOptions) { o.MaxMemory = 31 << 20 })
		if !errors.As(err, &short) {
			t.Fatalf("31 MiB suffice for 300,001 pages? %v", err)
		}
		if left := leftovers(t, dir, "edges", "fetched"); left != nil {
			t.Errorf("left behind: %v", left)
		}
		g, _, err := importIn(dir, in, func(o *ImportOptions) { o.MaxMemory = short.Need })
		if err != nil {
			t.Fatalf("the error asks for %d bytes, and then: %v", short.Need, err)
		}
		if g.Pages() != 300001 {
			t.Errorf("%d pages", g.Pages())
		}
		g.Close()
		os.Remove(g.Path())
	}
}

// TestMemoryOfNodes: the tables of ids count.
func TestMemoryOfNodes(t *testing.T) {
	var nodes strings.Builder
	for i := range 100_000 {
		nodes.WriteString(strconv.Itoa(i * 7))
		nodes.WriteByte('\n')
	}
	in := lists{"edges": "0 7\n", "nodes": nodes.String()}
	dir := t.TempDir()
	_, _, err := importIn(dir, in, func(o *ImportOptions) { o.MaxMemory = 31 << 20 })
	var short *MemoryError
	if !errors.As(err, &short) || short.Need < baseMemory+100_000*(pageMemory+4+7*4) {
		t.Fatalf("error %v", err)
	}
	g, _, err := importIn(dir, in, func(o *ImportOptions) { o.MaxMemory = short.Need })
	if err != nil {
		t.Fatalf("the error asks for %d bytes, and then: %v", short.Need, err)
	}
	g.Close()
}

// TestBadSources: a caller of Write that breaks its promises gets an error, not a
// broken file.
func TestBadSources(t *testing.T) {
	good := func() Source { return sourceOf([][]Page{{0, 1}, {2}, {}}) }
	links := func(p Page, list ...Page) func(*Source) {
		return func(s *Source) {
			before := s.Lists
			s.Lists = func(emit func(Page, []Page) error) error {
				if err := before(emit); err != nil {
					return err
				}
				return emit(p, list)
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*Source)
		want   string
	}{
		"a link outside":      {func(s *Source) { s.Pages = 2 }, "link 2 of page 1"},
		"links fall":          {links(2, 2, 1), "link 1 of page 2"},
		"a link twice":        {links(2, 1, 1), "link 1 of page 2"},
		"pages fall":          {links(1, 1), "a list of page 1"},
		"a page outside":      {links(3), "a list of page 3"},
		"negative pages":      {func(s *Source) { s.Pages = -1 }, "-1 pages"},
		"more than the index": {func(s *Source) { s.Pages = 1 << 31 }, "2147483648 pages"},
		"too many pages":      {func(s *Source) { s.Pages = 1 << 32 }, "4294967296 pages"},
		"few ids":             {func(s *Source) { s.IDs = []uint32{1} }, "1 .*ids .*3"},
		"ids fall":            {func(s *Source) { s.IDs = []uint32{1, 3, 3} }, "page 2"},
		"bits for more pages": {func(s *Source) { s.Fetched = make([]uint64, 2) }, "128 bits"},
		"few URLs":            {func(s *Source) { s.URLs = each([]string{"a"}) }, "1 URLs .*3 pages"},
		"many URLs":           {func(s *Source) { s.URLs = each(make([]string, 4)) }, "more URLs.* 3 pages"},
		"few sites":           {func(s *Source) { s.Sites = each([]string{"a"}) }, "site.* 1 of 3"},
		"many sites":          {func(s *Source) { s.Sites = each(make([]string, 4)) }, "more site.* 3 pages"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, src := t.TempDir(), good()
			c.change(&src)
			err := Write(context.Background(), src, WriteOptions{Path: filepath.Join(dir, "g.wg")})
			if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
				t.Errorf("error %v lacks %q", err, c.want)
			}
			if left := leftovers(t, dir); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
