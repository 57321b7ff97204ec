package crawl

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// Limits are pauses: with a higher one the same directory goes on, and at the end
// nothing was asked for twice.
func TestLimitsArePauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 300, 10, answer.Options{})
		c := &w.o.Config
		for _, pages := range []int64{1, 40, 41, 150} {
			c.Pages = pages
			if sum := w.run(t); sum.Why != whyPages || sum.Fetched != pages || sum.State != "paused" {
				t.Fatalf("it is %s (%s) with %d pages, want %d", sum.State, sum.Why, sum.Fetched, pages)
			}
			w.o.Seeds = nil
			time.Sleep(time.Hour)
		}
		c.Pages = 0
		ran := time.Duration(0)
		for _, d := range []time.Duration{2 * time.Minute, 3 * time.Minute} {
			c.Duration = config.Duration{Duration: d}
			sum := w.run(t)
			if sum.Why != whyDuration || sum.Ran < d || sum.Ran > d+5*time.Second || sum.Ran <= ran {
				t.Fatalf("it ended by %s after %v, want %v", sum.Why, sum.Ran, d)
			}
			ran = sum.Ran
		}
		c.Duration = config.Duration{}
		c.Bytes = config.Size(w.run2(t, func() { c.Bytes = 1 }).Bytes) + 20_000
		if sum := w.run(t); sum.Why != whyBytes || sum.Bytes < int64(c.Bytes) {
			t.Fatalf("it ended by %s after %d bytes, want %d", sum.Why, sum.Bytes, c.Bytes)
		}
		c.Bytes = 0
		if sum := w.run(t); sum.Why != whyFinished || sum.Fetched != 300 {
			t.Fatalf("it ended by %s with %d of 300 pages", sum.Why, sum.Fetched)
		}
		w.check(t, answer.Limits{})
	})
}

// run2 changes something and runs.
func (w *testWeb) run2(t *testing.T, change func()) *Summary {
	t.Helper()
	change()
	return w.run(t)
}

// What a narrow scope refused, a wider one fetches without asking again for what links
// to it.
func TestWiderScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 400, 12, answer.Options{})
		c := &w.o.Config
		c.Scope = config.ScopeSeeds
		home, _ := page.Site([]byte(w.o.Seeds[0]))
		sum := w.run(t)
		if sum.Why != whyFinished || sum.Fetched == 0 || sum.Refused == 0 || sum.Sites < 2 {
			t.Fatalf("%d pages fetched, %d refused on %d sites", sum.Fetched, sum.Refused, sum.Sites)
		}
		for s := range w.web.Sites() {
			if n := len(w.server.Counter().Requests(graph.Site(s))); n > 0 != strings.HasSuffix(string(home), w.web.SiteName(graph.Site(s))) {
				t.Errorf("site %d was asked %d times", s, n)
			}
		}
		c.Scope = config.ScopeAny
		w.o.Seeds = nil
		if sum = w.run(t); sum.Why != whyFinished || sum.Fetched != 400 || sum.Refused != 0 {
			t.Fatalf("%d pages fetched, %d refused", sum.Fetched, sum.Refused)
		}
		w.check(t, answer.Limits{})
		err := w.history(t).Pages(&history.PageFilter{}, func(x *history.PageInfo) error {
			if x.ID > 0 && x.Depth == 0 { // those of the seed's site and those admitted alike
				t.Errorf("page %d is a seed", x.ID)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// A crawl goes on under another policy: the journal is replayed, and nothing is fetched
// again.
func TestOtherPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 300, 10, answer.Options{})
		w.o.Config.Pages = 100
		w.run(t)
		w.o.Config.Policy, w.o.Config.Pages = "batch-pagerank/k=50", 200
		w.run(t)
		w.o.Config.Policy, w.o.Config.Pages = "breadth-first", 0
		w.o.Seeds = nil
		if sum := w.run(t); sum.Fetched != 300 {
			t.Errorf("%d of 300 pages", sum.Fetched)
		}
		w.check(t, answer.Limits{})
	})
}

