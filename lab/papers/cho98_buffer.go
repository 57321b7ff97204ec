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

// bufferShares returns the sizes of the buffer as shares of E, and tenth the place of
// 10 % among them.
func bufferShares() []float64 { return []float64{0.01, 0.02, 0.05, 0.10, 0.20, 0.50} }

const tenth = 3

// buffer shows the Limited Buffer Crawl. The paper has no finding; a finding here is whether
// it matters by at least five points in which order the pages come.
func buffer(r *run, p *Place) error {
	names := []string{"breadth-first", "backlink-count", r.once().rankedOrder(p), "random"}
	c, err := r.course(p, byBacklinks, names...)
	if err != nil {
		return err
	}
	shares := bufferShares()
	curves := make([][]measure.Curve, len(names)) // by order, then size
	for i := range curves {
		curves[i] = make([]measure.Curve, len(shares))
	}
	graph.Parallel(r.threads(), len(names)*len(shares), func(part int) {
		i, k := part/len(shares), part%len(shares)
		curves[i][k] = bufferKnown(c.runs[i].Trial, p.World.Sim.Out, measure.PagesAt(shares[k], c.Judge.Reachable()))
	})
	kept := make([]float64, len(names))
	for i := range names {
		kept[i] = last(curves[i][tenth])
	}
	high, low := slices.Max(kept), slices.Min(kept)
	r.find(p.World.Name, found(high-low >= 0.05, "from %.1f %% with %s to %.1f %% with %s",
		100*low, names[slices.Index(kept, low)], 100*high, names[slices.Index(kept, high)]))
	r.show(bufferEnds(c, names, curves), r.bufferCourse(p, names, curves))
	return nil
}

// bufferKnown returns P_BC(k) where I' is the number of fetched pages that link to a
// page, kept up to date during the crawl.
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

func bufferVerdict(all []finding) string {
	matters := 0
	var parts []string
	for _, f := range all {
		if f.holds {
			matters++
		}
		parts = append(parts, f.place+" ("+f.numbers+")")
	}
	return fmt.Sprintf("The paper has no result; here the order of the crawl matters by five points or more on %d of %d worlds although every page is visited: of a buffer with room for a tenth of the pages these are hot at the end: %s.",
		matters, len(all), strings.Join(parts, ", "))
}

// last returns the value at the end of a curve.
func last(c measure.Curve) float64 {
	if len(c.Y) == 0 {
		return 0
	}
	return c.Y[len(c.Y)-1]
}

// bufferEnds shows P_BC at the end against B.
func bufferEnds(c *course, names []string, curves [][]measure.Curve) show.Section {
	name := c.place.World.Name
	chart := &plot.Chart{Title: name + ": P_BC at the end", XLabel: "buffer, % of all pages", YLabel: "hot pages in the buffer, %", LogX: true}
	t := &show.Table{Columns: []show.Column{{Name: "B", Unit: "%", Key: "share"}, {Name: "pages", Key: "room"}, {Name: "pages as important as the B-th", Key: "hot"}}}
	for _, n := range append(names, "random") {
		chart.Series = append(chart.Series, plot.Series{Name: n})
		t.Columns = append(t.Columns, show.Column{Name: n, Unit: "%", Key: n})
	}
	t.Columns = t.Columns[:3+len(names)]
	for k, of := range bufferShares() {
		room := measure.PagesAt(of, c.Judge.Reachable())
		row := []any{show.Brief(100 * of), room, c.Judge.HotBest(room).Pages}
		for i := range names {
			v := 100 * last(curves[i][k])
			chart.Series[i].Add(100*of, v)
			row = append(row, show.Num(v, 1))
		}
		chart.Series[len(names)].Add(100*of, 100*of)
		t.Add(row...)
	}
	chart.Series[len(names)].Baseline = true
	return show.Section{Title: name, Text: text("cho98-buffer-ties"), Chart: chart, Table: t}
}

// bufferCourse shows P_BC during the crawl, for a tenth.
func (r *run) bufferCourse(p *Place, names []string, curves [][]measure.Curve) show.Section {
	chart := &plot.Chart{Title: p.World.Name + ": P_BC with room for 10 %", XLabel: "pages crawled, %", YLabel: "hot pages in the buffer, %"}
	for i, n := range names {
		chart.Series = append(chart.Series, r.percents(n, 0, curves[i][tenth]))
	}
	return show.Section{Title: p.World.Name + ": during the crawl", Chart: chart}
}
