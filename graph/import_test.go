package graph

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEdgeForms imports one graph from every form its list may have.
func TestEdgeForms(t *testing.T) {
	const want = "0 1\n0 2\n1 1\n2 0\n"
	for name, text := range map[string]string{
		"plain":         want,
		"unsorted":      "2 0\n0 2\n1 1\n0 1\n",
		"no last end":   "2 0\n0 2\n1 1\n0 1",
		"tabs":          "0\t1\n0\t2\n1\t1\n2\t0\n",
		"blanks":        "  0 \t 1 \n0  2\n\t1\t1\t\n2 0   \n",
		"CRLF":          "0 1\r\n0 2\r\n1 1\r\n2 0\r\n",
		"comments":      "# a graph\n0 1\n\n0 2\n#1 0\n1 1\n  # 5 5\n2 0\n\n",
		"mark":          "\xef\xbb\xbf0 1\n0 2\n1 1\n2 0\n",
		"leading zeros": "000 01\n0 0000000000000000000002\n1 1\n2 0\n",
		"duplicates":    "0 1\n0 1\n2 0\n0 2\n1 1\n0 1\n1 1\n",
		"gzip":          zipped(t, want),
	} {
		t.Run(name, func(t *testing.T) {
			g, report := mustImport(t, lists{"edges": text})
			if got := edgesOf(t, g); got != want {
				t.Errorf("exported %q, want %q", got, want)
			}
			if g.Pages() != 3 || g.Links() != 4 || g.SelfLinks() != 1 || report.Links != 4 || report.Pages != 3 {
				t.Errorf("%d pages, %d links, %d self-links, report %+v", g.Pages(), g.Links(), g.SelfLinks(), report)
			}
			if dups := int64(strings.Count(name, "duplicates") * 3); g.Card().DuplicateLinks != dups || report.Card.DuplicateLinks != dups {
				t.Errorf("%d duplicates reported, want %d", g.Card().DuplicateLinks, dups)
			}
		})
	}
}

func zipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestNodes has sparse ids: stored densely, spoken outside.
func TestNodes(t *testing.T) {
	g, _ := mustImport(t, lists{
		"edges": "4000000000 7\n7 7\n9 4000000000\n9 7\n",
		"nodes": "# in any order\n9\n4000000000\n7\n8\n",
	})
	if got := edgesOf(t, g); got != "7 7\n9 7\n9 4000000000\n4000000000 7\n" {
		t.Errorf("exported %q", got)
	}
	if g.Pages() != 4 || !slices.Equal(g.IDs(), []uint32{7, 8, 9, 4000000000}) {
		t.Fatalf("%d pages, ids %v", g.Pages(), g.IDs())
	}
	for p, id := range g.IDs() {
		if q, ok := g.ByID(id); !ok || q != Page(p) || g.ID(Page(p)) != id {
			t.Errorf("id %d is page %d, %v; page %d has id %d", id, q, ok, p, g.ID(Page(p)))
		}
	}
	for _, id := range []uint32{0, 6, 10, 3999999999, 4000000001} {
		if p, ok := g.ByID(id); ok || p != NoPage {
			t.Errorf("id %d is not there and is page %d", id, p)
		}
	}
}

func TestIDsWithoutNodes(t *testing.T) {
	g, _ := mustImport(t, lists{"edges": "0 5\n"})
	if g.Pages() != 6 || g.IDs() != nil || g.ID(3) != 3 {
		t.Errorf("%d pages, ids %v", g.Pages(), g.IDs())
	}
	if p, ok := g.ByID(5); !ok || p != 5 {
		t.Errorf("id 5 is page %d, %v", p, ok)
	}
	if p, ok := g.ByID(6); ok || p != NoPage {
		t.Errorf("id 6 is page %d", p)
	}
}

// TestNodesWithURLs: the URL list covers ids that do not exist at this date.
func TestNodesWithURLs(t *testing.T) {
	g, _ := mustImport(t, lists{
		"edges": "3 1\n1 4\n",
		"nodes": "1\n3\n4\n",
		"urls":  "http://x/0\nhttp://a/1\nhttp://x/2\nhttp://A/3\nhttp://b/4\nhttp://x/5\n",
	})
	var urls []string
	for p := range Page(g.Pages()) {
		urls = append(urls, g.URL(p))
	}
	if !slices.Equal(urls, []string{"http://a/1", "http://A/3", "http://b/4"}) {
		t.Errorf("URLs %q", urls)
	}
	if _, ok := g.Lookup("http://x/0"); ok {
		t.Error("the URL of a page that does not exist was found")
	}
	if g.Sites() != 2 || g.Site(0) != g.Site(1) || g.SiteName(1) != "http://b" {
		t.Errorf("%d sites, %q", g.Sites(), g.SiteName(1))
	}
}

