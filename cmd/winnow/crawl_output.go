package main

import (
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/console"
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
	if c.u.AsJSON {
		return c.u.JSON(statsEvent("end", &sum.Status))
	}
	s := &sum.Status
	if err := terminal.PrintSummary(c.u.Stdout, c.dir, s, &c.config); err != nil {
		return err
	}
	for _, note := range s.Notes {
		c.u.Notef("%s", note)
	}
	if next := terminal.ResumeCommand(c.dir, s, &c.config); next != "" {
		c.u.Notef("to resume: %s", next)
	}
	return nil
}

// watch returns what shows a crawl while it runs.
func watchCrawl(u *console.UI, dir string, c *config.Config) *terminal.Watch {
	w := &terminal.Watch{Screen: &u.Screen, Height: u.Height, View: terminal.View{Dir: dir, Config: c, ASCII: console.ASCIIOnly()}, Quiet: u.Quiet}
	if u.AsJSON {
		w.Object = func(s *history.Status) {
			if !u.Quiet { // if the reader has gone, printing the summary fails
				_ = u.JSON(statsEvent("progress", s))
			}
		}
	}
	return w
}
