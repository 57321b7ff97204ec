package gather

import (
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	fakeanswer "github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/graph"
)

// mixedWeb serves a web with some of everything.
func mixedWeb(t *testing.T, change func(*fakeanswer.Options)) *serve.Server {
	t.Helper()
	pages := 1500
	if testing.Short() { // under the race detector the longer one takes half a minute
		pages = 300
	}
	w, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: pages / 25, Links: int64(12 * pages), Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	o := fakeanswer.Mixed()
	o.MaxSize = 10_000
	o.Pages.Gone, o.Pages.Broken, o.Pages.Busy, o.Pages.Reset = 0.02, 0.02, 0.02, 0.02 // so that a small web has all
	change(&o)
	s, err := serve.New(w, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTruth: the links of every page of a mixed web, of a messy one and of one in old
// charsets are those of the graph it was made from, redirects and failures included; the
// titles are right, and every record can be read back.
func TestTruth(t *testing.T) {
	for name, change := range map[string]func(*fakeanswer.Options){
		"mixed":    func(*fakeanswer.Options) {},
		"messy":    func(o *fakeanswer.Options) { o.Messy = 1 },
		"charsets": func(o *fakeanswer.Options) { o.Charsets = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			s := mixedWeb(t, change)
			o := options()
			o.HTMLOnly = false
			g, f := New(o), new(Found)
			seen := map[fakeanswer.Class]int{}
			for p := range graph.Page(s.Web().Spec().Pages) {
				e := s.Truth(p)
				seen[e.Class]++
				checkPage(t, s, g, f, p, e)
			}
			for c := fakeanswer.OK; c < fakeanswer.Large; c++ {
				if seen[c] == 0 {
					t.Errorf("no page is %v", c)
				}
			}
		})
	}
}

func checkPage(t *testing.T, s *serve.Server, g *Gatherer, f *Found, p graph.Page, e fakeanswer.Expected) {
	t.Helper()
	var a *fetch.Answer
	for range e.Failures + 1 {
		a = ask(s, s.URL(p))
		g.Page(s.URL(p), a, noon, f)
		checkRecords(t, f, a)
	}
	links := pagesOf(t, s, f)
	want := s.Seen(nil, p)
	if e.Class != fakeanswer.Redirect && e.Class != fakeanswer.Other && !slices.IsSorted(links) {
		t.Errorf("page %d: links out of order", p)
	}
	if !slices.Equal(links, want) {
		t.Errorf("page %d (%v): links %v, want %v", p, e.Class, links, want)
	}
	if f.Status != e.Status || f.Class != classFor(e.Class) {
		t.Errorf("page %d (%v): status %d, class %v", p, e.Class, f.Status, f.Class)
	}
	if f.Class != event.OK {
		return
	}
	if f.Title != s.Title(p) && e.Declared != "" {
		t.Errorf("page %d: title %q, want %q", p, f.Title, s.Title(p))
	}
	if f.Tags&robots.NoFollow != 0 != e.NoFollow || f.Tags&robots.NoArchive != 0 != e.NoArchive {
		t.Errorf("page %d: tags %v", p, f.Tags)
	}
	checkBars(t, f, e)
}

// classFor is the class that a page of the web must get.
func classFor(c fakeanswer.Class) event.Class {
	switch c {
	case fakeanswer.Redirect:
		return event.Redirect
	case fakeanswer.NotFound, fakeanswer.Gone:
		return event.HTTPError
	case fakeanswer.Broken:
		return event.ServerError
	case fakeanswer.Other:
		return event.NotHTML
	}
	return event.OK
}

// pagesOf finds the pages of the links.
func pagesOf(t *testing.T, s *serve.Server, f *Found) (pages []graph.Page) {
	t.Helper()
	for i := range f.Links.Len() {
		p, ok := s.Page(string(f.Links.URL(i)))
		if !ok {
			t.Errorf("link to %s, which is no page", f.Links.URL(i))
		}
		pages = append(pages, p)
	}
	return pages
}

func checkBars(t *testing.T, f *Found, e fakeanswer.Expected) {
	t.Helper()
	want := event.NoBar
	if e.NoFollow {
		want = event.BarNoFollow
	}
	for i := range f.Links.Len() {
		if got := f.Links.At(i).Bar; got != want {
			t.Errorf("link to %s: bar %v, want %v", f.Links.URL(i), got, want)
		}
	}
}

// checkRecords verifies the digests of all records, and that a response is what came.
func checkRecords(t *testing.T, f *Found, a *fetch.Answer) {
	t.Helper()
	types, body, _ := stored(t, f.Records)
	switch {
	case a.Status == 0:
		if types != nil {
			t.Errorf("records %q of no answer", types)
		}
	case types[0] == "response" && body != string(a.Body):
		t.Errorf("%d bytes stored of %d", len(body), len(a.Body))
	case types[0] != "response" && f.Tags&robots.NoArchive == 0:
		t.Errorf("records %q", types)
	}
}

// TestSitemapTruth: the files of every sitemap of the web, followed from the first one,
// name the pages that the web says they name.
func TestSitemapTruth(t *testing.T) {
	s := mixedWeb(t, func(o *fakeanswer.Options) { o.Sitemaps, o.SitemapURLs = 1, 40 })
	g, f := New(options()), new(Found)
	indexes := 0
	for id := range graph.Site(s.Web().Sites()) {
		e := s.SiteTruth(id)
		var got []graph.Page
		files := []string{e.Origin + e.Sitemap}
		for i := 0; i < len(files); i++ {
			g.Sitemap(files[i], ask(s, files[i]), noon, f)
			if f.Class != event.OK || f.Foreign != 0 {
				t.Errorf("%s: %v, %s", files[i], f.Class, f.Note)
			}
			got = append(got, pagesOf(t, s, f)...)
			files = append(files, f.Files...)
		}
		if len(files) > 1 {
			indexes++
		}
		if e.Robots != "plain" && e.Robots != "busy" {
			continue // InSitemap speaks of those that a crawler finds
		}
		var want []graph.Page
		for p := s.Web().Home(id); int(p) < int(s.Web().Home(id))+e.Pages; p++ {
			if s.InSitemap(p) {
				want = append(want, p)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("site %d: %d pages, want %d", id, len(got), len(want))
		}
	}
	if indexes == 0 {
		t.Error("no site has an index")
	}
}

// TestNormalForms: a URL of the web is a normal form, or the truth would be compared with
// something else.
func TestNormalForms(t *testing.T) {
	s := mixedWeb(t, func(*fakeanswer.Options) {})
	var r page.Resolver
	for p := range graph.Page(100) {
		if got, _ := r.Resolve(nil, []byte(s.URL(p))); string(got) != s.URL(p) {
			t.Errorf("%s becomes %s", s.URL(p), got)
		}
	}
}
