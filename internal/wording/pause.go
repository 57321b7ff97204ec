// Package wording says in words what terminal and report both say about a crawl: why it does not
// run, which flags continue it, what it skipped, and what limits left out.
package wording

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/show"
)

// StateText returns the state of a crawl and, unless it runs, the reason.
func StateText(s *history.Status, c *config.Config) string {
	if s.State != history.StatePaused && s.State != history.StateFinished {
		return s.State
	}
	return s.State + ": " + PauseReason(s, c)
}

// PauseReason describes why a crawl does not run.
func PauseReason(s *history.Status, c *config.Config) string {
	if s.State == history.StateFinished {
		return withinLimits(s.Caps)
	}
	switch s.Why {
	case "pages", "duration", "bytes":
		return "reached " + limitText(s, c)
	case "stop-when":
		return "--stop-when '" + c.StopWhen + "'"
	case "stopped":
		return "interrupted, by Ctrl-C or a signal"
	case "disk":
		return "the disk is full or cannot be written"
	case "memory":
		return "the memory of --max-memory is used up"
	case "unreachable":
		return "only unreachable sites are left"
	case "retry":
		return "failed pages are to be fetched again"
	case "command":
		return "by a command of the dashboard"
	case history.WhyCluster:
		return "the crawl is that of a cluster, and this is a copy or a part of it"
	case "reload":
		return "it reads its score again"
	case "":
		return "killed; no committed page is lost"
	}
	return s.Why
}

// limitText returns the limit at which a crawl paused. The value is missing if the crawl is
// below it: then somebody has raised it since.
func limitText(s *history.Status, c *config.Config) string {
	flag := "--" + s.Why
	if value := limitValue(s, c); value != "" {
		flag += " " + value
	}
	return flag
}

// limitValue returns the value of the limit at which a crawl paused, "" if it was raised
// since.
func limitValue(s *history.Status, c *config.Config) string {
	switch {
	case s.Why == "pages" && s.Fetched-s.Redirects >= c.Pages:
		return show.Grouped(c.Pages)
	case s.Why == "duration" && s.Now() >= c.Duration.Duration:
		return c.Duration.String()
	case s.Why == "bytes" && s.Bytes >= int64(c.Bytes):
		return c.Bytes.String()
	}
	return ""
}

// RaiseFlags returns the flags that raise the limit at which a crawl paused.
func RaiseFlags(s *history.Status, c *config.Config) []string {
	switch {
	case s.State == history.StateFinished:
		return RaiseAll(s.Caps)
	case s.Why == "memory":
		most := cmp.Or(s.MemoryMax, int64(c.MaxMemory), s.Memory)
		return []string{"--max-memory", config.Size(2 * most).String()}
	case s.Why == "stop-when":
		return []string{"--stop-when", config.StopOff}
	case limitValue(s, c) == "":
		return raiseForMore(s, c)
	case s.Why == "pages":
		return []string{"--pages", fmt.Sprint(2 * max(c.Pages, s.Fetched-s.Redirects))}
	case s.Why == "duration":
		return []string{"--duration", config.Duration{Duration: 2 * c.Duration.Duration}.String()}
	}
	return []string{"--bytes", (2 * c.Bytes).String()}
}

// raiseForMore returns the flag without which a crawl that was not stopped by --pages would be
// at once: it has as many pages already.
func raiseForMore(s *history.Status, c *config.Config) []string {
	if n := s.Fetched - s.Redirects; c.Pages > 0 && n >= c.Pages {
		return []string{"--pages", fmt.Sprint(2 * n)}
	}
	return nil
}

// withinLimits describes the end of a finished crawl, and mentions limits that left pages out.
func withinLimits(caps []state.Cap) string {
	if len(caps) == 0 {
		return "nothing is left to fetch"
	}
	return "nothing is left to fetch within the limits"
}

// RaiseAll returns the flags with which limits would have left nothing out.
func RaiseAll(caps []state.Cap) (flags []string) {
	for i := range caps {
		if raise := CapRaise(&caps[i]); raise != "" {
			flags = append(flags, strings.Fields(raise)...)
		}
	}
	return flags
}
