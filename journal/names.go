package journal

import (
	"errors"
	"fmt"
	"math"
)

// Names holds the URLs of pages that became known, in the order of their ids: the rest of
// each (what follows scheme, host and port) and, where its site is new, the name of the
// site. The zero value has none. They lie one after the other in one slice, without an
// allocation for each.
type Names struct {
	b    []byte
	ends []nameEnd
}

// A nameEnd holds the ends of a name: of its site first, then of its rest.
type nameEnd struct{ site, rest uint32 }

// Add adds a page. site is nil unless its site is new.
func (n *Names) Add(site, rest []byte) {
	n.b = append(n.b, site...)
	mid := len(n.b)
	n.b = append(n.b, rest...)
	n.close(mid)
}

// close ends a name whose site ends at mid.
func (n *Names) close(mid int) {
	if len(n.b) > math.MaxUint32 {
		panic(fmt.Sprintf("journal: names of %d bytes", len(n.b)))
	}
	n.ends = append(n.ends, nameEnd{uint32(mid), uint32(len(n.b))})
}

// Len returns the number of pages.
func (n *Names) Len() int { return len(n.ends) }

// Site returns the name of the site of page i, nil unless it is new. It is valid until Reset.
func (n *Names) Site(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = n.ends[i-1].rest
	}
	if to := n.ends[i].site; to > from {
		return n.b[from:to:to]
	}
	return nil
}

// Rest returns what follows the site in the URL of page i. It is valid until Reset.
func (n *Names) Rest(i int) []byte {
	e := n.ends[i]
	return n.b[e.site:e.rest:e.rest]
}

// Reset removes all names, and keeps the memory.
func (n *Names) Reset() { n.b, n.ends = n.b[:0], n.ends[:0] }

// maxShared bounds how many bytes a rest shares with the one before: what a record of n
// bytes becomes in memory is at most maxShared/3*n.
const maxShared = 255

// names writes names: each as twice the number of bytes that its rest shares with the one
// before, plus 1 if its site is new; that site; and the remainder of the rest. URLs in one
// page have much in common.
func (w *writer) names(n *Names) {
	var before []byte
	for i := range n.Len() {
		site, rest := n.Site(i), n.Rest(i)
		shared := common(before, rest)
		if site == nil {
			w.uint(uint64(2 * shared))
		} else {
			w.uint(uint64(2*shared + 1))
			w.bytes(site)
		}
		w.bytes(rest[shared:])
		before = rest
	}
}

// common returns the number of bytes, maxShared at most, with which both a and b begin.
func common(a, b []byte) int {
	most := min(len(a), len(b), maxShared)
	for i := range most {
		if a[i] != b[i] {
			return i
		}
	}
	return most
}

// names reads count names.
func (d *reader) names(n *Names, count int) {
	for i := 0; i < count && d.err == nil; i++ {
		head := d.uint()
		if head&1 != 0 {
			site := d.bytes()
			if len(site) == 0 {
				d.fail(errors.New("a site without a name"))
			}
			n.b = append(n.b, site...)
		}
		d.rest(n, i, head>>1)
	}
}

// rest reads the remainder of name i, whose site is at the end of n.b.
func (d *reader) rest(n *Names, i int, shared uint64) {
	var before []byte
	if i > 0 {
		before = n.Rest(i - 1)
	}
	if shared > uint64(min(len(before), maxShared)) {
		d.fail(fmt.Errorf("%d bytes shared with a name of %d", shared, len(before)))
		return
	}
	mid := len(n.b)
	n.b = append(n.b, before[:shared]...)
	n.b = append(n.b, d.bytes()...)
	if common(before, n.b[mid:]) != int(shared) {
		d.fail(errors.New("a name shares more than it says"))
	}
	n.close(mid)
}
