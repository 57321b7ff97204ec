package freshness

import (
	"container/heap"

	"github.com/winnow-crawler/winnow/graph"
)

// soon holds pages that are to be visited again before the present round ends: they are
// worth so much, or change so often, that rounds are too long for them.
type soon struct{ heap instants }

// soonest is the number of visits of a page in a round, at most.
const soonest = 16

// hurry lets a page be visited again within the round, if its gain will reach by then what
// others have that are taken.
func (p *Plan) hurry(now uint32, id graph.Page, x *page) {
	if !p.o.Allocation.marginal || p.bound <= 0 {
		return
	}
	length := p.round.length
	c := p.copyOf(x, float64(now))
	c.Age = length
	if c.Weight*c.Rate*length*length < 2*p.bound || marginalGain(c) < p.bound { // gained(x) <= x*x/2
		return
	}
	if wait := max(1, length/soonest, reached(c.Weight, c.Rate, p.bound)); wait < length {
		heap.Push(&p.soon.heap, instant{now + uint32(wait), id})
	}
}

// next returns a page whose instant has come.
func (s *soon) next(now uint32) (id graph.Page, ok bool) {
	if len(s.heap) == 0 || s.heap[0].at > now {
		return graph.NoPage, false
	}
	return heap.Pop(&s.heap).(instant).page, true
}

// An instant is when a page is to be visited.
type instant struct {
	at   uint32
	page graph.Page
}

// instants is a heap, the earliest first.
type instants []instant

func (h instants) Len() int { return len(h) }
func (h instants) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].page < h[j].page
}
func (h instants) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *instants) Push(x any)   { *h = append(*h, x.(instant)) }
func (h *instants) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
