package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// State is the state of a page.
type State uint8

// The states of pages. There is room for 8.
const (
	Known State = iota
	Acquired
	Fetched
	Failed
	RefusedPage // see Bar
	Lost        // its record is lost; only its id is known
	Reacquired  // acquired, but it was fetched before
)

// A byte holds the state of a page in its lower bits. Above them are the bar of a
// refused page and the class of a failed one.
const (
	stateBits = 3
	stateMask = 1<<stateBits - 1
)

var stateNames = [...]string{"known", "acquired", "fetched", "failed", "refused", "lost", "acquired again"}

func (s State) String() string { return stateNames[s] }

// pages holds the states of the pages and lets them wait: in the queues, or for an
// instant of their own. All columns are by page.
type pages struct {
	o        *Options
	orders   *orders
	sites    *sites
	policies *policies
	state    *graph.Column[uint8]      // see stateBits
	from     *graph.Column[graph.Page] // the page that linked to it first
	depths
	exchange *exchange // nil if there is one partition

	census   [256]int64 // pages by what the column of states holds
	due      instants   // pages that wait for an instant of their own
	yielding yielding   // pages that let others go first after their instant
	queued   int        // pages in the queues
	inBatch  int        // pages of the batch that wait to be handed out; has no meaning in mode Continuous
	revisits int        // fetched pages that are to be fetched again
}

// len returns the number of known pages.
func (x *pages) len() int { return x.state.Len() }

func (x *pages) stateOf(p graph.Page) State { return State(x.state.At(int(p)) & stateMask) }

// detail returns what is above the state of p if that is s, and 0 otherwise.
func (x *pages) detail(p graph.Page, s State) uint8 {
	if x.stateOf(p) != s {
		return 0
	}
	return x.state.At(int(p)) >> stateBits
}

func (x *pages) bar(p graph.Page) event.Bar { return event.Bar(x.detail(p, RefusedPage)) }

// setState sets the state of p, without a bar or a class.
func (x *pages) setState(p graph.Page, s State) { x.put(p, s, 0) }

func (x *pages) setBar(p graph.Page, b event.Bar) { x.put(p, RefusedPage, uint8(b)) }

func (x *pages) setFailed(p graph.Page, c event.Class) { x.put(p, Failed, uint8(c)) }

// put changes the state of p and the census.
func (x *pages) put(p graph.Page, s State, detail uint8) {
	at := &x.state.Slice()[p]
	x.census[*at]--
	*at = uint8(s) | detail<<stateBits
	x.census[*at]++
}

// recount makes the census after the states were loaded.
func (x *pages) recount() {
	x.census = [256]int64{}
	for _, b := range x.state.Slice() {
		x.census[b]++
	}
}

// know makes the new pages of an event known, and admits others.
func (x *pages) know(e *event.Event, from graph.Page) {
	depth := uint16(0)
	if from != graph.NoPage {
		depth = x.below(from)
	}
	for i, s := range e.New {
		bar := event.NoBar
		if len(e.Bars) > 0 {
			bar = e.Bars[i]
		}
		x.add(s, from, depth, bar)
	}
	x.admit(e.Admit, depth)
}

// add makes the next page known as one of site s. The policies hear of a barred page too,
// because pages link to it, and at once that it is dropped.
func (x *pages) add(s graph.Site, from graph.Page, depth uint16, bar event.Bar) {
	if int(s) == x.sites.len() {
		x.sites.add()
	}
	p := graph.Page(x.len())
	x.state.Append(uint8(Known))
	x.census[Known]++
	x.from.Append(from)
	x.depth.Append(depth)
	x.links.known(p)
	x.orders.addPage(p, s)
	x.sites.clocks.pages.Slice()[s]++
	for _, q := range x.policies.all {
		q.Known(p, from)
	}
	if bar == event.NoBar {
		x.enter(p, s)
		return
	}
	x.setBar(p, bar)
	x.policies.dropped(p)
	x.note(p, 0)
}

