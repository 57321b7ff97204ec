package cho98

import (
	"context"
	"testing"

	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
)

// A 6, figure 3, X7 and O3: backlink order enters the cluster A before page 2, PageRank
// order does not.
func TestPaperClusterTrap(t *testing.T) {
	b := &experiment.Bench{Context: context.Background(), Random: 1, Threads: 1}
	for _, a := range []int{8, 20, 50} {
		before, err := trapAt(b, a, []string{"backlink-count", "pagerank", "breadth-first"})
		if err != nil {
			t.Fatal(err)
		}
		if before[0] != a || before[1] != 0 || before[2] != 0 {
			t.Errorf("of %d pages of A come before page 2: %d with backlink-count, %d with pagerank, %d with breadth-first; want all, 0 and 0", a, before[0], before[1], before[2])
		}
	}
}

// A 6, graphs 1 to 4, X1 to X4, on generated webs: the larger G, the faster hot pages
// are found; each order beats the diagonal; PageRank order finds pages of high PageRank
// faster than those with many backlinks. That it finds those with many backlinks before
// backlink order does (X2) holds on the wiki and not on the synthetic web (0.878
// against 0.930).
func TestPaperGraphs(t *testing.T) {
	experimenttest.Long(t)
	b := &experiment.Bench{Context: context.Background(), Random: 1, Threads: 2}
	for _, p := range []*experiment.Place{experimenttest.Mid(t), experimenttest.Wiki(t)} {
		names := choOrders(b, p)
		c, err := b.Courses(p, experiment.ByBacklinks, names...)
		if err != nil {
			t.Fatal(err)
		}
		m := bySeeds(foundRows(c, scaled(c[0].Judge, 100, 0.008)))
		for _, i := range []int{breadthFirst, backlinkCount, pagerankOrder} {
			if m[i] <= diagonalMean {
				t.Errorf("%s: %s finds hot pages no faster than random: %.3f", p.World.Name, names[i], m[i])
			}
		}
		if p.World.Name == "wiki-1000" && m[pagerankOrder] <= m[backlinkCount] {
			t.Errorf("wiki: mean P_ST of PageRank order %.3f, of backlink order %.3f", m[pagerankOrder], m[backlinkCount])
		}
		rows := []hotRow{}
		for _, r := range []hotRule{{share: 0.47}, {share: 0.1}, {share: 0.008}} {
			rows = append(rows, hotRow{rule: r, area: c[0].Runs[backlinkCount].Trial.Found(r.of(c[0].Judge)).Mean()})
		}
		if !(rows[0].area < rows[1].area && rows[1].area < rows[2].area) {
			t.Errorf("%s: mean P_ST for fewer and fewer hot pages: %.3f, %.3f, %.3f", p.World.Name, rows[0].area, rows[1].area, rows[2].area)
		}
		high, err := foundBy(b, experiment.ByPageRank, c[0], 13)
		if err != nil {
			t.Fatal(err)
		}
		if got := high[pagerankOrder]; got <= m[pagerankOrder] {
			t.Errorf("%s: PageRank order finds pages of high PageRank with %.3f, those with many backlinks with %.3f", p.World.Name, got, m[pagerankOrder])
		}
	}
}
