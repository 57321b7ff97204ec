package rank

import (
	"bytes"
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank/kernel"
)

// Growing keeps PageRank current while a crawl finds and fetches pages. It holds for every
// page a settled rank y and a residual r with
//
//	r = 1 + follow Pᵀ y - y
//
// over the graph known so far, so that y solves equation (2) when r is 0. A page
// that becomes known adds 1 to its own residual; a page that is fetched, and was
// dangling until then, adds follow y/k to the residual of each of its k links;
// nothing else changes. To push a page is to move its residual into its y and follow
// r/k of it to each of its links, which keeps the equation. The residuals are never
// negative, and their sum bounds the error.
//
// This is OPIC (Abiteboul et al. 2003) with damping: r is the cash of a page, y its
// history, a push its visit, and every page brings cash of 1 when it becomes known.
//
// The cost of a page is bounded, and does not depend on the size of the graph: it brings a
// bounded residual, of which each push disposes of the part 1 - follow, and a push is worth
// at least the threshold. No in-lists are needed.
//
// A dangling page has no links to pass its residual to, so there y + r is exact and nothing
// need be pushed. Pages that are known but not fetched, which are most pages of a crawl,
// cost nothing but their share in pushes of others.
type Growing struct {
	graph.Set // the whole state
	follow    float64
	out       func(graph.Page) []graph.Page

	// settled is y of the pages with links, 0 for others.
	settled *graph.Column[float64]
	// open is r of the pages with links, and for dangling pages minus (y + r): the sign bit
	// distinguishes the two in the innermost loop at no cost. It is 0 for pages that are
	// not known; those have 0 in settled too.
	open *graph.Column[float64]
	// waiting has 1 for each block of 64 pages in which the residual of some page may
	// be above the threshold: element b+1 for block b. Element 0 is written to when
	// none is.
	waiting *graph.Column[uint8]
	// numbers are the few single numbers of the state, so that the columns are all of
	// it.
	numbers *graph.Column[float64]
}

// The indexes of numbers.
const (
	threshold    = iota // residuals above it are pushed
	sumSettled          // the sum of y over pages with links
	sumOpen             // the sum of r over pages with links
	sumDangling         // the sum of y + r over dangling pages
	cursor              // the page to look at next
	draining            // 1 while a refresh is under way
	sinceRecount        // pushes since recount was last called
	visited             // links followed by pushes, ever
	pages               // known
	livePages           // with links
	ceiling             // no residual of a page with links is above it; 0 when that is not known
	numberCount
)

const blockPages = 64

// NewGrowing returns an empty Growing for at most max pages. out returns the links of a
// fetched page, as they were handed to Fetched; what it returns is used before the
// next call.
func NewGrowing(follow float64, max int, out func(graph.Page) []graph.Page) (*Growing, error) {
	if !(follow > 0 && follow < 1) {
		return nil, fmt.Errorf("growing PageRank: follow %v is not between 0 and 1", follow)
	}
	g := &Growing{
		follow: follow,
		out:    out,
	}
	g.settled = graph.NewColumnIn[float64](&g.Set, "rank settled", max)
	g.open = graph.NewColumnIn[float64](&g.Set, "rank open", max)
	g.waiting = graph.NewColumnIn[uint8](&g.Set, "rank waiting", max/blockPages+2)
	g.numbers = graph.NewColumnIn[float64](&g.Set, "rank numbers", numberCount)
	g.numbers.Grow(numberCount)
	g.numbers.Set(threshold, 0.5) // below 1, so that the first page of all is pushed
	return g, nil
}

// known reports whether page p was added.
func (g *Growing) known(p graph.Page) bool {
	return int(p) < g.open.Len() && (g.open.At(int(p)) != 0 || g.settled.At(int(p)) != 0)
}

// Known adds a page, as a dangling one. Pages may be added in any order; a page that is
// known already does not change.
func (g *Growing) Known(p graph.Page) {
	if g.known(p) {
		return
	}
	if n := int(p) + 1; n > g.open.Len() {
		g.open.Grow(n)
		g.settled.Grow(n)
		g.waiting.Grow(int(p)/blockPages + 2)
	}
	g.open.Set(int(p), -1)
	num := g.numbers.Slice()
	num[sumDangling]++
	num[pages]++
}

