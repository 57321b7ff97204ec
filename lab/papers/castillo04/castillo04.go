// Package castillo04 repeats the experiments of chapter 4 of C. Castillo, "Effective Web
// Crawling", PhD thesis, University of Chile, 2004.
package castillo04

import (
	"cmp"
	"embed"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

//go:embed texts/*.txt
var texts embed.FS

// text returns a text of this package. Arguments are those of its verbs.
func text(name string, args ...any) string { return experiment.Text(texts, name, args...) }

// Experiments lists the experiments of chapter 4 of Castillo's thesis.
func Experiments() []experiment.Experiment {
	order := experiment.Field("options", "order only (no time), r = 1; K = T/30 for batch- and partial-pagerank, as many solves as in the thesis")
	times := experiment.Field("options", "times thesis2004, w = 15s, c = 1, r = 1, 64, 256 unless said otherwise; a fetcher %s", patience())
	batch := experiment.Field("options", "times thesis2004, w = 15s, r = 256; a fetcher %s; the batch in the middle of a breadth-first crawl in batches of T/30 pages, the same for all lines", patience())
	return experiment.Paper("castillo04", "C. Castillo, Effective Web Crawling, PhD thesis, University of Chile, 2004, chapter 4", texts, []experiment.Experiment{
		{Name: "fig4.2", Paper: "4.2.1", What: "how long downloads take in the model of time", Header: thesisHeader(), All: downloadTimes,
			Claims: []string{"90 % of the downloads take less than 1.5 s and 95 % less than 3 s, to 2 points"}},
		{Name: "fig4.3", Paper: "4.3.4", What: "distribution of PageRank: the most that any order can gather", Header: thesisHeader(), All: distribution},
		{Name: "fig4.4", Paper: "4.3.4 (figures 4.4 and 4.5)", What: "cumulative PageRank of the strategies without history", Header: thesisHeader(order), At: orders,
			Claims: []string{"batch-pagerank, larger-sites-first and OPIC have half of the PageRank after at most 30 % of the pages"}},
		{Name: "fig4.6", Paper: "4.3.4", What: "cumulative PageRank of the historical strategies", Needs: experiment.Needs{History: true}, Header: thesisHeader(order), At: histories,
			Claims: []string{"old PageRank is not detrimental, every historical strategy with known pages is at least as good as OPIC"}},
		{Name: "table1", Paper: "4.3.4, table 4.1", What: "average cumulative PageRank and tau of eleven strategies", Header: thesisHeader(order), All: table1,
			Claims: []string{fmt.Sprintf("the ranking of the seven strategies without history has a Kendall correlation of at least %.1f with that of the thesis", enough)}},
		{Name: "fig4.7", Paper: "4.3.5", What: "ordering with 1, 64 and 256 fetchers", Needs: experiment.Needs{Sites: 2}, Header: thesisHeader(times, limit(fetchersLimit)), At: fetchers,
			Claims: []string{"breadth-first improves with r by half a point or more and larger-sites-first stays within a point"}},
		{Name: "table2", Paper: "4.3.5, table 4.2 and figure 4.8", What: "speed-up by fetchers and bandwidth", Needs: experiment.Needs{Sites: 2},
			Header: thesisHeader(times, experiment.Field("policy", "larger-sites-first"), experiment.Field("limit", "one page of %d in each cell, at most %d", speedPart, speedLimit)), All: theirLine, At: table2,
			Claims: []string{"speed-up grows with r (to at least 2 with r = 256), stays below r and saturates with bandwidth, to a tenth"}},
		{Name: "fig4.9", Paper: "4.4", What: "pages per site in a batch from the middle of a crawl", Needs: experiment.Needs{Sites: 2},
			Header: thesisHeader(experiment.Field("options", "order only, breadth-first in batches of K = T/30 pages")), At: batchSites,
			Claims: []string{"the pages of a batch are very skewed over the sites (Gini of at least 0.5), but less than those of the web"}},
		{Name: "fig4.10", Paper: "4.4", What: "active fetchers during one batch, one page per connection", Needs: experiment.Needs{Sites: 2}, Header: thesisHeader(batch), At: active,
			Claims: []string{"less than half of the fetchers are active for more than half of the time of a batch, at any bandwidth"}},
		{Name: "fig4.11", Paper: "4.4", What: "active fetchers during one batch, 100 pages per connection", Needs: experiment.Needs{Sites: 1}, Header: thesisHeader(batch), At: keepAlive,
			Claims: []string{"c = 100 shortens a batch, and more so with the larger bandwidth"}},
		{Name: "batch-ends", Paper: "4.4, last paragraph", What: "batches that stop early, and batches chosen ahead", Needs: experiment.Needs{Sites: 2}, At: batchEnds,
			Header: thesisHeader(experiment.Field("options", "times thesis2004, w = 15s, c = 1, bandwidth without limit, breadth-first, r = sites/8 (2 to 256), K = 1/30 of the pages"), limit(endsLimit)),
			Claims: []string{"stopping batches early saves at least 30 % of the idle fetcher-hours",
				"batches chosen ahead leave no gap, a utilisation of at least 95 % of that without batches"}},
		{Name: "equivalence", Paper: "4.4", What: "c pages per connection against a delay of w/c", Needs: experiment.Needs{Sites: 1}, At: equivalence,
			Header: thesisHeader(experiment.Field("options", "times thesis2004, r = 256, bandwidth without limit, larger-sites-first"), limit(pacesLimit)),
			Claims: []string{"(w, c) and (w/c, 1) give total times within 10 % of each other for c = 10 and c = 100"}},
		{Name: "last", Paper: "4.3.4", What: "how good orders are in the last quarter of a crawl", Header: thesisHeader(order), At: lastStage,
			Claims: []string{"omniscient performs close to random by the last stages of the crawl: at most 0.05 better than 0.5 in the mean of its last quarter"}},
		{Name: "partial-rank", Paper: "4.3.1, after Boldi et al. 2004", What: "PageRank of the part crawled so far against the true one", Header: thesisHeader(order), At: partialRank,
			Claims: []string{"PageRank of the part is inexact: after 20 % of the crawl tau with the true one is below 0.7 for some strategy without an oracle"}},
	})
}

// thesisHeader returns the header of these experiments.
func thesisHeader(more ...show.Field) func(*experiment.Bench) []show.Field {
	return func(b *experiment.Bench) (h []show.Field) {
		for _, p := range b.Places {
			h = append(h, experiment.Field("world", "%s; seeds: %s (%d)", p.Describe(), p.SeedsName, len(p.Seeds)))
		}
		return append(append(h, more...), experiment.Field("random seed", "%d", b.Random))
	}
}

func limit(pages int) show.Field { return experiment.Field("limit", "%d pages of each crawl", pages) }

// thesisFetchers returns the r of figure 4.7 and table 4.2.
func thesisFetchers() []int { return []int{1, 64, 256} }

// patience is how long fetchers wait: the limits of winnow crawl. The thesis does not give those
// of its simulator; its figure 4.2 says that downloads almost always end within 10 s.
func patience() sim.Patience {
	return sim.Patience{Connect: 10 * time.Second, FirstByte: 20 * time.Second, Retries: 2}
}

// politely returns the setting of the thesis at a place, with time-outs.
func politely(b *experiment.Bench, p *experiment.Place, t *measure.Truth) (lab.Setting, error) {
	s, err := b.Polite(p, t)
	s.Patience = patience()
	return s, err
}

// timed crawls a place politely n times; change adapts setting i and returns its policy.
func timed(b *experiment.Bench, p *experiment.Place, truth experiment.TruthOf, n int, change func(i int, s *lab.Setting) string) ([]*lab.Run, error) {
	t, err := truth(b, p, p.Seeds)
	if err != nil {
		return nil, err
	}
	runs := make([]*lab.Run, n)
	err = b.InParallel(n, func(i int) error {
		s, err := politely(b, p, t)
		if err != nil {
			return err
		}
		policy := change(i, &s)
		c, err := b.Prepare(p, s)
		if err == nil {
			runs[i], err = c.Crawl(policy, b.Stop)
		}
		return err
	})
	return runs, err
}

// thesisPoints is the number of points of a curve that are drawn.
const thesisPoints = 200

// shareSeries draws a curve over the share of T, in percent.
func shareSeries(name string, c measure.Curve) plot.Series {
	s := plot.Series{Name: name}
	for _, p := range c.Thin(thesisPoints) {
		s.Add(100*measure.Share(p.Pages, c.Reachable), p.Value)
	}
	return s
}

// shareDiagonal returns what pages drawn at random from n give.
func shareDiagonal(n int) plot.Series {
	return experiment.Baseline(shareSeries("diagonal", measure.Random(n, n)))
}

// shareChart returns the form of figures 4.3 to 4.7.
func shareChart(title string, series ...plot.Series) *plot.Chart {
	return &plot.Chart{Title: title, XLabel: "pages fetched, % of those that can be reached", YLabel: "share of PageRank", Series: series}
}

// pct writes a share in percent.
func pct(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// head returns columns by their names; ", " in a name sets its unit apart.
func head(names ...string) []show.Column {
	columns := make([]show.Column, len(names))
	for i, n := range names {
		columns[i].Name, columns[i].Unit, _ = strings.Cut(n, ", ")
	}
	return columns
}

// sitesOf counts the pages of each site that has some, in the order of the sites.
func sitesOf(p *experiment.Place, pages []graph.Page) (some []int) {
	n := make([]int, p.World.Sites())
	for _, q := range pages {
		n[p.World.Sim.SiteOf[q]]++
	}
	return slices.DeleteFunc(n, func(k int) bool { return k == 0 })
}

// timeDraws is the number of downloads drawn for figure 4.2: shares are then exact to
// about 0.1 points.
const timeDraws = 100_000

// A download is a draw of the model: how long in all, and how much of it the transfer.
type download struct{ total, transfer float64 }

// seconds

// downloadTimes shows figure 4.2: the distribution of download times that everything with
// times is computed from.
func downloadTimes(r *experiment.Run) error {
	t := &show.Table{Columns: head("downloads", "within 1.5 s, %", "within 3 s, %", "within 10 s, %", "median, s", "mean, s", "latency larger than transfer, %")}
	t.Add("thesis", show.Num(90, 1), show.Num(95, 1), "almost all", show.None(), show.None(), "usually")
	chart := &plot.Chart{Title: "Download time of pages fetched one after the other", XLabel: "seconds", YLabel: "share of the pages", LogX: true,
		Marks: []plot.Mark{{X: 1.5, Label: "90 % in the thesis"}, {X: 3, Label: "95 % in the thesis"}}}
	add := func(name string, d []download) {
		addTimes(t, name, d)
		chart.Series = append(chart.Series, timeSeries(name, d))
	}
	var thesis *sim.Times
	for _, name := range sim.PresetNames() {
		times, err := sim.Preset(name, r.Random)
		if err != nil {
			return err
		}
		d := drawDownloads(times, timeDraws, func(i int) (graph.Site, graph.Page) { return graph.Site(i), graph.Page(i) })
		add("model "+name, d)
		r.Report.Header = append(r.Report.Header, experiment.Field("times", "%s", times))
		if name == experiment.ThesisTimes {
			thesis = times
			r.Find("the model "+name, timeFinding(d))
		}
	}
	for _, p := range r.Places {
		w := p.World
		if w.Sim.SiteOf == nil {
			r.Report.Intro = append(r.Report.Intro, w.Name+" has no line: its sites are not known.")
			continue
		}
		n := min(w.Pages(), timeDraws) // all pages or an even sample
		add(w.Name+", "+show.Counted(w.Sites(), "site"), drawDownloads(thesis, n, func(i int) (graph.Site, graph.Page) {
			page := graph.Page(i * w.Pages() / n)
			return w.Sim.SiteOf[page], page
		}))
	}
	r.Show(show.Section{Title: "Download times", Chart: chart, Table: t})
	return nil
}

// drawDownloads returns n downloads, the fastest first.
func drawDownloads(t *sim.Times, n int, what func(i int) (graph.Site, graph.Page)) []download {
	d := make([]download, n)
	for i := range d {
		s, p := what(i)
		d[i] = download{t.Sequential(s, p, 0).Seconds(), sim.TransferTime(float64(t.Size(p)), t.Speed(s)).Seconds()}
	}
	slices.SortFunc(d, func(a, b download) int { return cmp.Compare(a.total, b.total) })
	return d
}

// within returns the share of the downloads that took no longer.
func within(d []download, seconds float64) float64 {
	n := sort.Search(len(d), func(i int) bool { return d[i].total > seconds })
	return measure.Share(n, len(d))
}

func addTimes(t *show.Table, name string, d []download) {
	latency, total := 0, make([]float64, len(d))
	for i, x := range d {
		total[i] = x.total
		if x.total-x.transfer > x.transfer {
			latency++
		}
	}
	t.Add(name, show.Num(100*within(d, 1.5), 1), show.Num(100*within(d, 3), 1), show.Num(100*within(d, 10), 1),
		show.Num(total[len(d)/2], 3), show.Num(measure.Sum(total)/float64(len(d)), 3), show.Num(100*measure.Share(latency, len(d)), 1))
}

// timeSeries returns the distribution at evenly spaced shares.
func timeSeries(name string, d []download) plot.Series {
	s := plot.Series{Name: name}
	for i := range thesisPoints {
		k := i * (len(d) - 1) / (thesisPoints - 1)
		s.Add(d[k].total, measure.Share(k+1, len(d)))
	}
	return s
}

func timeFinding(d []download) experiment.Finding {
	a, c := within(d, 1.5), within(d, 3)
	return experiment.Found(math.Abs(a-0.90) <= 0.02 && math.Abs(c-0.95) <= 0.02, "%s and %s", pct(a), pct(c))
}

// distribution shows figure 4.3: the bound of what any order can gather.
func distribution(r *experiment.Run) error {
	t := &show.Table{Columns: head("graph", "pages", "10 % of the pages have, % of PageRank", "50 % of PageRank is on, % of pages", "80 % of PageRank is on, % of pages", "90 % of PageRank is on, % of pages", "average")}
	chart := shareChart("PageRank of the best pages")
	var curves []measure.Curve
	for i, p := range r.Places {
		r.Say(i, len(r.Places), "%s", p.World.Name)
		bound, err := r.Course(p, experiment.ByPageRank)
		if err != nil {
			return fmt.Errorf("%s: %w", p.World.Name, err)
		}
		c := bound.Judge.Ideal(bound.Judge.Reachable())
		curves, chart.Series = append(curves, c), append(chart.Series, shareSeries(p.World.Name, c))
		top, _ := c.At(0.1)
		row := []any{p.World.Name, c.Reachable, show.Num(100*top, 1)}
		for _, level := range []float64{0.5, 0.8, 0.9} {
			of, _ := c.PagesFor(level)
			row = append(row, show.Num(100*of, 1))
		}
		t.Add(append(row, show.Num(c.Mean(), 4))...)
	}
	chart.Series = append(chart.Series, shareDiagonal(1000))
	r.Show(show.Section{Title: "Upper bounds", Chart: chart, Table: t})
	r.Report.Verdict = distributionVerdict(r.Places, curves)
	return nil
}

// alike is the distance up to which two curves count as almost exactly the same.
const alike = 0.05

// distributionVerdict judges the distance of the two curves farthest apart.
func distributionVerdict(places []*experiment.Place, curves []measure.Curve) string {
	if len(curves) < 2 {
		at, _ := curves[0].PagesFor(0.5)
		return fmt.Sprintf("One graph cannot be compared with another; on %s half of the PageRank is on %s of the pages.", places[0].World.Name, pct(at))
	}
	far, at, a, c := 0.0, 0, 0, 0
	for i := range curves {
		for k := range i {
			for x := 1; x <= 100; x++ {
				if d := math.Abs(percent(curves[i], x) - percent(curves[k], x)); d > far {
					far, at, a, c = d, x, k, i
				}
			}
		}
	}
	names := fmt.Sprintf("%s and %s", places[a].World.Name, places[c].World.Name)
	if far <= alike {
		return fmt.Sprintf("Holds: PageRank is distributed almost alike on all %d graphs, the two farthest apart (%s) differ by at most %s of the PageRank.", len(curves), names, pct(far))
	}
	more := c
	if percent(curves[a], at) > percent(curves[c], at) {
		more = a
	}
	return fmt.Sprintf("Does not hold on these graphs: the bounds of %s differ by up to %s of the PageRank, after %d %% of the pages (%s has more, theirs are almost the same).",
		names, pct(far), at, places[more].World.Name)
}

// percent returns a curve after x % of the pages.
func percent(c measure.Curve, x int) float64 {
	y, _ := c.At(float64(x) / 100)
	return y
}
