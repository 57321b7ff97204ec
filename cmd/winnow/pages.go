package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/spelling"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

type pagesOptions struct {
	state  string // waiting, fetched, failed, skipped; "" all
	site   string
	limit  show.Number
	links  bool
	parts  bool // requisites
	header bool
}

func newPagesCommand(u *console.UI) *cobra.Command {
	opt := &pagesOptions{}
	cmd := &cobra.Command{
		Use:   "pages DIR [URL...] [--state waiting|fetched|failed|skipped] [--site S] [--limit N] [--links|--requisites]",
		Short: "list the pages of a crawl with state, reason, status, depth, value",
		Long:  pagesHelp(),
		Example: `  winnow pages a.example.crawl --state failed
  winnow pages a.example.crawl https://a.example/docs/ a.example/about
  winnow pages a.example.crawl --state skipped --site b.example --json
  winnow pages a.example.crawl --state waiting --limit 100`,
		Args: console.FirstOf("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPages(cmd.Context(), u, opt, args[0], args[1:])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.state, "state", "", "only pages of this state: waiting (for their first request), fetched, failed, skipped")
	console.Completes(cmd, "state", history.PageStates()...)
	f.StringVar(&opt.site, "site", "", "only pages of this host or site")
	f.Var(&opt.limit, "limit", "list at most this many pages, or links")
	f.BoolVar(&opt.links, "links", false, "list the links of these pages instead; --state is then that of their targets")
	f.BoolVar(&opt.parts, "requisites", false, "list what the pages need to be shown instead: images, styles, scripts, fonts (crawl --requisites)")
	cmd.MarkFlagsMutuallyExclusive("links", "requisites")
	addHeader(f, &opt.header)
	return cmd
}

// addHeader adds the flag that leaves out the names of the fields.
func addHeader(f *pflag.FlagSet, header *bool) {
	f.BoolVar(header, "header", true, "begin with a line that names the fields; --header=false leaves it out")
}

// pagesHelp returns the long help, with the meaning of each reason of a refusal.
func pagesHelp() string {
	var b strings.Builder
	b.WriteString(`Lists the pages that a crawl knows, in the order in which they were found, one per line with
tabs between the fields: state, why, HTTP status, class of the last attempt, its end in
seconds since the start of the crawl, depth, links to the page, value, URL. "-" means
no value. If the crawl has a topic, the similarity of the page and "hot" or "-" stand before
the URL. The first line names the fields.

With URLs it lists these pages only. A URL that the crawl does not know is an error after
the others were listed (exit 3); winnow explain says more about one page.

Why is the reason why a page was skipped, the class of a failure, "unreachable" for a page that waits
for an unreachable site, "max-links" for a fetched page with more than --max-links links,
"dropped" for one that made room for others (--keep-pages), or "withheld" for one that is not
stored because it asks for that (--keep-noarchive).
Value is what the policy of the crawl thinks the page is worth. --site is a host or
scheme://host:port.

With --links it lists the links of every visit: page, target, region of the page (content,
navigation, footer; other: not in the body, or not recorded), hashes of the first words.

With --requisites it lists what pages need to be shown: state, why, HTTP status, class of the
last attempt, bytes, number of answers between the page and it, the first page that needed it,
URL. They are no pages, and are in no other list.

Reasons why pages are skipped:
`)
	for bar := range event.Bar(event.Bars()) {
		if meaning := bar.Meaning(); meaning != "" {
			fmt.Fprintf(&b, "  %-13s %s\n", bar, meaning)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// checkState returns an error unless --state is empty or one of its names. The names that
// it had before are taken, too.
func (o *pagesOptions) checkState(u *console.UI) error {
	switch o.state {
	case "known":
		o.state = history.PageWaiting
	case "refused":
		o.state = history.PageSkipped
	}
	if o.state == "" || slices.Contains(history.PageStates(), o.state) {
		return nil
	}
	near, ok := spelling.Nearest(o.state, history.PageStates())
	if !ok {
		near = history.PageFailed
	}
	return console.WithHint(console.Usagef("--state: %q: it can be %s", o.state, strings.Join(history.PageStates(), ", ")), "try: %s", u.WithFlag("--state", near))
}

func runPages(ctx context.Context, u *console.UI, opt *pagesOptions, dir string, urls []string) error {
	if err := opt.checkState(u); err != nil {
		return err
	}
	if opt.parts && len(urls) > 0 {
		return console.WithHint(console.Usagef("--requisites lists the requisites of all pages and takes no URL"), "try: %s", terminal.Command("winnow", "pages", dir, "--requisites"))
	}
	if opt.links && len(urls) > 0 {
		return console.WithHint(console.Usagef("--links lists the links of all pages and takes no URL"), "to see the links of one page: %s", terminal.Command("winnow", "explain", dir, urls[0]))
	}
	v, p, err := opt.open(u, ctx, dir)
	if err != nil {
		return err
	}
	defer v.Close()
	defer p.Done()
	only, unknown, err := onlyPages(v, urls)
	if err != nil {
		return err
	}
	out := &lines{u: u, out: bufio.NewWriterSize(u.Stdout, 1<<16), bare: !opt.header}
	for i, c := range v.Crawls {
		if err == nil && (opt.limit == 0 || out.n < int64(opt.limit)) && (only == nil || len(only[i]) > 0) {
			err = opt.list(c, only[i], out)
		}
	}
	p.Done()
	if err == nil && len(unknown) > 0 {
		err = console.WithHint(console.Missingf("%s does not know %s", dir, show.Line(strings.Join(unknown, ", "))),
			"for the reason try: %s", terminal.Command("winnow", "explain", dir, unknown[0]))
	}
	return out.finish(err)
}

// open opens a crawl. Partitions are read as one for requisites, since pages of others need them.
func (opt *pagesOptions) open(u *console.UI, ctx context.Context, dir string) (*history.All, *show.Progress, error) {
	if !opt.parts {
		return openAll(u, ctx, dir)
	}
	p := show.NewProgress(u.Progress(), "read "+dir, 0, "")
	p.Note("the records are replayed")
	c, err := recut.Open(ctx, dir)
	if err != nil {
		p.Done()
		return nil, nil, err
	}
	return &history.All{Path: dir, Crawls: []*history.Crawl{c}}, p, nil
}

// list lists the pages of a partition.
func (opt *pagesOptions) list(v *history.Crawl, only []graph.Page, out *lines) error {
	filter := &history.PageFilter{State: opt.state, Only: only, Site: strings.TrimSuffix(opt.site, "/"), Limit: max(0, int64(opt.limit)-out.n)}
	switch {
	case opt.parts:
		out.header = terminal.RequisiteHeader
		return v.Requisites(filter, func(x *history.RequisiteInfo) error { return out.add(x, terminal.RequisiteLine(x)) })
	case opt.links:
		out.header = terminal.LinkHeader
		return v.Links(filter, func(x *history.LinkInfo) error { return out.add(x, terminal.LinkLine(x)) })
	}
	return v.Pages(filter, func(x *history.PageInfo) error {
		out.header = terminal.PageHeader(x.Topical)
		return out.add(x, terminal.PageLine(x))
	})
}

// onlyPages returns the pages of URLs by partition, nil for all pages, and the URLs that are unknown.
func onlyPages(v *history.All, urls []string) (only map[int][]graph.Page, unknown []string, err error) {
	if len(urls) > 0 {
		only = map[int][]graph.Page{}
	}
	for _, url := range urls {
		part, p, known, err := v.Find(url)
		switch {
		case err != nil:
			return nil, nil, wrongURL(err)
		case known:
			only[part] = append(only[part], p)
		default:
			unknown = append(unknown, url)
		}
	}
	return only, unknown, nil
}

// openAll opens a crawl of which all partitions are read, and shows that this takes time.
func openAll(u *console.UI, ctx context.Context, dir string) (*history.All, *show.Progress, error) {
	p := show.NewProgress(u.Progress(), "read "+dir, 0, "")
	p.Note("the records are replayed")
	v, err := history.OpenAll(ctx, dir)
	if err != nil {
		p.Done()
	}
	return v, p, err
}

// lines writes results as lines with a header, or as objects.
type lines struct {
	u      *console.UI
	out    *bufio.Writer
	header string // written before the first line
	bare   bool   // without it
	some   bool   // there was a line
	n      int64  // lines and objects so far
}

func (l *lines) add(x any, line string) error {
	l.n++
	if l.u.AsJSON {
		return show.JSON(l.out, x, "")
	}
	if !l.some && !l.bare {
		line = l.header + line
	}
	l.some = true
	_, err := l.out.WriteString(line)
	return err
}

// finish writes what is left. It returns err, or else its own error.
func (l *lines) finish(err error) error {
	if flushErr := l.out.Flush(); err == nil {
		err = flushErr
	}
	return err
}
