package papers

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// timeDraws is the number of downloads drawn for figure 4.2: shares are then exact to
// about 0.1 points.
const timeDraws = 100_000

// A download is a draw of the model: how long in all, and how much of it the transfer.
type download struct{ total, transfer float64 } // seconds

// downloadTimes shows figure 4.2: the distribution of download times that everything with
// times is computed from.
func downloadTimes(r *run) error {
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
		r.report.Header = append(r.report.Header, field("times", "%s", times))
		if name == thesisTimes {
			thesis = times
			r.find("the model "+name, timeFinding(d))
		}
	}
	for _, p := range r.Places {
		w := p.World
		if w.Sim.SiteOf == nil {
			r.report.Intro = append(r.report.Intro, w.Name+" has no line: its sites are not known.")
			continue
		}
		n := min(w.Pages(), timeDraws) // all pages or an even sample
		add(w.Name+", "+show.Counted(w.Sites(), "site"), drawDownloads(thesis, n, func(i int) (graph.Site, graph.Page) {
			page := graph.Page(i * w.Pages() / n)
			return w.Sim.SiteOf[page], page
		}))
	}
	r.show(show.Section{Title: "Download times", Chart: chart, Table: t})
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
	n, _ := slices.BinarySearchFunc(d, seconds, func(d download, s float64) int {
		if d.total <= s {
			return -1
		}
		return 1
	})
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

func timeFinding(d []download) finding {
	a, c := within(d, 1.5), within(d, 3)
	return found(math.Abs(a-0.90) <= 0.02 && math.Abs(c-0.95) <= 0.02, "%s and %s", pct(a), pct(c))
}

// distribution shows figure 4.3: the bound of what any order can gather.
func distribution(r *run) error {
	t := &show.Table{Columns: head("graph", "pages", "10 % of the pages have, % of PageRank", "50 % of PageRank is on, % of pages", "80 % of PageRank is on, % of pages", "90 % of PageRank is on, % of pages", "average")}
	chart := shareChart("PageRank of the best pages")
	var curves []measure.Curve
	for i, p := range r.Places {
		r.say(i, len(r.Places), "%s", p.World.Name)
		bound, err := r.course(p, byPageRank)
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
	r.show(show.Section{Title: "Upper bounds", Chart: chart, Table: t})
	r.report.Verdict = distributionVerdict(r.Places, curves)
	return nil
}

// alike is the distance up to which two curves are called almost exactly the same.
const alike = 0.05

// distributionVerdict judges the distance of the two curves farthest apart.
func distributionVerdict(places []*Place, curves []measure.Curve) string {
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
