package frontier

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// State is the state of a page.
type State uint8

// The states of pages; what has no id is unknown. There is room for 8.
const (
	Known State = iota
	Acquired
	Fetched
	Failed
	RefusedPage // see Bar
	Lost        // its record is lost: it has an id, and that is all
	Reacquired  // acquired, but it was fetched before
)

// A byte holds the state of a page in its lower bits, and above them its bar or, of a page
// that failed, its class.
const (
	stateBits = 3
	stateMask = 1<<stateBits - 1
)

var stateNames = [...]string{"known", "acquired", "fetched", "failed", "refused", "lost", "acquired again"}

func (s State) String() string { return stateNames[s] }

// State is the state of a known page.
func (f *Frontier) State(p graph.Page) State { return State(f.state.At(int(p)) & stateMask) }

// Bar is why a page was refused, NoBar if it was not.
func (f *Frontier) Bar(p graph.Page) event.Bar {
	if f.State(p) != RefusedPage {
		return event.NoBar
	}
	return event.Bar(f.state.At(int(p)) >> stateBits)
}

// FailedBy is how the last attempt at a page ended that failed, OK if it did not fail.
func (f *Frontier) FailedBy(p graph.Page) event.Class {
	if f.State(p) != Failed {
		return event.OK
	}
	return event.Class(f.state.At(int(p)) >> stateBits)
}

// setFailed lets p fail in a way.
func (f *Frontier) setFailed(p graph.Page, c event.Class) {
	f.putState(p, uint8(Failed)|uint8(c)<<stateBits)
}

// setState gives p a state. A bar that it had is gone.
func (f *Frontier) setState(p graph.Page, s State) { f.putState(p, uint8(s)) }

func (f *Frontier) setBar(p graph.Page, b event.Bar) {
	f.putState(p, uint8(RefusedPage)|uint8(b)<<stateBits)
}

// putState keeps the census.
func (f *Frontier) putState(p graph.Page, to uint8) {
	at := &f.state.Slice()[p]
	f.census[*at]--
	f.census[to]++
	*at = to
}

func (f *Frontier) seed(e *event.Event) {
	first := graph.Page(f.Pages())
	f.know(e, graph.NoPage)
	for _, s := range f.seeders {
		s.Seeded(first, graph.Page(f.Pages()))
	}
}

// know makes the new pages of an event known, and those that it admits known again.
func (f *Frontier) know(e *event.Event, from graph.Page) {
	depth := uint16(0)
	if from != graph.NoPage {
		depth = f.below(from)
	}
	for i, s := range e.New {
		bar := event.NoBar
		if len(e.Bars) > 0 {
			bar = e.Bars[i]
		}
		f.add(s, from, depth, bar)
	}
	f.admit(e.Admit, depth)
}

// add makes the next page known, in the site given. The policies hear of a barred page
// as of any other, since pages link to it, and at once that it will not be handed out.
func (f *Frontier) add(s graph.Site, from graph.Page, depth uint16, bar event.Bar) {
	if int(s) == f.Sites() {
		f.addSite()
	}
	p := graph.Page(f.Pages())
	f.state.Append(uint8(Known))
	f.census[Known]++
	f.from.Append(from)
	f.depth.Append(depth)
	for _, b := range f.boards {
		b.active.Page(p, s)
		if b.pool != nil {
			b.pool.Page(p, s)
		}
	}
	f.sites.pages.Slice()[s]++
	for _, o := range f.policies {
		o.Known(p, from)
	}
	if bar == event.NoBar {
		f.enter(p, s)
		return
	}
	f.setBar(p, bar)
	f.dropped(p)
}

// admit lets refused pages wait after all. All pages of the list are at most so many
// links away from a seed.
func (f *Frontier) admit(list []graph.Page, depth uint16) {
	for _, p := range list {
		refused := f.State(p) == RefusedPage
		if refused {
			f.setState(p, Known)
		}
		f.bringNearer(p, depth)
		if !refused {
			continue
		}
		f.returned(p)
		f.enter(p, f.Site(p))
	}
}

// retry lets pages wait again that failed, were refused, or came with what was not theirs.
// A site that was closed is asked again.
func (f *Frontier) retry(list []graph.Page) {
	for _, p := range list {
		s := f.Site(p)
		if f.stage.At(int(s)) == closed {
			f.reopen(s)
		}
		switch f.State(p) {
		case Failed, RefusedPage:
			f.setState(p, Known)
			f.returned(p)
			f.enter(p, s)
		case Fetched:
			f.callBack([]graph.Page{p})
		}
	}
}

// reopen lets a closed site be asked again, for everything.
func (f *Frontier) reopen(s graph.Site) {
	f.rules.Set(int(s), 0)
	if f.o.Resolve {
		f.setStage(s, unresolved)
		return
	}
	f.setStage(s, f.afterResolve())
}

// callBack lets pages that came wait again.
func (f *Frontier) callBack(list []graph.Page) {
	for _, p := range list {
		if f.State(p) == Fetched && !f.inQueue(p) {
			f.countRevisits(1)
			f.enter(p, f.Site(p))
		}
	}
}

// enter lets a page wait in the queues that is known or to be visited again, unless its
// site is closed.
func (f *Frontier) enter(p graph.Page, s graph.Site) {
	again := f.State(p) == Fetched
	switch closed := f.stage.At(int(s)) == closed; {
	case closed && again:
		f.countRevisits(-1)
		return
	case closed:
		f.setFailed(p, event.DNSError)
		f.dropped(p)
		return
	case again:
		f.returned(p)
	}
	f.queued++
	for _, b := range f.boards {
		q := b.active
		if b.pool != nil {
			q = b.pool
		}
		f.lower(q, p)
		q.Push(p)
	}
	if f.o.Mode == Continuous {
		f.gained(s)
	}
}

