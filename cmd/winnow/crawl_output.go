package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/show"
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

// printEnd prints the summary.
func (c *crawling) printEnd(sum *crawl.Summary) error {
	if c.u.asJSON {
		return c.u.json(statsEvent("end", &sum.Status))
	}
	s := &sum.Status
	t := show.NewList()
	t.Add("directory", "", c.dir)
	t.Add("state", "", stateText(s, &c.config))
	addCounts(t, s, textWidth)
	addSkipped(t, s, textWidth)
	addDown(t, s, downShown)
	addCaps(t, s.Caps)
	t.Add("time", show.Duration(s.Ran), "of "+show.Duration(s.Now())+" since the crawl began")
	if err := t.Print(c.u.stdout); err != nil {
		return err
	}
	for _, note := range s.Notes {
		c.u.notef("%s", note)
	}
	if next := resumeCommand(c.dir, s, &c.config); next != "" {
		c.u.notef("to resume: %s", next)
	}
	return nil
}

// crawlProgress shows how a crawl goes: on a terminal a panel of a few lines that is
// drawn again and again, elsewhere a line every ten seconds, with --json an object. It
// draws from a goroutine of its own, because a terminal may be stopped (Ctrl-S) and the
// loop of the crawl must never wait for it.
type crawlProgress struct {
	u *ui
	c *config.Config

	mu    sync.Mutex
	stats history.Status
	known bool // there are stats

	end func() // ends the showing; nil before start and with --quiet
}

func newCrawlProgress(u *ui, c *config.Config) *crawlProgress {
	return &crawlProgress{u: u, c: c}
}

// set keeps the status. The crawl calls it about once a second.
func (p *crawlProgress) set(s *history.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats, p.known = *s, true
}

// last returns the last status of the crawl, or false before the first.
func (p *crawlProgress) last() (history.Status, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats, p.known
}

func (p *crawlProgress) start() {
	screen := &p.u.screen
	if p.u.asJSON {
		screen = &show.Screen{} // as often as in a log
	}
	if !p.u.quiet {
		p.end = screen.Every(func(time.Duration) { p.show() })
	}
}

// stop ends the display. It may be called twice.
func (p *crawlProgress) stop() {
	if p.end != nil {
		p.end()
	}
}

func (p *crawlProgress) show() {
	s, ok := p.last()
	switch {
	case !ok:
	case p.u.asJSON:
		// If the reader has gone, printing the summary fails.
		_ = p.u.json(statsEvent("progress", &s))
	case p.u.screen.Terminal():
		p.u.screen.Draw(panel(&s, p.c)...)
	default:
		p.u.say("", "crawl: "+progressLine(&s, p.c))
	}
}

// say writes a message above the panel.
func (p *crawlProgress) say(kind, text string) {
	if kind == "" && (p.u.quiet || p.u.asJSON) {
		return
	}
	p.u.say(kind, text)
}

// panel returns the lines for a terminal.
func panel(s *history.Status, c *config.Config) []string {
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

// progressLine returns the same in one line, for logs.
func progressLine(s *history.Status, c *config.Config) string {
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

func gathered(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }
