package gather

import (
	"fmt"
	"testing"
)

// targetsOf are the targets of a page with this HTML under a URL.
func targetsOf(t *testing.T, url, html string) (exact, alike, pictures uint32) {
	t.Helper()
	f := gather(&Options{}, url, webPage(html))
	return uint32(f.Targets >> 32), uint32(f.Targets), f.Pictures
}

// Two pages are the same only if their links lead to the same pages, however these are
// written, and their pictures are the same. What differs in ids alone is alike.
func TestTargets(t *testing.T) {
	const page = "http://a.example/d/p.html"
	link := func(u string) string { return fmt.Sprintf(`<a href="%s">x</a>`, u) }
	one := link("http://a.example/d/q.html?sid=0f3a9c21b7d4") + `<img src="/i.png">`
	exact, alike, pictures := targetsOf(t, page, one)
	for _, c := range []struct {
		name, url, html              string
		sameExact, sameAlike, images bool
	}{
		{"another place", "http://a.example/other/x", one, true, true, true},
		{"written otherwise", page, link("q.html?sid=0f3a9c21b7d4") + `<img src='/i.png' alt=x>`, true, true, true},
		{"another id", page, link("/d/q.html?sid=99aa77cc55ee") + `<img src="/i.png">`, false, true, true},
		{"another number", page, link("/d/q.html?sid=12") + `<img src="/i.png">`, false, false, true},
		{"another page", page, link("/d/r.html?sid=0f3a9c21b7d4") + `<img src="/i.png">`, false, false, true},
		{"another picture", page, link("q.html?sid=0f3a9c21b7d4") + `<img src="/j.png">`, false, false, false},
		{"no picture", page, link("q.html?sid=0f3a9c21b7d4"), false, false, false},
		{"a link more", page, one + link("/z"), false, false, true},
		{"the page itself", page, one + link("p.html"), false, false, true},
	} {
		e, a, p := targetsOf(t, c.url, c.html)
		if (e == exact) != c.sameExact || (a == alike) != c.sameAlike || (p == pictures) != c.images {
			t.Errorf("%s: the same %v, alike %v, pictures %v", c.name, e == exact, a == alike, p == pictures)
		}
	}
}

// A link to the page itself and the same link in its copy lead to one page. Pictures
// beside a page are others in another directory.
func TestTargetsOfCopies(t *testing.T) {
	self := `<a href="/p.html">top</a>`
	a, _, _ := targetsOf(t, "http://a.example/p.html", self)
	if b, _, _ := targetsOf(t, "http://a.example/p.html?print=1", self); a != b {
		t.Error("a copy links elsewhere than the page itself")
	}
	next := `<a href="next/">more</a>`
	a, _, _ = targetsOf(t, "http://a.example/x/", next)
	if b, _, _ := targetsOf(t, "http://a.example/x/next/", next); a == b {
		t.Error("relative links of two directories lead to one page")
	}
	a, x, p := targetsOf(t, "http://a.example/1/", `<img src="pic.png">`)
	if b, y, q := targetsOf(t, "http://a.example/2/", `<img src="pic.png">`); a == b || x == y || p == q {
		t.Error("pictures of two directories are one")
	}
	if b, _, _ := targetsOf(t, "http://a.example/1/index.html", `<img src="pic.png">`); a != b {
		t.Error("pictures of one directory are two")
	}
}
