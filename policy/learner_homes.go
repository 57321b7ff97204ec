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

// homeKey returns the key of a home: it does not depend on its links.
func homeKey(told uint64) uint64 { return order.Hash(told & (1<<homeOut - 1)) }

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
	key := homeKey(told)
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

// Where URLs are not known a group is the pages found on one page, and has few labels. In one piece it
// is drawn towards the groups above it. Here these are in the partition of its home, which tells
// what it expects of the group: that is what the group is drawn towards.

// meanSteps is the number of steps of 1 in a mean that is told.
const meanSteps = 1 << 10

// packMeans returns the means of a group as one number, which is not 0.
func packMeans(label, finds float32) uint32 {
	step := func(v float32) uint32 { return uint32(max(1, min(float64(v)*meanSteps+1<<15, math.MaxUint16))) }
	return step(label)<<16 | step(finds)
}

// meansTold returns the means of a group as its home tells them.
func (t *trade) meansTold(g group.ID) (label, finds float32, ok bool) {
	if t.means == nil || t.means.At(int(g)) == 0 {
		return 0, 0, false
	}
	told := t.means.At(int(g))
	return (float32(told>>16) - 1<<15) / meanSteps, (float32(told&math.MaxUint16) - 1<<15) / meanSteps, true
}

// takeMeans notes the means of the group of p, if its home tells them.
func (l *learner) takeMeans(p graph.Page, amounts []float64) {
	home, ok := l.trade.home(p)
	if !ok || !(amounts[1] > 0 && amounts[1] < 1<<53 && amounts[2] > 0 && amounts[2] <= math.MaxUint32) {
		return
	}
	told, ok := l.trade.homes.keys.Find(homeKey(uint64(amounts[1])))
	if g := l.tree.Up(group.ID(l.group.At(int(p)))); ok && told == home && g != 0 {
		l.trade.means.Set(int(g), uint32(amounts[2]))
	}
}
