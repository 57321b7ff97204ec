package castillo04

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// fetchersLimit is the most pages of one crawl of figure 4.7.
const fetchersLimit = 200_000

// fetchers shows figure 4.7: what several fetchers do to the order.
func fetchers(r *experiment.Run, p *experiment.Place) error {
	names, rs := []string{"breadth-first", "larger-sites-first"}, thesisFetchers()
	runs, err := timed(r.Bench, p, experiment.ByPageRank, len(names)*len(rs), func(i int, s *lab.Setting) string {
		s.Fetchers, s.MaxPages = rs[i%len(rs)], fetchersLimit
		return names[i/len(rs)]
	})
	if err != nil {
		return err
	}
	t := &show.Table{Columns: head("strategy", "r", "average", "difference to r = 1, points", "half of PageRank after, % of pages", "time, h", "most active at once")}
	chart := shareChart("Cumulative PageRank, " + p.World.Name)
	for i, run := range runs {
		m, r := run.Measures, rs[i%len(rs)]
		t.Add(run.Policy, r, show.Num(m.Average, 4), show.Num(100*(m.Average-runs[i-i%len(rs)].Measures.Average), 2),
			show.NumOf(m.PagesFor50, 100, 1), show.Num(run.Result.Took.Hours(), 2), run.Result.Trace.Peak())
		chart.Series = append(chart.Series, shareSeries(fmt.Sprintf("%s, r = %d", run.Policy, r), run.Trial.Cumulative()))
	}
	n := runs[0].Measures.Reachable
	chart.Series = append(chart.Series, experiment.Baseline(shareSeries("ideal", runs[0].Trial.Ideal())), shareDiagonal(n))
	r.Show(show.Section{Title: p.World.Name, Text: fmt.Sprintf("T = %s on %s.", show.Counted(n, "page"), show.Counted(p.World.Sites(), "site")), Chart: chart, Table: t})
	r.Find(p.World.Name, fetchersFinding(runs))
	return nil
}

// improves is by how much an average has to rise to be called better: half a point.
const improves = 0.005

// fetchersFinding compares the averages with most fetchers and with one. Where delays
// and not fetchers are the limit, r = 1 takes as long and fetches in much the same order.
func fetchersFinding(runs []*lab.Run) experiment.Finding {
	n := len(thesisFetchers())
	one, most := runs[0], runs[n-1]
	bfs := most.Measures.Average - one.Measures.Average
	lsf := runs[2*n-1].Measures.Average - runs[n].Measures.Average
	return experiment.Found(bfs >= improves && math.Abs(lsf) <= 0.01,
		"from r = 1 to 256 breadth-first %+.1f and larger-sites-first %+.1f points, at most %d fetchers active, time from %.1f to %.1f h",
		100*bfs, 100*lsf, most.Result.Trace.Peak(), one.Result.Took.Hours(), most.Result.Took.Hours())
}

// A speedRow is a row of table 4.2: bandwidth in bytes per second and the speed-up with
// r = 1, 64 and 256.
type speedRow struct {
	bandwidth float64
	theirs    [3]float64
}

func thesisSpeedUps() []speedRow {
	return []speedRow{
		{200, [3]float64{0.2, 1.6, 3.0}},
		{2_000, [3]float64{0.7, 3.8, 16.0}},
		{20_000, [3]float64{1.0, 27.0, 83.3}},
		{200_000, [3]float64{1.0, 43.0, 114.1}},
		{2_000_000, [3]float64{1.0, 54.3, 204.3}},
		{20_000_000, [3]float64{1.0, 54.6, 220.1}},
	}
}

// speedLimit is the most pages of one cell, and speedPart of how many of those that can be
// reached one is fetched. A crawl to the end takes as long as its largest site, for any r;
// the thesis had too many sites for this to show.
const (
	speedLimit = 20_000
	speedPart  = 4
)

// speedUps holds the 18 cells of one place.
type speedUps struct {
	place *experiment.Place
	hours [][]float64 // by bandwidth, then r
	most  [][]float64 // hours until 99 % of the pages were there: a few slow answers do not count
	bytes [][]float64 // of all pages: the crawls stop early, on different pages
	pages int
	fetch float64 // seconds of a fetch with r = 1 and the widest line, in the mean
	// With r = 256 and the widest line: pages of the site that had most of them, and
	// fetchers active at once.
	largest, peak int
	tail          measure.Tail // its last 1 %
	lost          int          // pages that all cells gave up
}

