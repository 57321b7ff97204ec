package castillo04

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/stats"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A middleBatch is the batch in which a crawl in batches fetches the page in the middle
// of all, under the thesis' barrier: it is fetched whole before the next is chosen, so
// its pages are a stretch of the crawl. It is chosen without a model of time, so that the
// same pages can be fetched under any conditions.
type middleBatch struct {
	place  *experiment.Place
	pages  []graph.Page
	number int // of the batch, from 1
	k      int
	reach  []graph.Page // all pages that can be reached
}

// A fetchedBatch is a batch with how it was fetched.
type fetchedBatch struct {
	*middleBatch
	spans [][2]time.Duration // start and end of each fetch, since the batch was chosen
	took  time.Duration
	tail  []measure.Tail
	lost  int // pages that were given up
}

// middle crawls breadth-first in batches of T/30 pages up to the middle.
func middle(b *experiment.Bench, p *experiment.Place, s lab.Setting) (*middleBatch, error) {
	c, err := b.Prepare(p, s)
	if err != nil {
		return nil, err
	}
	n := len(c.Tree.Order)
	m := &middleBatch{place: p, k: experiment.Batch(n), reach: c.Tree.Order}
	ends := []int{0} // fetches up to the beginning of each batch, then to the end of the last
	c.Frontier.Mode, c.Frontier.Batch = frontier.Thesis, m.k
	c.Frontier.Batched = func(_ time.Duration, pages []graph.Page) {
		ends = append(ends, ends[len(ends)-1]+len(pages))
	}
	c.MaxPages = min(n, n/2+m.k)
	run, err := c.Crawl("breadth-first", b.Stop)
	if err != nil {
		return nil, err
	}
	r := run.Result
	m.number = sort.SearchInts(ends, n/2+1)
	m.pages = r.Order[ends[m.number-1]:min(ends[m.number], len(r.Order))]
	return m, nil
}

// fetch fetches the pages of the batch in their order, as a setting has it.
func (m *middleBatch) fetch(b *experiment.Bench, s lab.Setting) (*fetchedBatch, error) {
	alone := *s.World // without links nothing but the batch can be reached
	alone.Sim.Out = graph.NewLists(alone.Pages(), 0)
	defer alone.Sim.Out.Free()
	s.World, s.Seeds = &alone, m.pages
	c, err := b.Prepare(m.place, s)
	if err != nil {
		return nil, err
	}
	run, err := c.Crawl("breadth-first", b.Stop)
	if err != nil {
		return nil, err
	}
	r := run.Result
	f := &fetchedBatch{middleBatch: m, took: r.Took, tail: c.Tails(run), lost: r.Lost}
	for i := range r.Order {
		f.spans = append(f.spans, [2]time.Duration{r.Start[i], r.End[i]})
	}
	return f, nil
}

// sites returns the number of sites that the batch has pages of.
func (m *middleBatch) sites() int { return len(sitesOf(m.place, m.pages)) }

// siteShare is the share of a batch that one site may have in the second crawl of figure
// 4.9.
const siteShare = 0.1

// batchSites shows figure 4.9.
func batchSites(r *experiment.Run, p *experiment.Place) error {
	set := r.Setting(p, nil)
	plain, err := middle(r.Bench, p, set)
	if err != nil {
		return err
	}
	set.Frontier.SiteShare = siteShare
	even, err := middle(r.Bench, p, set)
	if err != nil {
		return err
	}
	web, batch := sitesOf(p, plain.reach), sitesOf(p, plain.pages)
	t := &show.Table{Columns: head("pages", "pages in all", "sites", "largest site, % of pages", "sites with one page, %", "Gini")}
	addSkew(t, "all that can be reached", web)
	addSkew(t, fmt.Sprintf("batch %d", plain.number), batch)
	addSkew(t, fmt.Sprintf("batch %d, no site above %s", even.number, pct(siteShare)), sitesOf(p, even.pages))
	c := &plot.Chart{Title: "Pages per site, " + p.World.Name, XLabel: "pages of a site", YLabel: "sites with so many", LogX: true, LogY: true, Points: true,
		Series: []plot.Series{experiment.Sizes("batch", batch), experiment.Sizes("all that can be reached", web)}}
	r.Show(show.Section{Title: p.World.Name, Chart: c, Table: t,
		Text: fmt.Sprintf("K = %d, the batch with the page in the middle of T = %d. Where few sites have pages left, a limit of %s for each makes batches smaller.", plain.k, len(plain.reach), pct(siteShare))})
	r.Find(p.World.Name, skewFinding(batch, web))
	return nil
}

