package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// The keystone: the frontier driven by goroutines with a clock hands out the same pages
// at the same instants as the simulator. The driver below is a crawler in small, and
// shares nothing with the simulator but the frontier and the times of the world: it
// knows pages by their URLs, numbers them by a table of its own, and its fetchers sleep
// through the phases of a fetch, in the virtual time of testing/synctest. What makes it
// hold (design: "what makes sim = real hold"): Next is called only for an idle fetcher,
// the owner takes what has come, sorted by (end, site, page), never waits for more, and
// no select decides an order. It is promised where no two things share an instant,
// which continuous distributions see to.

// A fetch is what the keystone compares.
type fetch struct {
	start, end time.Duration
	page       graph.Page // of the world
	bytes      int64
}

func TestSimEqualsReal(t *testing.T) {
	seeds, pages := []uint64{1, 2, 3}, 1600
	if testing.Short() {
		seeds, pages = seeds[:1], 400
	}
	w := newTestWeb(t, pages, 50)
	for k, s := range realSettings() {
		t.Run(s.name, func(t *testing.T) {
			for i, name := range variants() {
				for j, r := range []int{1, 8, 64} {
					s := s
					if s.fetchers = r; name == "pagerank" {
						s.max = 250 // it solves before each page
					}
					seed := seeds[(i+j+k)%len(seeds)] // every policy meets each r with each seed
					world := w.world(t, s.preset, seed)
					equal(t, fmt.Sprintf("%s, r = %d, seed %d", name, r, seed), w, world, w.options(t, name, &s, seed))
				}
			}
		})
	}
}

func realSettings() []setting {
	const s = time.Second
	some := func(p graph.Page) bool { return policy.Hash(9, uint64(p))%8 != 0 }
	return []setting{
		{name: "polite", preset: "thesis2004", frontier: frontier.Options{Delay: 2 * s}},
		{name: "polite, site policy", preset: "modern", site: "larger-sites-first",
			frontier: frontier.Options{Delay: s, Factor: 10, FactorMax: 20 * s, SmallDelay: s / 3, SmallSite: 12}},
		{name: "keep-alive", preset: "thesis2004", max: 900, frontier: frontier.Options{Delay: 5 * s, PerConnection: 5}},
		{name: "addresses and robots.txt", preset: "modern",
			frontier: frontier.Options{Delay: s, Resolve: true, Robots: true, AddressCap: 2, AddressDelay: 2 * s}},
		{name: "keep-alive with robots.txt", preset: "modern", site: "opic",
			frontier: frontier.Options{Delay: s, PerConnection: 3, Resolve: true, Robots: true, Allowed: some}},
		{name: "thesis batches", preset: "thesis2004",
			frontier: frontier.Options{Delay: s, Mode: frontier.Thesis, Batch: 120, PerConnection: 2}},
		{name: "thesis batches that stop early", preset: "modern",
			frontier: frontier.Options{Delay: s, Robots: true, Mode: frontier.Thesis, Batch: 120, MinActive: 4, SiteShare: 0.2}},
		{name: "batches ahead, sliced", preset: "modern",
			frontier: frontier.Options{Delay: s, Mode: frontier.Ahead, Batch: 90, Slice: 200}},
	}
}

// equal runs both and compares every fetch.
func equal(t *testing.T, what string, w *testWeb, world *World, o Options) {
	t.Helper()
	sim, err := Run(world, o)
	if err != nil {
		t.Fatal(err)
	}
	var real *live
	synctest.Test(t, func(t *testing.T) { real = runLive(t, w, world.Times, &o) })
	if least := min(250, len(real.fetches)); len(sim.Order) < least || least < 200 {
		t.Errorf("%s: %d fetches are no test", what, len(sim.Order))
	}
	for i, got := range real.fetches {
		if i >= len(sim.Order) {
			break
		}
		want := fetch{sim.Start[i], sim.End[i], sim.Order[i], sim.Bytes[i]}
		if got != want {
			t.Fatalf("%s: fetch %d of %d is %+v in the simulation, %+v with goroutines", what, i, len(sim.Order), want, got)
		}
	}
	n := len(real.fetches)
	if n != len(sim.Order) || real.requests != sim.Requests || real.pages.len() != sim.Known || real.sites.len() != sim.Sites {
		t.Fatalf("%s: with goroutines %d fetches, %d requests, %d pages, %d sites; in the simulation %d, %d, %d, %d", what,
			n, real.requests, real.pages.len(), real.sites.len(), len(sim.Order), sim.Requests, sim.Known, sim.Sites)
	}
}

