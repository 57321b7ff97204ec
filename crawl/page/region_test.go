package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// regionCases are pages, and the regions of their links in order: c content, n navigation,
// f footer, o other.
var regionCases = []struct{ name, html, want string }{
	{"no region", `<p><a href=1>x</a><div><a href=2>y</a></div>`, "cc"},
	{"elements", `<nav><a href=1></a></nav><aside><a href=2></a></aside><menu><a href=3></a></menu><footer><a href=4></a></footer><a href=5></a>`, "nnnfc"},
	{"header of the page", `<header><a href=1></a></header><a href=2></a>`, "nc"},
	{"header and footer of an article", `<article><header><a href=1></a></header><footer><a href=2></a></footer></article><footer><a href=3></a></footer>`, "ccf"},
	{"header of main, of a section", `<main><header><a href=1></a></header></main><section><div class=footer><a href=2></a></div></section>`, "cc"},
	{"navigation of an article", `<article><nav><a href=1></a></nav><a href=2></a></article>`, "nc"},
	{"roles", `<div role=navigation><a href=1></a></div><div role="Banner"><a href=2></a></div><ul role=menu><a href=3></a></ul>` +
		`<div role=complementary><a href=4></a></div><div role=contentinfo><a href=5></a></div><div role=region><a href=6></a></div>`, "nnnnfc"},
	{"classes", `<div class="x navbar y"><a href=1></a></div><ul id=menu><a href=2></a></ul><ol class=breadcrumb><a href=3></a></ol>` +
		`<div class=Sidebar><a href=4></a></div><div id=header><a href=5></a></div><table class=toc><td><a href=6></a></table>` +
		`<div id=footer><a href=7></a></div><div class=copyright><a href=8></a></div><div class=text><a href=9></a></div>`, "nnnnnnffc"},
	{"parts of names", `<div id=main-nav><a href=1></a></div><div id=mainNav><a href=2></a></div><div class=nav_path><a href=3></a></div>` +
		`<div class=site-footer><a href=4></a></div><div id=sideBar><a href=5></a></div><div class=footer-links><a href=6></a></div>`, "nnnfnf"},
	{"names of something else", `<div class=has-sidebar><a href=1></a></div><div class=content-with-sidebar><a href=2></a></div>` +
		`<div class=card-header><a href=3></a></div><div class=modal-footer><a href=4></a></div><div class=unavigated><a href=5></a></div>` +
		`<div class=no-nav><a href=6></a></div><div class=navel><a href=7></a></div><div class=menu-open><a href=8></a></div>`, "cccccccc"},
	{"no name of an element that holds text", `<p class=nav><a href=1></a><span class=menu><a href=2></a>`, "cc"},
	{"the outermost decides", `<footer><nav><a href=1></a></nav><a href=2></a></footer><nav><div class=footer><a href=3></a></div></nav>`, "ffn"},
	{"equal elements inside", `<div class=nav><div><a href=1></a></div><div><div><a href=2></a></div></div><a href=3></a></div><a href=4></a>`, "nnnc"},
	{"other end tags inside", `<div class=nav></ul></p></span></td><a href=1></a></div><a href=2></a>`, "nc"},
	{"end tags in excess", `</div></nav></main></article><nav><a href=1></a></nav></nav></nav><a href=2></a><footer><a href=3></a>`, "ncf"},
	{"missing end tag before main", `<nav><a href=1></a><main><a href=2></a></main><a href=3></a>`, "ncc"},
	{"missing end tags", `<div class=nav><div><a href=1></a></div><a href=2></a>`, "nn"},
	{"cells", `<table><tr><td class=nav><a href=1></a><td><a href=2></a><td class=footer><a href=3></a></table><a href=4></a>`, "ncfc"},
	{"cells with tables", `<table><tr><td id=nav><table><td><a href=1></a></td><td><a href=2></a></table><a href=3></a></td><td><a href=4></a></td></table>`, "nnnc"},
	{"not in the body", `<link rel=next href=1><meta http-equiv=refresh content="0;url=2"><nav><link rel=prev href=3></nav>`, "ooo"},
	{"areas and frames", `<nav><map><area href=1></map><iframe src=2></iframe></nav><area href=3><frame src=4>`, "nncc"},
	{"first class wins over later ones", `<div class="nav footer"><a href=1></a></div>`, "n"},
	{"a name beyond the limit", `<div class="` + strings.Repeat("x ", 128) + `nav"><a href=1></a></div><div class=` + strings.Repeat("x", 40) + `-nav><a href=2></a></div>`, "cc"},
}

