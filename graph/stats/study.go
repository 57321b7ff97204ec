package stats

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
)

// A Study holds all that is measured of a graph: its numbers, what seeds reach, and how it
// differs from an older snapshot.
type Study struct {
	Report
	Reach   *Reached  `json:"reach,omitempty"`
	Against *Snapshot `json:"against,omitempty"`
}

// Reached describes what a seed set reaches.
type Reached struct {
	Seeds     string  `json:"seeds"` // homes, best or a file
	SeedPages int     `json:"seed_pages"`
	FirstSeed string  `json:"first_seed"` // URL or id
	Pages     int64   `json:"pages"`
	Share     float64 `json:"share"`
	Depth     int     `json:"depth"`    // of the farthest page
	AtDepth   []int64 `json:"at_depth"` // pages first reached, by number of steps
}

// Follow follows the links from seeds. The caller adds their names.
func Follow(g *graph.Graph, seeds []graph.Page, shown Progress) (*Reached, error) {
	r := &Reached{SeedPages: len(seeds)}
	links := graph.Watch(g.Forward(), shown.Of("follow links"))
	r.AtDepth = Reach(g.Pages(), links.Reader(), seeds)
	if err := links.Err(); err != nil {
		return nil, err
	}
	for _, n := range r.AtDepth {
		r.Pages += n
	}
	r.Depth = len(r.AtDepth) - 1
	r.Share = float64(r.Pages) / float64(g.Pages())
	return r, nil
}

// A Snapshot is an older state of the same web, compared with the present one. A sample
// represents the whole if the exponents agree.
type Snapshot struct {
	Graph string `json:"graph"`
	By    string `json:"by"` // what makes two pages the same: url or id
	Overlap
	Old   *Report     `json:"old"`
	Ranks *RankChange `json:"ranks,omitempty"` // nil without PageRank
}

// Against measures an older snapshot and what it has in common with g, of which now is the report.
func Against(ctx context.Context, old, g *graph.Graph, now *Report, ranks bool, shown Progress) (*Snapshot, error) {
	to, by, err := Match(ctx, old, g)
	if err != nil {
		return nil, err
	}
	links := graph.Watch(old.Forward(), shown.Of("compare links"))
	r := &Snapshot{Graph: old.Path(), By: by, Overlap: Compare(links, to, g.Pages(), g.Forward().Reader())}
	if err := links.Err(); err != nil {
		return nil, err
	}
	if r.Old, err = Measure(old, ranks, shown); err == nil && now.scores != nil && r.Old.scores != nil {
		r.Ranks = changeOfRanks(r.Old.scores, now.scores, to, r.Overlap)
	}
	return r, err
}

// Text returns the study for people, with pictures of characters. ascii restricts it to
// ASCII.
func (r *Study) Text(ascii bool) string {
	t := &text{ascii: ascii}
	t.counts(r)
	t.spreads(&r.Report)
	if len(r.LargestSites) > 0 {
		t.printf("\n")
		t.list(show.Rows(r.LargestSites))
	}
	if r.Reach != nil {
		t.reach(r.Reach, int64(r.Pages))
	}
	if r.Links > 0 {
		t.plot(&r.Report)
	}
	if r.Against != nil {
		t.against(r.Against, &r.Report)
	}
	return t.String()
}

// A text is what Study.Text has written so far.
type text struct {
	strings.Builder
	ascii bool
}

func (t *text) printf(format string, args ...any) { fmt.Fprintf(t, format, args...) }

func (t *text) list(l *show.List) { l.Print(t) } // a Builder returns no error

// counts writes where the graph comes from, what is in it and how much room it takes.
func (t *text) counts(r *Study) {
	t.printf("%s\n", r.Graph)
	t.printf("origin: %s\n", r.Origin)
	if r.Card.Source != "" {
		t.printf("made from: %s\n", r.Card.Source)
	}
	t.printf("\n")
	l := show.NewList()
	l.AddFields(r)
	l.AddFields(r.Card)
	t.list(l)
}

// spreads writes the distributions.
func (t *text) spreads(r *Report) {
	t.printf("\n")
	l := show.NewList("", "mean", "max", "exponent", "from", "pages in tail")
	add := func(name string, s *Spread) {
		if s == nil {
			return
		}
		if s.Fit == nil {
			l.Add(name, plot.Number(s.Mean), plot.Number(s.Max), "-", "-", "-")
			return
		}
		l.Add(name, plot.Number(s.Mean), plot.Number(s.Max), s.Exponent(), plot.Number(s.Fit.Least), show.Grouped(s.Fit.Tail))
	}
	add("in-degree", r.InDegrees)
	add("out-degree", r.OutDegrees)
	add("PageRank, mean 1", r.PageRank)
	t.list(l)
	if r.Held != nil {
		t.printf("\nof the PageRank %.1f %% is held by the best 1 %% of the pages, %.1f %% by the best 10 %%\n", 100*r.Held.Top1, 100*r.Held.Top10)
	}
}

