package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// knowsWords reports whether the words of the page of a record are known on its site.
func (o *owner) knowsWords(r *journal.Record) bool {
	p := r.Event.Page
	if q, _, _ := o.s.like(r); q != graph.NoPage && o.s.f.Site(q) == o.s.f.Site(p) {
		return true
	}
	x, ok := o.s.look(p)
	return ok && o.s.guard.KnowsWords(&x, r.Facts.Change, r.Facts.Terms)
}

// relentEvery is after how many works held pages are looked at again.
const relentEvery = 256

// relent admits held pages for which something speaks by now. At the end, when nothing else
// is left, it goes on until there is nothing of the kind, and tries others then: what they
// bring decides about the rest.
func (o *owner) relent(now time.Duration, end bool) (some bool) {
	g := o.s.guard
	if o.stopping != "" || !o.s.traps {
		return false
	}
	free := g.Release(end, o.s.lookFree)
	trial := end && len(free) == 0
	if trial {
		free = g.Try(uint64(o.s.requests[event.Fetch]), o.s.lookFree, o.s.eachTrapped)
	}
	if len(free) == 0 {
		return false
	}
	r := o.begin(event.Admitted, now)
	r.Event.Admit, r.Facts.Trial = append(r.Event.Admit, free...), trial
	for _, p := range free {
		o.s.sites.admit(o.s.f.Site(p))
	}
	o.record()
	return true
}
