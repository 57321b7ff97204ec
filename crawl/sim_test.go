package crawl

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
	scorefiles "github.com/winnow-crawler/winnow/score/files"
	"github.com/winnow-crawler/winnow/sim"
)

// Sim = real: the crawler, with its client, journal and archive, against a server over
// connections in memory and in virtual time, fetches the same pages in the same order at
// the same instants as the simulator in the same world. The conditions are those of
// the design: durations from continuous distributions, links in ascending order,
// connections that close in no time, parsing that takes none. Pages are compared by URL,
// instants to the nanosecond.
func TestSimEqualsReal(t *testing.T) {
	t.Parallel()
	for k, s := range simSettings() {
		if testing.Short() && k%2 != 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			for i, name := range livePolicies() {
				if testing.Short() && i%12 != 4 || !tortured() && (i+k)%4 != 0 {
					continue
				}
				synctest.Test(t, func(t *testing.T) { s.compare(t, name, uint64(i+1)) })
			}
		})
	}
}

// The same holds for orders by an expression of the user, with imported values and rules.
func TestScoreSimEqualsReal(t *testing.T) {
	for k, s := range simSettings()[:2] {
		if testing.Short() && k > 0 {
			break
		}
		dir := t.TempDir()
		values, rules := filepath.Join(dir, "values"), filepath.Join(dir, "rules")
		writeFile(t, values, "s1.example\t3\nhttp://s2.example\t2\ns3.example\t1\n")
		writeFile(t, rules, "-1 slash\n+2 contains 7\n")
		set := s.set
		s.set = func(c *config.Config) {
			set(c)
			c.Score = "0.3*q(pagerank) + 0.2*(q(imported) ?? 0.1) + 0.1*q(location) + 0.1*q(cash) + 0.2*q(site_links) + 0.1*(q(site_speed) ?? 0.5)"
			c.ImportValues, c.LocationRules = values, rules
		}
		for _, name := range []string{"score", "mix:score*2+opic"} {
			synctest.Test(t, func(t *testing.T) { s.compare(t, name, uint64(k+1)) })
		}
	}
}

// livePolicies are all policies that a crawl can have without an earlier one and a topic: those that need
// an oracle are the laboratory's.
func livePolicies() (names []string) {
	for _, s := range policy.Specs() {
		c, err := policy.Choose(s.Name)
		if err != nil || c.NeedsOracle() || s.Name == "historical-pagerank" || s.Topic {
			continue
		}
		names = append(names, s.Name)
	}
	return append(names, "opic/cash=all", "opic/remote=0.8", "batch-pagerank/k=100", "partial-pagerank/k=100")
}

// A simSetting is how both worlds crawl.
type simSetting struct {
	name     string
	preset   string
	pages    int
	fetchers int
	max      int64
	web      uint64 // seed of the web
	topics   fakeweb.Topics
	set      func(*config.Config)
}

func simSettings() []simSetting {
	s := time.Second
	list := []simSetting{
		{name: "polite", preset: "modern", pages: 300, fetchers: 16, set: func(c *config.Config) { c.Delay = config.Duration{Duration: 2 * s}; c.DelayFactor = 0 }},
		{name: "ten times", preset: "thesis2004", pages: 300, fetchers: 40, set: func(c *config.Config) {
			c.Delay, c.SmallDelay, c.SmallSite = config.Duration{Duration: s}, config.Duration{Duration: 3 * s}, 10
			c.KeepAlive, c.KeepMost = config.Duration{Duration: 8 * s}, 5
		}},
		{name: "pages in a row", preset: "modern", pages: 300, fetchers: 6, max: 250, set: func(c *config.Config) {
			c.Delay, c.DelayFactor, c.PerConnection = config.Duration{Duration: 4 * s}, 0, 5
		}},
		{name: "batches", preset: "modern", pages: 300, fetchers: 8, set: func(c *config.Config) {
			c.Delay, c.DelayFactor = config.Duration{Duration: s}, 0
			c.Batch, c.BatchMode, c.MinActive, c.SiteShare = 30, "thesis", 3, 0.3
		}},
		{name: "batches ahead", preset: "modern", pages: 200, fetchers: 8, set: func(c *config.Config) {
			c.Batch, c.BatchMode = 30, "ahead"
		}},
		{name: "one", preset: "modern", pages: 150, fetchers: 1, set: func(c *config.Config) {
			c.SitePolicy, c.KeepAlive = "larger-sites-first", config.Duration{}
		}},
	}
	for i := range list {
		list[i].web = 7
	}
	return list
}

// A stay is one fetch as both worlds see it.
type stay struct {
	start, end time.Duration
	page       graph.Page // of the world
}

func (s *simSetting) compare(t *testing.T, policyName string, seed uint64) {
	t.Helper()
	w, times := s.run(t, policyName, seed)
	got := w.fetches(t)
	want := s.simulate(t, w, times)
	what := fmt.Sprintf("%s, seed %d", policyName, seed)
	if len(want) < 100 {
		t.Errorf("%s: %d fetches are no test", what, len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: fetch %d of %d is %+v in the simulation, %+v in the crawl", what, i, len(want), want[i], got[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d fetches in the simulation, %d in the crawl", what, len(want), len(got))
	}
}

