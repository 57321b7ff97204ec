package frontier

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
)

// batches is the state of batch modes.
type batches struct {
	left  int          // pages of the batch that wait to be handed out; of no meaning in mode Continuous
	whole int          // left when it was chosen
	pages []graph.Page // those of the batch, some of which may have left it
}

// aheadBatches is how many batches may be under way in mode Ahead. A batch of an order
// that stays in few sites keeps few fetchers busy, so it takes several.
const aheadBatches = 8

// pooled is the number of pages that wait for the next batch.
func (f *Frontier) pooled() int {
	if f.o.Mode == Continuous {
		return 0
	}
	return f.queued - f.batch.left
}

// nextBatch chooses the next batch if it is time, and reports whether there is one.
//
// In mode Thesis it is time when all pages of the last one have come, or (S13) when
// fewer than MinActive works are under way and a tenth of it was handed out: to choose
// costs as much as the batch is long, and must not be done for every page. In mode
// Ahead it is time as soon as nothing can be handed out, with at most aheadBatches under
// way at once.
func (f *Frontier) nextBatch(now time.Duration) bool {
	if f.o.Mode == Continuous {
		return false
	}
	sites, _ := f.pools()
	_, any := sites.Best()
	switch {
	case !any: // nothing else is known, or the policy withholds all of it
		return false
	case f.o.Mode == Ahead:
		if f.batch.left > (aheadBatches-1)*f.o.Batch {
			return false
		}
	case f.batch.left == 0 && f.flying == 0:
	case f.flying < f.o.MinActive && 10*(f.batch.whole-f.batch.left) >= f.batch.whole:
		f.carryOver()
	default:
		return false
	}
	f.work()
	f.choose(now)
	return true
}

// carryOver sends the rest of the batch back.
func (f *Frontier) carryOver() {
	for _, p := range f.batch.pages {
		if f.boards[0].active.Waits(p) {
			f.shift(p, false)
		}
	}
	f.batch.pages, f.batch.left = f.batch.pages[:0], 0
}

// shift moves a page into the batch or out of it.
func (f *Frontier) shift(p graph.Page, in bool) {
	for _, b := range f.boards {
		from, to := b.active, b.pool
		if in {
			from, to = to, from
		}
		to.Set(p, from.Value(p)) // Rescore leaves out the queue in which p does not wait
		from.Remove(p)
		to.Push(p)
		f.raise(from, p)
	}
	if s := f.Site(p); in {
		f.gained(s)
	} else {
		f.lost(s)
	}
}

// choose moves the best K pages into the batch: by the order of the policies, whether
// their sites may be asked now or not, and at most the share of each site.
func (f *Frontier) choose(now time.Duration) {
	limit := f.o.Batch
	if f.o.SiteShare > 0 {
		limit = max(1, int(f.o.SiteShare*float64(f.o.Batch)))
	}
	taken := map[graph.Site]int{}
	var full []graph.Site
	f.batch.pages = slices.DeleteFunc(f.batch.pages, func(p graph.Page) bool { return !f.boards[0].active.Waits(p) })
	chosen := len(f.batch.pages)
	for n := 0; n < f.o.Batch; n++ {
		sites, pages := f.pools()
		s, ok := sites.Best()
		if !ok {
			break
		}
		p, _ := pages.First(s)
		f.shift(p, true)
		f.batch.pages = append(f.batch.pages, p)
		if taken[s]++; taken[s] == limit {
			full = append(full, s)
			f.offerPool(s, false)
		}
	}
	for _, s := range full {
		f.offerPool(s, true)
	}
	f.batch.left = len(f.batch.pages)
	f.batch.whole = f.batch.left
	if f.o.Batched != nil {
		f.o.Batched(now, f.batch.pages[chosen:])
	}
}

// pools is the queues from which a batch is chosen: that which orders the sites and
// that which orders the pages.
func (f *Frontier) pools() (sites, pages *queue.Queue) {
	b := f.turn()
	if f.order >= 0 {
		return f.boards[f.order].pool, f.boards[b].pool
	}
	return f.boards[b].pool, f.boards[b].pool
}

func (f *Frontier) offerPool(s graph.Site, yes bool) {
	for _, b := range f.boards {
		if yes {
			b.pool.Offer(s)
		} else {
			b.pool.Withdraw(s)
		}
	}
}
