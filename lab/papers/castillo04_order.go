package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// An ordering is what several policies did from one start at one place.
type ordering struct {
	place *Place
	c     *lab.Comparison
	runs  []*lab.Run
}

// order crawls a setting under all of the policies that can run there; batch- and
// partial-pagerank solve every T/30 pages.
func (b *Bench) order(p *Place, s lab.Setting, policies []string) (*ordering, error) {
	c, err := b.prepare(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.World.Name, err)
	}
	c.Batch = thesisBatch(len(c.Tree.Order))
	o := &ordering{place: p, c: c}
	o.runs, err = c.All(o.possible(policies), b.threads(), b.stop)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.World.Name, err)
	}
	return o, o.checkBound()
}

// possible leaves out what the place has no ground for: larger-sites-first without
// sites is breadth-first under another name, and without an earlier crawl there is no
// history.
func (o *ordering) possible(policies []string) []string {
	return slices.DeleteFunc(slices.Clone(policies), func(name string) bool {
		return name == "larger-sites-first" && o.place.World.Sim.SiteOf == nil ||
			strings.HasPrefix(name, historical) && o.place.History == nil
	})
}

const historical = "historical-pagerank"

// checkBound asserts that no order is above the ideal one (P9).
func (o *ordering) checkBound() error {
	ideal := o.c.Judge.Ideal(o.c.Judge.Reachable()).Y
	for _, r := range o.runs {
		for k, y := range r.Trial.Cumulative().Y {
			if y > ideal[k]+1e-9 {
				return fmt.Errorf("%s: %s has %v of the PageRank after %d pages, the ideal order %v", o.place.World.Name, r.Policy, y, k+1, ideal[k])
			}
		}
	}
	return nil
}

// run is that of a policy, nil if it did not run.
func (o *ordering) run(policy string) *lab.Run {
	for _, r := range o.runs {
		if r.Policy == policy {
			return r
		}
	}
	return nil
}

// average is a policy's average cumulative PageRank; ok is false if it did not run.
func (o *ordering) average(policy string) (avg float64, ok bool) {
	if r := o.run(policy); r != nil {
		return r.Measures.Average, true
	}
	return 0, false
}

// reachable is T.
func (o *ordering) reachable() int { return o.c.Judge.Reachable() }

// regret is that of a policy against the better of horn and omniscient.
func (o *ordering) regret(policy string) show.Cell {
	avg, ok := o.average(policy)
	random, _ := o.average("random")
	horn, _ := o.average("horn")
	omniscient, _ := o.average("omniscient")
	if r, can := measure.Regret(avg, random, horn, omniscient); ok && can {
		return show.Num(r, 3)
	}
	return show.None()
}

// series draws the runs over the baselines.
func (o *ordering) series(policies []string) []plot.Series {
	var all []plot.Series
	for _, name := range policies {
		if r := o.run(name); r != nil {
			all = append(all, shareSeries(name, r.Trial.Cumulative(), name == "horn" || name == "random"))
		}
	}
	return append(all, baselines(o.c.Judge)...)
}

// withoutHistory is the policies of figures 4.4 and 4.5, and what they are measured
// against.
func withoutHistory() []string {
	return []string{
		"backlink-count", "partial-pagerank", "breadth-first", "batch-pagerank", "opic/cash=all", "opic/cash=seeds",
		"larger-sites-first", "omniscient", "horn", "random",
	}
}

// castilloOrders is figures 4.4 and 4.5 (X22): the same experiment for each graph.
func castilloOrders(b *Bench) (*show.Report, error) {
	rep := &show.Report{Header: castilloHeader(b, b.Places, orderField())}
	rep.Intro = []string{
		"Thesis: batch-pagerank, larger-sites-first and OPIC have about half of the PageRank after 20 to 30 % of the pages; backlink-count and partial-pagerank are worse than a random order; breadth-first is near the best for the first 20 to 30 % and falls back later.",
	}
	var found []finding
	for i, p := range b.Places {
		b.say(i, len(b.Places), "%s", p.World.Name)
		t, err := p.PageRank(b)
		if err != nil {
			return nil, err
		}
		o, err := b.order(p, p.Setting(b, t), withoutHistory())
		if err != nil {
			return nil, err
		}
		found = append(found, o.halfFinding())
		rep.Sections = append(rep.Sections, show.Section{
			Title: p.World.Name, Text: o.orderText(),
			Chart: shareChart("Cumulative PageRank, "+p.World.Name, o.series(withoutHistory())), Table: o.orderTable(),
		})
		if err := b.addStarts(rep, p, t, withoutHistory()); err != nil {
			return nil, err
		}
	}
	rep.Verdict = verdict("batch-pagerank, larger-sites-first and OPIC have half of the PageRank after at most 30 % of the pages", found)
	return rep, nil
}

