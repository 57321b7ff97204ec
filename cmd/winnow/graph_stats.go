package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/stats"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
)

type statsOptions struct {
	seeds   string // homes, best or a file; "": homes where there are URLs
	against string // an older snapshot to compare with
	noRank  bool   // without PageRank, which needs memory for all links
	svg     string // file for a picture of the concentration of PageRank
}

func newStatsCommand(u *ui) *cobra.Command {
	opt := &statsOptions{}
	cmd := &cobra.Command{
		Use:   "stats G [--seeds homes|best|FILE] [--against OLD] [--no-rank]",
		Short: "measure a graph: links, sites, distributions, reach, bytes",
		Long: `Prints counts, the share of dangling pages and of links inside a site, the distributions of
in-degrees, out-degrees and PageRank with the exponents of the power laws fitted to their
tails, the largest sites, how many pages a seed set reaches and how deep, and the bytes per
link.

--seeds homes is the shortest URL of each site, best the one of the 64 pages with most
out-links that reaches most, FILE a list of URLs or ids (a file that is called best is
./best). The default is homes where URLs are known, else best.

--against compares with an older snapshot of the same web: the pages and links that were
kept, removed and added, matched by URL if both graphs have URLs, else by id, and the
exponents of both side by side.`,
		Example: `  winnow graph stats web.wg
  winnow graph stats web.wg --seeds best --json
  winnow graph stats web.wg --svg curve.svg
  winnow graph stats mdn-2026.wg --against mdn-2021.wg`,
		Args: exactly("GRAPH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStats(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.seeds, "seeds", "", "where reach is measured from: homes, best or a file (default: homes, or best without URLs)")
	completes(cmd, "seeds", seedsHomes, seedsBest)
	f.StringVar(&opt.against, "against", "", "an older snapshot to compare with")
	f.StringVar(&opt.svg, "svg", "", "draw to this file how much of the PageRank the best pages hold")
	f.BoolVar(&opt.noRank, "no-rank", false, "without PageRank, which holds all in-links in memory")
	cmd.MarkFlagsMutuallyExclusive("svg", "no-rank")
	return cmd
}

// A statsResult is the JSON output.
type statsResult struct {
	stats.Report
	Reach   *reachResult   `json:"reach,omitempty"`
	Against *againstResult `json:"against,omitempty"`
}

// reachResult describes what a seed set reaches.
type reachResult struct {
	Seeds     string  `json:"seeds"` // homes, best or a file
	SeedPages int     `json:"seed_pages"`
	FirstSeed string  `json:"first_seed"` // URL or id
	Pages     int64   `json:"pages"`
	Share     float64 `json:"share"`
	Depth     int     `json:"depth"`    // of the farthest page
	AtDepth   []int64 `json:"at_depth"` // pages first reached, by number of steps
}

func runStats(ctx context.Context, u *ui, opt *statsOptions, path string) error {
	if opt.svg == "-" {
		return usagef("--svg needs a file: standard output has the report")
	}
	if replaces(opt.svg, path, opt.against, opt.seeds) {
		return usagef("--svg %s is also an input", opt.svg)
	}
	g, err := openGraph(u, path)
	if err != nil {
		return err
	}
	defer g.Close()
	picture, err := createResult(u, opt.svg)
	if err != nil {
		return hintDir(err, opt.svg)
	}
	defer picture.Discard()
	r, err := opt.collect(ctx, u, g)
	if err != nil {
		return err
	}
	if opt.svg != "" && r.Held != nil {
		fmt.Fprint(picture, concentrationSVG(r.Held))
		if err := picture.Commit(); err != nil {
			return err
		}
	}
	if u.asJSON {
		return u.json(r)
	}
	return r.print(u)
}

// collect measures all that the options select.
func (o *statsOptions) collect(ctx context.Context, u *ui, g *graph.Graph) (*statsResult, error) {
	shown := u.stages(ctx)
	defer shown.Done()
	report, err := stats.Measure(g, !o.noRank, shown)
	if err != nil {
		return nil, err
	}
	r := &statsResult{Report: *report}
	if r.Reach, err = o.reach(ctx, u, g, shown); err != nil {
		return nil, err
	}
	if o.against != "" {
		r.Against, err = o.compare(ctx, u, g, shown)
	}
	return r, err
}

// fetched returns a function for rank.Web, nil if all pages were fetched.
func fetched(g *graph.Graph) func(graph.Page) bool {
	if !g.HasUncrawled() {
		return nil
	}
	return g.Fetched
}

// reach follows the links from the seeds.
func (o *statsOptions) reach(ctx context.Context, u *ui, g *graph.Graph, shown *show.Stages) (*reachResult, error) {
	seeds, name, err := chooseSeeds(ctx, u, g, o.seeds)
	if err != nil || len(seeds) == 0 {
		return nil, err
	}
	r := &reachResult{Seeds: name, SeedPages: len(seeds), FirstSeed: pageName(g, seeds[0])}
	links := graph.Watch(g.Forward(), shown.Of("follow links"))
	r.AtDepth = stats.Reach(g.Pages(), links.Reader(), seeds)
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

// print writes the report as text.
func (r *statsResult) print(u *ui) error {
	for _, section := range []func(u *ui) error{r.printCounts, r.printSpreads, r.printSites, r.printReach, r.plot} {
		if err := section(u); err != nil {
			return err
		}
	}
	if r.Against != nil {
		return r.Against.print(u, r)
	}
	return nil
}

// printCounts prints where the graph comes from, what is in it and how much room it takes.
func (r *statsResult) printCounts(u *ui) error {
	u.printf("%s\n", r.Graph)
	u.printf("origin: %s\n", r.Origin)
	if r.Card.Source != "" {
		u.printf("made from: %s\n", r.Card.Source)
	}
	u.printf("\n")
	t := show.NewList()
	t.AddFields(r)
	t.AddFields(r.Card)
	return t.Print(u.stdout)
}

func (r *statsResult) printSpreads(u *ui) error {
	u.printf("\n")
	t := show.NewList("", "mean", "max", "exponent", "from", "pages in tail")
	add := func(name string, s *stats.Spread) {
		if s == nil {
			return
		}
		if s.Fit == nil {
			t.Add(name, plot.Number(s.Mean), plot.Number(s.Max), "-", "-", "-")
			return
		}
		t.Add(name, plot.Number(s.Mean), plot.Number(s.Max), s.Exponent(), plot.Number(s.Fit.Least), show.Grouped(s.Fit.Tail))
	}
	add("in-degree", r.InDegrees)
	add("out-degree", r.OutDegrees)
	add("PageRank, mean 1", r.PageRank)
	if err := t.Print(u.stdout); err != nil || r.Held == nil {
		return err
	}
	u.printf("\nof the PageRank %.1f %% is held by the best 1 %% of the pages, %.1f %% by the best 10 %%\n", 100*r.Held.Top1, 100*r.Held.Top10)
	return nil
}

func (r *statsResult) printSites(u *ui) error {
	if len(r.LargestSites) == 0 {
		return nil
	}
	u.printf("\n")
	return show.Rows(r.LargestSites).Print(u.stdout)
}

func (r *statsResult) printReach(u *ui) error {
	if r.Reach == nil {
		return nil
	}
	from := fmt.Sprintf("%s (%s pages, the first is %s)", r.Reach.Seeds, show.Grouped(int64(r.Reach.SeedPages)), r.Reach.FirstSeed)
	if r.Reach.SeedPages == 1 {
		from = fmt.Sprintf("%s (%s)", r.Reach.Seeds, r.Reach.FirstSeed)
	}
	depths := make([]float64, len(r.Reach.AtDepth))
	for i, n := range r.Reach.AtDepth {
		depths[i] = float64(n)
	}
	u.printf("\nreach from %s: %s pages, %s, depth %d\n", from, show.Grouped(r.Reach.Pages),
		percent(r.Reach.Pages, int64(r.Pages)), r.Reach.Depth)
	u.printf("pages by depth: %s\n", plot.Sparkline(depths, 0, asciiOnly()))
	return nil
}

// plot draws the distributions of degrees.
func (r *statsResult) plot(u *ui) error {
	if r.Links == 0 {
		return nil
	}
	u.printf("\n%s", plot.LogLog(plot.Chart{
		Title: "pages by degree", XLabel: "degree", YLabel: "pages",
		Series: []plot.Series{series("in-degree", r.InDegrees.Bins), series("out-degree", r.OutDegrees.Bins)},
		Width:  60, Height: 14, ASCII: asciiOnly(),
	}))
	return nil
}

// series returns the bins of a distribution as points: pages per unit of the value.
func series(name string, bins []stats.Bin) plot.Series {
	s := plot.Series{Name: name}
	for _, b := range bins {
		if b.Pages > 0 && b.Lo > 0 {
			s.X, s.Y = append(s.X, b.Centre()), append(s.Y, b.Density())
		}
	}
	return s
}

// asciiOnly reports whether the user's locale promises no more than ASCII.
func asciiOnly() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(os.Getenv(name)); locale != "" {
			return !strings.Contains(locale, "UTF-8") && !strings.Contains(locale, "UTF8")
		}
	}
	return true
}

// concentrationSVG draws the curve and, for comparison, what a crawl in random order gathers.
func concentrationSVG(c *stats.Concentration) string {
	return plot.SVG(plot.Chart{
		Title:  "Share of PageRank gathered, best pages first",
		XLabel: "pages fetched, percent", YLabel: "PageRank, percent",
		Series: []plot.Series{
			{Name: "best first", X: c.Pages, Y: c.Held},
			{Name: "random order", X: []float64{0, 100}, Y: []float64{0, 100}},
		},
	})
}

// An againstResult compares two snapshots of a web, and their shapes: a sample represents
// the whole if the exponents agree.
type againstResult struct {
	Graph string `json:"graph"`
	By    string `json:"by"` // what makes two pages the same: url or id
	stats.Overlap
	Old *stats.Report `json:"old"`
}

// compare measures the older snapshot and what both have in common.
func (o *statsOptions) compare(ctx context.Context, u *ui, g *graph.Graph, shown *show.Stages) (*againstResult, error) {
	old, err := openGraph(u, o.against)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	to, by, err := stats.Match(ctx, old, g)
	if err != nil {
		return nil, err
	}
	links := graph.Watch(old.Forward(), shown.Of("compare links"))
	r := &againstResult{Graph: o.against, By: by, Overlap: stats.Compare(links, to, g.Pages(), g.Forward().Reader())}
	if err := links.Err(); err != nil {
		return nil, err
	}
	r.Old, err = stats.Measure(old, !o.noRank, shown)
	return r, err
}

// print writes the comparison.
func (r *againstResult) print(u *ui, now *statsResult) error {
	u.printf("\nagainst %s, pages matched by %s\n", r.Graph, r.By)
	t := show.NewList()
	t.AddFields(r.Overlap)
	if err := t.Print(u.stdout); err != nil {
		return err
	}
	u.printf("\n")
	t = show.NewList("", "new", "old")
	t.Add("pages", show.Grouped(int64(now.Pages)), show.Grouped(int64(r.Old.Pages)))
	t.Add("of them kept", percent(r.PagesKept, int64(now.Pages)), percent(r.PagesKept, int64(r.Old.Pages)))
	t.Add("links", show.Grouped(now.Links), show.Grouped(r.Old.Links))
	t.Add("dangling", percent(now.Dangling, int64(now.Pages)), percent(r.Old.Dangling, int64(r.Old.Pages)))
	t.Add("in-degree exponent", now.InDegrees.Exponent(), r.Old.InDegrees.Exponent())
	t.Add("out-degree exponent", now.OutDegrees.Exponent(), r.Old.OutDegrees.Exponent())
	if now.PageRank != nil && r.Old.PageRank != nil {
		t.Add("PageRank exponent", now.PageRank.Exponent(), r.Old.PageRank.Exponent())
	}
	return t.Print(u.stdout)
}
