// Package measure measures how good an order of pages is.
//
// A Truth is the importance of the pages: PageRank, backlinks, or any values. A Judge
// sorts the pages that a crawl can reach (Reach) by it once. Try gives a Trial of one
// order, which returns curves (Cumulative, Found, CrawlStop), single numbers (Measures)
// and when important pages were fetched. Ideal, Random and Horn are what orders are
// compared with, and Interval states how far a mean over start sets can be trusted.
//
// The package knows neither simulations nor papers. It reads no clock and no file.
package measure

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// A Judge measures orders: it holds the reachable pages E and their importance,
// sorted once for all the orders that are to be compared. It does not
// change and may be used by several goroutines.
//
// All measures are shares between 0 and 1; times 100 they are the percents of the
// papers.
type Judge struct {
	truth  *Truth
	pages  []graph.Page // E
	total  float64      // importance of E
	scale  float64      // from Value to the scale of thresholds
	ranked []graph.Page // E, best first; equal pages in the order of E
	// class is, by page of the world, the number of distinct values in E above its
	// own, so that equal pages have equal classes; noClass for pages outside E.
	class   []uint32
	classes int
	draw    []graph.Page // E shuffled: a sample is the first pages of it that were fetched
	sample  int
	hot     []Hot
}

const noClass = math.MaxUint32

// JudgeOptions configure a Judge; the zero value has the defaults.
type JudgeOptions struct {
	// Hot is the thresholds G of P_ST; nil means 1, 3, 10, or 3, 10, 100 for
	// thresholds that are absolute.
	Hot    []float64
	Sample int    // pages in the sample of tau; 0 means 5000
	Seed   uint64 // of the sample
}

// NewJudge prepares to measure crawls of the pages e. Means and samples do not
// depend on the order of e except through ties and the draw, so hand in the order
// of Reach for results that repeat.
func NewJudge(truth *Truth, e []graph.Page, o JudgeOptions) (*Judge, error) {
	j := &Judge{truth: truth, pages: e, sample: o.Sample, scale: 1}
	if err := j.rank(); err != nil {
		return nil, fmt.Errorf("truth %q: %w", truth.Metric, err)
	}
	if truth.MeanScale {
		j.scale = truth.Scale()
	}
	j.sample = cmp.Or(j.sample, 5000)
	j.draw = slices.Clone(e)
	rand.New(rand.NewPCG(o.Seed, streamSample)).Shuffle(len(e), func(i, k int) {
		j.draw[i], j.draw[k] = j.draw[k], j.draw[i]
	})
	thresholds := o.Hot
	switch {
	case thresholds == nil && truth.MeanScale:
		thresholds = []float64{1, 3, 10}
	case thresholds == nil:
		thresholds = []float64{3, 10, 100}
	}
	for _, g := range thresholds {
		j.hot = append(j.hot, j.HotAbove(g))
	}
	return j, nil
}

// rank sorts E and gives every page its class.
func (j *Judge) rank() error {
	value := j.truth.Value
	j.class = make([]uint32, len(value))
	for p := range j.class {
		j.class[p] = noClass
	}
	var total adder
	for _, p := range j.pages {
		switch {
		case int(p) >= len(value):
			return fmt.Errorf("page %d has no value: there are %d", p, len(value))
		case j.class[p] != noClass:
			return fmt.Errorf("page %d is twice among the reachable ones", p)
		case !(value[p] >= 0) || math.IsInf(value[p], 1):
			return fmt.Errorf("page %d has the value %v", p, value[p])
		}
		j.class[p] = 0
		total.add(value[p])
	}
	j.total = total.sum()
	j.ranked = Ranking(value, j.pages)
	for i, p := range j.ranked {
		if i > 0 && value[p] != value[j.ranked[i-1]] {
			j.classes++
		}
		j.class[p] = uint32(j.classes)
	}
	j.classes++
	return nil
}

// Ranking returns the pages by descending value; equal ones stay in the order given.
func Ranking(value []float64, pages []graph.Page) []graph.Page {
	// The places make all elements different, so that the fast sort, which is not
	// stable, has one result.
	type entry struct {
		value float64
		place int
	}
	by := make([]entry, len(pages))
	for i, p := range pages {
		by[i] = entry{value[p], i}
	}
	slices.SortFunc(by, func(a, b entry) int { return cmp.Or(cmp.Compare(b.value, a.value), a.place-b.place) })
	r := make([]graph.Page, len(pages))
	for i, e := range by {
		r[i] = pages[e.place]
	}
	return r
}

// Reachable returns T, the number of pages of E.
func (j *Judge) Reachable() int { return len(j.pages) }

// Ranked returns E, best first. It must not be changed.
func (j *Judge) Ranked() []graph.Page { return j.ranked }

// Hot returns the hot sets of the thresholds that the judge was made with.
func (j *Judge) Hot() []Hot { return j.hot }

