package castillo04

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// order crawls in a setting under all of the policies that can run there; batch- and
// partial-pagerank solve every T/30 pages.
func order(b *experiment.Bench, p *experiment.Place, s lab.Setting, policies []string) (*experiment.Course, error) {
	c, err := b.Prepare(p, s)
	if err != nil {
		return nil, err
	}
	c.Batch = experiment.Batch(len(c.Tree.Order))
	if err := b.Crawl(c, possible(p, policies)); err != nil {
		return nil, err
	}
	return c, checkBound(c)
}

// ordered crawls as order does, without a model of time.
func ordered(b *experiment.Bench, p *experiment.Place, policies []string) (*experiment.Course, error) {
	t, err := experiment.ByPageRank(b, p, nil)
	if err != nil {
		return nil, err
	}
	return order(b, p, b.Setting(p, t), policies)
}

const historical = "historical-pagerank"

// possible leaves out what the place has no ground for: larger-sites-first without
// sites is breadth-first under another name, and without an earlier crawl there is no
// history.
func possible(p *experiment.Place, policies []string) []string {
	return slices.DeleteFunc(slices.Clone(policies), func(name string) bool {
		return name == "larger-sites-first" && p.World.Sim.SiteOf == nil || strings.HasPrefix(name, historical) && p.History == nil
	})
}

// checkBound returns an error if an order is above the ideal one.
func checkBound(c *experiment.Course) error {
	ideal := c.Judge.Ideal(c.Judge.Reachable()).Y
	for _, r := range c.Runs {
		for k, y := range r.Trial.Cumulative().Y {
			if y > ideal[k]+1e-9 {
				return fmt.Errorf("%s has %v of the PageRank after %d pages, the ideal order %v", r.Policy, y, k+1, ideal[k])
			}
		}
	}
	return nil
}

// average returns a policy's average cumulative PageRank, 0 if it did not run.
func average(c *experiment.Course, policy string) float64 {
	if r := c.Under(policy); r != nil {
		return r.Measures.Average
	}
	return 0
}

// regret returns that of a policy against the better of horn and omniscient.
func regret(c *experiment.Course, policy string) show.Cell {
	if r, ok := measure.Regret(average(c, policy), average(c, "random"), average(c, "horn"), average(c, "omniscient")); ok && c.Under(policy) != nil {
		return show.Num(r, 3)
	}
	return show.None()
}

// chart draws the runs over the ideal order and the diagonal.
func chart(c *experiment.Course, policies []string) *plot.Chart {
	chart := shareChart("Cumulative PageRank, " + c.Place.World.Name)
	for _, name := range policies {
		if r := c.Under(name); r != nil {
			s := shareSeries(name, r.Trial.Cumulative())
			s.Baseline = beside(name)
			chart.Series = append(chart.Series, s)
		}
	}
	n := c.Judge.Reachable()
	chart.Series = append(chart.Series, experiment.Baseline(shareSeries("ideal", c.Judge.Ideal(n))), shareDiagonal(n))
	return chart
}

// beside reports whether a policy is one that others are measured against.
func beside(policy string) bool { return policy == "horn" || policy == "random" }

// withoutHistory returns the policies of figures 4.4 and 4.5, and what they are measured
// against.
func withoutHistory() []string {
	return []string{
		"backlink-count", "partial-pagerank", "breadth-first", "batch-pagerank", "opic/cash=all", "opic/cash=seeds",
		"larger-sites-first", "omniscient", "horn", "random",
	}
}

// orders shows figures 4.4 and 4.5: the same experiment for each graph.
func orders(r *experiment.Run, p *experiment.Place) error {
	c, err := ordered(r.Bench, p, withoutHistory())
	if err != nil {
		return err
	}
	r.Find(p.World.Name, halfFinding(c))
	r.Show(show.Section{Title: p.World.Name, Text: orderText(c), Chart: chart(c, withoutHistory()), Table: orderTable(c)})
	return addStarts(r, p, withoutHistory())
}

