package count

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// A sighting is what an answer told a visitor about a page of a changing web.
type sighting struct {
	at      time.Duration // of Changes.Clock
	page    graph.Page
	version uint32
	status  uint16
	whole   bool // all of the answer was written
	out     bool // the whole site was out
	there   bool // under the URL to which the page moves
}

// see records what an answer tells about a page. The lock of the site is held.
func (v *Visit) see(a *answer.Answer) {
	s := v.site
	v.sight = -1
	if v.c.world.Options().Changes.Clock != nil && (a.Kind == answer.KindPage || a.Kind == answer.KindMoved) {
		v.sight = len(s.seen)
		s.seen = append(s.seen, sighting{a.At, a.Page, a.Version, uint16(a.Status), true, a.Out, a.Kind == answer.KindMoved})
	}
}

// unsee corrects the record if not all of an answer was written. The lock of the site is
// held.
func (v *Visit) unsee() {
	if v.sight >= 0 && v.site.seen[v.sight].status == http.StatusOK {
		v.site.seen[v.sight].whole = false
	}
}

// Freshness describes how fresh the copies of a visitor were over a time. A page is fresh
// while the last version that the visitor fetched in full is the present one, or, after the
// page has vanished, while the visitor has seen that. A page without a copy is not fresh.
// Whether a page has moved makes no difference, as long as the visitor has its content.
type Freshness struct {
	From  time.Duration
	To    time.Duration
	Pages int     // with a weight
	Fresh float64 // weighted share of the pages that were fresh, mean over the time
	// Age is the time for which a copy has not been the present version, 0 for fresh pages,
	// weighted mean over the pages and the time. Without a copy it counts from instant 0.
	Age time.Duration

	Requests int // for pages with a weight
	New      int // that found a page for the first time, a change, or that it vanished or moved
	Wasted   int // that found nothing new

	Series []float64 // weighted share of fresh pages at From, From+step...
}

// Freshness returns how fresh the copies of visitors were, from one instant of
// Changes.Clock to another. weight says what a page is worth; pages of weight 0 do not
// count, such as those that no visitor can fetch. With a step, the result has a series.
func (c *Counter) Freshness(weight func(graph.Page) float64, from, to, step time.Duration) Freshness {
	m := measure{Freshness: Freshness{From: from, To: to}, world: c.world, step: step}
	if step > 0 && to > from {
		m.Series = make([]float64, (to-from+step-1)/step)
	}
	seen := c.sightings()
	for p := range graph.Page(c.world.Web().Spec().Pages) {
		n := 0
		for n < len(seen) && seen[n].page == p {
			n++
		}
		if w := weight(p); w > 0 {
			m.page(p, w, seen[:n])
		}
		seen = seen[n:]
	}
	m.divide()
	return m.Freshness
}

// sightings returns the record by page and instant.
func (c *Counter) sightings() (all []sighting) {
	for i := range c.sites {
		s := &c.sites[i]
		s.mu.Lock()
		all = append(all, s.seen...)
		s.mu.Unlock()
	}
	slices.SortStableFunc(all, func(a, b sighting) int {
		return cmp.Or(cmp.Compare(a.page, b.page), cmp.Compare(a.at, b.at))
	})
	return all
}

// A measure sums up the freshness of pages.
type measure struct {
	Freshness
	world  *answer.World
	step   time.Duration
	weight float64 // of all pages
	fresh  float64 // weight times seconds
	age    float64 // weight times seconds squared
}

// A copied is what a visitor knows of a page.
type copied struct {
	status  uint16 // 200 with a copy, 404 or 410 if it knows that there is none, else that of the last answer; 0: nothing
	version uint32
	moved   bool // it has been sent to another URL
	there   bool // it has the copy from that URL
}

// learn takes an answer into account and reports whether it was news. What a site says
// while it is out is none, nor is 304.
func (k *copied) learn(s *sighting) bool {
	switch before := *k; {
	case s.out || !s.whole || s.status == 0 || s.status == http.StatusNotModified || s.status >= 500 || s.status == http.StatusTooManyRequests:
		return false
	case s.status/100 == 3:
		k.moved = true
		return *k != before
	default:
		k.status, k.version, k.there = s.status, s.version, s.there
		return *k != before
	}
}

// present reports whether what the visitor knows is so at an instant.
func (k *copied) present(version uint32, gone bool) bool {
	if gone {
		return k.status == http.StatusNotFound || k.status == http.StatusGone
	}
	return k.status == http.StatusOK && k.version == version
}

// page adds a page. It walks over the instants at which the page or what the visitor knows
// of it changes.
func (m *measure) page(p graph.Page, weight float64, seen []sighting) {
	m.Pages++
	m.weight += weight
	fate, changes := m.world.Fate(p), m.world.Changes(p, -1, m.To)
	known, version := copied{}, uint32(0)
	stale := time.Duration(0) // since when it is not fresh; negative: it is
	for at := time.Duration(0); at < m.To; {
		for len(changes) > 0 && changes[0] <= at {
			version, changes = version+1, changes[1:]
		}
		for len(seen) > 0 && seen[0].at <= at {
			m.request(&seen[0], known.learn(&seen[0]))
			seen = seen[1:]
		}
		switch fresh := known.present(version, fate.Gone(at)); {
		case fresh:
			stale = -1
		case stale < 0:
			stale = at
		}
		next := soonest(m.To, at, fate.From, fate.Until)
		if len(changes) > 0 {
			next = min(next, changes[0])
		}
		if len(seen) > 0 {
			next = min(next, seen[0].at)
		}
		m.stretch(weight, at, next, stale)
		at = next
	}
}

// soonest returns the first of some instants that is after at, and most if none is.
func soonest(most, at time.Duration, instants ...time.Duration) time.Duration {
	for _, t := range instants {
		if t > at {
			most = min(most, t)
		}
	}
	return most
}

// request counts a request.
func (m *measure) request(s *sighting, news bool) {
	if s.at < m.From {
		return
	}
	m.Requests++
	if news {
		m.New++
	} else {
		m.Wasted++
	}
}

// stretch adds a time in which a page is fresh, or not since an instant.
func (m *measure) stretch(weight float64, from, to, stale time.Duration) {
	from = max(from, m.From)
	if to <= from {
		return
	}
	if stale >= 0 { // the mean age in the stretch times its length
		m.age += weight * (to - from).Seconds() * ((from+to)/2 - stale).Seconds()
		return
	}
	m.fresh += weight * (to - from).Seconds()
	for i := range m.samples(from, to) {
		m.Series[i] += weight
	}
}

// samples yields the numbers of the samples from an instant up to but without another.
func (m *measure) samples(from, to time.Duration) func(func(int) bool) {
	return func(yield func(int) bool) {
		if len(m.Series) == 0 {
			return
		}
		for i := int((from - m.From + m.step - 1) / m.step); i < len(m.Series) && m.From+time.Duration(i)*m.step < to; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// divide turns sums into means.
func (m *measure) divide() {
	if m.weight == 0 || m.To <= m.From {
		return
	}
	whole := m.weight * (m.To - m.From).Seconds()
	m.Fresh = m.fresh / whole
	m.Age = time.Duration(m.age / whole * 1e9)
	for i := range m.Series {
		m.Series[i] /= m.weight
	}
}
