package trap

import (
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// How many pages are held for one reason, and in all. Those beyond are refused for good,
// unless another link is found to them.
const (
	maxHeldFor = 1000
	maxHeld    = 200_000
)

// A reason is why a page is held: the list that it is in, and the bar.
type reason struct {
	key uint64
	bar frontier.Bar
}

// held keeps the pages that wait for something to speak for them, by what that would be
// about: a domain or a place. Lists may name pages that are held no more; of tells.
type held struct {
	lists map[uint64][]graph.Page
	keys  []uint64 // of the lists, in the order in which they began
	of    map[graph.Page]reason
	next  int // which of the keys is looked at next
	// free are pages that were admitted and not handed out yet, by the allowance that they
	// will be charged to: nothing is held against them again. pending counts them.
	free    map[graph.Page]uint64
	pending map[uint64]uint64
}

func newHeld() held {
	return held{lists: map[uint64][]graph.Page{}, of: map[graph.Page]reason{}, free: map[graph.Page]uint64{}, pending: map[uint64]uint64{}}
}

func (h *held) add(key uint64, p graph.Page, bar frontier.Bar) {
	list, known := h.lists[key]
	if _, there := h.of[p]; there || len(list) >= maxHeldFor || len(h.of) >= maxHeld {
		return
	}
	if !known {
		h.keys = append(h.keys, key)
	}
	h.lists[key] = append(list, p)
	h.of[p] = reason{key, bar}
}

// list is the pages that are held for a reason.
func (h *held) list(key uint64) []graph.Page {
	list := slices.DeleteFunc(h.lists[key], func(p graph.Page) bool { r, ok := h.of[p]; return !ok || r.key != key })
	h.lists[key] = list
	return list
}

// keyOf is what a held page waits for.
func (g *Guard) keyOf(p *Page, bar frontier.Bar) uint64 {
	if name, _ := place(p.Rest); bar == frontier.BarGrows {
		return g.hash(p.Site, name)
	}
	return uint64(bar)<<32 | uint64(g.of.At(int(p.Site)))
}

// Refused notes that a page was refused for a reason of traps.
func (g *Guard) Refused(p *Page, bar frontier.Bar) {
	g.marks.note(g.pattern(p, bar), p.Site, bar)
	if Held(bar) {
		g.held.add(g.keyOf(p, bar), p.ID, bar)
	}
}

// Admitted notes that a page is not refused any more.
func (g *Guard) Admitted(p *Page) {
	if r, ok := g.held.of[p.ID]; ok {
		g.marks.forget(g.pattern(p, r.bar), p.Site, r.bar)
		delete(g.held.of, p.ID)
	}
	g.held.let(p.ID, g.allowance(p).key)
}

// let notes a page that will be handed out.
func (h *held) let(p graph.Page, key uint64) {
	h.settle(p)
	h.free[p] = key
	h.pending[key]++
}

// settle notes that it was, if it was let.
func (h *held) settle(p graph.Page) {
	key, ok := h.free[p]
	if !ok {
		return
	}
	delete(h.free, p)
	if h.pending[key]--; h.pending[key] == 0 {
		delete(h.pending, key)
	}
}

// Holds is the number of held pages.
func (g *Guard) Holds() int { return len(g.held.of) }

// An allowance is what is spent on pages that are under suspicion.
type allowance struct {
	key   uint64 // tells it from others
	left  uint64
	place uint64 // what it is part of
	had   uint64 // requests there
}

// allowance is the one that pages like p need. Those that need none have all there is.
func (g *Guard) allowance(p *Page) allowance {
	const farm, hosts = 1 << 40, 2 << 40
	if top, branch, ok := g.branch(p.Site); ok {
		left, had := g.farmLeft(top, branch)
		return allowance{farm | uint64(branch), left, farm | uint64(branch), had}
	}
	if d := g.of.At(int(p.Site)); g.isInner(p.Site) {
		left, had := g.hostsLeft(d)
		return allowance{hosts | uint64(d), left, hosts | uint64(d), had}
	}
	name, depth := place(p.Rest)
	if id, ok := g.places.find(g.hash(p.Site, name)); ok && depth > 0 {
		hash := g.hash(p.Site, name)
		return allowance{hash + uint64(g.places.level(id, depth)), g.places.left(id, depth), hash, uint64(g.places.news.At(id))}
	}
	return allowance{left: math.MaxInt64}
}

// Limits of a round of Release.
const (
	roundKeys  = 64
	roundPages = 256 // for each
	roundFails = 8   // and so many more that stay
)

// A round is one call of Release.
type round struct {
	look  func(graph.Page) (Page, bool)
	ends  map[uint64]bool   // places that are nearly through
	given map[uint64]uint64 // by allowance
	free  []graph.Page
}

// Release gives held pages for which something speaks by now, of some of the reasons at a
// time; look says what is known of a page. Nothing changes until Admitted is called with
// them. At the end of a crawl, when nothing else is left, it looks at every reason, and
// lets go as well what is nearly through: where at most half as many pages are held as
// were asked for there is an end, while places that never end have the more before them
// the more of them is known.
func (g *Guard) Release(end bool, look func(graph.Page) (Page, bool)) []graph.Page {
	r := &round{look: look, ends: map[uint64]bool{}, given: map[uint64]uint64{}}
	rounds := min(roundKeys, len(g.held.keys))
	if end {
		rounds = len(g.held.keys)
		r.ends = g.nearEnds(look)
	}
	for range rounds {
		g.releaseFrom(r, g.nextHeld())
	}
	return r.free
}

// releaseFrom releases pages of a list.
func (g *Guard) releaseFrom(r *round, list []graph.Page) {
	fails := 0
	for i, id := range list {
		p, ok := r.look(id)
		if !ok {
			delete(g.held.of, id) // something else has become of it
			continue
		}
		a := g.allowance(&p)
		switch n := r.given[a.key]; {
		case r.ends[a.place] || n+g.held.pending[a.key] < a.left && g.Judge(&p) == frontier.NoBar:
			r.given[a.key]++
			r.free = append(r.free, id)
		default:
			fails++
		}
		if i == roundPages || fails == roundFails {
			return
		}
	}
}

// nearEnds finds the places where few pages wait.
func (g *Guard) nearEnds(look func(graph.Page) (Page, bool)) map[uint64]bool {
	waits, had := map[uint64]uint64{}, map[uint64]uint64{}
	for range len(g.held.keys) {
		for _, id := range g.nextHeld() {
			if p, ok := look(id); ok {
				a := g.allowance(&p)
				waits[a.place]++
				had[a.place] = a.had
			}
		}
	}
	ends := map[uint64]bool{}
	for key, n := range waits { // a set: the order does not matter
		ends[key] = 2*n <= had[key]
	}
	return ends
}

// nextHeld is the next list of held pages.
func (g *Guard) nextHeld() []graph.Page {
	h := &g.held
	if h.next >= len(h.keys) {
		h.next = 0
	}
	key := h.keys[h.next]
	list := h.list(key)
	if len(list) > 0 {
		h.next++
		return list
	}
	delete(h.lists, key)
	h.keys = slices.Delete(h.keys, h.next, h.next+1)
	return nil
}
