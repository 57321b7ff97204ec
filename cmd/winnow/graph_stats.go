package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/graph/stats"
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
		Long: `Counts, the share of dangling pages and of links inside a site, the distributions of
in-degrees, out-degrees and PageRank with the exponents of the power laws fitted to
their tails, the largest sites, what a seed set reaches and how deep, and the bytes
that a link takes.

--seeds homes is the shortest URL of each site, best the one of the 64 pages with most
out-links that reaches most, FILE a list of URLs or ids (a file that is called best is
./best). The default is homes where URLs are known, else best.

--against compares with an older snapshot of the same web: pages and links that stayed,
went and came, by URL where both graphs know them, else by id, and the exponents of
both side by side.`,
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

// statsResult is what --json prints.
type statsResult struct {
	Graph string `json:"graph"`
	graph.Info
	Origin string     `json:"origin"` // of the card: who crawled it, by which policy (L12)
	Card   graph.Card `json:"card"`

	Dangling       int64 `json:"dangling" show:"dangling" remark:"{%Pages} of the pages have no out-links"`                                // pages without out-links
	Unlinked       int64 `json:"unlinked" show:"unlinked" remark:"{%Pages} have no in-links"`                                              // pages without in-links
	Uncrawled      int64 `json:"uncrawled" show:"not fetched,omitzero" remark:"{%Pages} are known by links only"`                          // pages that are known but were not fetched
	IntraSiteLinks int64 `json:"intra_site_links" show:"intra-site links,if=SitesKnown" remark:"{%Links} of the links stay in their site"` // links inside a site, self-links among them

	BytesPerLinkForward  float64 `json:"bytes_per_link_forward"`
	BytesPerLinkBackward float64 `json:"bytes_per_link_backward"`

	InDegrees    *spread        `json:"in_degrees"`
	OutDegrees   *spread        `json:"out_degrees"`
	PageRank     *spread        `json:"pagerank,omitempty"` // of mean 1
	Held         *concentration `json:"pagerank_held,omitempty"`
	SiteGini     float64        `json:"site_gini"` // of pages per site
	LargestSites []siteResult   `json:"largest_sites,omitempty"`
	Reach        *reachResult   `json:"reach,omitempty"`

	Against *againstResult `json:"against,omitempty"`
}

// A spread is a distribution over pages.
type spread struct {
	Mean float64     `json:"mean"`
	Max  float64     `json:"max"`
	Fit  *stats.Fit  `json:"fit"` // of a power law to the tail; null: too few values, or no power law
	Bins []stats.Bin `json:"bins"`
}

type siteResult struct {
	Site  string `json:"site" show:"largest sites"`
	Pages int64  `json:"pages" show:"pages"`
	Share string `json:"-" show:"share"`
	Local int64  `json:"local_links" show:"links inside"`
	Out   int64  `json:"out_links" show:"out"` // to other sites
	In    int64  `json:"in_links" show:"in"`   // from other sites
}

// reachResult is what a seed set reaches (L8).
type reachResult struct {
	Seeds     string  `json:"seeds"` // homes, best or a file
	SeedPages int     `json:"seed_pages"`
	FirstSeed string  `json:"first_seed"` // URL or id
	Pages     int64   `json:"pages"`
	Share     float64 `json:"share"`
	Depth     int     `json:"depth"`    // of the farthest page
	AtDepth   []int64 `json:"at_depth"` // pages first reached in so many steps
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
		fmt.Fprint(picture, r.Held.svg())
		if err := picture.Commit(); err != nil {
			return err
		}
	}
	if u.asJSON {
		return u.json(r)
	}
	return r.print(u)
}

// collect measures all that is asked for.
func (o *statsOptions) collect(ctx context.Context, u *ui, g *graph.Graph) (*statsResult, error) {
	shown := u.stages(ctx)
	defer shown.Done()
	r, err := o.measure(ctx, g, shown)
	if err != nil {
		return nil, err
	}
	if r.Reach, err = o.reach(ctx, u, g, shown); err != nil {
		return nil, err
	}
	if o.against != "" {
		r.Against, err = o.compare(ctx, u, g, shown)
	}
	return r, err
}

// Sizes of the report.
const (
	largestSites  = 10
	binsPerDecade = 5
)

// measure takes all that concerns one graph alone.
func (o *statsOptions) measure(ctx context.Context, g *graph.Graph, shown *show.Stages) (*statsResult, error) {
	s := stats.Take(g.Pages(), watch(ctx, g.Forward(), shown, "read links of "+g.Path()), g.SiteColumn(), g.Sites())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &statsResult{
		Graph: g.Path(), Info: g.Info(), Card: g.Card(), Origin: orNotStated(g.Card().Origin),
		Dangling: s.Dangling(), Unlinked: s.Unlinked(), IntraSiteLinks: s.Local,
		InDegrees: degrees(s.In), OutDegrees: degrees(s.Out),
	}
	if g.HasUncrawled() {
		for p := range graph.Page(g.Pages()) {
			if !g.Fetched(p) {
				r.Uncrawled++
			}
		}
	}
	if r.Links > 0 {
		r.BytesPerLinkForward = float64(r.BytesForward) / float64(r.Links)
		r.BytesPerLinkBackward = float64(r.BytesBackward) / float64(r.Links)
	}
	if s.Sites != nil {
		r.SiteGini = s.Gini()
	}
	for _, c := range s.Largest(largestSites) {
		r.LargestSites = append(r.LargestSites, siteResult{g.SiteName(c.Site), c.Pages, percent(c.Pages, int64(g.Pages())), c.Local, c.Out, c.In})
	}
	if o.noRank || g.Pages() == 0 {
		return r, nil
	}
	var err error
	r.PageRank, r.Held, err = ranks(ctx, g, shown)
	return r, err
}

func degrees(d stats.Distribution) *spread {
	s := &spread{Max: float64(d.Max()), Bins: d.Log(binsPerDecade)}
	if d.Pages() > 0 {
		s.Mean = d.Mean()
	}
	if fit, ok := d.PowerLaw(); ok {
		s.Fit = &fit
	}
	return s
}

// rankTolerance is how exact PageRank is here: a distribution does not show more.
const rankTolerance = 1e-6

// ranks is the distribution of PageRank with mean 1, and its concentration.
func ranks(ctx context.Context, g *graph.Graph, shown *show.Stages) (*spread, *concentration, error) {
	in := g.Backward().Raw(runtime.GOMAXPROCS(0))
	defer in.Free()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	res, err := rank.PageRank(&rank.Web{In: in, Fetched: fetched(g)}, rank.Options{
		Tolerance: rankTolerance, Scale: rank.Mean, Progress: shown.Sweeps("pagerank of "+g.Path(), rankTolerance),
	})
	if err != nil {
		return nil, nil, err
	}
	s := &spread{Mean: 1, Bins: stats.Bands(res.Score, binsPerDecade)}
	for _, v := range res.Score {
		s.Max = max(s.Max, v)
	}
	if fit, ok := stats.PowerLaw(res.Score); ok {
		s.Fit = &fit
	}
	return s, concentrate(res.Score), nil
}

// fetched is what rank.Web wants: nil when all pages were fetched.
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
	r.AtDepth = stats.Reach(g.Pages(), watch(ctx, g.Forward(), shown, "follow links").Reader(), seeds)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, n := range r.AtDepth {
		r.Pages += n
	}
	r.Depth = len(r.AtDepth) - 1
	r.Share = float64(r.Pages) / float64(g.Pages())
	return r, nil
}
