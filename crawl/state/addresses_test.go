package state

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/number"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// publicAddr returns a public address for each number.
func publicAddr(i int) netip.Addr { return netip.AddrFrom4([4]byte{93, 184, byte(i >> 8), byte(i)}) }

// foldedSites makes a state that knows the first pages of n sites.
func foldedSites(t *testing.T, n int) *folded {
	t.Helper()
	s := newTestState(t)
	f := &folded{t: t, s: s}
	f.begin(event.Seed)
	for i := range n {
		s.Seed(&f.r, fmt.Sprintf("http://s%d.example/", i))
	}
	f.apply()
	return f
}

// move gives a site another address.
func (f *folded) move(site int, to netip.Addr) {
	f.work(event.Resolve, graph.Site(site), event.Resolved, func(r *journal.Record) {
		r.Facts.Addrs = []netip.Addr{to}
		r.Event.Address, r.Event.Expiry = f.s.Addresses.Number(to), f.now+time.Minute
	})
}

// Numbers of rules and addresses are used again, the smallest first, also after they were
// saved.
func TestNumbersAgain(t *testing.T) {
	f := foldedSites(t, 4)
	s := f.s
	move := func(site int, to netip.Addr) {
		f.now += time.Hour
		f.move(site, to)
	}
	for i := range 4 {
		move(i, publicAddr(i))
	}
	for i := range 1000 { // the addresses of a name that changes them all the time
		move(2, publicAddr(100+i))
	}
	move(1, netip.MustParseAddr("2001:db8::1"))
	if n := len(s.Addresses.Save()); n >= 8 {
		t.Errorf("%d numbers for 4 sites", n)
	}
	var set graph.Set
	defer set.Free()
	saved := number.NewAddresses(&set, 100)
	if err := saved.Load(s.Addresses.Save(), s.Frontier.Addresses().All()); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if a, b := saved.At(s.Frontier.Addresses().Of(graph.Site(i))), s.AddressOf(graph.Site(i)); a != b || !a.IsValid() {
			t.Errorf("site %d is at %v, saved as %v", i, b, a)
		}
	}
	next := publicAddr(5000)
	if a, b := s.Addresses.Number(next), saved.Number(next); a != b {
		t.Errorf("the next address is number %d, after loading %d", a, b)
	}
}

// The last site of an address moves away right after a request to it, and another one
// comes: the delay of the address still holds for it, also after a save.
func TestAddressComesBack(t *testing.T) {
	f := foldedSites(t, 3)
	s := f.s
	here, there := publicAddr(1), publicAddr(2)
	f.move(0, here)
	f.now += time.Hour
	f.work(event.Robots, 0, event.Ruled, func(r *journal.Record) {
		r.Facts.Rules, _ = robots.Rules{}.AppendBinary(nil)
		r.Event.Expiry = f.now + time.Hour
	})
	n := s.Frontier.Addresses().Of(0)
	f.now += 10 * time.Millisecond
	f.move(0, there)
	f.move(2, publicAddr(4)) // it must not have the number
	var set graph.Set
	defer set.Free()
	saved := number.NewAddresses(&set, 100)
	if err := saved.Load(s.Addresses.Save(), s.Frontier.Addresses().All()); err != nil || saved.Number(here) != n {
		t.Errorf("after loading the address has number %d, want %d; %v", saved.Number(here), n, err)
	}
	f.now += 10 * time.Millisecond
	if f.move(1, here); s.Frontier.Addresses().Of(1) != n || s.Frontier.Addresses().Idle(f.now, n) {
		t.Errorf("the address had number %d and has %d, and can be asked", n, s.Frontier.Addresses().Of(1))
	}
	f.now += time.Hour
	f.move(1, there)
	if next := s.Addresses.Number(publicAddr(3)); next != n {
		t.Errorf("the number %d is not used again, but %d", n, next)
	}
}