// halfPolicies returns those that have half of the PageRank after 20 to 30 % of the pages
// in the thesis.
func halfPolicies() []string {
	return []string{"batch-pagerank", "larger-sites-first", "opic/cash=all", "opic/cash=seeds"}
}

// halfFinding states after which share of the pages half of the PageRank was there. OPIC
// counts by the better of its readings.
func halfFinding(c *experiment.Course) experiment.Finding {
	var numbers []string
	half := map[string]float64{}
	for _, name := range halfPolicies() {
		r := c.Under(name)
		if r == nil {
			continue
		}
		after := "-"
		if of := r.Measures.PagesFor50; of != nil {
			half[name], after = *of, pct(*of)
		}
		numbers = append(numbers, name+" "+after)
	}
	opic := min(half["opic/cash=all"], half["opic/cash=seeds"])
	return experiment.Found(max(half["batch-pagerank"], half["larger-sites-first"], opic) <= 0.30, "%s", strings.Join(numbers, ", "))
}

// orderTable returns the numbers behind the curves.
func orderTable(c *experiment.Course) *show.Table {
	t := &show.Table{Columns: head("strategy", "half of PageRank after (theirs), % of pages", "half of PageRank after, % of pages", "after a quarter of the pages, % of PageRank", "average", "average to 25 %", "regret")}
	for _, r := range c.Runs {
		theirs := ""
		if slices.Contains(halfPolicies(), r.Policy) {
			theirs = "20-30"
		}
		quarter, _ := r.Trial.Cumulative().At(0.25)
		t.Add(r.Policy, theirs, show.NumOf(r.Measures.PagesFor50, 100, 1), show.Num(100*quarter, 1),
			show.Num(r.Measures.Average, 4), show.NumOf(r.Measures.AUC25, 1, 4), regret(c, r.Policy))
	}
	return t
}

