package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/live"
)

// crawlEvent is an object of --json: how the crawl goes, and at the end how it went.
// The fields are those of `winnow status`.
type crawlEvent struct {
	Event string `json:"event"` // progress, end
	*history.Status
	Left      float64 `json:"seconds_left,omitempty"` // until the limit in force
	MemoryMax int64   `json:"memory_max,omitempty"`
}

func statsEvent(event string, s *history.Status) crawlEvent {
	return crawlEvent{event, s, s.Left.Seconds(), s.MemoryMax}
}

// tellEnd prints the summary.
func (c *crawling) tellEnd(sum *crawl.Summary) error {
	if c.u.asJSON {
		return c.u.json(statsEvent("end", &sum.Status))
	}
	s := &sum.Status
	t := show.NewList()
	t.Add("directory", "", c.dir)
	t.Add("state", "", s.State+": "+ends(sum, &c.config))
	t.Add("known", show.Grouped(s.Known), "pages on "+show.Counted(s.Sites, "site"))
	t.Add("fetched", show.Grouped(s.Fetched), fetchedText(s))
	t.Add("failed", show.Grouped(s.Failed), countList(s.FailedBy))
	t.Add("refused", show.Grouped(s.Refused), countList(s.RefusedBy))
	if n := inTraps(s); n > 0 {
		t.Add("skipped", show.Grouped(n), "of these as traps: winnow status lists them")
	}
	addDown(t, sum.Down, sum.Unreachable)
	addCaps(t, sum.Caps)
	t.Add("attempts", show.Grouped(total(s.Outcomes)), countList(s.Outcomes))
	t.Add("requests", show.Grouped(s.Requests), show.Bytes(s.Bytes)+" received")
	t.Add("time", show.Duration(s.Ran), "of "+show.Duration(s.Now())+" since the crawl began")
	if err := t.Print(c.u.stdout); err != nil {
		return err
	}
	if next := resumeWith(sum, &c.config); next != "" {
		c.u.notef("to resume: %s", quoteArgs(append([]string{"winnow", "crawl", "--dir", c.dir}, strings.Fields(next)...)))
	}
	return nil
}

// ends describes why the run ended.
func ends(sum *crawl.Summary, c *config.Config) string {
	switch sum.Why {
	case "finished":
		return withinLimits(sum.Caps)
	case "pages":
		return "at --pages " + show.Grouped(c.Pages)
	case "duration":
		return "at --duration " + c.Duration.String()
	case "bytes":
		return "at --bytes " + c.Bytes.String()
	case "stopped":
		return "on request"
	case "unreachable":
		return "only unreachable sites are left; the next run tries them again"
	}
	return sum.Why
}

// resumeWith returns the flag that lets a crawl resume after a limit, "" if nothing is left
// to fetch.
func resumeWith(sum *crawl.Summary, c *config.Config) string {
	switch sum.Why {
	case "pages":
		return fmt.Sprintf("--pages %d", 2*c.Pages)
	case "duration":
		return "--duration " + config.Duration{Duration: 2 * c.Duration.Duration}.String()
	case "bytes":
		return "--bytes " + (2 * c.Bytes).String()
	case "stopped", "unreachable":
		return " "
	case "finished":
		return strings.Join(raiseAll(sum.Caps), " ")
	}
	return ""
}

// addDown names some of the unreachable sites.
func addDown(t *show.List, n int64, list []state.SiteDown) {
	const most = 5
	for i, d := range list[:min(len(list), most)] {
		name, number := "", ""
		if i == 0 {
			name, number = "unreachable", show.Grouped(n)
		}
		t.Add(name, number, fmt.Sprintf("%s: %s; next try %s", show.Line(d.Site), show.Line(d.Why), d.Next.Local().Format("15:04")))
	}
	if left := n - int64(min(len(list), most)); left > 0 {
		t.Add("", "", fmt.Sprintf("and %s more: winnow status --json", show.Grouped(left)))
	}
}

func total(m map[string]int64) (n int64) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		n += m[k]
	}
	return n
}

// inTraps returns the number of pages that were skipped as traps.
func inTraps(s *history.Status) (n int64) {
	for _, x := range live.Skipped(s) {
		n += x.Pages
	}
	return n
}
