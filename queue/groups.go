package queue

import "github.com/winnow-crawler/winnow/graph"

// Sites can be in groups, which are shut and opened as a whole: those of one IP
// address, which may be busy. It costs one move in a heap to shut a group of any size,
// and its sites keep their order among each other in the meantime, by the values that
// they have at each moment:
//
//	offers:  [ group 3 | group 0 ... ]           groups that are not shut
//	              |         |
//	crowds:  [ 7 2 9 ]  [ 4 1 ]                  sites that take part
//	           |
//	pages:   [ 31 12 ]
//
// Every site begins in group 0, where there may be as many as there are at all: it has a
// heap with keys. Most other groups have one site that takes part, or none: it is named by
// the group itself, whose 8 bytes are all that it takes then. Where there are more the group
// has a crowd, a heap that holds numbers of sites only and looks their values up: 4 bytes a
// site, and 9 a crowd.
type groups struct {
	of      *graph.Column[uint32] // by site: its group; it is the driver's
	heads   *graph.Column[uint32] // by group: none, 1 + its site, or crowdBit and the number of its crowd
	places  *graph.Column[uint32] // by group: idle, or its place in offers, counted from 1
	shut    *graph.Column[uint64] // bit by group
	loose   []offer               // the sites of group 0
	crowds  arena                 // those of others, as lists of numbers
	free    []uint32              // numbers of crowds that are not in use
	shutOut int                   // offers in groups that are shut
}

// none and crowdBit are what heads holds; there must be fewer sites than crowdBit.
const (
	none     = 0
	crowdBit = 1 << 31
)

// Grouped lets sites be in groups, of which there are at most so many. of has the group of
// each site: it is the caller's, who adds a site there first. To be called before any site
// is known.
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

// make lets there be a group n.
func (g *groups) make(n uint32) {
	for g.heads.Len() <= int(n) {
		g.heads.Append(none)
		g.places.Append(idle)
	}
	g.shut.Grow(int(n)/64 + 1)
}

func (g *groups) isShut(n uint32) bool { return g.shut.At(int(n/64))>>(n%64)&1 != 0 }

// size is the number of sites of group n that take part.
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

// Shut keeps the sites of group n from being the best, or ends that. The group may have
// no sites, or none any more.
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

// ShutOut is the number of sites that take part and have pages, but whose group is
// shut.
func (q *Queue) ShutOut() int {
	if q.groups == nil {
		return 0
	}
	return q.groups.shutOut
}

// count adds k to the sites that are shut out if group n is shut.
func (g *groups) count(n uint32, k int) {
	if g.isShut(n) {
		g.shutOut += k
	}
}

// join puts s into its group, or where it belongs there; it was at place at.
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

// crowd makes a heap of group n for its site and another.
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

// part takes s, which is at place at, out of its group.
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

// crowdPut lets o be in a crowd: it is at place at, or idle.
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

// crowdRemove takes out what is at place at of a crowd.
func (q *Queue) crowdRemove(id graph.Site, at uint32) {
	heap := q.groups.crowds.of(id)
	i, n := int(at)-1, len(heap)-1
	if i < n { // the one that goes may have no pages, and no value
		if last := q.offerOf(graph.Site(heap[n])); q.crowdUp(heap[:n], i, last) == i {
			q.crowdDown(heap[:n], i, last)
		}
	}
	q.groups.crowds.shorten(id)
}

// crowdUp puts o at place i of a heap, moves it towards the top, and returns where it ends.
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

// reorder brings all crowds in order after every value may have changed.
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

// shrunk is a list in less memory if most of that is not used any more.
func shrunk[T any](list []T) []T {
	if cap(list) > 1024 && len(list) < cap(list)/4 {
		return append(make([]T, 0, 2*len(list)), list...)
	}
	return list
}

// bestOf is the best site of group n.
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

// renewGroup brings the place of n up to date with its best site.
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

// clear takes all offers out and opens all groups.
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

// bytes is the memory that is on the Go heap.
func (g *groups) bytes() int64 {
	if g == nil {
		return 0
	}
	return 16*int64(cap(g.loose)) + 4*int64(cap(g.free))
}