// table2 shows table 4.2 and figure 4.8.
func table2(r *experiment.Run, p *experiment.Place) error {
	rows, rs := thesisSpeedUps(), thesisFetchers()
	pages := max(1, min(speedLimit, p.Reach(p.Seeds)/speedPart))
	runs, err := timed(r.Bench, p, experiment.Unmeasured, len(rows)*len(rs), func(i int, s *lab.Setting) string {
		s.Fetchers, s.MaxPages, s.Bandwidth = rs[i%len(rs)], pages, int64(rows[i/len(rs)].bandwidth)
		return "larger-sites-first"
	})
	if err != nil {
		return err
	}
	s := &speedUps{place: p}
	for line := range slices.Chunk(runs, len(rs)) {
		var h, m, n []float64
		for _, c := range line {
			h, m, n = append(h, c.Result.Took.Hours()), append(m, mostHours(c.Result)), append(n, allBytes(c.Result))
			s.lost += c.Result.Lost
		}
		s.hours, s.most, s.bytes = append(s.hours, h), append(s.most, m), append(s.bytes, n)
	}
	one, most := runs[len(runs)-len(rs)].Result, runs[len(runs)-1].Result
	s.pages, s.fetch = len(one.Order), perPage(one)
	s.largest, s.peak, s.tail = slices.Max(sitesOf(p, most.Order)), most.Trace.Peak(), lastHundredth(p, most)
	r.Show(s.section())
	r.Find(p.World.Name, s.finding())
	return nil
}

// lastHundredth returns the end of a crawl.
func lastHundredth(p *experiment.Place, r *sim.Result) measure.Tail {
	when := make([]float64, len(r.End))
	for i, t := range r.End {
		when[i] = t.Hours()
	}
	return measure.Tails(when, func(i int) int { return int(p.World.Sim.SiteOf[r.Order[i]]) }, 0.01)[0]
}

// mostHours returns the time until 99 % of the pages were there.
func mostHours(r *sim.Result) float64 {
	ends := slices.Sorted(slices.Values(r.End))
	return ends[max(1, len(ends)-measure.PagesAt(0.01, len(ends)))-1].Hours()
}

// allBytes returns what a crawl transferred.
func allBytes(r *sim.Result) float64 {
	var sum int64
	for _, n := range r.Bytes {
		sum += n
	}
	return float64(sum)
}

// used returns the share of the time of a cell that its bytes take on its line.
func (s *speedUps) used(row, k int) float64 {
	return s.bytes[row][k] / (thesisSpeedUps()[row].bandwidth * s.hours[row][k] * 3600)
}

// unit returns the time of one fetcher with the widest line, in hours.
func (s *speedUps) unit() float64 { return s.hours[len(s.hours)-1][0] }

// times returns the speed-up of a cell.
func (s *speedUps) times(row, k int) float64 { return s.unit() / s.hours[row][k] }

// timesMost returns the speed-up of a cell by the time until 99 % of the pages were there.
func (s *speedUps) timesMost(row, k int) float64 {
	return s.most[len(s.most)-1][0] / s.most[row][k]
}

// waiting returns the time of a fetcher that waits out w after every page, in hours.
func (s *speedUps) waiting() float64 {
	return float64(s.pages) * (experiment.ThesisDelay.Seconds() + s.fetch) / 3600
}

// ifWaiting returns the most that r fetchers of that kind can be faster than one: not
// more than r, and not more than fetchers that do something else in the meantime are.
func (s *speedUps) ifWaiting(row, k int) float64 {
	return min(float64(thesisFetchers()[k]), s.waiting()/s.hours[row][k])
}

// chain returns what the largest site alone takes: its pages, each w after the other.
func (s *speedUps) chain() float64 {
	return float64(s.largest-1) * experiment.ThesisDelay.Seconds() / 3600
}

// allows returns the speed-up that the largest site allows.
func (s *speedUps) allows() string {
	if s.largest < 2 {
		return "any speed-up"
	}
	return fmt.Sprintf("%.1f", s.unit()/s.chain())
}

