package state

import (
	"net/netip"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// AddressOf returns the address of a site, the zero Addr if it has none.
func (s *State) AddressOf(id graph.Site) netip.Addr {
	return s.Addresses.At(s.Frontier.Addresses().Of(id))
}

// readdress counts who uses an address, before the frontier learns of it. After a hole in
// the journal an address may get another number, so the number is set again.
func (s *State) readdress(r *journal.Record) {
	e := &r.Event
	if e.Kind != event.Resolved || e.Again || e.Class.Failed() || e.Address == 0 || len(r.Facts.Addrs) == 0 {
		return
	}
	e.Address = s.Addresses.Number(r.Facts.Addrs[0])
	s.Addresses.Use(e.Address)
	if old := s.Frontier.Addresses().Of(e.Site); old != 0 {
		s.Addresses.Drop(old)
	}
	s.Addresses.Reclaim(func(n uint32) bool { return s.Frontier.Addresses().Idle(r.Now, n) })
}
