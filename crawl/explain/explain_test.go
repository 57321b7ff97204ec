package explain_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"path"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A world is a web in memory and a crawl of it, in virtual time.
type world struct {
	disk map[string]*disk.Memory
	o    crawl.RunOptions
}

// newWorld makes a web of 200 pages on 8 sites. It belongs into a synctest bubble.
func newWorld(t *testing.T, policy string, so answer.Options) *world {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: 200, Sites: 8, Links: 1600, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(web, so)
	if err != nil {
		t.Fatal(err)
	}
	server.SetAddresses(8)
	t.Cleanup(func() { server.Close() })
	w := &world{disk: map[string]*disk.Memory{}}
	c := config.Default()
	c.Scope, c.Policy, c.Contact, c.AllowPrivate, c.MaxMemory = config.ScopeAny, policy, "test@example.org", true, 1<<30
	resolve := func(ctx context.Context, host string) (fetch.Names, error) {
		a, ttl, err := server.Resolve(ctx, host)
		return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, 24*time.Hour)}, err
	}
	w.o = crawl.RunOptions{
		Dir: "memory", Config: c, Seeds: []string{server.URL(0)}, Version: "test",
		Machine: crawl.Machine{Dial: server.Dial, Resolve: resolve, TLS: server.ClientTLS(), Disk: w.open},
	}
	return w
}

func (w *world) open(name string) (disk.Dir, error) {
	name = path.Clean(name)
	if w.disk[name] == nil {
		w.disk[name] = disk.NewMemory()
	}
	return w.disk[name], nil
}

// run crawls until so many pages are fetched; 0: to the end.
func (w *world) run(t *testing.T, pages int64) {
	t.Helper()
	w.o.Config.Pages = pages
	if _, err := crawl.Run(t.Context(), w.o); err != nil {
		t.Fatal(err)
	}
}

// crawl opens the crawl.
func (w *world) crawl(t *testing.T) *history.Crawl {
	t.Helper()
	p, err := layout.Open(w.open)
	if err != nil {
		t.Fatal(err)
	}
	c, err := history.OpenParts(t.Context(), "memory", p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// all explains every page of a crawl whose state is given.
func all(t *testing.T, c *history.Crawl, state string) map[graph.Page]*explain.Page {
	t.Helper()
	s, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	list := map[graph.Page]*explain.Page{}
	for p := range graph.Page(s.Frontier.Pages()) {
		x, err := explain.URL(c, string(s.AppendURL(nil, p)), explain.Options{Now: time.Now(), Status: &history.Status{State: state}, Visits: 10, Links: 3})
		if err != nil {
			t.Fatal(err)
		}
		if x.ID != p || x.Given != "" || !strings.HasSuffix(x.Sentence, ".") {
			t.Fatalf("page %d: %+v", p, x)
		}
		list[p] = x
	}
	return list
}

// TestRanksAreTheOrder: where values do not change, a crawl that is resumed requests the
// pages of each site in the order of their ranks, and none earlier than it was told.
func TestRanksAreTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "breadth-first", answer.Options{Agent: "winnow"})
		w.run(t, 40)
		told := all(t, w.crawl(t), history.StatePaused)
		w.run(t, 0)
		c := w.crawl(t)
		began, taken, compared := time.Duration(0), map[string]int{}, 0
		err := c.Each(func(r *journal.Record) error {
			if r.Event.Kind == event.Session {
				began = r.Now
				clear(taken)
			}
			if e := &r.Event; e.Kind == event.Took && e.Task.Kind == event.Fetch {
				x := told[e.Page]
				if x == nil || x.State != explain.Waiting {
					return nil // it became known later, or was fetched before
				}
				taken[x.Site]++
				compared++
				if x.Ranks[0].InSite != taken[x.Site] {
					t.Errorf("%s is number %d of its site, told %d", x.URL, taken[x.Site], x.Ranks[0].InSite)
				}
				if x.Clock.PagesLeft == nil || *x.Clock.PagesLeft > 1 {
					t.Errorf("%s: %v pages are left", x.URL, x.Clock.PagesLeft)
				}
				if waited := (r.Now - began).Seconds(); waited < x.Clock.Least {
					t.Errorf("%s was requested after %.1f s, told not before %.1f s", x.URL, waited, x.Clock.Least)
				}
			}
			return nil
		})
		if err != nil || compared < 50 {
			t.Errorf("%v, %d pages compared", err, compared)
		}
	})
}

// TestEveryState: what is told agrees with the state of the crawl, while it runs and after,
// on a web with failures, redirects and rules.
func TestEveryState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		so := answer.Mixed()
		so.Robots.Rules, so.Pages.Redirect, so.Pages.NotFound, so.Pages.Broken = 0.5, 0.1, 0.1, 0.1
		w := newWorld(t, "mix:opic+xim", so)
		w.o.Config.Exclude = []string{"/d1/"}
		done := make(chan error)
		go func() {
			_, err := crawl.Run(t.Context(), w.o)
			done <- err
		}()
		time.Sleep(20 * time.Second)
		if seen := checkAll(t, w.crawl(t), history.StateRunning); seen[explain.Waiting] == 0 {
			t.Errorf("no page waits: %v", seen)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		seen := checkAll(t, w.crawl(t), history.StateFinished)
		for _, state := range []string{explain.Fetched, explain.Failed, explain.Refused} {
			if seen[state] == 0 {
				t.Errorf("no page is %s", state)
			}
		}
	})
}

