package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
)

// addresses are the IP addresses: each has a cap on requests at a time and a clock of
// its own. A site that is chosen while its address is busy is parked there, in order of
// value, and nobody looks at it until the address is free; then the best of those
// parked is ready again. Addresses are numbered from 1; 0 is none.
type addresses struct {
	of     *graph.Column[uint32] // by site
	active *graph.Column[uint32] // by address: sites acquired
	free   *graph.Column[int64]  // by address: instant before which it is not asked
	parked *queue.Queue          // sites as pages, addresses as sites; nil without caps and delays
	clocks instants              // addresses with parked sites that wait for their instant
	inside int                   // parked sites
}

func newAddresses(o *Options) addresses {
	a := addresses{
		of:     graph.NewColumn[uint32]("site address", o.MaxSites),
		active: graph.NewColumn[uint32]("address active", o.MaxSites+1),
		free:   graph.NewColumn[int64]("address next", o.MaxSites+1),
	}
	if o.AddressCap > 0 || o.AddressDelay > 0 {
		a.parked = queue.New("parked", o.MaxSites, o.MaxSites+1)
	}
	return a
}

func (a *addresses) add(s graph.Site) {
	a.of.Append(0)
	if a.parked != nil {
		a.parked.Page(graph.Page(s), 0)
	}
}

// setAddress notes the address of s, which must not be parked.
func (a *addresses) setAddress(s graph.Site, address uint32) {
	a.of.Set(int(s), address)
	for a.active.Len() <= int(address) {
		n := graph.Site(a.active.Len())
		a.active.Append(0)
		a.free.Append(0)
		if a.parked != nil {
			a.parked.Site(n)
		}
	}
	if a.parked != nil {
		a.parked.Move(graph.Page(s), graph.Site(address))
	}
}

// busy tells whether the address of s may not be asked now.
func (f *Frontier) busy(now time.Duration, s graph.Site) bool {
	if f.parked == nil {
		return false
	}
	a := f.of.At(int(s))
	if a == 0 {
		return false
	}
	return f.o.AddressCap > 0 && int(f.active.At(int(a))) >= f.o.AddressCap || f.free.At(int(a)) > int64(now)
}

// park lets s wait for its address.
func (f *Frontier) park(now time.Duration, s graph.Site) {
	value := f.asked[0].SiteValue(s)
	f.withdraw(s, parked)
	f.inside++
	f.parked.Set(graph.Page(s), value)
	f.parked.Push(graph.Page(s))
	a := f.of.At(int(s))
	if f.parked.Len(graph.Site(a)) == 1 && f.free.At(int(a)) > int64(now) {
		f.clocks.push(time.Duration(f.free.At(int(a))), a)
	}
}

// enterAddress counts s as a request to its address. If there is room for more, the
// next of those parked gets its turn.
func (f *Frontier) enterAddress(now time.Duration, s graph.Site) {
	if a := f.of.At(int(s)); a != 0 {
		f.active.Slice()[a]++
		f.unpark(now, a)
	}
}

// leaveAddress ends the request of s to its address.
func (f *Frontier) leaveAddress(now time.Duration, s graph.Site, end time.Duration) {
	a := f.of.At(int(s))
	if a == 0 {
		return
	}
	f.active.Slice()[a]--
	f.free.Set(int(a), max(f.free.At(int(a)), int64(later(end, f.o.AddressDelay))))
	if f.parked == nil || f.parked.Len(graph.Site(a)) == 0 {
		return
	}
	if at := time.Duration(f.free.At(int(a))); at > now {
		f.clocks.push(at, a)
		return
	}
	f.unpark(now, a)
}

// unpark lets the best site parked at a free address be ready again.
func (f *Frontier) unpark(now time.Duration, a uint32) {
	if f.parked == nil || a == 0 {
		return
	}
	p, ok := f.parked.First(graph.Site(a))
	if !ok || f.busy(now, graph.Site(p)) {
		return
	}
	f.parked.Remove(p)
	f.inside--
	f.await(now, graph.Site(p))
}

func (f *Frontier) wakeAddresses(now time.Duration) {
	for f.clocks.first() <= now {
		f.unpark(now, f.clocks.pop().id)
	}
}

// unparkAll gives every site whose address is free its turn: after a batch was chosen,
// which may have taken the pages of the one that had it.
func (f *Frontier) unparkAll(now time.Duration) {
	if f.inside == 0 {
		return
	}
	for s := range f.place.Slice() {
		if f.parked.Waits(graph.Page(s)) {
			f.unpark(now, f.of.At(s))
		}
	}
}

// restartAddresses frees all addresses, and lets each that was ever asked wait for its
// delay from now on.
func (f *Frontier) restartAddresses(now time.Duration) {
	f.clocks, f.inside = f.clocks[:0], 0
	for a, n := range f.active.Slice() {
		if n > 0 || f.free.At(a) > 0 {
			f.free.Set(a, max(f.free.At(a), int64(later(now, f.o.AddressDelay))))
		}
		f.active.Set(a, 0)
	}
	if f.parked == nil {
		return
	}
	for s := range f.place.Slice() {
		if f.parked.Waits(graph.Page(s)) {
			f.parked.Remove(graph.Page(s))
		}
	}
}
