package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// order crawls in a setting under all of the policies that can run there; batch- and
// partial-pagerank solve every T/30 pages.
func (b *Bench) order(p *Place, s lab.Setting, policies []string) (*course, error) {
	c, err := b.prepare(p, s)
	if err != nil {
		return nil, err
	}
	c.Batch = thesisBatch(len(c.Tree.Order))
	if err := b.crawl(c, p.possible(policies)); err != nil {
		return nil, err
	}
	return c, c.checkBound()
}

// ordered crawls as order does, without a model of time.
func (b *Bench) ordered(p *Place, policies []string) (*course, error) {
	t, err := byPageRank(b, p, nil)
	if err != nil {
		return nil, err
	}
	return b.order(p, b.setting(p, t), policies)
}

const historical = "historical-pagerank"

// possible leaves out what the place has no ground for: larger-sites-first without
// sites is breadth-first under another name, and without an earlier crawl there is no
// history.
func (p *Place) possible(policies []string) []string {
	return slices.DeleteFunc(slices.Clone(policies), func(name string) bool {
		return name == "larger-sites-first" && p.World.Sim.SiteOf == nil || strings.HasPrefix(name, historical) && p.History == nil
	})
}

// checkBound returns an error if an order is above the ideal one.
func (c *course) checkBound() error {
	ideal := c.Judge.Ideal(c.Judge.Reachable()).Y
	for _, r := range c.runs {
		for k, y := range r.Trial.Cumulative().Y {
			if y > ideal[k]+1e-9 {
				return fmt.Errorf("%s has %v of the PageRank after %d pages, the ideal order %v", r.Policy, y, k+1, ideal[k])
			}
		}
	}
	return nil
}

// average returns a policy's average cumulative PageRank, 0 if it did not run.
func (c *course) average(policy string) float64 {
	if r := c.run(policy); r != nil {
		return r.Measures.Average
	}
	return 0
}

// regret returns that of a policy against the better of horn and omniscient.
func (c *course) regret(policy string) show.Cell {
	if r, ok := measure.Regret(c.average(policy), c.average("random"), c.average("horn"), c.average("omniscient")); ok && c.run(policy) != nil {
		return show.Num(r, 3)
	}
	return show.None()
}