// A server is the Web: it answers for all URLs, and takes the time for it.
type server struct {
	times *Times
	pages map[string]graph.Page
	sites map[string]graph.Site
	urls  []string
	out   *graph.Lists
}

func newServer(w *testWeb, times *Times) *server {
	s := &server{times: times, pages: map[string]graph.Page{}, sites: map[string]graph.Site{}, out: w.out}
	for p := range w.siteOf {
		url := string(w.web.AppendURL(nil, graph.Page(p)))
		s.urls = append(s.urls, url)
		s.pages[url] = graph.Page(p)
		s.sites[siteOf(url)] = w.siteOf[p]
	}
	return s
}

// siteOf is scheme, host and port: what stands before the third slash.
func siteOf(url string) string {
	host := strings.Index(url, "://") + 3
	return url[:host+strings.IndexByte(url[host:], '/')]
}

// A request is a work in the terms of the Web.
type request struct {
	event.Task
	site, url string
	connect   bool // over a new connection
	hangUp    bool // and close it afterwards
}

// A response is what a fetcher brings to the owner.
type response struct {
	request
	fetcher    int
	start, end time.Duration
	bytes      int64
	links      []string
}

// answer sleeps through a request.
func (s *server) answer(q request, epoch time.Time) response {
	a := response{request: q, start: time.Since(epoch)}
	site := s.sites[q.site]
	switch q.Kind {
	case event.Resolve:
		time.Sleep(s.times.Resolve(site, 0))
	case event.Robots:
		a.bytes = s.times.RobotsSize(site)
		s.transfer(&a, site, graph.NoPage, 0)
	case event.Fetch:
		page := s.pages[q.url]
		a.bytes = s.times.Size(page)
		s.transfer(&a, site, page, uint32(page))
		for _, to := range s.out.List(page) {
			a.links = append(a.links, s.urls[to])
		}
	}
	a.end = time.Since(epoch)
	return a
}

// transfer is connection n to a site, or a part of it.
func (s *server) transfer(a *response, site graph.Site, page graph.Page, n uint32) {
	if a.connect {
		time.Sleep(s.times.Connect(site, n))
	}
	time.Sleep(s.times.FirstByte(site, page, 0))
	time.Sleep(TransferTime(float64(a.bytes), s.times.Speed(site)))
	if a.hangUp {
		time.Sleep(s.times.Close(site, n))
	}
}

// A table numbers names in the order in which they come.
type table struct {
	ids   map[string]uint32
	names []string
}

func (x *table) len() int { return len(x.names) }

func (x *table) id(name string) (id uint32, fresh bool) {
	if id, ok := x.ids[name]; ok {
		return id, false
	}
	id = uint32(len(x.names))
	x.ids[name] = id
	x.names = append(x.names, name)
	return id, true
}

// live is the crawler in small: what its owner knows.
type live struct {
	f            *frontier.Frontier
	o            *Options
	server       *server
	pages, sites table
	epoch        time.Time
	work         []chan request // to each fetcher
	came         chan response
	idle         []int
	served       []int // by fetcher: pages over its connection
	left         int
	requests     int
	fetches      []fetch
}

func runLive(t *testing.T, w *testWeb, times *Times, o *Options) *live {
	t.Helper()
	c := &live{o: o, server: newServer(w, times), epoch: time.Now(), came: make(chan response, o.Fetchers), left: len(w.siteOf)}
	c.pages.ids, c.sites.ids = map[string]uint32{}, map[string]uint32{}
	if o.MaxPages > 0 {
		c.left = o.MaxPages
	}
	c.open(t, w)
	defer c.f.Free()
	fetchers := c.startFetchers()
	c.seed(o.Seeds)
	c.seed(o.Known)
	c.own(t)
	for _, work := range c.work {
		close(work)
	}
	fetchers.Wait()
	return c
}

// open makes the frontier; what it is told goes by URL.
func (c *live) open(t *testing.T, w *testWeb) {
	t.Helper()
	page := func(p graph.Page) graph.Page { return c.server.pages[c.pages.names[p]] }
	env := policy.Env{
		Random: c.o.Random, Batch: c.o.Batch,
		URL:      func(b []byte, p graph.Page) []byte { return append(b, c.pages.names[p]...) },
		SiteName: func(s graph.Site) string { return c.sites.names[s] },
		Prior:    &policy.Prior{Value: func(p graph.Page) (float64, bool) { return w.old(page(p)) }, All: c.o.Prior.All},
	}
	fo := c.o.Frontier
	fo.MaxPages, fo.MaxSites, fo.Random = len(w.siteOf), w.web.Sites(), c.o.Random
	var err error
	if c.f, err = frontier.New(fo, env, c.o.Policy, c.o.SitePolicy, byURL{w, page}); err != nil {
		t.Fatal(err)
	}
}

