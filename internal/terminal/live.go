package terminal

import (
	"fmt"
	"io"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/show"
)

// PrintSummary writes the status of a crawl that has ended.
func PrintSummary(w io.Writer, dir string, s *history.Status, c *config.Config) error {
	t := show.NewList()
	t.Add("directory", "", dir)
	t.Add("state", "", StateText(s, c))
	addCounts(t, s, textWidth)
	addSkipped(t, s, textWidth)
	addDown(t, s, downShown)
	addCaps(t, s.Caps)
	t.Add("time", show.Duration(s.Ran), "of "+show.Duration(s.Now())+" since the crawl began")
	return t.Print(w)
}

// Panel returns the lines for a terminal.
func Panel(s *history.Status, c *config.Config) []string {
	lines := []string{
		"winnow: " + pagesLine(s, c),
		fmt.Sprintf("  %s of the links found lead to them, %s known on %s, %s refused",
			gathered(s.Gathered), show.Counted(s.Known, "page"), show.Counted(s.Sites, "site"), show.Grouped(s.Refused)),
		fmt.Sprintf("  %s of %s fetchers active%s", show.Grouped(int64(s.Active)), show.Grouped(int64(s.Fetchers)), waitLine(s)),
	}
	if s.Failed > 0 {
		lines = append(lines, "  failed: "+failedText(s))
	}
	return append(lines, "  "+machineLine(s))
}

// ProgressLine returns the same in one line, for logs.
func ProgressLine(s *history.Status, c *config.Config) string {
	line := fmt.Sprintf("%s; %s of the links found lead to them; %d of %d fetchers%s", pagesLine(s, c), gathered(s.Gathered), s.Active, s.Fetchers, waitLine(s))
	if s.Failed > 0 {
		line += "; failed: " + failedText(s)
	}
	return line + "; " + machineLine(s)
}

// pagesLine returns the pages, the rate and the time left.
func pagesLine(s *history.Status, c *config.Config) string {
	line := show.Grouped(s.Fetched - s.Redirects)
	if c.Pages > 0 {
		line += " of " + show.Grouped(c.Pages)
	}
	line += fmt.Sprintf(" pages, %s/s", show.Rate(s.Rate))
	switch {
	case s.State != "" && s.State != "running":
		line += ", " + s.State
	case s.Left > 0:
		line += ", " + show.Duration(s.Left) + " left"
	}
	return line
}

// waitLine describes why sites that have pages are not requested. Idle fetchers wait for
// these sites.
func waitLine(s *history.Status) string {
	if len(s.Waits) == 0 {
		return ""
	}
	return "; sites wait: " + show.ByNumber(s.Waits)
}

// failedText returns the number of failed pages and their classes, those of sites that are
// given up included: the same numbers as in winnow status.
func failedText(s *history.Status) string {
	return show.Counted(s.Failed, "page") + " (" + show.ByNumber(s.FailedBy) + ")"
}

// machineLine returns the bytes received, the memory and the time of the crawl.
func machineLine(s *history.Status) string {
	line := fmt.Sprintf("%s received, %s memory", show.Bytes(s.Bytes), show.Bytes(s.Memory))
	if s.MemoryMax > 0 {
		line += " of " + show.Bytes(s.MemoryMax)
	}
	return line + ", " + show.Duration(s.Ran)
}