// chart draws the runs over the ideal order and the diagonal.
func (c *course) chart(policies []string) *plot.Chart {
	chart := shareChart("Cumulative PageRank, " + c.place.World.Name)
	for _, name := range policies {
		if r := c.run(name); r != nil {
			s := shareSeries(name, r.Trial.Cumulative())
			s.Baseline = beside(name)
			chart.Series = append(chart.Series, s)
		}
	}
	n := c.Judge.Reachable()
	chart.Series = append(chart.Series, baseline(shareSeries("ideal", c.Judge.Ideal(n))), shareDiagonal(n))
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
func orders(r *run, p *Place) error {
	c, err := r.ordered(p, withoutHistory())
	if err != nil {
		return err
	}
	r.find(p.World.Name, c.halfFinding())
	r.show(show.Section{Title: p.World.Name, Text: c.orderText(), Chart: c.chart(withoutHistory()), Table: c.orderTable()})
	return r.addStarts(p, withoutHistory())
}

// halfPolicies returns those that have half of the PageRank after 20 to 30 % of the pages
// in the thesis.
func halfPolicies() []string {
	return []string{"batch-pagerank", "larger-sites-first", "opic/cash=all", "opic/cash=seeds"}
}

// halfFinding states after which share of the pages half of the PageRank was there. OPIC
// counts by the better of its readings.
func (c *course) halfFinding() finding {
	var numbers []string
	half := map[string]float64{}
	for _, name := range halfPolicies() {
		r := c.run(name)
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
	return found(max(half["batch-pagerank"], half["larger-sites-first"], opic) <= 0.30, "%s", strings.Join(numbers, ", "))
}

// orderTable returns the numbers behind the curves.
func (c *course) orderTable() *show.Table {
	t := &show.Table{Columns: head("strategy", "half of PageRank after (theirs), % of pages", "half of PageRank after, % of pages", "after a quarter of the pages, % of PageRank", "average", "average to 25 %", "regret")}
	for _, r := range c.runs {
		theirs := ""
		if slices.Contains(halfPolicies(), r.Policy) {
			theirs = "20-30"
		}
		quarter, _ := r.Trial.Cumulative().At(0.25)
		t.Add(r.Policy, theirs, show.NumOf(r.Measures.PagesFor50, 100, 1), show.Num(100*quarter, 1),
			show.Num(r.Measures.Average, 4), show.NumOf(r.Measures.AUC25, 1, 4), c.regret(r.Policy))
	}
	return t
}

// orderText describes the other findings.
func (c *course) orderText() string {
	var worse []string
	best, bestName := 0.0, ""
	for _, r := range c.runs {
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
	if r := c.run("breadth-first"); r != nil && r.Measures.AUC25 != nil {
		s += fmt.Sprintf(" Over the first quarter of the pages breadth-first has %.1f %% of the average of the best strategy without an oracle, %s; over all of them its regret is %s.",
			100**r.Measures.AUC25/best, bestName, c.regret("breadth-first"))
	}
	if c.World.Sim.SiteOf == nil {
		s += " larger-sites-first is left out: the sites of this graph are not known."
	}
	return s
}

// addStarts adds a section with confidence bands over the further start sets and paired
// differences to breadth-first.
func (r *run) addStarts(p *Place, policies []string) error {
	if r.Starts == 0 {
		return nil
	}
	seeds := r.furtherStarts(p)
	if len(seeds) == 0 {
		r.report.Intro = append(r.report.Intro, p.World.Name+" has no confidence bands: no start set reaches half as many pages as its seeds.")
		return nil
	}
	t, err := byPageRank(r.Bench, p, nil)
	if err != nil {
		return err
	}
	sets := lab.StartSets{Policies: p.possible(policies), Base: slices.Index(p.possible(policies), "breadth-first")}
	for i := range seeds {
		r.say(i, len(seeds), "%s, start sets", p.World.Name)
		s := r.setting(p, t)
		s.Seeds = seeds[i]
		c, err := r.order(p, s, policies)
		if err != nil {
			return err
		}
		sets.Add(c.Comparison, c.runs, nil)
	}
	r.say(0, 0, "%s, intervals over start sets", p.World.Name)
	if err := sets.Summarise(r.threads(), func(string) error { return r.Context.Err() }); err != nil {
		return err
	}
	s := startsSection(&sets)
	s.Title = fmt.Sprintf("%s, %d start sets", p.World.Name, len(seeds))
	s.Text = text("castillo04-starts", len(seeds), len(p.Seeds))
	r.show(s)
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
func histories(r *run, p *Place) error {
	drawn := append(historicalPolicies(true), "opic/cash=all", "opic/cash=seeds", "omniscient", "breadth-first", "horn", "random")
	c, err := r.ordered(p, append(drawn, historicalPolicies(false)...))
	if err != nil {
		return err
	}
	old := c.OldPages()
	pages, rank := measure.Share(len(old), c.Judge.Reachable()), c.Judge.ShareOf(old)
	r.show(show.Section{Title: p.World.Name, Chart: c.chart(drawn), Table: c.historyTable(),
		Text: text("castillo04-old-pages", c.Judge.Reachable(), pct(pages), pct(1-pages), pct(rank), p.History.Gone)})
	r.find(p.World.Name, c.historyFinding())
	return nil
}

func (c *course) historyTable() *show.Table {
	t := &show.Table{Columns: head("strategy", "average (theirs)", "average", "tau (theirs)", "tau of a sample", "half of PageRank after, % of pages", "regret")}
	for _, r := range c.runs {
		avg, tau := show.None(), show.None()
		for _, row := range thesisRows() {
			if short, _, _ := strings.Cut(r.Policy, "/known="); row.policy == short {
				avg, tau = show.Num(row.average, 4), show.Num(row.tau, 4)
			}
		}
		t.Add(r.Policy, avg, show.Num(r.Measures.Average, 4), tau, show.Num(r.Measures.TauSample, 4), show.NumOf(r.Measures.PagesFor50, 100, 1), c.regret(r.Policy))
	}
	return t
}

// historyFinding compares the family with the better reading of OPIC.
func (c *course) historyFinding() finding {
	holds, opic := true, max(c.average("opic/cash=all"), c.average("opic/cash=seeds"))
	var numbers []string
	for _, name := range historicalPolicies(true) {
		a := c.average(name)
		holds = holds && a >= opic
		_, short, _ := strings.Cut(name, "/new=")
		short, _, _ = strings.Cut(short, "/")
		numbers = append(numbers, fmt.Sprintf("%s %.4f", short, a))
	}
	return found(holds, "%s, OPIC %.4f", strings.Join(numbers, ", "), opic)
}
