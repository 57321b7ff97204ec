package hindsight

import "github.com/winnow-crawler/winnow/graph"

// A World is what an Estimate may know.
type World struct {
	// Marks holds bits by page. The links of a page are known if those of Mask are Fetched.
	// During an estimate that must not change.
	Marks         []uint16
	Mask, Fetched uint16
	// Group holds the group of each page: one that is expected to link as the fetched pages of
	// the group do. Up holds the group above each group, which has a lower number; that of 0
	// is 0.
	Group []uint32
	Up    []uint32
	// Out returns the links of a fetched page. They are valid until the next call.
	Out func(graph.Page) []graph.Page
	// Where a crawl is cut into partitions, the mass of a page with Foreign among its marks goes to
	// another partition, Source holds what each page has from others, and Own is the number of the
	// pages that are not foreign. Otherwise Foreign is 0 and Source nil.
	Foreign uint16
	Source  []float32
	Own     int
	// Lost is the mass that goes to all pages in other partitions, and Others the number of their
	// pages.
	Lost   float64
	Others float64
}

// spread returns what a page has of the mass that goes to all, of which lost is that of pages here.
func (w *World) spread(lost float64) float64 {
	return (lost + w.Lost) / max(1, float64(w.Own)+w.Others)
}

// foreign reports whether a page is one of another partition.
func (w *World) foreign(p int) bool { return w.Marks[p]&w.Foreign != 0 }

// fetched reports whether the links of a page are known.
func (w *World) fetched(p int) bool { return w.Marks[p]&w.Mask == w.Fetched }

// An Estimate is PageRank of the known pages, scaled to a mean of 1, as if each page that is
// not fetched yet linked as those of its group that are. The mass of a page that waits goes to
// its group. The group keeps K/(K+0.5) of it, where K is the number of its fetched pages, which
// emit it with their own; the rest goes to the group above. Of pages without links the mass
// goes to all. It takes 8 bytes for each page and 12 for each group.
//
// Between two estimates Add keeps the values up to date as well as it can.
type Estimate struct {
	graph.Set
	most    int
	value   *graph.Column[float32] // by page
	next    *graph.Column[float32] // what the sweep under way brings
	keeps   *graph.Column[float64] // by group: mass of its own, then what each fetched page emits in addition
	fetched *graph.Column[uint32]  // by group, groups below included
	numbers *graph.Column[uint64]
	sums    *graph.Column[float64] // see the constants below
}

// The indexes of Estimate.numbers.
const (
	pages  = iota // of the estimate
	groups        // of the estimate
	sweeps        // that are left, with the one under way
	stage         // of that sweep, see the constants below
	at            // page or group at which the stage continues
	estimateNumbers
)

// The indexes of Estimate.sums.
const (
	total = iota // of the values at the beginning
	scale        // by which values are multiplied, so that their mean is 1
	lost         // mass that goes to all
	estimateSums
	// Only where there are several partitions: what pages here give to foreign ones, and what
	// others give to pages here.
	outward = iota - 1
	inward
	leaked // mass that went to all in the last sweep
	openSums
)

// The stages of an estimate: the first three once, then the others in each sweep.
const (
	emptying  = iota // the groups
	counting         // fetched pages of the groups, mass of their waiting pages
	adding           // groups, from the last to the first: what those below have fetched
	keeping          // groups, from the last to the first
	lending          // groups, from the first to the last
	emitting         // links
	clearing         // the masses of the groups
	gathering        // the new masses
	stages
)

const (
	// follow is the probability of following a link.
	follow = 0.9
	// trust is the number of fetched pages at which a group keeps half of the mass.
	trust = 0.5
)

// NewEstimate returns an Estimate with room for pages and groups.
func NewEstimate(mostPages, mostGroups int) *Estimate {
	e := &Estimate{most: mostPages}
	e.value = graph.NewColumnIn[float32](&e.Set, "estimate: values", mostPages)
	e.next = graph.NewColumnIn[float32](&e.Set, "estimate: next", mostPages)
	e.keeps = graph.NewColumnIn[float64](&e.Set, "estimate: groups", mostGroups)
	e.fetched = graph.NewColumnIn[uint32](&e.Set, "estimate: fetched", mostGroups)
	e.numbers = graph.NewColumnIn[uint64](&e.Set, "estimate: numbers", estimateNumbers)
	e.sums = graph.NewColumnIn[float64](&e.Set, "estimate: sums", openSums)
	e.numbers.Grow(estimateNumbers)
	e.sums.Grow(estimateSums)
	return e
}

// Known adds the next page, with the value of one that nobody links to.
func (e *Estimate) Known() {
	e.value.Append(1 - follow)
	e.next.Append(0)
}

// Groups makes room for n groups.
func (e *Estimate) Groups(n int) {
	e.keeps.Grow(n)
	e.fetched.Grow(n)
}

// Value returns the estimate for a page.
func (e *Estimate) Value(p graph.Page) float64 { return float64(e.value.At(int(p))) }

