package freshness

import (
	"container/heap"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// A Source says that a page has changed. What it says is a signal.
type Source uint8

// The sources. Snapshots hold their numbers.
const (
	Sitemap Source = iota // the date that a sitemap gives for the page
	Feed                  // an entry of RSS or Atom
	Notice                // IndexNow or WebSub
	sources
)

// Each site has its own reliability for each source: the share of its signals that are true
// beyond chance. If a signal is true the page has changed. If it is false the page has changed
// with the probability p that its rate gives. So of the visits to pages with a signal
//
//	sum (1 if changed, else 0) - p  =  reliability * sum (1 - p)
//
// The same sums over visits to pages without a signal show how far p is too small of late. That
// much is no merit of the source. A source that names pages at random, or all pages always, has the
// reliability 0, however often the pages change, and then its signals count for nothing. A visit that was called and has not
// ended counts as one that found nothing: so few visits are wasted before a source is known.

// A trust holds the two sums of one source at one site: in the lower half the left one, which
// may be negative, in the upper half the right one, both in units of 1/256. It counts for the
// last visits only.
type trust uint32

// Numbers of trust.
const (
	trustUnit  = 256
	trustMost  = 64  // when the sum has reached it, both sums are halved
	trustPrior = 2   // visits that the first guess counts for
	trustFirst = 0.5 // the first guess
	trustLeast = 1. / 4
	trustSure  = 0.8 // from then on a signal says when the page changed
)

// wasted is the number of visits that a source can waste at a site, if no page of it ever
// changes, before it is no longer believed: trustPrior*trustFirst/(wasted+trustPrior) < trustLeast.
const wasted = 3

func (t trust) found() float64    { return float64(int16(t)) / trustUnit }
func (t trust) possible() float64 { return float64(t>>16) / trustUnit }

// plus returns the sums with more added to both.
func (t trust) plus(found, possible float64) trust {
	f, m := t.found()+found, max(0, t.possible()+possible)
	if m >= trustMost {
		f, m = f/2, m/2
	}
	f = min(max(f, -trustMost), trustMost)
	return trust(uint32(math.Round(m*trustUnit))<<16 | uint32(uint16(int16(math.Round(f*trustUnit)))))
}

// share returns the ratio of the sums, drawn towards a first guess.
func (t trust) share(guess float64) float64 {
	return (t.found() + trustPrior*guess) / (t.possible() + trustPrior)
}

// mostTrust is what is believed at most.
const mostTrust = 0.98

// A siteTrust is that of the sources at one site.
type siteTrust [sources + 1]uint32

// none is in the place of a source for visits to pages without a signal.
const none = sources

func (t *siteTrust) of(s Source) trust { return trust(t[s]) }

// reliability returns the probability that a signal is true. Less than a quarter counts as none.
func (t *siteTrust) reliability(s Source) float64 {
	q, anyway := t.of(s).share(trustFirst), max(0, t.of(none).share(0))
	if q = (q - anyway) / (1 - anyway); !(q >= trustLeast) {
		return 0
	}
	return min(q, mostTrust)
}

// Marks of a page, in the upper half of wordWeight.
const (
	markTold   = (1<<sources - 1) << 20 // by source: it says that the page has changed since the last visit
	unitTold   = 1 << 20
	markCalled = 1 << 23 // the page was called to be visited because of that, or with that
)

func (p *page) told() uint32 { return p[wordWeight] & markTold }

// tells reports whether a source says that the page has changed.
func (p *page) tells(s Source) bool { return p[wordWeight]&(unitTold<<s) != 0 }

// signals holds how reliable the sources of the sites are, and the pages that are to be visited in
// the present round because of signals that came while it lasts.
type signals struct {
	trusts *graph.Column[siteTrust] // by the highest place of a site
	list   candidates
}

// candidates is a heap of them, the best first.
type candidates []candidate

func (h candidates) Len() int           { return len(h) }
func (h candidates) Less(i, j int) bool { return h[i] < h[j] }
func (h candidates) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *candidates) Push(x any)        { *h = append(*h, x.(candidate)) }
func (h *candidates) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// root returns the highest place above a page.
func (p *Plan) root(x *page) int {
	all, id := p.places.all.Slice(), x.place()
	for all[id][placeParent] != 0 {
		id = int(all[id][placeParent]) - 1
	}
	return id
}

// trustOf returns the trust of the site of a page.
func (p *Plan) trustOf(x *page) (t siteTrust) {
	if id := p.root(x); id < p.signals.trusts.Len() {
		t = p.signals.trusts.At(id)
	}
	return t
}

// Reliability returns the probability that a signal about a page is true, before anything is
// known of the page itself.
func (p *Plan) Reliability(id graph.Page, s Source) float64 {
	t := p.trustOf(&p.pages.Slice()[id])
	return t.reliability(s)
}

// believed returns the probability that one of the signals about a page is true.
func (p *Plan) believed(x *page) (q float64) {
	if x.told() == 0 {
		return 0
	}
	t := p.trustOf(x)
	for s := range sources {
		if x.tells(s) {
			q = max(q, t.reliability(s))
		}
	}
	return q
}

// chance returns the probability that a page has changed since its last visit, without signals.
func (p *Plan) chance(x *page, at uint32, age float64) float64 {
	rate := p.rateOf(x)
	if p.o.Allocation.contagion {
		rate *= p.places.present(x.place(), drawn*p.places.weightAt(at))
	}
	return 1 - Fresh(rate, age)
}

