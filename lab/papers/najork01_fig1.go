package papers

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// theirDay is the average PageRank that the paper gives for a day.
type theirDay struct {
	day  int
	mean float64
}

// figure1Days is what the text says of figure 1: the first and second day, then after
// one, two and four weeks.
func figure1Days() []theirDay {
	return []theirDay{{1, 7.04}, {2, 2.07}, {8, 1.08}, {15, 0.84}, {29, 0.59}}
}

// figure4Days is what the text says of figure 4.
func figure4Days() []theirDay {
	return []theirDay{{1, 12.1}, {2, 1.8}, {4, 1.0}, {58, 0.6}}
}

// najorkFig1 is the average PageRank by day (X13, P15).
func najorkFig1(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "najork01-fig1", Header: b.najorkHeader([]string{"breadth-first", "random", "site-at-a-time where sites are known"}, "PageRank"),
		Intro: []string{"Average PageRank of the pages crawled on each day. The paper: 7.04 on the first day, more than three times the 2.07 of the second, then falling: 1.08 after a week, 0.84 after two, 0.59 after four. It says of crawlers that take pages at random or site after site that their quality is even over the crawl; they are drawn besides. " + dayText}}
	var falls, ratio []finding
	for _, p := range b.Places {
		policies := []string{"random"}
		if p.World.HasSites() {
			policies = append(policies, "site-at-a-time")
		}
		crawls, err := b.crawls58(p, false, policies...)
		if err != nil {
			return nil, err
		}
		if len(crawls[0].days) < najorkFew {
			falls, ratio = append(falls, tooFew(p.World.Name)), append(ratio, tooFew(p.World.Name))
			continue
		}
		s, series, err := b.daySection(crawls, figure1Days())
		if err != nil {
			return nil, err
		}
		r.Sections = append(r.Sections, s)
		f, q := fig1Findings(p.World.Name, series[0])
		falls, ratio = append(falls, f), append(ratio, q)
	}
	r.Verdict = verdicts(
		verdict("average PageRank falls from the first quarter of the crawl over the second to the second half", falls),
		verdict("the first day is the highest and has at least three times the average of the second (theirs 7.04 and 2.07)", ratio))
	return r, nil
}

// dayText says what a day is.
const dayText = "A day here is one of 58 equal parts of the crawl, by pages; theirs had fewer and fewer pages, since their crawler slowed down (median day 22, mean 24.5)."

// fig1Findings asks whether the average falls from the first quarter of the crawl over
// the second to the rest, of which the paper says no more, and whether the first day
// is the highest with three times the second.
func fig1Findings(place string, s plot.Series) (falls, ratio finding) {
	q := quarters(s.Y)
	rest := (q[2] + q[3]) / 2
	falls = finding{place: place, holds: q[0] > q[1] && q[1] > rest}
	falls.numbers = fmt.Sprintf("means of the days by quarter %.2f, %.2f, %.2f, %.2f", q[0], q[1], q[2], q[3])
	times, later := s.Y[0]/s.Y[1], slices.Max(s.Y[1:])
	ratio = finding{place: place, holds: times >= 3 && s.Y[0] > later}
	ratio.numbers = fmt.Sprintf("%.2f and %.2f, %.1f times, highest later day %.2f", s.Y[0], s.Y[1], times, later)
	return falls, ratio
}

// quarters is the means of four equal parts of the days.
func quarters(days []float64) [4]float64 {
	var q [4]float64
	for i := range q {
		lo, hi := i*len(days)/4, (i+1)*len(days)/4
		q[i] = measure.Sum(days[lo:hi]) / float64(hi-lo)
	}
	return q
}

