package queue

import "github.com/winnow-crawler/winnow/graph"

// groups divides the sites into groups that are shut and opened as a whole. A group holds
// the sites of one IP address, which may be busy. To shut a group of any size costs one
// move in a heap. Meanwhile its sites stay in the order of their present values:
//
//	offers:  [ group 3 | group 0 ... ]           groups that are not shut
//	              |         |
//	crowds:  [ 7 2 9 ]  [ 4 1 ]                  sites that take part
//	           |
//	pages:   [ 31 12 ]
//
// Every site begins in group 0, which may hold all sites: it has a heap with keys. Most
// other groups have at most one site that takes part. The group names it in its 8 bytes.
// Larger groups have a crowd: a heap that holds only the numbers of sites and looks their
// values up. It takes 4 bytes a site, and 9 a crowd.
type groups struct {
	of      *graph.Column[uint32] // by site: its group; owned by the caller of Grouped
	heads   *graph.Column[uint32] // by group: none, 1 + its site, or crowdBit + the number of its crowd
	places  *graph.Column[uint32] // by group: idle, or its place in offers, counted from 1
	shut    *graph.Column[uint64] // bit by group
	loose   []offer               // the sites of group 0
	crowds  arena                 // those of others, as lists of numbers
	free    []uint32              // numbers of crowds that are not in use
	shutOut int                   // offers in groups that are shut
}

// Values in heads. There must be fewer sites than crowdBit.
const (
	none     = 0
	crowdBit = 1 << 31
)

// Grouped divides the sites into groups, at most most of them. of holds the group of each
// site. It is owned by the caller, who adds a site there before it becomes known here.
// Grouped must be called before any site is known.
func (q *Queue) Grouped(of *graph.Column[uint32], most int) {
	q.groups = &groups{
		of:     of,
		heads:  graph.NewColumnIn[uint32](&q.derived, q.name+" site group heads", most),
		places: graph.NewColumnIn[uint32](&q.derived, q.name+" site group places", most),
		shut:   graph.NewColumnIn[uint64](&q.derived, q.name+" site groups shut", (most+63)/64),
		crowds: newArena(&q.derived, q.name+" site crowd", q.maxSites, q.maxSites),
	}
	q.groups.make(0)
}

// Group puts s, which must be withdrawn, into group n.
func (q *Queue) Group(s graph.Site, n uint32) {
	q.groups.make(n)
	q.groups.of.Set(int(s), n)
}

// make makes group n exist.
func (g *groups) make(n uint32) {
	for g.heads.Len() <= int(n) {
		g.heads.Append(none)
		g.places.Append(idle)
	}
	g.shut.Grow(int(n)/64 + 1)
}

func (g *groups) isShut(n uint32) bool { return g.shut.At(int(n/64))>>(n%64)&1 != 0 }

// size returns the number of sites of group n that take part.
func (g *groups) size(n uint32) int {
	switch h := g.heads.At(int(n)); {
	case n == 0:
		return len(g.loose)
	case h == none:
		return 0
	case h >= crowdBit:
		return g.crowds.len(graph.Site(h - crowdBit))
	}
	return 1
}

// Shut shuts group n, so that Best skips its sites, or opens it. The group may be empty.
func (q *Queue) Shut(n uint32, shut bool) {
	g := q.groups
	g.make(n)
	if g.isShut(n) == shut {
		return
	}
	g.shut.Slice()[n/64] ^= 1 << (n % 64)
	if shut {
		g.shutOut += g.size(n)
	} else {
		g.shutOut -= g.size(n)
	}
	q.renewGroup(n)
}

// ShutOut returns the number of sites that take part and have pages, but whose group is
// shut.
func (q *Queue) ShutOut() int {
	if q.groups == nil {
		return 0
	}
	return q.groups.shutOut
}

// count adds k to the number of sites that are shut out if group n is shut.
func (g *groups) count(n uint32, k int) {
	if g.isShut(n) {
		g.shutOut += k
	}
}

// join puts a site into its group, or moves it there from place at to where it belongs.
func (q *Queue) join(at uint32, o offer) {
	g := q.groups
	n := g.of.At(int(o.site))
	if at == idle {
		g.count(n, 1)
	}
	switch h := g.heads.At(int(n)); {
	case n == 0:
		g.loose = put(g.loose, q.places.Slice(), at, o)
	case h == none:
		g.heads.Set(int(n), uint32(o.site)+1)
		q.places.Set(int(o.site), 1)
	case h >= crowdBit:
		q.crowdPut(graph.Site(h-crowdBit), at, o)
	case at == idle:
		q.crowd(n, graph.Site(h-1), o)
	}
	q.renewGroup(n)
}

// crowd makes a heap for group n, which has one site and gets another.
func (q *Queue) crowd(n uint32, first graph.Site, o offer) {
	g := q.groups
	id := graph.Site(g.crowds.blocks.Len())
	if k := len(g.free); k > 0 {
		id = graph.Site(g.free[k-1])
		g.free = g.free[:k-1]
	} else {
		g.crowds.addSite()
	}
	q.crowdPut(id, idle, q.offerOf(first))
	q.crowdPut(id, idle, o)
	g.heads.Set(int(n), crowdBit+uint32(id))
}

