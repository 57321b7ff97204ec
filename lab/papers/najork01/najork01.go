// Package najork01 repeats the experiments of Najork and Wiener, "Breadth-first crawling yields
// high-quality pages" (WWW10, 2001), section 4: a breadth-first crawl of 328 million pages
// in 58 days, measured by PageRank with a jump probability of 1/7, scaled to a mean of 1.
//
// Crawls are made as Mercator made them (section 3): 500 pages at a time, one connection to a
// server, and ten times as long as the last page of a server took before the next. Beside
// them are crawls of one page after another, the pure ordering experiment.
//
// A day is one of 58 equal parts of the crawl, by pages. Their days were not equal: the rate
// fell, the median page was fetched on day 22 and the mean on 24.5, so that their first days
// are longer than ours.
package najork01

import (
	"embed"
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

//go:embed texts/*.txt
var texts embed.FS

// Experiments lists the experiments of the paper.
func Experiments() []experiment.Experiment {
	return experiment.Paper("najork01", "Najork, Wiener 2001", texts, []experiment.Experiment{
		{Name: "fig1", Paper: "section 4, figure 1", What: "average PageRank of the pages of each day",
			Header: daysHeader("PageRank", "random", "site-at-a-time where sites are known"), At: twice(enoughDays(fig1)),
			Claims: []string{"average PageRank falls from the first quarter of the crawl over the second to the second half",
				"the first day is the highest and has at least three times the average of the second (theirs 7.04 and 2.07)"}},
		{Name: "fig2", Paper: "section 4, figure 2", What: "average day on which the top N pages were crawled",
			Header: daysHeader("PageRank"), At: twice(inDays(fig2)),
			Claims: []string{"the higher the PageRank of pages, the earlier they are crawled"}},
		{Name: "fig3", Paper: "section 4, figure 3", What: "overlap of the top N after 28 and after all 58 days",
			Header: daysHeader("PageRank"), At: twice(inDays(fig3)),
			Claims: []string{"after 28 of 58 days at least 60 % of the top N, from N = 20 on, are known to be the top N"}},
		{Name: "fig4", Paper: "section 4, figure 4", What: "average PageRank by remote links only of each day",
			Header: daysHeader("PageRank by links between sites"), At: twice(severalSites(enoughDays(fig4))),
			Claims: []string{"by remote links the first day is higher than by all links and the fall to the second steeper"}},
		{Name: "late", Paper: "section 4, anomalies of figure 2", What: "top pages that come late, and who links to them",
			Header: daysHeader("PageRank"), At: twice(inDays(late)),
			Claims: []string{"few of the top pages come late, up to twice the 8 % of the paper",
				"late top pages have a larger share of links from their own site than the others"}},
		{Name: "politeness", Paper: "sections 1 and 4", What: "whether politeness makes breadth-first better",
			Needs: experiment.Needs{Sites: 2}, Header: politeHeader, All: politeness,
			Claims: []string{"Mercator's politeness and parallelism make breadth-first crawling better, by the average cumulative PageRank",
				"and so they do by remote links only, without the links by which hosts endorse themselves"}},
		{Name: "weights", Paper: "section 6", What: "PageRank with remote and local links weighed apart: both divisions, swept",
			Needs: experiment.Needs{Sites: 2}, Header: experiment.TimedHeader(nil, "PageRank, jump 1/7"), At: weights,
			Claims: []string{"both proposed divisions, a factor of 4 and a share of 80 %, bring PageRank nearer to remote-only ranks",
				"and nearer to the number of sites that link to a page"}},
		{Name: "parallel", Paper: "section 3", What: "pages a day by the number of pages at a time",
			Needs: experiment.Needs{Sites: 2}, Header: experiment.TimedHeader([]string{"breadth-first"}, "Mercator's politeness, times "+experiment.ThesisTimes), At: parallel,
			Claims: []string{"500 pages at a time are at least a hundred times as fast as one (10 million a day, well under 100,000)"}},
	})
}

// Numbers of the paper.
const (
	najorkDays   = 58
	najorkCut    = 28        // days of the shorter crawl
	najorkFollow = 6.0 / 7.0 // 1 minus their jump probability
	// najorkPart is the share of the URLs that the graph of 28 days had: 217 of 351
	// million.
	najorkPart = 217.0 / 351.0
	// najorkTop is their top million as a share of the URLs.
	najorkTop = 1.0 / 351.0
	// najorkLinks is the number of links that a page that was not crawled needs to be in
	// their database.
	najorkLinks = 5
)

// daysHeader returns the header of these experiments.
func daysHeader(metric string, besides ...string) func(*experiment.Bench) []show.Field {
	plain := experiment.OrderHeader(append([]string{"breadth-first"}, besides...), "I = "+metric+" of the reachable pages, jump 1/7, mean 1", "a day is a 58th of the pages")
	return func(b *experiment.Bench) []show.Field { return withMercator(plain(b)) }
}

// dayOf returns the day, from 1, of each of n fetches.
func dayOf(n int) []int {
	days := make([]int, n)
	for k := range days {
		days[k] = 1 + k*najorkDays/n
	}
	return days
}

// A crawl58 is a course of 58 days; its first crawl is breadth-first.
type crawl58 struct {
	*experiment.Course
	days []int // of each fetch
}

// crawls58 crawls a place breadth-first, and under further policies. Importance is
// PageRank of the reachable pages and their links, as their database held the pages that
// they had crawled; by remote links only if requested.
func crawls58(b *experiment.Bench, p *experiment.Place, remote bool, policies ...string) ([]crawl58, error) {
	ranks := func(b *experiment.Bench, p *experiment.Place, seeds []graph.Page) (*measure.Truth, error) {
		o := b.TruthOptions(p)
		o.Follow, o.Remote, o.Within = najorkFollow, remote, p.World.Reach(seeds...).Order
		return b.Ranks(p, o)
	}
	courses, err := b.CoursesIn(p, ranks, wayOf(b, p), append([]string{"breadth-first"}, policies...)...)
	all := make([]crawl58, len(courses))
	for i, c := range courses {
		all[i] = crawl58{c, dayOf(c.Judge.Reachable())}
	}
	return all, err
}

// najorkFew is the number of reachable pages from which 58 days are distinguished.
const najorkFew = 58 * 5

// enoughDays runs an experiment at places where 58 days have enough pages.
func enoughDays(at func(*experiment.Run, *experiment.Place) error) func(*experiment.Run, *experiment.Place) error {
	return func(r *experiment.Run, p *experiment.Place) error {
		if p.Reach(p.Seeds) < najorkFew {
			r.Lacks(p.World.Name, fmt.Sprintf("fewer than %d pages can be reached", najorkFew))
			return nil
		}
		return at(r, p)
	}
}

// severalSites runs an experiment at places with several sites.
func severalSites(at func(*experiment.Run, *experiment.Place) error) func(*experiment.Run, *experiment.Place) error {
	return func(r *experiment.Run, p *experiment.Place) error {
		if !p.World.HasSites() {
			r.Lacks(p.World.Name, noSites)
			return nil
		}
		return at(r, p)
	}
}

// noSites is the reason why there are no results about links between sites.
const noSites = "it has no sites or one"

// inDays runs an experiment on the crawl of a place from its own seeds alone.
func inDays(at func(*experiment.Run, *crawl58) error) func(*experiment.Run, *experiment.Place) error {
	return enoughDays(func(r *experiment.Run, p *experiment.Place) error {
		crawls, err := crawls58(r.Once(), p, false)
		if err != nil {
			return err
		}
		return at(r, &crawls[0])
	})
}

// dayMeans returns the average importance of the pages of each day of a run.
func (c *crawl58) dayMeans(run int) ([]float64, error) {
	buckets := slices.Clone(c.days)
	for k := range buckets {
		buckets[k]--
	}
	by, err := c.Runs[run].Trial.PerBucket(buckets)
	if err != nil {
		return nil, err
	}
	means := make([]float64, najorkDays)
	for i, x := range by {
		means[i] = x.Mean
	}
	return means, nil
}

// firstDay returns how many pages are fetched on the first day.
func (c *crawl58) firstDay() int { return slices.Index(c.days, 2) }

// theirDay is the average PageRank that the paper gives for a day.
type theirDay struct {
	day  int
	mean float64
}

// figure1Days returns the numbers in the text about figure 1: the first and second day, then
// after one, two and four weeks.
func figure1Days() []theirDay {
	return []theirDay{{1, 7.04}, {2, 2.07}, {8, 1.08}, {15, 0.84}, {29, 0.59}}
}

// figure4Days returns the numbers in the text about figure 4.
func figure4Days() []theirDay {
	return []theirDay{{1, 12.1}, {2, 1.8}, {4, 1.0}, {58, 0.6}}
}

// fig1 shows the average PageRank by day.
func fig1(r *experiment.Run, p *experiment.Place) error {
	policies := []string{"random"}
	if p.World.HasSites() {
		policies = append(policies, "site-at-a-time")
	}
	crawls, err := crawls58(r.Bench, p, false, policies...)
	if err != nil {
		return err
	}
	s, own, err := daySection(r.Bench, crawls, figure1Days())
	if err != nil {
		return err
	}
	r.Show(s)
	r.Find(p.World.Name, fig1Findings(own)...)
	return nil
}

// fig1Findings states whether the average falls from the first quarter of the crawl over
// the second to the rest, about which the paper has no numbers, and whether the first day is
// the highest with three times the second.
func fig1Findings(days []float64) []experiment.Finding {
	q := quarters(days)
	times, later := days[0]/days[1], slices.Max(days[1:])
	return []experiment.Finding{
		experiment.Found(q[0] > q[1] && q[1] > (q[2]+q[3])/2, "means of the days by quarter %.2f, %.2f, %.2f, %.2f", q[0], q[1], q[2], q[3]),
		experiment.Found(times >= 3 && days[0] > later, "%.2f and %.2f, %.1f times, highest later day %.2f", days[0], days[1], times, later),
	}
}

// quarters returns the means of four equal parts of the days.
func quarters(days []float64) [4]float64 {
	var q [4]float64
	for i := range q {
		lo, hi := i*len(days)/4, (i+1)*len(days)/4
		q[i] = measure.Sum(days[lo:hi]) / float64(hi-lo)
	}
	return q
}

// daySection draws the averages by day and lists theirs next to ours. It returns those of
// breadth-first from the seeds of the place, too.
func daySection(b *experiment.Bench, crawls []crawl58, theirs []theirDay) (s show.Section, own []float64, err error) {
	c := crawls[0]
	chart := &plot.Chart{Title: c.Place.World.Name + ": average PageRank by day", XLabel: "day of crawl", YLabel: "average PageRank"}
	t := &show.Table{Columns: []show.Column{{Name: "day"}, {Name: "theirs"}}}
	var bySeeds [][]float64
	for run := range c.Runs {
		line, first, err := daySeries(b, crawls, run)
		if err != nil {
			return s, nil, err
		}
		line.Baseline = run > 0
		chart.Series, bySeeds = append(chart.Series, line), append(bySeeds, first)
		t.Columns = append(t.Columns, show.Column{Name: line.Name, Key: line.Name})
	}
	mean := chart.Series[0]
	if len(crawls) > 1 {
		t.Columns = append(t.Columns, []show.Column{{Name: "breadth-first over start sets", Key: "sets_mean"}, {Name: "low", Key: "sets_low"}, {Name: "high", Key: "sets_high"}}...)
	}
	for _, d := range theirs {
		row := []any{d.day, show.Num(d.mean, 2)}
		for _, means := range bySeeds {
			row = append(row, show.Num(means[d.day-1], 2))
		}
		if len(crawls) > 1 {
			row = append(row, show.Num(mean.Y[d.day-1], 2), show.Num(mean.Low[d.day-1], 2), show.Num(mean.High[d.day-1], 2))
		}
		t.Add(row...)
	}
	about := fmt.Sprintf("%d pages, %d of them on the first day.", len(c.days), c.firstDay())
	return show.Section{Title: c.Place.World.Name, Text: about + experiment.BandText(len(crawls)), Chart: chart, Table: t}, bySeeds[0], nil
}

// daySeries returns the averages by day of one policy: over start sets with its interval,
// and from the seeds of the place.
func daySeries(b *experiment.Bench, crawls []crawl58, run int) (s plot.Series, own []float64, err error) {
	all, x := make([][]float64, len(crawls)), make([]float64, najorkDays)
	for i := range crawls {
		if all[i], err = crawls[i].dayMeans(run); err != nil {
			return s, nil, err
		}
	}
	for d := range x {
		x[d] = float64(d + 1)
	}
	return b.Band(crawls[0].Runs[run].Policy, x, all), all[0], nil
}

// fig4 shows figure 1 by remote links only.
func fig4(r *experiment.Run, p *experiment.Place) error {
	remote, err := crawls58(r.Bench, p, true)
	if err != nil {
		return err
	}
	every, err := crawls58(r.Bench, p, false)
	if err != nil {
		return err
	}
	s, y, err := daySection(r.Bench, remote, figure4Days())
	if err != nil {
		return err
	}
	line, own, err := daySeries(r.Bench, every, 0)
	if err != nil {
		return err
	}
	s.Chart.Series[0].Name, line.Name = "remote links", "all links (figure 1)"
	s.Chart.Series = append(s.Chart.Series, experiment.Baseline(line))
	r.Show(s)
	steep, before := y[0]/y[1], own[0]/own[1]
	r.Find(p.World.Name, experiment.Found(y[0] > own[0] && steep > before,
		"%.2f and %.2f on the first two days, a ratio of %.1f, against %.2f and %.2f, a ratio of %.1f", y[0], y[1], steep, own[0], own[1], before))
	return nil
}

// fig2 shows the average day of the top N.
func fig2(r *experiment.Run, c *crawl58) error {
	when := make([]float64, len(c.days))
	for k, d := range c.days {
		when[k] = float64(d)
	}
	top, err := c.Runs[0].Trial.AverageWhen(when)
	if err != nil {
		return err
	}
	line := plot.Series{Name: "breadth-first"}
	for _, n := range measure.LogGrid(len(top), 10) {
		line.Add(float64(n), top[n-1].Mean)
	}
	mean, median := measure.Arrival(when)
	name := c.Place.World.Name
	chart := &plot.Chart{Title: name + ": average day of the top N", XLabel: "N", YLabel: "average day", LogX: true,
		Series: []plot.Series{line, {Name: "mean day of all", X: []float64{1, float64(len(top))}, Y: []float64{mean, mean}, Baseline: true}}}
	r.Show(show.Section{Title: name, Chart: chart, Table: fig2Table(c, top),
		Text: fmt.Sprintf("%d pages, %d of them on the first day; mean day %.1f, median %.0f (theirs: 24.5 and 22).", len(top), c.firstDay(), mean, median)})
	r.Find(name, fig2Finding(c, top, mean))
	return nil
}

// onFirstDay returns how many of the best n pages were fetched on the first day.
func (c *crawl58) onFirstDay(n int) int {
	first, count := make([]bool, c.World.Pages()), 0
	for _, p := range c.Runs[0].Result.Order[:c.firstDay()] {
		first[p] = true
	}
	for _, p := range c.Judge.Ranked()[:n] {
		if first[p] {
			count++
		}
	}
	return count
}

// fig2Table returns a table of the top 10, 100 and so on, and of shares of all pages.
func fig2Table(c *crawl58, top []measure.TopWhen) *show.Table {
	t := &show.Table{Columns: []show.Column{{Name: "top"}, {Name: "N", Key: "n"}, {Name: "on the first day, theirs", Key: "first_theirs"}, {Name: "ours", Key: "first"}, {Name: "at most", Key: "first_possible"}, {Name: "average day, theirs", Key: "day_theirs"}, {Name: "ours", Key: "day"}}}
	add := func(name string, n int, first, day any) {
		if n >= 1 && n <= len(top) {
			t.Add(name, n, first, c.onFirstDay(n), min(n, c.firstDay()), day, show.Num(top[n-1].Mean, 2))
		}
	}
	add("10", 10, 10, show.Num(1, 2))
	add("100", 100, 91, show.None())
	add("300", 300, show.None(), "2 to 3")
	for _, of := range []float64{0.001, 0.01, 0.1, 0.5} {
		add(plot.Number(100*of)+" %", measure.PagesAt(of, len(top)), show.None(), show.None())
	}
	add("all", len(top), show.None(), show.Num(24.5, 2))
	return t
}

// fig2Finding states whether the average day rises from the top 10 over the best
// hundredth and tenth to all.
func fig2Finding(c *crawl58, top []measure.TopWhen, mean float64) experiment.Finding {
	n := len(top)
	at := []float64{top[min(10, n)-1].Mean, top[measure.PagesAt(0.01, n)-1].Mean, top[measure.PagesAt(0.1, n)-1].Mean, mean}
	return experiment.Found(slices.IsSorted(at) && at[0] < mean,
		"average day %.1f of the top 10, %.1f of the best 1 %%, %.1f of 10 %%, %.1f of all; %d of the top 10 and %d of the top 100 on the first day",
		at[0], at[1], at[2], at[3], c.onFirstDay(min(10, n)), c.onFirstDay(min(100, n)))
}
