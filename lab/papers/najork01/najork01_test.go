package najork01

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// crawlOf is the 58-day crawl of a place from its seeds.
func crawlOf(t *testing.T, b *experiment.Bench, p *experiment.Place, remote bool) *crawl58 {
	t.Helper()
	c, err := crawls58(b, p, remote)
	if err != nil {
		t.Fatal(err)
	}
	return &c[0]
}

// TestDays: 58 days of equal length, but for one page.
func TestDays(t *testing.T) {
	for _, n := range []int{58, 59, 300, 1000, 325_557} {
		days := dayOf(n)
		count := make([]int, najorkDays+1)
		for _, d := range days {
			count[d]++
		}
		if !slices.IsSorted(days) || slices.Max(count[1:])-slices.Min(count[1:]) > 1 {
			t.Errorf("%d pages: days have %v", n, count[1:])
		}
	}
}

// TestDayMeans: the average over all days, weighted by their pages, is 1 on the mean-1
// scale of the reachable pages (M18), and each day's is the mean of its pages (P15).
func TestDayMeans(t *testing.T) {
	b := experimenttest.Bench(t, 0, 1)
	c := crawlOf(t, b, b.Places[0], false)
	means, err := c.dayMeans(0)
	if err != nil {
		t.Fatal(err)
	}
	scale := c.Truth.Scale()
	sums, pages := make([]float64, najorkDays), make([]float64, najorkDays)
	for k, p := range c.Runs[0].Result.Order {
		sums[c.days[k]-1] += c.Truth.Value[p] * scale
		pages[c.days[k]-1]++
	}
	total := 0.0
	for d := range means {
		total += means[d] * pages[d]
		if math.Abs(means[d]-sums[d]/pages[d]) > 1e-9 {
			t.Errorf("day %d has %v, want %v", d+1, means[d], sums[d]/pages[d])
		}
	}
	if mean := total / float64(len(c.days)); math.Abs(mean-1) > 1e-9 {
		t.Errorf("the mean of all pages is %v", mean)
	}
}