func (s *speedUps) section() show.Section {
	t := &show.Table{Columns: head("bandwidth, B/s")}
	c := &plot.Chart{Title: "Speed-up, " + s.place.World.Name, XLabel: "bandwidth, B/s", YLabel: "speed-up", LogX: true, LogY: true}
	for _, r := range thesisFetchers() {
		t.Columns = append(t.Columns, head(fmt.Sprintf("r = %d (theirs)", r), fmt.Sprintf("r = %d", r), fmt.Sprintf("r = %d, to 99 %% of the pages", r), fmt.Sprintf("r = %d at most, if fetchers wait", r))...)
		c.Series = append(c.Series, plot.Series{Name: fmt.Sprintf("r = %d", r)}, plot.Series{Name: fmt.Sprintf("r = %d, thesis", r), Baseline: true})
	}
	t.Columns = append(t.Columns, head("line in use with r = 256, %")...)
	for i, row := range thesisSpeedUps() {
		cells := []any{int(row.bandwidth)}
		for k, theirs := range row.theirs {
			cells = append(cells, show.Num(theirs, 1), show.Num(s.times(i, k), 3), show.Num(s.timesMost(i, k), 3), show.Num(s.ifWaiting(i, k), 2))
			c.Series[2*k].Add(row.bandwidth, s.times(i, k))
			c.Series[2*k+1].Add(row.bandwidth, theirs)
		}
		t.Add(append(cells, show.Num(100*s.used(i, 2), 1))...)
	}
	return show.Section{Title: s.place.World.Name, Text: s.text(), Chart: c, Table: t}
}

// text explains the speed-ups with numbers.
func (s *speedUps) text() string {
	last, pages := len(s.hours)-1, float64(s.pages)
	return text("table2-why",
		s.pages, s.bytes[last][0]/pages/1000, s.fetch, s.unit(), s.largest, s.chain(), s.allows(), s.peak, show.Counted(s.place.World.Sites(), "site"),
		s.unit()*3600/pages, s.waiting()*3600/pages, s.ifWaiting(last, 2), s.times(last, 2),
		s.tail.Pages, 100*s.tail.Time, show.Counted(s.tail.Sites, "site"), s.times(last, 2), s.timesMost(last, 2), show.Counted(s.lost, "page"),
		s.used(0, 0)*s.hours[0][0], s.hours[0][0], s.used(0, 2)*s.hours[0][2], s.hours[0][2], s.times(0, 0), s.times(0, 2))
}

// Tolerances of the finding.
const (
	speedSlack = 1.1 // crawls that stop early differ in their pages
	saturates  = 0.2 // what ten times the bandwidth may add at the end
	fullLine   = 0.9 // share of a line in use from which on more fetchers are of no use
)

// finding judges the shape: growing with r (r = 256 at least doubles the speed on the
// widest line), less than linearly, saturating. It goes by the time until 99 % of the pages
// were there: the last answer of thousands decides a longer time.
func (s *speedUps) finding() experiment.Finding {
	last := len(s.hours) - 1
	gain := s.most[last-1][2]/s.most[last][2] - 1
	holds := gain < saturates && s.timesMost(last, 2) >= 2
	for i, h := range s.most {
		for k, r := range thesisFetchers() {
			holds = holds && s.timesMost(i, k) <= float64(r)*speedSlack && (k == 0 || s.used(i, k) >= fullLine || h[k] <= h[k-1]*speedSlack)
		}
	}
	return experiment.Found(holds, "with the widest line %.1f for r = 64 and %.1f for r = 256 until 99 %% of the pages were there, %.1f and %.1f to the last page, theirs 54.6 and 220.1; r = 256 has %.1f over a tenth of that line, theirs 204.3; its largest site allows %s, and %d fetchers were active at most",
		s.timesMost(last, 1), s.timesMost(last, 2), s.times(last, 1), s.times(last, 2), s.timesMost(last-1, 2), s.allows(), s.peak)
}

// theirLine checks the thesis' table against a line that conserves bytes.
//
// With r = 1 the speed-up at bandwidth B is T0 / (T0 + bytes/B) for a page, so each cell of
// that column gives the bytes of a page in units of T0 B; and for any r, a page takes at
// least bytes/B of the line, which bounds the speed-up by T0 B / bytes.
func theirLine(r *experiment.Run) error {
	t := &show.Table{Columns: head("bandwidth, B/s", "r = 1 (theirs)", "bytes per page it implies, kB", "most that any r can reach", "r = 64 (theirs)", "r = 256 (theirs)", "r = 256 beyond the line, times")}
	rows, w := thesisSpeedUps(), experiment.ThesisDelay.Seconds()
	bytes := func(row speedRow) float64 { return w * (1/row.theirs[0] - 1) * row.bandwidth }
	for _, row := range rows {
		implied, beyond := show.None(), show.None()
		if row.theirs[0] < 1 {
			implied = show.Num(bytes(row)/1000, 1)
		}
		bound := w * row.bandwidth / bytes(rows[0])
		if row.theirs[2] > bound {
			beyond = show.Num(row.theirs[2]/bound, 1)
		}
		t.Add(int(row.bandwidth), show.Num(row.theirs[0], 1), implied, show.Brief(bound), show.Num(row.theirs[1], 1), show.Num(row.theirs[2], 1), beyond)
	}
	r.Show(show.Section{Title: "Theirs against a line that conserves bytes", Text: text("table2-line"), Table: t})
	return nil
}

