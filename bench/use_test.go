package main

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/graph"
)

// A use is how much of what politeness allows a visitor made use of while enough sites
// had something to fetch.
type use struct {
	From, To time.Duration // the first and the last instant with enough sites
	Requests int           // that started then, robots.txt included, at sites with known unfetched pages
	Allowed  float64       // sum over the sites of stretch / (delay + mean response time)
}

// share returns Requests / Allowed, 0 where nothing was allowed.
func (u use) share() float64 {
	if u.Allowed == 0 {
		return 0
	}
	return float64(u.Requests) / u.Allowed
}

// useOf replays the record of a server. A page is known when a page that links to it was answered, or
// as a seed from the first request on, and fetched when it was requested the last time;
// pages that are not wanted do not count. It looks at the stretches of time in which at
// least sites sites have known unfetched pages. Sites with a Crawl-delay are allowed
// less.
func useOf(s *serve.Server, w *answer.Wanted, seeds []graph.Page, delay time.Duration, sites int) use {
	u := &useReplay{
		s: s, delay: delay, sites: sites,
		known: make([]bool, len(w.Depth)), done: make([]bool, len(w.Depth)), wanted: make([]bool, len(w.Depth)),
		state: make([]useSite, s.Web().Sites()),
	}
	for _, set := range [][]graph.Page{w.Pages, w.Requested} {
		for _, p := range set {
			u.wanted[p] = true
		}
	}
	events := u.events()
	if len(events) == 0 {
		return use{}
	}
	u.now = events[0].at
	for _, p := range seeds {
		u.find(p)
	}
	for _, e := range events {
		u.apply(e)
	}
	return u.result()
}

type useReplay struct {
	s                   *serve.Server
	delay               time.Duration
	sites               int
	known, done, wanted []bool
	state               []useSite
	now                 time.Duration
	active              int // sites with known unfetched pages
	use                 use
	enough              bool
	passed              time.Duration // time with enough sites
	links               []graph.Page
}

// useSite is one site of the replay.
type useSite struct {
	left    int           // known unfetched pages
	stretch time.Duration // with enough sites and something left, up to the last time it had nothing
	since   time.Duration // passed when it last came to have something
	busy    time.Duration
	answers int
}

type useEvent struct {
	at   time.Duration
	site graph.Site
	q    count.Request
	end  bool
	last bool // the last request for its page
}

// events returns all starts and ends in order of time.
func (u *useReplay) events() (all []useEvent) {
	for i := range u.s.Web().Sites() {
		log := u.s.Counter().Requests(graph.Site(i))
		final := map[graph.Page]int{}
		for k, q := range log {
			if q.Kind == answer.KindPage {
				final[q.Page] = k
			}
		}
		for k, q := range log {
			last := q.Kind == answer.KindPage && final[q.Page] == k
			all = append(all, useEvent{q.Start, graph.Site(i), q, false, last}, useEvent{q.End, graph.Site(i), q, true, last})
		}
	}
	slices.SortStableFunc(all, func(a, b useEvent) int { return cmp.Compare(a.at, b.at) })
	return all
}

// apply moves the clock to an event and takes it in.
func (u *useReplay) apply(e useEvent) {
	u.pass(e.at)
	s := &u.state[e.site]
	if !e.end {
		if u.enough && s.left > 0 {
			u.use.Requests++
		}
		return
	}
	s.busy += e.q.End - e.q.Start
	s.answers++
	if e.last {
		u.fetch(e.q.Page)
	}
	if e.q.Kind == answer.KindPage && e.q.Full && (e.q.Status == http.StatusOK || e.q.Status/100 == 3) {
		u.links = u.s.Seen(u.links[:0], e.q.Page)
		for _, p := range u.links {
			u.find(p)
		}
	}
}

// pass lets time go by.
func (u *useReplay) pass(to time.Duration) {
	dt := to - u.now
	u.now = to
	if u.enough = u.active >= u.sites && u.active > 0; !u.enough {
		return
	}
	if u.use.To == 0 {
		u.use.From = to - dt
	}
	u.use.To = to
	u.passed += dt
}

// find makes a page known.
func (u *useReplay) find(p graph.Page) {
	if u.known[p] || !u.wanted[p] {
		return
	}
	u.known[p] = true
	if !u.done[p] {
		u.change(p, 1)
	}
}

// fetch takes a page off those to be fetched.
func (u *useReplay) fetch(p graph.Page) {
	if u.done[p] {
		return
	}
	u.done[p] = true
	if u.known[p] && u.wanted[p] {
		u.change(p, -1)
	}
}

func (u *useReplay) change(p graph.Page, by int) {
	s := &u.state[u.s.Web().SiteOf(p)]
	before := s.left > 0
	s.left += by
	switch after := s.left > 0; {
	case after && !before:
		u.active++
		s.since = u.passed
	case before && !after:
		u.active--
		s.stretch += u.passed - s.since
	}
}

func (u *useReplay) result() use {
	for i := range u.state {
		s := &u.state[i]
		if s.left > 0 {
			s.stretch += u.passed - s.since
		}
		if s.stretch == 0 || s.answers == 0 {
			continue
		}
		pause := max(u.delay, u.s.SiteTruth(graph.Site(i)).CrawlDelay) + s.busy/time.Duration(s.answers)
		if pause > 0 {
			u.use.Allowed += float64(s.stretch) / float64(pause)
		}
	}
	return u.use
}

// TestUse: a visitor with a fetcher for each site uses all that is allowed, or a little
// more, as n requests have n-1 pauses between them; one that dawdles a part.
func TestUse(t *testing.T) {
	for _, test := range []struct {
		delay    time.Duration
		from, to float64
	}{{2 * time.Second, 0.95, 1.1}, {4 * time.Second, 0.45, 0.65}} {
		synctest.Test(t, func(t *testing.T) {
			web, err := fakeweb.New(fakeweb.Spec{Pages: 1500, Sites: 40, Links: 15000, Seed: 4})
			if err != nil {
				t.Fatal(err)
			}
			s, err := serve.New(web, answer.Options{MinLatency: 100 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			visitor := &http.Transport{DialContext: s.Dial}
			var all sync.WaitGroup
			seeds := []graph.Page{}
			for id := range graph.Site(10) {
				seeds = append(seeds, s.Web().Home(id))
				all.Go(func() { visitSite(s, visitor, id, test.delay) })
			}
			all.Wait()
			w := s.Wanted(answer.Limits{Seeds: seeds, Site: func(id graph.Site) bool { return id < 10 }})
			u := useOf(s, w, seeds, 2*time.Second, 8)
			if u.share() < test.from || u.share() > test.to || u.To <= u.From {
				t.Errorf("delay %v: share %v of %+v", test.delay, u.share(), u)
			}
			visitor.CloseIdleConnections()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// visitSite fetches robots.txt and some pages of a site, one after the other.
func visitSite(s *serve.Server, visitor *http.Transport, id graph.Site, delay time.Duration) {
	load := func(url string) {
		r, err := (&http.Client{Transport: visitor}).Get(url)
		if err == nil {
			io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
	}
	truth := s.SiteTruth(id)
	load(truth.Origin + "/robots.txt")
	for p := s.Web().Home(id); p < s.Web().Home(id)+graph.Page(min(40, truth.Pages)); p++ {
		time.Sleep(delay)
		load(s.URL(p))
	}
}
