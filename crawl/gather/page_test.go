package gather

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
)

// TestLinks: which hrefs are links, in which form and order, and what bars them.
func TestLinks(t *testing.T) {
	for _, test := range []struct{ name, html, want string }{
		{"relative, absolute, other scheme", `<a href=a.html><a href=/b><a href="http://site.example/c"><a href=//other.example>`,
			"https://site.example/dir/a.html local\nhttps://site.example/b local\nhttp://site.example/c\nhttps://other.example/\n"},
		{"distinct, in document order", `<a href=b><a href=a><a href=b#x><a href=./b><a href=a?utm_source=x>`,
			"https://site.example/dir/b local\nhttps://site.example/dir/a local\n"},
		{"without the page itself", `<a href=#top><a href=""><a href=page.html><a href=/dir/page.html?fbclid=1><link rel=canonical href=/dir/page.html>`, ""},
		{"no links at all", `<a href=mailto:a@b.example><a href=javascript:x()><a name=x><a href="http://[">`, ""},
		{"base", `<base href=/other/><a href=x>`, "https://site.example/other/x local\n"},
		{"base elsewhere", `<base href=http://cdn.example/y/><a href=x><a href=https://site.example/z>`,
			"http://cdn.example/y/x\nhttps://site.example/z local\n"},
		{"kinds", `<link rel=canonical href=/1><link rel=next href=/2><link rel=prev href=/3><link rel=alternate hreflang=de href=/4>` +
			`<area href=/5><iframe src=/6></iframe><frame src=/7><meta http-equiv=refresh content="3;url=/8"><svg><a xlink:href=/9></a></svg>`,
			"https://site.example/1 local\nhttps://site.example/2 local\nhttps://site.example/3 local\nhttps://site.example/4 local\n" +
				"https://site.example/5 local\nhttps://site.example/6 local\nhttps://site.example/7 local\nhttps://site.example/8 local\nhttps://site.example/9 local\n"},
		{"parts of a page", `<link rel=stylesheet href=/1><link rel="alternate stylesheet" href=/2><link rel=icon href=/3><link rel=preload href=/4>` +
			`<link rel=alternate type=application/atom+xml href=/5><link rel=author href=/6><img src=/7 srcset="/8 2x"><script src=/9></script><link href=/10>`, ""},
		{"nofollow", `<a rel="nofollow" href=/1><a rel="ugc NoFollow" href=/2><a rel=ugc href=/3>`,
			"https://site.example/1 local nofollow\nhttps://site.example/2 local nofollow\nhttps://site.example/3 local\n"},
		{"a followed link wins, before and after", `<a rel=nofollow href=/1><a href=/1><a href=/2><a rel=nofollow href=/2>`,
			"https://site.example/1 local\nhttps://site.example/2 local\n"},
		{"nofollow page", `<meta name=robots content=nofollow><a href=/1><a href=/1><a href=/p.pdf>`,
			"https://site.example/1 local nofollow\nhttps://site.example/p.pdf local type\n"},
		{"the URL speaks first", `<a rel=nofollow href=/x.jpg><a href=/x.jpg><a rel=nofollow href=/a/a/a/>`,
			"https://site.example/x.jpg local type\nhttps://site.example/a/a/a/ local trap\n"},
	} {
		f := gather(options(), home, webPage(test.html))
		if f.Class != event.OK || f.Note != "" {
			t.Errorf("%s: %v, %s", test.name, f.Class, f.Note)
		}
		want(t, test.name, show(&f.Links), test.want)
	}
}

// TestHashes: the hashes of links are those that the URL table would compute.
func TestHashes(t *testing.T) {
	f := gather(options(), home, webPage(`<a href=a?b=c><a href=http://other.example:8080/x/y>`))
	for i, u := range []struct{ site, rest string }{{"https://site.example", "/dir/a?b=c"}, {"http://other.example:8080", "/x/y"}} {
		site := key.Site([]byte(u.site))
		got := Link{SiteHash: site, Hash: key.Page(site, []byte(u.rest)), Local: i == 0}
		if f.Links.At(i) != got || string(f.Links.Site(i)) != u.site || string(f.Links.Rest(i)) != u.rest || string(f.Links.URL(i)) != u.site+u.rest {
			t.Errorf("link %d: %+v %s %s", i, f.Links.At(i), f.Links.Site(i), f.Links.Rest(i))
		}
	}
}

