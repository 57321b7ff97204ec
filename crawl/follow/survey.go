package follow

import (
	"cmp"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

const (
	// surveyed is the number of pages that a survey looks at before it lets others read.
	surveyed = 500_000
	// bestKept is the number of the best pages that a survey keeps.
	bestKept = 50
)

// A Survey is what a look at all pages shows. It does not change.
type Survey struct {
	Record uint64 // number of the next record when it was made
	At     time.Time
	Took   time.Duration
	Sites  []SiteCount  // by site
	Best   []graph.Page // fetched pages with most links to them
	Marks  []trap.Mark  // all places that are skipped as traps
	Depths []int64      // known pages by depth
	Fresh  *Freshness   // nil: the crawl does not visit pages again

	status history.Status // what history.Status.AddDetails sets
}

// A SiteCount counts the pages of a site.
type SiteCount struct{ Known, Waiting, Fetched, Failed, Skipped uint32 }

// Freshness describes how old the copies of the fetched pages are.
type Freshness struct {
	Pages  int64
	Mean   float64          // probability that a copy is up to date
	Ages   [len(Ages)]int64 // copies by age: see Ages
	Likely [10]int64        // copies by that probability, in tenths
	Oldest time.Duration
	sum    float64
}

// Ages are the bounds of the ages that a Freshness counts; the last has no bound.
var Ages = [...]time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour, 0}

// A pacer decides when a survey is made: when something changed, and not so often that it takes
// more than a twentieth of the time.
type pacer struct {
	record     uint64
	made       bool
	start, end time.Time
}

func (p *pacer) due(record uint64) bool {
	now := time.Now()
	if p.made && (record == p.record || now.Sub(p.end) < max(2*interval, 20*p.end.Sub(p.start))) {
		return false
	}
	p.made, p.record, p.start = true, record, now
	return true
}

func (p *pacer) took() { p.end = time.Now() }

// survey looks at all pages, and lets others read meanwhile.
func (f *Follower) survey(c *history.Crawl, s *state.State) {
	start := time.Now()
	v := &Survey{Record: s.Next, At: start}
	best := make([]ranked, 0, 2*bestKept)
	for from := 0; from < s.Frontier.Pages(); from += surveyed {
		f.mu.Lock()
		now := nowOf(c, s)
		if n := s.Frontier.Sites(); len(v.Sites) < n {
			v.Sites = append(v.Sites, make([]SiteCount, n-len(v.Sites))...)
		}
		for i := from; i < min(from+surveyed, s.Frontier.Pages()); i++ {
			best = v.page(s, graph.Page(i), now, best)
		}
		f.mu.Unlock()
		if f.ctx.Err() != nil {
			return
		}
	}
	for _, r := range bestOf(best) {
		v.Best = append(v.Best, r.page)
	}
	if v.Fresh != nil && v.Fresh.Pages > 0 {
		v.Fresh.Mean = v.Fresh.sum / float64(v.Fresh.Pages)
	}
	f.mu.Lock()
	v.Marks = s.Traps.Guard.Marks()
	v.status.Memory = s.Memory()
	v.status.AddDetails(s)
	f.mu.Unlock()
	v.Took = time.Since(start)
	f.update(func(g *Glance) {
		g.Survey = v
		x := *g.Status
		v.details(&x)
		g.Status = &x
	})
}

// details adds to a status what takes longer to compute.
func (v *Survey) details(x *history.Status) {
	y := &v.status
	x.Columns, x.Largest, x.Traps, x.Held = y.Columns, y.Largest, y.Traps, y.Held
	x.Mirrors, x.Mirrored, x.Unreachable = y.Mirrors, y.Mirrored, y.Unreachable
}

// A ranked is a page and what it is ranked by.
type ranked struct {
	page  graph.Page
	links int64
}

// bestOf sorts the best pages to the front and drops others.
func bestOf(list []ranked) []ranked {
	slices.SortFunc(list, func(a, b ranked) int { return cmp.Or(cmp.Compare(b.links, a.links), cmp.Compare(a.page, b.page)) })
	return list[:min(len(list), bestKept)]
}

// page counts a page.
func (v *Survey) page(s *state.State, p graph.Page, now time.Duration, best []ranked) []ranked {
	f := s.Frontier
	x := &v.Sites[f.Site(p)]
	x.Known++
	depth := max(0, f.Depth(p))
	for len(v.Depths) <= min(depth, 50) {
		v.Depths = append(v.Depths, 0)
	}
	v.Depths[min(depth, 50)]++
	switch f.State(p) {
	case frontier.Known, frontier.Acquired:
		x.Waiting++
	case frontier.Failed:
		x.Failed++
	case frontier.RefusedPage:
		x.Skipped++
	case frontier.Fetched, frontier.Reacquired:
		x.Fetched++
		if s.Revisits != nil && s.Revisits.Knows(p) {
			v.fresh(s.Revisits.Seen(p), s.Revisits.Freshness(now, p), now)
		}
		if n := s.LinksIn(p); len(best) < bestKept || n > best[bestKept-1].links {
			if best = append(best, ranked{p, n}); len(best) == 2*bestKept || len(best) == bestKept {
				best = bestOf(best)
			}
		}
	}
	return best
}

// fresh counts a copy.
func (v *Survey) fresh(seen time.Duration, fresh float64, now time.Duration) {
	if v.Fresh == nil {
		v.Fresh = new(Freshness)
	}
	x, age := v.Fresh, now-seen
	x.Pages++
	x.sum += fresh
	x.Oldest = max(x.Oldest, age)
	x.Likely[min(9, int(10*fresh))]++
	for i, most := range Ages {
		if age <= most || most == 0 {
			x.Ages[i]++
			break
		}
	}
}
