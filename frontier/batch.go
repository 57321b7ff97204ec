package frontier

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// batches chooses batches of pages. Only pages of the batch are handed out.
type batches struct {
	parts
	list  []graph.Page // pages of the batch; some may have left it
	whole int          // size of the batch when it was chosen
}

// aheadBatches is the largest number of batches under way in mode Ahead. A policy that
// stays in few sites keeps few fetchers busy with one batch.
const aheadBatches = 8

// pooled returns the number of pages that wait for the next batch.
func (x *batches) pooled() int {
	if x.o.Mode == Continuous {
		return 0
	}
	return x.pages.queued - x.pages.inBatch
}

// next chooses the next batch if it is time, and reports whether it did. flying is the
// number of tasks under way.
//
// In mode Thesis it is time when all pages of the last batch are done, or when fewer than
// MinActive tasks are under way and a tenth of the batch was handed out. The tenth is
// there because choosing costs as much as the batch is long. In mode Ahead it is time as
// soon as nothing can be handed out, with at most aheadBatches under way at once.
func (x *batches) next(now time.Duration, flying int) bool {
	if x.o.Mode == Continuous {
		return false
	}
	left := x.pages.inBatch
	_, _, any := x.orders.bestOfPool()
	switch {
	case !any: // nothing else is known, or the policy withholds all of it
		return false
	case x.o.Mode == Ahead:
		if left > (aheadBatches-1)*x.o.Batch {
			return false
		}
	case left == 0 && flying == 0:
	case flying < x.o.MinActive && 10*(x.whole-left) >= x.whole:
		x.carryOver()
	default:
		return false
	}
	x.policies.finish()
	x.choose(now)
	return true
}

// carryOver returns the rest of the batch to the pool.
func (x *batches) carryOver() {
	x.trim()
	for _, p := range x.list {
		x.orders.shift(p, false)
		x.sites.lost(x.orders.site(p))
	}
	x.list, x.pages.inBatch = x.list[:0], 0
}

// trim removes the pages that left the batch from its list.
func (x *batches) trim() {
	x.list = slices.DeleteFunc(x.list, func(p graph.Page) bool { return !x.orders.boards[0].active.Waits(p) })
}

// choose moves the best pages into the batch, in the order of the policies, whether their
// sites may be requested now or not. No site gets more than its share.
func (x *batches) choose(now time.Duration) {
	limit := x.o.Batch
	if x.o.SiteShare > 0 {
		limit = max(1, int(x.o.SiteShare*float64(x.o.Batch)))
	}
	taken := map[graph.Site]int{}
	var full []graph.Site
	x.trim()
	old := len(x.list)
	for range x.o.Batch {
		p, s, ok := x.orders.bestOfPool()
		if !ok {
			break
		}
		x.orders.shift(p, true)
		x.sites.gained(s)
		x.list = append(x.list, p)
		if taken[s]++; taken[s] == limit {
			full = append(full, s)
			x.orders.withdrawPool(s)
		}
	}
	for _, s := range full {
		x.orders.offerPool(s)
	}
	x.whole = len(x.list)
	x.pages.inBatch = x.whole
	if x.o.Batched != nil {
		x.o.Batched(now, x.list[old:])
	}
}
