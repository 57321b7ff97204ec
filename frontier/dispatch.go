package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A dispatcher chooses the next task and hands it out.
type dispatcher struct {
	parts
	batches  batches
	floor    floor
	flying   int          // tasks handed out and not done
	refused  []graph.Page // since Refusals was last called
	patience int          // of one call of Next or More: see patience
	refusals int          // on replay: refusals so far of one call of More
	polled   bool         // next changed something and handed out nothing
	differs  int          // see Differs
}

// patience is the largest number of pages that one call of Next or More refuses. That
// takes some milliseconds.
const patience = 1000

// next implements Frontier.Next.
func (x *dispatcher) next(now time.Duration) (w event.Task, ask time.Duration, ok bool) {
	woke := x.pages.wake(now)
	for range x.patience {
		w, ok := x.candidate(now)
		withheld := ok && x.floor.withholds(now, w, x.flying == 0)
		if !ok || withheld {
			if x.polled = x.polled || woke; x.polled {
				x.sites.now = now // as the event Polled does
			}
			at := x.wakeAt()
			if withheld {
				at = min(at, x.floor.lifted())
			}
			return event.Task{}, at, false
		}
		switch {
		case w.Kind == event.Fetch:
			if w, ok = x.fetch(now, w); !ok {
				continue
			}
		case x.spared(now, w):
			continue
		default:
			x.take(now, w)
		}
		x.polled = false // the event Took implies it
		return w, 0, true
	}
	x.polled = false // so does Refused
	return event.Task{}, now, false
}

// candidate returns the next task. Its page is missing if it is Fetch. If it is time,
// candidate chooses the next batch, and it lets policies work before a page is chosen.
// Replay uses it too, so that the same happens there between two hand-outs.
func (x *dispatcher) candidate(now time.Duration) (w event.Task, ok bool) {
	if w, ok = x.sites.nextHop(now); ok {
		return w, true
	}
	if x.onlyRequisites() {
		return x.requisite(now)
	}
	if x.sites.requisites.turn() {
		if w, ok = x.requisite(now); ok {
			return w, true
		}
	}
	worked := x.o.Slice > 0 || len(x.policies.workers) == 0
	for first := true; ; first = false {
		board, s, ok := x.orders.best()
		if !ok {
			due, chosen := x.batches.next(now, x.flying-x.sites.requisites.flying, first && x.idle(now))
			x.polled = x.polled || due
			if !chosen {
				return x.requisite(now)
			}
			continue
		}
		if w = x.sites.needs(now, s); w.Kind != event.Fetch || worked {
			w.Board = board
			return w, true
		}
		x.policies.finish() // values may have changed
		worked = true
	}
}

// idle reports whether nothing is under way or held for a commit, and no site of the batch may
// be requested for longer than BatchWait.
func (x *dispatcher) idle(now time.Duration) bool {
	return x.o.BatchWait > 0 && x.flying == 0 && x.sites.wants[held] == 0 && x.wakeAt()-now > x.o.BatchWait
}

// more implements Frontier.More.
func (x *dispatcher) more(now time.Duration, s graph.Site) (w event.Task, ok bool) {
	if x.sites.place.At(int(s)) != kept {
		return event.Task{}, false
	}
	w = x.another(s)
	for refused := 0; refused < x.patience && x.orders.len(s) > 0; refused++ {
		if w, ok := x.fetch(now, w); ok {
			return w, true
		}
	}
	x.sites.release(now, s, now)
	return event.Task{}, false
}

// continues implements Frontier.Continues.
func (x *dispatcher) continues(s graph.Site) bool {
	if !x.floor.on() || !x.floor.set {
		return true
	}
	board, _ := x.orders.turn()
	return !x.floor.below(event.Task{Kind: event.Fetch, Site: s, Board: uint8(board)})
}

// another returns the task to fetch another page of a kept site, without the page.
func (x *dispatcher) another(s graph.Site) event.Task {
	if x.o.Slice == 0 {
		x.policies.finish()
	}
	board, _ := x.orders.turn()
	return event.Task{Kind: event.Fetch, Site: s, Board: uint8(board)}
}

// fetch hands out the best page of a site if it is allowed, and refuses it otherwise.
func (x *dispatcher) fetch(now time.Duration, w event.Task) (event.Task, bool) {
	w.Page, _ = x.orders.first(w.Board, w.Site)
	if bar := x.o.verdict(w.Page); bar != event.NoBar {
		x.refuse(now, w.Page, bar)
		return event.Task{}, false
	}
	x.take(now, w)
	return w, true
}

