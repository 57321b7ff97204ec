package measure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
)

// Metrics of the truths that the laboratory makes itself.
const (
	PageRankMetric  = "pagerank"
	BacklinksMetric = "backlinks"
)

// A Truth is the importance that orders are measured against. Measures read
// it; no policy does, unless it is declared an oracle.
type Truth struct {
	Metric string
	Value  []float64 // by page of the world; finite, never negative
	// Pages is over how many pages the values were made: those of the world, or of E.
	Pages int
	// MeanScale puts hot thresholds on the scale on which the mean over Pages is 1, as
	// for PageRank; otherwise they are in the unit of Value.
	MeanScale bool
	// Bound is the largest error of Value, in L1 of the sum-1 vector.
	Bound float64
	// Estimate, if not nil, returns I' of the limited buffer for one crawl: what a crawler knows
	// of this importance. If it is nil, it knows links.
	Estimate func() Estimate
}

// TruthOptions select a truth. The zero value means follow 0.9, the full graph, no
// self-links.
type TruthOptions struct {
	Follow    float64 // of PageRank; 0 means 0.9
	SelfLinks bool    // keep the links of pages to themselves
	Remote    bool    // only links from one site to another count
	// Within restricts the truth to the web of these pages and the links among them
	// (E); nil is the full graph. Other pages have 0 then.
	Within  []graph.Page
	Threads int // 0 means one for each processor
	// Progress, if not nil, is called after each sweep of PageRank; its error stops
	// the solve.
	Progress func(sweep int, bound float64) error
}

// truthTolerance is the precision to which PageRank is solved. It is less than
// rounding allows, so that the sweeps continue until only rounding errors are left:
// pages that are equal, but not by the same in-links, are then as near as tie needs.
// truthWorst is the bound that is accepted.
const (
	truthTolerance = 1e-16
	truthWorst     = 1e-9
)

// PageRankTruth returns PageRank of sum 1, dangling mass spread evenly.
//
// It is solved by the power method (rank.Jacobi) and not by Gauss-Seidel, which is
// faster: tau-b and the hot sets count ties by exact equality, and only the power
// method gives pages with the same in-links the same bits, because all of them are
// summed from the same vector in the same order. For the same reason links that do
// not count are taken out of the lists beforehand: rank would subtract a self-link
// from the sum, which leaves a rounding error behind.
func PageRankTruth(w *rank.Web, o TruthOptions) (*Truth, error) {
	in, err := countedLinks(w, o)
	if err != nil {
		return nil, fmt.Errorf("pagerank truth: %w", err)
	}
	defer in.free()
	opt := rank.Options{
		Follow: o.Follow, SelfLinks: o.SelfLinks, Tolerance: truthTolerance,
		Method: rank.Jacobi, Threads: o.Threads, Progress: o.Progress,
	}
	if o.Within != nil {
		// Jumps into E alone, from dangling pages too, are PageRank of the web E: no
		// page outside ever gets anything.
		opt.Teleport, opt.DanglingToTeleport = in.inside, true
	}
	r, err := rank.PageRank(&rank.Web{In: in.lists, Fetched: w.Fetched}, opt)
	var short *rank.ToleranceError
	if err != nil && !(errors.As(err, &short) && r != nil && r.Bound <= truthWorst) {
		return nil, fmt.Errorf("pagerank truth: %w", err)
	}
	tie(r.Score)
	return &Truth{Metric: PageRankMetric, Value: r.Score, Pages: in.pages, MeanScale: true, Bound: r.Bound}, nil
}

// tieWithin is the relative difference up to which two ranks are one: some units in
// the last place, which is the difference that sums in another order leave between equal
// pages. More would merge pages of long chains, whose ranks do differ by so little.
const tieWithin = 1e-15

// tie makes values equal that differ by rounding: each that is near the next smaller
// one takes the value of the smallest so reached.
func tie(v []float64) {
	order := make([]uint32, len(v))
	for p := range order {
		order[p] = uint32(p)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(v[a], v[b]) })
	smaller, least := 0.0, 0.0
	for _, p := range order {
		x := v[p]
		if x-smaller > float64(tieWithin*x) {
			least = x
		}
		smaller, v[p] = x, least
	}
}

// BacklinksTruth returns the number of pages that link to each page.
func BacklinksTruth(w *rank.Web, o TruthOptions) (*Truth, error) {
	in, err := countedLinks(w, o)
	if err != nil {
		return nil, fmt.Errorf("backlinks truth: %w", err)
	}
	defer in.free()
	r, err := rank.Backlinks(&rank.Web{In: in.lists, Fetched: w.Fetched}, rank.Options{SelfLinks: o.SelfLinks, Threads: o.Threads})
	if err != nil {
		return nil, fmt.Errorf("backlinks truth: %w", err)
	}
	return &Truth{Metric: BacklinksMetric, Value: r.Score, Pages: in.pages}, nil
}