// daySection draws the averages by day, and lists theirs beside ours.
func (b *Bench) daySection(crawls []crawl58, theirs []theirDay) (show.Section, []plot.Series, error) {
	c := crawls[0]
	chart := &plot.Chart{Title: c.place.World.Name + ": average PageRank by day", XLabel: "day of crawl", YLabel: "average PageRank"}
	t := &show.Table{Columns: []show.Column{{Name: "day"}, {Name: "theirs"}}}
	var own [][]float64
	for run := range c.runs {
		s, first, err := b.daySeries(crawls, run)
		if err != nil {
			return show.Section{}, nil, err
		}
		s.Baseline = run > 0
		chart.Series, own = append(chart.Series, s), append(own, first)
		t.Columns = append(t.Columns, show.Column{Name: s.Name, Key: s.Name})
	}
	if len(crawls) > 1 {
		t.Columns = append(t.Columns, show.Column{Name: "breadth-first over start sets", Key: "sets_mean"}, show.Column{Name: "low", Key: "sets_low"}, show.Column{Name: "high", Key: "sets_high"})
	}
	for _, d := range theirs {
		t.Rows = append(t.Rows, dayRow(d, own, chart.Series[0]))
	}
	text := fmt.Sprintf("%d pages, %d of them on the first day.", len(c.days), c.firstDay())
	s := show.Section{Title: c.place.World.Name, Text: text + bandText(len(crawls)), Chart: chart, Table: t}
	series := []plot.Series{chart.Series[0]}
	series[0].Y = own[0]
	return s, series, nil
}

// dayRow is one day of the paper beside ours.
func dayRow(d theirDay, own [][]float64, s plot.Series) []show.Cell {
	row := []show.Cell{show.Count(d.day), show.Num(d.mean, 2)}
	for _, means := range own {
		row = append(row, show.Num(means[d.day-1], 2))
	}
	if s.Low != nil {
		row = append(row, show.Num(s.Y[d.day-1], 2), show.Num(s.Low[d.day-1], 2), show.Num(s.High[d.day-1], 2))
	}
	return row
}

// daySeries is the averages by day of one policy: over start sets with its interval,
// and from the seeds of the place.
func (b *Bench) daySeries(crawls []crawl58, run int) (s plot.Series, own []float64, err error) {
	all := make([][]float64, len(crawls))
	for i := range crawls {
		if all[i], err = crawls[i].dayMeans(run); err != nil {
			return s, nil, err
		}
	}
	s.Name = crawls[0].runs[run].Policy
	x := make([]float64, len(all))
	for d := range najorkDays {
		for i := range all {
			x[i] = all[i][d]
		}
		in := measure.Summarise(x, b.Random)
		s.X, s.Y = append(s.X, float64(d+1)), append(s.Y, in.Mean)
		if len(all) > 1 {
			s.Low, s.High = append(s.Low, in.Low), append(s.High, in.High)
		}
	}
	return s, all[0], nil
}

// najorkFig4 is figure 1 by remote links only (X16).
func najorkFig4(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "najork01-fig4", Header: b.najorkHeader([]string{"breadth-first"}, "PageRank by links between sites"),
		Intro: []string{"As figure 1, with PageRank in which only links from one site to another count. The paper: 12.1 on the first day, 1.8 on the second, 1.0 on the fourth, 0.6 on the last; higher at first than with all links, and falling more sharply. " + dayText}}
	var all []finding
	for _, p := range b.Places {
		if !p.World.HasSites() {
			all = append(all, finding{place: p.World.Name, lacks: "it has no sites or one"})
			continue
		}
		f, s, err := b.fig4At(p)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
		if f.lacks == "" {
			r.Sections = append(r.Sections, s)
		}
	}
	r.Verdict = verdict("by remote links the first day is higher than by all links and the fall to the second steeper", all)
	return r, nil
}

func (b *Bench) fig4At(p *Place) (f finding, s show.Section, err error) {
	remote, err := b.crawls58(p, true)
	if err != nil {
		return f, s, err
	}
	if len(remote[0].days) < najorkFew {
		return tooFew(p.World.Name), s, nil
	}
	every, err := b.crawls58(p, false)
	if err != nil {
		return f, s, err
	}
	s, series, err := b.daySection(remote, figure4Days())
	if err != nil {
		return f, s, err
	}
	line, own, err := b.daySeries(every, 0)
	if err != nil {
		return f, s, err
	}
	s.Chart.Series[0].Name, line.Name, line.Baseline = "remote links", "all links (figure 1)", true
	s.Chart.Series = append(s.Chart.Series, line)
	y := series[0].Y
	steep, before := y[0]/y[1], own[0]/own[1]
	f = finding{place: p.World.Name, holds: y[0] > own[0] && steep > before}
	f.numbers = fmt.Sprintf("%.2f and %.2f on the first two days, a ratio of %.1f, against %.2f and %.2f, a ratio of %.1f", y[0], y[1], steep, own[0], own[1], before)
	return f, s, nil
}
