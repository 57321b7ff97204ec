package queue

import "github.com/winnow-crawler/winnow/graph"

// Sites can be in groups, which are shut and opened as a whole: those of one IP
// address, which may be busy. It costs one move in a heap to shut a group of any size,
// and its sites keep their order among each other in the meantime, by the values that
// they have at each moment:
//
//	offers:  [ group 3 | group 0 ... ]           groups that are not shut
//	              |         |
//	groups:  [ 7 2 9 ]  [ 4 1 ]                  sites that take part
//	           |
//	pages:   [ 31 12 ]
//
// Every site begins in group 0.

// group is the heap of its sites.
type group struct {
	offers []offer
	shut   bool
}

// Grouped lets sites be in groups. To be called before any site is known.
func (q *Queue) Grouped() { q.makeGroups(0) }

// Group puts s, which must be withdrawn, into group g.
func (q *Queue) Group(s graph.Site, g uint32) {
	q.makeGroups(g)
	q.groupOf.Grow(int(s) + 1)
	q.groupOf.Set(int(s), g)
}

func (q *Queue) makeGroups(g uint32) {
	for len(q.groups) <= int(g) {
		q.groups = append(q.groups, group{})
		q.groupPlaces = append(q.groupPlaces, idle)
	}
}

// Shut keeps the sites of group g from being the best, or ends that. The group may have
// no sites, or none any more.
func (q *Queue) Shut(g uint32, shut bool) {
	q.makeGroups(g)
	in := &q.groups[g]
	if in.shut == shut {
		return
	}
	q.count(in, -len(in.offers))
	in.shut = shut
	q.count(in, len(in.offers))
	q.renewGroup(g)
}

// ShutOut is the number of sites that take part and have pages, but whose group is
// shut.
func (q *Queue) ShutOut() int { return q.shutOut }

// count adds n to the sites that are shut out if g is shut.
func (q *Queue) count(g *group, n int) {
	if g.shut {
		q.shutOut += n
	}
}

// renewGroup brings the place of g up to date with its best site.
func (q *Queue) renewGroup(g uint32) {
	in, at := &q.groups[g], q.groupPlaces[g]
	switch {
	case !in.shut && len(in.offers) > 0:
		o := in.offers[0]
		o.site = graph.Site(g)
		q.offers = put(q.offers, q.groupPlaces, at, o)
	case at != idle:
		q.offers = remove(q.offers, q.groupPlaces, at)
		q.groupPlaces[g] = idle
	}
}

// clearGroups takes all offers out and opens all groups.
func (q *Queue) clearGroups() {
	for g := range q.groups {
		q.groups[g] = group{offers: q.groups[g].offers[:0]}
		q.groupPlaces[g] = idle
	}
	q.shutOut = 0
}

// groupBytes is the memory that groups take.
func (q *Queue) groupBytes() (n int64) {
	for _, g := range q.groups {
		n += 16 * int64(cap(g.offers))
	}
	return n + 32*int64(cap(q.groups)) + 4*int64(cap(q.groupPlaces))
}
