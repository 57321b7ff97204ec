package freshness

import (
	"math"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// rounds is the number of rounds in the time in which every page could be visited once. More
// of them find what is urgent sooner and cost more: each looks at every page.
const rounds = 64

// A round is one choice of pages: those that gain most. It is prepared in steps, so that a
// crawl with millions of pages need not wait for it: the ratios of the places are computed, a
// sample of the pages shows which gains are large, and then every page is looked at. Pages
// that gain enough are put into steps of a staircase by their gains. A step is sorted when the
// round arrives there.
type round struct {
	phase  phase
	cursor int     // places or pages before it were looked at in this phase
	number int     // counts the rounds
	size   int     // pages that the round takes
	at     float64 // second for which gains are computed
	length float64 // seconds
	nap    float64 // 0.8/length: see sleep
	again  bool    // no page sleeps: too few were found otherwise

	gains []float64 // of the sample
	stair stair
	left  int // pages still to be taken
}

// A phase is what the preparation of a round is about.
type phase uint8

const (
	ready phase = iota // the round is prepared
	placing
	looking
)

// A candidate is a page with what a visit would gain, as a number: the less the number, the more
// the gain, and then in the order of discovery. So lists of candidates are sorted fast.
type candidate uint64

func newCandidate(p graph.Page, gain float64) candidate {
	return candidate(^math.Float32bits(float32(gain)))<<32 | candidate(p)
}

func (c candidate) page() graph.Page { return graph.Page(c) }
func (c candidate) gain() float64    { return float64(math.Float32frombits(^uint32(c >> 32))) }

// A stair holds candidates in steps: on each those that gain at least its bound, and less than
// the bound of the step before.
type stair struct {
	bounds []float64 // falling
	steps  [][]candidate
	found  int  // candidates on all steps
	step   int  // the step on which next is
	next   int  // place on it
	sorted bool // the step is
}

// stairSteps is the number of steps, at most.
const stairSteps = 64

// reset makes the steps for the gains of a sample, the largest first.
func (s *stair) reset(gains []float64) {
	s.bounds = s.bounds[:0]
	n := min(stairSteps, len(gains))
	for i := range n {
		b := gains[(i+1)*len(gains)/n-1]
		if len(s.bounds) == 0 || b < s.bounds[len(s.bounds)-1] {
			s.bounds = append(s.bounds, b)
		}
	}
	if n == 0 {
		s.bounds = append(s.bounds, 0)
	}
	s.clear()
	for len(s.steps) < len(s.bounds) {
		s.steps = append(s.steps, nil)
	}
}

func (s *stair) clear() {
	for i := range s.steps {
		s.steps[i] = s.steps[i][:0]
	}
	s.found, s.step, s.next, s.sorted = 0, 0, 0, false
}

// least returns the gain that a page must have.
func (s *stair) least() float64 { return s.bounds[len(s.bounds)-1] }

// open lets pages in whatever they gain.
func (s *stair) open() { s.bounds[len(s.bounds)-1] = 0 }

func (s *stair) add(p graph.Page, gain float64) {
	lo, hi := 0, len(s.bounds)-1
	for lo < hi {
		if mid := (lo + hi) / 2; gain >= s.bounds[mid] {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	s.steps[lo] = append(s.steps[lo], newCandidate(p, gain))
	s.found++
}

// front returns the best candidate. It sorts the step on which that is.
func (s *stair) front() (candidate, bool) {
	for ; s.step < len(s.bounds); s.step, s.next, s.sorted = s.step+1, 0, false {
		list := s.steps[s.step]
		if s.next == len(list) {
			continue
		}
		if !s.sorted {
			slices.Sort(list)
			s.sorted = true
		}
		return list[s.next], true
	}
	return newCandidate(graph.NoPage, 0), false
}

// take returns the best candidate and removes it.
func (s *stair) take() (graph.Page, bool) {
	c, ok := s.front()
	if ok {
		s.next++
	}
	return c.page(), ok
}

// due reports whether the present round has ended: all its pages are visited, or its time is
// over.
func (p *Plan) due(now time.Duration) bool {
	r := &p.round
	return p.fetched > 0 && (r.left == 0 || float64(second(now)) >= r.at+r.length)
}

// Work prepares the next round when the present one has ended, in parts of about that many
// pages. It reports whether more work is left.
func (p *Plan) Work(now time.Duration, pages int) (more bool) {
	r := &p.round
	if r.phase == ready {
		if !p.due(now) {
			return false
		}
		p.begin(float64(second(now)))
	}
	for pages > 0 && r.phase != ready {
		pages -= p.prepare(pages)
	}
	return r.phase != ready
}

// Next returns the page to visit now, if there is one.
func (p *Plan) Next(now time.Duration) (id graph.Page, ok bool) {
	if id, ok = p.soon.next(second(now)); ok {
		return id, true
	}
	if id, ok = p.nextHeard(); ok {
		return id, true
	}
	r := &p.round
	for r.phase == ready && r.left > 0 {
		if id, ok = r.stair.take(); !ok {
			r.left = 0
		} else if !p.obsolete(id) {
			r.left--
			return id, true
		}
	}
	return graph.NoPage, false
}

// begin begins a round.
func (p *Plan) begin(now float64) {
	r := &p.round
	r.phase, r.cursor, r.at, r.again, r.left = placing, 0, now, false, 0
	r.number++
	p.signals.list = p.signals.list[:0] // they are looked at
	r.size = p.o.Batch
	if r.size == 0 {
		r.size = max(1, p.fetched/rounds)
	}
	r.length = p.every() * float64(r.size) / float64(max(1, p.fetched))
	r.nap = 0.8 / r.length
	p.places.begin(uint32(now))
}

// prepare does a part of the preparation, for n places or pages at most, and returns for how
// many.
func (p *Plan) prepare(n int) int {
	r := &p.round
	all := p.places.all.Len()
	if r.phase == looking {
		all = p.pages.Len()
	}
	n = min(n, all-r.cursor)
	if r.phase == placing {
		p.places.setRatios(r.cursor, r.cursor+n)
	} else {
		p.look(r.cursor, r.cursor+n)
	}
	if r.cursor += n; r.cursor == all {
		p.finish()
	}
	return max(n, 1)
}

// finish ends a phase. If far too few pages gain enough it wakes those that sleep, and if that is
// not enough it takes what there is. A round of somewhat fewer pages ends sooner: that costs less
// than to look at all pages twice.
func (p *Plan) finish() {
	r := &p.round
	r.cursor = 0
	switch {
	case r.phase == placing:
		p.sample()
		r.phase = looking
	case r.stair.found < max(1, r.size*3/4) && (!r.again || r.stair.least() > 0):
		if r.again {
			r.stair.open()
		}
		r.again = true
		r.stair.clear()
	default:
		r.phase, r.left = ready, min(r.size, r.stair.found)
	}
}

// The number of pages of a sample is about that of the round, within these bounds.
const (
	smallSample = 1024
	largeSample = 4096
)

// sample computes the gains of some pages, of all if they are few, and makes steps for half as
// many pages again as the round takes. So a round considers few more pages than it takes.
func (p *Plan) sample() {
	r := &p.round
	if p.o.Allocation.planned {
		p.bound = p.planned()
	}
	r.gains = r.gains[:0]
	sampled := 0
	p.eachSampled(func(i int, x *page) {
		if sampled++; p.o.Waits == nil || !p.o.Waits(graph.Page(i)) {
			r.gains = append(r.gains, p.o.Allocation.gain(p.copyOf(x, r.at)))
		}
	})
	slices.Sort(r.gains)
	slices.Reverse(r.gains)
	take := float64(r.size) * float64(sampled) / float64(p.fetched) // of the sample
	if !p.o.Allocation.planned {
		p.bound = 0
		if n := int(math.Ceil(take)); n > 0 && n <= len(r.gains) {
			p.bound = r.gains[n-1]
		}
	}
	r.stair.reset(r.gains[:min(int(math.Ceil(1.5*take)), len(r.gains))])
}

// eachSampled calls each for the pages of the sample of the round.
func (p *Plan) eachSampled(each func(int, *page)) {
	all := p.pages.Slice()
	every := max(1, len(all)/min(max(p.round.size, smallSample), largeSample))
	for i := p.round.number % every; i < len(all); i += every {
		if all[i].fetched() {
			each(i, &all[i])
		}
	}
}

// look computes the gains of some pages.
func (p *Plan) look(from, to int) {
	r, a := &p.round, &p.o.Allocation
	all, least := p.pages.Slice(), r.stair.least()
	for i := from; i < to; i++ {
		x := &all[i]
		if !x.fetched() || !r.again && x.sleeps(r.number) {
			continue
		}
		c := p.copyOf(x, r.at)
		if a.marginal && p.sleep(x, c, least) {
			continue
		}
		switch g := a.gain(c); {
		case g < least:
		case p.o.Waits == nil || !p.o.Waits(graph.Page(i)):
			r.stair.add(graph.Page(i), g)
		}
	}
}

// sleep reports whether the marginal gain of a page is certainly too small: the first terms of
// its series are, or weight by rate is, which it never reaches. It grows with the square of
// the age or slower. So the page sleeps for most of the time that it needs, since rates and
// bounds change, and some rounds at most.
func (p *Plan) sleep(x *page, c Copy, least float64) bool {
	r := &p.round
	if c.Weight < least*c.Rate {
		x.sleep(r.number, longest)
		return true
	}
	changes := c.Rate * c.Age
	gain := c.Weight * c.Age * changes * (1.0/2 + changes*(changes*(1.0/8)-1.0/3))
	if gain >= least {
		return false
	}
	age := c.Age * r.nap
	n := longest
	if gain*(age+longest)*(age+longest) > least*age*age {
		n = int(age * (math.Sqrt(least/gain) - 1))
	}
	x.sleep(r.number, n)
	return true
}

// longest is the number of rounds that a page sleeps, at most.
const longest = 8

// planned returns the bound with which the visits that the pages need are those that there
// are, by a sample. Needs fall with the root of the bound if pages change seldom.
func (p *Plan) planned() float64 {
	pages, weight, need := 0, 0.0, 0.0
	p.eachSampled(func(_ int, x *page) {
		pages++
		weight += p.weightOf(x)
		if every := p.copyOf(x, p.round.at).Every; !math.IsInf(every, 1) {
			need += p.every() / max(1, every)
		}
	})
	if p.bound == 0 || need == 0 {
		return weight / float64(max(1, pages)) * p.every() * p.every() * p.places.base / 2
	}
	ratio := need / float64(pages)
	return p.bound * min(max(ratio*ratio, 0.25), 4)
}
