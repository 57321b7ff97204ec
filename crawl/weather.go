package crawl

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/trouble"
)

// What failures mean is decided in package trouble. Here stands what the crawl keeps of
// them, which is a fold of the records, and what the owner does about them.

// weather is what sites and pages have failed at. Sites and pages that answer are not in it.
type weather struct {
	down      map[graph.Site]down          // whose last answer failed
	tries     map[graph.Page]trouble.Count // failed attempts at a page
	fileTries map[graph.Site]trouble.Count // failed attempts at the sitemap file that is next
	failing   map[graph.Site]failing       // sites of those
	named     time.Duration                // when a name was last found that was asked for
	portal    portal
}

// down is the failures of a site in a row.
type down struct {
	N      int
	Since  time.Duration
	Class  event.Class
	Status uint16
	Note   string
}

// failing is what a site has answered since something of it failed.
type failing struct {
	Answers uint32
	Things  int // pages and files that failed and may be tried again
}

func newWeather() weather {
	return weather{
		down:      map[graph.Site]down{},
		tries:     map[graph.Page]trouble.Count{},
		fileTries: map[graph.Site]trouble.Count{},
		failing:   map[graph.Site]failing{},
	}
}

// mapBytes is about what it takes.
func (w *weather) mapBytes() int64 {
	const site, small = 160, 32 // with notes, and their share of the tables
	return site*int64(len(w.down)) + small*int64(len(w.tries)+len(w.fileTries)+len(w.failing))
}

// answered notes a proper answer of a site.
func (w *weather) answered(s graph.Site) {
	delete(w.down, s)
	if f, ok := w.failing[s]; ok {
		f.Answers++
		w.failing[s] = f
	}
}

// failed notes a failure of a site, which counts unless it is ours.
func (w *weather) failed(s graph.Site, r *journal.Record) {
	d, e := w.down[s], &r.Event
	if d.N == 0 {
		d.Since = e.End
	}
	if !e.Ours || d.N == 0 {
		d.N++
	}
	d.Class, d.Status, d.Note = e.Class, r.Facts.Status, r.Facts.Note
	w.down[s] = d
}

// ended notes the end of a work at a site. A robots.txt proves nothing about the pages of
// its site.
func (w *weather) ended(s graph.Site, r *journal.Record) {
	switch {
	case trouble.Of(r.Event.Class, int(r.Facts.Status)) != trouble.None:
		w.failed(s, r)
	case r.Event.Kind != event.Ruled:
		w.answered(s)
	case w.failing[s].Things == 0:
		delete(w.down, s)
	}
}

// count counts an attempt at a page, or at a file, of a site. Rules are the same on replay.
func (w *weather) count(rules *trouble.Rules, c trouble.Count, s graph.Site, r *journal.Record) (trouble.Count, bool) {
	return rules.Fail(c, trouble.Of(r.Event.Class, int(r.Facts.Status)), w.failing[s].Answers, r.Facts.Ours)
}

// hold and drop keep count of what failed at a site and may be tried again.
func (w *weather) hold(s graph.Site, fresh bool) {
	if fresh {
		f := w.failing[s]
		f.Things++
		w.failing[s] = f
	}
}

func (w *weather) drop(s graph.Site, was bool) {
	if !was {
		return
	}
	f := w.failing[s]
	if f.Things--; f.Things > 0 {
		w.failing[s] = f
	} else {
		delete(w.failing, s)
	}
}

// tried notes an attempt at a page: whether it is to be tried again.
func (s *state) tried(r *journal.Record) {
	e := &r.Event
	site := s.f.Site(e.Page)
	c, was := s.tries[e.Page]
	if !e.Again {
		delete(s.tries, e.Page)
		s.drop(site, was)
		return
	}
	s.tries[e.Page], _ = s.count(&s.set.trouble, c, site, r)
	s.hold(site, !was)
}

