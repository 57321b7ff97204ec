package rank

import (
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
)

// A bitset is one bit for each page.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(p graph.Page) bool { return b[p/64]>>(p%64)&1 != 0 }
func (b bitset) set(p graph.Page)      { b[p/64] |= 1 << (p % 64) }

func (b bitset) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}
