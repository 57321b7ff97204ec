package frontier

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/data"
	"github.com/winnow-crawler/winnow/policy"
)

// largePages is the size of BenchmarkLarge: 100000000 takes some 4 GB and minutes.
//
//	go test ./frontier -run '^$' -bench Large -benchtime 1x -args -large-pages 100000000
var largePages = flag.Int("large-pages", 2_000_000, "known pages in BenchmarkLarge")

// web is what a benchmark crawls.
type web struct {
	name   string
	out    *graph.Lists
	siteOf []graph.Site
	sites  int
}

// BenchmarkCrawl crawls whole webs with opic: one page at a time, no time, no delays.
//
//	us/link      time in Apply, all of it, by links
//	us/hand-out  time in Next, by pages
//	B/page       all memory of frontier and policy but that of sites, by known pages
//	B/site       memory of sites, by known sites
//
// The crawl runs once before, and its events (which are the same every time) are kept,
// so that giving numbers to pages is not measured. Every eighth step is timed, and the
// time that reading the clock takes is taken off; a step of more than a millisecond was
// interrupted by another process and does not count. The bars are 0.12 us a link and
// 0.6 a hand-out on cnr-2000, 0.3 and 2 on the generated web, 40 bytes a page.
func BenchmarkCrawl(b *testing.B) {
	webs := []func(testing.TB) *web{cnr2000, generated}
	for _, load := range webs {
		w := load(b)
		if w == nil {
			b.Log("cnr-2000 is not beside the checkout")
			continue
		}
		b.Run(w.name, func(b *testing.B) { benchmarkCrawl(b, w) })
		w.out.Free()
	}
}

func benchmarkCrawl(b *testing.B, w *web) {
	conditions(b, "%d pages, %d links, %d sites, opic, r=1", w.out.Pages(), w.out.Links(), w.sites)
	events, links := record(b, w)
	tick := clockTick()
	var next, apply time.Duration
	var timed, timedLinks int
	var f *Frontier
	b.ResetTimer()
	for range b.N {
		if f != nil {
			f.Free()
		}
		f = newOpic(b, w.out.Pages(), w.sites)
		f.Apply(0, &events[0])
		for i := 1; i < len(events); i++ {
			if i%8 != 0 {
				f.Next(0)
				f.Apply(0, &events[i])
				continue
			}
			t0 := time.Now()
			f.Next(0)
			t1 := time.Now()
			f.Apply(0, &events[i])
			if t2 := time.Now(); t2.Sub(t0) < time.Millisecond {
				next, apply = next+t1.Sub(t0)-tick, apply+t2.Sub(t1)-tick
				timed++
				timedLinks += len(events[i].Links)
			}
		}
	}
	b.StopTimer()
	defer f.Free()
	b.ReportMetric(apply.Seconds()*1e6/float64(timedLinks), "us/link")
	b.ReportMetric(next.Seconds()*1e6/float64(timed), "us/hand-out")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(links), "ns/link-all-in")
	sites := siteBytes(f)
	b.ReportMetric(float64(f.Bytes()-sites)/float64(f.Pages()), "B/page")
	b.ReportMetric(float64(sites)/float64(f.Sites()), "B/site")
}

// siteBytes returns the memory of what is kept by site: the columns that say so, and in the
// queue 8 bytes for the block of a site, 1 for its size, 4 for its place and 16 for its
// offer.
func siteBytes(f *Frontier) int64 {
	n := int64(8+1+4+16) * int64(f.Sites())
	f.Columns(func(c graph.AnyColumn) {
		if strings.HasPrefix(c.Name(), "site ") || strings.Contains(c.Name(), " site ") {
			n += c.Bytes()
		}
	})
	return n
}