// orderText describes the other findings.
func orderText(c *experiment.Course) string {
	var worse []string
	best, bestName := 0.0, ""
	for _, r := range c.Runs {
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
	s := fmt.Sprintf("T = %d pages can be reached; K = %d.", c.Judge.Reachable(), c.Batch)
	if len(worse) == 0 {
		s += " No strategy is worse than the diagonal (an average of 0.5); in the thesis backlink-count is (0.4952)."
	} else {
		s += " Worse than the diagonal (an average of 0.5): " + strings.Join(worse, ", ") + "; in the thesis backlink-count (0.4952)."
	}
	if r := c.Under("breadth-first"); r != nil && r.Measures.AUC25 != nil {
		s += fmt.Sprintf(" Over the first quarter of the pages breadth-first has %.1f %% of the average of the best strategy without an oracle, %s; over all of them its regret is %s.",
			100**r.Measures.AUC25/best, bestName, regret(c, "breadth-first"))
	}
	if c.World.Sim.SiteOf == nil {
		s += " larger-sites-first is left out: the sites of this graph are not known."
	}
	return s
}

// addStarts adds a section with confidence bands over the further start sets and paired
// differences to breadth-first.
func addStarts(r *experiment.Run, p *experiment.Place, policies []string) error {
	if r.Starts == 0 {
		return nil
	}
	seeds := r.FurtherStarts(p)
	if len(seeds) == 0 {
		r.Report.Intro = append(r.Report.Intro, p.World.Name+" has no confidence bands: no start set reaches half as many pages as its seeds.")
		return nil
	}
	t, err := experiment.ByPageRank(r.Bench, p, nil)
	if err != nil {
		return err
	}
	sets := lab.StartSets{Policies: possible(p, policies), Base: slices.Index(possible(p, policies), "breadth-first")}
	for i := range seeds {
		r.Say(i, len(seeds), "%s, start sets", p.World.Name)
		s := r.Setting(p, t)
		s.Seeds = seeds[i]
		c, err := order(r.Bench, p, s, policies)
		if err != nil {
			return err
		}
		sets.Add(c.Comparison, c.Runs, nil)
	}
	r.Say(0, 0, "%s, intervals over start sets", p.World.Name)
	if err := sets.Summarise(r.Workers(), func(string) error { return r.Context.Err() }); err != nil {
		return err
	}
	s := startsSection(&sets)
	s.Title = fmt.Sprintf("%s, %d start sets", p.World.Name, len(seeds))
	s.Text = text("starts", len(seeds), len(p.Seeds))
	r.Show(s)
	return nil
}

// startsSection returns the bands and the paired differences.
func startsSection(sets *lab.StartSets) show.Section {
	t := &show.Table{Columns: head("strategy", "average", "low", "high", "minus breadth-first", "low", "high", "differs")}
	t.Columns[5].Key, t.Columns[6].Key = "difference_low", "difference_high"
	chart := shareChart("Cumulative PageRank over start sets")
	for i, policy := range sets.Policies {
		a, d := sets.Mean(i), sets.Lead(i)
		row := []any{policy, show.Num(a.Mean, 4), show.Num(a.Low, 4), show.Num(a.High, 4)}
		if i != sets.Base {
			row = append(row, show.Num(d.Mean, 4), show.Num(d.Low, 4), show.Num(d.High, 4), lab.Differs(d))
		}
		t.Add(row...)
		band := sets.Band(i)
		for k, x := range band.X {
			band.X[k] = math.Round(100 * x)
		}
		band.Baseline = beside(policy)
		chart.Series = append(chart.Series, band)
	}
	chart.Series = append(chart.Series, shareDiagonal(100))
	return show.Section{Chart: chart, Table: t}
}

// historicalPolicies returns the historical family as in table 4.1, with the old pages
// known from the start or to be discovered.
func historicalPolicies(known bool) []string {
	var all []string
	for _, fresh := range []string{"zero", "random", "parent", "omniscient"} {
		all = append(all, fmt.Sprintf("%s/new=%s/known=%t", historical, fresh, known))
	}
	return all
}

// histories shows figure 4.6: PageRank of an earlier crawl as a guide.
func histories(r *experiment.Run, p *experiment.Place) error {
	drawn := append(historicalPolicies(true), "opic/cash=all", "opic/cash=seeds", "omniscient", "breadth-first", "horn", "random")
	c, err := ordered(r.Bench, p, append(drawn, historicalPolicies(false)...))
	if err != nil {
		return err
	}
	old := c.OldPages()
	pages, rank := measure.Share(len(old), c.Judge.Reachable()), c.Judge.ShareOf(old)
	r.Show(show.Section{Title: p.World.Name, Chart: chart(c, drawn), Table: historyTable(c),
		Text: text("old-pages", c.Judge.Reachable(), pct(pages), pct(1-pages), pct(rank), p.History.Gone)})
	r.Find(p.World.Name, historyFinding(c))
	return nil
}

func historyTable(c *experiment.Course) *show.Table {
	t := &show.Table{Columns: head("strategy", "average (theirs)", "average", "tau (theirs)", "tau of a sample", "half of PageRank after, % of pages", "regret")}
	for _, r := range c.Runs {
		avg, tau := show.None(), show.None()
		for _, row := range thesisRows() {
			if short, _, _ := strings.Cut(r.Policy, "/known="); row.policy == short {
				avg, tau = show.Num(row.average, 4), show.Num(row.tau, 4)
			}
		}
		t.Add(r.Policy, avg, show.Num(r.Measures.Average, 4), tau, show.Num(r.Measures.TauSample, 4), show.NumOf(r.Measures.PagesFor50, 100, 1), regret(c, r.Policy))
	}
	return t
}

// historyFinding compares the family with the better reading of OPIC.
func historyFinding(c *experiment.Course) experiment.Finding {
	holds, opic := true, max(average(c, "opic/cash=all"), average(c, "opic/cash=seeds"))
	var numbers []string
	for _, name := range historicalPolicies(true) {
		a := average(c, name)
		holds = holds && a >= opic
		_, short, _ := strings.Cut(name, "/new=")
		short, _, _ = strings.Cut(short, "/")
		numbers = append(numbers, fmt.Sprintf("%s %.4f", short, a))
	}
	return experiment.Found(holds, "%s, OPIC %.4f", strings.Join(numbers, ", "), opic)
}
