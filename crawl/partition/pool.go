package partition

import (
	"sync"

	"github.com/winnow-crawler/winnow/exchange"
)

// A pool holds the permits for harvesters that all partitions share.
type pool struct {
	mu         sync.Mutex
	free       int
	applicants []applicant
	turns      exchange.Turns
	offers     []exchange.Offer // by partition: what it could fetch, if it waits
	turn       uint64           // permits that were kept for somebody so far
	wake       func(self int)
	paused     bool // nobody gets a permit
}

// An applicant is what the pool knows of a partition.
type applicant struct {
	waits bool
	since uint64 // turn when it began to wait
	kept  []int  // permits that are kept for it: the boards that choose the pages
	taken int
}

// fairTurn is how often a permit goes to the partition that has waited longest, so that none
// starves: every so many times.
const fairTurn = 8

func newPool(permits, partitions int, wake func(int)) *pool {
	return &pool{free: permits, applicants: make([]applicant, partitions), offers: make([]exchange.Offer, partitions), wake: wake}
}

func (p *pool) take(self int) (board int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.applicants[self]
	switch {
	case len(s.kept) > 0:
		board, s.kept = s.kept[0], s.kept[1:]
	case p.free > 0 && !p.paused:
		board = -1
		p.free--
	default:
		return -1, false
	}
	s.taken++
	p.waits(self, false)
	return board, true
}

// waits notes whether a partition waits for a permit. One that does not offers nothing.
func (p *pool) waits(self int, waits bool) {
	if p.applicants[self].waits = waits; !waits {
		p.offers[self].Values = p.offers[self].Values[:0]
	}
}

func (p *pool) want(self int, values, shares []float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.applicants[self]
	if !s.waits {
		s.since = p.turn
	}
	s.waits = true
	at := &p.offers[self]
	at.Values, at.Shares = append(at.Values[:0], values...), append(at.Shares[:0], shares...)
	p.assign()
}

func (p *pool) decline(self int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.applicants[self]
	p.free += len(s.kept)
	s.kept = nil
	p.waits(self, false)
	p.assign()
}

func (p *pool) give(self, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.applicants[self].taken -= n
	p.free += n
	p.assign()
}

// leave gives back all that a partition has, when its run has ended.
func (p *pool) leave(self int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.applicants[self]
	p.free += len(s.kept) + s.taken
	*s = applicant{}
	p.waits(self, false)
	p.assign()
}

// pause lets nobody have a permit, or goes on. Permits that are kept are taken back.
func (p *pool) pause(paused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused == paused {
		return
	}
	p.paused = paused
	for i := range p.applicants {
		p.free += len(p.applicants[i].kept)
		p.applicants[i].kept = nil
		p.wake(i) // it asks again
	}
	p.assign()
}

// assign keeps free permits for those who wait.
func (p *pool) assign() {
	for p.free > 0 && !p.paused {
		best, board, ok := p.next()
		if !ok {
			return
		}
		p.turn++
		p.free--
		p.applicants[best].kept = append(p.applicants[best].kept, board)
		p.waits(best, false)
		p.wake(best)
	}
}

// next returns the partition that gets the next permit, and the board that chooses its page: -1 if
// it is its own choice.
func (p *pool) next() (best, board int, ok bool) {
	if p.turn%fairTurn != fairTurn-1 {
		return p.turns.Next(p.offers)
	}
	for i := range p.applicants {
		if s := &p.applicants[i]; s.waits && (!ok || s.since < p.applicants[best].since) {
			best, ok = i, true
		}
	}
	return best, -1, ok
}

// permits is the pool as one partition sees it.
type permits struct {
	pool *pool
	self int
}

func (x permits) Take() (board int, ok bool)    { return x.pool.take(x.self) }
func (x permits) Want(values, shares []float64) { x.pool.want(x.self, values, shares) }
func (x permits) Decline()                      { x.pool.decline(x.self) }
func (x permits) Give(n int)                    { x.pool.give(x.self, n) }