// Fetched sets the links of page p: distinct, without p itself. It adds linked pages that
// are not known. Without links p stays dangling. Links are set once; a later call for p
// changes nothing.
func (g *Growing) Fetched(p graph.Page, links []graph.Page) {
	g.Known(p)
	y := -g.open.At(int(p))
	if len(links) == 0 || !(y > 0) {
		return
	}
	for _, q := range links {
		g.Known(q)
	}
	g.open.Set(int(p), 0)
	g.settled.Set(int(p), y)
	num := g.numbers.Slice()
	c := g.follow * y / float64(len(links))
	dangling := kernel.Spread(g.open.Slice(), g.waiting.Slice(), links, c, num[threshold])
	num[livePages]++
	num[ceiling] = 0
	num[sumSettled] += y
	num[sumDangling] += float64(c*float64(dangling)) - y
	num[sumOpen] += float64(c * float64(len(links)-dangling))
}

// level returns what Score subtracts from y + r of every page, dangling ones too: ρ, the
// mean residual of pages with links. The scores are s = y + r - ρ, scaled. In the system
// with 1 - ρ in place of 1, whose solution differs from y only in scale, s has the residual
//
//	1 - ρ + follow Pᵀ s - s  =  follow Pᵀ (r - ρ over pages with links),
//
// in which only the unevenness of r remains: an even residual costs no accuracy. That
// takes three quarters of the error away on cnr-2000 and nine tenths on apache-sites.
//
// Before the first refresh the mean may be large; then 1/2 serves, so that scores
// stay positive.
func (g *Growing) level() float64 {
	num := g.numbers.Slice()
	if num[livePages] == 0 {
		return 0
	}
	return min(0.5, num[sumOpen]/num[livePages])
}

// sum returns the sum of all scores before they are normalised: of y + r - level.
func (g *Growing) sum() float64 {
	num := g.numbers.Slice()
	return num[sumSettled] + num[sumOpen] + num[sumDangling] - float64(g.level()*num[pages])
}

// Bound bounds the L1 distance of the scores from exact PageRank. By formula (3), for
// the residual above and with R the sum of r over the L pages with links, the distance
// is at most
//
//	follow (Σ|r - ρ| + |R - Lρ|) / ((1-follow) Σ(y + r - ρ)).
//
// The numbers in parentheses are 2R at most, and 2R(1 - ρ/c) if no residual is above
// c: Σ|r - ρ| for a given mean is greatest when all are 0 or c. The true error
// after a refresh is about an eighth of that on cnr-2000, a tenth on apache-sites.
func (g *Growing) Bound() float64 {
	num := g.numbers.Slice()
	if num[sumOpen] <= 0 {
		return 0
	}
	uneven := 2 * num[sumOpen]
	if c := num[ceiling]; c > 0 {
		uneven *= 1 - g.level()/c
	}
	return g.follow * uneven / ((1 - g.follow) * g.sum())
}

// leastBound is the smallest bound that rounding errors leave room for.
const leastBound = 1e-12

// Work brings Bound below bound, but not below 1e-12, in slices: it stops after about
// the given number of links and reports whether there is more to do. Slicing changes
// neither the order of the work nor its result.
//
// Pages above the threshold are pushed in the order of their numbers, again and again
// until there is none. To stop as soon as the bound holds would be cheaper but leave
// the residual where the crawl has just been; what is spread evenly costs no accuracy.
// So the threshold is set such that the bound just holds when no page is above it.
// (Tried on cnr-2000: first in, first out follows a seventh more links; largest first,
// by four levels of threshold, a quarter fewer, but finding the pages costs more than
// that saves; a threshold in proportion to the number of links of a page also follows
// fewer, but leaves a larger error.)
func (g *Growing) Work(bound float64, links int) (more bool) {
	num := g.numbers.Slice()
	bound = max(bound, leastBound)
	if num[draining] == 0 && g.Bound() <= bound {
		return false
	}
	for num[draining] = 1; links > 0; {
		if g.findBlock() {
			links -= g.drain(links)
			continue
		}
		if done := g.adjust(bound); done {
			num[draining] = 0
			return false
		}
	}
	return true
}

