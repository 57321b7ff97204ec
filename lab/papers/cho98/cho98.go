// Package cho98 repeats the experiments of Cho, Garcia-Molina and Page, "Efficient crawling
// through URL ordering" (WWW7, 1998), sections 3, 6 and 7: 179,000 reachable pages of
// stanford.edu, crawled from its home page. Their graphs survive as pictures without numbers;
// ours are compared with the text about them.
package cho98

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

//go:embed texts/*.txt
var texts embed.FS

// text returns a text of this package. Arguments are those of its verbs.
func text(name string, args ...any) string { return experiment.Text(texts, name, args...) }

// Experiments lists the experiments of the paper.
func Experiments() []experiment.Experiment {
	return experiment.Paper("cho98", "Cho, Garcia-Molina, Page 1998", texts, slices.Concat(aboutLinks(), aboutTopics()))
}

// aboutLinks lists those about links.
func aboutLinks() []experiment.Experiment {
	return []experiment.Experiment{
		{Name: "graph1", Paper: "section 6, graph 1", What: "hot pages found by backlink order for three definitions of hot",
			Header: experiment.OrderHeader([]string{"backlink-count"}, "I = backlinks"), At: graph1,
			Claims: []string{"the larger G, the faster hot pages are found",
				"right of 80 % hot pages come at the rate of a random crawler, within 20 %"}},
		{Name: "graph2", Paper: "section 6, graph 2", What: "pages with many backlinks found by four orders",
			Header: experiment.OrderHeader(choPolicies(), "I = backlinks"), At: graph2,
			Claims: []string{"PageRank order finds hot pages before backlink order",
				"breadth-first, backlink and PageRank order all find them before a random crawler (mean 0.5)"}},
		{Name: "graph3", Paper: "section 6, graph 3", What: "the same as Crawl & Stop, which needs no threshold",
			Header: experiment.OrderHeader(choPolicies(), "I = backlinks"), At: graph3,
			Claims: []string{"by P_CS the paper's three orders and random come in the same order as by P_ST"}},
		{Name: "graph4", Paper: "section 6, graph 4", What: "pages of high PageRank found by four orders",
			Header: experiment.OrderHeader(choPolicies(), "I = PageRank, follow 0.9, mean 1"), At: graph4,
			Claims: []string{"PageRank order finds pages of high PageRank faster than it finds those with many backlinks",
				"it finds them before breadth-first and backlink order"}},
		{Name: "graph5", Paper: "section 6, graph 5", What: "a small domain, where orders can be worse than random",
			Header: experiment.OrderHeader([]string{"breadth-first", "backlink-count", "pagerank"}, "I = backlinks", "closed worlds of one site each"), At: graph5,
			Claims: []string{"at least one order is worse than random for a stretch of the crawl (in the paper all three are)"}},
		{Name: "graph6", Paper: "section 6, graph 6", What: "histogram of backlink counts in a small domain",
			Header: experiment.OrderHeader(nil, "backlinks counted once per linking page"), At: graph6, Own: "the number of backlinks",
			Claims: []string{"most pages have fewer than 10 backlinks"}},
		{Name: "figure3", Paper: "section 6, figure 3", What: "the cluster that traps backlink order, generated", Header: figure3Header, All: figure3, Own: "the number of backlinks"},
		{Name: "buffer", Paper: "section 3, Limited Buffer Crawl", What: "hot pages in a buffer of B pages, which the paper defined and never ran",
			Header: experiment.OrderHeader([]string{"breadth-first", "backlink-count", "pagerank", "random"}, "I = backlinks", "eviction by backlinks known"),
			At:     buffer, Verdict: bufferVerdict},
	}
}

// A hotRule selects the hot pages of any E: those with importance of at least g, or the
// best share of E where g is 0.
type hotRule struct{ g, share float64 }

func (r hotRule) of(j *measure.Judge) measure.Hot {
	if r.g > 0 {
		return j.HotAbove(r.g)
	}
	return j.HotTop(r.share)
}

func (r hotRule) String() string {
	if r.g > 0 {
		return "G = " + plot.Number(r.g)
	}
	return "top " + plot.Number(100*r.share) + " %"
}

// ideal returns P_ST of a crawler that fetches the hot pages first.
func (r hotRule) ideal(j *measure.Judge) measure.Curve {
	return measure.IdealFound(r.of(j).Pages, j.Reachable(), j.Reachable())
}

// fewHot is the least number of hot pages from which a curve is drawn.
const fewHot = 10

// usable reports whether a threshold divides E into hot pages and others: some, and not
// nearly all.
func usable(h measure.Hot, reachable int) bool {
	return h.Pages >= fewHot && measure.Share(h.Pages, reachable) <= 0.75
}

// scaled returns the threshold g of the paper where it means here about what it meant
// there: at least ten hot pages and no more than five times their share. Elsewhere it
// returns the best pages of that share, or more of them where these would be fewer than
// ten.
func scaled(j *measure.Judge, g, theirs float64) hotRule {
	h := j.HotAbove(g)
	if h.Pages >= fewHot && measure.Share(h.Pages, j.Reachable()) <= 5*theirs {
		return hotRule{g: g}
	}
	return hotRule{share: max(theirs, measure.Share(fewHot, j.Reachable()))}
}

