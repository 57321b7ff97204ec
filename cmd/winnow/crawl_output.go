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
	t := newTable()
	t.add("directory", "", c.dir)
	t.add("state", "", s.State+": "+ends(sum, &c.config))
	t.add("known", formatCount(s.Known), "pages on "+counted(s.Sites, "site"))
	t.add("fetched", formatCount(s.Fetched), fetchedText(s))
	t.add("failed", formatCount(s.Failed), countList(s.FailedBy))
	t.add("refused", formatCount(s.Refused), countList(s.RefusedBy))
	if n := inTraps(s); n > 0 {
		t.add("left alone", formatCount(n), "of these as traps: winnow status says which")
	}
	addDown(t, sum.Down, sum.Unreachable)
	addCaps(t, sum.Caps)
	t.add("attempts", formatCount(total(s.Outcomes)), countList(s.Outcomes))
	t.add("requests", formatCount(s.Requests), formatBytes(s.Bytes)+" received")
	t.add("time", formatDuration(s.Ran), "of "+formatDuration(s.Now())+" since the crawl began")
	if err := t.print(c.u.stdout); err != nil {
		return err
	}
	if next := goOn(sum, &c.config); next != "" {
		c.u.notef("to go on: %s", quoteArgs(append([]string{"winnow", "crawl", "--dir", c.dir}, strings.Fields(next)...)))
	}
	return nil
}

// ends says in words why the run ended.
func ends(sum *crawl.Summary, c *config.Config) string {
	switch sum.Why {
	case "finished":
		return withinLimits(sum.Caps)
	case "pages":
		return "at --pages " + formatCount(c.Pages)
	case "duration":
		return "at --duration " + c.Duration.String()
	case "bytes":
		return "at --bytes " + c.Bytes.String()
	case "stopped":
		return "on request"
	case "unreachable":
		return "only sites are left that cannot be reached; the next run tries them again"
	}
	return sum.Why
}

// goOn is the flag that makes a crawl go on after a limit, "" if there is nothing to go
// on with.
func goOn(sum *crawl.Summary, c *config.Config) string {
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

// addDown names some of the sites that cannot be reached.
func addDown(t *table, n int64, list []state.SiteDown) {
	const most = 5
	for i, d := range list[:min(len(list), most)] {
		name, number := "", ""
		if i == 0 {
			name, number = "unreachable", formatCount(n)
		}
		t.add(name, number, fmt.Sprintf("%s: %s; next try %s", line(d.Site), line(d.Why), d.Next.Local().Format("15:04")))
	}
	if left := n - int64(min(len(list), most)); left > 0 {
		t.add("", "", fmt.Sprintf("and %s more: winnow status --json", formatCount(left)))
	}
}

func total(m map[string]int64) (n int64) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		n += m[k]
	}
	return n
}

// inTraps is the number of pages that were left alone as traps.
func inTraps(s *history.Status) (n int64) {
	for _, x := range leftAloneBy(s) {
		n += x.pages
	}
	return n
}
