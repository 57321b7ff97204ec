package answer

import (
	"math"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// Streams of the changing web. Renumbering them changes every changing web.
const (
	streamDirRate  = iota + 160 // interval of a directory
	streamPageRate              // of a page, relative to that of its directory
	streamBurst                 // bursts of a directory
	streamEpoch                 // number of changes in an epoch
	streamPoint                 // where in the epoch
	streamJoin                  // whether a page takes part in a burst
	streamNews                  // the sentence that differs between versions
	streamNoise
	streamHonesty // validators of a site
	streamDates
	streamFeed
	streamFate
	streamOutage
	streamPriority
)

// ChangeInterval returns the mean time between two changes of page p: the true rate is 1
// over it. It is 0 when nothing changes.
func (w *World) ChangeInterval(p graph.Page) time.Duration {
	if w.rules.opt.Changes.Clock == nil {
		return 0
	}
	site, j := w.web.Locate(p)
	return w.rules.interval(&site, j)
}

// Rate returns the mean number of changes of page p in a day.
func (w *World) Rate(p graph.Page) float64 {
	d := w.ChangeInterval(p)
	if d == 0 {
		return 0
	}
	return float64(24*time.Hour) / float64(d)
}

// Version returns the number of changes of page p up to an instant of Changes.Clock, and
// the instant of the last one, 0 if there was none.
func (w *World) Version(p graph.Page, at time.Duration) (version uint32, since time.Duration) {
	site, j := w.web.Locate(p)
	return w.rules.version(&site, j, at)
}

// Changes returns the instants after from up to to at which page p changes, ascending.
func (w *World) Changes(p graph.Page, from, to time.Duration) (at []time.Duration) {
	site, j := w.web.Locate(p)
	r := &w.rules
	if r.opt.Changes.Median == 0 {
		r.walk(&site, j, to, func(t time.Duration) {
			if t > from {
				at = append(at, t)
			}
		})
		return at
	}
	own, bursts := r.processes(&site, j)
	at = bursts.between(own.between(nil, from, to), from, to)
	slices.Sort(at)
	return at
}

// instant returns the present instant of the clock, 0 without one.
func (r *dice) instant() time.Duration {
	if clock := r.opt.Changes.Clock; clock != nil {
		return clock()
	}
	return 0
}

// interval returns the mean time between two changes of page j.
func (r *pageRules) interval(s *fakeweb.Site, j uint32) time.Duration {
	c := &r.opt.Changes
	if c.Median == 0 {
		return time.Duration(r.intervals.at(r.draw(s, streamRate, uint64(j))))
	}
	x := float64(c.PageSpread * normal(r.draw(s, streamPageRate, uint64(j))))
	return time.Duration(max(1, min(r.dirInterval(s, j)*r.exp.at(x), 1<<61)))
}

// dirInterval returns the mean interval of a page of the directory of page j whose own
// factor is 1. The home page is a directory of its own.
func (r *pageRules) dirInterval(s *fakeweb.Site, j uint32) float64 {
	c, d := &r.opt.Changes, uint64(0)
	if dir, _ := s.Place(j); dir >= 0 {
		d = uint64(dir) + 1
	}
	return float64(c.Median) * r.exp.at(float64(c.Spread*normal(r.draw(s, streamDirRate, d))))
}

// version returns the number of changes of page j up to an instant, and the last of them.
func (r *pageRules) version(s *fakeweb.Site, j uint32, at time.Duration) (n uint32, since time.Duration) {
	if r.opt.Changes.Median == 0 {
		r.walk(s, j, at, func(t time.Duration) { n, since = n+1, t })
		return n, since
	}
	own, bursts := r.processes(s, j)
	n, since = own.until(at)
	m, last := bursts.until(at)
	return n + m, max(since, last)
}

// walk calls fn with the changes of a Poisson process up to an instant: the gaps between
// them are exponential, -ln(u) times their mean.
func (r *pageRules) walk(s *fakeweb.Site, j uint32, at time.Duration, fn func(time.Duration)) {
	mean := float64(r.interval(s, j))
	seed := r.draw(s, streamChange, uint64(j))
	next := time.Duration(0)
	for n := uint64(0); ; n++ {
		gap := time.Duration(min(mean*minusLog(unit(draw.Hash(seed, streamChange, n))), 1<<62))
		if gap > at-next {
			return
		}
		next += gap
		fn(next)
	}
}

// burstPages is the share of the pages of a directory that change in a burst, if all of
// them change at the rate of the directory.
const burstPages = 0.5

// processes returns the changes that page j makes by itself, and those that it makes
// together with others of its directory. Both rates sum up to that of the page: the
// directory has bursts at the rate Bursts/burstPages times its own, and the page takes part
// in each with probability burstPages times its rate over that of the directory.
func (r *pageRules) processes(s *fakeweb.Site, j uint32) (own, bursts process) {
	share, rate := r.opt.Changes.Bursts, 1/float64(r.interval(s, j))
	if share > 0 {
		dirRate := 1 / r.dirInterval(s, j)
		burstRate := dirRate * share / burstPages
		join := min(1, burstPages*rate/dirRate)
		d, _ := s.Place(j)
		bursts = newProcess(r.draw(s, streamBurst, uint64(d+1)), burstRate, r.poisson)
		bursts.join, bursts.share = r.draw(s, streamJoin, uint64(j))|1, uint64(join*(1<<63))
		rate -= float64(burstRate * join)
	}
	return newProcess(r.draw(s, streamChange, uint64(j)), rate, r.poisson), bursts
}

// epochChanges is the mean number of changes in an epoch.
const epochChanges = 4

// A process is a Poisson process made of hashes. Time is cut into epochs with epochChanges
// changes on average. One hash gives the number of changes in an epoch and one each says
// where they are, so that a count needs one hash for each epoch before its own.
type process struct {
	seed   uint64
	epoch  time.Duration // 0: there are no changes
	counts []uint64      // cumulated distribution of the number in an epoch
	join   uint64        // not 0: only a share of the changes counts, by hash
	share  uint64        // in units of 2^-63
}

// newProcess returns a process by its rate, in changes per nanosecond.
func newProcess(seed uint64, rate float64, counts []uint64) process {
	if !(rate > 0) {
		return process{}
	}
	return process{seed: seed, epoch: time.Duration(max(1, min(epochChanges/rate, 1<<61))), counts: counts}
}

// number returns how many changes epoch e has, before the share is taken.
func (p *process) number(e uint64) uint64 {
	h := draw.Hash(p.seed, streamEpoch, e)
	for n, top := range p.counts {
		if h>>1 < top {
			return uint64(n)
		}
	}
	return uint64(len(p.counts))
}

// point returns where change i of epoch e is, and whether it counts.
func (p *process) point(e, i uint64) (at time.Duration, ok bool) {
	x := e<<8 | i
	if p.join != 0 && draw.Hash(p.join, streamJoin, x)>>1 >= p.share {
		return 0, false
	}
	return time.Duration(e)*p.epoch + time.Duration(draw.Below(draw.Hash(p.seed, streamPoint, x), uint64(p.epoch))), true
}

// until returns the number of changes up to an instant, and the last of them.
func (p *process) until(at time.Duration) (n uint32, last time.Duration) {
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
func (p *process) whole(e uint64) uint32 {
	if p.join == 0 {
		return uint32(p.number(e))
	}
	n, _ := p.part(e, math.MaxInt64)
	return n
}

// part returns the number of changes of an epoch up to an instant, and the last of them.
func (p *process) part(e uint64, at time.Duration) (n uint32, last time.Duration) {
	for i := range p.number(e) {
		if t, ok := p.point(e, i); ok && t <= at {
			n, last = n+1, max(last, t)
		}
	}
	return n, last
}

// between appends the changes after from up to to.
func (p *process) between(dst []time.Duration, from, to time.Duration) []time.Duration {
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

// newPoisson returns the cumulated Poisson distribution with mean epochChanges, in units of
// 2^-63.
func newPoisson() []uint64 {
	term := 0.018315638888734179 // e^-4
	shares := make([]float64, 32)
	for k := range shares {
		shares[k] = term
		term = term * epochChanges / float64(k+1)
	}
	return cumulate(shares)
}

// normal turns a hash into a number with standard normal distribution, nearly: the sum of
// twelve uniform numbers less 6, which every machine rounds in the same way.
func normal(h uint64) float64 {
	sum := uint64(0)
	for i := range uint64(3) {
		x := draw.Mix(h + i*draw.Golden)
		sum += x&0xffff + x>>16&0xffff + x>>32&0xffff + x>>48
	}
	return (float64(sum)+6)/(1<<16) - 6
}

// exponential computes powers of e by binary digits and square roots alone, which every
// machine rounds in the same way.
type exponential [16]float64 // e^(1/2), e^(1/4), ...

func newExponential() (x exponential) {
	root := math.E
	for i := range x {
		root = math.Sqrt(root)
		x[i] = root
	}
	return x
}

// at returns e^y, of y 16 binary digits behind the point.
func (x *exponential) at(y float64) float64 {
	digits := uint64(math.Abs(y) * (1 << len(x)))
	v := 1.0
	for range digits >> len(x) {
		v *= math.E
	}
	for i, root := range x {
		if digits>>(len(x)-1-i)&1 != 0 {
			v *= root
		}
	}
	if y < 0 {
		return 1 / v
	}
	return v
}

// dated returns the version of page j at an instant, and its date. Pages that have not
// changed have dates in the three years before the web began.
func (r *pageRules) dated(s *fakeweb.Site, j uint32, at time.Duration) (version uint32, date time.Time) {
	var since time.Duration
	if r.opt.Changes.Clock != nil {
		version, since = r.version(s, j, at)
	}
	if version == 0 {
		age := draw.Below(r.draw(s, streamValidators, uint64(j)+1), 3*365*24*3600)
		return 0, r.date(-time.Duration(age) * time.Second)
	}
	return version, r.date(since)
}

// date returns the date of an instant.
func (r *dice) date(at time.Duration) time.Time { return r.opt.Changes.Began.Add(at) }

// minusLog returns -ln(u) for 0 < u < 1, from sums, products and quotients alone and none of
// them fused, so that a page changes at the same nanosecond on every machine: with
// u = m 2^e and 1/2 <= m < 1, ln m = 2 artanh((m-1)/(m+1)), whose series needs 24 terms
// at most for a relative error of 1e-15.
func minusLog(u float64) float64 {
	m, e := math.Frexp(u)
	x := (m - 1) / (m + 1)
	x2 := float64(x * x)
	sum := 0.0
	for k := 47; k >= 1; k -= 2 {
		sum = float64(sum*x2) + 1/float64(k)
	}
	return -(float64(2*float64(x*sum)) + float64(float64(e)*math.Ln2))
}