// admit lets refused pages wait after all. All pages of the list are at most depth links
// away from a seed. For those of other partitions, that means that their partition is told.
func (x *pages) admit(list []graph.Page, depth uint16) {
	for _, p := range list {
		refused := x.stateOf(p) == RefusedPage
		if refused && x.exchange.foreign(x.orders.site(p)) {
			x.setBar(p, event.BarForeign)
			x.bringNearer(p, depth)
			x.note(p, 0)
			continue
		}
		if refused {
			x.setState(p, Known)
		}
		x.bringNearer(p, depth)
		if refused {
			x.policies.admitted(p)
			x.enter(p, x.orders.site(p))
		}
	}
}

// retry lets pages wait again that failed, were refused, or were fetched with wrong
// content. If their site is closed, it is opened again.
func (x *pages) retry(list []graph.Page) {
	for i, p := range list {
		s := x.orders.site(p)
		if x.exchange.foreign(s) {
			continue
		}
		if x.sites.in(s, closed) {
			x.sites.reopen(s)
		}
		switch x.stateOf(p) {
		case Failed, RefusedPage:
			x.setState(p, Known)
			x.policies.admitted(p)
			x.enter(p, s)
		case Fetched:
			x.callBack(list[i : i+1])
		}
	}
}

// callBack lets fetched pages wait again, also those whose last visit failed. They count as
// fetched until they are handed out.
func (x *pages) callBack(list []graph.Page) {
	for _, p := range list {
		if s := x.stateOf(p); s != Fetched && s != Failed || x.orders.waits(p) || x.sites.in(x.orders.site(p), closed) {
			continue
		}
		x.setState(p, Fetched)
		x.countRevisits(1)
		x.enter(p, x.orders.site(p))
	}
}

// enter puts a page, which is known or to be visited again, into the queues. If its site
// is closed, the page fails or is not visited again.
func (x *pages) enter(p graph.Page, s graph.Site) {
	again := x.stateOf(p) == Fetched
	switch closed := x.sites.in(s, closed); {
	case closed && again:
		x.countRevisits(-1)
		return
	case closed:
		x.setFailed(p, event.DNSError)
		x.policies.dropped(p)
		return
	case again:
		x.policies.admitted(p)
	}
	x.queued++
	x.orders.push(p)
	if x.o.Mode == Continuous {
		x.sites.gained(s)
	}
}

// leave takes a page out of the queues.
func (x *pages) leave(p graph.Page) {
	x.queued--
	if !x.orders.remove(p) {
		return
	}
	x.inBatch--
	s := x.orders.site(p)
	x.sites.lost(s)
	if x.orders.len(s) == 0 {
		x.follow(s)
	}
}

// take takes a page that is handed out from the queues.
func (x *pages) take(p graph.Page) {
	x.leave(p)
	if x.stateOf(p) == Fetched {
		x.setState(p, Reacquired)
		x.countRevisits(-1)
	} else {
		x.setState(p, Acquired)
	}
}

// drop takes a page from the queues that is not to be handed out. A page that was fetched
// before stays fetched; others get a state and its detail.
func (x *pages) drop(p graph.Page, s State, detail uint8) {
	x.leave(p)
	if x.stateOf(p) == Fetched {
		x.countRevisits(-1)
	} else {
		x.put(p, s, detail)
	}
	x.policies.dropped(p)
}

func (x *pages) refuse(p graph.Page, b event.Bar) { x.drop(p, RefusedPage, uint8(b)) }

// close closes a site. Its waiting pages get a state and its detail.
func (x *pages) close(now time.Duration, s graph.Site, as State, detail uint8) {
	x.sites.close(s)
	for p, ok := x.orders.any(s); ok; p, ok = x.orders.any(s) {
		x.drop(p, as, detail)
	}
	x.sites.returnHops(now, s)
}

// end sets the state of a page after an attempt.
func (x *pages) end(now time.Duration, p graph.Page, s graph.Site, e *event.Event) {
	switch {
	case e.Again && x.stateOf(p) == Reacquired, !e.Again && !e.Class.Failed() && e.Due > 0:
		x.revisit(now, p, e.Due)
	case e.Again && e.Due > now:
		x.setState(p, Known)
		x.due.push(e.Due, uint32(p))
	case e.Again:
		x.setState(p, Known)
		x.enter(p, s)
	case e.Class.Failed():
		x.setFailed(p, e.Class)
	default:
		x.setState(p, Fetched)
	}
}