// ShareOf returns the importance of some pages of E as a share of that of E.
func (j *Judge) ShareOf(pages []graph.Page) float64 {
	var a adder
	for _, p := range pages {
		a.add(j.truth.Value[p])
	}
	return j.shareOf(a.sum(), len(pages))
}

// A Trial is one crawl order, found to consist of different pages of E. It may stop
// before the end of E: then it has N < T pages, means run over k = 1..N, tau over the
// N fetched, and importance is still a share of that of E.
type Trial struct {
	judge *Judge
	order []graph.Page
}

// Try reads an order. It is kept, not copied.
func (j *Judge) Try(order []graph.Page) (*Trial, error) {
	fetched := make([]bool, len(j.class))
	for i, p := range order {
		switch {
		case int(p) >= len(fetched) || j.class[p] == noClass:
			return nil, fmt.Errorf("fetch %d: page %d is not among the %d reachable ones", i+1, p, len(j.pages))
		case fetched[p]:
			return nil, fmt.Errorf("fetch %d: page %d was fetched before", i+1, p)
		}
		fetched[p] = true
	}
	return &Trial{j, order}, nil
}

// Order returns the order. It must not be changed.
func (t *Trial) Order() []graph.Page { return t.order }

// Pages returns N, the number of fetches.
func (t *Trial) Pages() int { return len(t.order) }

// Measures is the single numbers of an order. Those that the order is too short for
// are nil.
type Measures struct {
	Metric    string  `json:"metric"`
	Pages     int     `json:"pages"`     // N
	Reachable int     `json:"reachable"` // T
	Average   float64 `json:"avg_cumulative_pagerank"`
	Tau       float64 `json:"kendall_tau"`
	TauSample float64 `json:"kendall_tau_sample"`
	CrawlStop float64 `json:"p_cs"`
	// Threshold is the mean of P_ST for each G.
	Threshold []HotMean `json:"p_st"`
	// Mean of C(k) over the first 10, 25 and 50 % of T.
	AUC10 *float64 `json:"auc_10,omitempty"`
	AUC25 *float64 `json:"auc_25,omitempty"`
	AUC50 *float64 `json:"auc_50,omitempty"`
	// Share of T after which 50, 80 and 90 % of the importance was fetched.
	PagesFor50 *float64 `json:"pages_for_50,omitempty"`
	PagesFor80 *float64 `json:"pages_for_80,omitempty"`
	PagesFor90 *float64 `json:"pages_for_90,omitempty"`
	// Share of T after which all, 99, 95 and 90 % of the best tenth of E was fetched: see
	// NeededForTop.
	TopTenth []*float64 `json:"pages_for_top_10,omitempty"`
}

// HotMean is P_ST as one number: its mean over the crawl, for one threshold.
type HotMean struct {
	G        float64 `json:"g"`
	Hot      int     `json:"hot"`       // H, hot pages in E
	HotShare float64 `json:"hot_share"` // H/T
	Mean     float64 `json:"mean"`      // 0 when no page is hot
}

// Measures computes them all, in O(N log N). One curve takes the place of the other, so that
// there are never more than two numbers for each fetch.
func (t *Trial) Measures() Measures {
	y := t.room()
	c := t.cumulative(y)
	m := Measures{
		Metric: t.judge.truth.Metric, Pages: len(t.order), Reachable: len(t.judge.pages),
		Average: c.Mean(), TauSample: t.TauSample(),
		AUC10: known(c.MeanTo(0.10)), AUC25: known(c.MeanTo(0.25)), AUC50: known(c.MeanTo(0.50)),
		PagesFor50: known(c.PagesFor(0.5)), PagesFor80: known(c.PagesFor(0.8)), PagesFor90: known(c.PagesFor(0.9)),
	}
	m.CrawlStop = t.crawlStop(y).Mean()
	m.TopTenth = t.NeededForTop(0.1)
	for _, h := range t.judge.hot {
		m.Threshold = append(m.Threshold, HotMean{h.G, h.Pages, Share(h.Pages, m.Reachable), t.found(h, y).Mean()})
	}
	m.Tau = tauOfOrder(t.values(y), t.room())
	return m
}

func known(v float64, ok bool) *float64 {
	if !ok {
		return nil
	}
	return &v
}

// Share returns a/b, 0 for 0/0.
func Share(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Regret returns how much of what can be gained over a random order a policy fails to
// gain, by averages of cumulative importance: 0 at the ceiling, which is the better
// of Horn and the omniscient policy, 1 at random; below 0 for an order that is better
// than the ceiling (Horn is exact on its tree only). ok is false where nothing can be
// gained.
func Regret(policy, random, horn, omniscient float64) (regret float64, ok bool) {
	ceiling := max(horn, omniscient)
	if !(ceiling > random) {
		return 0, false
	}
	return (ceiling - policy) / (ceiling - random), true
}
