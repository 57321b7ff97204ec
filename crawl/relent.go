package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// knowsWords reports whether the words of the page of a record are known on its site.
func (o *outcomes) knowsWords(r *journal.Record) bool {
	p := r.Event.Page
	if q, _, _ := o.state.Like(r); q != graph.NoPage && o.state.Frontier.Site(q) == o.state.Frontier.Site(p) {
		return true
	}
	x, ok := o.state.Look(p)
	return ok && o.state.Guard.KnowsWords(&x, r.Facts.Change, r.Facts.Terms)
}

// relentEvery is after how many works held pages are looked at again.
const relentEvery = 256

// relent admits held pages for which something speaks by now. At the end, when nothing else
// is left, it goes on until there is nothing of the kind, and tries others then: what they
// bring decides about the rest.
func (a *admission) relent(now time.Duration, end bool) (some bool) {
	g := a.state.Guard
	if !a.state.Traps {
		return false
	}
	free := g.Release(end, a.state.LookFree)
	trial := end && len(free) == 0
	if trial {
		free = g.Try(uint64(a.state.Requests[event.Fetch]), a.state.LookFree, a.state.EachTrapped)
	}
	if len(free) == 0 {
		return false
	}
	r := a.begin(event.Admitted, now)
	r.Event.Admit, r.Facts.Trial = append(r.Event.Admit, free...), trial
	for _, p := range free {
		a.state.Admit(a.state.Frontier.Site(p))
	}
	a.record()
	return true
}
