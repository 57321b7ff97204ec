package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// Addresses holds the IP addresses. Each has a limit on simultaneous requests and a
// clock of its own. The sites of an address form a group in the queues, which is shut
// while the address is busy. So the queues skip them all at no cost, and when the address
// is free, the best of them at that moment comes first. Addresses are numbered from 1;
// 0 means none, and is never busy.
type Addresses struct {
	o       *Options
	orders  *orders
	hops    *hops
	limited bool                  // there is a cap or a delay
	address *graph.Column[uint32] // by site
	active  *graph.Column[uint32] // by address: sites acquired
	free    *graph.Column[int64]  // by address: instant before which it is not requested
	waits   instants              // addresses that wait for their instant
}

// Of returns the number of the address of s, or 0 if it has none.
func (x *Addresses) Of(s graph.Site) uint32 { return x.address.At(int(s)) }

// All returns the numbers of the addresses of all sites. They must not be changed.
func (x *Addresses) All() []uint32 { return x.address.Slice() }

// Idle reports whether no request to address a is under way and its delay has passed.
func (x *Addresses) Idle(now time.Duration, a uint32) bool {
	return int(a) >= x.active.Len() || x.active.At(int(a)) == 0 && x.free.At(int(a)) <= int64(now)
}

// groupSites makes the queues of sites keep a group for each address.
func (x *Addresses) groupSites() {
	for _, q := range x.orders.offered {
		if x.limited {
			q.Grouped(x.address, x.o.MaxAddresses+1)
		}
	}
}

// set sets the address of s, which must be acquired, to a.
func (x *Addresses) set(now time.Duration, s graph.Site, a uint32) {
	x.address.Set(int(s), a)
	x.active.Grow(int(a) + 1)
	x.free.Grow(int(a) + 1)
	x.group(s)
	x.shut(now, a)
}

// group puts s into the group of its address.
func (x *Addresses) group(s graph.Site) {
	for _, q := range x.orders.offered {
		if x.limited {
			q.Group(s, x.address.At(int(s)))
		}
	}
}

// shut shuts the group of a if a is busy, and opens it otherwise. It is called whenever
// that may have changed.
func (x *Addresses) shut(now time.Duration, a uint32) {
	if x.limited && a != 0 {
		busy := x.busy(now, a)
		for _, q := range x.orders.offered {
			q.Shut(a, busy)
		}
		if !busy {
			x.hops.reopen(a)
		}
	}
}

// busy reports whether address a must not be requested now.
func (x *Addresses) busy(now time.Duration, a uint32) bool {
	return x.o.AddressCap > 0 && int(x.active.At(int(a))) >= x.o.AddressCap || x.free.At(int(a)) > int64(now)
}

// enter begins a request of s to its address.
func (x *Addresses) enter(now time.Duration, s graph.Site) {
	if a := x.address.At(int(s)); a != 0 {
		x.active.Slice()[a]++
		x.shut(now, a)
	}
}

// leave ends the request of s to its address.
func (x *Addresses) leave(now time.Duration, s graph.Site, end time.Duration) {
	if a := x.address.At(int(s)); a != 0 {
		x.active.Slice()[a]--
		x.delay(now, end, a)
	}
}

// delay lets a wait for its delay, which begins at from.
func (x *Addresses) delay(now, from time.Duration, a uint32) {
	x.free.Set(int(a), max(x.free.At(int(a)), int64(addCapped(from, x.o.AddressDelay))))
	x.await(now, a)
}

// await lets a wait for its instant if that lies ahead.
func (x *Addresses) await(now time.Duration, a uint32) {
	if at := time.Duration(x.free.At(int(a))); x.limited && at > now {
		x.waits.push(at, a)
	}
	x.shut(now, a)
}

// wake opens the groups of the addresses whose instant has come.
func (x *Addresses) wake(now time.Duration) {
	for x.waits.first() <= now {
		x.shut(now, x.waits.pop().id)
	}
}

// restart frees all addresses, and lets each wait for its delay from now on.
func (x *Addresses) restart(now time.Duration) {
	x.waits = x.waits[:0]
	for a := 1; a < x.active.Len(); a++ {
		x.active.Set(a, 0)
		x.delay(now, now, uint32(a))
	}
}

// rebuild makes the heap of instants and the groups after the columns were loaded.
func (x *Addresses) rebuild(now time.Duration) {
	x.waits = x.waits[:0]
	for s := range x.address.Len() {
		x.group(graph.Site(s))
	}
	for a := range x.active.Len() {
		x.await(now, uint32(a))
	}
}
