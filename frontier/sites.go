package frontier

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A place is one of the states of a site.
type place uint8

const (
	ready    place = iota // offered; it may have no pages, or its address may be busy
	waiting               // until its instant
	acquired              // by a fetcher
	kept                  // by a fetcher that will call More
	blocked               // while its twin is acquired
	held                  // until its last task is settled
	places
)

// sites holds where each site is and what it needs, and moves it from place to place.
// All columns are by site.
type sites struct {
	o             *Options
	orders        *orders
	clocks        clocks
	addresses     Addresses
	hops          hops
	requisites    requisites
	exchange      *exchange // nil if there is one partition
	place         *graph.Column[place]
	stage         *graph.Column[stage]
	served        *graph.Column[uint16] // tasks done in this acquisition
	robotsExpiry  narrow                // instant at which its robots.txt expires, in seconds; 0 for never
	sitemaps      *graph.Column[uint16] // see files
	addressExpiry narrow                // instant at which its address expires, in seconds; 0 for never

	now       time.Duration      // instant of the last event
	waits     instants           // waiting sites
	wants     [places]int        // sites at each place that have something to hand out
	filesLeft int                // sitemap files of all sites
	unsettled map[graph.Site]int // tasks that ended and are to be settled: see settle
}

// newSites adds the columns to set in the order in which they are saved.
func newSites(set *graph.Set, o *Options, orders *orders) *sites {
	n := o.MaxSites
	x := &sites{o: o, orders: orders, hops: newHops(), unsettled: map[graph.Site]int{}}
	c, a := &x.clocks, &x.addresses
	*c = clocks{o: o, paces: map[graph.Site]pace{}}
	*a = Addresses{o: o, orders: orders, hops: &x.hops, limited: o.AddressCap > 0 || o.AddressDelay > 0}
	x.place = graph.NewColumnIn[place](set, "site place", n)
	x.stage = graph.NewColumnIn[stage](set, "site stage", n)
	c.pages = graph.NewColumnIn[uint32](set, "site pages", n)
	c.next = graph.NewColumnIn[int64](set, "site next", n)
	x.served = graph.NewColumnIn[uint16](set, "site served", n)
	c.fails = graph.NewColumnIn[uint8](set, "site failures", n)
	c.crawlDelay = newNarrow(set, "site crawl-delay", n, time.Millisecond)
	x.robotsExpiry = newNarrow(set, "site robots expiry", n, time.Second)
	x.sitemaps = graph.NewColumnIn[uint16](set, "site sitemaps", n)
	x.addressExpiry = newNarrow(set, "site address expiry", n, time.Second)
	c.median = newNarrow(set, "site median", n, time.Microsecond)
	c.slow = graph.NewColumnIn[uint8](set, "site slow", n)
	c.twin = graph.NewColumnIn[graph.Site](set, "site twin", n)
	a.address = graph.NewColumnIn[uint32](set, "site address", n)
	a.active = graph.NewColumnIn[uint32](set, "address active", o.MaxAddresses+1)
	a.free = graph.NewColumnIn[int64](set, "address next", o.MaxAddresses+1)
	x.requisites = newRequisites(set, o)
	return x
}

// len returns the number of known sites.
func (x *sites) len() int { return x.place.Len() }

// add makes the next site known.
func (x *sites) add() {
	s := graph.Site(x.len())
	x.place.Append(ready)
	x.stage.Append(x.firstStage())
	x.served.Append(0)
	x.robotsExpiry.Append(0)
	x.sitemaps.Append(0)
	x.addressExpiry.Append(0)
	x.clocks.add(s)
	x.addresses.address.Append(0)
	x.orders.addSite(s)
	if x.exchange != nil {
		x.exchange.addSite(x.o.Owner(s))
	}
	if x.requisites.used() {
		x.requisites.addSite(s)
	}
	x.await(x.now, s)
}

// in reports whether s is in a stage.
func (x *sites) in(s graph.Site, at stage) bool { return x.stage.At(int(s)) == at }

// wanting reports whether s has something to hand out: pages or requisites of its own, or the
// robots.txt of other sites.
func (x *sites) wanting(s graph.Site) bool {
	return (x.orders.len(s) > 0 || x.requisites.wait(s)) && !x.in(s, moved) || x.hops.at(s) > 0
}

// setPlace moves s, which may be counted in wants.
func (x *sites) setPlace(s graph.Site, to place) {
	if x.wanting(s) {
		x.wants[x.place.At(int(s))]--
		x.wants[to]++
	}
	x.place.Set(int(s), to)
}

