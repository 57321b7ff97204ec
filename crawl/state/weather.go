package state

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
	DownSites map[graph.Site]down          // whose last answer failed
	Tries     map[graph.Page]trouble.Count // failed attempts at a page
	FileTries map[graph.Site]trouble.Count // failed attempts at the sitemap file that is next
	failing   map[graph.Site]failing       // sites of those
	Named     time.Duration                // when a name was last found that was asked for
	Portal    portal
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
		DownSites: map[graph.Site]down{},
		Tries:     map[graph.Page]trouble.Count{},
		FileTries: map[graph.Site]trouble.Count{},
		failing:   map[graph.Site]failing{},
	}
}

// mapBytes is about what it takes.
func (w *weather) mapBytes() int64 {
	const site, small = 160, 32 // with notes, and their share of the tables
	return site*int64(len(w.DownSites)) + small*int64(len(w.Tries)+len(w.FileTries)+len(w.failing))
}

// answered notes a proper answer of a site.
func (w *weather) answered(s graph.Site) {
	delete(w.DownSites, s)
	if f, ok := w.failing[s]; ok {
		f.Answers++
		w.failing[s] = f
	}
}

// failed notes a failure of a site, which counts unless it is ours.
func (w *weather) failed(s graph.Site, r *journal.Record) {
	d, e := w.DownSites[s], &r.Event
	if d.N == 0 {
		d.Since = e.End
	}
	if !e.Ours || d.N == 0 {
		d.N++
	}
	d.Class, d.Status, d.Note = e.Class, r.Facts.Status, r.Facts.Note
	w.DownSites[s] = d
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
		delete(w.DownSites, s)
	}
}

// Count counts an attempt at a page, or at a file, of a site. Rules are the same on replay.
func (w *weather) Count(rules *trouble.Rules, c trouble.Count, s graph.Site, r *journal.Record) (trouble.Count, bool) {
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
func (s *State) tried(r *journal.Record) {
	e := &r.Event
	site := s.Frontier.Site(e.Page)
	c, was := s.Tries[e.Page]
	if !e.Again {
		delete(s.Tries, e.Page)
		s.drop(site, was)
		return
	}
	s.Tries[e.Page], _ = s.Count(&s.Setup.Trouble, c, site, r)
	s.hold(site, !was)
}

// triedFile is tried for the sitemap file that is next at a site.
func (s *State) triedFile(r *journal.Record) {
	e := &r.Event
	c, was := s.FileTries[e.Site]
	if !e.Again {
		delete(s.FileTries, e.Site)
		s.drop(e.Site, was)
		return
	}
	s.FileTries[e.Site], _ = s.Count(&s.Setup.Trouble, c, e.Site, r)
	s.hold(e.Site, !was)
}

// retried takes over that pages get another chance, before the frontier hears of it.
func (s *State) retried(e *event.Event) {
	in := s.LinksTo.Slice()
	for _, p := range e.Admit {
		site := s.Frontier.Site(p)
		switch s.Frontier.State(p) {
		case frontier.RefusedPage:
			s.sites.Admit(site)
		case frontier.Fetched: // what came was not its own
			s.Gathered -= int64(in[p] & LinksIn)
			if strings.HasPrefix(s.Portal.Same, leads) {
				s.Moved--
			}
			in[p] &^= Came
		}
		if s.Frontier.Closed(site) {
			delete(s.DownSites, site)
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

// CountDown counts the sites that cannot be reached and have something left to ask for.
func (s *State) CountDown() (n int64) {
	for id := range s.DownSites { // it is counted
		if s.isDown(id) {
			n++
		}
	}
	return n
}

func (s *State) isDown(id graph.Site) bool {
	_, fails := s.failing[id]
	return fails || s.Frontier.Wanting(id)
}

// Down names sites that cannot be reached, those with most pages first.
func (s *State) Down() (list []SiteDown) {
	for id, d := range s.DownSites { // sorted below
		if !s.isDown(id) {
			continue
		}
		list = append(list, SiteDown{string(s.Table.Name(id)), int64(s.Frontier.SitePages(id)), d.N, s.Wall(d.Since), s.Wall(s.Frontier.Instant(id)), d.Why()})
	}
	slices.SortFunc(list, func(a, b SiteDown) int {
		return cmp.Or(-cmp.Compare(a.Pages, b.Pages), cmp.Compare(a.Site, b.Site))
	})
	return list[:min(len(list), MaxListed)]
}

// Wall is the time of day at an instant of the crawl.
func (s *State) Wall(t time.Duration) time.Time {
	return time.Unix(0, s.Began).Add(t).Truncate(time.Second)
}

// Why says in a line why a site cannot be reached.
func (d *down) Why() string {
	switch {
	case d.Status != 0:
		return "status " + strconv.Itoa(int(d.Status))
	case d.Note != "":
		return d.Note
	}
	return d.Class.String()
}

// forecast adds to an event what its facts say of trouble, before it is applied.
func (s *State) forecast(r *journal.Record) {
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
func (s *State) rain(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Resolved:
		if e.Class.Failed() {
			s.failed(e.Site, r)
			return
		}
		s.Named = max(s.Named, e.End)
		if d, ok := s.DownSites[e.Site]; ok && d.Class == event.DNSError {
			delete(s.DownSites, e.Site)
		}
	case event.Ruled, event.Listed:
		s.weather.ended(e.Site, r)
		s.Portal.note(s, r)
	case event.Done:
		s.weather.ended(s.Frontier.Site(e.Page), r)
		s.Portal.note(s, r)
	case event.Retried:
		s.Portal.Pages, s.Portal.Rules = nil, nil
	}
}