// endsLimit is the most pages of a crawl about batches, pacesLimit about connections.
const (
	endsLimit  = 20_000
	pacesLimit = 50_000
)

// A batchWay is a way to crawl in batches.
type batchWay struct {
	name      string
	mode      frontier.Mode
	minActive bool
	spread    bool // one page of a site in a batch at most
}

func batchWays() []batchWay {
	return []batchWay{
		{name: "thesis: wait for the last page", mode: frontier.Thesis},
		{name: "thesis, stopped early", mode: frontier.Thesis, minActive: true},
		{name: "ahead", mode: frontier.Ahead},
		{name: "ahead, one page of a site in a batch", mode: frontier.Ahead, spread: true},
		{name: "continuous", mode: frontier.Continuous},
	}
}

// batchEnds tests the last paragraph of 4.4. There are as many batches as in the
// thesis, also where the crawl is cut short, and one fetcher for eight sites, so that a
// crawl has more sites than fetchers as the thesis' had, at least 2 and at most 256.
func batchEnds(r *experiment.Run, p *experiment.Place) error {
	ways, fetchers := batchWays(), min(256, max(2, p.World.Sites()/8))
	k := experiment.Batch(min(endsLimit, p.Reach(p.Seeds)))
	runs, err := timed(r.Bench, p, experiment.Unmeasured, len(ways), func(i int, s *lab.Setting) string {
		s.Fetchers, s.MaxPages, s.Frontier.Mode, s.Frontier.Batch = fetchers, endsLimit, ways[i].mode, k
		if ways[i].minActive {
			s.Frontier.MinActive = max(1, fetchers/4)
		}
		if ways[i].spread {
			s.Frontier.SiteShare = 1 / float64(k)
		}
		return "breadth-first"
	})
	if err != nil {
		return err
	}
	t := &show.Table{Columns: head("batches", "time, h", "active, % of fetcher time", "idle, fetcher-hours", "idle saved, %", "utilisation against continuous, %", "sites of K pages in a row")}
	c := &plot.Chart{Title: "Active fetchers over the crawl, " + p.World.Name, XLabel: "hours", YLabel: "active fetchers"}
	var idle, use, together []float64
	continuous := busyShare(runs[len(runs)-1].Result)
	for i, run := range runs {
		busy := busyShare(run.Result)
		idle, use = append(idle, idleHours(run.Result)), append(use, busy/continuous)
		together = append(together, sitesInARow(p, run.Result.Order, k))
		t.Add(ways[i].name, show.Num(run.Result.Took.Hours(), 3), show.Num(100*busy, 1), show.Num(idle[i], 2),
			show.Num(100*(1-idle[i]/idle[0]), 1), show.Num(100*busy/continuous, 1), show.Num(together[i], 1))
		s := plot.Series{Name: ways[i].name}
		for _, q := range run.Result.Trace.Points() {
			s.Add(q.From.Hours(), q.Active)
		}
		c.Series = append(c.Series, s)
	}
	r.Show(show.Section{Title: p.World.Name, Chart: c, Table: t,
		Text: fmt.Sprintf("r = %d fetchers for %s, K = %d; %s.", fetchers, show.Counted(p.World.Sites(), "site"), k, show.Counted(len(runs[0].Result.Order), "page"))})
	saved := 1 - idle[1]/idle[0]
	r.Find(p.World.Name, experiment.Found(saved >= 0.30, "%s saved, %.1f to %.1f h", pct(saved), idle[0], idle[1]),
		experiment.Found(max(use[2], use[3]) >= 0.95, "%s, with one page of a site in a batch %s; %d pages in a row lie on %.0f and %.0f sites, without batches on %.0f",
			pct(use[2]), pct(use[3]), k, together[2], together[3], together[4]))
	return nil
}

