// Package forecast judges the forecasts of package advise: how often the truth is in their
// intervals, how wide these are, and whether the certain share is certain.
package forecast

import (
	"math"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// A Case is a forecast with what happened.
type Case struct {
	advise.Forecast
	truth float64
}

// holds reports whether the truth is in the interval.
func (c *Case) holds() bool { return c.truth >= c.Low && c.truth <= c.High }

// A HotCase is a forecast of pages about a topic with what happened.
type HotCase struct {
	advise.Count
	truth int
}

// holds reports whether the truth is in the interval.
func (c *HotCase) holds() bool { return float64(c.truth) >= c.Low && float64(c.truth) <= c.High }

// A Truth is what is true of the pages of a place, whatever a crawl knows.
type Truth struct {
	Importance []float64
	Personal   []float64 // PageRank with jumps to the seeds
	Hot        []bool    // about the topic; nil without one
}

// A share has shares at a stop, as advised and in truth.
type share struct{ certain, personal, importance, whole float64 }

// A World is what was found at a place.
type World struct {
	Name   string
	crawls int
	cases  [advise.Budgets][]Case
	hot    [advise.Budgets][]HotCase
	shares []share
}

// Add adds what was found in a crawl.
func (w *World) Add(x *World) {
	w.crawls++
	for b := range x.cases {
		w.cases[b] = append(w.cases[b], x.cases[b]...)
		w.hot[b] = append(w.hot[b], x.hot[b]...)
	}
	w.shares = append(w.shares, x.shares...)
}

// Ask asks for advice after n pages of a crawl of a world from its seeds, and compares it with how
// the crawl went on.
func (w *World) Ask(of *sim.World, res *sim.Result, n int, seeds []graph.Page, truth *Truth) error {
	c := &advise.Course{
		Pages: len(truth.Importance), Seeds: seeds, Order: res.Order[:n], Out: of.Out.List, End: res.End[:n], Bytes: res.Bytes[:n],
	}
	if truth.Hot != nil {
		c.Hot = func(p graph.Page) bool { return truth.Hot[p] }
	}
	a, err := advise.Ask(c)
	if err != nil {
		return err
	}
	before := mass(truth.Importance, res.Order[:n])
	for _, f := range a.Next {
		end, ok := spentAt(res, n, f)
		if !ok || f.Budget == advise.Hours && of.SiteOf == nil { // without sites there is no politeness
			continue
		}
		w.cases[f.Budget] = append(w.cases[f.Budget], Case{f, mass(truth.Importance, res.Order[n:end]) / before})
		if truth.Hot != nil {
			w.hot[f.Budget] = append(w.hot[f.Budget], HotCase{f.Hot, hotAmong(truth.Hot, res.Order[n:end])})
		}
	}
	x := share{certain: a.Certain, importance: a.Importance, personal: mass(truth.Personal, res.Order[:n])}
	x.whole = before / measure.Sum(truth.Importance)
	w.shares = append(w.shares, x)
	return nil
}

func hotAmong(hot []bool, pages []graph.Page) (n int) {
	for _, p := range pages {
		if hot[p] {
			n++
		}
	}
	return n
}

// Where crawls are stopped.
const (
	stops    = 3
	stopFrom = 0.08 // share of a crawl after which it may be stopped
	stopTo   = 0.88
)

// Stops returns after how many pages a crawl is stopped, drawn by the numbers of a random seed, of a start and of a policy.
func Stops(pages int, seed, start, number uint64) (list []int) {
	for i := range uint64(stops) {
		u := float64(policy.Hash(seed, start, number, i)%1000) / 1000
		share := stopFrom + (stopTo-stopFrom)*(float64(i)+u)/stops
		if n := int(share * float64(pages)); n >= advise.MinPages {
			list = append(list, n)
		}
	}
	return list
}

// Personal returns PageRank with jumps to the seeds, also from pages without links.
func Personal(g *rank.Web, pages int, seeds []graph.Page, o rank.Options) ([]float64, error) {
	o.Teleport, o.DanglingToTeleport = make([]float64, pages), true
	for _, p := range seeds {
		o.Teleport[p] = 1
	}
	res, err := rank.PageRank(g, o)
	if err != nil {
		return nil, err
	}
	return res.Score, nil
}

// spentAt returns the number of fetches after which a crawl that had n had spent a tenth more.
// ok is false if it ended before.
func spentAt(res *sim.Result, n int, f advise.Forecast) (end int, ok bool) {
	spent := 0.0
	for end = n; end < len(res.Order); end++ {
		switch f.Budget {
		case advise.Pages:
			spent++
		case advise.Hours:
			spent = res.End[end].Hours() - res.End[n-1].Hours()
		case advise.Bytes:
			spent += float64(res.Bytes[end])
		}
		if spent > f.More {
			return end, true
		}
	}
	return end, false
}

// mass returns the sum of the values of pages.
func mass(value []float64, pages []graph.Page) (sum float64) {
	for _, p := range pages {
		sum += value[p]
	}
	return sum
}

// width returns the mean width of the intervals, as a factor from one end to the other.
func width(cases []Case) float64 {
	sum := 0.0
	for i := range cases {
		sum += math.Log(cases[i].High / cases[i].Low)
	}
	return math.Exp(sum / float64(len(cases)))
}
