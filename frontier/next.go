package frontier

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
)

// Next hands out the best work there is at now. Without one it says when to ask again
// at the latest, Never if only an event can change that. It may have chosen a batch
// then, see Stirred. It says now when it has refused so many pages that the owner had
// better look at something else before it asks again: a site may have a million pages
// all of which are barred.
func (f *Frontier) Next(now time.Duration) (w event.Task, ask time.Duration, ok bool) {
	woke := f.wake(now)
	for refused := 0; refused < f.patience; refused++ {
		w, ok := f.candidate(now)
		if !ok {
			if f.stirred = f.stirred || woke; f.stirred {
				f.now = now // as the event Asked does
			}
			return event.Task{}, f.ask(), false
		}
		switch {
		case w.Kind == event.Fetch:
			if w, ok = f.fetch(now, w); !ok {
				continue
			}
		case f.spared(now, w):
			continue
		default:
			f.take(now, w)
		}
		f.stirred = false // a Took tells it all
		return w, 0, true
	}
	f.stirred = false // so does a Refused
	return event.Task{}, now, false
}

// patience is the most pages that one call of Next or More refuses, some milliseconds.
const patience = 1000

// candidate is the work to be done next, without its page if it is Fetch. On the way it
// chooses the next batch when it is time, and lets policies work before a page is
// chosen. Next and replay share it, so that both do the same between two hand-outs.
func (f *Frontier) candidate(now time.Duration) (w event.Task, ok bool) {
	if w, ok = f.nextHop(now); ok {
		return w, true
	}
	worked := f.o.Slice > 0 || len(f.workers) == 0
	for {
		b, s, ok := f.best()
		if !ok {
			if !f.nextBatch(now) {
				return event.Task{}, false
			}
			f.stirred = true
			continue
		}
		if w = f.needs(now, s); w.Kind != event.Fetch || worked {
			w.Board = uint8(b)
			return w, true
		}
		f.work() // values may have changed
		worked = true
	}
}

// More hands out the next page of a site that is kept after Done, to the same fetcher
// and at once. Without one, or when it has refused many, the site is released.
func (f *Frontier) More(now time.Duration, s graph.Site) (w event.Task, ok bool) {
	if f.place.At(int(s)) != kept {
		return event.Task{}, false
	}
	if f.o.Slice == 0 {
		f.work()
	}
	b := f.turn()
	for refused := 0; refused < f.patience && f.boards[b].active.Len(s) > 0; refused++ {
		if w, ok := f.fetch(now, event.Task{Kind: event.Fetch, Site: s, Board: uint8(b)}); ok {
			return w, true
		}
	}
	f.release(now, s, now)
	return event.Task{}, false
}

// turn is the board that serves the next hand-out.
func (f *Frontier) turn() int {
	if f.mixer != nil {
		return f.mixer.Turn()
	}
	return 0
}

// sitesOf is the queue that orders the sites for board b.
func (f *Frontier) sitesOf(b int) *queue.Queue {
	if f.order >= 0 {
		return f.boards[f.order].active
	}
	return f.boards[b].active
}

// best is the best site that may be asked now, and the board that says so.
func (f *Frontier) best() (b int, s graph.Site, ok bool) {
	b = f.turn()
	s, ok = f.sitesOf(b).Best()
	return b, s, ok
}

// needs is the work that s needs next, without its page if it is Fetch.
func (f *Frontier) needs(now time.Duration, s graph.Site) event.Task {
	at := f.rules.At(int(s))
	switch {
	case f.unresolved(now, s):
		return event.Task{Kind: event.Resolve, Site: s}
	case f.stage.At(int(s)) == unruled || at > 0 && at <= int64(now):
		return event.Task{Kind: event.Robots, Site: s, For: s}
	case f.wantsSitemap(s):
		return event.Task{Kind: event.Sitemap, Site: s}
	}
	return event.Task{Kind: event.Fetch, Site: s}
}

// unresolved reports whether the address of s must be asked for.
func (f *Frontier) unresolved(now time.Duration, s graph.Site) bool {
	at := f.names.At(int(s))
	return f.stage.At(int(s)) == unresolved || at > 0 && at <= int64(now)
}

// fetch hands out the best page of a site if it is allowed, and refuses it otherwise. w
// lacks the page.
func (f *Frontier) fetch(now time.Duration, w event.Task) (event.Task, bool) {
	w.Page, _ = f.boards[w.Board].active.First(w.Site)
	if bar := f.verdict(w.Page); bar != event.NoBar {
		f.turnDown(now, w.Page, bar)
		return event.Task{}, false
	}
	f.take(now, w)
	return w, true
}

