package papers

import (
	"fmt"
	"strings"

	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// historicalPolicies returns the historical family as in table 4.1, with the old pages
// known from the start or to be discovered.
func historicalPolicies(known bool) []string {
	var all []string
	for _, fresh := range []string{"zero", "random", "parent", "omniscient"} {
		all = append(all, fmt.Sprintf("%s/new=%s/known=%t", historical, fresh, known))
	}
	return all
}

// histories is figure 4.6: PageRank of an earlier crawl as a guide.
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
