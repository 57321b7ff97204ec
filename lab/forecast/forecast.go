// Package forecast judges the forecasts of package advise: how often the truth is in their
// intervals, how wide these are, and whether the certain share is certain.
package forecast

import (
	"math"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// A Case is a forecast with what happened.
type Case struct {
	advise.Forecast
	truth float64
}

// holds reports whether the truth is in the interval.
func (c *Case) holds() bool { return c.truth >= c.Low && c.truth <= c.High }

// A share has shares at a stop, as advised and in truth.
type share struct{ certain, personal, importance, whole float64 }

// An World is what was found at a place.
type World struct {
	Name   string
	crawls int
	cases  [advise.Budgets][]Case
	shares []share
}

// Add adds what was found in a crawl.
func (w *World) Add(x *World) {
	w.crawls++
	for b := range x.cases {
		w.cases[b] = append(w.cases[b], x.cases[b]...)
	}
	w.shares = append(w.shares, x.shares...)
}

// Ask asks for advice after n pages of a crawl of a world from its seeds, and compares it with how
// the crawl went on. truth is the importance of the pages, personal their PageRank with jumps to
// the seeds.
func (w *World) Ask(of *sim.World, res *sim.Result, n int, seeds []graph.Page, truth, personal []float64) error {
	a, err := advise.Ask(&advise.Course{
		Pages: len(truth), Seeds: seeds, Order: res.Order[:n], Out: of.Out.List, End: res.End[:n], Bytes: res.Bytes[:n],
	})
	if err != nil {
		return err
	}
	for _, f := range a.Next {
		if f.Budget == advise.Hours && of.SiteOf == nil {
			continue // without sites there is no politeness
		}
		if end, ok := spentAt(res, n, f); ok {
			w.cases[f.Budget] = append(w.cases[f.Budget], Case{f, mass(truth, res.Order[n:end]) / mass(truth, res.Order[:n])})
		}
	}
	x := share{certain: a.Certain, importance: a.Importance, personal: mass(personal, res.Order[:n])}
	x.whole = mass(truth, res.Order[:n]) / measure.Sum(truth)
	w.shares = append(w.shares, x)
	return nil
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