func TestRegions(t *testing.T) {
	s, p := NewScanner(ScanOptions{Anchors: true}), new(Page)
	off := NewScanner(ScanOptions{})
	for _, c := range regionCases {
		s.Scan([]byte(c.html), p)
		got := ""
		for _, l := range p.Links {
			got += l.Region.String()[:1]
		}
		if got != c.want {
			t.Errorf("%s: %q has %s, want %s", c.name, c.html, got, c.want)
		}
		off.Scan([]byte(c.html), p)
		if slices.ContainsFunc(p.Links, func(l Link) bool { return l.Region != event.Elsewhere }) {
			t.Errorf("%s: regions although they are off", c.name)
		}
	}
}

// Elements of any depth need no memory and no time of their own.
func TestDeepRegions(t *testing.T) {
	const depth = 300_000
	html := `<div class=nav>` + strings.Repeat("<div>", depth) + "<a href=1></a>" + strings.Repeat("</div>", depth) + "<a href=2></a></div><a href=3></a>"
	s, p := NewScanner(ScanOptions{Anchors: true}), new(Page)
	s.Scan([]byte(html), p)
	if len(p.Links) != 3 || p.Links[0].Region != event.Navigation || p.Links[1].Region != event.Navigation || p.Links[2].Region != event.Content {
		t.Errorf("%+v", p.Links)
	}
}

// wordsOf returns the hashes of words by the definition in docs/formats.md, literally.
func wordsOf(list ...string) (all event.Words) {
	for i, w := range list {
		h := uint32(2166136261)
		for _, c := range []byte(w) {
			h ^= uint32(c)
			h *= 16777619
		}
		if all[i] = uint16(h>>16 ^ h&0xffff); all[i] == 0 {
			all[i] = 1
		}
	}
	return all
}

func TestWords(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ html, want string }{
		{`<a href=1>About the Company</a>`, "about the company"},
		{`<a href=1>A b 2 go, GO; don't!</a>`, "go don"},
		{`<a href=1>one two three four five</a>`, "one two three four"},
		{`<a href=1>ÜBER Straße ΣΊΣΥΦΟΣ 日本 é</a>`, "über straße σίσυφοσ 日本"},
		{`<a href=1>e&#769;tude x&#769;</a>`, "e\u0301tude x\u0301"},
		{`<a href=1>py3 2026 v1.2</a>`, "py3 2026 v1"},
		{`<a href=1><img alt="Our Logo"></a>`, "our logo"},
		{`<a href=1><img alt="Our Logo"> home</a>`, "our logo home"},
		{`<a href=1 title="A Title &amp; More"><img src=x></a>`, "title more"},
		{`<a href=1 title="Title">text</a>`, "text"},
		{`<a href=1 title=old>x</a><a href=2>yes</a>`, ""},
		{`<area href=1 alt="north side">`, "north side"},
		{`<a href=1></a>`, ""},
		{`<a href=1>` + long + `</a>`, ""},
		{`<a href=1>one ` + long + `</a>`, "one"},
		{"<a href=1>a\xffb cd</a>", "cd"},
		{`<link rel=next href=1 title=hidden>`, ""},
	} {
		s, p := NewScanner(ScanOptions{Anchors: true}), new(Page)
		s.Scan([]byte(c.html), p)
		if got, want := p.Words(&p.Links[0]), wordsOf(strings.Fields(c.want)...); got != want {
			t.Errorf("%q: %x, want %x (%s)", c.html, got, want, c.want)
		}
	}
	if got := fmt.Sprintf("%04x", Words([]byte("Winnow the chaff"))); got != "[e5ef 0612 7ee2 0000]" {
		t.Errorf("hashes have changed: %s; journals hold them", got)
	}
}

// Words and regions need no memory.
func TestAnchorsAllocate(t *testing.T) {
	html := []byte(strings.Repeat(`<div class="nav x"><a href=1 title=y>some words</a><a href=2 title="more &amp; more"></a></div>`, 50))
	s, p := NewScanner(ScanOptions{Anchors: true}), new(Page)
	s.Scan(html, p)
	if n := testing.AllocsPerRun(10, func() {
		s.Scan(html, p)
		for i := range p.Links {
			p.Words(&p.Links[i])
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Every word that names a region passes the test by its letters.
func TestRegionLetters(t *testing.T) {
	for _, word := range strings.Fields(`nav navbar navigation menu menubar sidebar breadcrumb breadcrumbs toc pagination pager
		topnav subnav sidenav navheader navfooter sphinxsidebar header masthead footer colophon copyright`) {
		for _, name := range []string{word, strings.ToUpper(word), "main-" + word} {
			if nameRegion([]byte(name), false) == 0 {
				t.Errorf("%s names no region", name)
			}
		}
	}
	for _, name := range []string{"nav-xyz", "navbar-xyz", "breadcrumb-xyz", "breadcrumbs-xyz", "Footer-xyz"} {
		if nameRegion([]byte(name), false) == 0 {
			t.Errorf("%s names no region", name)
		}
	}
}
