package state

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/graph"
)

// freeNumbers are numbers that nobody uses any more. The smallest is given out first, so
// that a number depends on the records alone, whatever was saved and loaded in between.
type freeNumbers []uint32 // a heap

// put adds a number.
func (h *freeNumbers) put(n uint32) {
	*h = append(*h, n)
	a := *h
	i := len(a) - 1
	for i > 0 && n < a[(i-1)/2] {
		a[i] = a[(i-1)/2]
		i = (i - 1) / 2
	}
	a[i] = n
}

// take gives the smallest, if there is one.
func (h *freeNumbers) take() (n uint32, ok bool) {
	a := *h
	if len(a) == 0 {
		return 0, false
	}
	n, last := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	i := 0
	for 2*i+1 < len(a) {
		j := 2*i + 1
		if j+1 < len(a) && a[j+1] < a[j] {
			j++
		}
		if last <= a[j] {
			break
		}
		a[i] = a[j]
		i = j
	}
	if len(a) > 0 {
		a[i] = last
	}
	return n, true
}

// ruleTexts are the rules of all robots.txt. Most sites have none or the same as many
// others, so each text is kept once, with the number of sites that have it. What no site
// has any more is forgotten. Number 0 is that everything is allowed.
type ruleTexts struct {
	List    []robots.Rules
	uses    []uint32
	Numbers map[robots.Rules]uint32
	free    freeNumbers
	Size    int64 // bytes of all texts
}

func newRuleTexts() ruleTexts {
	return ruleTexts{List: []robots.Rules{{}}, uses: []uint32{0}, Numbers: map[robots.Rules]uint32{}}
}

// use is the number of a text, which has one user more.
func (x *ruleTexts) use(r robots.Rules) uint32 {
	if r == (robots.Rules{}) {
		return 0
	}
	n, ok := x.Numbers[r]
	if !ok {
		if n, ok = x.free.take(); !ok {
			n = uint32(len(x.List))
			x.List, x.uses = append(x.List, robots.Rules{}), append(x.uses, 0)
		}
		x.set(n, r)
	}
	x.uses[n]++
	return n
}

func (x *ruleTexts) set(n uint32, r robots.Rules) {
	x.List[n], x.Numbers[r] = r, n
	x.Size += int64(r.Size())
}

// drop takes a user away.
func (x *ruleTexts) drop(n uint32) {
	if n == 0 {
		return // nobody counts them
	}
	if x.uses[n]--; x.uses[n] > 0 {
		return
	}
	x.Size -= int64(x.List[n].Size())
	delete(x.Numbers, x.List[n])
	x.List[n] = robots.Rules{}
	x.free.put(n)
}

// bytes is the memory that they take: a text, its place in the list and its entry in the
// map.
func (x *ruleTexts) bytes() int64 { return x.Size + 64*int64(cap(x.List)) }

// save is all texts by number; those of free numbers are empty.
func (x *ruleTexts) save() (list [][]byte) {
	for n, r := range x.List {
		var b []byte
		if x.uses[n] > 0 {
			b, _ = r.AppendBinary(nil) // it never fails
		}
		list = append(list, b)
	}
	return list
}

// load takes over what was saved; by tells which site has which.
func (x *ruleTexts) load(list [][]byte, by []uint32) error {
	*x = newRuleTexts()
	for n := 1; n < len(list); n++ {
		x.List, x.uses = append(x.List, robots.Rules{}), append(x.uses, 0)
		if len(list[n]) == 0 {
			continue
		}
		r, err := robots.Decode(list[n])
		if err != nil {
			return err
		}
		x.set(uint32(n), r)
	}
	for _, n := range by {
		if int(n) >= len(x.List) {
			return fmt.Errorf("a site has rules %d of %d", n, len(x.List))
		}
		x.uses[n] += min(1, n)
	}
	x.free = unused(x.uses)
	return nil
}

// unused are the numbers from 1 on that nobody uses, in their order, which is a heap.
func unused(uses []uint32) (free freeNumbers) {
	for n := 1; n < len(uses); n++ {
		if uses[n] == 0 {
			free = append(free, uint32(n))
		}
	}
	return free
}

