package state

import (
	"bytes"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// forbidden is what the deny list says against p: nothing is asked for its sake, neither
// the address nor the robots.txt of its site.
func (s *State) forbidden(p graph.Page) event.Bar {
	if s.Scope == nil || s.Scope.DenyList() == nil {
		return event.NoBar
	}
	site, rest, ok := s.Read(p)
	if !ok {
		return event.NoBar
	}
	return s.Scope.Denied(s.Table.Name(site), rest)
}

// FileBar is why a sitemap file is not to be asked for.
func (s *State) FileBar(rules robots.Rules, url string) event.Bar {
	site, rest := page.Site([]byte(url))
	switch {
	case s.Setup.robots && !rules.Test(string(rest)).Allowed:
		return event.BarRobots
	case s.Scope == nil:
		return event.NoBar
	}
	return s.Scope.JudgeFile(site, rest)
}

// WantedFiles cuts a list of sitemap files to those that may be asked for under rules.
func (s *State) WantedFiles(rules robots.Rules, files []string) []string {
	return slices.DeleteFunc(files, func(url string) bool { return s.FileBar(rules, url) != event.NoBar })
}

// DeniedHop reports whether the deny list forbids the URL to which a robots.txt moved.
func (s *State) DeniedHop(url string) bool {
	site, rest := page.Site([]byte(url))
	return s.Scope != nil && s.Scope.Denied(site, rest) != event.NoBar
}

// withdrawn takes over what is not to be asked for any more. The first of several files
// of one name may be under way, so the last goes.
func (s *State) withdrawn(r *journal.Record) {
	id := r.Event.Site
	if r.Event.Hop {
		delete(s.hops, id)
	}
	left := s.Files[id]
	for _, url := range slices.Backward(r.Facts.Files) {
		for i := len(left) - 1; i >= 0; i-- {
			if left[i] == url {
				left = slices.Delete(left, i, i+1)
				s.Waiting -= len(url)
				break
			}
		}
	}
	if s.Files[id] = left; len(left) == 0 {
		delete(s.Files, id)
	}
}

// PackDeny is a deny list as the journal has it: its text, deflated. A list of nothing is
// a list, too.
func PackDeny(rules *gather.Rules) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression) // the level is one
	io.WriteString(w, rules.DenyText())                   // a buffer takes everything
	w.Close()
	return b.Bytes()
}

// maxDeny bounds what a deny list in a journal may grow to.
const maxDeny = 1 << 30

// UnpackDeny reads what packDeny wrote.
func UnpackDeny(b []byte) (*gather.Rules, error) {
	return gather.ParseDeny("the deny list in the journal", io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxDeny))
}