// Add adds to the value of a page, until the next estimate.
func (e *Estimate) Add(p graph.Page, d float64) { e.value.Slice()[p] += float32(d) }

// Begin begins an estimate for the pages from 0 to n and groups from 0 to g, of some sweeps
// from the present values. Step does it.
func (e *Estimate) Begin(n, g, many int) {
	num, sum := e.numbers.Slice(), e.sums.Slice()
	e.Groups(g)
	num[pages], num[groups], num[sweeps] = uint64(n), uint64(g), uint64(many)
	num[stage], num[at] = emptying, 0
	sum[total], sum[scale], sum[lost] = 0, 1, 0
	if len(sum) == openSums {
		sum[outward], sum[inward] = 0, 0
	}
}

// Leaked returns the mass that went to all pages in the last sweep.
func (e *Estimate) Leaked() float64 {
	if e.sums.Len() < openSums {
		return 0
	}
	return e.sums.At(leaked)
}

// Step does a part of an estimate, about as much as a number of links, and reports whether
// more is left.
func (e *Estimate) Step(w *World, links int) (more bool) {
	num := e.numbers.Slice()
	for num[sweeps] > 0 {
		if links <= 0 {
			return true
		}
		end := num[pages]
		if s := num[stage]; s != counting && s != emitting && s != gathering {
			end = num[groups]
		}
		links -= e.advance(w, links, int(end))
		if num[at] < end {
			continue
		}
		num[at] = 0
		e.turn(w)
	}
	return false
}

// turn begins the next stage. Where nothing comes or goes the mean of all values is 1. Otherwise
// what the pages have, (1-follow) each and what comes, is what they lose and give to others.
func (e *Estimate) turn(w *World) {
	num, sum := e.numbers.Slice(), e.sums.Slice()
	switch {
	case num[stage] == counting && w.Foreign != 0:
		has := float64((1-follow+float64(follow*w.spread(sum[leaked])))*float64(w.Own)) + sum[inward]
		sum[scale] = has / (float64((1-follow)*sum[total]) + float64(follow*sum[leaked]) + sum[outward])
	case num[stage] == counting:
		sum[scale] = float64(num[pages]) / sum[total]
	case num[stage] == gathering:
		if w.Foreign != 0 {
			sum[leaked] = sum[lost]
		}
		num[sweeps]--
		num[stage] = adding
		sum[scale], sum[lost] = 1, 0
	}
	num[stage]++
}

// advance continues the present stage and returns what it took, in links.
func (e *Estimate) advance(w *World, links, end int) (took int) {
	num := e.numbers.Slice()
	i := int(num[at])
	if num[stage] == emitting {
		i, took = e.emit(w, i, end, links)
		num[at] = uint64(i)
		return took
	}
	stop := i + min(end-i, 1+links)
	e.pass(w, i, stop, end)
	num[at] = uint64(stop)
	return stop - i
}

// pass does a stage for the pages or groups from i to stop.
func (e *Estimate) pass(w *World, i, stop, end int) {
	switch e.numbers.At(stage) {
	case emptying:
		clear(e.fetched.Slice()[i:stop])
		clear(e.keeps.Slice()[i:stop])
	case counting:
		e.count(w, i, stop)
	case adding:
		e.add(w, end-stop, end-i)
	case keeping:
		e.keep(w, end-stop, end-i)
	case lending:
		lend(e.keeps.Slice()[:stop], w.Up, max(i, 1))
	case clearing:
		clear(e.keeps.Slice()[i:stop])
	case gathering:
		e.gather(w, i, stop)
		if w.Foreign != 0 {
			e.exchange(w, i, stop)
		}
	}
}

// lend adds to the masses of groups, from i on, those of the groups above.
func lend(keeps []float64, up []uint32, i int) {
	up = up[:len(keeps)]
	for ; i < len(keeps); i++ {
		keeps[i] += keeps[up[i]]
	}
}

// count sums the values, counts fetched pages in their groups, and gives the mass of waiting
// pages to theirs.
func (e *Estimate) count(w *World, i, stop int) {
	if w.Foreign == 0 {
		e.countClosed(w, i, stop)
		return
	}
	e.countOpen(w, i, stop)
	value, next, fetched, keeps, sum := e.value.Slice(), e.next.Slice(), e.fetched.Slice(), e.keeps.Slice(), &e.sums.Slice()[total]
	for ; i < stop; i++ {
		if !w.foreign(i) {
			*sum += float64(value[i])
		}
		next[i] = 0
		if g := w.Group[i]; w.fetched(i) {
			fetched[g]++
		} else if !w.foreign(i) {
			keeps[g] += float64(value[i])
		}
	}
}

// countClosed does it where there are no foreign pages.
func (e *Estimate) countClosed(w *World, i, stop int) {
	value, next, marks, group := e.value.Slice()[:stop], e.next.Slice()[:stop], w.Marks[:stop], w.Group[:stop]
	fetched, keeps, sum, mask, is := e.fetched.Slice(), e.keeps.Slice(), e.sums.At(total), w.Mask, w.Fetched
	clear(next[i:])
	for ; i < len(value); i++ {
		v := float64(value[i])
		sum += v
		if g := group[i]; marks[i]&mask == is {
			fetched[g]++
		} else {
			keeps[g] += v
		}
	}
	e.sums.Set(total, sum)
}

