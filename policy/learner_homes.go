package policy

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/group"
	"github.com/winnow-crawler/winnow/policy/order"
)

// homes are the pages of other partitions on which pages of this one were found. Here they are
// numbers only, so that pages found on the same page are siblings, and of one group where URLs are
// not known.
type homes struct {
	told   uint64                // home of the next page, see homeOf; 0: none
	keys   *group.Table          // numbers them
	of     *graph.Column[uint32] // by page: 1 + the number of its home, 0 if it has none
	out    *graph.Column[uint16] // links of each home
	found  *graph.Column[uint16] // pages found on it
	sibSum *graph.Column[int32]  // their labels, in steps
	sibN   *graph.Column[uint32] // and the number of these
}

func newHomes(s *graph.Set, most int) homes {
	h := homes{keys: group.NewTable("foresight homes:", most)}
	graph.AddTo(s, h.keys)
	h.of = graph.NewColumnIn[uint32](s, "foresight home of", most)
	h.out = graph.NewColumnIn[uint16](s, "foresight home links", most)
	h.found = graph.NewColumnIn[uint16](s, "foresight home found", most)
	h.sibSum = graph.NewColumnIn[int32](s, "foresight home siblings", most)
	h.sibN = graph.NewColumnIn[uint32](s, "foresight home sibling counts", most)
	return h
}

// A home has its page in the lower 32 bits, then its partition plus 1 in 13 bits, and above them the
// number of its links, up to mostOut. So it fits into a float64.
const (
	homeSelf = 32
	homeOut  = homeSelf + 13
	mostOut  = 1<<8 - 1
)

// homeOf returns the page here on which p was found, as others are told; 0 if there is none.
func (l *learner) homeOf(p graph.Page) float64 {
	up := l.e.Facts.From(p)
	if up == graph.NoPage {
		return 0
	}
	out := min(uint64(l.out.At(int(up))), mostOut)
	return float64(out<<homeOut | uint64(l.e.Self+1)<<homeSelf | uint64(up))
}

// Foretell notes where the next page was found.
func (l *learner) Foretell(amounts []float64) {
	if home := amounts[1]; home > 0 && home < 1<<53 {
		l.trade.homes.told = uint64(home)
	}
}

// next gives the next page its home, and returns its number.
func (h *homes) next() (home int, ok bool) {
	told := h.told
	h.told = 0
	if told == 0 {
		h.of.Append(0)
		return 0, false
	}
	key := order.Hash(told & (1<<homeOut - 1))
	home, ok = h.keys.Find(key)
	if !ok {
		home = h.keys.Add(key)
		h.out.Append(uint16(told >> homeOut))
		h.found.Append(0)
		h.sibSum.Append(0)
		h.sibN.Append(0)
	}
	h.of.Append(uint32(home) + 1)
	return home, true
}

// placeAway returns the group of a new page without a URL that was found on a page of another
// partition.
func (l *learner) placeAway(home int) group.ID {
	h := &l.trade.homes
	nth := h.found.At(home)
	h.found.Set(home, min(nth, math.MaxUint16-1)+1)
	return l.tree.AddFound(0, graph.NoPage-1-graph.Page(home), int(nth))
}

// home returns the home of p.
func (t *trade) home(p graph.Page) (home int, ok bool) {
	if t.foreign == nil || t.homes.of.At(int(p)) == 0 {
		return 0, false
	}
	return int(t.homes.of.At(int(p))) - 1, true
}