// setStage changes what s needs.
func (x *sites) setStage(s graph.Site, to stage) {
	was := x.wanting(s)
	x.stage.Set(int(s), to)
	x.recount(s, was)
}

// recount updates wants after the stage or the hops of s changed. was is the result of
// wanting before the change.
func (x *sites) recount(s graph.Site, was bool) {
	switch is := x.wanting(s); {
	case is && !was:
		x.wants[x.place.At(int(s))]++
	case was && !is:
		x.wants[x.place.At(int(s))]--
	}
}

// gained updates wants after a page of s was put into an active queue.
func (x *sites) gained(s graph.Site) {
	if x.orders.len(s) == 1 && !x.in(s, moved) && x.hops.at(s) == 0 && !x.requisites.wait(s) {
		x.wants[x.place.At(int(s))]++
	}
}

// lost updates wants after a page of s left an active queue.
func (x *sites) lost(s graph.Site) {
	if x.orders.len(s) == 0 && !x.in(s, moved) && x.hops.at(s) == 0 && !x.requisites.wait(s) {
		x.wants[x.place.At(int(s))]--
	}
}

// offer makes s ready. While its robots.txt is elsewhere its pages are not offered, but
// hops to it are.
func (x *sites) offer(s graph.Site) {
	x.setPlace(s, ready)
	x.hops.offer(s)
	if !x.in(s, moved) {
		for _, q := range x.orders.offered {
			q.Offer(s)
		}
	}
}

func (x *sites) withdraw(s graph.Site, to place) {
	x.setPlace(s, to)
	for _, q := range x.orders.offered {
		q.Withdraw(s)
	}
}

// await puts s, which is not acquired, where it belongs.
func (x *sites) await(now time.Duration, s graph.Site) {
	at := x.placeAt(now, s)
	if x.unsettled[s] > 0 {
		at = held
	}
	switch at {
	case ready:
		x.offer(s)
		return
	case waiting:
		x.waits.push(x.clocks.instant(s), uint32(s))
	}
	x.setPlace(s, at)
}

// placeAt returns where a site belongs that is neither acquired nor held.
func (x *sites) placeAt(now time.Duration, s graph.Site) place {
	switch t := x.clocks.twinOf(s); {
	case x.clocks.instant(s) > now:
		return waiting
	case t != graph.NoSite && x.taken(t):
		return blocked
	}
	return ready
}

// taken reports whether s is acquired.
func (x *sites) taken(s graph.Site) bool {
	at := x.place.At(int(s))
	return at == acquired || at == kept
}

// wake moves the sites whose instant has come, and reports whether there are any.
func (x *sites) wake(now time.Duration) (any bool) {
	for x.waits.first() <= now {
		w := x.waits.pop()
		s := graph.Site(w.id)
		if x.place.At(int(s)) != waiting || x.clocks.instant(s) != w.at {
			continue // the entry is out of date
		}
		x.await(now, s)
		any = true
	}
	return any
}

// take acquires the site of a task. Its twin is blocked.
func (x *sites) take(now time.Duration, w event.Task) {
	s := w.Site
	if x.place.At(int(s)) != kept {
		x.withdraw(s, acquired)
		if t := x.clocks.twinOf(s); t != graph.NoSite && x.place.At(int(t)) == ready {
			x.withdraw(t, blocked)
		}
		if w.Kind != event.Resolve {
			x.addresses.enter(now, s)
		}
	}
	x.setPlace(s, acquired)
	if w.Kind != event.Resolve && w.Kind != event.Requisite {
		x.noteKind(s, w.Kind)
	}
}

// keep reports whether the fetcher keeps s for another page. It does if the connection can
// be used again, fewer than PerConnection pages were requested, a page waits and is what
// the site needs next, and s demands no longer delay.
func (x *sites) keep(now time.Duration, s graph.Site, e *event.Event) bool {
	served, c := x.served.Slice(), &x.clocks
	served[s] = min(served[s], math.MaxUint16-1) + 1
	if !e.Keep || int(served[s]) >= x.o.PerConnection || c.robotsDelay(s) > 0 || e.Retry > 0 || c.failures(s) > 0 || c.isSlow(s) {
		return false
	}
	if x.orders.len(s) == 0 || x.needs(now, s).Kind != event.Fetch {
		return false
	}
	x.setPlace(s, kept)
	return true
}

