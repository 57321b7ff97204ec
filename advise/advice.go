package advise

import (
	"cmp"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// An Advice is what can be said about going on with a crawl.
type Advice struct {
	Fetched, Known, Waiting int
	Topic                   bool // the crawl has one
	Hot                     int  // fetched pages about it
	// Importance is the share of the PageRank of the known pages that was fetched. Pages that
	// nobody linked to yet are unknown, so the share of the whole Web is lower.
	Importance float64
	// Certain is the share of personalised PageRank, with jumps to the seeds, that is fetched
	// whatever the rest of the Web looks like.
	Certain float64
	// Next has what a tenth more would bring, by budget. A budget is missing if there is too
	// little to forecast from.
	Next []Forecast
	// Wasted has the sites that bring the least for what they take.
	Wasted  []Waste
	Verdict Verdict
}

// A Waste is a site whose pages bring little importance for its requests.
type Waste struct {
	Site       graph.Site
	Requests   float64 // share of all
	Importance float64 // share of that of the fetched pages
}

// A Verdict is the advice in a word.
type Verdict int

// The verdicts.
const (
	Early  Verdict = iota // too little was fetched
	Over                  // nothing is left
	Stop                  // a tenth more pages would bring less than Little, by the whole interval: see Gain
	GoOn                  // it would bring more, by the whole interval
	Unsure                // either may be
)

// String returns the verdict as JSON has it.
func (v Verdict) String() string { return [...]string{"early", "over", "stop", "go on", "unsure"}[v] }

// Little is the gain that is not worth a tenth more: a tenth of what pages were worth so far.
const Little = 0.01

// Ask returns the advice on a course.
func Ask(c *Course) (*Advice, error) {
	w, err := newWalk(c)
	if err != nil {
		return nil, err
	}
	defer w.free()
	all := w.survey()
	v := w.view()
	a := &Advice{Fetched: len(c.Order), Known: len(w.known), Waiting: v.waiting, Certain: w.certain()}
	known := 0.0
	for _, p := range w.known {
		known += w.rank.Score(p)
	}
	if known > 0 {
		a.Importance = v.fetched / known
	}
	hot := w.hotSoFar()
	a.Topic, a.Hot = c.Hot != nil, hot[len(c.Order)]
	for _, s := range all {
		if f, ok := s.forecast(w, v); ok {
			f.Hot = s.hot(hot, v)
			a.Next = append(a.Next, f)
		}
	}
	a.Wasted = w.wasted(v)
	a.Verdict = a.judge()
	return a, nil
}

// survey walks to the end, and looks at the moments of all budgets on the way.
func (w *walk) survey() (all []*series) {
	at := []int{len(w.Order)}
	for b := range Budgets {
		if len(w.Order) == 0 {
			break
		}
		if s := newSeries(w.Course, b); s != nil {
			all, at = append(all, s), append(at, s.cuts[:tests+1]...)
		}
	}
	slices.Sort(at)
	for _, j := range slices.Compact(at) {
		w.advance(j)
		v := w.view()
		for _, s := range all {
			for i := range s.wait {
				if s.cuts[i] == j {
					s.known[i] = len(w.known)
					s.lookAt(i, v)
				}
			}
		}
	}
	return all
}

func (a *Advice) judge() Verdict {
	switch {
	case a.Waiting == 0 && a.Fetched > 0:
		return Over
	case len(a.Next) == 0:
		return Early
	}
	switch low, high := a.Gain(); {
	case high < Little:
		return Stop
	case low >= Little:
		return GoOn
	}
	return Unsure
}

// Gain returns the interval by which the verdict goes, of what a tenth more pages would add: of
// importance, or of pages about the topic where there is one. There must be a forecast.
func (a *Advice) Gain() (low, high float64) {
	f := a.Next[0]
	if !a.Topic {
		return f.Low, f.High
	}
	n := float64(max(1, a.Hot))
	return f.Hot.Low / n, f.Hot.High / n
}

const (
	wastedShown = 5
	wastedLeast = 0.02 // share of the requests of a site that is listed
	wastedWorth = 0.5  // and most importance for each request, where the mean is 1
)

// wasted returns the sites that take many requests for little importance, those first that
// take most beyond what they bring.
func (w *walk) wasted(v *view) (list []Waste) {
	if w.Site == nil || len(w.Requests) < 2 {
		return nil
	}
	worth, all := make([]float64, len(w.Requests)), int64(0)
	for _, p := range w.Order {
		worth[w.Site(p)] += w.rank.Score(p)
	}
	for _, n := range w.Requests {
		all += n
	}
	for s, n := range w.Requests {
		x := Waste{graph.Site(s), float64(n) / float64(max(1, all)), worth[s] / v.fetched}
		if x.Requests >= wastedLeast && x.Importance < wastedWorth*x.Requests {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b Waste) int {
		return cmp.Compare(b.Requests-b.Importance, a.Requests-a.Importance)
	})
	return list[:min(len(list), wastedShown)]
}
