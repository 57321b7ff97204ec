package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/live"
)

func newStatusCommand(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:   "status DIR",
		Short: "show the state of a crawl",
		Long: `Shows the state of the crawl in a directory: pages by state, outcomes, refusals by reason,
what sites wait for, traps, mirrors and memory. It changes nothing. It works while the crawl
runs, after it was stopped, and after it was killed; then it reads the journal.

A crawl is running, paused (winnow crawl --dir DIR resumes it) or finished, which means that
no page was left to fetch. If a limit excluded pages, the flag that admits them is listed.

Pages skipped as traps are listed by reason, with the sites and patterns that have most of
them; --json lists more. In a pattern, * is any name and # a number or an id; of a query,
only the names of the parameters are shown. Held pages are those refused as grows, hosts or
farm: they are admitted as soon as there is evidence that they are wanted.`,
		Example: `  winnow status a.example.crawl
  winnow status a.example.crawl --json`,
		Args: exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStatus(cmd.Context(), u, args[0])
		},
	}
}

func runStatus(ctx context.Context, u *ui, dir string) error {
	p := show.NewProgress(u.progress(), "read the journal of "+dir, 0, "")
	p.Note("the crawl did not end by itself, so its records are replayed")
	s, err := history.ReadStatus(ctx, dir)
	p.Done()
	if err != nil {
		return err
	}
	if u.asJSON {
		return u.json(s)
	}
	return printStatus(u, dir, s)
}

// printStatus writes the status as text.
func printStatus(u *ui, dir string, s *history.Status) error {
	t := show.NewList()
	t.Add("directory", "", dir)
	t.Add("state", "", stateText(s))
	addCounts(t, s)
	t.Add("time", show.Duration(time.Duration(s.Seconds*float64(time.Second))), "since the crawl began")
	if s.State == "running" {
		t.Add("fetchers", show.Grouped(int64(s.Active)), fmt.Sprintf("of %d active, %s pages/s", s.Fetchers, show.Rate(s.Rate)))
	}
	if len(s.Waits) > 0 {
		t.Add("sites wait", "", "for "+byNumber(s.Waits))
	}
	addDown(t, s.Down, s.Unreachable)
	addCaps(t, s.Caps)
	addLeft(t, s)
	addLargest(t, s.Largest)
	t.Add("record", show.Grouped(int64(s.Record)), "is the next of the journal")
	if err := t.Print(u.stdout); err != nil {
		return err
	}
	if err := printTraps(u, s); err != nil {
		return err
	}
	return printMemory(u, s)
}

// addCounts adds the numbers of pages by state, of attempts and of requests.
func addCounts(t *show.List, s *history.Status) {
	t.Add("known", show.Grouped(s.Known), "pages on "+show.Counted(s.Sites, "site"))
	t.Add("waiting", show.Grouped(s.Waiting), percent(s.Waiting, s.Known))
	t.Add("fetched", show.Grouped(s.Fetched), fetchedText(s))
	t.Add("failed", show.Grouped(s.Failed), byNumber(s.FailedBy))
	t.Add("refused", show.Grouped(s.Refused), byNumber(s.RefusedBy))
	t.Add("attempts", show.Grouped(total(s.Outcomes)), byNumber(s.Outcomes))
	t.Add("requests", show.Grouped(s.Requests), show.Bytes(s.Bytes)+" received")
}

// stateText returns the state, and how to resume a paused crawl.
func stateText(s *history.Status) string {
	switch {
	case s.State == "paused" && s.Why == "unreachable":
		return "paused: only unreachable sites are left; winnow crawl --dir tries them again"
	case s.State == "paused" && s.Why == "retry":
		return "paused: pages are to be retried; winnow crawl --dir fetches them"
	case s.State == "paused" && s.Why == "disk":
		return "paused: the disk was full or could not be written; winnow crawl --dir resumes when that is fixed"
	case s.State == "paused" && s.Why == "memory":
		return "paused at --max-memory; winnow crawl --dir with a larger one resumes"
	case s.State == "paused" && s.Why != "" && s.Why != "stopped":
		return "paused at --" + s.Why
	case s.State == "finished":
		return "finished: " + withinLimits(s.Caps)
	}
	return s.State
}

// printMemory lists the columns of the state, the largest first, and what a known page
// takes in all.
func printMemory(u *ui, s *history.Status) error {
	if s.Memory == 0 || s.Known == 0 {
		return nil
	}
	u.printf("\n")
	t := show.NewList("memory", "bytes", "bytes a page")
	t.Add("all columns", show.Bytes(s.Memory), fmt.Sprintf("%.1f", float64(s.Memory)/float64(s.Known)))
	for _, name := range byValue(s.Columns) {
		t.Add(name, show.Bytes(s.Columns[name]), fmt.Sprintf("%.1f", float64(s.Columns[name])/float64(s.Known)))
	}
	return t.Print(u.stdout)
}

