package papers

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// The web fragment of figure 3, made larger: page 1 links to two pages that lead into
// the cluster A, and to page 2. The pages of A link to each other. All other pages lie
// behind page 2 and link back to it, so that it has more backlinks than any of A.
const (
	figurePage1 = graph.Page(0) // pages 1 and 2 of the world lead into A
	figurePage2 = graph.Page(3)
	figureA     = graph.Page(4) // and those after it
)

// trap returns the out-links of the fragment with a pages in the cluster and three times
// as many behind page 2.
func trap(a int) [][]graph.Page {
	out := make([][]graph.Page, int(figureA)+a+3*a)
	var cluster, behind []graph.Page
	for p := figureA; int(p) < len(out); p++ {
		if int(p-figureA) < a {
			cluster = append(cluster, p)
		} else {
			behind = append(behind, p)
			out[p] = []graph.Page{figurePage1, figurePage2}
		}
	}
	out[figurePage1] = []graph.Page{1, 2, figurePage2}
	out[1], out[2], out[figurePage2] = cluster, cluster, behind
	for i, p := range cluster {
		out[p] = slices.Delete(slices.Clone(cluster), i, i+1)
	}
	return out
}

// clusterBefore returns how many pages of A an order fetches before page 2.
func clusterBefore(order []graph.Page, a int) int {
	n := 0
	for _, p := range order[:slices.Index(order, figurePage2)] {
		if p >= figureA && p < figureA+graph.Page(a) {
			n++
		}
	}
	return n
}

// figure3Header returns the header of generated worlds; the places are not used.
func figure3Header(b *Bench) []show.Field {
	return []show.Field{field("worlds", "generated: figure 3 with clusters of 8 to 64 pages"), field("seeds", "page 1"),
		field("policies", "breadth-first, backlink-count, pagerank, opic"), field("options", "one fetcher, no time model"), field("random seed", "%d", b.Random)}
}

// figure3 shows the trap on generated webs.
func figure3(r *run) error {
	policies := []string{"breadth-first", "backlink-count", "pagerank", "opic"}
	t := &show.Table{Columns: []show.Column{{Name: "pages in A", Key: "cluster"}, {Name: "backlinks of page 2"}, {Name: "of a page of A"}}}
	chart := &plot.Chart{Title: "Pages of A visited before page 2", XLabel: "pages in A", YLabel: "pages of A before page 2"}
	for _, p := range policies {
		t.Columns = append(t.Columns, show.Column{Name: "of A before page 2: " + p, Key: p})
		chart.Series = append(chart.Series, plot.Series{Name: p})
	}
	worstBacklink, worstRank := 1.0, 0
	for _, a := range []int{8, 16, 32, 64} {
		before, err := r.trapAt(a, policies)
		if err != nil {
			return err
		}
		row := []any{a, 3*a + 1, a + 1}
		for i, n := range before {
			row = append(row, n)
			chart.Series[i].Add(float64(a), float64(n))
		}
		t.Add(row...)
		worstBacklink, worstRank = min(worstBacklink, measure.Share(before[1], a)), max(worstRank, before[2])
	}
	r.show(show.Section{Title: "Who is trapped", Chart: chart, Table: t})
	r.report.Verdict = figure3Verdict(worstBacklink, worstRank)
	return nil
}

// trapAt returns clusterBefore of each policy.
func (b *Bench) trapAt(a int, policies []string) ([]int, error) {
	d := newDomain(fmt.Sprintf("figure 3, %d pages in A", a), trap(a))
	defer d.free()
	d.Seeds, d.SeedsName = []graph.Page{figurePage1}, "page 1"
	c, err := b.course(&d.Place, byBacklinks, policies...)
	if err != nil {
		return nil, err
	}
	before := make([]int, len(policies))
	for i, r := range c.runs {
		before[i] = clusterBefore(r.Result.Order, a)
	}
	return before, nil
}

func figure3Verdict(backlink float64, pagerank int) string {
	switch {
	case backlink == 1 && pagerank == 0:
		return "Holds on every size generated: backlink order visits all of A before page 2, PageRank order none of it."
	case backlink > 0 && pagerank == 0:
		return fmt.Sprintf("Holds: backlink order visits at least %.0f %% of A before page 2, PageRank order none of it.", 100*backlink)
	}
	return fmt.Sprintf("Does not hold: before page 2 backlink order visits as little as %.0f %% of A, and PageRank order up to %d pages of it.", 100*backlink, pagerank)
}