// run crawls a web whose server takes as long as times say.
func (s *simSetting) run(t *testing.T, policyName string, seed uint64) (*testWeb, *sim.Times) {
	t.Helper()
	times, err := sim.Preset(s.preset, seed)
	if err != nil {
		t.Fatal(err)
	}
	times.Model.Noise, times.Model.Farewell = sim.Dist{}, 0 // a server does not know which connection is for which page
	w := newWebOf(t, fakeweb.Spec{Pages: s.pages, Sites: 20, Links: int64(8 * s.pages), Seed: s.web, Topics: s.topics}, answer.Options{Times: fakeTimes(times)})
	c := &w.o.Config
	c.Policy, c.Fetchers, c.Pages, c.RandomSeed, c.Batch = policyName, s.fetchers, s.max, seed, 90
	c.IPDelay, c.IPCap, c.Sitemaps = config.Duration{}, 0, false
	c.Timeout, c.FirstByte, c.Stall, c.Connect = config.Duration{Duration: time.Hour}, config.Duration{Duration: time.Hour}, config.Duration{Duration: time.Hour}, config.Duration{Duration: time.Hour}
	c.MaxBody = 1 << 30
	s.set(c)
	w.run(t)
	return w, times
}

// fakeTimes lets a server take as long as a simulated one.
func fakeTimes(x *sim.Times) answer.Times {
	return answer.Times{
		Resolve:   x.Resolve,
		Connect:   func(_ context.Context, s graph.Site, n uint32) time.Duration { return x.Connect(s, n) },
		FirstByte: func(s graph.Site, p graph.Page, _ uint32) time.Duration { return x.FirstByte(s, p, 0) },
		Body: func(s graph.Site, p graph.Page, _ int) time.Duration {
			size := x.RobotsSize(s)
			if p != graph.NoPage {
				size = x.Size(p)
			}
			return sim.TransferTime(float64(size), x.Speed(s))
		},
		Size: func(p graph.Page) int64 { return min(x.Size(p), 8<<10) }, // in the time that Body gives, which the bytes do not change
	}
}

// fetches are those of the journal, in its order.
func (w *testWeb) fetches(t *testing.T) (list []stay) {
	t.Helper()
	var urls []string
	var sites []string
	dir, _ := w.disk.open(layout.JournalDir)
	_, err := journal.Read(dir, 0, func(r *journal.Record) error {
		for i, s := range r.Event.New {
			if n := r.Facts.Names.Site(i); n != nil {
				sites = append(sites, string(n))
			}
			urls = append(urls, sites[s]+string(r.Facts.Names.Rest(i)))
		}
		if e := &r.Event; e.Kind == event.Done {
			p, ok := w.server.Page(urls[e.Page])
			if !ok {
				return fmt.Errorf("%s is no page of the web", urls[e.Page])
			}
			list = append(list, stay{e.Start, e.End, p})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// virtual returns the web as a world of the simulator.
func (w *testWeb) virtual(t *testing.T) *sim.World {
	t.Helper()
	out := graph.NewLists(w.web.Spec().Pages, w.web.Spec().Links)
	t.Cleanup(out.Free)
	world := &sim.World{Out: out, Sites: w.web.Sites(), URL: w.web.AppendURL, SiteName: w.web.SiteName}
	n := 0
	err := w.web.Each(func(p graph.Page, links []graph.Page) error {
		world.SiteOf = append(world.SiteOf, w.web.SiteOf(p))
		n += copy(out.To.Slice()[n:], links)
		out.Off.Set(int(p)+1, uint64(n))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return world
}

// simulate crawls the same world with the simulator.
func (s *simSetting) simulate(t *testing.T, w *testWeb, times *sim.Times) (list []stay) {
	t.Helper()
	res := s.result(t, w, times)
	for i, p := range res.Order {
		list = append(list, stay{res.Start[i], res.End[i], p})
	}
	return slices.Clip(list)
}

func (s *simSetting) result(t *testing.T, w *testWeb, times *sim.Times) *sim.Result {
	t.Helper()
	world := w.virtual(t)
	world.Times = times
	c := &w.o.Config
	if c.Focused() {
		w.read(t, world)
	}
	set, err := state.NewSetup(c, layout.Identity{}, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	fo := set.Frontier
	fo.Hold, fo.Scores = false, false
	f, err := scorefiles.Function(c.Score, c.ScoreFile)
	if err == nil {
		err = scorefiles.Provide(c.ImportValues, c.LocationRules, f)
	}
	if err != nil {
		t.Fatal(err)
	}
	res, err := sim.Run(world, sim.Options{
		Setup:  sim.Setup{Score: f, Seeds: []graph.Page{0}, Random: c.RandomSeed, Batch: c.Batch, Frontier: fo, Fetchers: c.Fetchers, KeepMost: c.KeepMost, KeepPages: int(c.KeepPages), MaxPages: int(c.Pages)},
		Policy: set.Policy, SitePolicy: set.SitePolicy,
	})
	if err != nil {
		t.Fatal(err)
	}
	return res
}
