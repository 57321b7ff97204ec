package castillo04

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// partialShares returns the shares of E after which PageRank of the part is compared, and
// at20 the place of 20 % among them.
func partialShares() []float64 { return []float64{0.05, 0.10, 0.20, 0.40, 0.60, 0.80, 1} }

const at20 = 2

// Pages that are known but not fetched take part as dangling ones or are absent.
const (
	dangling = iota
	absent
)

// partialRank tests the remark of 4.3.1 that PageRank of a partial graph "can be very
// inexact".
func partialRank(r *experiment.Run, p *experiment.Place) error {
	c, err := ordered(r.Bench, p, []string{"breadth-first", "batch-pagerank", "opic/cash=seeds", "larger-sites-first", "omniscient", "random"})
	if err != nil {
		return err
	}
	tau, err := partialTaus(r.Bench, c)
	if err != nil {
		return err
	}
	known := partialSection(c, "dangling", tau[dangling])
	known.Text = partialText(c, tau[dangling])
	r.Show(known, partialSection(c, "absent", tau[absent]))
	r.Find(p.World.Name, partialFinding(c, tau[dangling]))
	return nil
}

// partialTaus returns tau(IR', IR), dangling and absent, by run and then by share. After
// the whole crawl all runs have the same pages, so that is solved once.
func partialTaus(b *experiment.Bench, c *experiment.Course) (tau [2][][]float64, err error) {
	shares := partialShares()
	last := len(shares) - 1
	for way := range tau {
		for range c.Runs {
			tau[way] = append(tau[way], make([]float64, len(shares)))
		}
	}
	err = b.InParallel(len(c.Runs)*last+1, func(i int) (err error) {
		r, k := i/last, i%last
		if r == len(c.Runs) {
			r, k = 0, last
		}
		order := c.Runs[r].Result.Order
		for way := range tau {
			if err == nil {
				tau[way][r][k], err = partialTau(b, c, order[:measure.PagesAt(shares[k], len(order))], way == absent)
			}
		}
		return err
	})
	for way := range tau {
		for r := range c.Runs {
			tau[way][r][last] = tau[way][0][last]
		}
	}
	return tau, err
}

// partialTau solves for PageRank of the part and compares. absent leaves pages out that
// were not fetched.
func partialTau(b *experiment.Bench, c *experiment.Course, fetched []graph.Page, absent bool) (float64, error) {
	w := c.World
	part, in, crawled := slices.Clone(fetched), make([]bool, w.Pages()), make([]bool, w.Pages())
	for _, p := range fetched {
		crawled[p], in[p] = true, true
	}
	for _, p := range fetched {
		for _, q := range w.Sim.Out.List(p) {
			if !absent && !in[q] {
				part, in[q] = append(part, q), true
			}
		}
	}
	o := b.TruthOptions(c.Place)
	o.Within, o.Threads = part, 1
	t, err := measure.PageRankTruth(&rank.Web{In: w.In, Fetched: func(p graph.Page) bool { return crawled[p] }}, o)
	if err != nil {
		return 0, err
	}
	var x, y []float64
	for _, p := range fetched {
		x, y = append(x, t.Value[p]), append(y, c.Truth.Value[p])
	}
	return measure.TauB(x, y)
}

// partialSection returns the chart and the table of one place.
func partialSection(c *experiment.Course, way string, tau [][]float64) show.Section {
	t := &show.Table{Columns: head("strategy", "average")}
	for _, s := range partialShares() {
		t.Columns = append(t.Columns, show.Column{Name: fmt.Sprintf("tau at %.0f %%", 100*s)})
	}
	title := fmt.Sprintf("%s, unfetched pages %s", c.World.Name, way)
	chart := &plot.Chart{Title: "PageRank of the part against the true one, " + title, XLabel: "pages fetched, % of those that can be reached", YLabel: "tau(IR', IR)"}
	for i, r := range c.Runs {
		row, s := []any{r.Policy, show.Num(r.Measures.Average, 4)}, plot.Series{Name: r.Policy, Baseline: r.Policy == "random"}
		for k, v := range tau[i] {
			row = append(row, show.Num(v, 3))
			s.Add(100*partialShares()[k], v)
		}
		t.Add(row...)
		chart.Series = append(chart.Series, s)
	}
	return show.Section{Title: title, Chart: chart, Table: t}
}

// partialText reports whether faster orders have worse ranks, as Boldi et al. found.
func partialText(c *experiment.Course, tau [][]float64) string {
	var avg, at []float64
	for i, r := range c.Runs {
		avg, at = append(avg, r.Measures.Average), append(at, tau[i][at20])
	}
	k, _ := measure.TauB(avg, at) // of equal length
	how := "about independent of it"
	switch {
	case k <= -0.3:
		how = "the worse the faster a strategy gathers PageRank, as in Boldi et al."
	case k >= 0.3:
		how = "the better the faster a strategy gathers PageRank, against Boldi et al."
	}
	return fmt.Sprintf("After 20 %% of the pages the ranks of the part are %s (Kendall correlation of the averages with tau: %.2f over %d strategies). At 100 %% tau is 1 where everything can be reached.", how, k, len(c.Runs))
}

// partialFinding judges tau after 20 % of the crawl.
func partialFinding(c *experiment.Course, tau [][]float64) experiment.Finding {
	holds := false
	var parts []string
	for i, r := range c.Runs {
		holds = holds || tau[i][at20] < 0.7 && r.Policy != "omniscient"
		parts = append(parts, fmt.Sprintf("%s %.2f", r.Policy, tau[i][at20]))
	}
	return experiment.Found(holds, "%s", strings.Join(parts, ", "))
}
