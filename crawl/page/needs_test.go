package page

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// needsIn returns what a page needs to be shown.
func needsIn(html string, most int) (list []string, dropped int) {
	var p Page
	NewScanner(ScanOptions{Needs: most}).Scan([]byte(html), &p)
	p.EachNeed(func(href []byte) { list = append(list, string(href)) })
	return list, p.NeedsDropped
}

func TestNeeds(t *testing.T) {
	for html, want := range map[string]string{
		`<img src=a.png><IMG SRC='b&amp;c.png'>`:                                                                          "a.png b&c.png",
		`<img srcset="a.png, b.png 2x,c.png 3x , d,e.png 100w">`:                                                          "a.png b.png c.png d,e.png",
		`<img src="" srcset=" , "><img alt=x>`:                                                                            "",
		`<picture><source srcset="a.webp 1x" type=image/webp><img src=a.png>`:                                             "a.webp a.png",
		`<video poster=p.jpg src=v.mp4><source src=v.webm><track src=s.vtt></video>`:                                      "v.mp4 p.jpg v.webm s.vtt",
		`<audio src=a.ogg></audio><embed src=e.svg><object data=o.svg></object>`:                                          "a.ogg e.svg o.svg",
		`<input type=image src=i.png><input type=text src=no.png>`:                                                        "i.png",
		`<script src=a.js></script><script>"<img src=no.png>"</script>`:                                                   "a.js",
		`<iframe src=f.html></iframe><frameset><frame src=g.html></frameset>`:                                             "f.html g.html",
		`<link rel=stylesheet href=a.css><link rel="alternate stylesheet" href=b.css>`:                                    "a.css b.css",
		`<link rel="SHORTCUT ICON" href=a.ico><link rel=preload as=font href=f.woff2>`:                                    "a.ico f.woff2",
		`<link rel=preload as=image href=a.png imagesrcset="b.png 2x">`:                                                   "a.png b.png",
		`<link rel=canonical href=no><link rel=next href=no><link rel=prefetch href=no><link rel=dns-prefetch href=//no>`: "",
		`<body background=a.png><td background=b.png><p background=no.png>`:                                               "a.png b.png",
		`<p style="background:url(&quot;a.png&quot;), url( b.png )">`:                                                     "a.png b.png",
		`<style>@import 'a.css'; p { background: url(b.png) }</style><img src=c>`:                                         "a.css b.png c",
		`<svg><use href="s.svg#x"/><image xlink:href=i.png /><use href="#own"/><style>p{fill:url(f.svg)}</style></svg>`:   "s.svg#x i.png f.svg",
		`<use href=no.svg><image href=no.png>`:                                                                            "",
		`<!-- <img src=no.png> --><textarea><img src=no.png></textarea><noscript><img src=yes.png></noscript>`:            "yes.png",
		`<img src=" a.png
		">`: "a.png",
		`<a href=no.html><img src=a.png></a><img src=#x>`: "a.png",
	} {
		if got, _ := needsIn(html, 100); strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", html, got, want)
		}
	}
	if got, dropped := needsIn(strings.Repeat("<img src=a>", 9), 5); len(got) != 5 || dropped != 4 {
		t.Errorf("%d kept, %d dropped", len(got), dropped)
	}
	if got, _ := needsIn("<img src=a>", 0); got != nil {
		t.Errorf("%q without being asked", got)
	}
}

