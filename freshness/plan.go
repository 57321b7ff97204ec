package freshness

import (
	"container/heap"
	"math"
	"slices"
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

// rounds is the number of rounds in the time in which every page could be visited once. More
// of them find what is urgent sooner and cost more: each looks at every page.
const rounds = 64

// A Plan decides which fetched pages are to be visited again. It has one owner and no lock.
// Its set holds all that it has learned; the list of the present round is not part of it.
type Plan struct {
	graph.Set
	o      Options
	pages  *graph.Column[page]
	places places
	number decoder

	days    *graph.Column[uint32] // one number: the day at which the weight of earlier visits was lowered last
	fetched int                   // pages that were fetched

	round round
	soon  soon
	bound float64 // the gain from which on pages were taken in the last round
	new   newcomers
}

// New returns a plan without pages.
func New(o Options) *Plan {
	p := &Plan{o: o, number: newDecoder()}
	p.pages = graph.NewColumn[page]("freshness pages", o.MaxPages)
	graph.AddTo(&p.Set, pageColumn{p.pages})
	p.days = graph.NewColumnIn[uint32](&p.Set, "freshness day", 1)
	p.days.Grow(1)
	p.places.all = graph.NewColumnIn[place](&p.Set, "freshness places", o.MaxPages+1)
	p.places.base, p.places.number = priorShape/p.every(), p.number
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
	*x = page{wordVisit: second(now) + 1, wordDigest: uint32(digest), wordPlace: uint32(place)}
	x.setWeight(weight)
	x.setRate(p.places.rate(place))
	if p.o.Allocation.Name == adaptiveName {
		x.setInterval(p.every())
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
	changed = x.changed(v)
	at := second(now)
	p.fade(at)
	age := max(1, float64(at)-x.visit())
	place := int(x[wordPlace])
	p.places.visited(place, age, 1-Fresh(p.rateOf(x), age), changed)
	x.setGone(v.Gone)
	if p.o.Allocation.Name == adaptiveName {
		x.setInterval(adapted(p.number.interval(x), p.every(), changed))
	} else {
		e := p.number.evidence(x)
		e.add(age, changed)
		x.setEvidence(e)
		x.setRate(rateFrom(e, p.places.rate(place), p.rateOf(x)))
	}
	x[wordVisit] = at + 1
	p.hurry(at, id, x)
	return changed
}

// Missed counts a visit that failed, so that nothing is known of the page. Its turn comes again
// as if it had been visited.
func (p *Plan) Missed(now time.Duration, id graph.Page) {
	p.pages.Slice()[id][wordVisit] = second(now) + 1
}

// fade lowers the weight of earlier visits once a day.
func (p *Plan) fade(now uint32) {
	const daySeconds = 86400
	if was, day := p.days.At(0), now/daySeconds; day > was {
		p.places.fade(float64(day-was) * daySeconds)
		p.days.Set(0, day)
	}
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

func (p *Plan) rateOf(x *page) float64 { return float64(p.number[x.rate()]) }
func (p *Plan) weightOf(x *page) float64 {
	return float64(p.number[x.weight()]) / float64(uint64(1)<<(2*x.gone()))
}

// copyOf returns what the gain of a page is computed from.
func (p *Plan) copyOf(x *page, now float64) Copy {
	c := Copy{Weight: p.weightOf(x), Rate: p.rateOf(x), Age: now - x.visit()}
	switch {
	case p.o.Allocation.contagion:
		c.Rate *= p.places.ratio(int(x[wordPlace]))
	case p.o.Allocation.planned:
		c.Every = reached(c.Weight, c.Rate, p.bound)
	default:
		c.Every = p.number.interval(x)
	}
	return c
}

// length returns the seconds of a round: in that time its pages can be visited.
func (p *Plan) length() float64 {
	return p.every() * float64(p.round.size) / float64(max(1, p.fetched))
}

// Work prepares the next round, in parts of about that many pages, when the present one has
// ended: all its pages are visited, or its time is over. It reports whether more work is left.
func (p *Plan) Work(now time.Duration, pages int) (more bool) {
	r := &p.round
	if !r.open {
		at := float64(second(now))
		if p.fetched == 0 || len(r.list) > 0 && at < r.at+p.length() {
			return false
		}
		p.begin(at)
	}
	for pages > 0 && r.open {
		n := min(pages, p.pages.Len()-r.cursor)
		p.look(r.cursor, r.cursor+n)
		r.cursor += n
		pages -= max(n, 1)
		if r.cursor == p.pages.Len() {
			p.finish()
		}
	}
	return r.open
}

// Next returns the page to visit now, if there is one.
func (p *Plan) Next(now time.Duration) (id graph.Page, ok bool) {
	r := &p.round
	if id, ok = p.soon.next(second(now)); !ok {
		if len(r.list) == 0 {
			return graph.NoPage, false
		}
		id = heap.Pop(&r.list).(candidate).page
	}
	return id, true
}

// A candidate is a page with what a visit would gain.
type candidate struct {
	page graph.Page
	gain float64
}

// before orders candidates: those that gain most first, then in the order of discovery.
func before(a, b candidate) int {
	switch {
	case a.gain != b.gain:
		if a.gain > b.gain {
			return -1
		}
		return 1
	default:
		return int(a.page) - int(b.page)
	}
}

// candidates is a heap of them, the best first. It is cheaper to make than a sorted list, so that
// the end of a round does not keep the crawl waiting.
type candidates []candidate

func (h candidates) Len() int           { return len(h) }
func (h candidates) Less(i, j int) bool { return before(h[i], h[j]) < 0 }
func (h candidates) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *candidates) Push(x any)        { *h = append(*h, x.(candidate)) }
func (h *candidates) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// A round is one choice of pages.
type round struct {
	list   candidates // the pages still to be visited: a heap, the best first
	size   int        // pages of the last round
	open   bool       // the next one is being prepared
	cursor int        // the pages before it were looked at
	number int        // counts the rounds
	at     float64    // second for which gains are computed
	length float64    // seconds, about
	again  bool       // no page sleeps: too few were found otherwise
	least  float64    // pages that gain less are left out
	found  []candidate
	demand float64 // of planned allocations: visits a second with the present bound
}

// nearly is the part of the last bound that a page must gain to be considered, if there are few
// pages. If that leaves too few, all are looked at again with a lower one.
const nearly = 0.9

// begin begins a round.
func (p *Plan) begin(now float64) {
	r := &p.round
	r.open, r.cursor, r.at, r.found, r.demand, r.again = true, 0, now, r.found[:0], 0, false
	r.number++
	r.size = p.o.Batch
	if r.size == 0 {
		r.size = max(1, p.fetched/rounds)
	}
	r.length = p.length()
	p.places.setRatios()
	r.found = slices.Grow(r.found, 3*r.size)
	if p.o.Allocation.planned {
		r.least = 0.5
	} else if r.least = p.sampled(); r.least == 0 {
		r.least = p.bound * nearly
	}
}

// sampleSize is the number of pages that sampled looks at.
const sampleSize = 4096

// sampled returns what twice as many pages gain as a round takes, by a sample, so that a round
// considers few more pages than it takes. It returns 0 if there are few pages.
func (p *Plan) sampled() float64 {
	all := p.pages.Slice()
	if len(all) <= 2*sampleSize {
		return 0
	}
	var gains []float64
	for i := 0; i < len(all); i += len(all) / sampleSize {
		if x := &all[i]; x.fetched() {
			gains = append(gains, p.o.Allocation.gain(p.copyOf(x, p.round.at)))
		}
	}
	slices.Sort(gains)
	at := len(gains) - 1 - 2*p.round.size*len(gains)/max(1, p.fetched)
	if at < 0 {
		return 0
	}
	return gains[at]
}

// look computes the gains of some pages.
func (p *Plan) look(from, to int) {
	r := &p.round
	a := &p.o.Allocation
	all := p.pages.Slice()
	for i := from; i < to; i++ {
		x := &all[i]
		if !x.fetched() || a.marginal && (!r.again && x.sleeps(r.number) || p.below(x, r)) {
			continue
		}
		c := p.copyOf(x, r.at)
		if a.planned && !math.IsInf(c.Every, 1) {
			r.demand += 1 / max(1, c.Every)
		}
		if g := a.gain(c); g >= r.least && (p.o.Waits == nil || !p.o.Waits(graph.Page(i))) {
			r.found = append(r.found, candidate{graph.Page(i), g})
		}
	}
}

// below reports whether the marginal gain of a page is certainly too small: it is less than
// weight times rate times the square of the age, by 2. Such a page sleeps for half of the
// time in which this cannot change, since rates and bounds do change, and some rounds at
// most.
func (p *Plan) below(x *page, r *round) bool {
	slope := p.weightOf(x) * p.rateOf(x)
	if p.o.Allocation.contagion {
		slope *= p.places.ratio(int(x[wordPlace]))
	}
	age := r.at - x.visit()
	if slope*age*age >= 2*r.least {
		return false
	}
	rest := math.Sqrt(2*r.least/slope) - age
	if n := rest / 2 / r.length; n >= 1 { // not if it is NaN
		x.sleep(r.number, int(min(n, longest)))
	}
	return true
}

// longest is the number of rounds that a page sleeps, at most.
const longest = 8

// finish ends a round, or looks at all pages again if too few gain enough.
func (p *Plan) finish() {
	r := &p.round
	if len(r.found) < r.size && r.least > 0 {
		least := p.sampled()
		if p.o.Allocation.planned || !(least < r.least) {
			least = r.least / 8
		}
		if least < 1e-30 {
			least = 0
		}
		r.cursor, r.found, r.demand, r.again, r.least = 0, r.found[:0], 0, true, least
		return
	}
	best(r.found, r.size)
	chosen := r.found[:min(r.size, len(r.found))]
	if p.o.Allocation.planned {
		p.bound = p.planned()
	} else if p.bound = 0; len(chosen) == r.size {
		p.bound = chosen[r.size-1].gain
	}
	r.list = append(r.list[:0], chosen...)
	heap.Init(&r.list)
	r.open = false
}

// planned returns the bound with which the visits that the pages need are those that there
// are. Needs fall with the root of the bound if pages change seldom.
func (p *Plan) planned() float64 {
	have := float64(p.fetched) / p.every()
	if p.bound == 0 || p.round.demand == 0 {
		return p.mean() * p.every() * p.every() * p.places.base / 2
	}
	ratio := p.round.demand / have
	return p.bound * min(max(ratio*ratio, 0.25), 4)
}

// mean returns the mean weight of the pages.
func (p *Plan) mean() float64 {
	sum := 0.0
	for i := range p.pages.Slice() {
		if x := &p.pages.Slice()[i]; x.fetched() {
			sum += p.weightOf(x)
		}
	}
	return sum / float64(max(1, p.fetched))
}

// best brings the n first candidates to the front, in any order, the last of them to place n-1.
func best(list []candidate, n int) {
	lo, hi := 0, len(list)-1
	for lo < hi && n > 0 && n <= len(list) {
		pivot := list[(lo+hi)/2]
		i, j := lo, hi
		for i <= j {
			for before(list[i], pivot) < 0 {
				i++
			}
			for before(list[j], pivot) > 0 {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i++
				j--
			}
		}
		switch {
		case n-1 <= j:
			hi = j
		case n-1 >= i:
			lo = i
		default:
			return
		}
	}
}