// ValuesTruth takes any values, one a page, as the truth: page views, votes,
// a rank of another program. Their hot thresholds are on the mean-1 scale, which
// needs no unit; clear MeanScale to have them absolute.
func ValuesTruth(metric string, values []float64) (*Truth, error) {
	for p, v := range values {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("truth %q: page %d has the value %v", metric, p, v)
		}
	}
	if total := Sum(values); total > 0 && (math.IsInf(total, 1) || math.IsInf(float64(len(values))/total, 1)) {
		return nil, fmt.Errorf("truth %q: the values sum to %v, too large or too small to bring them to a mean of 1", metric, total)
	}
	return &Truth{Metric: metric, Value: values, Pages: len(values), MeanScale: true}, nil
}

// Scale returns the factor that scales the mean of the values over Pages to 1, the scale
// on which published thresholds and averages by day are stated; 1 if all values are 0.
func (t *Truth) Scale() float64 {
	if s := Sum(t.Value); s > 0 {
		return float64(t.Pages) / s
	}
	return 1
}

// links holds in-lists with only the links that count.
type links struct {
	lists  *graph.Lists
	made   []*graph.Lists // to be freed
	inside []float64      // 1 for the pages of Within, else 0; nil when all are
	pages  int
}

func (l *links) free() {
	for _, m := range l.made {
		m.Free()
	}
}

// countedLinks returns the in-lists of w without self-links, unless SelfLinks is set, and
// without links from outside the pages of Within.
func countedLinks(w *rank.Web, o TruthOptions) (*links, error) {
	l := &links{lists: w.In, pages: w.Pages()}
	if w.In == nil {
		if w.Out == nil {
			return nil, errors.New("a web without lists")
		}
		l.lists = rank.Transpose(w.Out)
		l.made = append(l.made, l.lists)
	}
	if o.Within != nil {
		if err := l.restrict(o.Within); err != nil {
			l.free()
			return nil, err
		}
	}
	counts := func(p, q graph.Page) bool {
		return (o.SelfLinks || p != q) && (!o.Remote || w.Sites[p] != w.Sites[q]) &&
			(l.inside == nil || l.inside[p] != 0 && l.inside[q] != 0)
	}
	if kept := rank.Filter(l.lists, o.Threads, counts); kept != nil {
		l.lists = kept
		l.made = append(l.made, kept)
	}
	return l, nil
}

// restrict marks the pages inside.
func (l *links) restrict(within []graph.Page) error {
	l.inside = make([]float64, l.pages)
	for _, p := range within {
		if int(p) >= len(l.inside) {
			return fmt.Errorf("page %d of a web of %d", p, len(l.inside))
		}
		l.inside[p] = 1
	}
	l.pages = int(Sum(l.inside))
	return nil
}

// A Tree holds the pages that a crawl can reach, E, in the order of discovery, each with
// the page it was discovered on.
type Tree struct {
	Order []graph.Page // E; T = len(Order)
	// Parent is, for each place in Order, the place of the page on which it was seen
	// first, which is an earlier one; NoParent for seeds.
	Parent []uint32
	out    *graph.Lists
	part   func(graph.Page) bool // nil: all pages
	seen   []bool                // by page
}

// NoParent is the parent of a seed.
const NoParent = math.MaxUint32

// Reach returns the breadth-first tree: the seeds in the order given, then page after
// page in that order, the links of each ascending. Self-links add nothing, so it
// does not matter whether the lists have them. All seeds are pages; one named twice
// counts once.
func Reach(out *graph.Lists, seeds []graph.Page) *Tree { return ReachWithin(out, nil, seeds) }

// ReachWithin does what Reach does among the pages for which part is true. If it is nil, all
// are.
func ReachWithin(out *graph.Lists, part func(graph.Page) bool, seeds []graph.Page) *Tree {
	t := &Tree{out: out, part: part, seen: make([]bool, out.Pages())}
	t.Grow(seeds...)
	return t
}

// Grow adds further seeds and what they reach. It reports whether there was anything to
// add.
func (t *Tree) Grow(seeds ...graph.Page) bool {
	at := len(t.Order)
	for _, p := range seeds {
		t.add(p, NoParent)
	}
	grown := len(t.Order) > at
	for ; at < len(t.Order); at++ {
		for _, q := range t.out.List(t.Order[at]) {
			t.add(q, uint32(at))
		}
	}
	return grown
}

func (t *Tree) add(p graph.Page, parent uint32) {
	if !t.seen[p] && (t.part == nil || t.part(p)) {
		t.seen[p] = true
		t.Order, t.Parent = append(t.Order, p), append(t.Parent, parent)
	}
}

// Depths returns the number of links from a seed to each page along the tree, by place in
// Order: in a breadth-first tree, its distance from the seeds.
func (t *Tree) Depths() []uint32 {
	d := make([]uint32, len(t.Order))
	for i, p := range t.Parent {
		if p != NoParent {
			d[i] = d[p] + 1
		}
	}
	return d
}
