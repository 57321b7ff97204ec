package state

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Barred returns the reason not to request p, which would be handed out: the robots.txt of
// its site; a scope, a deny list or a limit of depth that has changed since p was found; a
// crawl that no longer visits pages again; similar names that are no pages; a trap. The
// scope does not apply to seeds, except that only sitemaps may count.
func (s *State) Barred(p graph.Page) event.Bar {
	if s.WasFetched(p) && !s.Recalled(p) && !s.Setup.recrawl {
		return event.BarScope
	}
	site, rest, ok := s.Read(p)
	if !ok || s.Setup.robots && !s.Robots.Of(site).Test(string(rest)).Allowed {
		return event.BarRobots
	}
	switch {
	case s.Scope == nil:
		return event.NoBar
	case s.has(p, listing):
		return event.BarType
	case s.IsSeed(p) && s.Scope.SitemapOnly() && !s.has(p, listed):
		return event.BarScope
	case s.IsSeed(p):
		return s.Scope.Denied(s.Table.Name(site), rest)
	}
	if bar := s.Scope.Judge(s.Table.Name(site), rest); bar != event.NoBar {
		return bar
	}
	switch {
	case s.Limits.Deep() && s.Limits.tooDeep(site, rest, s.Depth(p)):
		return event.BarDepth
	case s.HtmlOnly != nil && s.HtmlOnly(s.Table.Name(site)) && s.Kinds.NoPage(site, rest):
		return event.BarType
	}
	return s.Traps.judge(p)
}

// Depth returns the number of links from a seed to p, as limits count it: a page that a
// sitemap lists is no seed.
func (s *State) Depth(p graph.Page) int {
	if s.IsSeed(p) {
		return 0
	}
	return max(1, s.Frontier.Depth(p))
}

// Allowed reports whether the robots.txt of its site allows p.
func (s *State) Allowed(p graph.Page) bool {
	site, rest, ok := s.Read(p)
	return ok && s.Robots.Of(site).Test(string(rest)).Allowed
}

// denied returns BarDenied if the deny list forbids p. Then neither the address nor the
// robots.txt of its site is requested for it.
func (s *State) denied(p graph.Page) event.Bar {
	if s.Scope == nil || s.Scope.DenyList() == nil {
		return event.NoBar
	}
	site, rest, ok := s.Read(p)
	if !ok {
		return event.NoBar
	}
	return s.Scope.Denied(s.Table.Name(site), rest)
}

// DeniedHop reports whether the deny list forbids the URL to which a robots.txt moved.
func (s *State) DeniedHop(url string) bool {
	site, rest := page.Site([]byte(url))
	return s.Scope != nil && s.Scope.Denied(site, rest) != event.NoBar
}

// PackDeny returns a deny list as the journal has it: its text, deflated. An empty list is
// a list, too.
func PackDeny(rules *gather.Rules) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression) // the level is valid
	io.WriteString(w, rules.DenyText())                   // a buffer takes everything
	w.Close()
	return b.Bytes()
}

// maxDeny bounds the size of a deny list in a journal.
const maxDeny = 1 << 30

// UnpackDeny reads what PackDeny returned.
func UnpackDeny(b []byte) (*gather.Rules, error) {
	return gather.ParseDeny("the deny list in the journal", io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxDeny))
}