// byValue returns the names in a map, the largest number first. Equal numbers are sorted by
// name.
func byValue[N int | int64](m map[string]N) []string {
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(m[b], m[a]) })
	return names
}

// byNumber lists counts, the largest first: "page 12, robots 3".
func byNumber[N int | int64](m map[string]N) string {
	var parts []string
	for _, name := range byValue(m) {
		parts = append(parts, name+" "+show.Grouped(m[name]))
	}
	return strings.Join(parts, ", ")
}

// addLargest adds the site with most known pages and its verdict.
func addLargest(t *show.List, x *history.SiteShare) {
	if x == nil {
		return
	}
	t.Add("largest site", show.Grouped(x.Pages), fmt.Sprintf("%.1f %% of the known pages are on %s: %s", 100*x.Share, x.Site, verdictText(x)))
	t.Add("", "", fmt.Sprintf("(Cho et al. 1998, section 5.2: %s of %s known URLs, %.1f %%, on one server)",
		show.Grouped(live.ChoServer), show.Grouped(live.ChoKnown), 100*float64(live.ChoServer)/live.ChoKnown))
}

// verdictText returns the trap verdict on a site.
func verdictText(x *history.SiteShare) string {
	switch x.Verdict {
	case "trap":
		return fmt.Sprintf("a trap, %s of its pages are skipped", show.Grouped(x.Trapped))
	case "partly":
		return fmt.Sprintf("partly a trap, %s of its pages are skipped", show.Grouped(x.Trapped))
	}
	return "not a trap"
}

// addLeft adds held pages and mirrors.
func addLeft(t *show.List, s *history.Status) {
	if s.Held > 0 {
		t.Add("held", show.Grouped(s.Held), "refused pages that are admitted if there is evidence that they are wanted")
	}
	if s.Mirrored > 0 {
		t.Add("mirrors", show.Grouped(s.Mirrored), "sites that are nearly the same as another; their pages are fetched later")
	}
}

// trapsShown is the number of places listed for a reason.
const trapsShown = 5

// printTraps lists the places that were skipped as traps, and the mirrors.
func printTraps(u *ui, s *history.Status) error {
	if list := live.Skipped(s); len(list) > 0 {
		u.printf("\n")
		t := show.NewList("skipped", "pages", "why, and where most")
		for _, x := range list {
			t.Add(x.Bar, show.Grouped(x.Pages), x.Bar.Meaning())
			for _, p := range x.Places[:min(len(x.Places), trapsShown)] {
				t.Add("", show.Grouped(p.Pages), "  "+p.Site+p.Pattern)
			}
		}
		if err := t.Print(u.stdout); err != nil {
			return err
		}
	}
	if len(s.Mirrors) == 0 {
		return nil
	}
	u.printf("\n")
	t := show.NewList("mirror", "of")
	for _, m := range s.Mirrors {
		t.Add(m.Site, m.Of)
	}
	return t.Print(u.stdout)
}

// capText describes what a limit left out, without the number.
func capText(x *state.Cap) string {
	if x.Key == "" {
		return x.What + " beyond what is read of one site"
	}
	text := x.What + " by " + live.CapName(x)
	if where := live.CapWhere(x); where != "" {
		text += ": " + where
	}
	return text
}

// addCaps adds what limits left out to the figures of a crawl.
func addCaps(t *show.List, caps []state.Cap) {
	for i := range caps {
		x := &caps[i]
		text := capText(x)
		switch raise := live.CapRaise(x); {
		case raise != "":
			text += "; raise it with " + raise
		case strings.HasSuffix(x.Key, "_pages"):
			text += "; a larger value includes them"
		}
		t.Add("left out", show.Grouped(x.Left), text)
	}
}

// withinLimits describes the end of a finished crawl, and mentions limits that left pages out.
func withinLimits(caps []state.Cap) string {
	if len(caps) == 0 {
		return "there is nothing left to fetch"
	}
	return "there is nothing left to fetch within the limits"
}

// raiseAll returns the flags with which limits would have left nothing out.
func raiseAll(caps []state.Cap) (flags []string) {
	for i := range caps {
		if raise := live.CapRaise(&caps[i]); raise != "" {
			flags = append(flags, strings.Fields(raise)...)
		}
	}
	return flags
}

// fetchedText explains the number of fetched pages: how many are redirects, and where the
// links in them lead. The links of pages that were not fetched are unknown.
func fetchedText(s *history.Status) string {
	var parts []string
	if s.Redirects > 0 {
		parts = append(parts, show.Grouped(s.Redirects)+" of them redirects")
	}
	if s.Links > 0 {
		parts = append(parts, fmt.Sprintf("%s of the %s found lead to them", gathered(s.Gathered), show.Counted(s.Links, "link")))
	}
	if n := s.Failed + s.Refused; n > 0 && s.Links > 0 {
		parts = append(parts, fmt.Sprintf("the links of %s that were not fetched are unknown", show.Counted(n, "page")))
	}
	return strings.Join(parts, "; ")
}