// skewFinding compares a batch with the web by their Gini coefficients.
func skewFinding(batch, web []int) experiment.Finding {
	g, all := stats.Gini(batch), stats.Gini(web)
	f := experiment.Found(g >= 0.5 && g < all, "Gini %.2f on %s, of all pages %.2f on %d", g, show.Counted(len(batch), "site"), all, len(web))
	if len(batch) == 1 {
		f.Numbers = fmt.Sprintf("the whole batch is on one site, of %d", len(web))
	}
	return f
}

func addSkew(t *show.Table, name string, sites []int) {
	pages, single := 0, 0
	for _, n := range sites {
		pages += n
		if n == 1 {
			single++
		}
	}
	t.Add(name, pages, len(sites), show.Num(100*measure.Share(slices.Max(sites), pages), 1), show.Num(100*measure.Share(single, len(sites)), 1), show.Num(stats.Gini(sites), 3))
}

// robots is r of figures 4.10 and 4.11: the thesis does not state it, 256 is the
// largest of its simulations.
const robots = 256

// A batchLine is one line of figures 4.10 and 4.11.
type batchLine struct {
	name      string
	bandwidth int64      // 0: no limit
	theirs    [2]float64 // hours with c = 1 and c = 100; 0 unknown
}

// batchLines returns the small and the large bandwidth of the thesis, in bytes per
// second, and a line without limit: there politeness alone decides.
func batchLines() []batchLine {
	return []batchLine{
		{"small, 2 kB/s", 2_000, [2]float64{33, 29}},
		{"large, 20 kB/s", 20_000, [2]float64{9, 3}},
		{"no limit", 0, [2]float64{}},
	}
}

// batchesAt returns how the middle batch is fetched over each line with each number of pages
// per connection.
func batchesAt(b *experiment.Bench, p *experiment.Place, perConnection ...int) ([][]*fetchedBatch, error) {
	m, err := middle(b, p, b.Setting(p, nil))
	if err != nil {
		return nil, err
	}
	lines, n := batchLines(), len(perConnection)
	all := make([]*fetchedBatch, len(lines)*n)
	err = b.InParallel(len(all), func(i int) error {
		s, err := politely(b, p, nil)
		if err != nil {
			return err
		}
		s.Fetchers, s.Bandwidth, s.Frontier.PerConnection = robots, lines[i/n].bandwidth, perConnection[i%n]
		all[i], err = m.fetch(b, s)
		return err
	})
	return slices.Collect(slices.Chunk(all, n)), err
}

// active shows figure 4.10.
func active(r *experiment.Run, p *experiment.Place) error {
	all, err := batchesAt(r.Bench, p, 1)
	if err != nil {
		return err
	}
	r.Show(activeSection(p, all, 1))
	holds := true
	var parts []string
	for l, line := range batchLines() {
		m := all[l][0]
		low := m.below(float64(m.usable()) / 2)
		holds = holds && low > 0.5
		parts = append(parts, fmt.Sprintf("%s: %.0f %% of the time, %.1f of %d active in the mean", line.name, 100*low, m.mean(), m.usable()))
	}
	r.Find(p.World.Name, experiment.Found(holds, "%s", strings.Join(parts, "; ")))
	return nil
}

// usable returns the number of fetchers that the batch has sites for.
func (m *fetchedBatch) usable() int { return min(robots, m.sites()) }

// mean returns the mean number of active fetchers.
func (m *fetchedBatch) mean() float64 {
	busy := make([]float64, len(m.spans))
	for i, s := range m.spans {
		busy[i] = (s[1] - s[0]).Seconds()
	}
	return m.share(measure.Sum(busy))
}

// share returns seconds as a share of the batch's time.
func (m *fetchedBatch) share(seconds float64) float64 {
	if m.took == 0 {
		return 0
	}
	return seconds / m.took.Seconds()
}