func orderField() show.Field {
	return show.Field{Name: "options", Value: fmt.Sprintf("order only (no time), r = 1; K = T/%d for batch- and partial-pagerank, as many solves as in the thesis", thesisBatches)}
}

// halfPolicies have half of the PageRank after 20 to 30 % of the pages in the thesis.
func halfPolicies() []string {
	return []string{"batch-pagerank", "larger-sites-first", "opic/cash=all", "opic/cash=seeds"}
}

// halfFinding is after which share of the pages half of the PageRank was there. OPIC
// counts by the better of its readings.
func (o *ordering) halfFinding() finding {
	f := finding{place: o.place.World.Name, holds: true}
	var numbers []string
	for _, name := range halfPolicies() {
		if r := o.run(name); r != nil {
			numbers = append(numbers, fmt.Sprintf("%s %s", name, pctOf(r.Measures.PagesFor50)))
		}
	}
	half := func(name string) float64 {
		if r := o.run(name); r != nil && r.Measures.PagesFor50 != nil {
			return *r.Measures.PagesFor50
		}
		return 0 // did not run
	}
	opic := min(half("opic/cash=all"), half("opic/cash=seeds"))
	f.holds = max(half("batch-pagerank"), half("larger-sites-first"), opic) <= 0.30
	f.numbers = strings.Join(numbers, ", ")
	return f
}

// orderTable has the numbers behind the curves.
func (o *ordering) orderTable() *show.Table {
	t := &show.Table{Columns: head("strategy", "half of PageRank after (theirs), % of pages", "half of PageRank after, % of pages", "after a quarter of the pages, % of PageRank", "average", "average to 25 %", "regret")}
	for _, r := range o.runs {
		theirs := show.Cell{}
		if slices.Contains(halfPolicies(), r.Policy) {
			theirs = show.Words("20-30")
		}
		quarter, _ := r.Trial.Cumulative().At(0.25)
		auc := show.None()
		if r.Measures.AUC25 != nil {
			auc = show.Num(*r.Measures.AUC25, 4)
		}
		t.Rows = append(t.Rows, []show.Cell{
			show.Words(r.Policy), theirs, pctCell(r.Measures.PagesFor50), show.Num(100*quarter, 1),
			show.Num(r.Measures.Average, 4), auc, o.regret(r.Policy),
		})
	}
	return t
}

// orderText says what became of the other findings.
func (o *ordering) orderText() string {
	var worse []string
	best, bestName := 0.0, ""
	for _, r := range o.runs {
		if r.Policy == "omniscient" || r.Policy == "horn" {
			continue
		}
		if r.Measures.Average < 0.5 {
			worse = append(worse, fmt.Sprintf("%s (%.4f)", r.Policy, r.Measures.Average))
		}
		if a := r.Measures.AUC25; a != nil && *a > best {
			best, bestName = *a, r.Policy
		}
	}
	text := fmt.Sprintf("T = %d pages can be reached; K = %d.", o.reachable(), o.c.Batch)
	if len(worse) == 0 {
		text += " No strategy is worse than the diagonal (an average of 0.5); in the thesis backlink-count is (0.4952)."
	} else {
		text += " Worse than the diagonal (an average of 0.5): " + strings.Join(worse, ", ") + "; in the thesis backlink-count (0.4952)."
	}
	if r := o.run("breadth-first"); r != nil && r.Measures.AUC25 != nil {
		text += fmt.Sprintf(" Over the first quarter of the pages breadth-first has %.1f %% of the average of the best strategy without an oracle, %s; over all of them its regret is %s.",
			100**r.Measures.AUC25/best, bestName, o.regret("breadth-first"))
	}
	if o.place.World.Sim.SiteOf == nil {
		text += " larger-sites-first is left out: the sites of this graph are not known."
	}
	return text
}
