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

// castilloTimes is figure 4.2 (X20, L5): the distribution of download times that
// everything with times is computed from.
func castilloTimes(b *Bench) (*show.Report, error) {
	rep := &show.Report{Header: castilloHeader(b, b.Places)}
	rep.Intro = []string{
		"Thesis: of pages fetched one after the other 90 % came within 1.5 s and 95 % within 3 s; Liu (1998) has almost all within 10 s; latency is usually larger than the transfer.",
		"Ours: the model of time that the other experiments use, one fetch from each of many sites. The lines of the graphs are all their pages, each from its own site: where a few sites have most of the pages, the latencies of those few decide.",
	}
	var rows [][]show.Cell
	var series []plot.Series
	var found []finding
	for _, name := range sim.PresetNames() {
		times, err := sim.Preset(name, b.Random)
		if err != nil {
			return nil, err
		}
		d := drawDownloads(times, timeDraws, func(i int) (graph.Site, graph.Page) { return graph.Site(i), graph.Page(i) })
		rows, series = append(rows, timeRow("model "+name, d)), append(series, timeSeries("model "+name, d))
		rep.Header = append(rep.Header, show.Field{Name: "times", Value: times.String()})
		if name == thesisTimes {
			found = append(found, timeFinding("the model "+name, d))
		}
	}
	for _, p := range b.Places {
		d, err := downloadsOf(p, b.Random)
		if err != nil {
			return nil, err
		}
		if d == nil {
			rep.Intro = append(rep.Intro, fmt.Sprintf("%s has no line: its sites are not known.", p.World.Name))
			continue
		}
		name := p.World.Name + ", " + show.Counted(p.World.Sites(), "site")
		rows, series = append(rows, timeRow(name, d)), append(series, timeSeries(name, d))
	}
	rep.Sections = []show.Section{{
		Title: "Download times",
		Chart: &plot.Chart{Title: "Download time of pages fetched one after the other", XLabel: "seconds", YLabel: "share of the pages", LogX: true, Series: series,
			Marks: []plot.Mark{{X: 1.5, Label: "90 % in the thesis"}, {X: 3, Label: "95 % in the thesis"}}},
		Table: timeTable(rows),
	}}
	rep.Verdict = verdict("90 % of the downloads take less than 1.5 s and 95 % less than 3 s, to 2 points", found)
	return rep, nil
}

func timeTable(rows [][]show.Cell) *show.Table {
	t := &show.Table{Columns: head("downloads", "within 1.5 s, %", "within 3 s, %", "within 10 s, %", "median, s", "mean, s", "latency larger than transfer, %")}
	theirs := []show.Cell{show.Words("thesis"), show.Num(90, 1), show.Num(95, 1), show.Words("almost all"), show.None(), show.None(), show.Words("usually")}
	t.Rows = append([][]show.Cell{theirs}, rows...)
	return t
}

// drawDownloads is n downloads, the fastest first.
func drawDownloads(t *sim.Times, n int, what func(i int) (graph.Site, graph.Page)) []download {
	d := make([]download, n)
	for i := range d {
		s, p := what(i)
		d[i].total = t.Sequential(s, p, 0).Seconds()
		d[i].transfer = sim.TransferTime(float64(t.Size(p)), t.Speed(s)).Seconds()
	}
	slices.SortFunc(d, func(a, b download) int { return cmp.Compare(a.total, b.total) })
	return d
}

// downloadsOf is the pages of a place, or an even sample of them; nil without sites.
func downloadsOf(p *Place, random uint64) ([]download, error) {
	w := &p.World.Sim
	if w.SiteOf == nil {
		return nil, nil
	}
	times, err := sim.Preset(thesisTimes, random)
	if err != nil {
		return nil, err
	}
	n := min(p.World.Pages(), timeDraws)
	return drawDownloads(times, n, func(i int) (graph.Site, graph.Page) {
		page := graph.Page(i * p.World.Pages() / n)
		return w.SiteOf[page], page
	}), nil
}

// within is the share of the downloads that took no longer.
func within(d []download, seconds float64) float64 {
	n, _ := slices.BinarySearchFunc(d, seconds, func(d download, s float64) int {
		if d.total <= s {
			return -1
		}
		return 1
	})
	return measure.Share(n, len(d))
}

func timeRow(name string, d []download) []show.Cell {
	latency, total := 0, make([]float64, len(d))
	for i, x := range d {
		total[i] = x.total
		if x.total-x.transfer > x.transfer {
			latency++
		}
	}
	return []show.Cell{
		show.Words(name), show.Num(100*within(d, 1.5), 1), show.Num(100*within(d, 3), 1), show.Num(100*within(d, 10), 1),
		show.Num(d[len(d)/2].total, 3), show.Num(measure.Sum(total)/float64(len(d)), 3), show.Num(100*measure.Share(latency, len(d)), 1),
	}
}