// TestRemoteTruth (M19): the ranks of figure 4 are those of rank.RemotePageRank.
func TestRemoteTruth(t *testing.T) {
	b := experimenttest.Bench(t, 0, 1)
	p := b.Places[0] // all of it can be reached
	got := crawlOf(t, b, p, true).Truth.Value
	want, err := rank.RemotePageRank(p.World.Web(), rank.Options{Follow: najorkFollow, Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	for q, v := range want.Score {
		if math.Abs(got[q]-v) > 1e-11 {
			t.Fatalf("page %d has %v, want %v", q, got[q], v)
		}
	}
}

// TestCut compares the graph after some days with one made by hand: the pages crawled,
// with their links, and those uncrawled that five or more of them link to, without
// (W32), ranked by rank.PageRank.
func TestCut(t *testing.T) {
	b := experimenttest.Bench(t, 0, 1)
	c := crawlOf(t, b, b.Places[1], false)
	order, out := c.Runs[0].Result.Order, c.Place.World.Sim.Out
	for _, of := range []float64{0.1, 0.3, 1} {
		k, err := cutAt(b, c, "part", of)
		if err != nil {
			t.Fatal(err)
		}
		early := order[:measure.PagesAt(of, len(order))]
		ids, part := partByHand(early, out)
		if len(k.ranked) != len(ids) || k.fetched != len(early) {
			t.Fatalf("%v of the crawl: %d pages crawled and %d ranked, want %d and %d", of, k.fetched, len(k.ranked), len(early), len(ids))
		}
		lists := graph.ListsOf(part)
		if int64(k.links) != lists.Links() {
			t.Errorf("%v of the crawl has %d links, want %d", of, k.links, lists.Links())
		}
		r, err := rank.PageRank(&rank.Web{Out: lists}, rank.Options{Follow: najorkFollow, Tolerance: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		score := map[graph.Page]float64{}
		for i, p := range ids {
			score[p] = r.Score[i]
		}
		for i := 1; i < len(k.ranked); i++ {
			if a, b := score[k.ranked[i-1]], score[k.ranked[i]]; a < b-1e-11 {
				t.Fatalf("%v of the crawl: place %d has rank %v, the next %v", of, i, a, b)
			}
		}
		lists.Free()
	}
}

// partByHand is the pages of a cut, ascending, and the links among them by their places.
func partByHand(early []graph.Page, out *graph.Lists) (ids []graph.Page, links [][]graph.Page) {
	seen := map[graph.Page]int{}
	for _, p := range early {
		for _, q := range out.List(p) {
			seen[q]++
		}
	}
	for p := range graph.Page(out.Pages()) {
		if slices.Contains(early, p) || seen[p] >= 5 {
			ids = append(ids, p)
		}
	}
	links = make([][]graph.Page, len(ids))
	for i, p := range ids {
		if !slices.Contains(early, p) {
			continue
		}
		for _, q := range out.List(p) {
			if k, ok := slices.BinarySearch(ids, q); ok {
				links[i] = append(links[i], graph.Page(k))
			}
		}
	}
	return ids, links
}

// TestTopPages: links to the top pages are counted by site, from reachable pages only.
func TestTopPages(t *testing.T) {
	b := experimenttest.Bench(t, 0, 1)
	p := b.Places[0]
	c := crawlOf(t, b, p, false)
	for _, top := range c.topPages(50) {
		local, remote := 0, 0
		for q := range graph.Page(p.World.Pages()) {
			if !slices.Contains(p.World.Sim.Out.List(q), top.page) {
				continue
			}
			if p.World.Sim.SiteOf[q] == p.World.Sim.SiteOf[top.page] {
				local++
			} else {
				remote++
			}
		}
		if top.local != local || top.remote != remote {
			t.Errorf("page %d has %d local and %d remote links, want %d and %d", top.page, top.local, top.remote, local, remote)
		}
		if got := c.days[slices.Index(c.Runs[0].Result.Order, top.page)]; got != top.day {
			t.Errorf("page %d came on day %d, want %d", top.page, top.day, got)
		}
	}
}

// B 4, X13 and X16 on a synthetic web: the average falls from quarter to quarter of the
// crawl, and by remote links the first day is higher. The paper's ratio of three between the
// first two days is not reached there: it is 1.4.
func TestPaperBreadthFirstYieldsQuality(t *testing.T) {
	experimenttest.Long(t)
	b := &experiment.Bench{Context: context.Background(), Random: 1, Threads: 2}
	p := experimenttest.Mid(t)
	all, err := crawlOf(t, b, p, false).dayMeans(0)
	if err != nil {
		t.Fatal(err)
	}
	remote, err := crawlOf(t, b, p, true).dayMeans(0)
	if err != nil {
		t.Fatal(err)
	}
	q := quarters(all)
	if !(q[0] > q[1] && q[1] > q[2] && q[2] > q[3]) {
		t.Errorf("average PageRank by quarters of the crawl: %v", q)
	}
	if !(remote[0] > all[0] && remote[0]/remote[1] > all[0]/all[1]) {
		t.Errorf("first days by remote links %v, by all links %v", remote[:2], all[:2])
	}
}

// Mercator's rule holds in the crawls: a site is requested by one fetcher at a time, and ten times
// as long as its last page took after it.
func TestMercatorIsPolite(t *testing.T) {
	p := experimenttest.Small(t, "many", 900, 60, true)
	c := crawlOf(t, experimenttest.BenchOf(p), p, false)
	r := c.Runs[0].Result
	type visit struct{ from, to time.Duration }
	last := map[graph.Site]visit{}
	by := make([]int, len(r.Order))
	for i := range by {
		by[i] = i
	}
	slices.SortFunc(by, func(i, k int) int { return int(r.Start[i] - r.Start[k]) })
	most := 0
	for _, i := range by {
		s := p.World.Sim.SiteOf[r.Order[i]]
		if v, ok := last[s]; ok && r.Start[i] < v.to+10*(v.to-v.from) {
			t.Fatalf("site %d is requested at %v after a page from %v to %v", s, r.Start[i], v.from, v.to)
		}
		last[s] = visit{r.Start[i], r.End[i]}
		most = max(most, r.Trace.Peak())
	}
	if most < 10 {
		t.Errorf("%d fetchers are active at most", most)
	}
	plain := *p
	world := *p.World
	world.Name += after
	plain.World = &world
	if o := crawlOf(t, experimenttest.BenchOf(&plain), &plain, false).Runs[0].Result; o.Trace != nil || slices.Equal(o.Order, r.Order) {
		t.Error("one page after another is crawled as by Mercator")
	}
}

// TestPoliteness: the differences are those of the averages, start by start.
func TestPoliteness(t *testing.T) {
	p := experimenttest.Small(t, "many", 400, 30, true)
	b := experimenttest.BenchOf(p, experimenttest.Small(t, "few", 300, 4, true))
	b.Starts = 3
	r, err := experimenttest.Named(t, Experiments(), "najork01-politeness").Run(b)
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Sections[0].Table.Rows
	if len(rows) != 6 || !strings.Contains(r.Verdict, "95 % interval") {
		t.Fatalf("%d rows, verdict %s", len(rows), r.Verdict)
	}
	g, err := gainAt(&experiment.Run{Bench: b}, p)
	if err != nil {
		t.Fatal(err)
	}
	want := mean(g.average[0][2]) - mean(g.average[0][0])
	if got := rows[0][7].Value(); math.Abs(got-want) > 1e-9 || len(g.average[0][2]) != 4 {
		t.Errorf("Mercator is better by %v, want %v from %d starts", got, want, len(g.average[0][2]))
	}
}

// The ranking of an older snapshot has its pages by their old values, those that are gone among
// them (P17).
func TestRankedBefore(t *testing.T) {
	h, err := lab.NewHistory([]float64{3, math.NaN(), 1, 8}, []float64{5, 2})
	if err != nil {
		t.Fatal(err)
	}
	w := &lab.World{Sim: experimenttest.Bare(experimenttest.Web(t, make([][]graph.Page, 4)))}
	got := rankedBefore(&experiment.Place{World: w, History: h})
	if want := []graph.Page{3, 4, 0, 5, 2}; !slices.Equal(got, want) {
		t.Errorf("ranked %v, want %v", got, want)
	}
}

// Figure 3 shows the older snapshot where there is one, once.
func TestFig3Snapshots(t *testing.T) {
	b := experimenttest.Bench(t, 0, 2)
	b.Places = b.Places[:1]
	r, err := experimenttest.Named(t, Experiments(), "najork01-fig3").Run(b)
	if err != nil {
		t.Fatal(err)
	}
	s := experimenttest.Section(t, r, b.Places[0].World.Name+": two snapshots")
	if len(r.Sections) != 3 || s.Table == nil || len(s.Table.Rows) < 5 {
		t.Errorf("%d sections", len(r.Sections))
	}
}
