package main

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
)

type pagesOptions struct {
	state string // known, fetched, failed, refused; "" all
	site  string
	limit count
}

func newPagesCommand(u *ui) *cobra.Command {
	opt := &pagesOptions{}
	cmd := &cobra.Command{
		Use:   "pages DIR [--state known|fetched|failed|refused] [--site S] [--limit N]",
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
	f.StringVar(&opt.state, "state", "", "pages of this state only: known (not asked for yet), fetched, failed, refused")
	completes(cmd, "state", pageStateNames()...)
	f.StringVar(&opt.site, "site", "", "pages of this host or site only")
	f.Var(&opt.limit, "limit", "at most so many pages")
	return cmd
}

// pagesHelp is the long help, with the meaning of each reason of a refusal.
func pagesHelp() string {
	var b strings.Builder
	b.WriteString(`Lists the pages that a crawl knows, in the order in which it learned of them, one a line with
tabs between: state, why, HTTP status, class of the last attempt, seconds from the beginning
of the crawl to its end, links from a seed, links to the page, score, URL. A dash is what
there is not.

Why is the reason of a refusal, the class of a failure, unreachable for a page that waits
because its site cannot be reached, or max-links for a page that came and has more links than
--max-links. Score is the value that the policy of the crawl gives the page. --site is a host,
or scheme://host:port.

Reasons of refusals:
`)
	for bar := range event.Bar(event.Bars()) {
		if meaning := barMeaning(bar); meaning != "" {
			fmt.Fprintf(&b, "  %-13s %s\n", bar, meaning)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// pageStateNames are the states that can be asked for. A page that is being fetched is
// known: when the crawl is not running it will be asked for again.
func pageStateNames() []string { return []string{"known", "fetched", "failed", "refused"} }

// pageStates are the states of the frontier under one name.
func pageStates(u *ui, name string) ([]frontier.State, error) {
	switch name {
	case "":
		return nil, nil
	case "known":
		return []frontier.State{frontier.Known, frontier.Acquired}, nil
	case "fetched":
		return []frontier.State{frontier.Fetched, frontier.Reacquired}, nil
	case "failed":
		return []frontier.State{frontier.Failed}, nil
	case "refused":
		return []frontier.State{frontier.RefusedPage}, nil
	}
	near, ok := nearest(name, pageStateNames())
	if !ok {
		near = "failed"
	}
	return nil, withHint(usagef("--state: %q: it can be %s", name, strings.Join(pageStateNames(), ", ")), "try: %s", u.withFlag("--state", near))
}

// pageResult is a page as --json has it.
type pageResult struct {
	ID      uint32   `json:"id"`
	URL     string   `json:"url"`
	State   string   `json:"state"`
	Why     string   `json:"why,omitempty"`
	Note    string   `json:"note,omitempty"`
	Class   string   `json:"class,omitempty"`   // of the last attempt
	Like    string   `json:"like,omitempty"`    // the page whose content it had, or nearly if the class is not duplicate
	Status  int      `json:"status,omitempty"`  // of HTTP
	Seconds *float64 `json:"seconds,omitempty"` // from the beginning of the crawl to the end of it
	Depth   int      `json:"depth"`
	LinksIn int64    `json:"links_in"`
	Cut     int64    `json:"links_left_out,omitempty"` // by max_links
	Score   float64  `json:"score"`
}

func runPages(ctx context.Context, u *ui, opt *pagesOptions, dir string) error {
	states, err := pageStates(u, opt.state)
	if err != nil {
		return err
	}
	p := newProgress(u, "read "+dir, 0, "")
	p.Note("the records are replayed")
	defer p.Done()
	v, err := history.Open(ctx, dir)
	if err != nil {
		return explainCrawl(err)
	}
	defer v.Close()
	out := bufio.NewWriterSize(u.stdout, 1<<16)
	filter := &history.PageFilter{States: states, Site: strings.TrimSuffix(opt.site, "/"), Limit: int64(opt.limit)}
	err = v.Pages(filter, func(x *history.PageInfo) error {
		if u.asJSON {
			return writeJSON(out, newPageResult(x))
		}
		_, err := out.WriteString(pageLine(x))
		return err
	})
	p.Done()
	if flushErr := out.Flush(); err == nil {
		err = flushErr
	}
	return explainCrawl(err)
}

// newPageResult is the page in the words of users.
func newPageResult(x *history.PageInfo) *pageResult {
	r := &pageResult{
		ID: uint32(x.ID), URL: x.URL, State: stateName(x.State), Why: x.Why(), Note: x.Note, Like: x.Like, Status: int(x.Status),
		Depth: x.Depth, LinksIn: x.In, Cut: x.Cut, Score: x.Score,
	}
	if x.Tried {
		seconds := x.At.Seconds()
		r.Class, r.Seconds = x.Class.String(), &seconds
	}
	return r
}

// stateName is the state by the name that --state takes.
func stateName(s frontier.State) string {
	switch s {
	case frontier.Acquired:
		return "known"
	case frontier.Reacquired:
		return "fetched"
	}
	return s.String()
}

// pageLine is the page as a line.
func pageLine(x *history.PageInfo) string {
	r := newPageResult(x)
	cells := []string{r.State, dash(r.Why), "-", dash(r.Class), "-",
		strconv.Itoa(r.Depth), strconv.FormatInt(r.LinksIn, 10), strconv.FormatFloat(r.Score, 'g', 6, 64), r.URL}
	if r.Status != 0 {
		cells[2] = strconv.Itoa(r.Status)
	}
	if r.Seconds != nil {
		cells[4] = strconv.FormatFloat(*r.Seconds, 'f', 3, 64)
	}
	for i := range cells {
		cells[i] = line(cells[i])
	}
	return strings.Join(cells, "\t") + "\n"
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