// release ends a request to s that ended at end, and the acquisition of s.
func (x *sites) release(now time.Duration, s graph.Site, end time.Duration) {
	x.served.Set(int(s), 0)
	x.addresses.leave(now, s, end)
	x.endAcquisition(now, s)
}

// endAcquisition ends the acquisition of s. Its twin is no longer blocked.
func (x *sites) endAcquisition(now time.Duration, s graph.Site) {
	x.await(now, s)
	if t := x.clocks.twinOf(s); t != graph.NoSite && x.place.At(int(t)) == blocked {
		x.await(now, t)
	}
}

// postpone sets the instant of the next request to s, and to its twin, after an answer.
func (x *sites) postpone(now time.Duration, s graph.Site, e *event.Event) {
	if e.Stale && x.o.Resolve && !x.in(s, closed) {
		x.expireAddress(now, s)
	}
	told := time.Duration(0)
	if x.in(s, unruled) { // its robots.txt was fetched for another site
		told = e.Delay
	}
	at := x.clocks.after(s, e, told)
	x.clocks.notBefore(s, at)
	if t := x.clocks.twinOf(s); t != graph.NoSite && x.clocks.instant(t) < at {
		x.clocks.notBefore(t, at)
		x.reoffer(now, t)
	}
}

// reoffer puts s where it belongs after its instant or its stage changed, unless it is
// acquired.
func (x *sites) reoffer(now time.Duration, s graph.Site) {
	at := x.place.At(int(s))
	switch {
	case at != ready && at != waiting:
	case x.unsettled[s] > 0:
		x.withdraw(s, held)
	case at == ready && x.clocks.instant(s) > now:
		x.withdraw(s, waiting)
		x.await(now, s)
	default:
		x.await(now, s) // wake skips its old entry in waits
	}
}

// restart releases every site, and lets each wait for its full delay from now on. That
// includes sites without a recorded request, because the record may be lost.
func (x *sites) restart(now time.Duration) {
	x.waits = x.waits[:0]
	clear(x.unsettled)
	x.addresses.restart(now)
	for i, at := range x.place.Slice() {
		s := graph.Site(i)
		x.clocks.restart(now, s)
		if at != ready || x.clocks.instant(s) > now {
			x.withdraw(s, waiting)
		}
		x.served.Set(i, 0)
		x.reviseAddress(now, s)
	}
	for i, at := range x.place.Slice() { // no twin is acquired any more
		if at == waiting {
			x.await(now, graph.Site(i))
		}
	}
}

// rebuild makes heaps and counts after the columns were loaded.
func (x *sites) rebuild() {
	clear(x.unsettled)
	x.waits, x.wants, x.filesLeft, x.clocks.slowSites = x.waits[:0], [places]int{}, 0, 0
	x.hops.withdrawAll()
	x.loadRequisites()
	x.addresses.rebuild(x.now)
	for i, at := range x.place.Slice() {
		s := graph.Site(i)
		if x.wanting(s) {
			x.wants[at]++
		}
		x.filesLeft += x.files(s)
		x.clocks.countSlow(s, 1)
		switch at {
		case ready:
			x.offer(s)
		case waiting:
			x.waits.push(x.clocks.instant(s), uint32(s))
		}
	}
}

// With Options.Hold a site is not requested again before the record of its last answer
// is on disk, which the driver reports by Settle. So a crash loses at most one answer of
// a site.
//
// Holds are no part of the state: they are not saved, and a session ends them. A replay
// with the same calls of Settle makes the same decisions as the crawl. A replay without
// holds ends with the same pages and sites, since a Took forces what was taken. But its
// sites are free a moment earlier, which Differs counts, and in batch modes batches may
// be chosen at other moments.

// unsettle counts the end of a task at s that must be settled.
func (x *sites) unsettle(s graph.Site) {
	if x.o.Hold {
		x.unsettled[s]++
	}
}

// settle notes that the record of an end is on disk. After the last one s continues.
func (x *sites) settle(now time.Duration, s graph.Site) {
	n := x.unsettled[s]
	if n > 1 {
		x.unsettled[s] = n - 1
		return
	}
	delete(x.unsettled, s)
	if n == 1 && x.place.At(int(s)) == held {
		x.await(now, s)
	}
}

// unheld calls fn with held sites moved to where they would be without holds.
func (x *sites) unheld(fn func()) {
	var list []graph.Site
	for s := range x.unsettled {
		if x.place.At(int(s)) == held {
			x.place.Set(int(s), x.placeAt(x.now, s))
			list = append(list, s)
		}
	}
	fn()
	for _, s := range list {
		x.place.Set(int(s), held)
	}
}
