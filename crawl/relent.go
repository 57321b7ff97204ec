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
	if q, _, _ := o.s.Like(r); q != graph.NoPage && o.s.Frontier.Site(q) == o.s.Frontier.Site(p) {
		return true
	}
	x, ok := o.s.Look(p)
	return ok && o.s.Guard.KnowsWords(&x, r.Facts.Change, r.Facts.Terms)
}

// relentEvery is after how many works held pages are looked at again.
const relentEvery = 256

// relent admits held pages for which something speaks by now. At the end, when nothing else
// is left, it goes on until there is nothing of the kind, and tries others then: what they
// bring decides about the rest.
func (o *owner) relent(now time.Duration, end bool) (some bool) {
	g := o.s.Guard
	if o.stopping != "" || !o.s.Traps {
		return false
	}
	free := g.Release(end, o.s.LookFree)
	trial := end && len(free) == 0
	if trial {
		free = g.Try(uint64(o.s.Requests[event.Fetch]), o.s.LookFree, o.s.EachTrapped)
	}
	if len(free) == 0 {
		return false
	}
	r := o.begin(event.Admitted, now)
	r.Event.Admit, r.Facts.Trial = append(r.Event.Admit, free...), trial
	for _, p := range free {
		o.s.Admit(o.s.Frontier.Site(p))
	}
	o.record()
	return true
}