// triedFile is tried for the sitemap file that is next at a site.
func (s *state) triedFile(r *journal.Record) {
	e := &r.Event
	c, was := s.fileTries[e.Site]
	if !e.Again {
		delete(s.fileTries, e.Site)
		s.drop(e.Site, was)
		return
	}
	s.fileTries[e.Site], _ = s.count(&s.set.trouble, c, e.Site, r)
	s.hold(e.Site, !was)
}

// retried takes over that pages get another chance, before the frontier hears of it.
func (s *state) retried(e *event.Event) {
	in := s.in.Slice()
	for _, p := range e.Admit {
		site := s.f.Site(p)
		switch s.f.State(p) {
		case frontier.RefusedPage:
			s.sites.admit(site)
		case frontier.Fetched: // what came was not its own
			s.gathered -= int64(in[p] & linksIn)
			if strings.HasPrefix(s.portal.Same, leads) {
				s.moved--
			}
			in[p] &^= came
		}
		if s.f.Closed(site) {
			delete(s.down, site)
		}
	}
}

// A SiteDown is a site that cannot be reached.
type SiteDown struct {
	Site     string    `json:"site"`
	Pages    int64     `json:"pages"`    // known pages of it
	Failures int       `json:"failures"` // in a row
	Since    time.Time `json:"since"`
	Next     time.Time `json:"next_try"`
	Why      string    `json:"why"`
}

// countDown counts the sites that cannot be reached and have something left to ask for.
func (s *state) countDown() (n int64) {
	for id := range s.down { // it is counted
		if s.isDown(id) {
			n++
		}
	}
	return n
}

func (s *state) isDown(id graph.Site) bool {
	_, fails := s.failing[id]
	return fails || s.f.Wanting(id)
}

// downList names sites that cannot be reached, those with most pages first.
func (s *state) downList() (list []SiteDown) {
	for id, d := range s.down { // sorted below
		if !s.isDown(id) {
			continue
		}
		list = append(list, SiteDown{string(s.seen.Name(id)), int64(s.f.SitePages(id)), d.N, s.wall(d.Since), s.wall(s.f.Instant(id)), d.why()})
	}
	slices.SortFunc(list, func(a, b SiteDown) int {
		return cmp.Or(-cmp.Compare(a.Pages, b.Pages), cmp.Compare(a.Site, b.Site))
	})
	return list[:min(len(list), maxListed)]
}

// wall is the time of day at an instant of the crawl.
func (s *state) wall(t time.Duration) time.Time {
	return time.Unix(0, s.began).Add(t).Truncate(time.Second)
}

// why says in a line why a site cannot be reached.
func (d *down) why() string {
	switch {
	case d.Status != 0:
		return "status " + strconv.Itoa(int(d.Status))
	case d.Note != "":
		return d.Note
	}
	return d.Class.String()
}

// forecast adds to an event what its facts say of trouble, before it is applied.
func (s *state) forecast(r *journal.Record) {
	e := &r.Event
	e.Ours = r.Facts.Ours
	switch e.Kind {
	case event.Ruled, event.Listed, event.Done:
		k := trouble.Of(e.Class, int(r.Facts.Status))
		e.Pushed = k == trouble.Pushback
		e.Stale = k == trouble.Silence && !e.Ours
	case event.Retried:
		s.retried(e)
	}
}

// rain notes what an event says of the site that was asked, after it was applied.
func (s *state) rain(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Resolved:
		if e.Class.Failed() {
			s.failed(e.Site, r)
			return
		}
		s.named = max(s.named, e.End)
		if d, ok := s.down[e.Site]; ok && d.Class == event.DNSError {
			delete(s.down, e.Site)
		}
	case event.Ruled, event.Listed:
		s.weather.ended(e.Site, r)
		s.portal.note(s, r)
	case event.Done:
		s.weather.ended(s.f.Site(e.Page), r)
		s.portal.note(s, r)
	case event.Retried:
		s.portal.Pages, s.portal.Rules = nil, nil
	}
}