// timeSeries is the distribution at evenly spaced shares.
func timeSeries(name string, d []download) plot.Series {
	s := plot.Series{Name: name}
	for i := range castilloPoints {
		k := i * (len(d) - 1) / (castilloPoints - 1)
		s.X = append(s.X, d[k].total)
		s.Y = append(s.Y, measure.Share(k+1, len(d)))
	}
	return s
}

func timeFinding(place string, d []download) finding {
	a, c := within(d, 1.5), within(d, 3)
	return finding{place: place, holds: math.Abs(a-0.90) <= 0.02 && math.Abs(c-0.95) <= 0.02,
		numbers: fmt.Sprintf("%s and %s", pct(a), pct(c))}
}

// castilloDistribution is figure 4.3 (X21, P9): the bound of what any order can gather.
func castilloDistribution(b *Bench) (*show.Report, error) {
	rep := &show.Report{Header: castilloHeader(b, b.Places)}
	rep.Intro = []string{"Thesis: the cumulative PageRank of .cl and .gr, best page first, is almost exactly the same; it is an upper bound for any strategy. Ours: the pages that can be reached, by PageRank with follow 0.9."}
	t := &show.Table{Columns: head("graph", "pages", "10 % of the pages have, % of PageRank", "50 % of PageRank is on, % of pages", "80 % of PageRank is on, % of pages", "90 % of PageRank is on, % of pages", "average")}
	var curves []measure.Curve
	var series []plot.Series
	for i, p := range b.Places {
		b.say(i, len(b.Places), "%s", p.World.Name)
		c, err := b.idealAt(p)
		if err != nil {
			return nil, err
		}
		curves, series = append(curves, c), append(series, shareSeries(p.World.Name, c, false))
		top, _ := c.At(0.1)
		row := []show.Cell{show.Words(p.World.Name), show.Count(c.Reachable), show.Num(100*top, 1)}
		for _, level := range []float64{0.5, 0.8, 0.9} {
			of, _ := c.PagesFor(level)
			row = append(row, show.Num(100*of, 1))
		}
		t.Rows = append(t.Rows, append(row, show.Num(c.Mean(), 4)))
	}
	series = append(series, shareSeries("diagonal", measure.Random(1000, 1000), true))
	rep.Sections = []show.Section{{Title: "Upper bounds", Chart: shareChart("PageRank of the best pages", series), Table: t}}
	rep.Verdict = distributionVerdict(b.Places, curves)
	return rep, nil
}

// idealAt is the upper bound at a place.
func (b *Bench) idealAt(p *Place) (measure.Curve, error) {
	t, err := p.PageRank(b)
	if err != nil {
		return measure.Curve{}, err
	}
	c, err := b.prepare(p.Setting(b, t))
	if err != nil {
		return measure.Curve{}, fmt.Errorf("%s: %w", p.World.Name, err)
	}
	return c.Judge.Ideal(c.Judge.Reachable()), nil
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
			if d, x := distance(curves[i], curves[k]); d > far {
				far, at, a, c = d, x, k, i
			}
		}
	}
	names := fmt.Sprintf("%s and %s", places[a].World.Name, places[c].World.Name)
	if far <= alike {
		return fmt.Sprintf("Holds: PageRank is distributed almost alike on all %d graphs, the two farthest apart (%s) differ by at most %s of the PageRank.", len(curves), names, pct(far))
	}
	return fmt.Sprintf("Does not hold on these graphs: the bounds of %s differ by up to %s of the PageRank, after %d %% of the pages (%s has more, theirs are almost the same).",
		names, pct(far), at, moreAt(places, curves, a, c, at))
}

// distance is the largest difference of two curves and the percent of pages it is at.
func distance(a, c measure.Curve) (d float64, at int) {
	for x := 1; x <= 100; x++ {
		u, _ := a.At(float64(x) / 100)
		v, _ := c.At(float64(x) / 100)
		if math.Abs(u-v) > d {
			d, at = math.Abs(u-v), x
		}
	}
	return d, at
}

func moreAt(places []*Place, curves []measure.Curve, a, c, percent int) string {
	u, _ := curves[a].At(float64(percent) / 100)
	v, _ := curves[c].At(float64(percent) / 100)
	if u > v {
		return places[a].World.Name
	}
	return places[c].World.Name
}
