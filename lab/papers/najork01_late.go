package papers

import (
	"fmt"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// Of the top 300 of the paper 24 came after the first week, which is 8 %. lateListed is
// how many late pages are listed, fewLate the share up to which they count as few.
const (
	lateTop    = 300
	lateWeek   = 7
	lateListed = 24
	fewLate    = 0.16
)

// A topPage is one of the top pages of a crawl.
type topPage struct {
	page          graph.Page
	rank, day     int
	score         float64
	local, remote int // pages of its site, and of others, that link to it
}

// topPages returns the best pages with when they came and which reachable pages link to
// them.
func (c *crawl58) topPages(n int) []topPage {
	w := c.World
	day := make([]int, w.Pages())
	for k, p := range c.runs[0].Result.Order {
		day[p] = c.days[k]
	}
	scale := c.Truth.Scale()
	var top []topPage
	for i, p := range c.Judge.Ranked()[:n] {
		t := topPage{page: p, rank: i + 1, day: day[p], score: c.Truth.Value[p] * scale}
		for _, q := range w.In.List(p) {
			switch {
			case q == p || day[q] == 0:
			case w.HasSites() && w.Sim.SiteOf[q] != w.Sim.SiteOf[p]:
				t.remote++
			default:
				t.local++
			}
		}
		top = append(top, t)
	}
	return top
}

// late lists top pages that came late, with the links to them.
func late(r *run, c *crawl58) error {
	w, n := c.World, min(lateTop, max(20, len(c.days)/100), len(c.days))
	var late, soon []topPage
	chart := &plot.Chart{Title: w.Name + ": day of the top pages", XLabel: "rank", YLabel: "day", LogX: true, Points: true,
		Series: []plot.Series{{Name: "after the first week"}, {Name: "in the first week"}}}
	for _, t := range c.topPages(n) {
		if t.day > lateWeek {
			late = append(late, t)
			chart.Series[0].Add(float64(t.rank), float64(t.day))
		} else {
			soon = append(soon, t)
			chart.Series[1].Add(float64(t.rank), float64(t.day))
		}
	}
	t := &show.Table{Columns: []show.Column{{Name: "page"}, {Name: "rank"}, {Name: "PageRank", Key: "score"}, {Name: "day"}, {Name: "links from its site", Key: "local"}, {Name: "from others", Key: "remote"}}}
	for _, x := range late[:min(lateListed, len(late))] {
		remote := show.Count(x.remote)
		if !w.HasSites() {
			remote = show.None()
		}
		t.Add(w.PageName(x.page), x.rank, show.Num(x.score, 1), x.day, x.local, remote)
	}
	of := measure.Share(len(late), n)
	about := fmt.Sprintf("%d of the top %d (%.1f %%) came after the first week; theirs 24 of 300 (8 %%).", len(late), n, 100*of)
	if w.HasSites() {
		about += fmt.Sprintf(" Of the links to late top pages %.1f %% come from their own site, to the others %.1f %%.", 100*localShare(late), 100*localShare(soon))
	} else {
		about += " Sites are unknown or there is one: all links are listed as from its site."
	}
	r.show(show.Section{Title: w.Name, Chart: chart, Table: t, Text: about})
	r.find(w.Name, found(of <= fewLate, "%d of %d, %.0f %%", len(late), n, 100*of), localFinding(w.HasSites(), late, soon))
	return nil
}

// localShare returns the mean, over pages, of the share of the links to a page that come
// from its own site; pages without links do not count.
func localShare(pages []topPage) float64 {
	var shares []float64
	for _, t := range pages {
		if t.local+t.remote > 0 {
			shares = append(shares, measure.Share(t.local, t.local+t.remote))
		}
	}
	return measure.Sum(shares) / float64(max(1, len(shares)))
}

// localFinding states whether late top pages have more of their links from their site.
func localFinding(sites bool, late, soon []topPage) finding {
	switch {
	case !sites:
		return finding{lacks: "it has no sites or one"}
	case len(late) == 0 || len(soon) == 0:
		return finding{lacks: fmt.Sprintf("%d of its top pages are late, %d are not", len(late), len(soon))}
	}
	a, b := localShare(late), localShare(soon)
	return found(a > b, "%.1f %% against %.1f %%", 100*a, 100*b)
}