// heard makes the copy of a page older, so that it is up to date with the probability that
// signals leave. Only marginal gains know them: the other allocations are what others do.
func (p *Plan) heard(x *page, c Copy) Copy {
	if q := p.believed(x); q > 0 && c.Rate > 0 {
		c.Age -= math.Log1p(-q) / c.Rate
	}
	return c
}

// Told reports whether a source says already that a page has changed since its last visit, or
// the page will be visited anyway.
func (p *Plan) Told(id graph.Page, s Source) bool {
	x := &p.pages.Slice()[id]
	return x.tells(s) || x[wordWeight]&markCalled != 0
}

// Signal lets a source say that a fetched page has changed since its last visit. If the source
// is reliable enough the page is visited in the present round.
func (p *Plan) Signal(id graph.Page, s Source) {
	if p.Told(id, s) {
		return
	}
	x := &p.pages.Slice()[id]
	x[wordWeight] |= unitTold << s
	r := &p.round
	if x.sleep(r.number, 0); !p.o.Allocation.marginal || r.size == 0 {
		return
	}
	if p.believed(x) == 0 || len(p.signals.list) > 4*r.size+mostHeard || p.o.Waits != nil && p.o.Waits(id) {
		return
	}
	if gain := p.o.Allocation.gain(p.copyOf(x, r.at)); gain >= p.bound {
		heap.Push(&p.signals.list, newCandidate(id, gain))
	}
}

// mostHeard is the number of pages that signals bring into a round, at most, with four times the
// size of the round. The others are in the next one.
const mostHeard = 1024

// nextHeard returns the page to visit next because of a signal that came in this round.
func (p *Plan) nextHeard() (id graph.Page, ok bool) {
	for len(p.signals.list) > 0 {
		if id = heap.Pop(&p.signals.list).(candidate).page(); !p.obsolete(id) {
			return id, true
		}
	}
	return graph.NoPage, false
}

// Called notes that a page is to be visited. Until it is, its signals count as false.
func (p *Plan) Called(id graph.Page) {
	x := &p.pages.Slice()[id]
	if x.told() != 0 && x[wordWeight]&markCalled == 0 {
		x[wordWeight] |= markCalled
		p.learn(x, 0, 1)
	}
}

// learn adds to the sums of all sources that have told of a page.
func (p *Plan) learn(x *page, found, possible float64) {
	id := p.root(x)
	p.signals.trusts.Grow(id + 1)
	t := &p.signals.trusts.Slice()[id]
	for s := range sources {
		if x.tells(s) {
			t[s] = uint32(t.of(s).plus(found, possible))
		}
	}
}

// A reading is how a visit is to be understood in the light of signals.
type reading struct {
	expected float64 // the probability of a change, without signals
	weight   float64 // what the visit says about pages beside it
	quiet    float64 // seconds since the visit before in which there was no change, if there was one
}

// read ends the signals of a page that was visited, learns from them how reliable their sources
// are, and returns how the visit is to be understood. The visits of a page with signals are not
// made at random instants: a change brings them about. So they say less about pages beside it, and
// if one is believed, it is as if the page had been visited whenever its source was read.
func (p *Plan) read(x *page, at uint32, age float64, changed bool) (r reading) {
	r.expected, r.weight = -expm1(-p.rateOf(x)*age), 1
	if x.told() == 0 {
		p.control(x, at, age, changed)
		return r
	}
	q, chance, found := p.believed(x), p.chance(x, at, age), 0.0
	if changed {
		found = 1
		if q >= trustSure {
			r.quiet = max(0, age-between(x))
		}
	}
	r.weight = 1 - q
	w := 1 - chance // a visit at which a change was expected says little
	p.settle(x, w*(found-chance), w*w)
	return r
}

// control counts a visit without a signal, where others have some.
func (p *Plan) control(x *page, at uint32, age float64, changed bool) {
	if p.signals.trusts.Len() == 0 {
		return
	}
	id := p.root(x)
	if id >= p.signals.trusts.Len() || p.signals.trusts.At(id) == (siteTrust{}) {
		return
	}
	found, w := 0.0, 1-p.chance(x, at, age)
	if changed {
		found = 1
	}
	t := &p.signals.trusts.Slice()[id]
	t[none] = uint32(t.of(none).plus(w*(found-1+w), w*w))
}

// settle ends the signals of a page, with what they add to the sums of their sources.
func (p *Plan) settle(x *page, found, possible float64) {
	if x.told() == 0 {
		return
	}
	if x[wordWeight]&markCalled != 0 {
		possible--
	}
	p.learn(x, found, possible)
	x[wordWeight] &^= markTold | markCalled
}

// between returns about how many seconds lie between two readings of a source. Robots.txt holds
// for a day, and sitemaps and feeds are read with it.
func between(x *page) float64 {
	if x.tells(Notice) {
		return 1
	}
	return (24 * time.Hour).Seconds()
}

// obsolete reports whether a candidate of the round need not be visited any more: it was visited
// since, or its signals are no longer believed.
func (p *Plan) obsolete(id graph.Page) bool {
	x := &p.pages.Slice()[id]
	if p.believed(x) == 0 && x.visit() > p.round.at {
		return true
	}
	return x.told() != 0 && p.o.Allocation.marginal && p.o.Allocation.gain(p.copyOf(x, p.round.at)) < p.bound/2 // which is an estimate
}

// Soon lets a page be visited before all others.
func (p *Plan) Soon(now time.Duration, id graph.Page) {
	heap.Push(&p.soon.heap, instant{second(now), id})
}
