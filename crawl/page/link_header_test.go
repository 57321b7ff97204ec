package page

import (
	"fmt"
	"strings"
	"testing"
)

func showHeaderLinks(list []HeaderLink) string {
	var b strings.Builder
	for _, l := range list {
		fmt.Fprintf(&b, "%s %#x;", l.Href, uint16(l.Rel))
	}
	return b.String()
}

func TestHeaderLinks(t *testing.T) {
	link := func(href string, rel Rel) HeaderLink { return HeaderLink{href, rel} }
	for _, c := range []struct {
		name   string
		values []string
		want   []HeaderLink
	}{
		{"one", []string{`<https://a.example/2>; rel="next"`}, []HeaderLink{link("https://a.example/2", RelNext)}},
		{"a token", []string{`</2>;rel=next`}, []HeaderLink{link("/2", RelNext)}},
		{"several in a value", []string{`</1>; rel=prev, </3>; rel=next ,, <c>;rel=canonical`},
			[]HeaderLink{link("/1", RelPrev), link("/3", RelNext), link("c", RelCanonical)}},
		{"several values", []string{`</1>; rel=prev`, `</3>; rel=next`}, []HeaderLink{link("/1", RelPrev), link("/3", RelNext)}},
		{"several words", []string{`</3>; rel="next last https://x.example/rel,a"`}, []HeaderLink{link("/3", RelNext|RelGuide)}},
		{"quoted marks", []string{`</a,b;c>; title="x; rel=prev, <y>; \"z\\"; REL="Next"`}, []HeaderLink{link("/a,b;c", RelNext)}},
		{"the first rel", []string{`</1>; rel=next; rel=canonical`}, []HeaderLink{link("/1", RelNext)}},
		{"an empty rel first", []string{`</1>; rel; rel=canonical`}, nil},
		{"spaces", []string{"\t < /1 > ;\trel = next\t; x"}, []HeaderLink{link(" /1 ", RelNext)}},
		{"an anchor", []string{`</1>; rel=next; anchor="#part", </2>; rel=next`}, []HeaderLink{link("/2", RelNext)}},
		{"alternates", []string{`</de>; rel=alternate; hreflang=de, </feed>; rel=alternate; type="application/rss+xml", </m>; rel=alternate; type="text/html; charset=utf-8"`},
			[]HeaderLink{link("/de", RelAlternate), link("/feed", RelAlternate|RelResource|RelFeed), link("/m", RelAlternate)}},
		{"parts", []string{`</s.css>; rel="preload stylesheet"; as=style`}, []HeaderLink{link("/s.css", RelResource|RelStylesheet)}},
		{"no relation", []string{`</1>, </2>; rev=next, </3>; rel=shortlink`}, nil},
		{"the page itself", []string{`<>; rel=canonical`}, nil},
		{"errors", []string{"", ",", "/1; rel=next", "</1; rel=next", `</1>; rel=next, /2; rel=next, </3>; rel=next`, `</4>; rel="next`, `</5>; rel="next\`, `</6>;rel=`},
			[]HeaderLink{link("/1", RelNext), link("/4", RelNext), link("/5", RelNext)}},
		{"rubbish", []string{`</1>; rel=next x </2>; rel=prev, </3>; rel="next" x, </4>; rel=next`}, []HeaderLink{link("/1", RelNext), link("/3", RelNext)}},
	} {
		if got, want := showHeaderLinks(HeaderLinks(c.values)), showHeaderLinks(c.want); got != want {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}

// FuzzHeaderLinks: whatever a header has, every target is a part of it, and there are not
// more links than opening brackets.
func FuzzHeaderLinks(f *testing.F) {
	f.Add(`</1>; rel="next prev"; title*=UTF-8''x, <2>;rel=canonical`)
	f.Add(`<a>;anchor;rel="\"\\`)
	f.Add(`<<>>;;;,=,"<x>;rel=next`)
	f.Fuzz(func(t *testing.T, value string) {
		list := HeaderLinks([]string{value, value})
		if len(list) > 2*strings.Count(value, "<") {
			t.Errorf("%q: %d links", value, len(list))
		}
		for _, l := range list {
			if l.Rel == 0 || l.Href == "" || !strings.Contains(value, "<"+l.Href+">") {
				t.Errorf("%q: %+v", value, l)
			}
		}
	})
}

// Many links and long parameters cost what they are long.
func TestHeaderLinksHostile(t *testing.T) {
	for _, c := range []struct {
		value string
		want  int
	}{
		{strings.Repeat("</1>;rel=next,", 70_000), 70_000},
		{strings.Repeat("<", 1<<20), 0},
		{"</1>" + strings.Repeat(";", 1<<20) + "rel=next", 1},
		{"</1>;rel=\"" + strings.Repeat(`\"`, 1<<19), 0},
		{"</1>;rel=\"" + strings.Repeat("next ", 1<<17), 1},
		{strings.Repeat(" ,", 1<<19), 0},
	} {
		if got := len(HeaderLinks([]string{c.value})); got != c.want {
			t.Errorf("%.20q: %d links, want %d", c.value, got, c.want)
		}
	}
}

// The head ends with its end tag, with the body, or with the first text.
func TestHead(t *testing.T) {
	const link = `<link rel=canonical href=/c>`
	for _, c := range []struct {
		html string
		want int
	}{
		{"<title>T</title>" + link, 1},
		{"<html><head>" + link + "</head><body>" + link, 1},
		{"<head><meta charset=utf-8><script>x</script><noscript><img src=x></noscript>\n" + link + "<body class=x>" + link, 1},
		{"<head></head>" + link, 0},
		{"<body>" + link, 0},
		{"<p>A comment" + link, 0},
		{"text" + link, 0},
		{link + link, 2},
	} {
		var p Page
		NewScanner(ScanOptions{}).Scan([]byte(c.html), &p)
		if p.Head != c.want {
			t.Errorf("%s: %d links in the head, want %d", c.html, p.Head, c.want)
		}
	}
}
