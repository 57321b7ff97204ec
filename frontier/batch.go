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

// starved reports whether the batch is empty because all pages that wait are of sites that may
// not be requested soon. It is tried again when a site may.
func (x *batches) starved() bool {
	return x.o.BatchWait > 0 && x.pages.inBatch == 0 && x.pooled() > 0
}

// next chooses the next batch if it is time. It reports whether it was, and whether there are
// pages in it now. flying is the number of tasks under way.
//
// In mode Thesis it is time when all pages of the last batch are done, or when fewer than
// MinActive tasks are under way, or the network is Quiet, and a tenth of the batch was handed
// out. The tenth is there because choosing costs as much as the batch is long. It is also time
// if idle: nothing is under way, and nothing can be handed out for longer than BatchWait, because
// some sites do not answer for days. In mode Ahead it is time as soon as nothing can be handed out, with at
// most aheadBatches under way at once.
func (x *batches) next(now time.Duration, flying int, idle bool) (due, chosen bool) {
	if x.o.Mode == Continuous {
		return false, false
	}
	left := x.pages.inBatch
	_, _, any := x.orders.bestOfPool()
	switch {
	case !any: // nothing else is known, or the policy withholds all of it
		return false, false
	case x.o.Mode == Ahead:
		if left > (aheadBatches-1)*x.o.Batch {
			return false, false
		}
	case left == 0 && flying == 0:
	case (flying < x.o.MinActive || x.o.Quiet != nil && x.o.Quiet()) && 10*(x.whole-left) >= x.whole:
		x.carryOver()
	case idle:
		x.carryOver()
	default:
		return false, false
	}
	x.policies.finish()
	return true, x.choose(now)
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

// far reports whether the pages of a site are left out of a batch: it may not be requested for
// longer than BatchWait.
func (x *batches) far(now time.Duration, s graph.Site) bool {
	return x.o.BatchWait > 0 && x.sites.clocks.instant(s)-now > x.o.BatchWait
}

// choose moves the best pages into the batch, in the order of the policies, whether their
// sites may be requested now or soon. No site gets more than its share. It reports whether
// there were any.
func (x *batches) choose(now time.Duration) bool {
	limit := x.o.Batch
	if x.o.SiteShare > 0 {
		limit = max(1, int(x.o.SiteShare*float64(x.o.Batch)))
	}
	taken := map[graph.Site]int{}
	var full []graph.Site
	x.trim()
	old := len(x.list)
	for len(x.list)-old < x.o.Batch {
		p, s, ok := x.orders.bestOfPool()
		if !ok {
			break
		}
		if x.far(now, s) {
			full = append(full, s)
			x.orders.withdrawPool(s)
			continue
		}
		x.join(p, s)
		if taken[s]++; taken[s] == limit {
			full = append(full, s)
			x.orders.withdrawPool(s)
		}
	}
	for _, s := range full {
		x.orders.offerPool(s)
	}
	x.whole = len(x.list)
	if x.o.Batched != nil && x.whole > old {
		x.o.Batched(now, x.list[old:])
	}
	return x.whole > old
}

// join moves a page into the batch.
func (x *batches) join(p graph.Page, s graph.Site) {
	x.orders.shift(p, true)
	x.sites.gained(s)
	x.list = append(x.list, p)
	x.pages.inBatch++
}

// hasten moves pages that wait for the next batch into this one.
func (x *batches) hasten(list []graph.Page) {
	if x.o.Mode == Continuous {
		return
	}
	for _, p := range list {
		if x.orders.boards[0].pool.Waits(p) {
			x.join(p, x.orders.site(p))
			x.whole++
		}
	}
}
