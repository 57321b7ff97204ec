package history

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A Timeline is the course of a crawl in steps of equal length. Its clock stops between
// sessions.
type Timeline struct {
	Width    time.Duration // of a step
	Steps    []Step
	Sessions []time.Duration // when each began
}

// A Step counts what happened during a part of a crawl.
type Step struct {
	Attempts int64                      // ends of attempts at pages
	Fetched  int64                      // pages, for the first time
	Failed   [event.LastClass + 1]int64 // attempts that failed, by class
	Bytes    int64                      // of answers, as they were received
	Active   float64                    // mean number of requests under way
	// Known and Waiting are at the end of the step. A page waits until it gets the state that it
	// has in the end: one that was refused and admitted later waits meanwhile.
	Known, Waiting int64
}

// Failures returns the attempts that failed.
func (s *Step) Failures() (n int64) {
	for _, v := range s.Failed {
		n += v
	}
	return n
}

// Timeline returns the course of the crawl in a number of steps. It calls Trail and reads the
// journal. It takes 8 bytes for each known page while it reads.
func (c *Crawl) Timeline(steps int) (*Timeline, error) {
	t, err := c.Trail()
	if err != nil {
		return nil, err
	}
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	r := &timelineReader{
		Timeline: &Timeline{Width: max(1, (t.Duration-t.Stopped)/time.Duration(steps)+1), Steps: make([]Step, steps)},
		f:        s.Frontier, left: make([]time.Duration, c.Known()), closed: make([]time.Duration, c.Sites()),
	}
	if err := c.Each(r.read); err != nil {
		return nil, err
	}
	r.finish()
	return r.Timeline, nil
}

// A timelineReader makes a Timeline of records.
type timelineReader struct {
	*Timeline
	f       *frontier.Frontier // the state at the end
	left    []time.Duration    // by page: when it got its last state; negative: by a visit
	closed  []time.Duration    // by site: when its address could not be found
	last    time.Duration      // instant of the last record
	stopped time.Duration      // between sessions, so far
	known   int
}

// ran returns the time without that between sessions.
func (t *timelineReader) ran(at time.Duration) time.Duration { return max(0, at-t.stopped) }

// step returns the step of an instant without the time between sessions.
func (t *timelineReader) step(ran time.Duration) *Step {
	return &t.Steps[min(int(ran/t.Width), len(t.Steps)-1)]
}

func (t *timelineReader) read(r *journal.Record) error {
	e := &r.Event
	if e.Kind == event.Session {
		t.stopped += r.Now - t.last
		t.Sessions = append(t.Sessions, t.ran(r.Now))
	}
	t.last = r.Now
	now := t.ran(r.Now)
	t.learn(r, now)
	switch e.Kind {
	case event.Refused:
		t.left[e.Page] = now
	case event.Resolved:
		if e.Class.Failed() && !e.Again {
			t.closed[e.Site] = now
		}
	case event.Ruled, event.Listed, event.Brought:
		t.answer(e)
	case event.Done:
		t.answer(e)
		t.done(e, now)
	}
	return nil
}

// learn counts the pages that a record made known.
func (t *timelineReader) learn(r *journal.Record, now time.Duration) {
	for i := range r.Event.New {
		t.left[int(r.First)+i] = now
	}
	t.known = max(t.known, int(r.First)+len(r.Event.New))
	t.step(now).Known = int64(t.known)
}

// answer counts the time and the bytes of a request.
func (t *timelineReader) answer(e *event.Event) {
	from, to := t.ran(e.Start), t.ran(e.End)
	t.step(to).Bytes += e.Bytes
	for from < to {
		s := t.step(from)
		end := min(to, (from/t.Width+1)*t.Width)
		s.Active += float64(end-from) / float64(t.Width)
		from = end
	}
}

// done counts the end of an attempt at a page.
func (t *timelineReader) done(e *event.Event, now time.Duration) {
	s := t.step(now)
	s.Attempts++
	visited := t.left[e.Page] < 0
	switch {
	case e.Class.Failed():
		s.Failed[e.Class]++
		if !e.Again && !(visited && t.has(e.Page)) {
			t.left[e.Page] = now
		}
	case !visited:
		s.Fetched++
		t.left[e.Page] = -1 - now
	}
}

// has reports whether a page is fetched in the end.
func (t *timelineReader) has(p graph.Page) bool {
	state := t.f.State(p)
	return state == frontier.Fetched || state == frontier.Reacquired
}

// finish counts the pages that wait at the end of each step.
func (t *timelineReader) finish() {
	for p := range graph.Page(len(t.left)) {
		at := t.left[p]
		if at < 0 {
			at = -1 - at
		}
		switch t.f.State(p) {
		case frontier.Failed:
			at = max(at, t.closed[t.f.Site(p)])
		case frontier.Fetched, frontier.Reacquired, frontier.RefusedPage:
		default:
			continue
		}
		t.step(at).Waiting--
	}
	known, left := int64(0), int64(0)
	for i := range t.Steps {
		s := &t.Steps[i]
		known, left = max(known, s.Known), left+s.Waiting
		s.Known, s.Waiting = known, known+left
	}
}
