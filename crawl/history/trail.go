package history

import (
	"cmp"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A Trail is the course of a crawl: which pages came when, and what became of the
// others. It takes some 20 bytes a known page and 40 for each that came.
type Trail struct {
	// Visits are the first arrivals of pages, in the order in which they ended.
	Visits []Visit
	Seeds  []graph.Page // those that were given, in order

	Depth []uint16 // by page: links from a seed when it became known, fewer if a barred page was admitted later
	Site  []graph.Site
	State []PageState

	Sites    []SiteTrail
	Outcomes [16]int64 // ends of attempts at pages, by event.Class
	Bars     [32]int64 // refused pages, by frontier.Bar
	Statuses map[uint16]int64
	Media    map[string]int64
	Requests [4]int64 // works handed out, by event.TaskKind
	Revisits int64    // arrivals of pages that had come before
	Retries  int64
	Bytes    int64 // of all answers
	Links    int64 // of first arrivals
	Listed   int64 // pages that a sitemap made known
	Sessions []RecordedSession
	Duration time.Duration // instant of the last record
	Stopped  time.Duration // of it, between sessions
}

// A Visit is a page that came.
type Visit struct {
	Page       graph.Page
	Class      event.Class
	Start, End time.Duration
	Ran        time.Duration // End without the time between sessions, when nobody was at work
	Bytes      int64         // as they crossed the line
	Size       int64         // without content coding
}

// PageState is what became of a known page.
type PageState uint8

// The states.
const (
	PageKnown   PageState = iota // it was not asked for, or is to be asked again
	PageFetched                  // it came
	PageFailed
	PageRefused // see Bars
	PageLost    // its record is damaged
)

// A SiteTrail is what a crawl did at a site.
type SiteTrail struct {
	Known, Fetched, Failed, Refused int64
	Bytes                           int64
	Busy                            time.Duration // sum of the times of its answers
	Requests                        int64
}

// Trail reads the course of the crawl.
func (r *Recording) Trail() (*Trail, error) {
	n := r.Pages()
	t := &trailReader{bars: make([]event.Bar, n), closed: make([]PageState, r.Sites())}
	t.Depth, t.Site, t.State = make([]uint16, n), make([]graph.Site, n), make([]PageState, n)
	t.Sites = make([]SiteTrail, r.Sites())
	t.Statuses, t.Media = map[uint16]int64{}, map[string]int64{}
	for p := range t.State {
		t.State[p] = PageLost
	}
	if err := r.Each(t.read); err != nil {
		return nil, err
	}
	t.count()
	return &t.Trail, nil
}

// trailReader folds records.
type trailReader struct {
	Trail
	bars   []event.Bar // by page
	closed []PageState // by site: what became of the pages that waited when it was given up; PageKnown: it was not
}

func (t *trailReader) read(r *journal.Record) error {
	e := &r.Event
	if e.Kind == event.Session && len(t.Sessions) > 0 {
		t.Stopped += r.Now - t.Duration
	}
	t.Duration = r.Now
	switch e.Kind {
	case event.Seed:
		for i := range e.New {
			t.Seeds = append(t.Seeds, r.First+graph.Page(i))
		}
		t.learn(r, 0)
	case event.Took:
		t.Requests[e.Task.Kind]++
		if e.Task.Kind != event.Resolve && int(e.Site) < len(t.Sites) {
			t.Sites[e.Site].Requests++
		}
	case event.Refused:
		t.bars[e.Page], t.State[e.Page] = cmp.Or(e.Bar, event.BarRobots), PageRefused
	case event.Resolved:
		t.close(e, e.Site, PageFailed)
	case event.Ruled:
		t.answer(r, e.Site)
		t.close(e, e.For, PageRefused)
	case event.Listed:
		t.learn(r, 0)
		t.answer(r, e.Site)
		t.Listed += int64(len(e.New))
	case event.Done:
		t.done(r)
	case event.Session:
		if r.Facts.Session != nil {
			t.Sessions = append(t.Sessions, newRecordedSession(r))
		}
	case event.Retried:
		t.retried(e)
	case event.Admitted:
		t.learn(r, math.MaxUint16) // no link to them is any shorter
	}
	return nil
}

// retried gives pages another chance, and their sites.
func (t *trailReader) retried(e *event.Event) {
	for _, p := range e.Admit {
		if int(p) >= len(t.State) {
			return // beyond the last commit: not ours
		}
		if t.closed[t.Site[p]] = PageKnown; t.State[p] != PageFetched {
			t.bars[p], t.State[p] = event.NoBar, PageKnown
		}
	}
}

// close gives a site up whose address or robots.txt cannot be had.
func (t *trailReader) close(e *event.Event, s graph.Site, as PageState) {
	if e.Class.Failed() && !e.Again && !e.Hop && int(s) < len(t.closed) && t.closed[s] == PageKnown {
		t.closed[s] = as
	}
}

// learn takes the pages that a record made known, or known again, at a depth.
func (t *trailReader) learn(r *journal.Record, depth uint16) {
	e := &r.Event
	for i, s := range e.New {
		p := int(r.First) + i
		if p >= len(t.Site) || int(s) >= len(t.Sites) {
			return // beyond the last commit: not ours
		}
		t.Site[p], t.Depth[p], t.State[p] = s, depth, PageKnown
		if len(e.Bars) > 0 && e.Bars[i] != event.NoBar {
			t.bars[p], t.State[p] = e.Bars[i], PageRefused
		} else if t.closed[s] != PageKnown {
			t.State[p] = PageFailed
		}
	}
	for _, p := range e.Admit {
		t.bars[p], t.State[p], t.Depth[p] = event.NoBar, PageKnown, min(t.Depth[p], depth)
	}
}

// answer counts what came from a site.
func (t *trailReader) answer(r *journal.Record, s graph.Site) {
	e := &r.Event
	t.Bytes += e.Bytes
	if int(s) < len(t.Sites) {
		t.Sites[s].Bytes += e.Bytes
		t.Sites[s].Busy += e.End - e.Start
	}
}

// done takes the end of an attempt at a page.
func (t *trailReader) done(r *journal.Record) {
	e := &r.Event
	t.Outcomes[e.Class]++
	t.Statuses[r.Facts.Status]++
	t.answer(r, t.Site[e.Page])
	switch before := t.State[e.Page]; {
	case e.Again:
		t.Retries++
	case e.Class.Failed():
		if before != PageFetched {
			t.State[e.Page] = PageFailed
		}
	case before == PageFetched:
		t.Revisits++
		t.learn(r, t.Depth[e.Page]+1)
	default:
		t.State[e.Page] = PageFetched
		t.Media[r.Facts.Media]++
		t.Links += int64(len(e.Links))
		t.Visits = append(t.Visits, Visit{e.Page, e.Class, e.Start, e.End, e.End - t.Stopped, e.Bytes, r.Facts.Size})
		t.learn(r, t.Depth[e.Page]+1)
	}
}

// count sums up the states of pages.
func (t *trailReader) count() {
	for p, state := range t.State {
		if state == PageLost {
			continue
		}
		s := &t.Sites[t.Site[p]]
		s.Known++
		if state == PageKnown {
			state = t.closed[t.Site[p]]
			if t.State[p] = state; state == PageRefused {
				t.bars[p] = event.BarRobots
			}
		}
		switch state {
		case PageFetched:
			s.Fetched++
		case PageFailed:
			s.Failed++
		case PageRefused:
			s.Refused++
			t.Bars[t.bars[p]]++
		}
	}
}

// ByState counts the pages by what became of them.
func (t *Trail) ByState() (n [PageLost + 1]int64) {
	for _, s := range t.State {
		n[s]++
	}
	return n
}
