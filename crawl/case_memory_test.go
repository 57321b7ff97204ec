package crawl

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// listing answers with sitemaps of so many pages each.
func listing(files, pages int) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			for i := range files {
				fmt.Fprintf(rw, "Sitemap: /sm/%d.txt\n", i)
			}
		case strings.HasPrefix(r.URL.Path, "/sm/"):
			for i := range pages {
				fmt.Fprintf(rw, "http://b.example%s/%d\n", r.URL.Path, i)
			}
		default:
			linksTo(many(50, "x")...)(rw, r)
		}
	}
}

// A crawl whose memory is used up pauses, says so again when it goes on with as little, and
// loses no page of a sitemap when it goes on with more.
func TestCaseMemoryFull(t *testing.T) {
	if testing.Short() {
		t.Skip("450,000 pages")
	}
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": listing(9, 50_000)}, "http://b.example/")
		w.o.Config.MaxMemory = 64 << 20
		w.o.Config.Duration = config.Duration{Duration: 2 * time.Minute}
		one := w.run(t)
		if one.Why != "memory" || one.State != "paused" || one.Known > 400_000 || one.Known < 100_000 {
			t.Errorf("with 64 MiB: %s (%s), %d pages are known", one.State, one.Why, one.Known)
		}
		w.o.Seeds = nil
		again := w.run(t)
		if again.Why != "memory" || again.Known < one.Known || again.Requests > one.Requests+2 {
			t.Errorf("with 64 MiB again: %s, %d pages are known after %d more requests", again.Why, again.Known, again.Requests-one.Requests)
		}
		w.o.Config.MaxMemory, w.o.Config.Duration = 1<<30, config.Duration{Duration: 5 * time.Minute}
		two := w.run(t)
		t.Logf("known: %d, %d, %d", one.Known, again.Known, two.Known)
		if two.Known < 450_051 || two.Why != "duration" {
			t.Errorf("with 1 GiB: %s, %d of 450,051 pages are known", two.Why, two.Known)
		}
	})
}

// Of a page that came every link is known, however often the memory was used up.
func TestMemoryFullLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of thousands of pages")
	}
	const hubs, leaves = 350, 1000
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			var i int
			switch n, _ := fmt.Sscanf(r.URL.Path, "/hub/%d", &i); {
			case r.URL.Path == "/":
				ownPage(many(hubs, "hub")...)(rw, r)
			case n == 1:
				ownPage(many(leaves, fmt.Sprintf("x%d", i))...)(rw, r)
			default:
				http.NotFound(rw, r)
			}
		}}, "http://a.example/")
		w.o.Config.Policy, w.o.Config.Pages, w.o.Config.SitePages = "breadth-first", hubs+1, 0
		pauses := 0
		for size := config.Size(64); ; size += 2 {
			w.o.Config.MaxMemory = size << 20
			sum := w.run(t)
			w.o.Seeds = nil
			t.Logf("with %d MiB: %s, %d pages came, %d are known", size, sum.Why, sum.Fetched, sum.Known)
			if want := 1 + hubs + leaves*(sum.Fetched-1); sum.Fetched > 0 && sum.Known != want {
				t.Fatalf("with %d MiB: %d pages came and %d are known, want %d", size, sum.Fetched, sum.Known, want)
			}
			if sum.Why == "pages" {
				break
			}
			if pauses++; sum.Why != "memory" || size > 200 {
				t.Fatalf("with %d MiB: %s", size, sum.Why)
			}
		}
		if pauses < 2 {
			t.Errorf("it paused %d times", pauses)
		}
	})
}

// As TestCaseMemoryFull, with 200 pages that count as if they were large: the memory is used
// up while pages of many sites are under way. It pauses again while as little is left, and
// then fetches every page that it had not.
func TestMemoryPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages, each, most = 200, 2 << 20, 64 << 20
		w := newTestWeb(t, pages, 12, answer.Options{})
		var read atomic.Int64
		w.o.Machine.Read = func(string) { read.Add(1) }
		w.o.Machine.Heap = func() Heap { return Heap{Live: read.Load() * each} }
		w.o.Config.MaxMemory, w.o.Config.Policy = most, "breadth-first"
		for i := range 2 {
			before := read.Load()
			sum := w.run(t)
			if sum.Why != whyMemory || sum.State != history.StatePaused || sum.Fetched == 0 || sum.Fetched == pages {
				t.Errorf("run %d: %s (%s), %d pages were fetched", i, sum.State, sum.Why, sum.Fetched)
			}
			if n := read.Load() - before; i > 0 && n > 0 {
				t.Errorf("%d answers were read without memory for them", n)
			}
			w.o.Seeds = nil
		}
		w.o.Config.MaxMemory = 1 << 30
		if sum := w.run(t); sum.Why != whyFinished || sum.Fetched != pages {
			t.Errorf("with 1 GiB: %s, %d of %d pages were fetched", sum.Why, sum.Fetched, pages)
		}
		// Answers for whose links there was no memory are requested again.
		for _, v := range w.server.Counter().Check(count.Demands{Delay: w.o.Config.Delay.Duration, Repeats: true}) {
			t.Error(v)
		}
		clean(t, w.verify(t))
	})
}

