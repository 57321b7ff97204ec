package papers

import (
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
)

// fetchersLimit is the most pages of one crawl of figure 4.7.
const fetchersLimit = 200_000

// fetchers is figure 4.7: what several fetchers do to the order.
func fetchers(r *run, p *Place) error {
	names, rs := []string{"breadth-first", "larger-sites-first"}, thesisFetchers()
	runs, err := r.timed(p, byPageRank, len(names)*len(rs), func(i int, s *lab.Setting) string {
		s.Fetchers, s.MaxPages = rs[i%len(rs)], fetchersLimit
		return names[i/len(rs)]
	})
	if err != nil {
		return err
	}
	t := &show.Table{Columns: head("strategy", "r", "average", "difference to r = 1, points", "half of PageRank after, % of pages", "time, h", "most active at once")}
	chart := shareChart("Cumulative PageRank, " + p.World.Name)
	for i, run := range runs {
		m, r := run.Measures, rs[i%len(rs)]
		t.Add(run.Policy, r, show.Num(m.Average, 4), show.Num(100*(m.Average-runs[i-i%len(rs)].Measures.Average), 2),
			show.NumOf(m.PagesFor50, 100, 1), show.Num(run.Result.Took.Hours(), 2), run.Result.Trace.Peak())
		chart.Series = append(chart.Series, shareSeries(fmt.Sprintf("%s, r = %d", run.Policy, r), run.Trial.Cumulative()))
	}
	n := runs[0].Measures.Reachable
	chart.Series = append(chart.Series, shareDiagonal(n))
	r.show(show.Section{Title: p.World.Name, Text: fmt.Sprintf("T = %s on %s.", show.Counted(n, "page"), show.Counted(p.World.Sites(), "site")), Chart: chart, Table: t})
	r.find(p.World.Name, fetchersFinding(runs))
	return nil
}

// improves is by how much an average has to rise to be called better: half a point.
const improves = 0.005

// fetchersFinding compares the averages with most fetchers and with one. Where delays
// and not fetchers are the limit, r = 1 takes as long and fetches in much the same order.
func fetchersFinding(runs []*lab.Run) finding {
	n := len(thesisFetchers())
	one, most := runs[0], runs[n-1]
	bfs := most.Measures.Average - one.Measures.Average
	lsf := runs[2*n-1].Measures.Average - runs[n].Measures.Average
	return found(bfs >= improves && math.Abs(lsf) <= 0.01,
		"from r = 1 to 256 breadth-first %+.1f and larger-sites-first %+.1f points, at most %d fetchers active, time from %.1f to %.1f h",
		100*bfs, 100*lsf, most.Result.Trace.Peak(), one.Result.Took.Hours(), most.Result.Took.Hours())
}
