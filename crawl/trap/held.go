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
// about: a domain or a place. Lists and keys change by Refused and Admitted alone, which a
// replay sees, and never by Release, which it does not.
type held struct {
	lists map[uint64][]graph.Page // none is empty
	keys  []uint64                // of the lists, in the order in which they began
	of    map[graph.Page]reason
	next  int // which of the keys is looked at next; not saved
	// free are pages that were admitted and not handed out yet: nothing is held against
	// them again. pending is what they will cost, by allowance.
	free    map[graph.Page]charge
	pending map[uint64]uint64
}

// A charge is what an allowance will be charged with.
type charge struct {
	Key  uint64
	Cost uint64
}

func newHeld() held {
	return held{lists: map[uint64][]graph.Page{}, of: map[graph.Page]reason{}, free: map[graph.Page]charge{}, pending: map[uint64]uint64{}}
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

// remove takes a page out, if it is there. Those that are released stand near the front.
func (h *held) remove(p graph.Page) (r reason, was bool) {
	if r, was = h.of[p]; !was {
		return r, false
	}
	delete(h.of, p)
	key := r.key
	list := h.lists[key]
	at := slices.Index(list, p)
	if list = slices.Delete(list, at, at+1); len(list) > 0 {
		h.lists[key] = list
		return r, true
	}
	delete(h.lists, key)
	at = slices.Index(h.keys, key)
	h.keys = slices.Delete(h.keys, at, at+1)
	if at < h.next {
		h.next--
	}
	return r, true
}

// keyOf is what a held page waits for.
func (g *Guard) keyOf(p *Page, bar frontier.Bar) uint64 {
	if name, _ := place(p.Rest); bar == frontier.BarGrows {
		return g.hash(p.Site, name)
	}
	key := uint64(bar)<<32 | uint64(g.of.At(int(p.Site)))
	if bar == frontier.BarHosts && g.isLone(p.Site) {
		key |= 1 << 40 // they wait for other things than those that are vouched for
	}
	return key
}

// Refused notes that a page was refused for a reason of traps.
func (g *Guard) Refused(p *Page, bar frontier.Bar) {
	g.marks.note(g.pattern(p, bar), p.Site, bar)
	if Held(bar) {
		g.held.add(g.keyOf(p, bar), p.ID, bar)
	}
}

// Admitted notes that a page is not refused any more. One that was not held is judged
// when it is handed out, as any other: somebody may have refused it for another reason.
func (g *Guard) Admitted(p *Page) {
	r, was := g.held.remove(p.ID)
	if !was {
		return
	}
	g.marks.forget(g.pattern(p, r.bar), p.Site, r.bar)
	a := g.allowance(p)
	g.held.let(p.ID, charge{a.key, a.cost})
}

// let notes a page that will be handed out.
func (h *held) let(p graph.Page, c charge) {
	h.settle(p)
	h.free[p] = c
	h.pending[c.Key] += c.Cost
}

// settle notes that it was, if it was let.
func (h *held) settle(p graph.Page) {
	c, ok := h.free[p]
	if !ok {
		return
	}
	delete(h.free, p)
	if h.pending[c.Key] -= c.Cost; h.pending[c.Key] == 0 {
		delete(h.pending, c.Key)
	}
}

// Holds is the number of held pages.
func (g *Guard) Holds() int { return len(g.held.of) }

// An allowance is what is spent on pages that are under suspicion.
type allowance struct {
	key   uint64 // tells it from others
	left  uint64
	cost  uint64 // of the page
	place uint64 // what it is part of
	had   uint64 // requests there
}

// allowance is the one that pages like p need. Those that need none have all there is.
// Branches of a domain share one in part, so what is under way in any of them counts
// against each.
func (g *Guard) allowance(p *Page) allowance {
	const farm, hosts, lone = 1 << 40, 2 << 40, 3 << 40
	if top, branch, ok := g.branch(p.Site); ok {
		left, had := g.farmLeft(top, branch)
		cost := uint64(g.cost(g.of.At(int(p.Site))))
		return allowance{farm | uint64(top), left, cost, farm | uint64(branch), had}
	}
	if d := g.of.At(int(p.Site)); g.isInner(p.Site) {
		key := hosts | uint64(d)
		if g.isLone(p.Site) {
			key = lone | uint64(d)
		}
		left, had := g.hostsLeft(p.Site)
		return allowance{key, left, 1, key, had}
	}
	name, depth := place(p.Rest)
	hash := g.hash(p.Site, name)
	if id, ok := g.places.find(hash); ok && depth > 0 {
		return allowance{hash + uint64(max(0, g.places.level(id, depth))), g.places.left(id, depth), 1, hash, uint64(g.places.news.At(id))}
	}
	return allowance{left: math.MaxInt64, cost: 1}
}

// Limits of a round of Release.
const (
	roundKeys  = 64
	roundPages = 256 // for each, but at the end
	roundFails = 8   // or so many that stay
)

// A round is one call of Release.
type round struct {
	look  func(graph.Page) (Page, bool)
	end   bool
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
	r := &round{look: look, end: end, given: map[uint64]uint64{}}
	rounds := min(roundKeys, len(g.held.keys))
	if end {
		rounds = len(g.held.keys)
		r.ends = g.nearEnds(look)
	}
	for range rounds {
		g.releaseFrom(r, g.held.nextList())
	}
	return r.free
}

// releaseFrom releases pages of a list.
func (g *Guard) releaseFrom(r *round, list []graph.Page) {
	tried, fails := 0, 0
	for _, id := range list {
		p, ok := r.look(id)
		if !ok {
			continue // something else has become of it
		}
		if g.mayGo(r, &p) {
			r.free = append(r.free, id)
		} else {
			fails++
		}
		if tried++; !r.end && (tried == roundPages || fails == roundFails) {
			return
		}
	}
}

// mayGo tells whether a page is released, and counts it then. At the end of a crawl what
// is pending will not be asked for any more: its sites are closed, or forbid it.
func (g *Guard) mayGo(r *round, p *Page) bool {
	a := g.allowance(p)
	spent := r.given[a.key]
	if !r.end {
		spent += g.held.pending[a.key]
	}
	if !r.ends[a.place] && (spent+a.cost > a.left || g.judge(p) != frontier.NoBar) {
		return false
	}
	r.given[a.key] += a.cost
	return true
}

// nearEnds finds the places where few pages wait. Nobody knows how many there are where a
// list is full.
func (g *Guard) nearEnds(look func(graph.Page) (Page, bool)) map[uint64]bool {
	waits, had := map[uint64]uint64{}, map[uint64]uint64{}
	for _, key := range g.held.keys {
		list := g.held.lists[key]
		for _, id := range list {
			if p, ok := look(id); ok {
				a := g.allowance(&p)
				had[a.place] = a.had
				if waits[a.place]++; len(list) >= maxHeldFor {
					waits[a.place] = math.MaxUint32
				}
			}
		}
	}
	ends := map[uint64]bool{}
	for key, n := range waits { // a set: the order does not matter
		ends[key] = 2*n <= had[key]
	}
	return ends
}

// nextList is the next list of held pages, in turn.
func (h *held) nextList() []graph.Page {
	if h.next >= len(h.keys) {
		h.next = 0
	}
	h.next++
	return h.lists[h.keys[h.next-1]]
}

// bytes is about what the maps take: at most maxHeld pages, and those that were let go.
func (h *held) bytes() int64 {
	const list, page, free = 96, 64, 64
	return list*int64(len(h.lists)) + page*int64(len(h.of)) + free*int64(len(h.free)+len(h.pending))
}
