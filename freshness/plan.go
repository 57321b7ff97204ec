package freshness

import (
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// Options are the settings of a Plan.
type Options struct {
	Allocation Allocation
	Every      time.Duration // between two visits of a page, on the average over all pages
	Batch      int           // pages of a round; 0: a 64th of the fetched pages
	MaxPages   int           // for which there is room
	// Waits reports whether a page is to be visited already; nil: none is.
	Waits func(graph.Page) bool
}

// A Plan decides which fetched pages are to be visited again. It has one owner and no lock.
// Its set holds all that it has learned; the list of the present round is not part of it.
type Plan struct {
	graph.Set
	o       Options
	pages   *graph.Column[page]
	places  places
	signals signals
	number  *decoder

	fetched int // pages that were fetched

	round round
	soon  soon
	bound float64 // about the least gain of the pages of the round; of planned allocations, see planned
	new   newcomers
}

// New returns a plan without pages.
func New(o Options) *Plan {
	p := &Plan{o: o, number: newDecoder()}
	p.pages = graph.NewColumn[page]("freshness pages", o.MaxPages)
	graph.AddTo(&p.Set, pageColumn{p.pages})
	p.places = newPlaces(&p.Set, o.MaxPages, priorShape/p.every(), p.number)
	p.signals.trusts = graph.NewColumnIn[siteTrust](&p.Set, "freshness signals", o.MaxPages+1)
	return p
}

func (p *Plan) every() float64 { return max(1, p.o.Every.Seconds()) }

// AddPlace adds a place below another, -1 for none, and returns its number. There may be as
// many places as pages.
func (p *Plan) AddPlace(above int) int { return p.places.add(above) }

// Fetched lets the plan know a page that was fetched for the first time, with the digest of
// its content.
func (p *Plan) Fetched(now time.Duration, id graph.Page, place int, weight float64, digest uint64) {
	p.pages.Grow(int(id) + 1)
	x := &p.pages.Slice()[id]
	if !x.fetched() {
		p.fetched++
	}
	was := *x
	place = p.places.within(place)
	*x = page{wordVisit: second(now) + 1, wordPlace: uint32(place)}
	x.setDigest(short(digest))
	x.setWeight(weight)
	x.setRate(p.places.rate(place))
	if p.o.Allocation.Name == adaptiveName {
		x.setInterval(p.every())
	}
	if !was.fetched() && was[wordRate] != 0 { // see Inherit
		x[wordTimes], x[wordRate] = was[wordTimes], was[wordRate]|x[wordRate]&digestPart
	}
	p.new.add(weight / p.rateOf(x))
}

// Loaded counts the pages that were loaded.
func (p *Plan) Loaded() {
	p.fetched = 0
	for i := range p.pages.Slice() {
		if p.pages.Slice()[i].fetched() {
			p.fetched++
		}
	}
}

// second returns the seconds of an instant.
func second(at time.Duration) uint32 { return uint32(at / time.Second) }

// Knows reports whether the page was fetched.
func (p *Plan) Knows(id graph.Page) bool {
	return int(id) < p.pages.Len() && p.pages.Slice()[id].fetched()
}

// Seen returns the instant of the last visit of a page.
func (p *Plan) Seen(id graph.Page) time.Duration {
	return time.Duration(p.pages.Slice()[id].visit()) * time.Second
}

// Pages returns the number of pages that were fetched.
func (p *Plan) Pages() int { return p.fetched }

// SetWeight sets what a page is worth.
func (p *Plan) SetWeight(id graph.Page, weight float64) { p.pages.Slice()[id].setWeight(weight) }

// Freshness returns the probability that the copy of a page is up to date.
func (p *Plan) Freshness(now time.Duration, id graph.Page) float64 {
	x := &p.pages.Slice()[id]
	return Fresh(p.rateOf(x), float64(second(now))-x.visit())
}

// A Visit is what another visit of a page showed.
type Visit struct {
	Digest uint64 // of the content
	Same   bool   // the server says that the page did not change: the digest is that of before
	Gone   bool   // there is no such page
}

// Visited counts another visit of a page, and reports whether the page changed since the
// visit before: its content is another, or it is gone, or back.
func (p *Plan) Visited(now time.Duration, id graph.Page, v Visit) (changed bool) {
	x := &p.pages.Slice()[id]
	if x.gone() > 0 && v.Gone && p.o.Allocation.Name != adaptiveName { // that shows nothing of its changes
		p.Missed(now, id)
		x.setGone(true)
		p.hurry(second(now), id, x)
		return false
	}
	changed = x.changed(v)
	at := second(now)
	age := max(1, float64(at)-x.visit())
	place := x.place()
	r := p.read(x, at, age, changed)
	p.places.visited(place, at, age, r, changed)
	x.setGone(v.Gone)
	if p.o.Allocation.Name == adaptiveName {
		x.setInterval(adapted(p.number.interval(x), p.every(), changed))
	} else {
		before := p.number.evidence(x)
		e := before
		e.Unchanged += r.quiet
		e.add(age-r.quiet, changed)
		x.setEvidence(e, before)
		x.setRate(rateFrom(e, p.places.rate(place), p.rateOf(x)))
	}
	x[wordVisit] = at + 1
	p.hurry(at, id, x)
	return changed
}

// Missed counts a visit that failed, so that nothing is known of the page. Its turn comes again
// as if it had been visited.
func (p *Plan) Missed(now time.Duration, id graph.Page) {
	x := &p.pages.Slice()[id]
	p.settle(x, 0, 0)
	x[wordVisit] = second(now) + 1
}

// The steps of adaptive, and the bounds of its intervals.
const (
	adaptiveName   = "adaptive"
	adaptiveStep   = 0.2
	adaptiveBounds = 90 // every/90 to 8 times every
	adaptiveLong   = 8
)

// adapted returns the interval of adaptive after a visit.
func adapted(interval, every float64, changed bool) float64 {
	if changed {
		return max(interval*(1-adaptiveStep), every/adaptiveBounds)
	}
	return min(interval*(1+adaptiveStep), every*adaptiveLong)
}

// rateOf returns how often a page changes. A page that is gone comes back at a rate that nobody knows:
// once in Every after the first visit that did not find it, and half as often after each other.
func (p *Plan) rateOf(x *page) float64 {
	if n := x.gone(); n > 0 {
		return 2 / p.every() / float64(uint(1)<<n)
	}
	return p.number.of(x.rate())
}

// weightOf returns what a page is worth. A page that is gone counts half as much after each visit that
// did not find it, except the first. So by most allocations the time until the next visit doubles.
func (p *Plan) weightOf(x *page) float64 {
	w := p.number.of(x.weight())
	if n := x.gone(); n > 0 {
		w *= 2 / float64(uint(1)<<n)
	}
	return w
}

// copyOf returns what the gain of a page is computed from.
func (p *Plan) copyOf(x *page, now float64) Copy {
	c := Copy{Weight: p.weightOf(x), Rate: p.rateOf(x), Age: now - x.visit()}
	switch {
	case p.o.Allocation.contagion:
		c.Rate *= p.places.ratio(x.place())
	case p.o.Allocation.planned:
		c.Every = reached(c.Weight, c.Rate, p.bound)
	default:
		c.Every = p.number.interval(x)
	}
	if x.told() != 0 && p.o.Allocation.marginal {
		c = p.heard(x, c)
	}
	return c
}
