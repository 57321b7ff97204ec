package papers

import (
	"fmt"
	"math"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// theirHot returns the thresholds of graph 1 with the share of hot pages they had.
func theirHot() [3]hotRule { return [3]hotRule{{3, 0.47}, {10, 0.10}, {100, 0.008}} }

// A hotRow is one threshold at one place.
type hotRow struct {
	rule  hotRule
	hot   measure.Hot
	curve measure.Curve
	area  float64 // mean of P_ST
	last  float64 // rate at which hot pages are found right of 80 %, random = 1
}

// graph1 shows P_ST of backlink order for several G.
func graph1(r *run, p *Place) error {
	c, err := r.course(p, byBacklinks, "backlink-count")
	if err != nil {
		return err
	}
	absolute, relative := hotRows(c, false), hotRows(c, true)
	r.find(p.World.Name, graph1Findings(c.Judge.Reachable(), absolute, relative)...)
	r.show(r.graph1Section(c, absolute), graph1Table(c, append(absolute, relative...)))
	return nil
}

// hotRows measures the crawl for the three thresholds, absolute or by their share.
func hotRows(c *course, relative bool) []hotRow {
	var rows []hotRow
	for _, rule := range theirHot() {
		if relative {
			rule.g = 0
		}
		h := rule.of(c.Judge)
		curve := c.runs[0].Trial.Found(h)
		at80, _ := curve.At(0.8)
		row := hotRow{rule: rule, hot: h, curve: curve, area: curve.Mean(), last: (1 - at80) / 0.2}
		if h.Pages == 0 {
			row.area, row.last = math.NaN(), math.NaN()
		}
		rows = append(rows, row)
	}
	return rows
}

// graph1Findings tests both claims by the thresholds that can be used, the absolute ones
// if there are two of them, else those by share.
func graph1Findings(reachable int, absolute, relative []hotRow) []finding {
	rows := distinctRows(absolute, reachable)
	if len(rows) < 2 {
		rows = distinctRows(relative, reachable)
	}
	if len(rows) < 2 {
		few := finding{lacks: "fewer than two thresholds divide it"}
		return []finding{few, few}
	}
	rises, even := true, true
	var names, areas, rates, hot []string
	for i, row := range rows {
		rises = rises && (i == 0 || row.area > rows[i-1].area)
		even = even && math.Abs(row.last-1) <= 0.2
		names = append(names, row.rule.String())
		areas = append(areas, fmt.Sprintf("%.3f", row.area))
		hot = append(hot, fmt.Sprint(row.hot.Pages))
		rates = append(rates, fmt.Sprintf("%.2f", row.last))
	}
	return []finding{
		found(rises, "mean P_ST %s for %s with %s hot pages", strings.Join(areas, ", "), strings.Join(names, ", "), strings.Join(hot, ", ")),
		found(even, "rate %s of random's", strings.Join(rates, ", ")),
	}
}

// distinctRows returns the rows whose thresholds divide E and differ: the best 47 % and
// the best 10 % are the same pages where most have one backlink.
func distinctRows(rows []hotRow, reachable int) (kept []hotRow) {
	for _, row := range rows {
		if usable(row.hot, reachable) && (len(kept) == 0 || row.hot.Pages != kept[len(kept)-1].hot.Pages) {
			kept = append(kept, row)
		}
	}
	return kept
}

// graph1Section draws a curve and its ideal for each G.
func (r *run) graph1Section(c *course, rows []hotRow) show.Section {
	name := c.place.World.Name
	chart := &plot.Chart{Title: name + ": P_ST of backlink-count", XLabel: "pages crawled, %", YLabel: "hot pages found, %"}
	var ideals []plot.Series
	for _, row := range rows {
		if row.hot.Pages > 0 {
			chart.Series = append(chart.Series, r.percents(row.rule.String(), 0, row.curve))
			ideals = append(ideals, baseline(r.percents("ideal, "+row.rule.String(), 0, row.rule.ideal(c.Judge))))
		}
	}
	chart.Series = append(append(chart.Series, ideals...), diagonal())
	return show.Section{Title: name, Chart: chart, Text: fmt.Sprintf("%d of %d pages can be reached (theirs: 179,000 of 225,000).", c.Judge.Reachable(), c.World.Pages())}
}

// graph1Table has theirs beside ours.
func graph1Table(c *course, rows []hotRow) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "hot"}, {Name: "hot pages, theirs", Unit: "%"}, {Name: "ours", Unit: "%", Key: "hot_share"}, {Name: "H", Key: "hot"},
		{Name: "least I", Key: "g"}, {Name: "mean P_ST", Key: "p_st"}, {Name: "of the ideal", Key: "ideal"}, {Name: "at 20 % crawled", Unit: "%", Key: "at_20"}, {Name: "rate right of 80 %, random = 1", Key: "last_rate"}}}
	theirs := theirHot()
	for i, row := range rows {
		ideal := row.rule.ideal(c.Judge).Mean()
		at20, _ := row.curve.At(0.2)
		if row.hot.Pages == 0 {
			ideal, at20 = math.NaN(), math.NaN()
		}
		t.Add(row.rule, show.Brief(100*theirs[i%len(theirs)].share), show.Num(100*measure.Share(row.hot.Pages, c.Judge.Reachable()), 2), row.hot.Pages,
			show.Brief(row.hot.G), show.Num(row.area, 4), show.Num(ideal, 4), show.Num(100*at20, 1), show.Num(row.last, 2))
	}
	return show.Section{Title: c.place.World.Name + ": thresholds", Table: t}
}
