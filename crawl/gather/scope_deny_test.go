package gather

import (
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// Sitemap files obey what is about sites and what excludes, not what chooses pages.
func TestJudgeFile(t *testing.T) {
	rules, err := ParseRules("rules", strings.NewReader("deny a.example/old/\nallow c.example\n"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := ParseDeny("deny", strings.NewReader("d.example\na.example/sm/9\n"))
	if err != nil {
		t.Fatal(err)
	}
	seeds := []string{"http://a.example/", "http://d.example/"}
	for _, test := range []struct {
		o    ScopeOptions
		url  string
		want event.Bar
	}{
		{ScopeOptions{}, "http://a.example/sitemap.xml", event.NoBar},
		{ScopeOptions{Include: []string{"/docs/"}}, "http://a.example/sitemap.xml", event.NoBar},
		{ScopeOptions{Kind: "regexp:/docs/"}, "http://a.example/sitemap.xml", event.NoBar},
		{ScopeOptions{Exclude: []string{"/sm/"}}, "http://a.example/sm/1.xml", event.BarExcluded},
		{ScopeOptions{Exclude: []string{"^http://a"}}, "http://a.example/sitemap.xml", event.BarExcluded},
		{ScopeOptions{Kind: "seeds", Seeds: seeds}, "https://www.a.example/sitemap.xml", event.NoBar},
		{ScopeOptions{Kind: "seeds", Seeds: seeds}, "http://b.example/sitemap.xml", event.BarScope},
		{ScopeOptions{Kind: "domain", Seeds: seeds}, "http://x.b.example/sitemap.xml", event.BarScope},
		{ScopeOptions{Kind: "seeds", Seeds: seeds, Rules: rules}, "http://c.example/sitemap.xml", event.NoBar},
		{ScopeOptions{Rules: rules}, "http://a.example/old/sitemap.xml", event.BarExcluded},
		{ScopeOptions{Deny: list}, "http://a.example/sm/9.xml", event.BarDenied},
		{ScopeOptions{Deny: list}, "http://x.d.example/sitemap.xml", event.BarDenied},
		{ScopeOptions{Kind: "seeds", Seeds: seeds, Deny: list}, "http://d.example/sitemap.xml", event.BarDenied},
	} {
		s, err := NewScope(test.o)
		if err != nil {
			t.Fatal(err)
		}
		site, rest := page.Site([]byte(test.url))
		if got := s.JudgeFile(site, rest); got != test.want {
			t.Errorf("%s under %+v: %v, want %v", test.url, test.o, got, test.want)
		}
	}
}

// A path denies pages, a host everything.
func TestDeniesSite(t *testing.T) {
	list, err := ParseDeny("deny", strings.NewReader("d.example\na.example/r\nb.example/\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := new(Scope)
	if s.DeniesSite([]byte("http://d.example")) || s.DenyList() != nil {
		t.Error("nothing is denied without a list")
	}
	s.SetDeny(list)
	for site, want := range map[string]bool{"http://d.example": true, "https://x.d.example:81": true, "http://a.example": false, "http://b.example": true, "http://c.example": false} {
		if got := s.DeniesSite([]byte(site)); got != want {
			t.Errorf("%s: %t", site, got)
		}
	}
}
