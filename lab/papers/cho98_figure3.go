package papers

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// The web fragment of figure 3, made larger: page 1 links to two pages that lead into
// the cluster A, and to page 2. The pages of A link to each other. All other pages lie
// behind page 2 and link back to it, so that it has more backlinks than any of A.
const (
	figurePage1 = graph.Page(0)
	figureDoors = 2 // pages 1 and 2 of the world
	figurePage2 = graph.Page(3)
	figureA     = graph.Page(4) // and those after it
)

// trap is the out-links of the fragment with a pages in the cluster and three times as
// many behind page 2.
func trap(a int) [][]graph.Page {
	rest := 3 * a
	out := make([][]graph.Page, int(figureA)+a+rest)
	cluster, behind := pageRange(figureA, a), pageRange(figureA+graph.Page(a), rest)
	out[figurePage1] = []graph.Page{1, 2, figurePage2}
	out[1], out[2] = cluster, cluster
	out[figurePage2] = behind
	for i, p := range cluster {
		out[p] = slices.Delete(slices.Clone(cluster), i, i+1)
	}
	for _, p := range behind {
		out[p] = []graph.Page{figurePage1, figurePage2}
	}
	return out
}

// pageRange is n pages from a first one on.
func pageRange(first graph.Page, n int) []graph.Page {
	p := make([]graph.Page, n)
	for i := range p {
		p[i] = first + graph.Page(i)
	}
	return p
}

// trapPlace is the fragment as a place, crawled from page 1.
func trapPlace(a int) *domain {
	out := trap(a)
	links := 0
	for _, l := range out {
		links += len(l)
	}
	lists := graph.NewLists(len(out), int64(links))
	off, to := lists.Off.Slice(), lists.To.Slice()
	for p, l := range out {
		off[p+1] = off[p] + uint64(copy(to[off[p]:], l))
	}
	d := &domain{title: fmt.Sprintf("figure 3, %d pages in A", a), made: []*graph.Lists{lists, rank.Transpose(lists)}}
	d.World = &lab.World{Name: d.title, In: d.made[1], Sim: sim.World{Out: lists}}
	d.Seeds, d.SeedsName = []graph.Page{figurePage1}, "page 1"
	return d
}

// clusterBefore is how many pages of A an order fetches before page 2.
func clusterBefore(order []graph.Page, a int) int {
	n := 0
	for _, p := range order {
		if p == figurePage2 {
			break
		}
		if p >= figureA && p < figureA+graph.Page(a) {
			n++
		}
	}
	return n
}

// choFigure3 shows the trap (X7, O3) on generated webs; the places are not used.
func choFigure3(b *Bench) (*show.Report, error) {
	policies := []string{"breadth-first", "backlink-count", "pagerank", "opic"}
	sizes := []int{8, 16, 32, 64}
	r := &show.Report{Title: "cho98-figure3",
		Header: []show.Field{{Name: "worlds", Value: "generated: figure 3 with clusters of 8 to 64 pages"}, {Name: "seeds", Value: "page 1"}, {Name: "policies", Value: "breadth-first, backlink-count, pagerank, opic"}, {Name: "options", Value: "one fetcher, no time model"}, {Name: "random seed", Value: fmt.Sprint(b.Random)}},
		Intro:  []string{"Page 1 links to page 2 and, through two other pages, to a cluster A of pages that all link to each other; page 2 has more backlinks than any page of A, but these come from pages that only it leads to. The paper: backlink order visits A first, since its pages temporarily have more backlinks; PageRank order visits page 2 first, since its link comes from a high-ranking page. These webs are made; the graphs given play no part."}}
	t := &show.Table{Columns: []show.Column{{Name: "pages in A", Key: "cluster"}, {Name: "backlinks of page 2"}, {Name: "of a page of A"}}}
	chart := &plot.Chart{Title: "Pages of A visited before page 2", XLabel: "pages in A", YLabel: "pages of A before page 2"}
	for _, p := range policies {
		t.Columns = append(t.Columns, show.Column{Name: "of A before page 2: " + p, Key: p})
		chart.Series = append(chart.Series, plot.Series{Name: p})
	}
	worstBacklink, worstRank := 1.0, 0
	for _, a := range sizes {
		before, err := b.trapAt(a, policies)
		if err != nil {
			return nil, err
		}
		row := []show.Cell{show.Count(a), show.Count(3*a + 1), show.Count(a + 1)}
		for i, n := range before {
			row = append(row, show.Count(n))
			chart.Series[i].X, chart.Series[i].Y = append(chart.Series[i].X, float64(a)), append(chart.Series[i].Y, float64(n))
		}
		t.Rows = append(t.Rows, row)
		worstBacklink, worstRank = min(worstBacklink, measure.Share(before[1], a)), max(worstRank, before[2])
	}
	r.Sections = []show.Section{{Title: "Who is trapped", Chart: chart, Table: t}}
	r.Verdict = figure3Verdict(worstBacklink, worstRank)
	return r, nil
}

// trapAt is clusterBefore of each policy.
func (b *Bench) trapAt(a int, policies []string) ([]int, error) {
	d := trapPlace(a)
	defer d.free()
	one := *b
	one.Starts = 0
	t, err := d.Backlinks(&one)
	if err != nil {
		return nil, err
	}
	c, err := one.courses(&d.Place, t, policies)
	if err != nil {
		return nil, err
	}
	before := make([]int, len(policies))
	for i, r := range c[0].runs {
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