// Looking for requisites changes nothing else that is found in a page.
func TestNeedsChangeNothing(t *testing.T) {
	parts := []string{"<p>", "word ", "<a href=x title=t role=navigation>", "</a>", "<div class=nav style='background:url(a)'>", "</div>", "<svg><style>a{}</style><a xlink:href=y>", "</svg>",
		"<img src=a alt=b>", "<script src=q>x</script>", "<style>p{}</style>", "<link rel=next href=n>", "<td background=z>", "<video poster=p>", "<nav id=menu>", "</nav>", "<base href=/b/>", "<!--", "-->", "<object data=d", "&amp;"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var html []byte
		for range r.IntN(40) {
			html = append(html, parts[r.IntN(len(parts))]...)
		}
		var with, without Page
		o := ScanOptions{SimHash: true, Anchors: true}
		NewScanner(o).Scan(html, &without)
		o.Needs = 10
		s := NewScanner(o)
		s.Scan(html, &with)
		if s.examined > 8*len(html)+64 {
			t.Fatalf("%d bytes were looked at %d times", len(html), s.examined)
		}
		for i, l := range with.Links {
			if string(with.Href(l)) != string(without.Href(without.Links[i])) || l.Region != without.Links[i].Region {
				t.Fatalf("link %d: %q, want %q", i, with.Href(l), without.Href(without.Links[i]))
			}
		}
		for _, p := range []*Page{&with, &without} {
			p.needs, p.store, p.NeedsDropped = nil, nil, 0
			p.Links = slices.Clone(p.Links)
			for i := range p.Links {
				p.Links[i].href, p.Links[i].text, p.Links[i].title = Span{}, Span{}, Span{}
			}
		}
		if !reflect.DeepEqual(&with, &without) {
			t.Fatalf("%s: %+v\nwithout %+v", html, with, without)
		}
	}
}

func TestEachCSSURL(t *testing.T) {
	for css, want := range map[string]string{
		`a { background: url(a.png) }`:                                             "a.png",
		`a { background: URL( "a b.png" ) , url('c.png')}`:                         "a b.png|c.png",
		`@import "a.css"; @import url(b.css) screen; @import 'c.css' layer("no");`: "a.css|b.css|c.css",
		`@IMPORT/**/"a.css";`:                                                      "a.css",
		`@namespace svg url(http://www.w3.org/2000/svg); a{b:url(c)}`:              "c",
		`@namespace "no"; @charset "no"; a::before{content:"no"}`:                  "",
		`/* url(no) */ a{b:url(/*c*/)}`:                                            "/*c*/",
		`/* url(no)`:                                                               "",
		`u\72l(a)`:                                                                 "a",
		`\75 rl(a\)b.png)`:                                                         "a)b.png",
		`a{b:url("a\
b.png")}`: "ab.png",
		`a{b:url(a\000062 c)}`: "abc",
		`a{b:url("no
)} c{d:url(e)}`: "e",
		`a{b:url(no no)} c{d:url(e)}`:                                                            "e",
		`a{b:url(no"no)} c{d:url(e)}`:                                                            "e",
		`@font-face{src:local("no"),url(f.woff2)format("woff2")}`:                                "f.woff2",
		`a{b:image-set("a.png" 1x, url(b.png) 2x, "c.avif" type("image/avif"))} c{content:"no"}`: "a.png|b.png|c.avif",
		`a{b:-webkit-image-set(url(a.png) 1x)}`:                                                  "a.png",
		`myurl(no) url-prefix(no) xurl (no)`:                                                     "",
		`a{b:url()} c{d:url("")}`:                                                                "",
		`a{b:url(data:image/png;base64,AA==)}`:                                                   "data:image/png;base64,AA==",
		`a{b:url(e`:                                                                              "e",
		`a{b:url("e`:                                                                             "e",
		`\`:                                                                                      "",
		`@import\`:                                                                               "",
	} {
		var got []string
		EachCSSURL([]byte(css), func(url []byte) { got = append(got, string(url)) })
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q, want %q", css, got, want)
		}
	}
}

// Any bytes end, and a style of the same kind takes as long as it is.
func FuzzEachCSSURL(f *testing.F) {
	f.Add([]byte(`@import "a"; a{b:url(c\64)} /*`))
	f.Fuzz(func(t *testing.T, css []byte) {
		n := 0
		EachCSSURL(css, func(url []byte) { n += len(url) })
		if n > 3*len(css) { // a character reference grows: \0 is U+FFFD
			t.Errorf("%d bytes of URLs in %d", n, len(css))
		}
	})
}
