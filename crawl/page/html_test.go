package page

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// traps are pages in which known scanners lose or invent links (dependencies.md,
// section 2, and WHATWG 13.2.5). links are hrefs and anchors in their order.
var traps = []struct{ name, html, links string }{
	{"attribute: legacy reference before =", `<a href="?a=1&copy=2">x</a>`, "?a=1&copy=2 x"},
	{"attribute: legacy reference before letter", `<a href="?a=1&copyright">x</a>`, "?a=1&copyright x"},
	{"attribute: legacy reference before digit", `<a href="?a=1&lt2">x</a>`, "?a=1&lt2 x"},
	{"attribute: terminated", `<a href="?a&copy;=2">x</a>`, "?a©=2 x"},
	{"attribute: legacy reference at the end", `<a href="?a&copy">x</a>`, "?a© x"},
	{"attribute: legacy reference before &", `<a href="?a&copy&b">x</a>`, "?a©&b x"},
	{"attribute: amp", `<a href="?a=1&amp;b=2&amp;amp;">x</a>`, "?a=1&b=2&amp; x"},
	{"attribute: prefix of a name", `<a href="?notit&notit;">x</a>`, "?notit&notit; x"},
	{"attribute: new names need a semicolon", `<a href="?a&hellip&hellip;">x</a>`, "?a&hellip… x"},
	{"attribute: numbers", `<a href="&#47;a&#x2Fb&#x2fc">x</a>`, "/a˻˼ x"},
	{"attribute: numbers without end", `<a href="&#47-&#x2F-&#-&#x-&#0;">x</a>`, "/-/-&#-&#x-\uFFFD x"},
	{"attribute: number of windows-1252", `<a href="&#150;">x</a>`, "– x"},
	{"attribute: too large", `<a href="&#x110000;&#99999999999999999999;&#xd800;">x</a>`, "\uFFFD\uFFFD\uFFFD x"},
	{"attribute: two characters", `<a href="&nGt;&fjlig;&semi;">x</a>`, "≫⃒fj; x"},
	{"attribute: NUL", "<a href=\"a\x00b\">x</a>", "a\uFFFDb x"},
	{"attribute: line ends", "<a href=\"a\r\nb\rc\">x</a>", "a\nb\nc x"},
	{"attribute: slash before it", `<a/href=y>x</a>`, "y x"},
	{"attribute: slash is part of an unquoted value", `<a href=/y/>x</a>`, "/y/ x"},
	{"attribute: unquoted", `<a href=y title=z>x</a>`, "y x"},
	{"attribute: unquoted with quotes", `<a href=y"z'>x</a>`, `y"z' x`},
	{"attribute: no space between", `<a title="t"href="y">x</a>`, "y x"},
	{"attribute: space around =", "<a href\n = \t'y'>x</a>", "y x"},
	{"attribute: first wins", `<a href=1 HREF=2 href=3>x</a>`, "1 x"},
	{"attribute: = begins a name", `<a =href=y href=z>x</a>`, "z x"},
	{"attribute: two =", `<a href==y>x</a>`, "=y x"},
	{"attribute: without value", `<a href>x</a>`, " x"},
	{"attribute: missing value", `<a href=>x</a>`, " x"},
	{"attribute: > inside quotes", `<a title=">" href='>'>x</a>`, "> x"},
	{"attribute: NUL in the name", "<a hr\x00ef=1 href=2>x</a>", "2 x"},
	{"attribute: upper case", `<A HREF=Y>x</A>`, "Y x"},
	{"attribute: other name that begins alike", `<a hrefx=1 hre=2>x</a>`, ""},
	{"tag: other name that begins alike", `<ab href=1>x</ab><a-b href=2>`, ""},
	{"tag: NUL in the name", "<a\x00 href=1>x</a>", ""},
	{"tag: control byte is no digit", "<h\x11><a href=1>x</a>", "1 x"},
	{"tag: end tag with attributes", `<a href=1>x</a title=">">y`, "1 x"},
	{"tag: < before no letter is text", `<a href=1>1 < 2 <3 <</a>`, "1 1 < 2 <3 <"},
	{"comment: plain", `<!-- <a href=1>x</a> --><a href=2>y</a>`, "2 y"},
	{"comment: <!-->", `<!--><a href=1>x</a>-->`, "1 x"},
	{"comment: <!--->", `<!---><a href=1>x</a>-->`, "1 x"},
	{"comment: --!>", `<!-- --!><a href=1>x</a>`, "1 x"},
	{"comment: --!> may not use the opening dashes", `<!--!><a href=1>x</a>-->`, ""},
	{"comment: <!---!>", `<!---!><a href=1>x</a>-->`, ""},
	{"comment: dashes", `<!------><a href=1>x</a>`, "1 x"},
	{"comment: -- > does not end", `<!-- -- > <a href=1>x</a> --><a href=2>y</a>`, "2 y"},
	{"comment: bogus", `<!a "><a href=1>x</a><?b "><a href=2>y</a></ c "><a href=3>z</a>`, "1 x|2 y|3 z"},
	{"comment: empty ones", `<!><a href=1>x</a></><a href=2>y</a><?><a href=3>z</a>`, "1 x|2 y|3 z"},
	{"comment: doctype", `<!DOCTYPE html "><a href=1>x</a>`, "1 x"},
	{"comment: CDATA in HTML", `<![CDATA[> <a href=1>x</a>]]>`, "1 x"},
	{"comment: CDATA in svg", `<svg><![CDATA[<a href=1>x</a>]]></svg><a href=2>y</a>`, "2 y"},
	{"comment: CDATA after svg", `<svg/><math></math><![CDATA[> <a href=1>x</a>]]>`, "1 x"},
	{"comment: CDATA after unclosed svg", `<svg><p><![CDATA[> <a href=1>x</a>]]>`, "1 x"},
	{"raw: noscript is markup", `<noscript><a href=1>x</a></noscript>`, "1 x"},
	{"raw: script", `<script><a href=1></a></script><a href=2>y</a>`, "2 y"},
	{"raw: end tag in other case, with space", "<script><a href=1></SCRIPT\n><a href=2>y</a>", "2 y"},
	{"raw: end tag that only begins alike", `<script></scripts><a href=1></script><a href=2>y</a>`, "2 y"},
	{"raw: script in a comment in a script", `<script><!-- <script> </script> <a href=1> --></script><a href=2>y</a>`, "2 y"},
	{"raw: escaped but not double", `<script><!-- </script><a href=1>x</a> -->`, "1 x"},
	{"raw: double escape ends", `<script><!-- <script></script></script><a href=1>x</a>`, "1 x"},
	{"raw: double escape ended by -->", `<script><!-- <script> --></script><a href=1>x</a>`, "1 x"},
	{"raw: <!--> is over at once", `<script><!--><script></script><a href=1>x</a>`, "1 x"},
	{"raw: lone < stays escaped", `<script><!-- < <script></script> <a href=1> --></script><a href=2>y</a>`, "2 y"},
	{"raw: style", `<style><a href=1></style><a href=2>y</a>`, "2 y"},
	{"raw: textarea and title", `<title><a href=1></title><textarea><a href=2></textarea><a href=3>z</a>`, "3 z"},
	{"raw: comment does not hide an end tag", `<title><!--</title><a href=1>x</a>-->`, "1 x"},
	{"raw: xmp", `<xmp><a href=1></xmp><a href=2>y</a>`, "2 y"},
	{"raw: iframe", `<iframe><a href=1></iframe><a href=2>y</a>`, "2 y"},
	{"raw: noembed, noframes", `<noembed><a href=1></noembed><noframes><a href=2></noframes><a href=3>z</a>`, "3 z"},
	{"raw: plaintext", `<a href=1>x</a><plaintext><a href=2></plaintext><a href=3>`, "1 x"},
	{"raw: none in svg", `<svg><style><a href=1>x</a></style><title/><script/></svg><a href=2>y</a>`, "1 x|2 y"},
	{"raw: again in foreignObject", `<svg><foreignObject><style><a href=1></style></foreignObject><a xlink:href=2>y</a></svg>`, "2 y"},
	{"svg and math have links", `<svg><a xlink:href=1>x</a></svg><math><a href=2>y</a></math>`, "1 x|2 y"},
	{"xlink:href only in svg", `<a xlink:href=1>x</a>`, ""},
	{"template", `<template><a href=1>x</a></template>`, "1 x"},
	{"anchor: folded", "<a href=1> \n one\t<b>t</b>wo <br> three </a>", "1 one two\nthree"},
	{"anchor: space outside the tag", "x<a href=1> y </a>z", "1 y"},
	{"anchor: image", `<a href=1>a<img alt=" b  c ">d</a><img alt=e>`, "1 a b c d"},
	{"anchor: no script", `<a href=1>a<script>b</script>c</a>`, "1 ac"},
	{"anchor: next a ends it", `<a href=1>x<a href=2>y</a>z</a>`, "1 x|2 y"},
	{"anchor: a without href ends it", `<a href=1>x<a name=n>y</a>`, "1 x"},
	{"anchor: end of the page ends it", `<a href=1>x`, "1 x"},
	{"anchor: references", `<a href=1>&lt;&ampx;&copy 2&nbsp;</a>`, "1 <&x;© 2\u00a0"},
	{"anchor: NUL", "<a href=1>a\x00b</a>", "1 ab"},
	{"end in a tag", `<a href=1>x</a><a href=2`, "1 x"},
	{"end in a quoted value", `<a href=1>x</a><a href="2>y</a>`, "1 x"},
	{"end in an end tag", `<a href=1>x</a`, "1 x"},
	{"end after </", `<a href=1>x</`, "1 x</"},
	{"end in a comment", `<a href=1>x</a><!-- <a href=2>`, "1 x"},
	{"end in a script", `<a href=1>x</a><script><a href=2>`, "1 x"},
}

