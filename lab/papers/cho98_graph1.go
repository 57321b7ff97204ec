package papers

import (
	"fmt"
	"math"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// theirHot is the thresholds of graph 1 with the share of hot pages they had (S6).
func theirHot() [3]hotRule { return [3]hotRule{{3, 0.47}, {10, 0.10}, {100, 0.008}} }

// A hotRow is one threshold at one place.
type hotRow struct {
	rule  hotRule
	hot   measure.Hot
	curve measure.Curve
	area  float64 // mean of P_ST
	last  float64 // rate at which hot pages are found right of 80 %, random = 1
}

// choGraph1 is P_ST of backlink order for several G (X1).
func choGraph1(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "cho98-graph1", Header: b.paperHeader([]string{"backlink-count"}, "I = backlinks"),
		Intro: []string{"P_ST, the share of all hot pages fetched so far, when the page with most known backlinks goes next and hot are pages with at least G backlinks. The paper: with a larger G hot pages are found faster; right of 80 % crawled they come at about the rate of a random crawler. Besides its G = 3, 10 and 100 there are the thresholds that make as many pages hot as these did there: 47, 10 and 0.8 %."}}
	var faster, last []finding
	for _, p := range b.Places {
		t, err := p.Backlinks(b)
		if err != nil {
			return nil, err
		}
		c, err := b.courses(p, t, []string{"backlink-count"})
		if err != nil {
			return nil, err
		}
		absolute, relative := hotRows(c[0], false), hotRows(c[0], true)
		f, l := graph1Findings(p.World.Name, c[0].Judge.Reachable(), absolute, relative)
		faster, last = append(faster, f), append(last, l)
		r.Sections = append(r.Sections, graph1Section(p, c[0], absolute), graph1Table(p, c[0], append(absolute, relative...)))
	}
	r.Verdict = verdicts(
		verdict("the larger G, the faster hot pages are found", faster),
		verdict("right of 80 % hot pages come at the rate of a random crawler, within 20 %", last))
	return r, nil
}

// hotRows measures the crawl for the three thresholds, absolute or by their share.
func hotRows(c course, relative bool) []hotRow {
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

// graph1Findings asks both questions of the thresholds that can be used, the absolute
// ones if there are two of them, else those by share.
func graph1Findings(place string, reachable int, absolute, relative []hotRow) (faster, last finding) {
	rows := distinctRows(absolute, reachable)
	if len(rows) < 2 {
		rows = distinctRows(relative, reachable)
	}
	faster, last = finding{place: place}, finding{place: place}
	if len(rows) < 2 {
		faster.lacks, last.lacks = "fewer than two thresholds divide it", "fewer than two thresholds divide it"
		return faster, last
	}
	faster.holds, last.holds = true, true
	var areas, rates, hot []string
	for i, row := range rows {
		faster.holds = faster.holds && (i == 0 || row.area > rows[i-1].area)
		last.holds = last.holds && math.Abs(row.last-1) <= 0.2
		areas = append(areas, fmt.Sprintf("%.3f", row.area))
		hot = append(hot, fmt.Sprint(row.hot.Pages))
		rates = append(rates, fmt.Sprintf("%.2f", row.last))
	}
	faster.numbers = fmt.Sprintf("mean P_ST %s for %s with %s hot pages", strings.Join(areas, ", "), rowNames(rows), strings.Join(hot, ", "))
	last.numbers = fmt.Sprintf("rate %s of random's", strings.Join(rates, ", "))
	return faster, last
}

// distinctRows is the rows whose thresholds divide E and differ: the best 47 % and the
// best 10 % are the same pages where most have one backlink.
func distinctRows(rows []hotRow, reachable int) (kept []hotRow) {
	for _, row := range rows {
		if usable(row.hot, reachable) && (len(kept) == 0 || row.hot.Pages != kept[len(kept)-1].hot.Pages) {
			kept = append(kept, row)
		}
	}
	return kept
}

func rowNames(rows []hotRow) string {
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.rule.String()
	}
	return strings.Join(names, ", ")
}

// graph1Section draws graph 1: a curve and its ideal for each G.
func graph1Section(p *Place, c course, rows []hotRow) show.Section {
	chart := &plot.Chart{Title: p.World.Name + ": P_ST of backlink-count", XLabel: "pages crawled, %", YLabel: "hot pages found, %"}
	b := Bench{}
	for _, row := range rows {
		if row.hot.Pages > 0 {
			chart.Series = append(chart.Series, b.percentSeries(row.rule.String(), []measure.Curve{row.curve}, 0, 100))
		}
	}
	for _, row := range rows {
		if row.hot.Pages > 0 {
			ideal := b.percentSeries("ideal, "+row.rule.String(), []measure.Curve{measure.IdealFound(row.hot.Pages, c.Judge.Reachable(), c.Judge.Reachable())}, 0, 100)
			ideal.Baseline = true
			chart.Series = append(chart.Series, ideal)
		}
	}
	chart.Series = append(chart.Series, diagonal(100))
	return show.Section{Title: p.World.Name, Text: fmt.Sprintf("%d of %d pages can be reached (theirs: 179,000 of 225,000).", c.Judge.Reachable(), p.World.Pages()), Chart: chart}
}

// graph1Table has theirs beside ours.
func graph1Table(p *Place, c course, rows []hotRow) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "hot"}, {Name: "hot pages, theirs", Unit: "%"}, {Name: "ours", Unit: "%", Key: "hot_share"}, {Name: "H", Key: "hot"},
		{Name: "least I", Key: "g"}, {Name: "mean P_ST", Key: "p_st"}, {Name: "of the ideal", Key: "ideal"}, {Name: "at 20 % crawled", Unit: "%", Key: "at_20"}, {Name: "rate right of 80 %, random = 1", Key: "last_rate"}}}
	T, theirs := c.Judge.Reachable(), theirHot()
	for i, row := range rows {
		ideal := measure.IdealFound(row.hot.Pages, T, T).Mean()
		at20, _ := row.curve.At(0.2)
		if row.hot.Pages == 0 {
			ideal, at20 = math.NaN(), math.NaN()
		}
		t.Rows = append(t.Rows, []show.Cell{show.Words(row.rule.String()), show.Brief(100 * theirs[i%len(theirs)].share), show.Num(100*measure.Share(row.hot.Pages, T), 2), show.Count(row.hot.Pages),
			show.Brief(row.hot.G), show.Num(row.area, 4), show.Num(ideal, 4), show.Num(100*at20, 1), show.Num(row.last, 2)})
	}
	return show.Section{Title: p.World.Name + ": thresholds", Table: t}
}
