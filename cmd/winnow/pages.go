package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/spelling"
)

type pagesOptions struct {
	state string // known, fetched, failed, refused; "" all
	site  string
	limit show.Number
	links bool
}

func newPagesCommand(u *ui) *cobra.Command {
	opt := &pagesOptions{}
	cmd := &cobra.Command{
		Use:   "pages DIR [--state known|fetched|failed|refused] [--site S] [--limit N] [--links]",
		Short: "list the pages of a crawl",
		Long:  pagesHelp(),
		Example: `  winnow pages a.example.crawl --state failed
  winnow pages a.example.crawl --state refused --site b.example --json
  winnow pages a.example.crawl --state known --limit 100`,
		Args: exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPages(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.state, "state", "", "only pages of this state: known (not requested yet), fetched, failed, refused")
	completes(cmd, "state", pageStateNames()...)
	f.StringVar(&opt.site, "site", "", "only pages of this host or site")
	f.Var(&opt.limit, "limit", "list at most this many pages, or links")
	f.BoolVar(&opt.links, "links", false, "list the links of these pages instead; --state is then that of their targets")
	return cmd
}

// pagesHelp returns the long help, with the meaning of each reason of a refusal.
func pagesHelp() string {
	var b strings.Builder
	b.WriteString(`Lists the pages that a crawl knows, in the order in which they were found, one per line with
tabs between the fields: state, why, HTTP status, class of the last attempt, its end in
seconds since the start of the crawl, depth, links to the page, value, URL. "-" means
no value. If the crawl has a topic, the similarity of the page and "hot" or "-" stand before
the URL.

Why is the reason of a refusal, the class of a failure, "unreachable" for a page that waits
for an unreachable site, "max-links" for a fetched page with more than --max-links links, or
"dropped" for one that made room for others (--keep-pages).
Value is what the policy of the crawl thinks the page is worth. --site is a host or
scheme://host:port.

With --links it lists the links of every visit: page, target, region of the page (content,
navigation, footer; other: not in the body, or not recorded), hashes of the first words.

Reasons of refusals:
`)
	for bar := range event.Bar(event.Bars()) {
		if meaning := bar.Meaning(); meaning != "" {
			fmt.Fprintf(&b, "  %-13s %s\n", bar, meaning)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// pageStateNames returns the states that --state takes.
func pageStateNames() []string { return []string{"known", "fetched", "failed", "refused"} }

// checkPageState returns an error unless --state is empty or one of its names.
func checkPageState(u *ui, name string) error {
	if name == "" || slices.Contains(pageStateNames(), name) {
		return nil
	}
	near, ok := spelling.Nearest(name, pageStateNames())
	if !ok {
		near = "failed"
	}
	return withHint(usagef("--state: %q: it can be %s", name, strings.Join(pageStateNames(), ", ")), "try: %s", u.withFlag("--state", near))
}

func runPages(ctx context.Context, u *ui, opt *pagesOptions, dir string) error {
	if err := checkPageState(u, opt.state); err != nil {
		return err
	}
	p := show.NewProgress(u.progress(), "read "+dir, 0, "")
	p.Note("the records are replayed")
	defer p.Done()
	v, err := history.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer v.Close()
	out := bufio.NewWriterSize(u.stdout, 1<<16)
	filter := &history.PageFilter{State: opt.state, Site: strings.TrimSuffix(opt.site, "/"), Limit: int64(opt.limit)}
	emit := func(x any, line string) error {
		if u.asJSON {
			return show.JSON(out, x, "")
		}
		_, err := out.WriteString(line)
		return err
	}
	if opt.links {
		err = v.Links(filter, func(x *history.LinkInfo) error {
			return emit(x, fmt.Sprintf("%s\t%s\t%s\t%s\n", show.Line(x.From), show.Line(x.To), x.Region, x.Hashes()))
		})
	} else {
		err = v.Pages(filter, func(x *history.PageInfo) error { return emit(x, pageLine(x)) })
	}
	p.Done()
	if flushErr := out.Flush(); err == nil {
		err = flushErr
	}
	return err
}

// pageLine returns the page as a line.
func pageLine(r *history.PageInfo) string {
	cells := []string{r.State, cmp.Or(r.Why, "-"), "-", cmp.Or(r.Class, "-"), "-",
		strconv.Itoa(r.Depth), strconv.FormatInt(r.LinksIn, 10), strconv.FormatFloat(r.Value, 'g', 6, 64), r.URL}
	if r.Status != 0 {
		cells[2] = strconv.Itoa(int(r.Status))
	}
	if r.Seconds != nil {
		cells[4] = strconv.FormatFloat(*r.Seconds, 'f', 3, 64)
	}
	if r.Topical {
		near, hot := "-", "-"
		if r.Similarity != nil {
			near = strconv.FormatFloat(*r.Similarity, 'f', 4, 64)
		}
		if r.Hot {
			hot = "hot"
		}
		cells = slices.Insert(cells, len(cells)-1, near, hot)
	}
	for i := range cells {
		cells[i] = show.Line(cells[i])
	}
	return strings.Join(cells, "\t") + "\n"
}
