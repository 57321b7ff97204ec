package crawl

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// The deny list, the scope and robots.txt hold for every request. Pages are judged when
// they would be handed out, and before anything is asked for their sake (forbidden). What
// has no page, a sitemap file and a robots.txt that moved, is judged when it becomes
// known, and again whenever one of the three changes: what is forbidden by then is
// withdrawn, and that is a record.

// flight is what is under way and must not be withdrawn: it was asked for before.
type flight struct {
	files map[graph.Site]bool // sites of which a sitemap file is being asked for
	hops  map[graph.Site]bool // sites whose robots.txt is being asked for, wherever
}

func newFlight() flight {
	return flight{files: map[graph.Site]bool{}, hops: map[graph.Site]bool{}}
}

// note remembers whether a work is under way.
func (f *flight) note(w event.Task, away bool) {
	switch {
	case w.Kind == event.Sitemap:
		set(f.files, w.Site, away)
	case w.Kind == event.Robots:
		set(f.hops, w.For, away)
	}
}

func set(m map[graph.Site]bool, s graph.Site, on bool) {
	if on {
		m[s] = true
	} else {
		delete(m, s)
	}
}

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

// readsSitemaps reports whether the sitemap files that the robots.txt of a site names are
// to be asked for: when it comes first and, where pages are visited again, whenever those
// of the last time were read.
func (o *owner) readsSitemaps(id graph.Site) bool {
	return o.c.Sitemaps && o.c.MaxDepth != 0 && (!o.s.namedFiles(id) || o.c.Recrawl.Duration > 0 && len(o.s.files[id]) == 0)
}

// deniedHop reports whether the deny list forbids the URL to which a robots.txt moved.
func (s *state) deniedHop(url string) bool {
	site, rest := page.Site([]byte(url))
	return s.scope != nil && s.scope.Denied(site, rest) != event.NoBar
}

// changeDeny takes over a deny list that was edited while the crawl runs.
func (o *owner) changeDeny(now time.Duration) {
	r := o.begin(event.Denied, now)
	r.Facts.Deny = packDeny(o.scope.DenyList())
	o.record()
	o.withdraw(now)
}

// withdraw takes back everything that is forbidden by now.
func (o *owner) withdraw(now time.Duration) {
	for _, id := range slices.Sorted(maps.Keys(o.s.files)) {
		o.withdrawFiles(now, id)
	}
	var gone []graph.Site
	o.s.f.Hops(func(of, at graph.Site) {
		if h, ok := o.s.hopAt(of, at); !o.flight.hops[of] && (o.scope.DeniesSite(o.s.seen.Name(at)) || ok && o.s.deniedHop(h.URL)) {
			gone = append(gone, of)
		}
	})
	for _, id := range gone {
		r := o.begin(event.Withdrawn, now)
		r.Event.Site, r.Event.Hop = id, true
		o.record()
	}
}

// withdrawFiles takes back the sitemap files of a site that are forbidden by now. The
// first is not one of them if it is being asked for.
func (o *owner) withdrawFiles(now time.Duration, id graph.Site) {
	files, rules := o.s.files[id], o.s.rulesOf(id)
	if o.flight.files[id] && len(files) > 0 {
		files = files[1:]
	}
	var gone []string
	for _, url := range files {
		if o.s.fileBar(rules, url) != event.NoBar {
			gone = append(gone, url)
		}
	}
	if len(gone) == 0 {
		return
	}
	r := o.begin(event.Withdrawn, now)
	r.Event.Site, r.Event.Files, r.Facts.Files = id, uint32(len(gone)), gone
	o.record()
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
