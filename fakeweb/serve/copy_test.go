package serve

import (
	"math/bits"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// words are what a reader sees of a page, and the elements it is made of: two pages with
// the same are duplicates (W20).
func wordsOf(t testing.TB, body string) (text, shape string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var b, s strings.Builder
	for n := range doc.Descendants() {
		switch n.Type {
		case html.TextNode:
			b.WriteString(n.Data)
		case html.ElementNode:
			s.WriteString(n.Data + " ")
		}
	}
	return b.String(), s.String()
}

func copyOptions() answer.Options {
	o := answer.Mixed()
	o.Copies = answer.CopyShares{Same: 0.4, Elsewhere: 0.3, Near: 0.6, Mirrors: 0.4}
	o.Traps = answer.Hostile().Traps
	o.MinSize, o.MaxSize = 5000, 20_000
	return o
}

// TestCopies: each copy has the text of its page and leads to the same pages; a near copy
// differs in the few words of its counter; a mirror has at least 80 % of equal pages.
func TestCopies(t *testing.T) {
	s := mustServe(t, smallWeb, copyOptions())
	seen := map[answer.Variant]int{}
	odd, near, far := 0, 0, 0
	for p := graph.Page(0); p < graph.Page(smallWeb.Pages); p += 3 {
		copies := s.Copies(p)
		if len(copies) == 0 {
			continue
		}
		page := askLong(s, p).Body.String()
		text, shape := wordsOf(t, page)
		checkCopyLinks(t, s, p, s.URL(p), answer.Original, page)
		for _, c := range copies {
			at, ok := s.Place(c.URL)
			if !ok || at.Kind != answer.KindCopy || at.Page != p || (at.Variant == answer.CopyNear) != c.Near {
				t.Fatalf("%s is %+v, want a copy of %d", c.URL, at, p)
			}
			w := ask(s, c.URL)
			got, elements := wordsOf(t, w.Body.String())
			if w.Code != 200 || elements != shape && !c.Odd {
				t.Fatalf("%s: %d", c.URL, w.Code)
			}
			v := at.Variant
			seen[v]++
			switch {
			case c.Odd:
				odd++
				if got == text {
					t.Errorf("%s is not odd at all", c.URL)
				}
			case c.Near:
				if got == text {
					t.Errorf("%s is an exact copy", c.URL)
				}
				if d := distance(text, got); d <= 3 {
					near++
				} else {
					far++
				}
			case got != text:
				t.Fatalf("%s differs from page %d", c.URL, p)
			}
			checkCopyLinks(t, s, p, c.URL, v, w.Body.String())
		}
	}
	if len(seen) != 7 || seen[answer.CopyMirror] < 60 || odd*5 > seen[answer.CopyMirror] || far*10 > near {
		t.Errorf("copies %v, %d odd, %d near within 3 bits, %d beyond", seen, odd, near, far)
	}
	t.Logf("copies %v, %d odd, %d near within 3 bits, %d beyond", seen, odd, near, far)
}

func distance(a, b string) int {
	return bits.OnesCount64(page.SimHash([]byte(a)) ^ page.SimHash([]byte(b)))
}

// placeOf is what a URL stands for.
func placeOf(t testing.TB, s *Server, link string) answer.Place {
	t.Helper()
	p, ok := s.Place(link)
	if !ok {
		t.Fatalf("%s: no such host", link)
	}
	return p
}

// checkCopyLinks: a copy links to what its page links to, on a mirror to the pages of the
// mirror; the permalink of a copy below /copy/ alone leads elsewhere.
func checkCopyLinks(t *testing.T, s *Server, p graph.Page, at string, v answer.Variant, body string) {
	t.Helper()
	got, links := hrefs(t, at, strings.NewReader(body)), s.Web().Links(nil, p)
	st := s.Web().SiteOf(p)
	for i, q := range links {
		want := s.URL(q)
		if v == answer.CopyMirror && s.Web().SiteOf(q) == st {
			want = s.SiteTruth(st).Mirror + strings.TrimPrefix(want, s.SiteTruth(st).Origin)
		}
		if got[i] != want {
			t.Fatalf("%s: link %d is %s, want %s", at, i, got[i], want)
		}
	}
	got = got[len(links):]
	if slices.ContainsFunc(s.Copies(p), func(c answer.Copy) bool { return strings.Contains(c.URL, "/copy/") }) {
		kind, want := placeOf(t, s, got[0]).Kind, answer.KindPage
		switch v {
		case answer.CopySlash:
			want = answer.KindHidden
		case answer.CopyMirror:
			want = answer.KindCopy
		}
		if kind != want {
			t.Fatalf("%s: permalink %s is a %v, want a %v", at, got[0], kind, want)
		}
		got = got[1:]
	}
	var want []string
	base, _ := url.Parse(s.URL(p))
	for _, u := range s.Beside(p) {
		to, err := base.Parse(u)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, to.String())
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s: links beside the graph %q, want %q", at, got, want)
	}
}
