package number

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/robots"
)

// Rules holds the rules of all robots.txt files. Most sites have none or the same as
// many others, so each text is kept once, with the number of sites that have it. A text
// that no site has any more is forgotten. Number 0 allows everything.
type Rules struct {
	list    []robots.Rules
	uses    []uint32
	numbers map[robots.Rules]uint32
	free    freeNumbers
	size    int64 // bytes of all texts
}

// NewRules returns the rules that allow everything, and no others.
func NewRules() Rules {
	return Rules{list: []robots.Rules{{}}, uses: []uint32{0}, numbers: map[robots.Rules]uint32{}}
}

// At returns the text with a number.
func (x *Rules) At(n uint32) robots.Rules { return x.list[n] }

// Use returns the number of a text and counts one more user of it.
func (x *Rules) Use(r robots.Rules) uint32 {
	if r == (robots.Rules{}) {
		return 0
	}
	n, ok := x.numbers[r]
	if !ok {
		if n, ok = x.free.take(); !ok {
			n = uint32(len(x.list))
			x.list, x.uses = append(x.list, robots.Rules{}), append(x.uses, 0)
		}
		x.set(n, r)
	}
	x.uses[n]++
	return n
}

func (x *Rules) set(n uint32, r robots.Rules) {
	x.list[n], x.numbers[r] = r, n
	x.size += int64(r.Size())
}

// Drop removes a user.
func (x *Rules) Drop(n uint32) {
	if n == 0 {
		return // they are not counted
	}
	if x.uses[n]--; x.uses[n] > 0 {
		return
	}
	x.size -= int64(x.list[n].Size())
	delete(x.numbers, x.list[n])
	x.list[n] = robots.Rules{}
	x.free.put(n)
}

// Bytes returns the memory of the texts, their places in the list and their entries in the
// map.
func (x *Rules) Bytes() int64 { return x.size + 64*int64(cap(x.list)) }

// Save returns all texts by number. Those of free numbers are empty.
func (x *Rules) Save() (list [][]byte) {
	for n, r := range x.list {
		var b []byte
		if x.uses[n] > 0 {
			b, _ = r.AppendBinary(nil) // it never fails
		}
		list = append(list, b)
	}
	return list
}

// Load replaces the texts by saved ones. by holds the number of each site.
func (x *Rules) Load(list [][]byte, by []uint32) error {
	*x = NewRules()
	for n := 1; n < len(list); n++ {
		x.list, x.uses = append(x.list, robots.Rules{}), append(x.uses, 0)
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
		if int(n) >= len(x.list) {
			return fmt.Errorf("a site has rules %d of %d", n, len(x.list))
		}
		x.uses[n] += min(1, n)
	}
	x.free = unused(x.uses)
	return nil
}