// fullState is a state of so many pages of one site, all of which came, in a crawl with
// four parameters each, that visits them again by an allocation, or ("") does not.
func fullState(t *testing.T, n int, revisit string) *state.State {
	t.Helper()
	c := config.Default()
	c.Policy = "breadth-first"
	if revisit != "" {
		c.Recrawl, c.Revisit = config.Duration{Duration: 7 * 24 * time.Hour}, revisit
	}
	set, err := state.NewSetup(&c, layout.Identity{Crawl: [16]byte{1}, Secret: [16]byte{2}}, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	s, err := state.Empty(&layout.Parts{Urls: disk.NewMemory(), UrlFile: layout.URLFile}, set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var r journal.Record
	r.Event.Kind = event.Seed
	for i := range n {
		s.Seed(&r, fmt.Sprintf("http://a.example/list%d/view.php?cat=%d&item=%d&page=%d&lang=%d", i%50, i%97, i, i%11, i%3))
	}
	s.Apply(&r, true)
	for i := range n {
		now := time.Duration(i) * time.Second
		at := int64(i) * 500
		took := journal.Record{Now: now, Event: event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Page: graph.Page(i)}}}
		s.Apply(&took, true)
		done := journal.Record{Now: now, At: at, Event: event.Event{Kind: event.Done, Task: event.Task{Page: graph.Page(i)}, Start: now, End: now}}
		if revisit == "each" {
			done.Event.Due = now + c.Recrawl.Duration
		}
		done.Facts.Status, done.Facts.Place.Length, done.Facts.Payload = 200, 1000, append(make([]byte, 17), byte(i), byte(i>>8), byte(i>>16), 1)
		done.Facts.Digest = [16]byte{byte(i), byte(i >> 8), byte(i >> 16), 1}
		done.Facts.SimHash = uint64(i) * 0x9e3779b97f4a7c15
		done.Facts.ETag, done.Facts.Modified = fmt.Sprintf("\"%016x-%08x\"", i*77, i), "Wed, 21 Oct 2026 07:28:00 GMT"
		s.Apply(&done, true)
	}
	return s
}

// A fetched page costs 24 bytes more in a crawl with --recrawl than in one without, or less: for
// the choice of visits, for conditional requests and for revisit records together. Each
// directory costs some more. A crawl without --recrawl pays nothing.
func TestRecrawlBytes(t *testing.T) {
	const n = 1 << 14 // whole blocks of memory
	account := func(n int, revisit string) (sizes map[string]int64, all int64) {
		sizes = map[string]int64{}
		s := fullState(t, n, revisit)
		s.Account(func(name string, bytes int64) { sizes[name] += bytes; all += bytes })
		return sizes, all
	}
	_, plain := account(n, "")
	sizes, plainMore := account(2*n, "")
	for name := range sizes {
		if strings.HasPrefix(name, "freshness") || name == "page visits" || name == "page instants" && sizes[name] > 0 {
			t.Errorf("a crawl without --recrawl has %s", name)
		}
	}
	for revisit, want := range map[string]float64{"default": 24, "each": 24} {
		_, all := account(n, revisit)
		_, more := account(2*n, revisit)
		got := float64((more-plainMore)-(all-plain)) / n
		if t.Logf("--revisit %s: %.2f bytes", revisit, got); got > want {
			t.Errorf("a fetched page costs %.2f bytes more with --revisit %s, want %v", got, revisit, want)
		}
	}
}

// What the ceiling goes by is what a page takes, whatever it takes: here three times as
// much as in an ordinary crawl.
func TestCaseBytesPerPage(t *testing.T) {
	if testing.Short() {
		t.Skip("tens of thousands of pages")
	}
	const n = 1 << 15
	s := fullState(t, n, "each")
	c := newCeiling(200<<20, nil)
	c.look(s, true)
	if c.state/n < 150 || c.needed < 2*c.state {
		t.Errorf("%d bytes a page, %d bytes needed", c.state/n, c.needed)
	}
	for most, full := range map[int64]bool{c.needed: true, c.needed - 1: true, c.needed * 9 / 8: false} {
		d := newCeiling(most, nil)
		d.state, d.needed = c.state, c.needed
		if d.full() != full {
			t.Errorf("%d bytes are needed; %d are too little: %t", c.needed, most, d.full())
		}
	}
}
