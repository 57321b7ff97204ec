package live

import (
	"context"
	"fmt"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
)

// byBatch shows how much of pages and importance each batch of the crawl brought, and when it
// was complete, as the thesis measured its experiment 2 (4.5.2, figure 4.16). It returns false if
// the crawl had no batches, or one.
func (r *Report) byBatch() (s show.Section, ok bool) {
	k, n := r.config.Batch, len(r.Real.Result.Order)
	if r.config.BatchMode == frontier.Continuous.String() || k < 1 || n <= k {
		return s, false
	}
	curve, end := r.Real.Trial.Cumulative(), r.Real.Result.End
	t := &show.Table{Columns: []show.Column{{Name: "batch"}, {Name: "pages"}, {Name: "complete after", Unit: "s", Key: "seconds"},
		{Name: "pages so far", Unit: "%", Key: "pages_share"}, {Name: "importance of the batch", Unit: "%", Key: "importance"}, {Name: "importance so far", Unit: "%", Key: "importance_share"}}}
	docs, ranks := plot.Series{Name: "pages", Baseline: true}, plot.Series{Name: "importance"}
	before := 0.0
	for from := 0; from < n; from += k {
		to := min(n, from+k)
		so := curve.Y[to-1]
		share, when := 100*float64(to)/float64(n), end[to-1].Seconds()
		t.Add(from/k+1, to-from, show.Num(when, 2), show.Num(share, 1), show.Num(100*(so-before), 1), show.Num(100*so, 1))
		docs.Add(when, share)
		ranks.Add(when, 100*so)
		before = so
	}
	return show.Section{Title: "By batch", Table: t, Fold: show.Counted(len(t.Rows), "batch of pages"),
		Chart: &plot.Chart{XLabel: "time of work, s", YLabel: "so far, %", Series: []plot.Series{ranks, docs}, Tight: true},
		Text:  fmt.Sprintf("A batch is %s in the order in which they were fetched (K). Importance is the PageRank of the fetched pages.", show.Counted(k, "page"))}, true
}

// bySiteDepth returns the importance by clicks from the home page of each site, and how many
// fetched pages these do not lead to.
func (r *Report) bySiteDepth() ([]show.Section, error) {
	homes, err := lab.Homes(context.Background(), r.w.Graph)
	if err != nil {
		return nil, err
	}
	depth := lab.SiteDepths(r.world.Sim.Out, r.world.Sim.SiteOf, homes)
	var within []graph.Page
	for _, p := range r.Real.Result.Order {
		if depth[p] >= 0 {
			within = append(within, p)
		}
	}
	list := lab.DepthSections(r.c.Truth, within, "the home page of the site", func(p graph.Page) int { return depth[p] })
	list[0].Text += fmt.Sprintf(" The home page is the fetched page with the shortest URL of a site; depth counts links inside the site. %s not be reached from it so.",
		show.Counted(len(r.Real.Result.Order)-len(within), "fetched page")+" can")
	return list, nil
}