func conditions(b *testing.B, format string, args ...any) {
	b.Logf("%s, %s/%s, %d cores: %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), fmt.Sprintf(format, args...))
}

// clockTick returns the time between two readings of the clock.
func clockTick() time.Duration {
	const n = 100_000
	start := time.Now()
	last := start
	for range n {
		last = time.Now()
	}
	return last.Sub(start) / n
}

func newOpic(tb testing.TB, pages, sites int) *Frontier {
	c, err := policy.Choose("opic")
	if err != nil {
		tb.Fatal(err)
	}
	f, err := New(Options{MaxPages: pages, MaxSites: sites}, policy.Env{}, c, nil, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// record crawls w from page 0 and returns the events by numbers of discovery.
func record(tb testing.TB, w *web) (events []event.Event, links int) {
	f := newOpic(tb, w.out.Pages(), w.sites)
	defer f.Free()
	ids := make([]uint32, w.out.Pages())
	sites := make([]uint32, w.sites)
	var world []graph.Page
	known := 0
	discover := func(p graph.Page, e *event.Event) graph.Page {
		if ids[p] == 0 {
			s := w.siteOf[p]
			if sites[s] == 0 {
				known++
				sites[s] = uint32(known)
			}
			world = append(world, p)
			ids[p] = uint32(len(world))
			e.New = append(e.New, graph.Site(sites[s]-1))
		}
		return graph.Page(ids[p] - 1)
	}
	e := event.Event{Kind: event.Seed}
	discover(0, &e)
	for {
		events = append(events, e)
		f.Apply(0, &events[len(events)-1])
		work, _, ok := f.Next(0)
		if !ok {
			return events, links
		}
		p := world[work.Page]
		e = event.Event{Kind: event.Done, Task: event.Task{Page: work.Page}, Links: make([]graph.Page, 0, w.out.Degree(p))}
		for _, q := range w.out.List(p) {
			if q != p {
				e.Links = append(e.Links, discover(q, &e))
			}
		}
		links += len(e.Links)
	}
}

// generated returns the generated web of the bars: 1 M pages, 20 M links, 20,000 sites.
func generated(tb testing.TB) *web {
	fake, err := fakeweb.New(fakeweb.Spec{Pages: 1_000_000, Links: 20_000_000, Sites: 20_000, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	w := &web{name: "generated", out: graph.NewLists(1_000_000, 20_000_000), sites: 20_000}
	at := uint64(0)
	err = fake.Each(func(p graph.Page, links []graph.Page) error {
		at += uint64(copy(w.out.To.Slice()[at:], links))
		w.out.Off.Set(int(p)+1, at)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	for s := range graph.Site(w.sites) {
		for range fake.Size(s) {
			w.siteOf = append(w.siteOf, s)
		}
	}
	return w
}

// cnr2000 is nil when it is not there. It has no URLs: every page is its own site.
func cnr2000(tb testing.TB) *web {
	edges, ok := data.File("cnr-2000", "cnr-2000.edges.zst")
	if !ok {
		return nil
	}
	path := filepath.Join(tb.TempDir(), "cnr.wg")
	if _, err := graph.Import(context.Background(), graph.ImportOptions{Edges: edges, WriteOptions: graph.WriteOptions{Path: path}}); err != nil {
		tb.Fatal(err)
	}
	g, err := graph.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer g.Close()
	w := &web{name: "cnr-2000", out: g.Forward().Raw(2), sites: g.Pages()}
	for p := range g.Pages() {
		w.siteOf = append(w.siteOf, graph.Site(p))
	}
	return w
}

// BenchmarkLarge is the cost of a link when nothing fits into a cache: opic with
// -large-pages known pages in sites of 100, pages of 20 links of which every eighth
// leads anywhere and the others into the site. The bar is 1.0 us a link at 100 M pages.
func BenchmarkLarge(b *testing.B) {
	pages := *largePages
	conditions(b, "%d pages, %d sites, opic, 20 links a page", pages, pages/100)
	f := newOpic(b, pages, pages/100)
	defer f.Free()
	for p := 0; p < pages; {
		e := event.Event{Kind: event.Seed}
		for ; len(e.New) < 100_000 && p < pages; p++ {
			e.New = append(e.New, graph.Site(p/100))
		}
		f.Apply(0, &e)
	}
	const most = 200_000 // hand-outs in a run
	var apply time.Duration
	done := 0
	e := event.Event{Kind: event.Done, Links: make([]graph.Page, 20)}
	tick := clockTick()
	b.ResetTimer()
	for range b.N {
		for n := 0; n < most; n++ {
			w, _, ok := f.Next(0)
			if !ok {
				b.Fatal("all pages are gone")
			}
			e.Page = w.Page
			for i := range e.Links {
				h := policy.Hash(uint64(w.Page), uint64(i))
				if e.Links[i] = graph.Page(int(w.Page)/100*100 + int(h%100)); i%8 == 0 {
					e.Links[i] = graph.Page(h % uint64(pages))
				}
			}
			start := time.Now()
			f.Apply(0, &e)
			if d := time.Since(start); d < time.Millisecond {
				apply += d - tick
				done++
			}
		}
	}
	b.ReportMetric(apply.Seconds()*1e6/float64(20*done), "us/link")
	b.ReportMetric(float64(f.Bytes())/float64(pages), "B/page-all-in")
}
