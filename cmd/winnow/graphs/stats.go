package graphs

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/stats"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
)

type statsOptions struct {
	seeds   string // homes, best or a file; "": homes where there are URLs
	against string // an older snapshot to compare with
	noRank  bool   // without PageRank, which needs memory for all links
	svg     string // file for a picture of the concentration of PageRank
}

func newStatsCommand(u *console.UI) *cobra.Command {
	opt := &statsOptions{}
	cmd := &cobra.Command{
		Use:   "stats G [--seeds homes|best|FILE] [--against OLD] [--no-rank]",
		Short: "measure a graph, or compare two snapshots",
		Long: `Prints counts, the share of dangling pages and of links inside a site, the distributions of
in-degrees, out-degrees and PageRank with the exponents of the power laws fitted to their
tails, the largest sites, how many pages a seed set reaches and how deep, and the bytes per
link.

--seeds homes is the shortest URL of each site, best the one of the 64 pages with most
out-links that reaches most, FILE a list of URLs or ids (a file that is called best is
./best). The default is homes where URLs are known, else best.

--against compares with an older snapshot of the same web: the pages and links that were
kept, removed and added, matched by URL if both graphs have URLs, else by id, the exponents of
both side by side, and how well the PageRank of the old one foretells the new: error, stability
of places, overlap of the top N.`,
		Example: `  winnow graph stats web.wg
  winnow graph stats web.wg --seeds best --json
  winnow graph stats web.wg --svg curve.svg
  winnow graph stats mdn-2026.wg --against mdn-2021.wg`,
		Args: console.Exactly("GRAPH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStats(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.seeds, "seeds", "", "where reach is measured from: homes, best or a file (default: homes, or best without URLs)")
	console.Completes(cmd, "seeds", SeedsHomes, SeedsBest)
	f.StringVar(&opt.against, "against", "", "an older snapshot to compare with")
	f.StringVar(&opt.svg, "svg", "", "draw to this file how much of the PageRank the best pages hold")
	f.BoolVar(&opt.noRank, "no-rank", false, "without PageRank, which holds all in-links in memory")
	cmd.MarkFlagsMutuallyExclusive("svg", "no-rank")
	return cmd
}

func runStats(ctx context.Context, u *console.UI, opt *statsOptions, path string) error {
	if opt.svg == "-" {
		return console.Usagef("--svg needs a file: standard output has the report")
	}
	if Replaces(opt.svg, path, opt.against, opt.seeds) {
		return console.Usagef("--svg %s is also an input", opt.svg)
	}
	g, err := Open(u, path)
	if err != nil {
		return err
	}
	defer g.Close()
	picture, err := result.Create(opt.svg, u.Stdout)
	if err != nil {
		return HintDir(err, opt.svg)
	}
	defer picture.Discard()
	r, err := opt.collect(ctx, u, g)
	if err != nil {
		return err
	}
	if opt.svg != "" && r.Held != nil {
		fmt.Fprint(picture, r.Held.SVG())
		if err := picture.Commit(); err != nil {
			return err
		}
	}
	if u.AsJSON {
		return u.JSON(r)
	}
	u.Printf("%s", r.Text(console.ASCIIOnly()))
	return nil
}

// collect measures all that the options select.
func (o *statsOptions) collect(ctx context.Context, u *console.UI, g *graph.Graph) (*stats.Study, error) {
	shown := u.Stages(ctx)
	defer shown.Done()
	report, err := stats.Measure(g, !o.noRank, shown)
	if err != nil {
		return nil, err
	}
	r := &stats.Study{Report: *report}
	if r.Reach, err = o.reach(ctx, u, g, shown); err != nil {
		return nil, err
	}
	if o.against != "" {
		r.Against, err = o.compare(ctx, u, g, report, shown)
	}
	return r, err
}

// Fetched returns a function for rank.Web, nil if all pages were fetched.
func Fetched(g *graph.Graph) func(graph.Page) bool {
	if !g.HasUncrawled() {
		return nil
	}
	return g.Fetched
}

// reach follows the links from the seeds.
func (o *statsOptions) reach(ctx context.Context, u *console.UI, g *graph.Graph, shown *show.Stages) (*stats.Reached, error) {
	seeds, name, err := ChooseSeeds(ctx, u, g, o.seeds)
	if err != nil || len(seeds) == 0 {
		return nil, err
	}
	r, err := stats.Follow(g, seeds, shown)
	if err == nil {
		r.Seeds, r.FirstSeed = name, pageName(g, seeds[0])
	}
	return r, err
}

// compare measures the older snapshot and what both have in common.
func (o *statsOptions) compare(ctx context.Context, u *console.UI, g *graph.Graph, now *stats.Report, shown *show.Stages) (*stats.Snapshot, error) {
	old, err := Open(u, o.against)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	return stats.Against(ctx, old, g, now, !o.noRank, shown)
}