// part removes s, which is at place at, from its group.
func (q *Queue) part(s graph.Site, at uint32) {
	g := q.groups
	n := g.of.At(int(s))
	g.count(n, -1)
	h := g.heads.At(int(n))
	switch id := graph.Site(h - crowdBit); {
	case n == 0:
		g.loose = shrunk(remove(g.loose, q.places.Slice(), at))
	case h < crowdBit:
		g.heads.Set(int(n), none)
	default:
		if q.crowdRemove(id, at); g.crowds.len(id) == 0 {
			g.heads.Set(int(n), none)
			g.free = append(g.free, uint32(id))
		}
	}
	q.renewGroup(n)
}

// crowdPut puts o, which is at place at or idle, where it belongs in a crowd.
func (q *Queue) crowdPut(id graph.Site, at uint32, o offer) {
	var heap []graph.Page // of numbers of sites
	if at == idle {
		heap = q.groups.crowds.extend(id)
		q.crowdUp(heap, len(heap)-1, o)
		return
	}
	heap = q.groups.crowds.of(id)
	if q.crowdUp(heap, int(at)-1, o) == int(at)-1 {
		q.crowdDown(heap, int(at)-1, o)
	}
}

// crowdRemove removes the site at place at from a crowd.
func (q *Queue) crowdRemove(id graph.Site, at uint32) {
	heap := q.groups.crowds.of(id)
	i, n := int(at)-1, len(heap)-1
	if i < n { // the removed site may have no pages, and so no value
		if last := q.offerOf(graph.Site(heap[n])); q.crowdUp(heap[:n], i, last) == i {
			q.crowdDown(heap[:n], i, last)
		}
	}
	q.groups.crowds.shorten(id)
}

// crowdUp puts o at place i of a heap, moves it towards the top, and returns its new place.
func (q *Queue) crowdUp(heap []graph.Page, i int, o offer) int {
	for i > 0 {
		j := (i - 1) / 4
		if p := q.offerOf(graph.Site(heap[j])); p.before(&o) {
			break
		}
		q.crowdSet(heap, i, graph.Site(heap[j]))
		i = j
	}
	q.crowdSet(heap, i, o.site)
	return i
}

// crowdDown puts o at place i of a heap and moves it towards the end.
func (q *Queue) crowdDown(heap []graph.Page, i int, o offer) {
	for {
		first := 4*i + 1
		if first >= len(heap) {
			break
		}
		at, best := first, q.offerOf(graph.Site(heap[first]))
		for j := first + 1; j < min(first+4, len(heap)); j++ {
			if p := q.offerOf(graph.Site(heap[j])); p.before(&best) {
				at, best = j, p
			}
		}
		if o.before(&best) {
			break
		}
		q.crowdSet(heap, i, best.site)
		i = at
	}
	q.crowdSet(heap, i, o.site)
}

func (q *Queue) crowdSet(heap []graph.Page, i int, s graph.Site) {
	heap[i] = graph.Page(s)
	q.places.Set(int(s), uint32(i+1))
}

// reorder restores the order of all crowds after any value may have changed.
func (q *Queue) reorder() {
	g := q.groups
	for id := range graph.Site(g.crowds.blocks.Len()) {
		heap := g.crowds.of(id)
		for i := (len(heap)+2)/4 - 1; i >= 0; i-- {
			q.crowdDown(heap, i, q.offerOf(graph.Site(heap[i])))
		}
	}
	for n := uint32(1); int(n) < g.heads.Len(); n++ {
		q.renewGroup(n)
	}
}

// shrunk returns a list in less memory if most of its capacity is unused.
func shrunk[T any](list []T) []T {
	if cap(list) > 1024 && len(list) < cap(list)/4 {
		return append(make([]T, 0, 2*len(list)), list...)
	}
	return list
}

// bestOf returns the best site of group n.
func (q *Queue) bestOf(n uint32) (o offer, ok bool) {
	g := q.groups
	switch h := g.heads.At(int(n)); {
	case n == 0 && len(g.loose) > 0:
		return g.loose[0], true
	case h == none:
		return offer{}, false
	case h >= crowdBit:
		return q.offerOf(graph.Site(g.crowds.of(graph.Site(h - crowdBit))[0])), true
	default:
		return q.offerOf(graph.Site(h - 1)), true
	}
}

// renewGroup updates the place of group n among the offers after its best site changed.
func (q *Queue) renewGroup(n uint32) {
	g := q.groups
	places, at := g.places.Slice(), g.places.At(int(n))
	o, ok := q.bestOf(n)
	switch {
	case ok && !g.isShut(n):
		o.site = graph.Site(n)
		q.offers = put(q.offers, places, at, o)
	case at != idle:
		q.offers = shrunk(remove(q.offers, places, at))
		places[n] = idle
	}
}

// clear removes all offers and opens all groups.
func (g *groups) clear() {
	for n := range g.heads.Len() {
		g.heads.Set(n, none)
		g.places.Set(n, idle)
	}
	clear(g.shut.Slice())
	g.loose, g.free, g.shutOut = g.loose[:0], g.free[:0], 0
	for id := range graph.Site(g.crowds.blocks.Len()) {
		g.crowds.clear(id)
		g.free = append(g.free, uint32(id))
	}
}

// bytes returns the memory that is on the Go heap.
func (g *groups) bytes() int64 {
	if g == nil {
		return 0
	}
	return 16*int64(cap(g.loose)) + 4*int64(cap(g.free))
}
