package trap

import (
	"math"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// maxHeldFor and maxHeld are the largest numbers of pages that are held for one reason, and
// in all. More pages are found again at the end of the crawl, by their state: see Try.
const (
	maxHeldFor = 1000
	maxHeld    = 200_000
)

// A reason describes why a page is held: its list, its place there, and the bar.
type reason struct {
	list *heldList
	at   int
	bar  event.Bar
}

// A heldList holds the pages that wait for the same, in the order in which they were
// refused.
type heldList struct {
	key   uint64
	bar   event.Bar    // of the first of them
	at    int          // its place among the lists
	pages []graph.Page // NoPage where one was removed
	live  int          // number of pages in the list
	over  int          // number of pages for which there was no room
}

// held keeps the pages that wait for evidence, by what the evidence would be about: a group,
// a parameter, a place or a domain. Only Refused and Admitted change the lists, because a
// replay calls them; Release and Try do not. A removed page leaves a gap. Gaps are closed
// when they are half of a list, so that the cost of a page does not depend on how many are
// held.
type held struct {
	lists map[uint64]*heldList // none is empty
	order []*heldList          // in the order in which they began; nil where one was removed
	of    map[graph.Page]reason
	next  int // the list that is looked at next; not saved
	moved int // pages and lists that were moved to close gaps: for tests
	// free holds pages that were admitted and not handed out yet; they are not held again.
	// pending is what they will cost, by allowance.
	free    map[graph.Page]charge
	pending map[uint64]uint64
}

// A charge is the amount that a page will cost an allowance.
type charge struct {
	Key  uint64
	Cost uint64
}

func newHeld() held {
	return held{lists: map[uint64]*heldList{}, of: map[graph.Page]reason{}, free: map[graph.Page]charge{}, pending: map[uint64]uint64{}}
}

// add adds a page to the list with a key, if there is room.
func (h *held) add(key uint64, p graph.Page, bar event.Bar) {
	l := h.lists[key]
	if _, there := h.of[p]; there || len(h.of) >= maxHeld {
		return
	}
	if l != nil && l.live >= maxHeldFor {
		l.over++
		return
	}
	if l == nil {
		l = &heldList{key: key, bar: bar, at: len(h.order)}
		h.lists[key] = l
		h.order = append(h.order, l)
	}
	h.of[p] = reason{l, len(l.pages), bar}
	l.pages = append(l.pages, p)
	l.live++
}

// remove removes a page, if it is held.
func (h *held) remove(p graph.Page) (r reason, was bool) {
	if r, was = h.of[p]; !was {
		return r, false
	}
	delete(h.of, p)
	l := r.list
	l.pages[r.at] = graph.NoPage
	if l.live--; l.live > 0 {
		if len(l.pages) > 16 && 2*l.live < len(l.pages) {
			h.closeGaps(l)
		}
		return r, true
	}
	delete(h.lists, l.key)
	h.order[l.at] = nil
	if len(h.order) > 16 && 2*len(h.lists) < len(h.order) {
		h.closeOrder()
	}
	return r, true
}

// closeGaps moves the pages of a list together.
func (h *held) closeGaps(l *heldList) {
	n := 0
	for _, p := range l.pages {
		if p != graph.NoPage {
			r := h.of[p]
			r.at, l.pages[n] = n, p
			h.of[p] = r
			n++
		}
	}
	l.pages = l.pages[:n]
	h.moved += n
}

// closeOrder moves the lists together.
func (h *held) closeOrder() {
	n, next := 0, 0
	for i, l := range h.order {
		if i == h.next {
			next = n
		}
		if l != nil {
			l.at, h.order[n] = n, l
			n++
		}
	}
	clear(h.order[n:])
	h.order, h.next = h.order[:n], next
	h.moved += n
}

// keyOf returns the key of the list for a page that was refused for a reason.
func (g *Guard) keyOf(p *Page, bar event.Bar) uint64 {
	const copies, farms, names = 1 << 62, 1 << 61, 1 << 60
	switch bar {
	case event.BarNoNews:
		if g.isCopy(p.Site) {
			return copies | uint64(p.Site)
		}
		return g.dullPart(p)
	case event.BarDuplicate:
		key, _ := g.idleParam(p)
		return key
	case event.BarHosts:
		key := names | uint64(g.of.At(int(p.Site)))
		if g.isLone(p.Site) {
			key |= 1 << 40 // apart from those that are vouched for
		}
		return key
	case event.BarFarm:
		top, _, _ := g.branch(p.Site)
		return farms | uint64(top)
	}
	key := g.placeOf(p)
	if bar == event.BarTrap {
		key ^= mixer // apart from those that grow
	}
	return key
}

// dullPart returns the hash of the part of a site that brings nothing new: the place of the
// page, or its group at the top of the site.
func (g *Guard) dullPart(p *Page) uint64 {
	at, depth := g.placeAt(p)
	if depth == 0 {
		return g.groupOf(p)
	}
	return at ^ mixer>>1 // apart from those that grow
}

// Refused notes that a page was refused as a trap.
func (g *Guard) Refused(p *Page, bar event.Bar) {
	g.marks.note(g.pattern(p, bar), p.Site, bar)
	if !isHeld(bar) {
		return
	}
	key := g.keyOf(p, bar)
	g.held.add(key, p.ID, bar)
	g.made(key, p)
}

// made counts a refused page for a trial: that of the page that linked to it first, or that
// of its own list. It may make the text of the page invalid.
func (g *Guard) made(key uint64, p *Page) {
	if len(g.trials.of) == 0 {
		return
	}
	if g.Parent != nil {
		if from, ok := g.Parent(p); ok && g.trials.made(from.ID) {
			return
		}
	}
	if t := g.trials.byKey[key]; t != nil {
		t.Made++
	}
}

// Admitted notes that a page is no longer refused. A page that was not held is judged again
// when it is handed out: it may have been refused for another reason.
func (g *Guard) Admitted(p *Page) {
	if r, was := g.held.remove(p.ID); was {
		g.free(p, r.bar)
	}
}

// free lets a page be handed out without another verdict of Judge.
func (g *Guard) free(p *Page, bar event.Bar) {
	g.marks.forget(g.pattern(p, bar), p.Site, bar)
	a := g.allowance(p)
	g.held.let(p.ID, charge{a.key, a.cost})
}

// let notes a page that will be handed out.
func (h *held) let(p graph.Page, c charge) {
	h.settle(p)
	h.free[p] = c
	h.pending[c.Key] += c.Cost
}

// settle notes that a page was handed out, if let was called for it.
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

// Holds returns the number of held pages.
func (g *Guard) Holds() int { return len(g.held.of) }

// Holding reports whether a page is held.
func (g *Guard) Holding(p graph.Page) bool {
	_, is := g.held.of[p]
	return is
}

// An allowance is the amount that may be spent on pages under suspicion.
type allowance struct {
	key  uint64
	left uint64
	cost uint64 // of the page
}

// allowance returns the allowance that p needs. It is without limit if p needs none.
// Branches of a domain share one in part, so requests under way in any of them count against
// each.
func (g *Guard) allowance(p *Page) allowance {
	const farm, hosts, lone = 1 << 40, 2 << 40, 3 << 40
	if top, branch, ok := g.branch(p.Site); ok && !g.isEnd(p.Site) {
		return allowance{farm | uint64(top), g.farmLeft(top, branch), uint64(g.cost(p.Site))}
	}
	if d := g.of.At(int(p.Site)); g.isInner(p.Site) {
		key := hosts | uint64(d)
		if g.isLone(p.Site) {
			key = lone | uint64(d)
		}
		return allowance{key, g.hostsLeft(p.Site), 1}
	}
	hash, depth := g.placeAt(p)
	if id, ok := g.places.find(hash); ok && depth > 0 {
		return allowance{hash + uint64(max(0, g.places.level(id, depth))), g.places.left(id, depth), 1}
	}
	return allowance{left: math.MaxInt64, cost: 1}
}

// Limits of a round of Release.
const (
	roundLists = 64
	roundPages = 16  // of each list: what they bring decides about the others
	triedPages = 256 // of each list, before the end of a crawl
	roundFails = 8   // pages of a list that stay held
)

// Release returns held pages for which there is evidence by now. It looks at some of the
// lists at a time, at the end of a crawl at all of them. look returns a page by its id.
// Nothing changes until Admitted is called with the pages.
func (g *Guard) Release(end bool, look func(graph.Page) (Page, bool)) (free []graph.Page) {
	given := map[uint64]uint64{} // by allowance
	rounds := len(g.held.order)
	if !end {
		rounds = min(roundLists, rounds)
	}
	for range rounds {
		l := g.held.nextList()
		if l == nil {
			continue
		}
		tried, fails, before := 0, 0, len(free)
		for _, id := range l.pages {
			if id == graph.NoPage {
				continue
			}
			p, ok := look(id)
			if !ok {
				continue // it is no longer refused
			}
			if g.mayGo(given, &p, end) {
				free = append(free, id)
			} else {
				fails++
			}
			if tried++; len(free)-before == roundPages || !end && (tried == triedPages || fails == roundFails) {
				break
			}
		}
	}
	return free
}

// mayGo reports whether a page is released, and counts it if so. At the end of a crawl,
// pending pages do not count: they will not be requested, because their sites are closed or
// forbid it.
func (g *Guard) mayGo(given map[uint64]uint64, p *Page, end bool) bool {
	a := g.allowance(p)
	spent := given[a.key]
	if !end {
		spent += g.held.pending[a.key]
	}
	if spent+a.cost > a.left || g.judge(p) != event.NoBar {
		return false
	}
	given[a.key] += a.cost
	return true
}

// nextList returns the next list of held pages, in turn; nil where one was removed.
func (h *held) nextList() *heldList {
	if h.next >= len(h.order) {
		h.next = 0
	}
	h.next++
	return h.order[h.next-1]
}

// bytes returns about how many bytes the maps take: at most maxHeld pages, and those that
// were freed.
func (h *held) bytes() int64 {
	const list, page, free = 96, 64, 64
	return list*int64(len(h.lists)) + page*int64(len(h.of)) + free*int64(len(h.free)+len(h.pending))
}