// inQueue reports whether p waits in the queues.
func (f *Frontier) inQueue(p graph.Page) bool {
	b := f.boards[0]
	return b.active.Waits(p) || b.pool != nil && b.pool.Waits(p)
}

// comeBack lets a page wait that is due, unless it waits already or is under way: on
// replay it may have been taken before its instant.
func (f *Frontier) comeBack(p graph.Page) {
	if s := f.State(p); (s == Known || s == Fetched) && !f.inQueue(p) {
		f.enter(p, f.Site(p))
	}
}

// leave takes a page out of the queues.
func (f *Frontier) leave(p graph.Page) {
	f.queued--
	if !f.boards[0].active.Waits(p) {
		for _, b := range f.boards {
			b.pool.Remove(p)
			f.raise(b.pool, p)
		}
		return
	}
	f.batch.left--
	for _, b := range f.boards {
		b.active.Remove(p)
		f.raise(b.active, p)
	}
	f.lost(f.Site(p))
}

// dropped tells the policies that p will not be handed out.
func (f *Frontier) dropped(p graph.Page) {
	for _, d := range f.drops {
		d.Dropped(p)
	}
}

// returned tells the policies that p, of which they heard that it is gone, waits again.
func (f *Frontier) returned(p graph.Page) {
	for _, a := range f.admitters {
		a.Admitted(p)
	}
}

// done is the end of an attempt at a page.
func (f *Frontier) done(now time.Duration, e *event.Event) {
	p, s := e.Page, f.Site(e.Page)
	first := f.State(p) == Acquired
	if !first && f.State(p) != Reacquired {
		panic(fmt.Sprintf("frontier: page %d is done, but it is %v", p, f.State(p)))
	}
	o := event.Outcome{Class: e.Class, Again: e.Again, Took: e.End - e.Start, Bytes: e.Bytes, First: graph.Page(f.Pages())}
	f.flying--
	f.unsettle(s)
	if e.Near {
		f.discountNew(len(e.New))
	} else if f.near > 0 {
		f.liftNear(e.Links)
	}
	f.know(e, p)
	if first && f.links != nil && len(e.Links) > 0 {
		f.links.add(p, e.Links)
	}
	f.reach(p, e.Links)
	f.settle(now, p, s, e)
	f.came(now, p, &o, e.Links, first)
	f.postpone(now, s, e)
	if !f.keeps(now, s, e) {
		f.release(now, s, e.End)
	}
}

// came tells the policies of the end of an attempt; of that of a page which came before
// only those that want to know.
func (f *Frontier) came(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page, first bool) {
	if !first {
		for _, q := range f.revisiters {
			q.Revisited(now, p, o, links)
		}
		return
	}
	for _, q := range f.policies {
		q.Came(now, p, o, links)
	}
}

// settle gives a page the state in which an attempt leaves it.
func (f *Frontier) settle(now time.Duration, p graph.Page, s graph.Site, e *event.Event) {
	switch {
	case e.Again && f.State(p) == Reacquired, !e.Again && !e.Class.Failed() && e.Due > 0:
		f.revisit(now, p, e.Due)
	case e.Again && e.Due > now:
		f.setState(p, Known)
		f.due.push(e.Due, uint32(p))
	case e.Again:
		f.setState(p, Known)
		f.enter(p, s)
	case e.Class.Failed():
		f.setFailed(p, e.Class)
	default:
		f.setState(p, Fetched)
	}
}

// revisit lets a page that came be fetched again at an instant. It stays fetched until it
// is handed out, and the links that are kept of it are those of its first visit: what
// policies made of them depends on them.
func (f *Frontier) revisit(now time.Duration, p graph.Page, at time.Duration) {
	f.setState(p, Fetched)
	f.countRevisits(1)
	if at > now {
		f.due.push(at, uint32(p))
	} else {
		f.enter(p, f.Site(p))
	}
}

// countRevisits keeps count. Where records are lost it may miss some, but it is never
// negative.
func (f *Frontier) countRevisits(n int) { f.revisits = max(0, f.revisits+n) }

// session voids what was under way: acquired pages wait again, which for the policies
// is an attempt that is to be made again, and no site is asked before its full delay
// has passed.
func (f *Frontier) session(now time.Duration) {
	f.flying, f.inVain = 0, 0
	again := event.Outcome{Again: true, First: graph.Page(f.Pages())}
	for i := range f.Pages() {
		switch p := graph.Page(i); f.State(p) {
		case Acquired:
			f.setState(p, Known)
			f.enter(p, f.Site(p))
			f.came(now, p, &again, nil, true)
		case Reacquired:
			f.revisit(now, p, now)
			f.came(now, p, &again, nil, false)
		}
	}
	f.hurry()
	f.restart(now)
}

// hurry lets pages that failed and wait for another try wait in the queues.
func (f *Frontier) hurry() {
	f.unyield()
	var later instants
	for _, d := range f.due { // in any order: both the heap and the queues have their own
		if p := graph.Page(d.id); f.State(p) == Known {
			f.comeBack(p)
		} else {
			later.push(d.at, d.id)
		}
	}
	f.due = later
}