// checkAll explains every page and compares it with the frontier.
func checkAll(t *testing.T, c *history.Crawl, state string) map[string]int {
	t.Helper()
	seen := map[string]int{}
	s, _ := c.State()
	for p, x := range all(t, c, state) {
		seen[x.State]++
		f := s.Frontier
		if s.LinksIn(p) != x.Links || len(x.Linked) != int(min(3, x.Links)) || len(x.Factors) != 6 || x.Depth != f.Depth(p) {
			t.Errorf("%+v", x.Facts)
		}
		if queued := f.Ranks().Positions(p) != nil; x.State == explain.Waiting && (len(x.Ranks) == 2) != queued || (x.Clock != nil) != (x.State == explain.Waiting) {
			t.Errorf("%s: %d ranks, clock %v", x.URL, len(x.Ranks), x.Clock)
		}
		switch f.State(p) {
		case frontier.Fetched:
			if last := x.Visits[len(x.Visits)-1]; x.State != explain.Fetched || last.Class == "redirect" && x.To == "" || !last.At.Equal(x.Since) {
				t.Errorf("%+v", x)
			}
		case frontier.Failed:
			if x.State != explain.Failed || x.Why != f.FailedBy(p).String() {
				t.Errorf("%+v", x)
			}
		case frontier.RefusedPage:
			if bar := f.Bar(p); x.State != explain.Refused || x.Why != bar.String() || (x.Rule == "") && bar == event.BarRobots || !strings.Contains(x.Sentence, bar.Meaning()) {
				t.Errorf("%+v", x)
			}
		}
		if x.Clock != nil && x.Clock.Unreachable != "" && !strings.Contains(x.Sentence, "cannot be reached") && x.Clock.Retry == nil {
			t.Errorf("%s: %s", x.URL, x.Sentence)
		}
		if text, err := json.Marshal(x); err != nil || !strings.Contains(string(text), `"sentence":`) {
			t.Errorf("%s, %v", text, err)
		}
	}
	return seen
}

// TestBudgetAndRevisits: a page that a limit will leave out is told so, and a fetched page
// that is to be fetched again has a clock.
func TestBudgetAndRevisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "opic", answer.Options{Agent: "winnow"})
		w.o.Config.Pages, w.o.Config.Recrawl.Duration = 60, time.Hour
		w.o.Config.Revisit = "each"
		done := make(chan error)
		go func() {
			_, err := crawl.Run(t.Context(), w.o)
			done <- err
		}()
		time.Sleep(8 * time.Second)
		late, revisits := 0, 0
		for _, x := range all(t, w.crawl(t), history.StateRunning) {
			if strings.Contains(x.Sentence, "the crawl stops after") {
				late++
				if int64(x.Ranks[0].Overall) <= *x.Clock.PagesLeft {
					t.Errorf("%s: %+v, %d left", x.Sentence, x.Ranks[0], *x.Clock.PagesLeft)
				}
			}
			if x.State == explain.Fetched && x.Clock != nil && x.Clock.Retry != nil && strings.Contains(x.Sentence, "due again in 59m") {
				revisits++
			}
		}
		if err := <-done; err != nil || late == 0 || revisits == 0 {
			t.Errorf("%v, %d pages are late, %d are due again", err, late, revisits)
		}
	})
}

// A page that made room for others says when, what it is worth, and what would bring it back; one
// that is kept says nothing of that.
func TestDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "opic", answer.Options{Agent: "winnow"})
		w.o.Config.Pages, w.o.Config.KeepPages = 60, 20
		if _, err := crawl.Run(t.Context(), w.o); err != nil {
			t.Fatal(err)
		}
		c := w.crawl(t)
		s, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		dropped, back := 0, 0
		for _, x := range all(t, c, history.StatePaused) {
			if x.State != explain.Fetched || x.To != "" {
				continue
			}
			if kept := s.Kept.Holds(x.ID); kept == (x.Dropped != nil) {
				t.Errorf("%s: kept %v, %+v", x.URL, kept, x.Dropped)
			}
			if d := x.Dropped; d != nil {
				dropped++
				if strings.Contains(x.Sentence, "brings it back;") {
					back++
				}
				if d.Least == nil || d.Value != float64(x.Links) || d.At.Before(x.Since) || !strings.Contains(x.Sentence, "--keep-pages 20 had no room") {
					t.Errorf("%s: %+v, %d links, %s", x.URL, d, x.Links, x.Sentence)
				}
			}
		}
		if dropped != 40 || back == 0 || back == dropped {
			t.Errorf("%d pages were dropped, want 40; %d of them are worth more now than others", dropped, back)
		}
	})
}
