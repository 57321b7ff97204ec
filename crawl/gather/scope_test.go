package gather

import (
	"strings"
	"sync"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

func mustScope(t *testing.T, o ScopeOptions) *Scope {
	t.Helper()
	s, err := NewScope(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustRules(t *testing.T, text string) *Rules {
	t.Helper()
	r, err := ParseRules("rules", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// judged is the verdict on a URL.
func judged(s *Scope, url string) event.Bar {
	return s.Judge(page.Site([]byte(url)))
}

// TestScopeKinds: the four kinds, each with what is inside and what is not.
func TestScopeKinds(t *testing.T) {
	seeds := []string{"https://www.example.org/start", "http://127.0.0.1:8080/", "https://a.github.io/"}
	for _, test := range []struct {
		kind    string
		in, out []string
	}{
		{"any", []string{"http://x.example/", "https://y.test/z?q"}, nil},
		{"", []string{"http://x.example/"}, nil},
		{"seeds",
			[]string{"https://www.example.org/", "http://www.example.org/x", "https://example.org/y", "http://127.0.0.1:8080/p", "https://127.0.0.1:8080/"},
			[]string{"https://sub.example.org/", "https://www.example.org:8443/", "http://127.0.0.1/", "https://b.github.io/", "https://www.www.example.org/"}},
		{"domain",
			[]string{"https://sub.example.org/", "http://example.org:8080/", "https://a.b.c.example.org/", "http://127.0.0.1/", "http://x.a.github.io/"},
			[]string{"https://badexample.org/", "https://org/", "https://b.github.io/", "https://github.io/", "http://127.0.0.2/"}},
		{`regexp:^https://[^/]+/docs/`,
			[]string{"https://any.example/docs/x"},
			[]string{"http://any.example/docs/x", "https://any.example/x/docs/"}},
	} {
		s := mustScope(t, ScopeOptions{Kind: test.kind, Seeds: seeds})
		for _, url := range test.in {
			if got := judged(s, url); got != event.NoBar {
				t.Errorf("%s: %s: %v", test.kind, url, got)
			}
		}
		for _, url := range test.out {
			if got := judged(s, url); got != event.BarScope {
				t.Errorf("%s: %s: %v, want it out of scope", test.kind, url, got)
			}
		}
	}
	// A public suffix as a seed is a site of its own, not of its customers.
	s := mustScope(t, ScopeOptions{Kind: "domain", Seeds: []string{"https://github.io/"}})
	if judged(s, "https://github.io/x") != event.NoBar || judged(s, "https://a.github.io/") != event.BarScope {
		t.Error("github.io speaks for its customers")
	}
}

// TestScopeOrder: deny list, rules, kind and patterns, in this order.
func TestScopeOrder(t *testing.T) {
	denied, err := ParseDeny("deny", strings.NewReader("evil.example\nexample.org/secret/\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := mustScope(t, ScopeOptions{
		Kind: "seeds", Seeds: []string{"https://example.org/"},
		Include: []string{`^https?://`}, Exclude: []string{`\.php`, `[?&]print=`},
		Rules: mustRules(t, "allow other.example\ndeny example.org/private/\nallow evil.example\nallow example.org/secret/"),
		Deny:  denied,
	})
	for url, want := range map[string]event.Bar{
		"https://example.org/":              event.NoBar,
		"https://example.org/secret/x":      event.BarDenied,
		"https://evil.example/":             event.BarDenied,
		"https://x.evil.example/":           event.BarDenied,
		"https://example.org/private/":      event.BarExcluded,
		"https://other.example/y":           event.NoBar,
		"https://other.example/y.php":       event.BarExcluded,
		"https://example.org/x?a=1&print=1": event.BarExcluded,
		"https://third.example/":            event.BarScope,
		"https://third.example/x.php":       event.BarScope,
	} {
		if got := judged(s, url); got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
	s.SetDeny(nil)
	if got := judged(s, "https://evil.example/"); got != event.NoBar {
		t.Errorf("after the deny list is gone: %v", got)
	}
	s = mustScope(t, ScopeOptions{Include: []string{"/docs/"}})
	if judged(s, "http://x.example/docs/") != event.NoBar || judged(s, "http://x.example/") != event.BarExcluded {
		t.Error("include does not include")
	}
}

// TestRules: the most specific rule decides, and comments, blanks and spellings are read.
func TestRules(t *testing.T) {
	s := mustScope(t, ScopeOptions{Rules: mustRules(t, "\ufeff# a file\n\n"+
		"deny *\n  allow\texample.org   # all of it\ndeny example.org/a\nallow example.org/a/b/\r\n"+
		"deny *.deep.example.org\nallow .x.deep.example.org/\nallow Bücher.example/käse\ndeny */login\nallow [2001:db8::1]\nallow example.org\n")})
	for url, in := range map[string]bool{
		"http://other.example/":                  false,
		"http://example.org/":                    true,
		"http://example.org:8080/":               true,
		"https://sub.example.org/x":              true,
		"http://example.org/abc":                 false,
		"http://example.org/a/b":                 false,
		"http://example.org/a/b/c":               true,
		"http://deep.example.org/":               false,
		"http://x.deep.example.org/y":            true,
		"http://notexample.org/":                 false,
		"http://xn--bcher-kva.example/":          false,
		"http://xn--bcher-kva.example/k%C3%A4se": true,
		"http://example.org/login":               true, // the longest host decides
		"http://[2001:db8::1]/":                  true,
		"http://[2001:db8::2]/":                  false,
	} {
		if got := judged(s, url); (got == event.NoBar) != in {
			t.Errorf("%s: %v", url, got)
		}
	}
}

// TestScopeErrors: what cannot be read is named, with file and line where there is one.
func TestScopeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"allow a.example\nblock b.example":    `f:2: "block": want allow or deny, then a host`,
		"deny":                                `f:1: "": there is no host`,
		"\n\ndeny http://a.example/":          `f:3: "http://a.example/": rules apply to http and https; write the host without a scheme`,
		"deny a.example:80":                   `f:1: "a.example:80": rules apply to all ports; leave the port out`,
		"deny a.example:8080":                 `f:1: "a.example:8080": rules apply to all ports; leave the port out`,
		"deny a.example b.example":            `f:1: "a.example b.example": want one host, perhaps with a path`,
		"deny a*.example":                     `f:1: "a*.example": no host and path that a URL can have`,
		"deny a.example\nallow a.example/":    `f:2: "a.example/" is both allowed and denied`,
		"deny u@a.example":                    `f:1: "u@a.example": no host and path`,
		"deny " + strings.Repeat("x", 70_000): `f: `,
	} {
		if _, err := ParseRules("f", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: error %v, want %s", text, err, want)
		}
	}
	for _, o := range []ScopeOptions{{Kind: "seed"}, {Kind: "regexp:("}, {Include: []string{"["}}, {Exclude: []string{"a", "["}}} {
		if _, err := NewScope(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// TestDenyWhileRunning: the deny list changes under those who judge (for the race
// detector), and each sees the old or the new one.
func TestDenyWhileRunning(t *testing.T) {
	s := mustScope(t, ScopeOptions{})
	list, err := ParseDeny("deny", strings.NewReader("a.example"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 1000 {
				if got := judged(s, "http://a.example/"); got != event.NoBar && got != event.BarDenied {
					t.Errorf("got %v", got)
				}
			}
		})
	}
	for i := range 1000 {
		s.SetDeny([]*Rules{nil, list}[i%2])
	}
	wg.Wait()
	if got := judged(s, "http://a.example/"); got != event.BarDenied {
		t.Errorf("at the end: %v", got)
	}
}

// TestScopeOfLinks: links are judged with the page's own site asked once, and so are
// those to others.
func TestScopeOfLinks(t *testing.T) {
	for _, kind := range []string{"seeds", "domain"} {
		o := options()
		o.Scope = mustScope(t, ScopeOptions{Kind: kind, Seeds: []string{"https://site.example/"}})
		f := gather(o, home, webPage(`<a href=/a><a href=http://other.example/>`))
		want(t, kind, show(&f.Links), "https://site.example/a local\nhttp://other.example/ scope\n")
		f = gather(o, "http://other.example/", webPage(`<a href=/a><a href=http://site.example/b>`))
		want(t, kind, show(&f.Links), "http://other.example/a local scope\nhttp://site.example/b\n")
	}
}