// spared reports whether a work that a site needs before its best page is saved, because
// something speaks against that page. The robots.txt of another site is asked for
// whatever speaks against the pages of this one.
func (f *Frontier) spared(now time.Duration, w event.Task) bool {
	if w.Kind == event.Robots && w.For != w.Site {
		return false
	}
	p, ok := f.boards[w.Board].active.First(w.Site)
	if !ok {
		return false
	}
	bar := f.forbidden(w, p)
	if bar == event.NoBar {
		return false
	}
	f.turnDown(now, p, bar)
	return true
}

// forbidden is what speaks against the best page of a site that needs w before it.
func (f *Frontier) forbidden(w event.Task, p graph.Page) (bar event.Bar) {
	if f.o.Forbid != nil {
		bar = f.o.Forbid(p)
	}
	if bar == event.NoBar && f.o.Spare != nil && w.Kind != event.Sitemap && f.stage.At(int(w.Site)) != open {
		bar = f.o.Spare(p)
	}
	return bar
}

// turnDown refuses a page that would have been handed out.
func (f *Frontier) turnDown(now time.Duration, p graph.Page, bar event.Bar) {
	f.now = now
	f.refuse(p, bar)
	f.refused = append(f.refused, p)
}

// verdict is what speaks against a page that would be handed out.
func (f *Frontier) verdict(p graph.Page) event.Bar {
	switch {
	case f.o.Allowed != nil && !f.o.Allowed(p):
		return event.BarRobots
	case f.o.Barred != nil:
		return f.o.Barred(p)
	}
	return event.NoBar
}

// refuse takes a page out that is not to be handed out.
func (f *Frontier) refuse(p graph.Page, bar event.Bar) {
	f.drop(p, RefusedPage)
	if f.State(p) == RefusedPage {
		f.setBar(p, bar)
	}
}

// take hands out a work: its site is acquired, its page leaves the queues.
func (f *Frontier) take(now time.Duration, w event.Task) {
	f.now = now
	f.inVain = 0
	f.flying++
	if f.place.At(int(w.Site)) != kept {
		f.withdraw(w.Site, acquired)
		f.block(w.Site)
		if w.Kind != event.Resolve {
			f.enterAddress(now, w.Site)
		}
	}
	f.setPlace(w.Site, acquired)
	if w.Kind != event.Resolve {
		f.noteKind(w.Site, w.Kind)
	}
	if w.Kind != event.Fetch {
		return
	}
	f.leave(w.Page)
	if f.State(w.Page) == Fetched {
		f.setState(w.Page, Reacquired)
		f.countRevisits(-1)
	} else {
		f.setState(w.Page, Acquired)
	}
	for _, t := range f.takers {
		t.Taken(now, w.Page, int(w.Board))
	}
}

// work lets the policies finish what they have to do.
func (f *Frontier) work() {
	for _, w := range f.workers {
		for w.Work(math.MaxInt) {
		}
	}
}

// ask is the next instant at which something can be handed out without an event. Sites
// that wait without a page do not count, nor addresses for which no site waits.
func (f *Frontier) ask() time.Duration {
	at := f.due.first()
	if f.asked[0].ShutOut() > 0 || len(f.shutOut) > 0 {
		at = min(at, f.clocks.first())
	}
	if f.wants[waiting] > 0 {
		at = min(at, f.waits.first())
	}
	return at
}

// Counts says where pages and works are.
type Counts struct {
	Queued int // pages that wait in the queues, of the batch or not
	Due    int // pages that wait for an instant of their own
	Flying int // works handed out and not done
	Polite int // sites with pages to hand out that wait for their instant
	Parked int // sites with pages to hand out that wait for their address
	Pool   int // pages that wait for the next batch

	Held     int // sites with something to hand out that wait for Settle
	Blocked  int // sites with something to hand out whose twin is acquired
	Hops     int // sites whose robots.txt moved, and is to be asked for elsewhere
	Files    int // sitemap files to be fetched
	Slow     int // sites that are asked rarely because they are slow
	Revisits int // pages that came, and are to be fetched again
}

// Counts is the present numbers.
func (f *Frontier) Counts() Counts {
	return Counts{
		Queued: f.queued, Due: len(f.due) + f.yielding.pages, Flying: f.flying,
		Polite: f.wants[waiting], Parked: f.asked[0].ShutOut(), Pool: f.pooled(),
		Held: f.wants[held], Blocked: f.wants[blocked], Hops: len(f.target), Files: f.filesLeft,
		Slow: f.slowSites, Revisits: f.revisits,
	}
}
