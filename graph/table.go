package graph

import (
	"math/bits"

	"github.com/zeebo/xxh3"
)

// A urlTable finds the page of a URL: open addressing with linear probing over
// three quarters filled slots, a page id and one byte of the hash in each: 6.7
// bytes a page. A slot whose byte agrees is confirmed by reading the URL itself,
// so the answer is exact.
type urlTable struct {
	pages []Page // NoPage: empty
	tags  []uint8
}

func tableSlots(pages int) int { return pages/3*4 + 4 }

func newURLTable(pages int) *urlTable {
	n := tableSlots(pages)
	t := &urlTable{pages: make([]Page, n), tags: make([]uint8, n)}
	for i := range t.pages {
		t.pages[i] = NoPage
	}
	return t
}

// place returns the slot at which the search for a hash begins.
func (t *urlTable) place(hash uint64) int {
	hi, _ := bits.Mul64(hash, uint64(len(t.pages)))
	return int(hi)
}

// insert adds page p, unless same(q) holds for a page q with the same hash byte that is
// there already. It returns q then.
func (t *urlTable) insert(hash uint64, p Page, same func(q Page) bool) (q Page, found bool) {
	tag := uint8(hash)
	for i := t.place(hash); ; i++ {
		if i == len(t.pages) {
			i = 0
		}
		switch q := t.pages[i]; {
		case q == NoPage:
			t.pages[i], t.tags[i] = p, tag
			return p, false
		case t.tags[i] == tag && same(q):
			return q, true
		}
	}
}

// find returns the page for which same holds.
func (t *urlTable) find(hash uint64, same func(q Page) bool) (Page, bool) {
	tag := uint8(hash)
	i := t.place(hash)
	for range t.pages {
		switch q := t.pages[i]; {
		case q == NoPage:
			return NoPage, false
		case t.tags[i] == tag && same(q):
			return q, true
		}
		if i++; i == len(t.pages) {
			i = 0
		}
	}
	return NoPage, false
}

func hashURL(url []byte) uint64 { return xxh3.Hash(url) }
