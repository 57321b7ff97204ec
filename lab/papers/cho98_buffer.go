package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// bufferShares is the sizes of the buffer as shares of E.
func bufferShares() []float64 { return []float64{0.01, 0.02, 0.05, 0.10, 0.20, 0.50} }

// choBuffer is the Limited Buffer Crawl (P3).
func choBuffer(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "cho98-buffer", Header: b.paperHeader([]string{"breadth-first", "backlink-count", "pagerank", "random"}, "I = backlinks", "eviction by backlinks known"),
		Intro: []string{"The crawler visits all pages but can keep only B of them. When the buffer is full, the page with the fewest backlinks known so far goes, which may be the one just fetched; what went is lost. P_BC is the share of the B pages kept at the end that are hot: at least as many backlinks as the B-th best page. An ideal crawler has 100 %, one that keeps pages at random B/T. The paper defines this model and does not run it, so there is nothing to hold it against; the question is what is lost by guessing with known backlinks, and whether the order of the crawl matters although every page is visited."}}
	var all []bufferResult
	for _, p := range b.Places {
		f, s, err := b.bufferAt(p)
		if err != nil {
			return nil, err
		}
		all, r.Sections = append(all, f), append(r.Sections, s...)
	}
	r.Verdict = bufferVerdict(all)
	return r, nil
}

func (b *Bench) bufferAt(p *Place) (f bufferResult, s []show.Section, err error) {
	t, err := p.Backlinks(b)
	if err != nil {
		return f, nil, err
	}
	one := *b
	one.Starts = 0
	names := []string{"breadth-first", "backlink-count", one.rankedOrder(p), "random"}
	c, err := one.courses(p, t, names)
	if err != nil {
		return f, nil, err
	}
	shares := bufferShares()
	curves := make([][]measure.Curve, len(names))
	for i := range curves {
		curves[i] = make([]measure.Curve, len(shares))
	}
	graph.Parallel(b.threads(), len(names)*len(shares), func(part int) {
		i, k := part/len(shares), part%len(shares)
		curves[i][k] = bufferKnown(c[0].runs[i].Trial, p.World.Sim.Out, measure.PagesAt(shares[k], c[0].Judge.Reachable()))
	})
	f = bufferResult{place: p.World.Name, names: names}
	for i := range names {
		f.kept = append(f.kept, last(curves[i][tenth]))
	}
	return f, []show.Section{bufferEnds(p, names, curves, c[0].Judge), bufferCourse(p, names, curves)}, nil
}

// bufferKnown is P_BC(k) where I' is the number of fetched pages that link to a page,
// kept up to date during the crawl.
func bufferKnown(t *measure.Trial, out *graph.Lists, room int) measure.Curve {
	known := make([]uint32, out.Pages())
	return t.BufferCrawl(room, func(p graph.Page, update func(graph.Page, float64)) float64 {
		for _, q := range out.List(p) {
			if q != p {
				known[q]++
				update(q, float64(known[q]))
			}
		}
		return float64(known[p])
	})
}

// tenth is the place of 10 % in bufferShares.
const tenth = 3

// A bufferResult is P_BC at the end with room for a tenth of the pages, by order.
type bufferResult struct {
	place string
	names []string
	kept  []float64
}

// bufferVerdict says what was found, as the paper has no finding: whether it matters
// in which order the pages come, by at least five points.
func bufferVerdict(all []bufferResult) string {
	matters := 0
	var parts []string
	for _, r := range all {
		high, low := slices.Max(r.kept), slices.Min(r.kept)
		if high-low >= 0.05 {
			matters++
		}
		parts = append(parts, fmt.Sprintf("%s (from %.1f %% with %s to %.1f %% with %s)", r.place,
			100*low, r.names[slices.Index(r.kept, low)], 100*high, r.names[slices.Index(r.kept, high)]))
	}
	return fmt.Sprintf("The paper has no result; here the order of the crawl matters by five points or more on %d of %d worlds although every page is visited: of a buffer with room for a tenth of the pages these are hot at the end: %s.",
		matters, len(all), strings.Join(parts, ", "))
}

// last is the value at the end of a curve.
func last(c measure.Curve) float64 {
	if len(c.Y) == 0 {
		return 0
	}
	return c.Y[len(c.Y)-1]
}

// bufferEnds is P_BC at the end against B.
func bufferEnds(p *Place, names []string, curves [][]measure.Curve, j *measure.Judge) show.Section {
	chart := &plot.Chart{Title: p.World.Name + ": P_BC at the end", XLabel: "buffer, % of all pages", YLabel: "hot pages in the buffer, %", LogX: true}
	t := &show.Table{Columns: []show.Column{{Name: "B", Unit: "%", Key: "share"}, {Name: "pages", Key: "room"}, {Name: "pages as important as the B-th", Key: "hot"}}}
	for _, n := range names {
		chart.Series = append(chart.Series, plot.Series{Name: n})
		t.Columns = append(t.Columns, show.Column{Name: n, Unit: "%", Key: n})
	}
	at := plot.Series{Name: "random", Baseline: true}
	for k, of := range bufferShares() {
		room := measure.PagesAt(of, j.Reachable())
		row := []show.Cell{show.Brief(100 * of), show.Count(room), show.Count(j.HotBest(room).Pages)}
		for i := range names {
			v := 100 * last(curves[i][k])
			chart.Series[i].X, chart.Series[i].Y = append(chart.Series[i].X, 100*of), append(chart.Series[i].Y, v)
			row = append(row, show.Num(v, 1))
		}
		at.X, at.Y = append(at.X, 100*of), append(at.Y, 100*of)
		t.Rows = append(t.Rows, row)
	}
	chart.Series = append(chart.Series, at)
	return show.Section{Title: p.World.Name, Text: "A page that is as important as the B-th best is hot also when there are more of these than fit: P_BC is easy to get where many pages have equally few backlinks.", Chart: chart, Table: t}
}

// bufferCourse is P_BC during the crawl, for a tenth.
func bufferCourse(p *Place, names []string, curves [][]measure.Curve) show.Section {
	chart := &plot.Chart{Title: p.World.Name + ": P_BC with room for 10 %", XLabel: "pages crawled, %", YLabel: "hot pages in the buffer, %"}
	b := Bench{}
	for i, n := range names {
		chart.Series = append(chart.Series, b.percentSeries(n, []measure.Curve{curves[i][tenth]}, 0, 100))
	}
	return show.Section{Title: p.World.Name + ": during the crawl", Chart: chart}
}
