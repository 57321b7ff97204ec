package papers

import (
	"fmt"
	"math"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// graph5 shows P_ST in small domains.
func graph5(r *run, p *Place) error {
	domains := p.domains()
	if domains == nil {
		r.lacks(p.World.Name, "its sites are unknown")
	}
	return eachDomain(domains, func(d *domain) error {
		c, err := r.course(&d.Place, byBacklinks, "breadth-first", "backlink-count", r.once().rankedOrder(&d.Place))
		if err != nil {
			return err
		}
		rule := scaled(c.Judge, 5, 0.10)
		rows := foundRows([]*course{c}, rule)
		chart := &plot.Chart{Title: d.World.Name + ": P_ST", XLabel: "pages crawled, %", YLabel: "P_ST, %"}
		for _, row := range rows {
			chart.Series = append(chart.Series, r.percents(row.name, 0, row.curves...))
		}
		chart.Series = append(chart.Series, baseline(r.percents("ideal", 0, rule.ideal(c.Judge))), diagonal())
		f, t := graph5Finding(rows, rule.of(c.Judge).Pages)
		r.find(d.World.Name, f)
		r.show(show.Section{Title: d.World.Name, Chart: chart, Table: t,
			Text: fmt.Sprintf("%d of %d pages can be reached. ", c.Judge.Reachable(), d.World.Pages()) + ruleText(c.Judge, rule, 5)})
		return nil
	})
}

// graph5Finding lists for each order where it is worse than random.
func graph5Finding(rows []orderRow, hot int) (finding, *show.Table) {
	t := &show.Table{Columns: []show.Column{{Name: "order"}, {Name: "mean P_ST", Key: "mean"}, {Name: "below random for", Unit: "% of the crawl", Key: "below_share"},
		{Name: "most behind by", Unit: "points", Key: "behind"}, {Name: "at", Unit: "% crawled", Key: "behind_at"}, {Name: "chance, 1 in 100", Unit: "points", Key: "chance"}}}
	var parts []string
	for _, r := range rows {
		w := worseThanRandom(r.curves[0], hot)
		if w.behind > w.chance {
			parts = append(parts, fmt.Sprintf("%s behind by %.1f points at %.0f %%", r.name, 100*w.behind, 100*w.at))
		}
		t.Add(r.name, show.Num(r.means[0], 4), show.Num(100*w.share, 1), show.Num(100*w.behind, 1), show.Num(100*w.at, 1), show.Num(100*w.chance, 1))
	}
	if parts == nil {
		return found(false, "none of the three is, beyond chance"), t
	}
	return found(true, "%s", strings.Join(parts, ", ")), t
}

// A worse tells where a crawl is behind a random one.
type worse struct {
	share  float64 // of the crawl, in which it is below the line k/T
	behind float64 // the most it is below the line, 0 if never
	at     float64 // share crawled there
	chance float64 // by how much one random order in a hundred is behind somewhere
}

// worseThanRandom compares P_ST with the line k/T. In a random order the places of the
// H hot pages are a sample of even places, of which P_ST is the empirical distribution,
// so that the most it is behind is the one-sided Kolmogorov-Smirnov distance:
//
//	P(behind > d) <= exp(-2 H d²)
//
// (Massart 1990; drawing without replacement only makes it smaller).
func worseThanRandom(c measure.Curve, hot int) (w worse) {
	if hot == 0 || len(c.Y) == 0 {
		return w
	}
	below := 0
	for i, y := range c.Y {
		line := measure.Share(i+1, c.Reachable)
		if line-y > 1e-9 {
			below++
		}
		if line-y > w.behind {
			w.behind, w.at = line-y, line
		}
	}
	w.share = measure.Share(below, len(c.Y))
	w.chance = math.Sqrt(math.Log(100) / (2 * float64(hot)))
	return w
}