// idleHours returns the fetcher-hours that fetchers were idle for, until the last page was
// handed out.
func idleHours(r *sim.Result) float64 {
	idle := r.Trace.Total().Idle
	idle[sim.Limit] = 0
	return measure.Sum(idle[:]) / 3600
}

// busyShare returns the share of their time that fetchers are active for.
func busyShare(r *sim.Result) float64 {
	active := r.Trace.Total().Active
	return active / (active + idleHours(r)*3600)
}

// sitesInARow returns on how many sites k pages in a row lie, in the mean over the crawl.
func sitesInARow(p *experiment.Place, order []graph.Page, k int) float64 {
	sites, stretches := 0, 0
	for ; len(order) >= k; order = order[k:] {
		sites += len(sitesOf(p, order[:k]))
		stretches++
	}
	return measure.Share(sites, stretches)
}

// A pace is a delay with a number of pages per connection.
type pace struct {
	delay time.Duration
	per   int
}

// paces returns w = 15 s with several c, each before its equal by the thesis, (w/c, 1).
func paces() []pace {
	return []pace{{experiment.ThesisDelay, 1}, {experiment.ThesisDelay, 10}, {experiment.ThesisDelay / 10, 1}, {experiment.ThesisDelay, 100}, {experiment.ThesisDelay / 100, 1}}
}

// equivalence tests "increasing the number of pages that are downloaded in the same
// connection is equivalent to reducing w" (4.4).
func equivalence(r *experiment.Run, p *experiment.Place) error {
	all := paces()
	crawls, err := timed(r.Bench, p, experiment.Unmeasured, len(all), func(i int, s *lab.Setting) string {
		s.Fetchers, s.MaxPages = 256, pacesLimit
		s.Frontier.Delay, s.Frontier.PerConnection = all[i].delay, all[i].per
		return "larger-sites-first"
	})
	if err != nil {
		return err
	}
	t := &show.Table{Columns: head("w, s", "c", "time, h", "seconds of a fetch", "against (w/c, 1), %")}
	var runs []*sim.Result
	var hours, fetch []float64
	for _, c := range crawls {
		runs, hours, fetch = append(runs, c.Result), append(hours, c.Result.Took.Hours()), append(fetch, perPage(c.Result))
	}
	for i, q := range all {
		off := show.Cell{}
		if q.per > 1 {
			off = show.Num(100*differs(runs, i), 1)
		}
		t.Add(show.Brief(q.delay.Seconds()), q.per, show.Num(hours[i], 3), show.Num(fetch[i], 3), off)
	}
	x := []float64{1, 10, 100}
	c := &plot.Chart{Title: "Time of the crawl, " + p.World.Name, XLabel: "c", YLabel: "hours", LogX: true, LogY: true, Series: []plot.Series{
		{Name: "w = 15 s, c pages per connection", X: x, Y: []float64{hours[0], hours[1], hours[3]}},
		{Name: "w = 15 s / c, one page", X: x, Y: []float64{hours[0], hours[2], hours[4]}},
	}}
	r.Show(show.Section{Title: p.World.Name, Chart: c, Table: t, Text: text("connections",
		show.Counted(len(runs[0].Order), "page"), show.Counted(p.World.Sites(), "site"), fetch[1], fetch[2], 100*(fetch[2]-fetch[1])/(fetch[2]+all[2].delay.Seconds()))})
	r.Find(p.World.Name, paceFinding(runs))
	return nil
}

// perPage returns the mean seconds of a fetch.
func perPage(r *sim.Result) float64 {
	took := make([]float64, len(r.Start))
	for i := range took {
		took[i] = (r.End[i] - r.Start[i]).Seconds()
	}
	return measure.Sum(took) / float64(len(took))
}

// differs returns by how much the total time of (w, c) is off that of (w/c, 1).
func differs(runs []*sim.Result, i int) float64 {
	return runs[i].Took.Seconds()/runs[i+1].Took.Seconds() - 1
}

func paceFinding(runs []*sim.Result) experiment.Finding {
	ten, hundred := differs(runs, 1), differs(runs, 3)
	return experiment.Found(max(ten, -ten, hundred, -hundred) <= 0.10, "%+.1f %% with c = 10, %+.1f %% with c = 100; a fetch takes %.2f s with c = 10, %.2f s with c = 1",
		100*ten, 100*hundred, perPage(runs[1]), perPage(runs[2]))
}