// reach writes what the seeds reach, of a number of pages.
func (t *text) reach(r *Reached, pages int64) {
	from := fmt.Sprintf("%s (%s pages, the first is %s)", r.Seeds, show.Grouped(int64(r.SeedPages)), r.FirstSeed)
	if r.SeedPages == 1 {
		from = fmt.Sprintf("%s (%s)", r.Seeds, r.FirstSeed)
	}
	depths := make([]float64, len(r.AtDepth))
	for i, n := range r.AtDepth {
		depths[i] = float64(n)
	}
	t.printf("\nreach from %s: %s pages, %s, depth %d\n", from, show.Grouped(r.Pages), show.Percent(r.Pages, pages), r.Depth)
	t.printf("pages by depth: %s\n", plot.Sparkline(depths, 0, t.ascii))
}

// plot draws the distributions of degrees.
func (t *text) plot(r *Report) {
	t.printf("\n%s", plot.LogLog(plot.Chart{
		Title: "pages by degree", XLabel: "degree", YLabel: "pages",
		Series: []plot.Series{series("in-degree", r.InDegrees.Bins), series("out-degree", r.OutDegrees.Bins)},
		Width:  60, Height: 14, ASCII: t.ascii,
	}))
}

// series returns the bins of a distribution as points: pages per unit of the value.
func series(name string, bins []Bin) plot.Series {
	s := plot.Series{Name: name}
	for _, b := range bins {
		if b.Pages > 0 && b.Lo > 0 {
			s.X, s.Y = append(s.X, b.Centre()), append(s.Y, b.Density())
		}
	}
	return s
}

// against writes the comparison of an older snapshot with the present one.
func (t *text) against(r *Snapshot, now *Report) {
	t.printf("\nagainst %s, pages matched by %s\n", r.Graph, r.By)
	l := show.NewList()
	l.AddFields(r.Overlap)
	t.list(l)
	t.printf("\n")
	l = show.NewList("", "new", "old")
	l.Add("pages", show.Grouped(int64(now.Pages)), show.Grouped(int64(r.Old.Pages)))
	l.Add("of them kept", show.Percent(r.PagesKept, int64(now.Pages)), show.Percent(r.PagesKept, int64(r.Old.Pages)))
	l.Add("links", show.Grouped(now.Links), show.Grouped(r.Old.Links))
	l.Add("dangling", show.Percent(now.Dangling, int64(now.Pages)), show.Percent(r.Old.Dangling, int64(r.Old.Pages)))
	l.Add("in-degree exponent", now.InDegrees.Exponent(), r.Old.InDegrees.Exponent())
	l.Add("out-degree exponent", now.OutDegrees.Exponent(), r.Old.OutDegrees.Exponent())
	if now.PageRank != nil && r.Old.PageRank != nil {
		l.Add("PageRank exponent", now.PageRank.Exponent(), r.Old.PageRank.Exponent())
	}
	t.list(l)
	if r.Ranks != nil && r.Ranks.Pages > 0 {
		t.ranks(r.Ranks)
	}
}

// ranks writes how ranks have changed.
func (t *text) ranks(c *RankChange) {
	percent := func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
	t.printf("\nPageRank of the %s pages of both\n", show.Grouped(int64(c.Pages)))
	l := show.NewList("", "all", "best tenth", "in the literature")
	l.Add("relative error of the old one, mean", percent(c.Error), percent(c.ErrorTop), "78 % after four months")
	l.Add("distance between old and new place, mean", percent(c.Moved), percent(c.MovedTop), "smaller for the best")
	l.Add("share of the new PageRank", percent(c.Held), "-", "72 %, on 55 % of the pages")
	l.Add("new among the links between them", percent(c.NewLinks), "-", "25 % after a week")
	for _, x := range c.Top {
		l.Add(fmt.Sprintf("of the top %s, there before", show.Grouped(int64(x.N))), percent(x.Share), "-", "60 to 80 % after half of a crawl")
	}
	t.list(l)
}

// SVG draws the curve and, for comparison, what a crawl in random order gathers.
func (c *Concentration) SVG() string {
	return plot.SVG(plot.Chart{
		Title:  "Share of PageRank gathered, best pages first",
		XLabel: "pages fetched, percent", YLabel: "PageRank, percent",
		Series: []plot.Series{
			{Name: "best first", X: c.Pages, Y: c.Held},
			{Name: "random order", X: []float64{0, 100}, Y: []float64{0, 100}},
		},
	})
}