// findBlock moves the cursor to the first waiting block from where it is, or else
// from the first page on, and takes it off the list. If the cursor is within a block
// it stays. It reports whether there is a block.
func (g *Growing) findBlock() bool {
	num, blocks := g.numbers.Slice(), g.waiting.Slice()
	if int(num[cursor])%blockPages != 0 {
		return true
	}
	if len(blocks) == 0 {
		return false
	}
	at := int(num[cursor])/blockPages + 1
	b := bytes.IndexByte(blocks[at:], 1)
	if b >= 0 {
		b += at
	} else if b = 1 + bytes.IndexByte(blocks[1:at], 1); b == 0 {
		return false
	}
	blocks[b] = 0
	num[cursor] = float64((b - 1) * blockPages)
	return true
}

// drain pushes the pages from the cursor to the end of its block that are above the
// threshold, and returns what that cost in links. When it has cost as much as limit
// it leaves the cursor where it stopped.
func (g *Growing) drain(limit int) (cost int) {
	open, settled, waiting, num := g.open.Slice(), g.settled.Slice(), g.waiting.Slice(), g.numbers.Slice()
	theta, p := num[threshold], int(num[cursor])
	end := min(p/blockPages*blockPages+blockPages, len(open))
	sums := [...]float64{num[sumSettled], num[sumOpen], num[sumDangling]} // running, so that slices of work add in the same order
	for ; p < end; p++ {
		r := open[p]
		if !(r > theta) {
			continue
		}
		if cost >= limit {
			break
		}
		open[p] = 0
		settled[p] += r
		links := g.out(graph.Page(p))
		c := g.follow * r / float64(len(links))
		dangling := kernel.Spread(open, waiting, links, c, theta)
		sums[0] += r
		sums[1] += float64(c*float64(len(links)-dangling)) - r
		sums[2] += float64(c * float64(dangling))
		num[sinceRecount]++
		num[visited] += float64(len(links))
		cost += 1 + len(links)
	}
	num[sumSettled], num[sumOpen], num[sumDangling] = sums[0], sums[1], sums[2]
	if num[cursor] = float64(p); p == len(open) {
		num[cursor] = 0
	}
	return cost + 1
}

// adjust adapts the threshold when no page is above it, and reports whether the bound
// holds. If not, it lowers the threshold so that it will. If the bound holds by more than a
// fifth, it raises the threshold for the next time.
func (g *Growing) adjust(bound float64) (done bool) {
	num := g.numbers.Slice()
	if num[sinceRecount] > float64(g.open.Len()) {
		g.recount()
	}
	num[ceiling] = num[threshold]
	at := g.Bound() / bound
	switch {
	case at > 1:
		num[threshold] *= max(0.5, 0.9/at)
		blocks := g.waiting.Slice()
		for b := range blocks {
			blocks[b] = 1
		}
	case at < 0.8:
		num[threshold] = min(0.5, num[threshold]*min(1.25, 0.9/at))
	}
	return at <= 1
}

// recount computes the sums again, so that rounding errors do not accumulate. It is called
// after as many pushes as there are pages, so that it adds little to the cost of each.
func (g *Growing) recount() {
	num := g.numbers.Slice()
	num[sumSettled], num[sumOpen], num[sumDangling] = total(g.settled.Slice()), 0, 0
	for _, r := range g.open.Slice() {
		if r < 0 {
			num[sumDangling] -= r
		} else {
			num[sumOpen] += r
		}
	}
	num[sinceRecount] = 0
}

// Score returns the PageRank of page p, of a sum of 1 over all known pages.
func (g *Growing) Score(p graph.Page) float64 {
	if !g.known(p) {
		return 0
	}
	return (g.settled.At(int(p)) + math.Abs(g.open.At(int(p))) - g.level()) / g.sum()
}
