package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

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

// speedLimit is the most pages of one cell, and speedPart of how many of those that can
// be reached one is fetched. A crawl to the end takes as long as its largest site,
// whatever r is; the thesis had so many sites that this did not show.
const (
	speedLimit = 20_000
	speedPart  = 4
)

// speedPages is the number of pages of one cell.
func speedPages(p *Place) int {
	n := len(measure.Reach(p.World.Sim.Out, p.Seeds).Order)
	return max(1, min(speedLimit, n/speedPart))
}

// speedUps is the 18 cells of one place.
type speedUps struct {
	place *Place
	hours [][]float64 // by bandwidth, then r
	bytes [][]float64 // of all pages: the crawls stop early, on different pages
	pages int
	fetch float64 // seconds of a fetch with r = 1 and the widest line, in the mean
	// With r = 256 and the widest line: pages of the site that had most of them, and
	// fetchers active at once.
	largest, peak int
}

// castilloSpeedUp is table 4.2 and figure 4.8 (X26, P20).
func castilloSpeedUp(b *Bench) (*show.Report, error) {
	places, skipped, err := placesWithSites(b, 2)
	if err != nil {
		return nil, err
	}
	rep := &show.Report{Header: castilloHeader(b, places, timeField("1, 64, 256"),
		show.Field{Name: "policy", Value: "larger-sites-first"}, show.Field{Name: "limit", Value: fmt.Sprintf("one page of %d in each cell, at most %d", speedPart, speedLimit)})}
	rep.Intro = append([]string{"Thesis: speed-ups grow with r, less than linearly, and saturate with bandwidth. The unit is the time of r = 1 with the widest line, which has 1.0 in the thesis too."}, skipped...)
	rep.Sections = append(rep.Sections, theirLineSection())
	var found []finding
	for i, p := range places {
		b.say(i, len(places), "%s: 18 crawls", p.World.Name)
		s, err := b.speedUpsAt(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
		rep.Sections, found = append(rep.Sections, s.section()), append(found, s.finding())
	}
	rep.Verdict = verdict("speed-up grows with r (to at least 2 with r = 256), stays below r and saturates with bandwidth, to a tenth", found)
	return rep, nil
}

func (b *Bench) speedUpsAt(p *Place) (*speedUps, error) {
	rows, rs := thesisSpeedUps(), thesisFetchers()
	runs, pages := make([]*lab.Run, len(rows)*len(rs)), speedPages(p)
	err := b.inParallel(len(runs), func(i int) error {
		set, err := polite(p.Setting(b, nil), rs[i%len(rs)])
		if err != nil {
			return err
		}
		set.MaxPages, set.Bandwidth = pages, rows[i/len(rs)].bandwidth
		runs[i], err = b.crawl(set, "larger-sites-first")
		return err
	})
	if err != nil {
		return nil, err
	}
	s := &speedUps{place: p}
	for i := range rows {
		var h, n []float64
		for k := range rs {
			r := runs[i*len(rs)+k].Result
			h, n = append(h, r.Took.Hours()), append(n, allBytes(r))
		}
		s.hours, s.bytes = append(s.hours, h), append(s.bytes, n)
	}
	s.describe(runs[len(runs)-len(rs)], runs[len(runs)-1])
	return s, nil
}

// describe takes what explains the numbers from the crawls with the widest line.
func (s *speedUps) describe(one, most *lab.Run) {
	s.pages, s.fetch = len(one.Result.Order), perPage(one.Result)
	s.largest = slices.Max(sitesOf(s.place.World, most.Result.Order))
	s.peak = most.Result.Trace.Peak()
}

// allBytes is what a crawl transferred.
func allBytes(r *sim.Result) float64 {
	var sum int64
	for _, n := range r.Bytes {
		sum += n
	}
	return float64(sum)
}

// used is the share of the time of a cell that its bytes take on its line.
func (s *speedUps) used(row, k int) float64 {
	return s.bytes[row][k] / (thesisSpeedUps()[row].bandwidth * s.hours[row][k] * 3600)
}

// unit is the time of one fetcher with the widest line, in hours.
func (s *speedUps) unit() float64 { return s.hours[len(s.hours)-1][0] }

// waiting is the time of a fetcher that waits out w after every page, in hours.
func (s *speedUps) waiting() float64 {
	return float64(s.pages) * (thesisDelay.Seconds() + s.fetch) / 3600
}

// ifWaiting is the most that r fetchers of that kind can be faster than one: not more
// than r, and not more than fetchers that do something else in the meantime are.
func (s *speedUps) ifWaiting(row, k int) float64 {
	return min(float64(thesisFetchers()[k]), s.waiting()/s.hours[row][k])
}

// chain is what the largest site alone takes: its pages, each w after the other.
func (s *speedUps) chain() float64 {
	return float64(s.largest-1) * thesisDelay.Seconds() / 3600
}

// allows is the speed-up that the largest site lets happen.
func (s *speedUps) allows() string {
	if s.largest < 2 {
		return "any speed-up"
	}
	return fmt.Sprintf("%.1f", s.unit()/s.chain())
}

func (s *speedUps) section() show.Section {
	t := &show.Table{Columns: head("bandwidth, B/s")}
	for _, r := range thesisFetchers() {
		t.Columns = append(t.Columns, head(fmt.Sprintf("r = %d (theirs)", r), fmt.Sprintf("r = %d", r), fmt.Sprintf("r = %d at most, if fetchers wait", r))...)
	}
	t.Columns = append(t.Columns, head("line in use with r = 256, %")...)
	c := &plot.Chart{Title: "Speed-up, " + s.place.World.Name, XLabel: "bandwidth, B/s", YLabel: "speed-up", LogX: true, LogY: true}
	for k, r := range thesisFetchers() {
		c.Series = append(c.Series, plot.Series{Name: fmt.Sprintf("r = %d", r)}, plot.Series{Name: fmt.Sprintf("r = %d, thesis", r), Baseline: true})
		for i, row := range thesisSpeedUps() {
			ours, theirs := &c.Series[2*k], &c.Series[2*k+1]
			ours.X, ours.Y = append(ours.X, row.bandwidth), append(ours.Y, s.unit()/s.hours[i][k])
			theirs.X, theirs.Y = append(theirs.X, row.bandwidth), append(theirs.Y, row.theirs[k])
		}
	}
	for i, row := range thesisSpeedUps() {
		cells := []show.Cell{show.Count(int(row.bandwidth))}
		for k, theirs := range row.theirs {
			cells = append(cells, show.Num(theirs, 1), show.Num(s.unit()/s.hours[i][k], 3), show.Num(s.ifWaiting(i, k), 2))
		}
		t.Rows = append(t.Rows, append(cells, show.Num(100*s.used(i, 2), 1)))
	}
	return show.Section{Title: s.place.World.Name, Text: s.text(), Chart: c, Table: t}
}

// text says with numbers why the speed-ups are what they are.
func (s *speedUps) text() string {
	last := len(s.hours) - 1
	parts := []string{fmt.Sprintf(
		"%d pages, %.1f kB and %.2f s each with r = 1 and the widest line, where the crawl takes %.2f h: the unit. With r = 256 the largest site has %d of the pages; with w between them they take %.2f h (the speed-up that allows: %s). At most %d fetchers were active at once, on %s.",
		s.pages, s.bytes[last][0]/float64(s.pages)/1000, s.fetch, s.unit(), s.largest, s.chain(), s.allows(), s.peak, show.Counted(s.place.World.Sites(), "site"))}
	parts = append(parts, fmt.Sprintf(
		"A fetcher here turns to another site while one waits for w, so r = 1 needs %.2f s a page. The fetchers of the thesis seem to wait out w with their site, which is %.2f s a page. \"If fetchers wait\" has that as the unit, and is what r such fetchers can reach at most: r, or what ours reach. With r = 256 and the widest line that is %.1f, theirs is 220.1, ours %.1f.",
		s.unit()*3600/float64(s.pages), s.waiting()*3600/float64(s.pages), s.ifWaiting(last, 2), s.unit()/s.hours[last][2]))
	return strings.Join(append(parts, s.lineText()), "\n\n")
}

// lineText is the check of theirLineSection by our numbers.
func (s *speedUps) lineText() string {
	return fmt.Sprintf(
		"Our line conserves bytes: at 200 B/s the bytes alone take %.1f h of the %.1f h with r = 1, and %.1f h of the %.1f h with r = 256, so that the speed-ups are %.4f and %.4f.",
		s.used(0, 0)*s.hours[0][0], s.hours[0][0], s.used(0, 2)*s.hours[0][2], s.hours[0][2], s.unit()/s.hours[0][0], s.unit()/s.hours[0][2])
}

// Tolerances of the finding.
const (
	speedSlack = 1.1 // crawls that stop early differ in their pages
	saturates  = 0.2 // what ten times the bandwidth may add at the end
	fullLine   = 0.9 // share of a line in use from which on more fetchers are of no use
)

// finding judges the shape: growing with r (r = 256 at least doubles the speed on the
// widest line), less than linearly, saturating.
func (s *speedUps) finding() finding {
	last := len(s.hours) - 1
	f := finding{place: s.place.World.Name, holds: true}
	for i, h := range s.hours {
		for k, r := range thesisFetchers() {
			f.holds = f.holds && s.unit()/h[k] <= float64(r)*speedSlack
			f.holds = f.holds && (k == 0 || s.used(i, k) >= fullLine || h[k] <= h[k-1]*speedSlack)
		}
	}
	gain := s.hours[last-1][2]/s.hours[last][2] - 1
	f.holds = f.holds && gain < saturates && s.unit()/s.hours[last][2] >= 2
	f.numbers = fmt.Sprintf("with the widest line %.1f for r = 64 and %.1f for r = 256, theirs 54.6 and 220.1; its largest site allows %s, and %d fetchers were active at most",
		s.unit()/s.hours[last][1], s.unit()/s.hours[last][2], s.allows(), s.peak)
	return f
}

// theirLineSection checks the thesis' table against a line that conserves bytes.
//
// With r = 1 the speed-up at bandwidth B is T0 / (T0 + bytes/B) for a page, so each
// cell of that column tells the bytes of a page in units of T0 B; and whatever r is, a
// page takes at least bytes/B of the line, which bounds the speed-up by T0 B / bytes.
func theirLineSection() show.Section {
	w := thesisDelay.Seconds()
	t := &show.Table{Columns: head("bandwidth, B/s", "r = 1 (theirs)", "bytes per page it implies, kB", "most that any r can reach", "r = 64 (theirs)", "r = 256 (theirs)", "r = 256 beyond the line, times")}
	rows := thesisSpeedUps()
	slow := rows[0]
	bytes := w * (1/slow.theirs[0] - 1) * slow.bandwidth
	for _, r := range rows {
		implied := show.None()
		if r.theirs[0] < 1 {
			implied = show.Num(w*(1/r.theirs[0]-1)*r.bandwidth/1000, 1)
		}
		bound := w * r.bandwidth / bytes
		beyond := show.None()
		if r.theirs[2] > bound {
			beyond = show.Num(r.theirs[2]/bound, 1)
		}
		t.Rows = append(t.Rows, []show.Cell{show.Count(int(r.bandwidth)), show.Num(r.theirs[0], 1), implied, show.Brief(bound), show.Num(r.theirs[1], 1), show.Num(r.theirs[2], 1), beyond})
	}
	all := slow.theirs[2]
	return show.Section{
		Title: "Theirs against a line that conserves bytes",
		Text: fmt.Sprintf("At 200 B/s r = 256 has a speed-up of %.1f in the thesis, so all bytes pass the line within T0/%.1f; one fetcher then needs at most T0 + T0/%.1f, a speed-up of at least %.2f, but the table says %.1f. The column r = 1 fits a page of %.1f kB (by 200 B/s) or %.1f kB (by 2,000 B/s) and a fetcher that waits out w = 15 s after each; with such pages no r could be above %.2f at 200 B/s. So the thesis' cells with several fetchers at small bandwidths have more bytes than the line carries, and ours cannot agree with them.",
			all, all, all, all/(1+all), slow.theirs[0], bytes/1000, w*(1/rows[1].theirs[0]-1)*rows[1].bandwidth/1000, w*slow.bandwidth/bytes),
		Table: t,
	}
}

// sitesOf counts the pages of each site that has some, in the order of the sites.
func sitesOf(w *lab.World, pages []graph.Page) []int {
	n := make([]int, w.Sites())
	for _, p := range pages {
		n[w.Sim.SiteOf[p]]++
	}
	var some []int
	for _, k := range n {
		if k > 0 {
			some = append(some, k)
		}
	}
	return some
}
