package follow

import (
	"context"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
)

// recalled is the number of known pages up to which it is found out what sites waited for before
// the crawl was followed. That takes a second state for a while.
const recalled = 1_000_000

// A waited is what sites waited for at a time.
type waited struct {
	at       time.Duration // without the time between sessions
	waits    Waits
	fetchers int
}

// recall finds out what sites waited for before the crawl was followed: it replays the journal, and
// looks at the state now and then.
func (f *Follower) recall(ctx context.Context) {
	c, err := recut.Open(ctx, f.Dir)
	if err != nil {
		return
	}
	defer c.Close()
	if c.Known() > recalled {
		return
	}
	f.mu.Lock()
	width := f.index.Course.Width
	f.mu.Unlock()
	list, err := waitsOf(c, max(width, time.Second))
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.index == nil || ctx.Err() != nil {
		return
	}
	for _, w := range list {
		if s := f.index.Course.step(w.at); !s.Sampled {
			s.Sampled, s.Waits, s.Fetchers = true, w.waits, w.fetchers
		}
	}
}

// waitsOf returns what sites waited for over time, once in each step.
func waitsOf(c *history.Crawl, width time.Duration) (list []waited, err error) {
	sessions, err := c.Sessions()
	if err != nil {
		return nil, err
	}
	var last, stopped, next time.Duration
	fetchers := 0
	err = c.Refold(func(s *state.State, r *journal.Record) {
		if r.Event.Kind == event.Session {
			stopped += r.Now - last
			for _, x := range sessions {
				if x.Record == r.Seq {
					fetchers = x.Config.Fetchers
				}
			}
		}
		last = r.Now
		if at := r.Now - stopped; at >= next && r.Seq > 0 {
			next = at/width*width + width
			var x history.Status
			x.Fill(s, r.Now)
			list = append(list, waited{at, WaitsOf(&x), fetchers})
		}
	}, nil)
	return list, err
}
