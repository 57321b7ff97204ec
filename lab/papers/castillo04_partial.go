package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// partialPolicies is the orders whose partial webs are compared.
func partialPolicies() []string {
	return []string{"breadth-first", "batch-pagerank", "opic/cash=seeds", "larger-sites-first", "omniscient", "random"}
}

// partialShares is the shares of E after which PageRank of the part is compared.
func partialShares() []float64 { return []float64{0.05, 0.10, 0.20, 0.40, 0.60, 0.80, 1} }

// castilloPartialRank is the remark of 4.3.1 that PageRank of a partial graph "can be
// very inexact" (L13).
func castilloPartialRank(b *Bench) (*show.Report, error) {
	rep := &show.Report{Header: castilloHeader(b, b.Places, orderField())}
	rep.Intro = []string{
		"Thesis, after Boldi et al. (2004): approximations of PageRank on partial graphs can be very inexact, and strategies that gather PageRank quickly have worse approximations.",
		"Kendall's tau between PageRank of the part that is known after a share of the crawl (IR') and of the full graph (IR), over the pages fetched so far. Pages that are known but not fetched take part as dangling ones or are absent: both are shown.",
	}
	var found []finding
	for i, p := range b.Places {
		b.say(i, len(b.Places), "%s", p.World.Name)
		t, err := p.PageRank(b)
		if err != nil {
			return nil, err
		}
		o, err := b.order(p, p.Setting(b, t), partialPolicies())
		if err != nil {
			return nil, err
		}
		tau, err := b.partialTaus(o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
		rep.Sections, found = append(rep.Sections, partialSections(o, tau)...), append(found, partialFinding(o, tau))
	}
	rep.Verdict = verdict("PageRank of the part is inexact: after 20 % of the crawl tau with the true one is below 0.7 for some strategy without an oracle", found)
	return rep, nil
}

// A partialTau is tau(IR', IR) of one run after one share of the crawl.
type partialTau struct{ dangling, absent float64 }

// partialTaus is by run, then by share. After the whole crawl all runs have the same
// pages, so that is solved once.
func (b *Bench) partialTaus(o *ordering) ([][]partialTau, error) {
	shares := partialShares()
	all := make([][]partialTau, len(o.runs))
	for i := range all {
		all[i] = make([]partialTau, len(shares))
	}
	last := len(shares) - 1
	err := b.inParallel(len(o.runs)*last+1, func(i int) (err error) {
		r, k := i/last, i%last
		if r == len(o.runs) {
			r, k = 0, last
		}
		order := o.runs[r].Result.Order
		fetched := order[:measure.PagesAt(shares[k], len(order))]
		t := &all[r][k]
		if t.dangling, err = b.partialTau(o, fetched, false); err == nil {
			t.absent, err = b.partialTau(o, fetched, true)
		}
		return err
	})
	for i := range all {
		all[i][last] = all[0][last]
	}
	return all, err
}

// partialTau solves for PageRank of the part and compares. absent leaves pages out that
// were not fetched.
func (b *Bench) partialTau(o *ordering, fetched []graph.Page, absent bool) (float64, error) {
	w := o.place.World
	part, in := slices.Clone(fetched), make([]bool, w.Pages())
	crawled := make([]bool, w.Pages())
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
	t, err := measure.PageRankTruth(&rank.Web{In: w.In, Fetched: func(p graph.Page) bool { return crawled[p] }}, measure.TruthOptions{
		SelfLinks: w.Sim.SelfLinks, Within: part, Threads: 1, Progress: func(int, float64) error { return b.Context.Err() }})
	if err != nil {
		return 0, err
	}
	x, y := make([]float64, len(fetched)), make([]float64, len(fetched))
	for i, p := range fetched {
		x[i], y[i] = t.Value[p], o.c.Truth.Value[p]
	}
	return measure.TauB(x, y)
}

// partialSections is the chart and the table of one place, for each way to treat pages
// that are known but not fetched.
func partialSections(o *ordering, tau [][]partialTau) []show.Section {
	dangling := partialSection(o, "dangling", tau, func(t partialTau) float64 { return t.dangling })
	dangling.Text = partialText(o, tau)
	absent := partialSection(o, "absent", tau, func(t partialTau) float64 { return t.absent })
	return []show.Section{dangling, absent}
}

func partialSection(o *ordering, way string, tau [][]partialTau, value func(partialTau) float64) show.Section {
	t := &show.Table{Columns: head("strategy", "average")}
	for _, s := range partialShares() {
		t.Columns = append(t.Columns, show.Column{Name: fmt.Sprintf("tau at %.0f %%", 100*s)})
	}
	title := fmt.Sprintf("%s, unfetched pages %s", o.place.World.Name, way)
	c := &plot.Chart{Title: "PageRank of the part against the true one, " + title, XLabel: "pages fetched, % of those that can be reached", YLabel: "tau(IR', IR)"}
	for i, r := range o.runs {
		row := []show.Cell{show.Words(r.Policy), show.Num(r.Measures.Average, 4)}
		s := plot.Series{Name: r.Policy, Baseline: r.Policy == "random"}
		for k, v := range tau[i] {
			row = append(row, show.Num(value(v), 3))
			s.X, s.Y = append(s.X, 100*partialShares()[k]), append(s.Y, value(v))
		}
		t.Rows, c.Series = append(t.Rows, row), append(c.Series, s)
	}
	return show.Section{Title: title, Chart: c, Table: t}
}

// at20 is the place of 20 % among the shares.
const at20 = 2

// partialText says whether faster orders have worse ranks, as Boldi et al. found.
func partialText(o *ordering, tau [][]partialTau) string {
	var avg, at []float64
	for i, r := range o.runs {
		avg, at = append(avg, r.Measures.Average), append(at, tau[i][at20].dangling)
	}
	k, _ := measure.TauB(avg, at)
	how := "about independent of it"
	switch {
	case k <= -0.3:
		how = "the worse the faster a strategy gathers PageRank, as in Boldi et al."
	case k >= 0.3:
		how = "the better the faster a strategy gathers PageRank, against Boldi et al."
	}
	return fmt.Sprintf("After 20 %% of the pages the ranks of the part are %s (Kendall correlation of the averages with tau: %.2f over %d strategies). At 100 %% tau is 1 where everything can be reached.", how, k, len(o.runs))
}

// partialFinding judges tau after 20 % of the crawl.
func partialFinding(o *ordering, tau [][]partialTau) finding {
	f := finding{place: o.place.World.Name}
	var parts []string
	for i, r := range o.runs {
		v := tau[i][at20].dangling
		f.holds = f.holds || v < 0.7 && r.Policy != "omniscient"
		parts = append(parts, fmt.Sprintf("%s %.2f", r.Policy, v))
	}
	f.numbers = strings.Join(parts, ", ")
	return f
}
