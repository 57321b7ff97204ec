package partition

import "sync"

// A pool holds the permits for harvesters that all partitions share.
type pool struct {
	mu    sync.Mutex
	free  int
	seats []seat
	turn  uint64 // permits that were kept for somebody so far
	wake  func(self int)
}

// A seat is what the pool knows of a partition.
type seat struct {
	waits bool
	value float64 // of its best page, if it waits
	since uint64  // turn when it began to wait
	kept  int     // permits that are kept for it
	taken int
}

// fairTurn is how often a permit goes to the partition that has waited longest, so that none
// starves: every so many times.
const fairTurn = 8

func newPool(permits, partitions int, wake func(int)) *pool {
	return &pool{free: permits, seats: make([]seat, partitions), wake: wake}
}

func (p *pool) take(self int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.seats[self]
	switch {
	case s.kept > 0:
		s.kept--
	case p.free > 0:
		p.free--
	default:
		return false
	}
	s.taken++
	s.waits = false
	return true
}

func (p *pool) want(self int, value float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.seats[self]
	if !s.waits {
		s.since = p.turn
	}
	s.waits, s.value = true, value
	p.assign()
}

func (p *pool) decline(self int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.seats[self]
	p.free += s.kept
	s.kept, s.waits = 0, false
	p.assign()
}

func (p *pool) give(self, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seats[self].taken -= n
	p.free += n
	p.assign()
}

// leave gives back all that a partition has, when its run has ended.
func (p *pool) leave(self int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.seats[self]
	p.free += s.kept + s.taken
	*s = seat{}
	p.assign()
}

// assign keeps free permits for those who wait.
func (p *pool) assign() {
	for p.free > 0 {
		best := p.next()
		if best < 0 {
			return
		}
		s := &p.seats[best]
		p.turn++
		p.free--
		s.kept++
		s.waits = false
		p.wake(best)
	}
}

// next returns the partition that gets the next permit, -1 if none waits.
func (p *pool) next() int {
	best, fair := -1, p.turn%fairTurn == fairTurn-1
	for i := range p.seats {
		s := &p.seats[i]
		if !s.waits {
			continue
		}
		switch {
		case best < 0, fair && s.since < p.seats[best].since, !fair && s.value > p.seats[best].value:
			best = i
		}
	}
	return best
}

// permits is the pool as one partition sees it.
type permits struct {
	pool *pool
	self int
}

func (x permits) Take() bool         { return x.pool.take(x.self) }
func (x permits) Want(value float64) { x.pool.want(x.self, value) }
func (x permits) Decline()           { x.pool.decline(x.self) }
func (x permits) Give(n int)         { x.pool.give(x.self, n) }