// byURL is the oracle for the pages of the crawler.
type byURL struct {
	w    *testWeb
	page func(graph.Page) graph.Page
}

func (b byURL) Importance(p graph.Page) float64 { return b.w.Importance(b.page(p)) }
func (b byURL) Place(p graph.Page) int          { return b.w.Place(b.page(p)) }

func (c *live) startFetchers() *sync.WaitGroup {
	var fetchers sync.WaitGroup
	c.served = make([]int, c.o.Fetchers)
	for i := range c.o.Fetchers {
		work := make(chan request, 1)
		c.work, c.idle = append(c.work, work), append(c.idle, i)
		fetchers.Go(func() {
			for q := range work {
				a := c.server.answer(q, c.epoch)
				a.fetcher = i
				c.came <- a
			}
		})
	}
	return &fetchers
}

func (c *live) seed(pages []graph.Page) {
	e := event.Event{Kind: event.Seed}
	for _, p := range pages {
		c.know(&e, c.server.urls[p])
	}
	if len(e.New) > 0 {
		c.f.Apply(0, &e)
	}
}

// know is the page of a URL, which may be a new one.
func (c *live) know(e *event.Event, url string) graph.Page {
	id, fresh := c.pages.id(url)
	if fresh {
		s, _ := c.sites.id(siteOf(url))
		e.New = append(e.New, graph.Site(s))
	}
	return graph.Page(id)
}

// own is the loop of the owner.
func (c *live) own(t *testing.T) {
	for {
		ask := c.handOut()
		if ask == event.Never && len(c.idle) == len(c.work) {
			return
		}
		answers := c.wait(ask)
		slices.SortFunc(answers, func(a, b response) int {
			return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Page, b.Page))
		})
		now := time.Since(c.epoch)
		for i := range answers {
			if answers[i].end != now {
				t.Fatalf("an answer of %v reaches the owner at %v", answers[i].end, now)
			}
			c.finish(now, &answers[i])
		}
	}
}

func (c *live) handOut() (ask time.Duration) {
	for len(c.idle) > 0 && c.left > 0 {
		w, ask, ok := c.f.Next(time.Since(c.epoch))
		if !ok {
			return ask
		}
		i := c.idle[0]
		c.idle = c.idle[1:]
		c.served[i] = 0
		c.send(i, w)
	}
	return event.Never
}

// send gives a work to a fetcher. Its channel has room: it has no other.
func (c *live) send(i int, w event.Task) {
	q := request{Task: w, site: c.sites.names[w.Site], connect: true, hangUp: true}
	if w.Kind == event.Fetch {
		c.left--
		q.url = c.pages.names[w.Page]
		q.connect = c.served[i] == 0
		c.served[i]++
		q.hangUp = c.served[i] >= c.o.Frontier.PerConnection
	}
	c.requests++
	c.work[i] <- q
}

// wait returns what has come, after at least one answer or at the instant ask. Which of
// the two ends it decides nothing: either way, all that is there is taken.
func (c *live) wait(ask time.Duration) (answers []response) {
	var alarm <-chan time.Time
	if ask != event.Never {
		timer := time.NewTimer(ask - time.Since(c.epoch))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case a := <-c.came:
		answers = append(answers, a)
	case <-alarm:
	}
	for len(c.came) > 0 {
		answers = append(answers, <-c.came)
	}
	return answers
}

// finish tells the frontier of an answer, and lets its fetcher continue.
func (c *live) finish(now time.Duration, a *response) {
	e := event.Event{Task: event.Task{Site: a.Site, Page: a.Page}, Start: a.start, End: a.end, Bytes: a.bytes}
	switch a.Kind {
	case event.Resolve:
		e.Kind, e.Address = event.Resolved, uint32(a.Site)+1
	case event.Robots:
		e.Kind, e.For = event.Ruled, a.For
	case event.Fetch:
		e.Kind, e.Keep = event.Done, c.left > 0
		c.fetches = append(c.fetches, fetch{a.start, a.end, c.server.pages[a.url], a.bytes})
		for _, url := range a.links {
			e.Links = append(e.Links, c.know(&e, url))
		}
	}
	c.f.Apply(now, &e)
	if a.Kind == event.Fetch && c.left > 0 {
		if w, ok := c.f.More(now, a.Site); ok {
			c.send(a.fetcher, w)
			return
		}
	}
	c.idle = append(c.idle, a.fetcher)
}
