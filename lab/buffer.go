package lab

import (
	"fmt"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A hotOf is a definition of hot pages by its name.
type hotOf struct {
	name string
	measure.Hot
}

// bufferHot returns the definitions by which P_BC is measured: as important as the B-th best page;
// as the K-th, if crawls stop after K; and at least G, if thresholds were given.
func (c *Comparison) bufferHot() []hotOf {
	list := []hotOf{{"R_B", c.Judge.HotBest(c.Buffer)}}
	if c.MaxPages > 0 {
		list = append(list, hotOf{"R_K", c.Judge.HotBest(c.MaxPages)})
	}
	for _, g := range c.Setting.Hot {
		list = append(list, hotOf{fmt.Sprintf("G=%g", g), c.Judge.HotAbove(g)})
	}
	return list
}

// estimate returns I' of the limited buffer, as far as a crawler can know it.
func (c *Comparison) estimate() measure.Estimate {
	switch {
	case c.Truth.Estimate != nil:
		return c.Truth.Estimate()
	case c.Truth.Metric == measure.PageRankMetric:
		return measure.KnownRank(c.World.Sim.Out, defaultFollow)
	}
	return measure.KnownBacklinks(c.World.Sim.Out)
}

// defaultFollow is the share of its rank that a page passes on.
const defaultFollow = 0.9

// estimateText describes it.
func (c *Comparison) estimateText() string {
	switch {
	case c.Truth.Estimate != nil:
		return "what fetched pages show of themselves"
	case c.Truth.Metric == measure.PageRankMetric:
		return "the PageRank that fetched pages passed on"
	}
	return "the number of fetched pages that link to them"
}

// bufferShares measures a run with a limited buffer.
func (c *Comparison) bufferShares(t *measure.Trial) (list []measure.BufferShare) {
	if c.Buffer == 0 {
		return nil
	}
	room := min(c.Buffer, c.Judge.Reachable())
	for _, h := range c.bufferHot() {
		curve := t.BufferCrawl(room, h.Hot, c.estimate())
		s := measure.BufferShare{Hot: h.name, G: h.G, Pages: h.Pages, Room: room}
		if n := len(curve.Y); n > 0 {
			s.Share = curve.Y[n-1]
		}
		list = append(list, s)
	}
	return list
}

// BufferSection shows P_BC of the runs, and its course by the first definition of hot.
func (c *Comparison) BufferSection(runs []*Run) show.Section {
	room := min(c.Buffer, c.Judge.Reachable())
	t := &show.Table{Columns: []show.Column{{Name: "policy"}}}
	hot := c.bufferHot()
	for _, h := range hot {
		t.Columns = append(t.Columns, show.Column{Name: "P_BC " + h.name, Key: "p_bc_" + h.name})
	}
	chart := &plot.Chart{XLabel: "share of the reachable pages fetched", YLabel: "share of the buffer that is hot"}
	for _, r := range runs {
		row := []any{r.Policy}
		for _, s := range r.Measures.Buffer {
			row = append(row, show.Num(s.Share, 4))
		}
		t.Add(row...)
		chart.Series = append(chart.Series, runSeries(r.Policy, r.Trial.BufferCrawl(room, hot[0].Hot, c.estimate())))
	}
	ideal := []any{"ideal (baseline)"}
	for _, h := range hot {
		ideal = append(ideal, show.Num(min(1, measure.Share(h.Pages, room)), 4))
	}
	t.Add(ideal...)
	return show.Section{
		Title: "P_BC: limited buffer", Table: t, Chart: chart,
		Text: fmt.Sprintf("Crawls keep %s and drop those of the least estimated importance, which is %s. P_BC is the share of hot pages among those kept at the end. Hot is as important as the page of place B (R_B), of place K where the crawl stops (R_K), or as G.",
			show.Counted(room, "page"), c.estimateText()),
	}
}