// ipNumbers gives the addresses of sites dense numbers, from 1 on. An address that no site
// has any more gives its number back: names that change theirs every minute would make up
// new numbers for ever.
type ipNumbers struct {
	v4   map[uint32]uint32     // numbers of IPv4 addresses
	v6   map[netip.Addr]uint32 // and of others
	Bits *graph.Column[uint32] // by number: the IPv4 address; 0: see wide
	wide map[uint32]netip.Addr // by number: others
	uses *graph.Column[uint32] // by number: sites that have it
	left []uint32              // numbers that no site has any more and that are not free yet: see reclaim
	free freeNumbers
}

func NewIPNumbers(set *graph.Set, max int) ipNumbers {
	x := ipNumbers{
		v4: map[uint32]uint32{}, v6: map[netip.Addr]uint32{}, wide: map[uint32]netip.Addr{},
		Bits: graph.NewColumnIn[uint32](set, "address ip", max+1), uses: graph.NewColumnIn[uint32](set, "address sites", max+1),
	}
	x.add(netip.Addr{})
	return x
}

// add gives an address the next number.
func (x *ipNumbers) add(a netip.Addr) {
	n := uint32(x.Bits.Len())
	x.Bits.Append(0)
	x.uses.Append(0)
	if a.IsValid() {
		x.set(n, a)
	}
}

func (x *ipNumbers) set(n uint32, a netip.Addr) {
	if v, ok := bitsOf(a); ok {
		x.Bits.Set(int(n), v)
		x.v4[v] = n
		return
	}
	x.wide[n], x.v6[a] = a, n
}

// bitsOf is an IPv4 address as a number. That of no address, 0.0.0.0, is not one of them.
func bitsOf(a netip.Addr) (v uint32, ok bool) {
	if !a.Is4() {
		return 0, false
	}
	b := a.As4()
	v = binary.BigEndian.Uint32(b[:])
	return v, v != 0
}

// Number is that of an address; a new one gets the smallest that is free.
func (x *ipNumbers) Number(a netip.Addr) (n uint32) {
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
		n = uint32(x.Bits.Len())
		x.add(a)
	}
	return n
}

// At is the address with a number; the zero Addr has none.
func (x *ipNumbers) At(n uint32) netip.Addr {
	if v := x.Bits.At(int(n)); v != 0 {
		return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, v)))
	}
	return x.wide[n]
}

// use counts a site that has the address with a number, drop one that has it no longer.
func (x *ipNumbers) use(n uint32) { x.uses.Slice()[n]++ }

func (x *ipNumbers) drop(n uint32) {
	uses := x.uses.Slice()
	if uses[n]--; uses[n] == 0 && !slices.Contains(x.left, n) {
		x.left = append(x.left, n)
	}
}

// reclaim frees the numbers of addresses that no site has any more, once their delay has
// passed: until then a site that comes to such an address must find its number.
func (x *ipNumbers) reclaim(idle func(n uint32) bool) {
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

func (x *ipNumbers) forget(n uint32) {
	if v := x.Bits.At(int(n)); v != 0 {
		delete(x.v4, v)
		x.Bits.Set(int(n), 0)
	} else {
		delete(x.v6, x.wide[n])
		delete(x.wide, n)
	}
	x.free.put(n)
}

// bytes is the memory of the maps; the columns count themselves.
func (x *ipNumbers) bytes() int64 {
	return 16*int64(len(x.v4)) + 96*int64(len(x.v6)) + 4*int64(cap(x.free))
}

// Save is all addresses by number, less 1; those of free numbers are the zero Addr.
func (x *ipNumbers) Save() (list []netip.Addr) {
	for n := 1; n < x.Bits.Len(); n++ {
		list = append(list, x.At(uint32(n)))
	}
	return list
}

// Load takes over what was saved; by tells which site has which.
func (x *ipNumbers) Load(list []netip.Addr, by []uint32) error {
	for _, a := range list {
		x.add(a)
	}
	for _, n := range by {
		if int(n) >= x.uses.Len() {
			return fmt.Errorf("a site has address %d of %d", n, x.uses.Len()-1)
		}
		x.uses.Slice()[n] += min(1, n)
	}
	for _, n := range unused(x.uses.Slice()) { // in their order, which is a heap
		if x.At(n).IsValid() {
			x.left = append(x.left, n)
		} else {
			x.free = append(x.free, n)
		}
	}
	return nil
}
