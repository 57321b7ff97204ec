package score

import "github.com/winnow-crawler/winnow/graph"

// A Web is what the terms of links may know.
type Web struct {
	// Out returns the links of a page, none if it was not fetched. They are valid until the
	// next call.
	Out  func(graph.Page) []graph.Page
	Site func(graph.Page) graph.Site
}

// Authorities are the authorities of HITS (Kleinberg 1999) over the known pages, scaled to a
// mean of 1:
//
//	hub(p)       = sum of authority over the links of p
//	authority(q) = sum of hub over the links to q
//
// With remote, only links from one site to another count. An update makes a few sweeps from the
// last result with 1 added to each page, so that a cluster that is new is not forgotten for
// ever. It takes 8 bytes a page.
type Authorities struct {
	graph.Set
	remote  bool
	value   *graph.Column[float32] // by page
	next    *graph.Column[float32] // what the sweep under way brings
	numbers *graph.Column[uint64]  // see the constants below
	sum     *graph.Column[float64] // one number: of next
}

// The indexes of Authorities.numbers.
const (
	authPages  = iota // of the update
	authSweeps        // that are left, with the one under way
	authStage         // of that sweep
	authAt            // page at which it continues
	authNumbers
)

// The stages of a sweep. The first is done once.
const (
	authEven = iota
	authEmit
	authSum
	authSet
	authEnd
)

// NewAuthorities returns authorities with room for pages.
func NewAuthorities(pages int, remote bool) *Authorities {
	a, name := &Authorities{remote: remote}, "score authorities"
	if remote {
		name = "score remote authorities"
	}
	a.value = graph.NewColumnIn[float32](&a.Set, name, pages)
	a.next = graph.NewColumnIn[float32](&a.Set, name+" next", pages)
	a.numbers = graph.NewColumnIn[uint64](&a.Set, name+" numbers", authNumbers)
	a.sum = graph.NewColumnIn[float64](&a.Set, name+" sum", 1)
	a.numbers.Grow(authNumbers)
	a.sum.Grow(1)
	return a
}

// Known adds the next page, with 0.
func (a *Authorities) Known() {
	a.value.Append(0)
	a.next.Append(0)
}

// Value returns the authority of a page at the last update.
func (a *Authorities) Value(p graph.Page) float64 { return float64(a.value.At(int(p))) }

// Begin begins an update of some sweeps over the pages known now. Step does it.
func (a *Authorities) Begin(sweeps int) {
	num := a.numbers.Slice()
	num[authPages], num[authSweeps], num[authStage], num[authAt] = uint64(a.value.Len()), uint64(sweeps), authEven, 0
}

// Step does a part of an update, about as much as a number of links, and reports whether more
// is left.
func (a *Authorities) Step(w *Web, links int) (more bool) {
	num := a.numbers.Slice()
	for num[authSweeps] > 0 {
		if links <= 0 {
			return true
		}
		links -= a.advance(w, links)
		if num[authAt] < num[authPages] {
			continue
		}
		num[authAt] = 0
		if num[authStage]++; num[authStage] == authEnd {
			num[authStage] = authEmit
			num[authSweeps]--
			a.sum.Set(0, 0)
		}
	}
	return false
}

// advance continues the present stage and returns what it took, in links.
func (a *Authorities) advance(w *Web, links int) (took int) {
	num, value, next := a.numbers.Slice(), a.value.Slice(), a.next.Slice()
	i, end := int(num[authAt]), int(num[authPages])
	for ; i < end && took < links; i++ {
		took++
		switch num[authStage] {
		case authEven:
			value[i]++
			next[i] = 0
		case authEmit:
			took += a.emit(w, graph.Page(i))
		case authSum:
			a.sum.Slice()[0] += float64(next[i])
		case authSet:
			a.set(i, end)
		}
	}
	num[authAt] = uint64(i)
	return took
}

// emit adds the hub of a page to what its links get, and returns what that took.
func (a *Authorities) emit(w *Web, p graph.Page) int {
	links, site := w.Out(p), w.Site(p)
	value, next, end := a.value.Slice(), a.next.Slice(), graph.Page(a.numbers.At(authPages))
	counts := func(q graph.Page) bool { return q < end && q != p && !(a.remote && w.Site(q) == site) }
	hub := float32(0)
	for _, q := range links {
		if counts(q) {
			hub += value[q]
		}
	}
	for _, q := range links {
		if counts(q) {
			next[q] += hub
		}
	}
	return 2 * len(links)
}

// set sets the new value of a page. Without links that count, all are 0.
func (a *Authorities) set(i, pages int) {
	v := float32(0)
	if sum := a.sum.At(0); sum > 0 {
		v = float32(float64(a.next.At(i)) * float64(pages) / sum)
	}
	a.value.Set(i, v)
	a.next.Set(i, 0)
}