// add counts the fetched pages of groups, from the last to the first, in those above, and
// scales their masses.
func (e *Estimate) add(w *World, first, end int) {
	fetched, keeps, up, scale := e.fetched.Slice()[:end], e.keeps.Slice()[:end], w.Up[:end], e.sums.At(scale)
	for g := end - 1; g >= first; g-- {
		keeps[g] *= scale
		if n := fetched[g]; g > 0 && n > 0 {
			fetched[up[g]] += n
		}
	}
}

// keep passes on the part of the mass of groups, from the last to the first, that they do not
// keep. What is left becomes the mass for each of their fetched pages.
func (e *Estimate) keep(w *World, first, end int) {
	keeps, fetched, up := e.keeps.Slice()[:end], e.fetched.Slice()[:end], w.Up[:end]
	for g := end - 1; g >= max(first, 1); g-- {
		mass := keeps[g]
		if mass == 0 {
			continue // there is nothing to keep or to pass on
		}
		if fetched[g] == 0 { // it keeps nothing
			keeps[up[g]] += mass
			keeps[g] = 0
			continue
		}
		k := float64(fetched[g])
		kept := float64(mass * k / (k + trust))
		keeps[up[g]] += mass - kept
		keeps[g] = kept / k
	}
	if first > 0 || end == 0 {
		return
	}
	if k := float64(fetched[0]); k == 0 {
		e.sums.Slice()[lost] += keeps[0]
		keeps[0] = 0
	} else {
		keeps[0] /= k
	}
}

// emit lets fetched pages from i on emit their masses along their links, as long as there are
// links to spend. It returns where it stopped, and what it took.
func (e *Estimate) emit(w *World, i, end, links int) (stop, took int) {
	value, keeps := e.value.Slice()[:end], e.keeps.Slice()
	marks, group, mask, is := w.Marks[:end], w.Group[:end], w.Mask, w.Fetched
	next, scale, gone := e.next.Slice()[:e.numbers.At(pages)], e.sums.At(scale), e.sums.At(lost)
	newer := len(next) < e.value.Len() // there may be links to pages that are newer
	for ; i < len(value) && took < links; i++ {
		if took++; marks[i]&mask != is {
			continue
		}
		mass, list := float64(scale*float64(value[i]))+keeps[group[i]], w.Out(graph.Page(i))
		took += len(list)
		n := len(list)
		if newer {
			n = older(list, len(next))
		}
		if n == 0 {
			gone += mass
			continue
		}
		share := float32(mass / float64(n))
		for _, q := range list {
			if int(q) < len(next) {
				next[q] += share
			}
		}
	}
	e.sums.Set(lost, gone)
	return i, took
}

// older returns how many pages of a list have numbers below known.
func older(list []graph.Page, known int) (n int) {
	for _, q := range list {
		if int(q) < known {
			n++
		}
	}
	return n
}

// gather sets the new values of some pages, and gives the mass of those that wait to their
// groups for the next sweep.
func (e *Estimate) gather(w *World, i, stop int) {
	all := (1 - follow) + float64(follow*e.sums.At(lost))/float64(e.numbers.At(pages))
	value, next, keeps, more := e.value.Slice(), e.next.Slice(), e.keeps.Slice(), e.numbers.At(sweeps) > 1 && w.Foreign == 0
	for ; i < stop; i++ {
		v := float32(all + float64(follow*float64(next[i])))
		value[i], next[i] = v, 0
		if more && !w.fetched(i) {
			keeps[w.Group[i]] += float64(v)
		}
	}
}

// exchange corrects the new values of some pages by what comes from other partitions and goes there,
// and gives the mass of those that wait to their groups for the next sweep.
func (e *Estimate) exchange(w *World, i, stop int) {
	lost := e.sums.At(lost)
	off, here := float64(follow*lost)/float64(e.numbers.At(pages)), follow*w.spread(lost)
	value, keeps, more := e.value.Slice(), e.keeps.Slice(), e.numbers.At(sweeps) > 1
	for ; i < stop; i++ {
		if w.foreign(i) {
			value[i] -= float32(off)
			continue
		}
		value[i] += float32(here-off) + w.Source[i]
		if more && !w.fetched(i) {
			keeps[w.Group[i]] += float64(value[i])
		}
	}
}

// countOpen sums what comes from other partitions and goes there.
func (e *Estimate) countOpen(w *World, i, stop int) {
	e.sums.Grow(openSums)
	value, sum := e.value.Slice(), e.sums.Slice()
	for ; i < stop; i++ {
		if w.foreign(i) {
			sum[outward] += max(0, float64(value[i])-(1-follow))
		} else {
			sum[inward] += float64(w.Source[i])
		}
	}
}
