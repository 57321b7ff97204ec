package gather

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
)

// allocated is how many bytes a function allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestSitemapWork: the memory that passes through the reader grows with the file and not
// with its square, however its text is cut into pieces.
func TestSitemapWork(t *testing.T) {
	for _, piece := range []string{"<![CDATA[x]]>", "<![CDATA[&]]>y", "<loc>", "<url><loc>", "<!--", "<![CDATA[", "]]>", "<", "</", "<a:", "&amp;", "<sitemap><loc>/x</loc></sitemap>"} {
		var took [2]int64
		for i := range took {
			body := "<urlset><url><loc>/" + strings.Repeat(piece, (i+1)<<18/len(piece)) + "</loc></url></urlset>"
			g, f := New(options()), new(Found)
			took[i] = allocated(func() { g.Sitemap(mapURL, answered(200, body), noon, f) })
		}
		if took[1] > 3*took[0]+1<<20 || took[1] > 64<<20 {
			t.Errorf("%q: %d bytes, then %d for twice as much", piece, took[0], took[1])
		}
	}
}

// TestSitemapBombs: an index that names itself and as many files as it likes, a list of
// more pages than the protocol allows, and gzip files that are bombs, inside gzip too.
func TestSitemapBombs(t *testing.T) {
	var index, list strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&index, "<sitemap><loc>%s</loc></sitemap><sitemap><loc>/s%d</loc></sitemap>", mapURL, i)
		fmt.Fprintf(&list, "https://site.example/%d\n", i)
	}
	f := listed(options(), answered(200, "<sitemapindex>"+index.String()))
	if len(f.Files) != maxFiles || f.Dropped != 60_000-maxFiles || f.Links.Len() != 0 {
		t.Errorf("index: %d files, %d dropped, %d links", len(f.Files), f.Dropped, f.Links.Len())
	}
	for _, file := range f.Files {
		if file == mapURL {
			t.Error("the index is a file of itself")
		}
	}
	if f = listed(options(), answered(200, list.String())); f.Links.Len() != 50_000 || f.Dropped != 10_000 {
		t.Errorf("list: %d links, %d dropped", f.Links.Len(), f.Dropped)
	}
	bomb := pressed("https://site.example/a\n" + strings.Repeat(" ", 64<<20))
	for name, body := range map[string]string{"bomb": bomb, "bomb in gzip": pressed(bomb)} {
		took := allocated(func() { f = listed(options(), answered(200, body, "Content-Encoding", "gzip")) })
		if f.Size > 50<<20 || f.Links.Len() > 1 || took > 96<<20 {
			t.Errorf("%s: %d bytes, %d links, %d bytes allocated", name, f.Size, f.Links.Len(), took)
		}
	}
}

// TestRobotsBomb: of a robots.txt no more is kept than is ever read, and what is kept of
// the work is little.
func TestRobotsBomb(t *testing.T) {
	bomb := pressed("user-agent: *\ndisallow: /private\n" + strings.Repeat("#", 64<<20))
	a := answered(200, bomb, "Content-Encoding", "gzip")
	g, f := New(options()), new(Found)
	took := allocated(func() { g.Robots(home, a, noon, f) })
	if len(f.Body) > robots.MaxSize+1 || took > 96<<20 {
		t.Errorf("%d bytes, %d allocated", len(f.Body), took)
	}
	if v := robots.Parse(f.Body).For("winnow").Test("/private/x"); v.Allowed {
		t.Error("what came before the bomb does not count")
	}
	if kept := cap(g.plain) + cap(g.more) + cap(g.room); kept > 3*maxKept {
		t.Errorf("%d bytes are kept", kept)
	}
	if f.Reset(); cap(f.Body) > maxFound {
		t.Errorf("%d bytes are kept of what was found", cap(f.Body))
	}
}

// TestMillionLinks: a page with a million links, to a million hosts, gives the first fifty
// thousand and says what it left out.
func TestMillionLinks(t *testing.T) {
	var b bytes.Buffer
	for i := range 400_000 {
		fmt.Fprintf(&b, "<a href=//h%d.example>", i)
	}
	g, f := New(options()), new(Found)
	for b.Len() < 10<<20 {
		b.WriteString("<a href=/>")
	}
	took := allocated(func() { g.Page(home, webPage(b.String()), noon, f) })
	if f.Class != event.OK || f.Links.Len() != 50_000 || f.Dropped < 350_000 || took > 128<<20 {
		t.Errorf("%v, %d links, %d dropped, %d bytes allocated", f.Class, f.Links.Len(), f.Dropped, took)
	}
	if f.Reset(); cap(f.Links.bytes) > maxFound || cap(f.Links.items) > maxFound/itemSize {
		t.Errorf("%d bytes and %d links are kept", cap(f.Links.bytes), cap(f.Links.items))
	}
}

// TestDeepPage: a million elements inside each other are read like any others.
func TestDeepPage(t *testing.T) {
	f := new(Found)
	New(options()).Page(home, webPage(strings.Repeat("<div>", 1_000_000)+"<a href=/end>x</a>"), noon, f)
	if f.Class != event.OK || f.Links.Len() != 1 || string(f.Links.URL(0)) != "https://site.example/end" {
		t.Errorf("%v, %d links", f.Class, f.Links.Len())
	}
}

// TestHostileLocations: a redirect leads to one page of the Web or nowhere, and the note
// that says so is one plain line without the password that it was given.
func TestHostileLocations(t *testing.T) {
	for location, want := range map[string]string{
		"file:///etc/passwd": "", "ftp://a.example/": "", "javascript:alert(1)": "", "gopher://127.0.0.1:25/x": "", "http://": "", "http://me:s3cret@a.example/": "",
		"//a.example:99999/": "", "a\x1b[31m": "https://site.example/dir/a%1B[31m", "http://0x7f.1/": "http://127.0.0.1/", "http://2130706433/": "http://127.0.0.1/",
		"/a\r\nSet-Cookie: b": "https://site.example/aSet-Cookie:%20b", "http://[::ffff:127.0.0.1]/": "http://[::ffff:7f00:1]/",
		strings.Repeat("x", 100_000): "", home: "", "#x": "", "?" + strings.Repeat("a&", 3000): "",
	} {
		f := new(Found)
		New(options()).Page(home, answered(302, "", "Location", location), noon, f)
		got := ""
		if f.Links.Len() == 1 {
			got = string(f.Links.URL(0))
		}
		if got != want || (want == "") != (f.Class == event.HTTPError) {
			t.Errorf("%.60q: %v to %q, want %q", location, f.Class, got, want)
		}
		if strings.ContainsAny(f.Note, "\n\r\x1b") || len(f.Note) > 300 {
			t.Errorf("%.60q: note %q", location, f.Note)
		}
	}
}