// revisit lets a fetched page be fetched again at an instant. It stays fetched until it
// is handed out. The links of its first visit are kept, because policies have used them.
func (x *pages) revisit(now time.Duration, p graph.Page, at time.Duration) {
	x.setState(p, Fetched)
	x.countRevisits(1)
	if at > now {
		x.due.push(at, uint32(p))
	} else {
		x.enter(p, x.orders.site(p))
	}
}

// countRevisits adds n to the number of revisits. Where records are lost the number may
// be too small, but it is never negative.
func (x *pages) countRevisits(n int) { x.revisits = max(0, x.revisits+n) }

// restart lets all acquired pages wait again. For the policies that is the end of an
// attempt that will be repeated.
func (x *pages) restart(now time.Duration) {
	again := event.Outcome{Again: true, First: graph.Page(x.len())}
	for i := range x.len() {
		switch p := graph.Page(i); x.stateOf(p) {
		case Acquired:
			x.setState(p, Known)
			x.enter(p, x.orders.site(p))
			x.policies.done(now, p, &again, nil, true)
		case Reacquired:
			x.revisit(now, p, now)
			x.policies.done(now, p, &again, nil, false)
		}
	}
	x.hurry()
}

// yielding holds failed pages whose instant has come but which wait longer. While a site
// fails, its pages in the queues come first, since most of them were not tried yet. Then
// the failed ones return one by one, the one first that was tried the longest time ago.
type yielding struct {
	behind map[graph.Site]instants
	pages  int // in all of them
}

// wake lets all pages, sites and addresses continue whose instant has come. It reports
// whether there were any such pages or sites.
func (x *pages) wake(now time.Duration) (any bool) {
	any = x.sites.wake(now)
	for x.due.first() <= now {
		if d := x.due.pop(); !x.yields(d) {
			x.comeBack(graph.Page(d.id))
			any = true
		}
	}
	x.sites.addresses.wake(now)
	return any
}

// comeBack puts a page that is due into the queues, unless it is there already or under
// way. On replay it may have been taken before its instant.
func (x *pages) comeBack(p graph.Page) {
	if s := x.stateOf(p); (s == Known || s == Fetched) && !x.orders.waits(p) {
		x.enter(p, x.orders.site(p))
	}
}

// yields puts a page behind the others of its site, and reports whether it had to.
func (x *pages) yields(d instant) bool {
	p := graph.Page(d.id)
	s := x.orders.site(p)
	if x.o.BackOff == 0 || x.o.Mode != Continuous || x.stateOf(p) != Known || x.sites.clocks.failures(s) == 0 || x.orders.len(s) == 0 {
		return false
	}
	list := x.yielding.behind[s]
	list.push(d.at, d.id)
	x.yielding.behind[s] = list
	x.yielding.pages++
	return true
}

// follow returns the pages of s that yielded to the queues: all of them if s answers or is
// closed, otherwise the first one if no other page of s waits.
func (x *pages) follow(s graph.Site) {
	list, ok := x.yielding.behind[s]
	if !ok {
		return
	}
	all := x.sites.clocks.failures(s) == 0 || x.sites.in(s, closed)
	for len(list) > 0 && (all || x.orders.len(s) == 0) {
		d := list.pop()
		x.yielding.pages--
		x.yielding.behind[s] = list
		x.comeBack(graph.Page(d.id))
	}
	if len(list) == 0 {
		delete(x.yielding.behind, s)
	}
}

// setDue replaces all pages that wait for an instant, those that yielded among them.
func (x *pages) setDue(due instants) {
	x.due = due
	clear(x.yielding.behind)
	x.yielding.pages = 0
}

// allDue returns the pages that wait for an instant, with those that yielded.
func (x *pages) allDue() instants {
	due := append(instants{}, x.due...)
	for _, list := range x.yielding.behind {
		for _, d := range list {
			due.push(d.at, d.id)
		}
	}
	return due
}

// hurry puts failed pages that wait for another try into the queues at once.
func (x *pages) hurry() {
	all := x.allDue()
	x.setDue(nil)
	for _, d := range all { // in any order: the heap and the queues have their own
		if p := graph.Page(d.id); x.stateOf(p) == Known {
			x.comeBack(p)
		} else {
			x.due.push(d.at, d.id)
		}
	}
}