func TestScanTraps(t *testing.T) {
	s, p := NewScanner(ScanOptions{}), new(Page)
	for _, c := range traps {
		s.Scan([]byte(c.html), p)
		var got []string
		for _, l := range p.Links {
			got = append(got, fmt.Sprintf("%s %s", p.Href(l), p.Anchor(l)))
		}
		if g := strings.Join(got, "|"); g != c.links {
			t.Errorf("%s: %q\n got %q\nwant %q", c.name, c.html, g, c.links)
		}
	}
}

// TestEndInEveryState: every beginning of every trap must end the scan well and agree with the
// reference: the end of the page in every state.
func TestEndInEveryState(t *testing.T) {
	for _, c := range traps {
		for n := range len(c.html) {
			if page := []byte(c.html[:n]); comparable(page) {
				if d := differ(page); d != "" {
					t.Errorf("%s: %s", c.name, d)
				}
			}
		}
	}
}

func TestScanArticle(t *testing.T) {
	s, p := NewScanner(ScanOptions{Agent: "Winnow"}), new(Page)
	s.Scan(testPages(t)["article.html"], p)
	want := []string{
		"2 0080 style.css ", "2 0008 /tools/sieves ", "2 0040 /fr/outils?a=1&b=2 ",
		"0 0005 baskets?kind=round&copy=2#top round baskets", "0 0000 a.html The first one",
		"0 0000 b.html second", "0 0000 c.html third", "0 0000 /plain Without scripts", "3 0000 frame.html ", "1 0000 north North side",
	}
	var got []string
	for _, l := range p.Links {
		got = append(got, fmt.Sprintf("%d %04x %s %s", l.Kind, uint16(l.Rel), p.Href(l), p.Anchor(l)))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("links\n got %q\nwant %q", got, want)
	}
	for _, f := range []struct{ name, got, want string }{
		{"title", string(p.Title), "Sieves & winnowing baskets – a short history"},
		{"base", string(p.Base), "https://grain.example/tools/"},
		{"text", string(p.Text), "Sieves\nA sieve keeps what is large; see round baskets.\nThe first one\nsecond and third\n1\n2\n3\n4\nWithout scripts\nNotes\nx < y"},
	} {
		if f.got != f.want {
			t.Errorf("%s: got %q, want %q", f.name, f.got, f.want)
		}
	}
	if got := string(bytes.Join(p.Robots, []byte("|"))); got != "noarchive|NOFOLLOW, max-snippet:5" || p.Refresh != -1 || p.Cut != 0 {
		t.Errorf("robots %q, refresh %d, cut %b", p.Robots, p.Refresh, p.Cut)
	}
}

// Anchor returns the anchor text of a link, white space folded as in Text.
func (p *Page) Anchor(l Link) []byte {
	if l.Kind == KindAnchor {
		return p.Text[l.text.Start:l.text.End]
	}
	return p.store[l.text.Start:l.text.End]
}
