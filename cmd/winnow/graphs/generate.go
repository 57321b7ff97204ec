package graphs

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/version"
)

// Synthetic holds the flags that a synthetic web is a function of.
type Synthetic struct {
	Pages, Sites, Links show.Number
	Seed                uint64 // the web is a function of this and the three above
}

type generateOptions struct {
	Synthetic
	graphFile
}

func newGenerateCommand(u *console.UI) *cobra.Command {
	opt := &generateOptions{Synthetic: Synthetic{Pages: 100_000}}
	cmd := &cobra.Command{
		Use:   "generate --pages N [--sites S] [--links M] [--random-seed K] -o G",
		Short: "make a synthetic web from a seed",
		Long: `The same numbers and the same seed give the same graph on every machine. It has the
shape of a web: most links stay inside their site, sizes of sites and in-degrees
follow power laws, neighbouring pages link alike, a fifth of the pages is dangling,
and every page can be reached from page 0. There are no self-links.

Numbers take the suffixes k, M and G: 10M pages are 10,000,000.`,
		Example: `  winnow graph generate --pages 100k -o web.wg
  winnow graph generate --pages 10M --sites 50k --links 200M --random-seed 7 -o large.wg`,
		Args: console.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runGenerate(cmd.Context(), u, opt)
		},
	}
	f := cmd.Flags()
	opt.AddSpec(f)
	opt.graphFile.addFlags(f)
	addCompact(f, &opt.compact)
	return cmd
}

// AddSpec adds the flags.
func (o *Synthetic) AddSpec(f *pflag.FlagSet) {
	f.Var(&o.Pages, "pages", "number of pages")
	f.Var(&o.Sites, "sites", "number of sites (default: a hundredth of the pages)")
	f.Var(&o.Links, "links", "number of links (default: twenty times the pages)")
	f.Lookup("sites").DefValue, f.Lookup("links").DefValue = "", "" // described in words
	f.Uint64Var(&o.Seed, "random-seed", 1, "another seed is another web")
}

// Defaults of a synthetic web, per page. Twenty links a page is what large crawls
// report (Najork and Wiener 2001: 6.1 G links on 328 M pages); sites of a hundred
// pages keep several hundred of them in a web of moderate size.
const (
	linksPerPage = 20
	pagesPerSite = 100
)

// Spec fills in the defaults. Very small webs have no room for twenty links a page: they
// get half of all possible ones.
func (o *Synthetic) Spec() fakeweb.Spec {
	s := fakeweb.Spec{Pages: int(o.Pages), Sites: int(o.Sites), Links: int64(o.Links), Seed: o.Seed}
	if s.Sites == 0 {
		s.Sites = max(1, s.Pages/pagesPerSite)
	}
	if s.Links == 0 {
		s.Links = min(linksPerPage*int64(s.Pages), int64(s.Pages)*int64(s.Pages-1)/2)
	}
	return s
}

// A generateResult is the JSON output.
type generateResult struct {
	Output     string `json:"output"`
	RandomSeed uint64 `json:"random_seed"`
	graph.Info
	Seconds float64 `json:"seconds" show:"time,seconds"`
}

func runGenerate(ctx context.Context, u *console.UI, opt *generateOptions) error {
	if err := opt.graphFile.check(u); err != nil {
		return err
	}
	start := time.Now()
	spec := opt.Spec()
	web, err := fakeweb.New(spec)
	if err != nil {
		return console.Usage(err)
	}
	if err := opt.write(ctx, u, webSource(web)); err != nil {
		return err
	}
	info, err := graph.ReadInfo(opt.output)
	if err != nil {
		return err
	}
	r := &generateResult{Output: opt.output, RandomSeed: spec.Seed, Info: info, Seconds: time.Since(start).Seconds()}
	return u.Result(r)
}

// webSource returns the web as the source of a graph.
func webSource(web *fakeweb.Web) graph.Source {
	spec := web.Spec()
	return graph.Source{
		Pages: spec.Pages, Lists: web.Each, URLs: web.EachURL,
		Card: &graph.Card{
			Origin: fmt.Sprintf("synthetic web: winnow graph generate --pages %d --sites %d --links %d --random-seed %d",
				spec.Pages, spec.Sites, spec.Links, spec.Seed),
			Program: version.Program(),
		},
	}
}
