package graphs

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
)

type linksOptions struct {
	in, out bool // neither is both
	remote  bool // only links between sites
	count   bool // numbers instead of pages
}

func newLinksCommand(u *console.UI) *cobra.Command {
	opt := &linksOptions{}
	cmd := &cobra.Command{
		Use:   "links G URL-or-id [--in | --out] [--remote] [--count]",
		Short: "print the pages that a page links to and those that link to it",
		Long: `One page per line in ascending id: its URL, or its id where URLs are not known. With
--in or --out that is all; without either, each line begins with out or in and a tab,
and out-links come first.

A page is given by its URL, byte for byte as in the URL list, or by its id.`,
		Example: `  winnow graph links web.wg http://s1.example/ --out
  winnow graph links web.wg 42 --in --remote
  winnow graph links web.wg 42 --count`,
		Args: console.Exactly("GRAPH", "URL-or-id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLinks(cmd.Context(), u, opt, args[0], args[1])
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opt.in, "in", false, "in-links only")
	f.BoolVar(&opt.out, "out", false, "out-links only")
	f.BoolVar(&opt.remote, "remote", false, "only links from and to other sites")
	f.BoolVar(&opt.count, "count", false, "print how many there are")
	cmd.MarkFlagsMutuallyExclusive("in", "out")
	return cmd
}

func runLinks(ctx context.Context, u *console.UI, opt *linksOptions, path, name string) error {
	g, err := Open(u, path)
	if err != nil {
		return err
	}
	defer g.Close()
	p, err := findPage(u, g, name)
	if err != nil {
		return err
	}
	if opt.remote && !g.HasSites() {
		u.Notef("the sites of %s are not known: every page counts as one, so all links to others are remote", path)
	}
	var directions []direction
	if !opt.in {
		directions = append(directions, direction{"out", g.Forward()})
	}
	if !opt.out {
		directions = append(directions, direction{"in", g.Backward()})
	}
	if opt.count {
		return opt.printCounts(u, g, p, directions)
	}
	return opt.printLinks(ctx, u, g, p, directions)
}

// direction is one way to follow links.
type direction struct {
	name  string
	links *graph.Links
}

// list returns the links of p in one direction; with --remote, only remote ones.
func (o *linksOptions) list(g *graph.Graph, d direction, p graph.Page) []graph.Page {
	r := d.links.Reader()
	if o.remote {
		r = &graph.Remote{Reader: r, Site: g.Site}
	}
	return r.List(p)
}

// linkLine is one link in JSON.
type linkLine struct {
	Direction string `json:"direction"` // out or in
	ID        uint32 `json:"id"`
	URL       string `json:"url,omitempty"`
	Remote    bool   `json:"remote"`
}

func (o *linksOptions) printLinks(ctx context.Context, u *console.UI, g *graph.Graph, p graph.Page, directions []direction) error {
	out, err := result.Create("", u.Stdout)
	if err != nil {
		return err
	}
	for _, d := range directions {
		for i, q := range o.list(g, d, p) {
			if i%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if u.AsJSON {
				err = show.JSON(out, linkLine{d.name, g.ID(q), g.URL(q), g.Site(p) != g.Site(q)}, "")
			} else if len(directions) > 1 {
				_, err = fmt.Fprintf(out, "%s\t%s\n", d.name, pageName(g, q))
			} else {
				_, err = fmt.Fprintln(out, pageName(g, q))
			}
			if err != nil {
				return err
			}
		}
	}
	return out.Commit()
}

// printCounts prints the bare number for one direction, and one line each for two.
func (o *linksOptions) printCounts(u *console.UI, g *graph.Graph, p graph.Page, directions []direction) error {
	counts := map[string]any{"id": g.ID(p)}
	if g.HasURLs() {
		counts["url"] = g.URL(p)
	}
	for _, d := range directions {
		n := len(o.list(g, d, p))
		counts[d.name] = n
		switch {
		case u.AsJSON:
		case len(directions) > 1:
			u.Printf("%s\t%d\n", d.name, n)
		default:
			u.Printf("%d\n", n)
		}
	}
	if u.AsJSON {
		return u.JSON(counts)
	}
	return nil
}

// pageName returns the URL of a page, or its id if URLs are not known.
func pageName(g *graph.Graph, p graph.Page) string {
	if g.HasURLs() {
		return g.URL(p)
	}
	return fmt.Sprint(g.ID(p))
}

// findPage finds the page that a user calls by its URL or its id.
func findPage(u *console.UI, g *graph.Graph, name string) (graph.Page, error) {
	if p, ok := g.Lookup(name); ok {
		return p, nil
	}
	id, err := input.ParseID([]byte(name))
	switch {
	case err == nil:
		if p, ok := g.ByID(id); ok {
			return p, nil
		}
		return 0, console.WithHint(fmt.Errorf("%s: no page has the id %s", g.Path(), name), "%s", idRange(g))
	case !g.HasURLs():
		return 0, console.WithHint(fmt.Errorf("%s: no page %q: its URLs are not known", g.Path(), name), "%s", idRange(g))
	}
	err = fmt.Errorf("%s: no page has the URL %q", g.Path(), name)
	if g.Pages() == 0 {
		return 0, console.WithHint(err, "%s", idRange(g))
	}
	for _, other := range page.Spellings(name) {
		if _, ok := g.Lookup(other); ok {
			return 0, console.WithHint(err, "try: %s", u.CommandLine(name, other))
		}
	}
	return 0, console.WithHint(err, "URLs are compared byte for byte with those of the URL list; the first is %s", g.URL(0))
}

// idRange describes which ids a graph has.
func idRange(g *graph.Graph) string {
	n := g.Pages()
	switch {
	case n == 0:
		return "the graph is empty"
	case g.IDs() == nil:
		return fmt.Sprintf("ids are 0 to %d", n-1)
	}
	return fmt.Sprintf("there are %d ids from %d to %d", n, g.ID(0), g.ID(graph.Page(n-1)))
}
