package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
)

func newStatusCommand(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:   "status DIR",
		Short: "say how far a crawl is",
		Long: `Says how far the crawl in a directory is: pages by state, outcomes, refusals with their
reasons, what sites wait for, traps and mirrors, memory. It changes nothing, and works while
the crawl runs, after it was stopped and after it was killed: then the journal is read.

A crawl is running, paused (winnow crawl --dir DIR goes on) or finished: there was nothing
left to fetch. What a limit left out is listed with the flag that brings it.

What was left alone as a trap is listed by reason, with the sites and patterns that met most
pages; --json has more of them. In a pattern * is any name, # a number or an id, and of a
query the names of the parameters are left. Held are pages of the reasons grows, hosts and
farm: they are admitted when something speaks for them.`,
		Example: `  winnow status a.example.crawl
  winnow status a.example.crawl --json`,
		Args: exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStatus(cmd.Context(), u, args[0])
		},
	}
}

func runStatus(ctx context.Context, u *ui, dir string) error {
	p := newProgress(u, "read the journal of "+dir, 0, "")
	p.Note("the crawl did not end by itself, so its records are replayed")
	s, err := history.ReadStatus(ctx, dir)
	p.Done()
	if err != nil {
		return explainCrawl(err)
	}
	if u.asJSON {
		return u.json(s)
	}
	return printStatus(u, dir, s)
}

// printStatus writes the status as text.
func printStatus(u *ui, dir string, s *history.Status) error {
	t := newTable()
	t.add("directory", "", dir)
	t.add("state", "", stateText(s))
	t.add("known", formatCount(s.Known), "pages on "+counted(s.Sites, "site"))
	t.add("waiting", formatCount(s.Waiting), percent(s.Waiting, s.Known))
	t.add("fetched", formatCount(s.Fetched), fetchedText(s))
	t.add("failed", formatCount(s.Failed), byNumber(s.FailedBy))
	t.add("refused", formatCount(s.Refused), byNumber(s.RefusedBy))
	t.add("attempts", formatCount(total(s.Outcomes)), byNumber(s.Outcomes))
	t.add("requests", formatCount(s.Requests), formatBytes(s.Bytes)+" received")
	t.add("time", formatDuration(s.Now()), "since the crawl began")
	if s.State == "running" {
		t.add("fetchers", formatCount(int64(s.Active)), fmt.Sprintf("of %d at work, %s pages/s", s.Fetchers, formatRate(s.Rate)))
	}
	if len(s.Waits) > 0 {
		t.add("sites wait", "", "for "+byNumber(widen(s.Waits)))
	}
	addDown(t, s.Down, s.Unreachable)
	addCaps(t, s.Caps)
	addLeft(t, s)
	addLargest(t, s.Largest)
	t.add("record", formatCount(int64(s.Record)), "is the next of the journal")
	if err := t.print(u.stdout); err != nil {
		return err
	}
	if err := printTraps(u, s); err != nil {
		return err
	}
	return printMemory(u, s)
}

// stateText is the state, and how a paused crawl goes on.
func stateText(s *history.Status) string {
	switch {
	case s.State == "paused" && s.Why == "unreachable":
		return "paused: only sites are left that cannot be reached; winnow crawl --dir tries them again"
	case s.State == "paused" && s.Why == "retry":
		return "paused: pages got another chance; winnow crawl --dir fetches them"
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
	t := newTable("memory", "bytes", "bytes a page")
	t.add("all columns", formatBytes(s.Memory), fmt.Sprintf("%.1f", float64(s.Memory)/float64(s.Known)))
	for _, name := range byValue(s.Columns) {
		t.add(name, formatBytes(s.Columns[name]), fmt.Sprintf("%.1f", float64(s.Columns[name])/float64(s.Known)))
	}
	return t.print(u.stdout)
}

// byValue are the names in a map, the largest number first, by name where they are
// equal.
func byValue(m map[string]int64) []string {
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(m[b], m[a]) })
	return names
}

// byNumber lists counts, the largest first.
func byNumber(m map[string]int64) string {
	text := ""
	for _, name := range byValue(m) {
		if text != "" {
			text += ", "
		}
		text += name + " " + formatCount(m[name])
	}
	return text
}

func widen(m map[string]int) map[string]int64 {
	out := map[string]int64{}
	for name, n := range m {
		out[name] = int64(n)
	}
	return out
}
