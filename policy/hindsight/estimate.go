package hindsight

import "github.com/winnow-crawler/winnow/graph"

// A World is what an Estimate may know.
type World interface {
	// Fetched reports whether the links of a page are known. During an estimate the answer
	// must not change.
	Fetched(graph.Page) bool
	// Out returns the links of a fetched page. They are valid until the next call.
	Out(graph.Page) []graph.Page
	// Group returns the group of a page: one that is expected to link as the fetched pages of
	// the group do. Up returns the group above a group, which has a lower number; that of 0
	// is 0.
	Group(graph.Page) uint32
	Up(group uint32) uint32
}

// An Estimate is PageRank of the known pages, as if each page that is not fetched yet linked
// as those of its group that are. The mass of a page that waits goes to its group. The group
// keeps K/(K+2) of it, where K is the number of its fetched pages, which emit it with their
// own; the rest goes to the group above. Of pages without links the mass goes to all.
type Estimate struct {
	graph.Set
	mass    *graph.Column[float64] // by page, sum 1
	next    *graph.Column[float64] // the same after the sweep under way
	keeps   *graph.Column[float64] // by group: mass of its own, then what each fetched page emits in addition
	fetched *graph.Column[uint32]  // by group, groups below included
	numbers *graph.Column[uint64]
	lost    *graph.Column[float64] // mass that goes to all
}

// The indexes of Estimate.numbers.
const (
	pages   = iota // of the estimate
	groups         // of the estimate
	sweep          // number of the sweep under way
	stage          // of that sweep, see the constants below
	at             // page or group at which the stage continues
	settled        // pages that have a mass from an earlier estimate
	estimateNumbers
)

// The stages of an estimate: counting once, then the others in each sweep.
const (
	counting  = iota // fetched pages of the groups
	sharing          // mass of waiting pages to their groups
	keeping          // groups, from the last to the first
	lending          // groups, from the first to the last
	emitting         // links
	gathering        // the new masses
	stages
)

const (
	// Sweeps is the number of sweeps of an estimate: it begins with the result of the last.
	Sweeps = 8
	// follow is the probability of following a link.
	follow = 0.9
	// trust is the number of fetched pages at which a group keeps half of the mass.
	trust = 2
)

// NewEstimate returns an Estimate with room for pages and groups.
func NewEstimate(mostPages, mostGroups int) *Estimate {
	e := new(Estimate)
	e.mass = graph.NewColumnIn[float64](&e.Set, "estimate: mass", mostPages)
	e.next = graph.NewColumnIn[float64](&e.Set, "estimate: next", mostPages)
	e.keeps = graph.NewColumnIn[float64](&e.Set, "estimate: groups", mostGroups)
	e.fetched = graph.NewColumnIn[uint32](&e.Set, "estimate: fetched", mostGroups)
	e.numbers = graph.NewColumnIn[uint64](&e.Set, "estimate: numbers", estimateNumbers)
	e.lost = graph.NewColumnIn[float64](&e.Set, "estimate: lost", 1)
	e.numbers.Grow(estimateNumbers)
	e.lost.Grow(1)
	return e
}

// Value returns the estimate for a page, scaled to a mean of 1.
func (e *Estimate) Value(p graph.Page) float64 {
	return float64(e.mass.At(int(p)) * float64(e.mass.Len()))
}

// Begin begins an estimate for the pages from 0 to n, and groups from 0 to g. Step does it.
func (e *Estimate) Begin(n, g int) {
	num := e.numbers.Slice()
	old := e.mass.Len()
	e.mass.Grow(n)
	e.next.Truncate(0)
	e.next.Grow(n)
	e.keeps.Truncate(0)
	e.keeps.Grow(g)
	e.fetched.Truncate(0)
	e.fetched.Grow(g)
	mass, share := e.mass.Slice(), 1/float64(n)
	for p := old; p < n; p++ {
		mass[p] = share
	}
	sum := 1 + float64(n-old)*share
	if old == 0 {
		sum = 1
	}
	for p := range mass {
		mass[p] /= sum
	}
	num[pages], num[groups], num[settled] = uint64(n), uint64(g), uint64(old)
	num[sweep], num[stage], num[at] = 0, counting, 0
	e.lost.Set(0, 0)
}