// ruleText describes which threshold was taken and why.
func ruleText(j *measure.Judge, r hotRule, g float64) string {
	h := r.of(j)
	s := fmt.Sprintf("Hot are %d of %d pages (%.2f %%), those with importance %s or more", h.Pages, j.Reachable(), 100*measure.Share(h.Pages, j.Reachable()), plot.Number(h.G))
	if r.g > 0 {
		return s + "."
	}
	return fmt.Sprintf("%s (the %s; with G = %s it would be %d pages).", s, r, plot.Number(g), j.HotAbove(g).Pages)
}

// bufferShares returns the sizes of the buffer as shares of E, and tenth the place of
// 10 % among them.
func bufferShares() []float64 { return []float64{0.01, 0.02, 0.05, 0.10, 0.20, 0.50} }

const tenth = 3

// buffer shows the Limited Buffer Crawl. The paper has no finding; a finding here is whether
// it matters by at least five points in which order the pages come.
func buffer(r *experiment.Run, p *experiment.Place) error {
	names := []string{"breadth-first", "backlink-count", rankedOrder(r.Once(), p), "random"}
	c, err := r.Course(p, experiment.ByBacklinks, names...)
	if err != nil {
		return err
	}
	shares := bufferShares()
	curves := make([][]measure.Curve, len(names)) // by order, then size
	for i := range curves {
		curves[i] = make([]measure.Curve, len(shares))
	}
	graph.Parallel(r.Workers(), len(names)*len(shares), func(part int) {
		i, k := part/len(shares), part%len(shares)
		room := measure.PagesAt(shares[k], c.Judge.Reachable())
		curves[i][k] = c.Runs[i].Trial.BufferCrawl(room, c.Judge.HotBest(room), measure.KnownBacklinks(p.World.Sim.Out))
	})
	kept := make([]float64, len(names))
	for i := range names {
		kept[i] = last(curves[i][tenth])
	}
	high, low := slices.Max(kept), slices.Min(kept)
	r.Find(p.World.Name, experiment.Found(high-low >= 0.05, "from %.1f %% with %s to %.1f %% with %s",
		100*low, names[slices.Index(kept, low)], 100*high, names[slices.Index(kept, high)]))
	r.Show(bufferEnds(c, names, curves), bufferCourse(r, c, names, curves))
	return nil
}

func bufferVerdict(all []experiment.Finding) string {
	matters := 0
	var parts []string
	for _, f := range all {
		if f.Holds {
			matters++
		}
		parts = append(parts, f.Place+" ("+f.Numbers+")")
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
func bufferEnds(c *experiment.Course, names []string, curves [][]measure.Curve) show.Section {
	name := c.Place.World.Name
	chart := &plot.Chart{Title: name + ": P_BC at the end", XLabel: "buffer, % of all pages", YLabel: "hot pages in the buffer, %", LogX: true}
	t := &show.Table{Columns: []show.Column{{Name: "B", Unit: "%", Key: "share"}, {Name: "pages", Key: "room"}, {Name: "pages as important as the B-th", Key: "hot"}}}
	for _, n := range names {
		chart.Series = append(chart.Series, plot.Series{Name: n})
		t.Columns = append(t.Columns, show.Column{Name: n, Unit: "%", Key: n})
	}
	ideal, random := plot.Series{Name: "ideal", Baseline: true}, plot.Series{Name: "random", Baseline: true}
	for k, of := range bufferShares() {
		room := measure.PagesAt(of, c.Judge.Reachable())
		row := []any{show.Brief(100 * of), room, c.Judge.HotBest(room).Pages}
		for i := range names {
			v := 100 * last(curves[i][k])
			chart.Series[i].Add(100*of, v)
			row = append(row, show.Num(v, 1))
		}
		ideal.Add(100*of, 100)
		random.Add(100*of, 100*of)
		t.Add(row...)
	}
	chart.Series = append(chart.Series, ideal, random)
	return show.Section{Title: name, Text: text("buffer-ties"), Chart: chart, Table: t}
}

// bufferCourse shows P_BC during the crawl, for a tenth. A random crawler fetches any page and keeps
// any: a tenth of the hot ones once the buffer is full.
func bufferCourse(r *experiment.Run, c *experiment.Course, names []string, curves [][]measure.Curve) show.Section {
	p, of := c.Place, bufferShares()[tenth]
	chart := &plot.Chart{Title: p.World.Name + ": P_BC with room for 10 %", XLabel: "pages crawled, %", YLabel: "hot pages in the buffer, %"}
	for i, n := range names {
		chart.Series = append(chart.Series, r.Percents(n, 0, curves[i][tenth]))
	}
	full := 100 * measure.Share(c.Judge.HotBest(measure.PagesAt(of, c.Judge.Reachable())).Pages, c.Judge.Reachable())
	chart.Series = append(chart.Series, plot.Series{Name: "ideal", X: []float64{0, full, 100}, Y: []float64{0, 100, 100}, Baseline: true},
		plot.Series{Name: "random", X: []float64{0, 100 * of, 100}, Y: []float64{0, 100 * of, 100 * of}, Baseline: true})
	return show.Section{Title: p.World.Name + ": during the crawl", Chart: chart}
}