// TestSiteNames: case is folded, in ASCII only, and --sites wins over URLs.
func TestSiteNames(t *testing.T) {
	const urls = "HTTP://a.Example/x\nhttp://A.example/y\nhttp://b.example:8080/\nhttps://a.example/\nhttp://\xff/\nhttp://\xfe/\nhttp://\xc3\x89/\nhttp://\xc3\xa9/\n"
	g, _ := mustImport(t, lists{"edges": "0 1\n", "urls": urls})
	if g.Pages() != 8 || g.Sites() != 7 || g.Site(0) != g.Site(1) || g.SiteName(0) != "http://a.example" || g.SiteName(3) != "http://\xff" {
		t.Errorf("%d sites, %q, %q", g.Sites(), g.SiteName(0), g.SiteName(3))
	}
	if g.URL(0) != "HTTP://a.Example/x" {
		t.Errorf("URL %q: only the site is folded", g.URL(0))
	}
	g, _ = mustImport(t, lists{"edges": "0 1\n", "urls": urls, "sites": "one\nTWO\none\nTwo\n\n\none\ntwo\n"})
	if g.Sites() != 3 || !slices.Equal(g.SitePages(1), []Page{1, 3, 7}) || g.SiteName(1) != "two" || g.SiteName(2) != "" {
		t.Errorf("%d sites, two has %v", g.Sites(), g.SitePages(1))
	}
	g, _ = mustImport(t, lists{"edges": "0 1\n", "sites": "x\ny\nx\n"})
	if g.Pages() != 3 || g.Sites() != 2 || g.HasURLs() {
		t.Errorf("sites alone: %d pages, %d sites", g.Pages(), g.Sites())
	}
}

func TestEmptyGraphs(t *testing.T) {
	for name, c := range map[string]struct {
		in    lists
		pages int
		sites int
	}{
		"nothing":              {lists{"edges": ""}, 0, 0},
		"comments only":        {lists{"edges": "# none\n"}, 0, 0},
		"no URLs":              {lists{"edges": "", "urls": ""}, 0, 0},
		"no nodes":             {lists{"edges": "", "nodes": ""}, 0, 0},
		"no nodes, some URLs":  {lists{"edges": "", "nodes": "", "urls": "a\nb\n"}, 0, 0},
		"isolated pages":       {lists{"edges": "", "urls": "a\nb\n\n"}, 3, 3},
		"isolated at the end":  {lists{"edges": "0 0\n", "urls": "a\na\na\na\n"}, 4, 1},
		"isolated nodes":       {lists{"edges": "", "nodes": "5\n1\n"}, 2, 2},
		"one page, no fetched": {lists{"edges": "", "urls": "a\n", "fetched": ""}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g, report := mustImport(t, c.in)
			if g.Pages() != c.pages || g.Sites() != c.sites || report.Pages != c.pages || edgesOf(t, g) != strings.TrimPrefix(c.in["edges"], "# none\n") {
				t.Errorf("%d pages, %d sites, %q", g.Pages(), g.Sites(), edgesOf(t, g))
			}
			for _, l := range []*Links{g.Forward(), g.Backward()} {
				if raw := l.Raw(2); raw.Pages() != c.pages || raw.Links() != g.Links() {
					t.Errorf("raw: %d pages, %d links", raw.Pages(), raw.Links())
				} else {
					raw.Free()
				}
			}
		})
	}
}

// TestDropOutside is the closed world of P7: links that leave it do not count.
func TestDropOutside(t *testing.T) {
	in := lists{"edges": "1 2\n1 9\n9 1\n2 2\n8 9\n", "nodes": "1\n2\n"}
	g, report := mustImport(t, in, func(o *ImportOptions) { o.DropOutside = true })
	if edgesOf(t, g) != "1 2\n2 2\n" || g.Card().OutsideLinks != 3 || report.Card.OutsideLinks != 3 {
		t.Errorf("%q, card %+v", edgesOf(t, g), g.Card())
	}
}

// TestFetched: pages that were only linked to are known, and told from the others.
func TestFetched(t *testing.T) {
	g, report := mustImport(t, lists{"edges": "0 1\n0 2\n2 3\n", "fetched": "2\n0\n"})
	if !g.HasUncrawled() || report.UncrawledPages != 2 || g.Card().DroppedPages != 0 || g.IDs() != nil {
		t.Errorf("report %+v, ids %v", report, g.IDs())
	}
	for p, want := range []bool{true, false, true, false} {
		if g.Fetched(Page(p)) != want {
			t.Errorf("page %d: fetched is %v", p, !want)
		}
	}
	g, report = mustImport(t, lists{"edges": "0 1\n", "fetched": "0\n1\n"})
	if g.HasUncrawled() || report.UncrawledPages != 0 || !g.Fetched(1) {
		t.Error("all pages were fetched, and it says that some were not")
	}
	g, _ = mustImport(t, lists{"edges": "0 1\n"})
	if g.HasUncrawled() || !g.Fetched(1) {
		t.Error("where nothing was said all pages are fetched")
	}
}