// Step does a part of an estimate, about as much as a number of links, and reports whether
// more is left.
func (e *Estimate) Step(w World, links int) (more bool) {
	num := e.numbers.Slice()
	for num[sweep] < Sweeps {
		if links <= 0 {
			return true
		}
		end := num[pages]
		if s := num[stage]; s == keeping || s == lending {
			end = num[groups]
		}
		links -= e.advance(w, links, int(end))
		if num[at] < end {
			continue
		}
		num[at] = 0
		if num[stage]++; num[stage] == stages {
			num[stage] = sharing
			num[sweep]++
			e.turn()
		}
	}
	return false
}

// advance continues the present stage and returns what it took, in links.
func (e *Estimate) advance(w World, links, end int) (took int) {
	num := e.numbers.Slice()
	for i := int(num[at]); i < end; i++ {
		if took >= links {
			return took
		}
		took++
		num[at] = uint64(i + 1)
		switch num[stage] {
		case counting:
			e.count(w, graph.Page(i))
		case sharing:
			if p := graph.Page(i); !w.Fetched(p) {
				e.keeps.Slice()[w.Group(p)] += e.mass.At(i)
			}
		case keeping:
			e.keep(w, uint32(end-1-i))
		case lending:
			if g := uint32(i); g != 0 {
				e.keeps.Slice()[g] += e.keeps.At(int(w.Up(g)))
			}
		case emitting:
			took += e.emit(w, graph.Page(i))
		case gathering:
			e.gather(i)
		}
	}
	return took
}

// count counts a fetched page in its groups.
func (e *Estimate) count(w World, p graph.Page) {
	if !w.Fetched(p) {
		return
	}
	g := w.Group(p)
	for ; g != 0; g = w.Up(g) {
		e.fetched.Slice()[g]++
	}
	e.fetched.Slice()[0]++
}

// keep passes on the part of the mass of a group that it does not keep. What is left becomes
// the mass for each of its fetched pages.
func (e *Estimate) keep(w World, g uint32) {
	keeps, k := e.keeps.Slice(), float64(e.fetched.At(int(g)))
	mass := keeps[g]
	switch {
	case g != 0:
		kept := float64(mass * k / (k + trust))
		keeps[w.Up(g)] += mass - kept
		mass = kept
	case k == 0:
		e.lost.Slice()[0] += mass
		mass = 0
	}
	keeps[g] = mass / max(1, k)
}

// emit lets a fetched page emit its mass along its links, and returns their number.
func (e *Estimate) emit(w World, p graph.Page) int {
	if !w.Fetched(p) {
		return 0
	}
	mass, links := e.mass.At(int(p))+e.keeps.At(int(w.Group(p))), w.Out(p)
	n := 0
	for _, q := range links {
		if int(q) < e.next.Len() {
			n++
		}
	}
	if n == 0 {
		e.lost.Slice()[0] += mass
		return len(links)
	}
	share, next := mass/float64(n), e.next.Slice()
	for _, q := range links {
		if int(q) < len(next) {
			next[q] += share
		}
	}
	return len(links)
}

// gather sets the new mass of a page.
func (e *Estimate) gather(i int) {
	n := float64(e.next.Len())
	all := ((1 - follow) + float64(follow*e.lost.At(0))) / n
	e.mass.Set(i, all+float64(follow*e.next.At(i)))
}

// turn begins the next sweep.
func (e *Estimate) turn() {
	clear(e.next.Slice())
	clear(e.keeps.Slice())
	e.lost.Set(0, 0)
}
