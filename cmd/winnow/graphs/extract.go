package graphs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/internal/spelling"
	"github.com/winnow-crawler/winnow/internal/version"
)

type extractOptions struct {
	hosts, domains []string // pages of these hosts, or of hosts below these domains
	nodes          string   // or the pages of this list
	graphFile
}

func newExtractCommand(u *console.UI) *cobra.Command {
	opt := &extractOptions{}
	cmd := &cobra.Command{
		Use:   "extract G (--host NAME... | --domain NAME... | --nodes FILE) -o G2",
		Short: "cut the closed world of some hosts or pages out of a graph",
		Long: `The new graph has the pages of the hosts, domains or list named, and the links among
them: links to and from pages outside do not count (a closed world). Pages keep their
original ids, their URLs and their sites. How many links were cut is printed.

--domain example.org takes example.org and every host below it.`,
		Example: `  winnow graph extract web.wg --host s1.example --host s2.example -o two.wg
  winnow graph extract web.wg --domain example.org -o org.wg
  winnow graph extract web.wg --nodes interesting.ids -o part.wg`,
		Args: console.Exactly("GRAPH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExtract(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&opt.hosts, "host", nil, "take the pages of this host; may be given again")
	f.StringSliceVar(&opt.domains, "domain", nil, "take the pages of this domain and of all hosts below it; may be given again")
	f.StringVar(&opt.nodes, "nodes", "", "take the pages whose ids stand in this list")
	opt.graphFile.addFlags(f)
	addCompact(f, &opt.compact)
	return cmd
}

func (o *extractOptions) check(u *console.UI, path string) error {
	given := 0
	for _, is := range []bool{len(o.hosts) > 0, len(o.domains) > 0, o.nodes != ""} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		return console.WithHint(console.Usagef("which pages? give --host, --domain or --nodes"), "try: %s", u.WithFlag("--host", "www.example.org"))
	case given > 1:
		return console.Usagef("--host, --domain and --nodes exclude each other")
	}
	if err := NotAnInput(o.output, path, o.nodes); err != nil {
		return err
	}
	return o.graphFile.check(u)
}

// An extractResult is the JSON output.
type extractResult struct {
	Output string `json:"output"`
	graph.Info
	CutOut  int64   `json:"cut_out_links" show:"links cut" remark:"to pages outside"` // from a page inside to one outside
	CutIn   int64   `json:"cut_in_links" show:"" remark:"from pages outside"`         // from a page outside to one inside
	Seconds float64 `json:"seconds" show:"time,seconds"`
}

func runExtract(ctx context.Context, u *console.UI, opt *extractOptions, path string) error {
	if err := opt.check(u, path); err != nil {
		return err
	}
	start := time.Now()
	g, err := Open(u, path)
	if err != nil {
		return err
	}
	defer g.Close()
	part, err := opt.choose(g)
	if err != nil {
		return err
	}
	if err := opt.write(ctx, u, part.Source(opt.world(path), version.Program())); err != nil {
		return err
	}
	info, err := graph.ReadInfo(opt.output)
	if err != nil {
		return err
	}
	r := &extractResult{Output: opt.output, Info: info, CutOut: part.CutOut, CutIn: part.CutIn, Seconds: time.Since(start).Seconds()}
	return u.Result(r)
}

// world describes which pages were chosen, for the card of the new graph.
func (o *extractOptions) world(path string) string {
	if o.nodes != "" {
		return fmt.Sprintf("closed world of the pages in %s, out of %s", o.nodes, path)
	}
	return fmt.Sprintf("closed world of %s, out of %s", strings.Join(append(slices.Clone(o.hosts), o.domains...), ", "), path)
}

// choose finds the pages of the new graph.
func (o *extractOptions) choose(g *graph.Graph) (*graph.Subgraph, error) {
	if o.nodes != "" {
		return chooseNodes(g, o.nodes)
	}
	if !g.HasSites() {
		return nil, console.WithHint(fmt.Errorf("%s: the hosts of its pages are not known", g.Path()),
			"import it with --urls or --sites, or name the pages with --nodes FILE")
	}
	in := make([]bool, g.Sites())
	wanted := o.wanted()
	found := make([]bool, len(wanted))
	for s := range in {
		host := hostOf(g.SiteName(graph.Site(s)))
		for i, name := range wanted {
			if host == name || len(o.domains) > 0 && strings.HasSuffix(host, "."+name) {
				in[s], found[i] = true, true
			}
		}
	}
	if slices.Contains(found, false) {
		return nil, o.noSuchHost(g, found)
	}
	return g.Extract(func(p graph.Page) bool { return in[g.Site(p)] }), nil
}

// wanted returns the names of --host or --domain in the form that sites have.
func (o *extractOptions) wanted() []string {
	var names []string
	for _, h := range o.hosts {
		names = append(names, lowerASCII(h))
	}
	for _, d := range o.domains {
		names = append(names, lowerASCII(strings.TrimPrefix(d, ".")))
	}
	return names
}

// lowerASCII folds what a graph folds in the names of sites: A to Z, nothing else.
func lowerASCII(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// noSuchHost returns an error that names what was not found and proposes the host with the
// nearest name.
func (o *extractOptions) noSuchHost(g *graph.Graph, found []bool) error {
	var lost []string
	for i, name := range append(slices.Clone(o.hosts), o.domains...) {
		if !found[i] {
			lost = append(lost, name)
		}
	}
	err := fmt.Errorf("%s: no page of %s", g.Path(), strings.Join(lost, ", "))
	names := make([]string, g.Sites())
	for s := range names {
		names[s] = hostOf(g.SiteName(graph.Site(s)))
	}
	for _, name := range lost {
		if near, ok := spelling.Nearest(lowerASCII(name), names); ok {
			return console.WithHint(err, "is %s meant?", near)
		}
	}
	return console.WithHint(err, "winnow graph stats lists the largest sites")
}

// hostOf returns the host in the name of a site. The name is http://host:port, or any
// name that was given with --sites.
func hostOf(site string) string {
	_, rest, found := strings.Cut(site, "://")
	if !found {
		return site
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	if colon := strings.LastIndexByte(rest, ':'); colon > strings.LastIndexByte(rest, ']') {
		rest = rest[:colon]
	}
	return rest
}

// chooseNodes reads a list of ids.
func chooseNodes(g *graph.Graph, name string) (*graph.Subgraph, error) {
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := make([]bool, g.Pages())
	err = input.IDs(f, func(id uint32) error {
		p, ok := g.ByID(id)
		if !ok {
			return fmt.Errorf("no page of %s has the id %d", g.Path(), id)
		}
		in[p] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return g.Extract(func(p graph.Page) bool { return in[p] }), nil
}