// TestRefs: what is no link is counted by its reason.
func TestRefs(t *testing.T) {
	f := gather(options(), home, webPage(`<a href=/a><a href=/a#b><a href=mailto:x><a href=tel:1><a href="http://a b/"><a href=http://u:p@h.example/>`+
		`<a href=/`+strings.Repeat("x", 3000)+`><link rel=stylesheet href=mailto:y>`))
	if want := [...]int{page.OK: 1, page.Fragment: 1, page.NotHTTP: 2, page.Malformed: 1, page.TooLong: 1, page.Credentials: 1}; f.Refs != want {
		t.Errorf("got %v, want %v", f.Refs, want)
	}
}

// TestTraps: the shapes of W27.
func TestTraps(t *testing.T) {
	for path, trap := range map[string]bool{
		"/": false, "/a/a/": false, "/a/a/a": true, "/a/b/a/c/a/": true, "/2011/11/11/": false,
		"/" + strings.Repeat("x/", 3): true, "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20": false,
		"/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21": true,
		"/s?a=1&a=1":                    false,
		"/s?a=1&a=1&a=1":                true,
		"/s?a[]=1&a[]=2&a[]=3&a[]=4":    false,
		"/s?a=1&b=2&a=1&b=2&a=1":        true,
		"/s?&&&&":                       false,
		"/s?x=/a/a/a/":                  false,
		"/s?" + strings.Repeat("x&", 3): true,
		"/s?" + many("x%d=", 64):        false,
		"/s?" + many("x%d=", 65):        true,
	} {
		want := event.NoBar
		if trap {
			want = event.BarTrap
		}
		if got := New(options()).Bar([]byte("http://site.example" + path)); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// TestPageFacts: title, type, validators, tags and sizes come through.
func TestPageFacts(t *testing.T) {
	a := answered(200, "<title>A \xe9 title</title><meta name=winnow content=noarchive><p>text", "Content-Type", "Text/HTML; charset=ISO-8859-1",
		"ETag", `"x"`, "Last-Modified", "Sat, 14 Mar 2026 11:00:00 GMT", "X-Robots-Tag", "otherbot: nofollow", "X-Robots-Tag", "noindex")
	f := gather(options(), home, a)
	if f.Title != "A é title" || f.Media != "text/html" || f.Charset != "windows-1252" || f.ETag != `"x"` || f.Modified != "Sat, 14 Mar 2026 11:00:00 GMT" ||
		f.Tags != robots.NoIndex|robots.NoArchive || f.Size != int64(len(a.Body)) || f.Status != 200 || f.Digest.IsZero() || f.SimHash == 0 {
		t.Errorf("found %+v", f)
	}
}

// TestQueryCharset: the query of a link on an old page goes out in its charset.
func TestQueryCharset(t *testing.T) {
	f := gather(options(), home, answered(200, "<a href='/s?q=\xe9'>", "Content-Type", "text/html; charset=iso-8859-1"))
	want(t, "links", show(&f.Links), "https://site.example/s?q=%E9 local\n")
	f = gather(options(), home, webPage("<a href='/s?q=é'>"))
	want(t, "links", show(&f.Links), "https://site.example/s?q=%C3%A9 local\n")
}

// TestRedirect: a redirect is a page with one link, or an error.
func TestRedirect(t *testing.T) {
	for _, test := range []struct {
		location, links string
		class           event.Class
		note            string
	}{
		{"/new", "https://site.example/new local\n", event.Redirect, ""},
		{"HTTP://Other.example:80", "http://other.example/\n", event.Redirect, ""},
		{"page.html?utm_source=a#b", "", event.HTTPError, "redirects to itself"},
		{"javascript:x", "", event.HTTPError, `redirects to "javascript:x": not http`},
		{"http://u@x.example/", "", event.HTTPError, `redirects to "http://u@x.example/": credentials`},
		{"/x.zip", "https://site.example/x.zip local type\n", event.Redirect, ""},
	} {
		a := answered(302, `<a href=/elsewhere>moved</a>`, "Location", test.location, "Content-Type", "text/html")
		f := gather(options(), home, a)
		want(t, test.location, show(&f.Links), test.links)
		if f.Class != test.class || f.Note != test.note || f.Status != 302 {
			t.Errorf("%s: %v %q", test.location, f.Class, f.Note)
		}
	}
}

// TestClasses: only pages have links; other classes come through or get worse.
func TestClasses(t *testing.T) {
	const page = `<!DOCTYPE html><title>t</title><a href=/x>y</a>`
	zipped := pressed(page)
	for _, test := range []struct {
		name   string
		status int
		body   string
		header []string
		class  event.Class
		links  int
		note   string
	}{
		{"html", 200, page, []string{"Content-Type", "text/html"}, event.OK, 1, ""},
		{"xhtml", 200, page, []string{"Content-Type", "application/xhtml+xml"}, event.OK, 1, ""},
		{"xhtml as xml", 200, `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><a href="/x"/></html>`, []string{"Content-Type", "text/xml"}, event.OK, 1, ""},
		{"no type", 200, page, nil, event.OK, 1, ""},
		{"no type, not html", 200, "%PDF-1.7 <a href=x>", nil, event.NotHTML, 0, ""},
		{"xml", 200, `<rss><a href="/x"/></rss>`, []string{"Content-Type", "application/xml"}, event.NotHTML, 0, ""},
		{"plain", 200, page, []string{"Content-Type", "text/plain"}, event.NotHTML, 0, ""},
		{"gzip", 200, zipped, []string{"Content-Type", "text/html", "Content-Encoding", "gzip"}, event.OK, 1, ""},
		{"unknown coding", 200, page, []string{"Content-Type", "text/html", "Content-Encoding", "rot13"}, event.NotHTML, 0, "rot13"},
		{"bomb", 200, pressed(strings.Repeat("<a href=/x>", 300_000)), []string{"Content-Type", "text/html", "Content-Encoding", "gzip"}, event.TooLarge, 0, "too much"},
		{"missing", 404, page, []string{"Content-Type", "text/html"}, event.HTTPError, 0, ""},
		{"busy", 503, page, []string{"Content-Type", "text/html"}, event.ServerError, 0, ""},
		{"unchanged", 304, "", nil, event.OK, 0, ""},
		{"empty", 200, "", []string{"Content-Type", "text/html"}, event.OK, 0, ""},
	} {
		f := gather(options(), home, answered(test.status, test.body, test.header...))
		if f.Class != test.class || f.Links.Len() != test.links || !strings.Contains(f.Note, test.note) || (f.Note == "") != (test.note == "") {
			t.Errorf("%s: %v, %d links, note %q", test.name, f.Class, f.Links.Len(), f.Note)
		}
	}
}

// TestCutCoding: the part of a compressed page that arrived counts.
func TestCutCoding(t *testing.T) {
	whole := pressed("<a href=/x>" + many("<p>%d", 5000))
	a := answered(200, whole[:len(whole)/2], "Content-Type", "text/html", "Content-Encoding", "gzip")
	f := gather(options(), home, a)
	if f.Class != event.OK || f.Note == "" || f.Links.Len() != 1 || f.Size == 0 {
		t.Errorf("%v, note %q, %d links, %d bytes", f.Class, f.Note, f.Links.Len(), f.Size)
	}
}

// TestManyLinks: the limit on links holds, and the set of links grows with them.
func TestManyLinks(t *testing.T) {
	o := options()
	f := gather(o, home, webPage(many("<a href=/%d>", 52_000)))
	if f.Links.Len() != 50_000 || f.Dropped != 2000 || f.Cut&page.CutLinks == 0 {
		t.Errorf("%d links, %d dropped, cut %b", f.Links.Len(), f.Dropped, f.Cut)
	}
	o.MaxLinks = 3
	if f = gather(o, home, webPage(many("<a href=/%d>", 5))); f.Links.Len() != 3 || f.Dropped != 2 {
		t.Errorf("%d links, %d dropped", f.Links.Len(), f.Dropped)
	}
}

// TestReuse: a gatherer and a Found that have seen other answers give what new ones give.
func TestReuse(t *testing.T) {
	answers := []struct {
		url  string
		html string
	}{
		{home, `<base href=/b/><meta name=robots content=nofollow><title>one</title><a href=1><a href=2>`},
		{"http://second.example/", many("<a href=/%d>", 300)},
		{home, `<a href=1>`},
		{home, ``},
	}
	g, f := New(options()), new(Found)
	for i, a := range answers {
		g.Page(a.url, webPage(a.html), noon, f)
		fresh := gather(options(), a.url, webPage(a.html))
		want(t, a.url, show(&f.Links), show(&fresh.Links))
		if f.Title != fresh.Title || f.Tags != fresh.Tags || f.Digest != fresh.Digest || f.Refs != fresh.Refs || !bytes.Equal(f.Records.Bytes, fresh.Records.Bytes) {
			t.Errorf("answer %d differs from that of a new gatherer", i)
		}
	}
	// What was found does not change with what is found next.
	first := new(Found)
	g.Page(home, webPage(`<title>t</title><a href=/first>`), noon, first)
	before, records := show(&first.Links), bytes.Clone(first.Records.Bytes)
	g.Page(home, webPage(`<title>u</title><a href=/other><a href=/more>`), noon, f)
	if show(&first.Links) != before || first.Title != "t" || !bytes.Equal(records, first.Records.Bytes) {
		t.Error("two Founds share memory")
	}
}

// pressed is text in gzip.
func pressed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}
