package trap

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
)

// groups counts what the pages of each group of a site brought.
type groups struct {
	seen *urltable.Table
	news *graph.Column[uint32] // by group: pages that brought something new, or that several pages link to
	dull *graph.Column[uint32] // by group: pages with one link that brought nothing new
	// window is the number of last pages that count; 0: all of them.
	window uint32
}

// newGroups returns groups whose columns it adds to a set. It does not add the table, which
// comes before all columns in a snapshot.
func newGroups(set *graph.Set, table, name string, secret [16]byte, max int) groups {
	return groups{
		seen: urltable.New(table, secret, max, 1),
		news: graph.NewColumnIn[uint32](set, name+" news", max),
		dull: graph.NewColumnIn[uint32](set, name+" dull", max),
	}
}

// find returns the number of a group, if it has one.
func (g *groups) find(hash uint64) (int, bool) {
	n, ok := g.seen.LookupPage(hash)
	return int(n), ok
}

// enter returns the number of a group. It adds the group if it is new.
func (g *groups) enter(hash uint64) (n int, fresh bool) {
	id, fresh := g.seen.Page(hash)
	if fresh {
		g.news.Append(0)
		g.dull.Append(0)
	}
	return int(id), fresh
}

// count counts a page. When the window is full, all pages before count half: what a group
// brought long ago proves little about what it will bring.
func (g *groups) count(n int, news bool) {
	good, dull := &g.news.Slice()[n], &g.dull.Slice()[n]
	if g.window > 0 && *good+*dull >= g.window {
		*good, *dull = *good/2, *dull/2
	}
	if news {
		*good++
	} else {
		*dull++
	}
}

// correct counts a dull page as news instead.
func (g *groups) correct(n int) {
	if dull := g.dull.Slice(); dull[n] > 0 {
		dull[n]--
	}
	g.count(n, true)
}

// tired reports whether at least least pages of a group brought nothing new, and at least
// times as many pages as those that brought something new.
func (g *groups) tired(n int, least, times uint64) bool {
	dull := uint64(g.dull.At(n))
	return dull >= least && dull >= times*uint64(g.news.At(n))
}

// Levels of a place. The first two are free: a place has a page at its top and pages below
// it. On each of the next levels, freeEnds pages may lead deeper before an end is found, and
// leafWorth more for each end. lastLevel stands for all deeper levels: there one page is
// requested on each level down to diveLevel, to see whether a tree that is as deep
// everywhere has ends.
const (
	freeLevels = 2
	lastLevel  = 5
	diveLevel  = 8
	freeEnds   = 2
	leafWorth  = 8
)

// places counts the pages of each place (see place) that are ends, and those that lead
// deeper.
type places struct {
	groups
	leaves *graph.Column[uint32]
	base   *graph.Column[uint8]  // by place: depth of its topmost page
	onward *graph.Column[uint32] // by place: a byte for each level from freeLevels on: pages that lead deeper
	dived  *graph.Column[uint8]  // by place: the deepest level on which a page leads deeper; from lastLevel on
}

func newPlaces(set *graph.Set, secret [16]byte, max int) places {
	return places{
		groups: newGroups(set, "trap place", "place", secret, max),
		leaves: graph.NewColumnIn[uint32](set, "place leaves", max),
		base:   graph.NewColumnIn[uint8](set, "place base", max),
		onward: graph.NewColumnIn[uint32](set, "place onward", max),
		dived:  graph.NewColumnIn[uint8](set, "place dived", max),
	}
}

// enter returns the number of a place with a page at a depth.
func (p *places) enter(hash uint64, depth int) int {
	n, fresh := p.groups.enter(hash)
	if fresh {
		p.leaves.Append(0)
		p.base.Append(math.MaxUint8)
		p.onward.Append(0)
		p.dived.Append(0)
	}
	if depth < int(p.base.At(n)) {
		p.base.Set(n, uint8(depth))
	}
	return n
}

// level returns how far a depth is below the topmost page of a place.
func (p *places) level(n, depth int) int { return min(depth-int(p.base.At(n)), lastLevel) }

// left returns how many more pages at a depth may lead deeper. It is 0 when the place seems
// to have no end.
func (p *places) left(n, depth int) uint64 {
	level := p.level(n, depth)
	if level < freeLevels {
		return math.MaxInt64
	}
	all := leafWorth * uint64(p.leaves.At(n))
	if level < lastLevel {
		all += freeEnds
	}
	all = min(all, math.MaxUint8)
	onward := uint64(p.onward.At(n) >> (8 * (level - freeLevels)) & 0xff)
	if level == lastLevel && all <= onward && p.dives(n, depth) {
		return 1
	}
	return all - min(all, onward)
}

// endless reports whether a depth is below the topmost page of a place in which no page was an
// end so far.
func (p *places) endless(n, depth int) bool { return p.level(n, depth) > 0 && p.leaves.At(n) == 0 }

// dives reports whether a page lies deeper than all that were fetched, but not too deep.
func (p *places) dives(n, depth int) bool {
	at := depth - int(p.base.At(n))
	return at > int(p.dived.At(n)) && at <= diveLevel
}

// fetched notes that a page at a depth brought something new, and whether it is an end. If
// hundreds of pages of a level lead deeper and as many are ends, the place is a real tree,
// and counting stops.
func (p *places) fetched(n, depth int, leaf bool) {
	level := p.level(n, depth)
	switch {
	case level < 1:
	case leaf:
		p.leaves.Slice()[n]++
	case level >= freeLevels:
		shift := 8 * (level - freeLevels)
		if v := p.onward.At(n); v>>shift&0xff < math.MaxUint8-1 {
			p.onward.Set(n, v+1<<shift)
		}
		if at := min(depth-int(p.base.At(n)), math.MaxUint8); at >= lastLevel && at > int(p.dived.At(n)) {
			p.dived.Set(n, uint8(at))
		}
	}
}
