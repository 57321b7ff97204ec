package papers

import (
	"fmt"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// Numbers of the paper on late pages: of the top 300, 24 came after the first week.
const (
	lateTop  = 300
	lateWeek = 7
)

// lateListed is how many late pages are listed.
const lateListed = 24

// najorkLate lists top pages that came late, with the links to them (X18).
func najorkLate(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "najork01-late", Header: b.najorkHeader([]string{"breadth-first"}, "PageRank"),
		Intro: []string{"Pages among the top 300 that were crawled after the first week (7 of 58 days). The paper: 24 of 300 (8 %), most of them with many links from their own site and few from others. On webs of fewer than 30,000 pages the best hundredth is taken, at least 20 pages. " + dayText}}
	var few, local []finding
	for _, p := range b.Places {
		one := *b
		one.Starts = 0
		crawls, err := one.crawls58(p, false)
		if err != nil {
			return nil, err
		}
		if len(crawls[0].days) < najorkFew {
			few, local = append(few, tooFew(p.World.Name)), append(local, tooFew(p.World.Name))
			continue
		}
		f, l, s := lateAt(&crawls[0])
		few, local, r.Sections = append(few, f), append(local, l), append(r.Sections, s)
	}
	r.Verdict = verdicts(
		verdict("few of the top pages come late, up to twice the 8 % of the paper", few),
		verdict("late top pages have a larger share of links from their own site than the others", local))
	return r, nil
}

// A topPage is one of the top pages of a crawl.
type topPage struct {
	page          graph.Page
	rank, day     int
	score         float64
	local, remote int // pages of its site, and of others, that link to it
}

// topPages is the best pages with when they came and who links to them, of the pages
// that can be reached.
func (c *crawl58) topPages(n int) []topPage {
	w := c.place.World
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

func lateAt(c *crawl58) (few, local finding, s show.Section) {
	w := c.place.World
	n := min(lateTop, max(20, len(c.days)/100), len(c.days))
	var late, soon []topPage
	for _, t := range c.topPages(n) {
		if t.day > lateWeek {
			late = append(late, t)
		} else {
			soon = append(soon, t)
		}
	}
	t := &show.Table{Columns: []show.Column{{Name: "page"}, {Name: "rank"}, {Name: "PageRank", Key: "score"}, {Name: "day"}, {Name: "links from its site", Key: "local"}, {Name: "from others", Key: "remote"}}}
	for _, x := range late[:min(lateListed, len(late))] {
		row := []show.Cell{show.Words(w.PageName(x.page)), show.Count(x.rank), show.Num(x.score, 1), show.Count(x.day), show.Count(x.local), show.Count(x.remote)}
		if !w.HasSites() {
			row[4], row[5] = show.Count(x.local), show.None()
		}
		t.Rows = append(t.Rows, row)
	}
	s = show.Section{Title: w.Name, Chart: lateChart(c, late, soon), Table: t, Text: lateText(w, n, late, soon)}
	few, local = lateFindings(w, n, late, soon)
	return few, local, s
}

// lateText is the counts beside theirs.
func lateText(w *lab.World, n int, late, soon []topPage) string {
	s := fmt.Sprintf("%d of the top %d (%.1f %%) came after the first week; theirs 24 of 300 (8 %%).", len(late), n, 100*measure.Share(len(late), n))
	if !w.HasSites() {
		return s + " Sites are unknown or there is one: all links are listed as from its site."
	}
	return fmt.Sprintf("%s Of the links to late top pages %.1f %% come from their own site, to the others %.1f %%.", s, 100*localShare(late), 100*localShare(soon))
}

// localShare is the mean, over pages, of the share of the links to a page that come
// from its own site; pages without links do not count.
func localShare(pages []topPage) float64 {
	var shares []float64
	for _, t := range pages {
		if t.local+t.remote > 0 {
			shares = append(shares, measure.Share(t.local, t.local+t.remote))
		}
	}
	if len(shares) == 0 {
		return 0
	}
	return measure.Sum(shares) / float64(len(shares))
}

// fewLate is up to what share of the top pages counts as few: twice theirs.
const fewLate = 0.16

func lateFindings(w *lab.World, n int, late, soon []topPage) (few, local finding) {
	of := measure.Share(len(late), n)
	few = finding{place: w.Name, holds: of <= fewLate, numbers: fmt.Sprintf("%d of %d, %.0f %%", len(late), n, 100*of)}
	local = finding{place: w.Name}
	switch {
	case !w.HasSites():
		local.lacks = "it has no sites or one"
	case len(late) == 0 || len(soon) == 0:
		local.lacks = fmt.Sprintf("%d of its top pages are late, %d are not", len(late), len(soon))
	default:
		a, b := localShare(late), localShare(soon)
		local.holds, local.numbers = a > b, fmt.Sprintf("%.1f %% against %.1f %%", 100*a, 100*b)
	}
	return few, local
}

// lateChart shows the day of each top page by its rank.
func lateChart(c *crawl58, late, soon []topPage) *plot.Chart {
	points := func(name string, pages []topPage) plot.Series {
		s := plot.Series{Name: name}
		for _, t := range pages {
			s.X, s.Y = append(s.X, float64(t.rank)), append(s.Y, float64(t.day))
		}
		return s
	}
	return &plot.Chart{Title: c.place.World.Name + ": day of the top pages", XLabel: "rank", YLabel: "day", LogX: true, Points: true,
		Series: []plot.Series{points("after the first week", late), points("in the first week", soon)}}
}
