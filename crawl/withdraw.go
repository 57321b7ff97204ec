package crawl

import (
	"maps"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
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

// readsSitemaps reports whether the sitemap files that the robots.txt of a site names are
// to be asked for: when it comes first and, where pages are visited again, whenever those
// of the last time were read.
func (o *owner) readsSitemaps(id graph.Site) bool {
	return o.c.Sitemaps && o.c.MaxDepth != 0 && (!o.s.Sitemaps.Named(id) || o.c.Recrawl.Duration > 0 && len(o.s.Sitemaps.Files[id]) == 0)
}

// changeDeny takes over a deny list that was edited while the crawl runs.
func (o *owner) changeDeny(now time.Duration) {
	r := o.begin(event.Denied, now)
	r.Facts.Deny = state.PackDeny(o.scope.DenyList())
	o.record()
	o.withdraw(now)
}

// withdraw takes back everything that is forbidden by now.
func (o *owner) withdraw(now time.Duration) {
	for _, id := range slices.Sorted(maps.Keys(o.s.Sitemaps.Files)) {
		o.withdrawFiles(now, id)
	}
	var gone []graph.Site
	o.s.Frontier.Hops(func(of, at graph.Site) {
		if h, ok := o.s.Robots.HopAt(of, at); !o.flight.hops[of] && (o.scope.DeniesSite(o.s.Table.Name(at)) || ok && o.s.DeniedHop(h.URL)) {
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
	files, rules := o.s.Sitemaps.Files[id], o.s.Robots.Of(id)
	if o.flight.files[id] && len(files) > 0 {
		files = files[1:]
	}
	var gone []string
	for _, url := range files {
		if o.s.FileBar(rules, url) != event.NoBar {
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
