package main

import (
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
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
	if err := terminal.PrintSummary(c.u.stdout, c.dir, s, &c.config); err != nil {
		return err
	}
	for _, note := range s.Notes {
		c.u.notef("%s", note)
	}
	if next := terminal.ResumeCommand(c.dir, s, &c.config); next != "" {
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
		p.u.screen.Draw(terminal.Panel(&s, p.c)...)
	default:
		p.u.say("", "crawl: "+terminal.ProgressLine(&s, p.c))
	}
}

// say writes a message above the panel.
func (p *crawlProgress) say(kind, text string) {
	if kind == "" && (p.u.quiet || p.u.asJSON) {
		return
	}
	p.u.say(kind, text)
}