// below returns the share of the batch's time in which fewer than n fetchers are active.
func (m *fetchedBatch) below(n float64) float64 {
	type change struct {
		at time.Duration
		by int
	}
	var all []change
	for _, s := range m.spans {
		all = append(all, change{s[0], 1}, change{s[1], -1})
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var low, last time.Duration
	active := 0
	for _, c := range all {
		if float64(active) < n {
			low += c.at - last
		}
		last, active = c.at, active+c.by
	}
	return m.share(low.Seconds())
}

// activePoints is the number of points of a line over the time of a batch.
const activePoints = 120

// series returns the mean number of active fetchers in equal parts of the batch's time.
func (m *fetchedBatch) series(name string) plot.Series {
	s := plot.Series{Name: name}
	width := m.took.Seconds() / activePoints
	if width == 0 {
		return s
	}
	for i := range activePoints {
		s.Add(float64((float64(i)+0.5)*width/3600), 0)
	}
	for _, span := range m.spans {
		from, to := span[0].Seconds()/width, span[1].Seconds()/width
		for i := int(from); i < activePoints && float64(i) < to; i++ {
			s.Y[i] += min(to, float64(i+1)) - max(from, float64(i))
		}
	}
	return s
}

func activeSection(p *experiment.Place, all [][]*fetchedBatch, perConnection ...int) show.Section {
	t := &show.Table{Columns: head("line", "c", "time (theirs), h", "time, h", "pages", "sites", "most that can be active", "active in the mean", "less than half active, % of the time", "last 10 % of the pages, % of the time", "on sites")}
	c := &plot.Chart{Title: "Active fetchers during a batch, " + p.World.Name, XLabel: "hours", YLabel: "active fetchers", LogX: true}
	for l, line := range batchLines() {
		for k, conn := range perConnection {
			m, theirs := all[l][k], show.None()
			if line.bandwidth > 0 {
				theirs = show.Num(line.theirs[k], 0)
			}
			t.Add(line.name, conn, theirs, show.Num(m.took.Hours(), 3), len(m.pages), m.sites(), m.usable(), show.Num(m.mean(), 2), show.Num(100*m.below(float64(m.usable())/2), 1), show.Num(100*m.tail[0].Time, 1), m.tail[0].Sites)
			c.Series = append(c.Series, m.series(fmt.Sprintf("%s, c = %d", line.name, conn)))
		}
	}
	m := all[0][0]
	return show.Section{Title: p.World.Name, Text: fmt.Sprintf("Batch %d of K = %d pages; T = %d. All lines fetch the same pages.", m.number, m.k, len(m.reach)), Chart: c, Table: t}
}

// keepAlive shows figure 4.11.
func keepAlive(r *experiment.Run, p *experiment.Place) error {
	all, err := batchesAt(r.Bench, p, 1, 100)
	if err != nil {
		return err
	}
	t := &show.Table{Columns: head("line", "ratio (theirs)", "ratio", "active with c = 1", "active with c = 100")}
	for l, line := range batchLines() {
		theirs := show.None()
		if line.bandwidth > 0 {
			theirs = show.Num(line.theirs[1]/line.theirs[0], 2)
		}
		t.Add(line.name, theirs, show.Num(ratio(all[l]), 3), show.Num(all[l][0].mean(), 2), show.Num(all[l][1].mean(), 2))
	}
	r.Show(activeSection(p, all, 1, 100), show.Section{Title: p.World.Name + ", c = 100 by c = 1", Table: t})
	r.Find(p.World.Name, ratioFinding(all))
	return nil
}

// ratio returns the time of a batch with c = 100 by that with c = 1, by page.
func ratio(m []*fetchedBatch) float64 {
	per := func(m *fetchedBatch) float64 { return m.took.Seconds() / float64(len(m.pages)) }
	return per(m[1]) / per(m[0])
}

func ratioFinding(all [][]*fetchedBatch) experiment.Finding {
	small, large, free := ratio(all[0]), ratio(all[1]), ratio(all[2])
	return experiment.Found(small < 1 && large < small, "to %.2f of the time at 2 kB/s, theirs 0.88; %.2f at 20 kB/s, theirs 0.33; %.2f without limit", small, large, free)
}
