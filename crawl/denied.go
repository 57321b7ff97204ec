package crawl

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
func (s *state) forbidden(p graph.Page) event.Bar {
	if s.scope == nil || s.scope.DenyList() == nil {
		return event.NoBar
	}
	site, rest, ok := s.read(p)
	if !ok {
		return event.NoBar
	}
	return s.scope.Denied(s.seen.Name(site), rest)
}

// fileBar is why a sitemap file is not to be asked for.
func (s *state) fileBar(rules robots.Rules, url string) event.Bar {
	site, rest := page.Site([]byte(url))
	switch {
	case s.set.robots && !rules.Test(string(rest)).Allowed:
		return event.BarRobots
	case s.scope == nil:
		return event.NoBar
	}
	return s.scope.JudgeFile(site, rest)
}

// wantedFiles cuts a list of sitemap files to those that may be asked for under rules.
func (s *state) wantedFiles(rules robots.Rules, files []string) []string {
	return slices.DeleteFunc(files, func(url string) bool { return s.fileBar(rules, url) != event.NoBar })
}

// deniedHop reports whether the deny list forbids the URL to which a robots.txt moved.
func (s *state) deniedHop(url string) bool {
	site, rest := page.Site([]byte(url))
	return s.scope != nil && s.scope.Denied(site, rest) != event.NoBar
}

// withdrawn takes over what is not to be asked for any more. The first of several files
// of one name may be under way, so the last goes.
func (s *state) withdrawn(r *journal.Record) {
	id := r.Event.Site
	if r.Event.Hop {
		delete(s.hops, id)
	}
	left := s.files[id]
	for _, url := range slices.Backward(r.Facts.Files) {
		for i := len(left) - 1; i >= 0; i-- {
			if left[i] == url {
				left = slices.Delete(left, i, i+1)
				s.waiting -= len(url)
				break
			}
		}
	}
	if s.files[id] = left; len(left) == 0 {
		delete(s.files, id)
	}
}

// packDeny is a deny list as the journal has it: its text, deflated. A list of nothing is
// a list, too.
func packDeny(rules *gather.Rules) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression) // the level is one
	io.WriteString(w, rules.DenyText())                   // a buffer takes everything
	w.Close()
	return b.Bytes()
}

// maxDeny bounds what a deny list in a journal may grow to.
const maxDeny = 1 << 30

// unpackDeny reads what packDeny wrote.
func unpackDeny(b []byte) (*gather.Rules, error) {
	return gather.ParseDeny("the deny list in the journal", io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxDeny))
}
