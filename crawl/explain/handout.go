package explain

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// A Handout is a page that would be requested soon. winnow frontier prints its JSON form.
type Handout struct {
	Place   int        `json:"place"` // 1 is the next
	URL     string     `json:"url"`
	Site    string     `json:"site"`
	Value   float64    `json:"value"`             // on the board that chose it
	Board   string     `json:"board,omitempty"`   // of a policy that has several
	Wait    float64    `json:"wait_seconds"`      // from now on, or from when the crawl is resumed
	At      *time.Time `json:"at,omitempty"`      // only of a running crawl
	By      string     `json:"by"`                // what it waits for: ready (nothing), address (its IP address), better (pages of other sites), or see frontier.DelayBy
	Between float64    `json:"delay_seconds"`     // between two requests to the site
	First   bool       `json:"first,omitempty"`   // the site needs its address or robots.txt before it
	Again   bool       `json:"revisit,omitempty"` // it was fetched before
}

// Handouts calls fn for the next pages that would be handed out, at most limit, in order,
// until fn returns an error. It lets the frontier hand them out as if every answer came at
// once, succeeded and had no links, so the crawl cannot be used for anything else afterwards.
func Handouts(c *history.Crawl, now time.Time, limit int, fn func(*Handout) error) error {
	s, err := c.State()
	if err != nil {
		return err
	}
	r := &rehearsal{s: s, f: s.Frontier, running: c.Running, prepared: map[graph.Site]bool{}}
	r.start = max(s.Now, now.Sub(time.Unix(0, s.Began)))
	r.now, r.last = r.start, r.start
	r.begin()
	if left := s.PagesLeft(); left > 0 {
		s.Frontier.Limit(left)
	}
	return r.run(limit, fn)
}

// HandoutsOf returns the next pages that the crawl in a directory would hand out. Those of several
// partitions are in the order of the time that they wait.
func HandoutsOf(ctx context.Context, dir string, now time.Time, limit int) (list []Handout, err error) {
	dirs, err := history.Dirs(dir)
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		c, err := history.Open(ctx, d)
		if err != nil {
			return nil, err
		}
		err = Handouts(c, now, limit, func(x *Handout) error {
			list = append(list, *x)
			return ctx.Err()
		})
		if c.Close(); err != nil {
			return nil, err
		}
	}
	if len(dirs) == 1 {
		return list, nil
	}
	slices.SortStableFunc(list, func(a, b Handout) int { return cmp.Compare(a.Wait, b.Wait) })
	list = list[:min(limit, len(list))]
	for i := range list {
		list[i].Place = i + 1
	}
	return list, nil
}

// A rehearsal is a crawl in which nothing is requested.
type rehearsal struct {
	s          *state.State
	f          *frontier.Frontier
	running    bool
	start, now time.Duration
	last       time.Duration       // instant of the last page
	prepared   map[graph.Site]bool // sites that needed something before their next page
}

// begin ends what is under way: in a running crawl the pages that are being fetched, in
// another one everything, as a new session does.
func (r *rehearsal) begin() {
	if !r.running {
		r.f.Apply(r.now, &event.Event{Kind: event.Session})
		return
	}
	for p := range graph.Page(r.f.Pages()) {
		if st := r.f.State(p); st == frontier.Acquired || st == frontier.Reacquired {
			r.end(event.Task{Kind: event.Fetch, Page: p, Site: r.f.Site(p)})
		}
	}
}

// steps bounds the work for one page: tasks that are no pages, and waiting.
const steps = 10_000

// run hands out pages.
func (r *rehearsal) run(limit int, fn func(*Handout) error) error {
	for place, step := 1, 0; place <= limit && step < steps; step++ {
		w, ask, ok := r.f.Next(r.now)
		r.f.Refusals()
		switch {
		case !ok && ask == event.Never:
			return r.s.Err
		case !ok:
			r.now = max(r.now, ask)
			continue
		case w.Kind == event.Fetch:
			if err := fn(r.handout(place, w)); err != nil {
				return err
			}
			place, step, r.last = place+1, 0, r.now
		default:
			r.prepared[w.Site] = true
		}
		r.end(w)
	}
	return r.s.Err
}

// handout describes a page that was handed out.
func (r *rehearsal) handout(place int, w event.Task) *Handout {
	x := &Handout{
		Place: place, URL: string(r.s.AppendURL(nil, w.Page)), Site: string(r.s.Table.Name(w.Site)), Value: r.f.Ranks().Score(w.Page, int(w.Board)),
		Wait: (r.now - r.start).Seconds(), By: "ready", Between: r.f.Between(w.Site).Seconds(), First: r.prepared[w.Site], Again: r.f.State(w.Page) == frontier.Reacquired,
	}
	delete(r.prepared, w.Site)
	if r.f.Ranks().Boards() > 1 {
		x.Board = boardName(r.s.Setup.Policy, int(w.Board))
	}
	switch at := r.f.Instant(w.Site); {
	case r.now == r.start:
	case at < r.now && r.now == r.last+r.s.Setup.Frontier.WaitForBetter:
		x.By = "better"
	case at >= r.now:
		x.By = r.f.DelayBy(w.Site)
	default:
		x.By = "address"
	}
	if r.running {
		at := r.s.Wall(r.now)
		x.At = &at
	}
	return x
}

// end ends a task at once.
func (r *rehearsal) end(w event.Task) {
	e := event.Event{Kind: event.Done, Task: w, Start: r.now, End: r.now}
	switch w.Kind {
	case event.Resolve:
		e.Kind, e.Address = event.Resolved, r.f.Addresses().Of(w.Site)
	case event.Robots:
		e.Kind, e.Delay = event.Ruled, r.f.Clock(r.now, w.For).CrawlDelay
	case event.Sitemap:
		e.Kind = event.Listed
	case event.Requisite:
		e.Kind = event.Brought
	}
	r.f.Apply(r.now, &e)
	switch w.Kind {
	case event.Robots:
		r.f.Settle(r.now, w.Site)
		if w.For != w.Site {
			r.f.Settle(r.now, w.For)
		}
	case event.Fetch, event.Sitemap, event.Requisite:
		r.f.Settle(r.now, w.Site)
	}
}
