package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// addresses are the IP addresses: each has a cap on requests at a time and a clock of
// its own. The sites of an address are a group of the queues, which is shut while the
// address is busy: nobody looks at them then, and when it is free the best of them at
// that moment comes first. Addresses are numbered from 1; 0 is none, and never busy.
type addresses struct {
	limited bool                  // there is a cap or a delay
	of      *graph.Column[uint32] // by site
	active  *graph.Column[uint32] // by address: sites acquired
	free    *graph.Column[int64]  // by address: instant before which it is not asked
	clocks  instants              // addresses that wait for their instant
}

func newAddresses(set *graph.Set, o *Options) addresses {
	return addresses{
		limited: o.AddressCap > 0 || o.AddressDelay > 0,
		of:      graph.NewColumnIn[uint32](set, "site address", o.MaxSites),
		active:  graph.NewColumnIn[uint32](set, "address active", o.MaxAddresses+1),
		free:    graph.NewColumnIn[int64](set, "address next", o.MaxAddresses+1),
	}
}

// setAddress notes the address of s, which must be acquired.
func (f *Frontier) setAddress(now time.Duration, s graph.Site, a uint32) {
	f.of.Set(int(s), a)
	f.active.Grow(int(a) + 1)
	f.free.Grow(int(a) + 1)
	f.group(s)
	f.shut(now, a)
}

// Address is the number of the address of s, 0 when it has none.
func (f *Frontier) Address(s graph.Site) uint32 { return f.of.At(int(s)) }

// Addresses are the numbers of the addresses of all sites. They must not be changed.
func (f *Frontier) Addresses() []uint32 { return f.of.Slice() }

// group puts s into the group of its address.
func (f *Frontier) group(s graph.Site) {
	if f.limited {
		for _, q := range f.asked {
			q.Group(s, f.of.At(int(s)))
		}
	}
}

// shut keeps the sites of a from being chosen while it is busy. It is called whenever
// that may have changed.
func (f *Frontier) shut(now time.Duration, a uint32) {
	if f.limited && a != 0 {
		busy := f.busy(now, a)
		for _, q := range f.asked {
			q.Shut(a, busy)
		}
		if !busy {
			f.openHops(a)
		}
	}
}

// busy reports whether address a may not be asked now.
func (f *Frontier) busy(now time.Duration, a uint32) bool {
	return f.o.AddressCap > 0 && int(f.active.At(int(a))) >= f.o.AddressCap || f.free.At(int(a)) > int64(now)
}

// AddressIdle reports whether no request to address a is under way, and its delay has
// passed.
func (f *Frontier) AddressIdle(now time.Duration, a uint32) bool {
	return int(a) >= f.active.Len() || f.active.At(int(a)) == 0 && f.free.At(int(a)) <= int64(now)
}

// enterAddress counts s as a request to its address.
func (f *Frontier) enterAddress(now time.Duration, s graph.Site) {
	if a := f.of.At(int(s)); a != 0 {
		f.active.Slice()[a]++
		f.shut(now, a)
	}
}

// leaveAddress ends the request of s to its address.
func (f *Frontier) leaveAddress(now time.Duration, s graph.Site, end time.Duration) {
	if a := f.of.At(int(s)); a != 0 {
		f.active.Slice()[a]--
		f.free.Set(int(a), max(f.free.At(int(a)), int64(later(end, f.o.AddressDelay))))
		f.startClock(now, a)
	}
}

// startClock lets a wait for its instant if that lies ahead.
func (f *Frontier) startClock(now time.Duration, a uint32) {
	if at := time.Duration(f.free.At(int(a))); f.limited && at > now {
		f.clocks.push(at, a)
	}
	f.shut(now, a)
}

func (f *Frontier) wakeAddresses(now time.Duration) {
	for f.clocks.first() <= now {
		f.shut(now, f.clocks.pop().id)
	}
}

// restartAddresses frees all addresses, and lets each wait for its delay from now on.
func (f *Frontier) restartAddresses(now time.Duration) {
	f.clocks = f.clocks[:0]
	for a := 1; a < f.active.Len(); a++ {
		f.free.Set(a, max(f.free.At(a), int64(later(now, f.o.AddressDelay))))
		f.active.Set(a, 0)
		f.startClock(now, uint32(a))
	}
}

// rebuildAddresses makes clocks and groups after the columns were loaded.
func (f *Frontier) rebuildAddresses() {
	f.clocks = f.clocks[:0]
	for s := range f.of.Len() {
		f.group(graph.Site(s))
	}
	for a := range f.active.Len() {
		f.startClock(f.now, uint32(a))
	}
}
