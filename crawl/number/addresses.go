package number

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// Addresses numbers the addresses of sites, from 1 on. The number of an address that no
// site has any more is used again: names that change their address every minute must not
// Use up numbers for ever.
type Addresses struct {
	v4   map[uint32]uint32     // numbers of IPv4 addresses
	v6   map[netip.Addr]uint32 // and of others
	bits *graph.Column[uint32] // by number: the IPv4 address; 0: see wide
	wide map[uint32]netip.Addr // by number: others
	uses *graph.Column[uint32] // by number: sites that have it
	left []uint32              // numbers that no site has and that are not free yet: see Reclaim
	free freeNumbers
}

// NewAddresses returns no addresses, with room for a number of them. Its columns belong to set.
func NewAddresses(set *graph.Set, max int) Addresses {
	x := Addresses{
		v4: map[uint32]uint32{}, v6: map[netip.Addr]uint32{}, wide: map[uint32]netip.Addr{},
		bits: graph.NewColumnIn[uint32](set, "address ip", max+1), uses: graph.NewColumnIn[uint32](set, "address sites", max+1),
	}
	x.add(netip.Addr{})
	return x
}

// add assigns the next number to an address.
func (x *Addresses) add(a netip.Addr) {
	n := uint32(x.bits.Len())
	x.bits.Append(0)
	x.uses.Append(0)
	if a.IsValid() {
		x.set(n, a)
	}
}

func (x *Addresses) set(n uint32, a netip.Addr) {
	if v, ok := bitsOf(a); ok {
		x.bits.Set(int(n), v)
		x.v4[v] = n
		return
	}
	x.wide[n], x.v6[a] = a, n
}

// bitsOf returns an IPv4 address as a number. 0.0.0.0 is not one: 0 stands for no address.
func bitsOf(a netip.Addr) (v uint32, ok bool) {
	if !a.Is4() {
		return 0, false
	}
	b := a.As4()
	v = binary.BigEndian.Uint32(b[:])
	return v, v != 0
}

// Number returns the number of an address. A new address gets the smallest free number.
func (x *Addresses) Number(a netip.Addr) (n uint32) {
	v, short := bitsOf(a)
	ok := false
	if short {
		n, ok = x.v4[v]
	} else {
		n, ok = x.v6[a]
	}
	if ok {
		return n
	}
	if n, ok = x.free.take(); ok {
		x.set(n, a)
	} else {
		n = uint32(x.bits.Len())
		x.add(a)
	}
	return n
}

// At returns the address with a number, the zero Addr if there is none.
func (x *Addresses) At(n uint32) netip.Addr {
	if v := x.bits.At(int(n)); v != 0 {
		return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, v)))
	}
	return x.wide[n]
}

// Use counts a site that has the address with a number. Drop counts one that has it no
// longer.
func (x *Addresses) Use(n uint32) { x.uses.Slice()[n]++ }

func (x *Addresses) Drop(n uint32) {
	uses := x.uses.Slice()
	if uses[n]--; uses[n] == 0 && !slices.Contains(x.left, n) {
		x.left = append(x.left, n)
	}
}

// Reclaim frees the numbers of addresses that no site has any more, once their delay has
// passed. Until then another site may get such an address, and must find its number.
func (x *Addresses) Reclaim(idle func(n uint32) bool) {
	x.left = slices.DeleteFunc(x.left, func(n uint32) bool {
		if x.uses.At(int(n)) > 0 {
			return true
		}
		if !idle(n) {
			return false
		}
		x.forget(n)
		return true
	})
}

func (x *Addresses) forget(n uint32) {
	if v := x.bits.At(int(n)); v != 0 {
		delete(x.v4, v)
		x.bits.Set(int(n), 0)
	} else {
		delete(x.v6, x.wide[n])
		delete(x.wide, n)
	}
	x.free.put(n)
}

// Bytes returns the memory of the maps. The columns count themselves.
func (x *Addresses) Bytes() int64 {
	return 16*int64(len(x.v4)) + 96*int64(len(x.v6)) + 4*int64(cap(x.free))
}

// Save returns all addresses by number, from number 1 on. Those of free numbers are the zero
// Addr.
func (x *Addresses) Save() (list []netip.Addr) {
	for n := 1; n < x.bits.Len(); n++ {
		list = append(list, x.At(uint32(n)))
	}
	return list
}

// Load adds saved addresses. by holds the number of each site.
func (x *Addresses) Load(list []netip.Addr, by []uint32) error {
	for _, a := range list {
		x.add(a)
	}
	for _, n := range by {
		if int(n) >= x.uses.Len() {
			return fmt.Errorf("a site has address %d of %d", n, x.uses.Len()-1)
		}
		x.uses.Slice()[n] += min(1, n)
	}
	for _, n := range unused(x.uses.Slice()) {
		if x.At(n).IsValid() {
			x.left = append(x.left, n)
		} else {
			x.free = append(x.free, n)
		}
	}
	return nil
}