// Other seeds are refused unless they are to be added, and nothing has changed then.
func TestOtherSeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 300, 10, answer.Options{})
		w.o.Config.Pages = 3
		w.run(t)
		before := w.records(t)
		w.o.Seeds = []string{"http://another.example/x"}
		var e *hint.Error
		if _, err := Run(t.Context(), w.o); !errors.As(err, &e) || !strings.Contains(e.Hint, "--add-seeds") {
			t.Fatalf("other seeds give %v", err)
		}
		if after := w.records(t); after != before {
			t.Errorf("%d records after the error, %d before", after, before)
		}
		w.o.AddSeeds, w.o.Config.Pages = true, 4
		if sum := w.run(t); sum.Fetched != 4 {
			t.Errorf("%d pages", sum.Fetched)
		}
	})
}

// records is the number of committed records.
func (w *testWeb) records(t *testing.T) (n int) {
	t.Helper()
	dir, _ := w.disk.open(layout.JournalDir)
	if _, err := journal.Read(dir, 0, func(*journal.Record) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// Pages are visited again, and those that have not changed cost no body (W16).
func TestRecrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		so := answer.Options{NoValidators: 0.2}
		so.Changes = answer.Changes{Clock: func() time.Duration { return time.Since(began) }, Min: 2 * time.Hour, Max: 100 * time.Hour}
		w := newTestWeb(t, 200, 20, so)
		c := &w.o.Config
		c.Recrawl, c.Duration = config.Duration{Duration: 3 * time.Hour}, config.Duration{Duration: 10 * time.Hour}
		sum := w.run(t)
		statuses := w.statuses(t)
		t.Logf("%d requests, statuses %v", sum.Requests, statuses)
		if statuses[200] < 300 || statuses[304] < 100 || statuses[200]+statuses[304] < 3*200 {
			t.Errorf("statuses %v: three visits to 200 pages, most of them unchanged", statuses)
		}
		if sum.Fetched != 200 {
			t.Errorf("%d of 200 pages", sum.Fetched)
		}
		for _, v := range w.server.Counter().Check(count.Demands{Delay: c.Delay.Duration, Repeats: true}) {
			t.Error(v)
		}
	})
}

// statuses counts the answers to requests for pages.
func (w *testWeb) statuses(t *testing.T) map[uint16]int {
	t.Helper()
	n := map[uint16]int{}
	dir, _ := w.disk.open(layout.JournalDir)
	_, err := journal.Read(dir, 0, func(r *journal.Record) error {
		if r.Event.Kind == event.Done {
			n[r.Facts.Status]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Who stops a crawl while it is restored does not wait for the end of that.
func TestStoppedWhileRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 300, 10, answer.Options{})
		w.o.Config.Pages = 100
		w.run(t)
		before := w.records(t)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		w.o.Config.Policy = "breadth-first" // for which all is replayed
		if _, err := Run(ctx, w.o); !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
		if after := w.records(t); after != before {
			t.Errorf("%d records, there were %d", after, before)
		}
		w.o.Config.Pages = 0
		if sum := w.run(t); sum.Fetched != 300 {
			t.Errorf("%d of 300 pages", sum.Fetched)
		}
		w.check(t, answer.Limits{})
	})
}

// The addresses of the journal are the level of the DNS cache that is on disk (W18).
func TestRemembersAddresses(t *testing.T) {
	c := config.Default()
	s := newFolded(t, &c, 1<<26).s
	r := &journal.Record{Event: event.Event{Kind: event.Seed}}
	s.Seed(r, "https://a.example/")
	s.Apply(r, true)
	s.Apply(&journal.Record{Event: event.Event{Kind: event.Took, Task: event.Task{Kind: event.Resolve}}}, true)
	addr := netip.MustParseAddr("192.0.2.1")
	s.Apply(&journal.Record{
		Event: event.Event{Kind: event.Resolved, Address: 1, Expiry: 2 * time.Hour},
		Facts: journal.Facts{Addrs: []netip.Addr{addr}},
	}, true)
	resolver, err := fetch.NewResolver(fetch.ResolverOptions{Server: "127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	defer resolver.Close()
	remember(resolver, s, time.Hour)
	got, err := resolver.Lookup(t.Context(), "a.example")
	if err != nil || got.Level != fetch.Disk || len(got.Addrs) != 1 || got.Addrs[0] != addr {
		t.Errorf("%+v, %v", got, err)
	}
}
