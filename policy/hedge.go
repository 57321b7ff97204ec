package policy

import (
	"fmt"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/mix"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Hedge: a mix whose weights follow what the parts have found. It is winnow's own, after
// Freund, Schapire 1997.
//
//	weight(i) = floor + (1 - k floor) 2^(eta m(i)) / (sum over all k parts of 2^(eta m))
//	m(i) = mean of log2(0.05 + mass(p)) over pages p that part i handed out lately
//	mass(p) = sum over links q -> p of 1/out(q)
//
// So a part gains if fetched pages link to what it chose, also links that were found later.
// Lately means among the last k max(30, fetched/8) hand-outs, without the newest tenth, since
// little is known of those. A part with fewer than 5 pages there counts as the best. Weights
// change after 20 fetched pages, and then whenever their number has grown by a twentieth, 20 at
// least. floor is 0.1, or 1/2k if there are more than 5 parts.
//
// It knows what its parts know, and the links of fetched pages. Cost per link: that of all
// parts and one addition; per page: 3k reads, in slices.
//
// Where it fails: mass is known of pages that many link to, so a part that finds the way to
// unknown regions gets too little credit.

func hedgeSpec() *Spec {
	return &Spec{
		Name:   "hedge",
		What:   "several policies in turn, more often those whose pages gain links: hedge:opic+xim",
		Params: []Param{{Name: "eta", Default: "3", What: "how sharply weights follow the credit, 0 to 100"}},
		Of:     "opic+opic/cash=all+xim",
		NewOf:  newHedge,
	}
}

type hedge struct {
	*mix.Mix
	eta    float64
	mass   *graph.Column[float64]    // by page
	chosen *graph.Column[uint8]      // by page: 1 + the member that handed it out first, 0 for none
	picks  *graph.Column[graph.Page] // the pages in the order in which they were first handed out

	sums    *graph.Column[float64] // by member: credit of the pages seen so far
	counts  *graph.Column[uint64]  // by member: their number
	numbers *graph.Column[uint64]  // see hedgeFetched
}

// The indexes of hedge.numbers.
const (
	hedgeFetched = iota // pages fetched or failed
	hedgeNext           // number of them at which weights change
	hedgeAt             // the pick to look at next
	hedgeEnd            // the end of those to look at; hedgeAt if there are none
	hedgeNumbers
)

const (
	hedgeFirst = 20 // pages before weights change, and the least between two changes
	hedgeFewer = 5  // picks of which nothing can be concluded
)

func newHedge(e *Env, params Params, members []Member) (Policy, error) {
	eta, err := params.Int("eta", 3, 0, 100)
	if err != nil {
		return nil, err
	}
	for i, m := range members {
		if m.Weight != 1 {
			return nil, fmt.Errorf("part %d has a weight, but hedge finds the weights itself: give it without *, or use mix", i+1)
		}
	}
	h := &hedge{Mix: mix.New(e, members), eta: float64(eta)}
	h.mass = graph.NewColumnIn[float64](&h.Set, "hedge mass", e.MaxPages)
	h.chosen = graph.NewColumnIn[uint8](&h.Set, "hedge chosen by", e.MaxPages)
	h.picks = graph.NewColumnIn[graph.Page](&h.Set, "hedge picks", e.MaxPages)
	h.sums = graph.NewColumnIn[float64](&h.Set, "hedge sums", len(members))
	h.counts = graph.NewColumnIn[uint64](&h.Set, "hedge counts", len(members))
	h.numbers = graph.NewColumnIn[uint64](&h.Set, "hedge numbers", hedgeNumbers)
	h.sums.Grow(len(members))
	h.counts.Grow(len(members))
	h.numbers.Grow(hedgeNumbers)
	h.numbers.Set(hedgeNext, hedgeFirst)
	return h, nil
}

func (h *hedge) Known(p, from graph.Page) {
	h.mass.Append(0)
	h.chosen.Append(0)
	h.Mix.Known(p, from)
}

// Taken remembers which member chose p.
func (h *hedge) Taken(now time.Duration, p graph.Page, board int) {
	if h.chosen.At(int(p)) == 0 {
		h.chosen.Set(int(p), uint8(h.Owner(board))+1)
		h.picks.Append(p)
	}
	h.Mix.Taken(now, p, board)
}

func (h *hedge) Done(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	h.Mix.Done(now, p, o, links)
	if o.Again {
		return
	}
	num := h.numbers.Slice()
	num[hedgeFetched]++
	if order.Brought(o) && len(links) > 0 {
		mass, part := h.mass.Slice(), 1/float64(len(links))
		for _, q := range links {
			mass[q] += part
		}
	}
	if num[hedgeFetched] >= num[hedgeNext] {
		num[hedgeNext] = num[hedgeFetched] + max(hedgeFirst, num[hedgeFetched]/20)
		h.look()
	}
}

// look begins to look at the pages that were handed out lately.
func (h *hedge) look() {
	num := h.numbers.Slice()
	n := min(uint64(len(h.Members))*max(30, num[hedgeFetched]/8), uint64(h.picks.Len()))
	num[hedgeAt] = uint64(h.picks.Len()) - n
	num[hedgeEnd] = uint64(h.picks.Len()) - n/10
	clear(h.sums.Slice())
	clear(h.counts.Slice())
}

// Work looks at some pages, and sets the weights after the last one.
func (h *hedge) Work(links int) (more bool) {
	more = h.Mix.Work(links)
	num := h.numbers.Slice()
	if num[hedgeAt] == num[hedgeEnd] {
		return more
	}
	end := num[hedgeAt] + min(uint64(links), num[hedgeEnd]-num[hedgeAt])
	for _, p := range h.picks.Slice()[num[hedgeAt]:end] {
		by := h.chosen.At(int(p)) - 1
		h.sums.Slice()[by] += order.Log2(0.05 + h.mass.At(int(p)))
		h.counts.Slice()[by]++
	}
	if num[hedgeAt] = end; end < num[hedgeEnd] {
		return true
	}
	h.weigh()
	return more
}

// weigh sets the weights by the means of the members.
func (h *hedge) weigh() {
	means := make([]float64, len(h.Members))
	for i := range means {
		means[i] = math.Inf(1) // too few
		if n := h.counts.At(i); n >= hedgeFewer {
			means[i] = h.sums.At(i) / float64(n)
		}
	}
	weigh(h.Weights(), means, h.eta)
}

// weigh sets weights by credits: floor + (1 - k floor) 2^(eta m)/sum, where floor is 0.1, or
// 1/2k if there are more than 5. One with an infinite credit counts as the best of the others.
func weigh(weights, credits []float64, eta float64) {
	best := math.Inf(-1)
	for _, m := range credits {
		if !math.IsInf(m, 1) {
			best = max(best, m)
		}
	}
	if math.IsInf(best, -1) {
		return
	}
	sum := 0.0
	for i, m := range credits {
		weights[i] = order.Exp2(eta * (min(m, best) - best))
		sum += weights[i]
	}
	k := float64(len(credits))
	floor := min(0.1, 1/(2*k))
	for i, v := range weights {
		weights[i] = floor + float64((1-float64(k*floor))*v)/sum
	}
}