// spared reports whether the task w, which a site needs before its best page, is not
// necessary because that page is barred. The page is refused then. A robots.txt that moved
// here is fetched even if the pages of this site are barred, and so is what requisites need.
func (x *dispatcher) spared(now time.Duration, w event.Task) bool {
	if w.Kind == event.Robots && w.For != w.Site || x.sites.requisites.wait(w.Site) {
		return false
	}
	p, ok := x.orders.first(w.Board, w.Site)
	if !ok {
		return false
	}
	bar := x.o.forbidden(p, w.Kind != event.Sitemap && !x.sites.in(w.Site, open))
	if bar == event.NoBar {
		return false
	}
	x.refuse(now, p, bar)
	return true
}

// refuse refuses a page that would have been handed out.
func (x *dispatcher) refuse(now time.Duration, p graph.Page, bar event.Bar) {
	x.sites.now = now
	x.pages.refuse(p, bar)
	x.refused = append(x.refused, p)
}

// take hands out a task: its site is acquired, its page leaves the queues.
func (x *dispatcher) take(now time.Duration, w event.Task) {
	x.sites.now = now
	x.refusals = 0
	x.flying++
	x.sites.take(now, w)
	x.sites.requisites.took(now, w)
	if w.Kind == event.Fetch {
		x.pages.take(w.Page)
		x.floor.took(now)
		x.policies.taken(now, w.Page, int(w.Board), x.orders.siteTurn())
	}
}

// wakeAt returns the next instant at which something can be handed out without an event.
// Waiting sites without pages do not count, nor do addresses for which no site waits.
func (x *dispatcher) wakeAt() time.Duration {
	at := x.pages.due.first()
	if x.orders.shutOut() || len(x.sites.hops.shutOut) > 0 {
		at = min(at, x.sites.addresses.waits.first())
	}
	if x.sites.wants[waiting] > 0 || x.batches.starved() {
		at = min(at, x.sites.waits.first())
	}
	return at
}

// The journal holds the decisions of Next and More as events Took, Refused and Polled. On
// replay they are forced, even if the present code or policy would decide otherwise, and
// decisions that differ are counted. Before each one, the same happens as before the
// decision: sites wake, batches are chosen, policies work.

// took forces a task that was handed out. Its board may be one that the present policy does
// not have, because the crawl had another policy then: the first one takes its place.
func (x *dispatcher) took(now time.Duration, w event.Task) {
	if x.o.Partitions > 1 && x.turns() > 1 && int(w.Board) < x.orders.pageBoards() {
		x.orders.lead = int(w.Board) + 1 // whose turn it was, other partitions have decided, too
		defer func() { x.orders.lead = 0 }()
	}
	if c, ok := x.choice(now, w.Site); !ok || !sameTask(c, w) {
		// When no page was to be handed out any more, only requisites were.
		if c, ok = x.requisite(now); !ok || !sameTask(c, w) {
			x.differs++
		}
	}
	if at := x.sites.place.At(int(w.Site)); at == waiting || at == blocked || at == held {
		x.sites.offer(w.Site) // wake skips its entry in waits
	}
	if w.Kind == event.Fetch {
		x.pages.comeBack(w.Page)
	}
	if int(w.Board) >= x.orders.pageBoards() {
		w.Board = 0
	}
	x.take(now, w)
}

// sameTask reports whether two tasks are the same, on whatever boards. The driver numbers
// requisites.
func sameTask(a, b event.Task) bool {
	return a.Kind == b.Kind && a.Site == b.Site && a.For == b.For && (a.Page == b.Page || a.Kind == event.Requisite)
}

// refusal forces a refusal.
func (x *dispatcher) refusal(now time.Duration, p graph.Page, bar event.Bar) {
	s := x.orders.site(p)
	if c, ok := x.choice(now, s); !ok || c.Site != s || c.Kind == event.Fetch && c.Page != p {
		x.differs++
	}
	x.pages.comeBack(p)
	if bar == event.NoBar {
		bar = event.BarRobots
	}
	x.pages.refuse(p, bar)
	if x.sites.place.At(int(s)) != kept {
		return
	}
	// More releases the site when it has no page left, or gives up after a series of
	// refusals. A Took ends the series.
	if x.refusals++; x.orders.len(s) == 0 || x.refusals == x.patience {
		x.refusals = 0
		x.sites.release(now, s, now)
	}
}

// nothing repeats a call of Next that handed out nothing.
func (x *dispatcher) nothing(now time.Duration) {
	if _, ok := x.candidate(now); ok && x.o.WaitForBetter == 0 && x.o.Partitions == 0 {
		x.differs++
	}
}

// choice returns what would be handed out now: by More if s is kept, by Next otherwise.
func (x *dispatcher) choice(now time.Duration, s graph.Site) (w event.Task, ok bool) {
	if x.sites.place.At(int(s)) == kept {
		w, ok = x.another(s), true
	} else {
		w, ok = x.candidate(now)
	}
	x.polled = false
	if ok && w.Kind == event.Fetch {
		w.Page, ok = x.orders.first(w.Board, w.Site)
	}
	return w, ok
}
