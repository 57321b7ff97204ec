package frontier

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/queue"
)

// orders holds the queues in which pages wait: one board for each order that a policy
// keeps.
type orders struct {
	boards  []board
	queues  []*queue.Queue // of all boards
	sitesBy int            // the first board of those that choose the site; -1: the one that chooses the page
	offered []*queue.Queue // the queues in which sites are offered, those of pages first
	mixer   policy.Mixer   // chooses the board of the next page; nil: the first
	lead    int            // 1 + the board that chooses it instead; 0: none does
	sites   policy.Mixer   // chooses the board of its site, from sitesBy on; nil: the first
	discounts
	urgent []graph.Page // they wait, and go before all others: the first one first
}

// A board is one order of the pages. active holds those that may be handed out. In batch
// modes pool holds the others; it is nil otherwise.
type board struct {
	active, pool *queue.Queue
	face         *policy.Board // what the policy sees
}

// queue returns the active queue or the pool.
func (b board) queue(active bool) *queue.Queue {
	if active {
		return b.active
	}
	return b.pool
}

// add makes a board and adds its columns to set.
func (x *orders) add(set *graph.Set, o *Options) *policy.Board {
	newQueue := func(name string) *queue.Queue {
		q := queue.New(name, o.MaxPages, o.MaxSites)
		x.queues = append(x.queues, q)
		graph.AddTo(set, q)
		return q
	}
	name := fmt.Sprintf("board %d", len(x.boards))
	b := board{active: newQueue(name)}
	if o.Mode != Continuous {
		b.pool = newQueue(name + " pool")
	}
	b.face = queue.NewBoard(b.active, b.pool)
	x.boards = append(x.boards, b)
	return b.face
}

// chooseOffered chooses the queues in which sites are offered.
func (x *orders) chooseOffered() {
	for i, b := range x.boards {
		if i >= x.sitesBy {
			x.offered = append(x.offered, b.active)
		}
	}
}

// pageBoards returns the number of boards that can choose a page: the first ones.
func (x *orders) pageBoards() int {
	if x.sitesBy >= 0 {
		return x.sitesBy
	}
	return len(x.boards)
}

// turn returns the board that chooses the next page, and the one that chooses its site.
func (x *orders) turn() (page, site int) {
	switch {
	case x.lead > 0:
		page = x.lead - 1
	case x.mixer != nil:
		page = x.mixer.Turn()
	}
	if x.sitesBy >= 0 {
		return page, x.sitesBy + x.siteTurn()
	}
	return page, page
}

// shutOut reports whether sites have something to hand out whose address is busy.
func (x *orders) shutOut() bool {
	return slices.ContainsFunc(x.offered, func(q *queue.Queue) bool { return q.ShutOut() > 0 })
}

// siteTurn returns the board of the policy for sites that chooses the next site.
func (x *orders) siteTurn() int {
	if x.sites == nil {
		return 0
	}
	return x.sites.Turn()
}

// best returns the best site that may be requested now, and the board that chooses its
// page.
func (x *orders) best() (board uint8, s graph.Site, ok bool) {
	page, s, ok := x.bestIn(true)
	if u, some := x.urgentSite(); some {
		s, ok = u, true
	}
	return uint8(page), s, ok
}

// bestIn returns the best site of the active queues or of the pools, and the board that
// chooses its page. If the board whose turn it is has no site, as one that keeps sites closed,
// the first board that has one takes its place.
func (x *orders) bestIn(active bool) (page int, s graph.Site, ok bool) {
	page, site := x.turn()
	if s, ok = x.boards[site].queue(active).Best(); ok {
		return page, s, true
	}
	for i := max(0, x.sitesBy); i < len(x.boards); i++ {
		if s, ok = x.boards[i].queue(active).Best(); ok {
			if x.sitesBy < 0 {
				page = i
			}
			return page, s, true
		}
	}
	return page, s, false
}

// site returns the site of p.
func (x *orders) site(p graph.Page) graph.Site { return x.boards[0].active.SiteOf(p) }

// len returns the number of pages of s that may be handed out.
func (x *orders) len(s graph.Site) int { return x.boards[0].active.Len(s) }

// waits reports whether p waits in the queues.
func (x *orders) waits(p graph.Page) bool {
	b := x.boards[0]
	return b.active.Waits(p) || b.pool != nil && b.pool.Waits(p)
}

// first returns the best page of s on a board.
func (x *orders) first(board uint8, s graph.Site) (graph.Page, bool) {
	if p, ok := x.urgentOf(s); ok {
		return p, true
	}
	return x.boards[board].active.First(s)
}

// any returns a page of s that waits, whether it may be handed out or not.
func (x *orders) any(s graph.Site) (graph.Page, bool) {
	b := x.boards[0]
	if p, ok := b.active.First(s); ok || b.pool == nil {
		return p, ok
	}
	return b.pool.First(s)
}

// value returns the value of p on a board, without its discount.
func (x *orders) value(p graph.Page, board int) float64 {
	q := x.boards[board].active
	if q.Waits(p) && x.discounted(p) {
		return queue.Raise(q.Value(p))
	}
	return q.Value(p)
}

// addPage makes p, the next page, known.
func (x *orders) addPage(p graph.Page, s graph.Site) {
	for _, q := range x.queues {
		q.Page(p, s)
	}
}

// addSite makes s, the next site, known.
func (x *orders) addSite(s graph.Site) {
	for _, q := range x.queues {
		q.Site(s)
	}
	x.offerPool(s)
}

// push lets p wait: for the next batch if there are batches.
func (x *orders) push(p graph.Page) {
	for _, b := range x.boards {
		q := b.queue(b.pool == nil)
		x.lower(q, p)
		q.Push(p)
	}
}

// remove takes p out of the queues, and reports whether it could have been handed out.
func (x *orders) remove(p graph.Page) (active bool) {
	x.calm(p)
	active = x.boards[0].active.Waits(p)
	for _, b := range x.boards {
		q := b.queue(active)
		q.Remove(p)
		x.raise(q, p)
	}
	return active
}

// shift moves p into the batch or out of it.
func (x *orders) shift(p graph.Page, in bool) {
	for _, b := range x.boards {
		from, to := b.queue(!in), b.queue(in)
		to.Set(p, from.Value(p)) // Rescore skips the queue in which p does not wait
		from.Remove(p)
		to.Push(p)
		x.raise(from, p)
	}
}

// offerPool lets the pages of s be chosen for a batch.
func (x *orders) offerPool(s graph.Site) {
	for _, b := range x.boards {
		if b.pool != nil {
			b.pool.Offer(s)
		}
	}
}

// withdrawPool keeps the pages of s from being chosen for a batch.
func (x *orders) withdrawPool(s graph.Site) {
	for _, b := range x.boards {
		b.pool.Withdraw(s)
	}
}

// bestOfPool returns the best page for a batch and its site.
func (x *orders) bestOfPool() (p graph.Page, s graph.Site, ok bool) {
	page, s, ok := x.bestIn(false)
	if ok {
		p, _ = x.boards[page].pool.First(s)
	}
	return p, s, ok
}

// rebuild makes the heaps after the columns were loaded.
func (x *orders) rebuild(sites int) {
	for _, q := range x.queues {
		q.Rebuild(sites)
	}
	for s := range sites {
		x.offerPool(graph.Site(s))
	}
}

// heapBytes returns the memory of the queues that is on the Go heap.
func (x *orders) heapBytes() (n int64) {
	for _, q := range x.queues {
		n += q.HeapBytes()
	}
	return n
}
