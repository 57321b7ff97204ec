package gather

import (
	"fmt"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/page"
)

// headed is a page with Link headers.
func headed(html string, values ...string) (header []string, body string) {
	header = []string{"Content-Type", "text/html; charset=utf-8"}
	for _, v := range values {
		header = append(header, "Link", v)
	}
	return header, html
}

// Links of headers come first. They are relative to the page and not to its base element,
// and parts of a page are none of them.
func TestHeaderLinks(t *testing.T) {
	header, body := headed(`<base href=/base/><a href=x>x</a><link rel=up href=/up><link rel=icon href=/i>`,
		`<2>; rel=next, </s.css>; rel=preload; as=style, <https://cdn.example>; rel=preconnect`,
		`</feed>; rel=alternate; type="application/atom+xml", </de/>; rel=alternate; hreflang=de`,
		`</manual/>; rel=index, <page.html>; rel=canonical, <mailto:a@b.example>; rel=next, </x>; rel="alternate stylesheet"`)
	f := gather(options(), home, answered(200, body, header...))
	want(t, "links", show(&f.Links), "https://site.example/dir/2 local\nhttps://site.example/de/ local\nhttps://site.example/manual/ local\n"+
		"https://site.example/base/x local\nhttps://site.example/up local\n")
	if !f.Canonical.Self || f.Refs[page.NotHTTP] != 1 {
		t.Errorf("canonical %+v, refs %v", f.Canonical, f.Refs)
	}
	header, body = headed(`<meta name=robots content=nofollow>`, `<2>; rel=next`)
	f = gather(options(), home, answered(200, body, header...))
	want(t, "links", show(&f.Links), "https://site.example/dir/2 local nofollow\n")
}

// A page names its canonical page by a header or in its head. Another site, contradictions
// and what people write on the page do not count.
func TestCanonical(t *testing.T) {
	link := func(href string) string { return fmt.Sprintf(`<link rel=canonical href="%s">`, href) }
	for _, c := range []struct {
		name, url, html, header string
		want, spare             string // URL of the canonical page, "" for none
	}{
		{"an element", "/a?ref=1", link("/a"), "", "/a", "ref=1"},
		{"a header", "/a?ref=1", "", "</a>; rel=canonical", "/a", "ref=1"},
		{"both", "/a?ref=1", link("http://s.example/a"), "</a>; rel=canonical", "/a", "ref=1"},
		{"twice", "/a?ref=1", link("/a") + link("a"), "", "/a", "ref=1"},
		{"itself", "/a", link("/a#top"), "", "/a", ""},
		{"another path", "/p?id=5", link("/title"), "", "/title", ""},
		{"a base", "/a?x=1", "<base href=/dir/>" + link("a"), "", "/dir/a", ""},
		{"some parameters", "/a?x=1&b=2&y=3", link("/a?b=2"), "", "/a?b=2", "x=1&y=3"},
		{"another value", "/a?x=1", link("/a?x=2"), "", "/a?x=2", ""},
		{"another order", "/a?x=1&y=2&z=3", link("/a?y=2&x=1"), "", "/a?y=2&x=1", ""},
		{"many parameters", "/a?a&b&c&d&e", link("/a"), "", "/a", ""},
		{"a contradiction", "/a?ref=1", link("/a") + link("/b") + link("/a"), "", "", ""},
		{"a contradiction of the header", "/a?ref=1", link("/a"), "</b>; rel=canonical", "", ""},
		{"the body", "/a?ref=1", "<body>" + link("/a"), "", "", ""},
		{"another site", "/a?ref=1", link("http://t.example/a"), "", "", ""},
		{"another scheme", "/a?ref=1", link("https://s.example/a"), "", "", ""},
		{"no URL", "/a?ref=1", link("http://"), "<javascript:x>; rel=canonical", "", ""},
		{"none", "/a?ref=1", "", "</a>; rel=next", "", ""},
	} {
		header, body := headed(c.html, c.header)
		f := gather(options(), "http://s.example"+c.url, answered(200, body, header...))
		site, hash := key.Site([]byte("http://s.example")), uint64(0)
		if c.want != "" {
			hash = key.Page(site, []byte(c.want))
		}
		if got := f.Canonical; got.Hash != hash || string(got.Spare) != c.spare || got.Self != (c.want == c.url) {
			t.Errorf("%s: %+v %q, want %q and %q", c.name, got, got.Spare, c.want, c.spare)
		}
	}
}

// The targets of a page are those of its canonical page if its own parameters are all that
// is between them.
func TestTargetsCanonical(t *testing.T) {
	const html = `<link rel=canonical href=/a><a href="/b">b</a><a href="/c?x=1">c</a><img src=/i.png>`
	plain, alike, _ := targetsOf(t, "http://s.example/a", html)
	for _, c := range []struct {
		name, url, html string
		want            bool
	}{
		{"carried on", "/a?ref=1", `<link rel=canonical href=/a><a href="/b?ref=1">b</a><a href="/c?x=1&ref=1">c</a><img src=/i.png>`, true},
		{"not carried on", "/a?ref=1", html, true},
		{"another value", "/a?ref=1", `<link rel=canonical href=/a><a href="/b?ref=2">b</a><a href="/c?x=1">c</a><img src=/i.png>`, false},
		{"another canonical page", "/a?ref=1", `<link rel=canonical href=/z><a href="/b?ref=1">b</a><a href="/c?x=1&ref=1">c</a><img src=/i.png>`, false},
		{"another picture", "/a?ref=1", `<link rel=canonical href=/a><a href="/b?ref=1">b</a><a href="/c?x=1&ref=1">c</a><img src=/j.png>`, false},
	} {
		e, a, _ := targetsOf(t, "http://s.example"+c.url, c.html)
		if (e == plain) != c.want || (a == alike) != c.want {
			t.Errorf("%s: the same %v, alike %v", c.name, e == plain, a == alike)
		}
	}
}