// TestFrontierMinInLinks leaves out pages that were not fetched and have fewer
// in-links, duplicates not counted (W32).
func TestFrontierMinInLinks(t *testing.T) {
	in := lists{
		"edges":   "0 2\n0 2\n0 3\n0 4\n1 3\n1 4\n1 0\n5 4\n5 5\n",
		"fetched": "0\n1\n5\n",
		"urls":    "http://a/0\nhttp://a/1\nhttp://b/2\nhttp://b/3\nhttp://c/4\nhttp://a/5\nhttp://d/6\n",
		"sites":   "a\na\nb\nb\nc\na\nd\n",
	}
	for _, c := range []struct {
		least   int
		edges   string
		ids     []uint32
		dropped int64
		sites   int
	}{
		{0, "0 2\n0 3\n0 4\n1 0\n1 3\n1 4\n5 4\n5 5\n", nil, 0, 4},
		{1, "0 2\n0 3\n0 4\n1 0\n1 3\n1 4\n5 4\n5 5\n", []uint32{0, 1, 2, 3, 4, 5}, 1, 3},
		{2, "0 3\n0 4\n1 0\n1 3\n1 4\n5 4\n5 5\n", []uint32{0, 1, 3, 4, 5}, 2, 3},
		{3, "0 4\n1 0\n1 4\n5 4\n5 5\n", []uint32{0, 1, 4, 5}, 3, 2},
		{4, "1 0\n5 5\n", []uint32{0, 1, 5}, 4, 1},
	} {
		g, report := mustImport(t, in, func(o *ImportOptions) { o.FrontierMinInLinks = c.least })
		if edgesOf(t, g) != c.edges || !slices.Equal(g.IDs(), c.ids) || g.Card().DroppedPages != c.dropped ||
			report.UncrawledPages != 4 || g.Sites() != c.sites || g.Card().DuplicateLinks != 1 {
			t.Errorf("at least %d: %q, ids %v, %d sites, report %+v", c.least, edgesOf(t, g), g.IDs(), g.Sites(), report)
		}
		if g.HasUncrawled() != (c.dropped < 4) {
			t.Errorf("at least %d: has uncrawled pages: %v", c.least, g.HasUncrawled())
		}
		for p := range Page(g.Pages()) {
			id := g.ID(p)
			if want := "/" + string(rune('0'+id)); !strings.HasSuffix(g.URL(p), want) || g.Fetched(p) != (id < 2 || id == 5) {
				t.Errorf("at least %d: id %d has URL %q, fetched %v", c.least, id, g.URL(p), g.Fetched(p))
			}
		}
	}
}

// TestFrontierWithNodes has all renumbering at once.
func TestFrontierWithNodes(t *testing.T) {
	g, _ := mustImport(t, lists{"edges": "10 20\n10 30\n40 30\n99 10\n", "nodes": "40\n30\n20\n10\n", "fetched": "10\n40\n"},
		func(o *ImportOptions) { o.FrontierMinInLinks, o.DropOutside = 2, true })
	if edgesOf(t, g) != "10 30\n40 30\n" || !slices.Equal(g.IDs(), []uint32{10, 30, 40}) || g.Card().OutsideLinks != 1 {
		t.Errorf("%q, ids %v, %+v", edgesOf(t, g), g.IDs(), g.Card())
	}
	if !g.Fetched(0) || g.Fetched(1) || !g.Fetched(2) {
		t.Error("which pages were fetched is mixed up")
	}
}

// TestCard: a dataset says where it comes from (L12).
func TestCard(t *testing.T) {
	g, report := mustImport(t, lists{"edges": "0 1\n", "urls": "a\na\n"}, func(o *ImportOptions) {
		o.Origin, o.Program = "by hand, breadth-first", "winnow test"
	})
	want := Card{Source: "edges urls", Origin: "by hand, breadth-first", Program: "winnow test", RepeatedURLs: 1}
	if g.Card() != want || report.Card != want {
		t.Errorf("card %+v, report %+v", g.Card(), report.Card)
	}
}

// TestStandardInput reads the edges from a pipe, whose size nobody knows.
func TestStandardInput(t *testing.T) {
	dir := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		w.WriteString("1 0\n0 1\n")
		w.Close()
	}()
	defer func(f *os.File) { os.Stdin = f }(os.Stdin)
	os.Stdin = r
	g, _, err := importIn(dir, lists{}, func(o *ImportOptions) { o.Edges = "-" })
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if edgesOf(t, g) != "0 1\n1 0\n" || filepath.Base(g.Path()) != "g.wg" {
		t.Errorf("%q from standard input", edgesOf(t, g))
	}
}
