// Package poisson makes Poisson processes of hashes: when the pages of a web change.
package poisson

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
)

// epochChanges is the mean number of changes in an epoch.
const epochChanges = 4

// A Family holds what all processes of a web share: the streams of their hashes.
type Family struct {
	Epoch, Point, Join uint64
	counts             []uint64 // cumulated distribution of the number in an epoch
}

// New returns a family by its streams.
func New(epoch, point, join uint64) *Family {
	return &Family{Epoch: epoch, Point: point, Join: join, counts: poisson()}
}

// A Process is a Poisson process made of hashes. Time is cut into epochs with epochChanges
// changes on average. One hash gives the number of changes in an epoch and one each says
// where they are, so that a count needs one hash for each epoch before its own.
type Process struct {
	*Family
	seed  uint64
	epoch time.Duration // 0: there are no changes
	join  uint64        // not 0: only a share of the changes counts, by hash
	share uint64        // in units of 2^-63
}

// Process returns a process by its rate, in changes per nanosecond.
func (f *Family) Process(seed uint64, rate float64) Process {
	if !(rate > 0) {
		return Process{}
	}
	return Process{Family: f, seed: seed, epoch: time.Duration(max(1, min(epochChanges/rate, 1<<61)))}
}

// Thin lets only a share of the changes count, by hash. join is not 0.
func (p *Process) Thin(join uint64, share float64) { p.join, p.share = join, uint64(share*(1<<63)) }

// number returns how many changes epoch e has, before the share is taken.
func (p *Process) number(e uint64) uint64 {
	h := draw.Hash(p.seed, p.Epoch, e)
	for n, top := range p.counts {
		if h>>1 < top {
			return uint64(n)
		}
	}
	return uint64(len(p.counts))
}

// point returns where change i of epoch e is, and whether it counts.
func (p *Process) point(e, i uint64) (at time.Duration, ok bool) {
	x := e<<8 | i
	if p.join != 0 && draw.Hash(p.join, p.Join, x)>>1 >= p.share {
		return 0, false
	}
	return time.Duration(e)*p.epoch + time.Duration(draw.Below(draw.Hash(p.seed, p.Point, x), uint64(p.epoch))), true
}

// Until returns the number of changes up to an instant, and the last of them.
func (p *Process) Until(at time.Duration) (n uint32, last time.Duration) {
	if p.epoch == 0 || at < 0 {
		return 0, 0
	}
	here := uint64(at / p.epoch)
	for e := range here {
		n += p.whole(e)
	}
	m, last := p.part(here, at)
	for e := here; e > 0 && last == 0 && n > 0; e-- {
		_, last = p.part(e-1, at)
	}
	return n + m, last
}

// whole returns the number of changes in an epoch.
func (p *Process) whole(e uint64) uint32 {
	if p.join == 0 {
		return uint32(p.number(e))
	}
	n, _ := p.part(e, math.MaxInt64)
	return n
}

// part returns the number of changes of an epoch up to an instant, and the last of them.
func (p *Process) part(e uint64, at time.Duration) (n uint32, last time.Duration) {
	for i := range p.number(e) {
		if t, ok := p.point(e, i); ok && t <= at {
			n, last = n+1, max(last, t)
		}
	}
	return n, last
}

// Between appends the changes after from up to to.
func (p *Process) Between(dst []time.Duration, from, to time.Duration) []time.Duration {
	if p.epoch == 0 || to < 0 {
		return dst
	}
	for e := uint64(max(0, from) / p.epoch); e <= uint64(to/p.epoch); e++ {
		for i := range p.number(e) {
			if t, ok := p.point(e, i); ok && t > from && t <= to {
				dst = append(dst, t)
			}
		}
	}
	return dst
}

// poisson returns the cumulated Poisson distribution with mean epochChanges, in units of
// 2^-63.
func poisson() []uint64 {
	term := 0.018315638888734179 // e^-4
	shares := make([]float64, 32)
	for k := range shares {
		shares[k] = term
		term = term * epochChanges / float64(k+1)
	}
	return draw.Cumulate(shares)
}
