package frontier

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// BenchmarkPolicyLarge crawls a web that grows as real ones do: of the 20 links of a page half
// lead to pages that nobody knew, until -large-pages are known, in sites of some thousand
// pages. Policies work in slices, as in a crawl.
//
//	us/link      processor time of Next and Apply, by links
//	ms/longest   the longest of all turns, in processor time
//	B/page       memory of frontier and policy, by known pages
//
// The bars for foresight at 5 M pages are 2 us, 2 ms, and 128 bytes more than opic without
// the links that both could keep.
func BenchmarkPolicyLarge(b *testing.B) {
	for _, name := range []string{"opic", "batch-pagerank", "foresight"} {
		b.Run(name, func(b *testing.B) { benchmarkPolicy(b, name, *largePages) })
	}
}

func benchmarkPolicy(b *testing.B, name string, pages int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	conditions(b, "%d pages, %s, 20 links a page", pages, name)
	for range b.N {
		w := growing{pages: pages}
		f := w.frontier(b, name)
		var all, longest time.Duration
		for w.known < pages {
			start := threadTime()
			work, _, ok := f.Next(0)
			if !ok {
				b.Fatal("nothing is left")
			}
			e := w.fetch(work.Page)
			f.Apply(0, &e)
			d := threadTime() - start
			all, longest = all+d, max(longest, d)
			w.fetched++
		}
		b.ReportMetric(all.Seconds()*1e6/float64(20*w.fetched), "us/link")
		b.ReportMetric(longest.Seconds()*1e3, "ms/longest")
		b.ReportMetric(float64(f.Bytes())/float64(w.known), "B/page")
		b.ReportMetric(float64(linkBytes(f))/float64(w.known), "B/page-links")
		f.Free()
	}
}

// growing is a web that has as many pages as it is asked for.
type growing struct{ pages, known, fetched int }

func (w *growing) frontier(b *testing.B, name string) *Frontier {
	c, err := policy.Choose(name)
	if err != nil {
		b.Fatal(err)
	}
	env := policy.Env{Batch: 10_000, URL: func(to []byte, p graph.Page) []byte {
		h := policy.Hash(uint64(p))
		return fmt.Appendf(to, "http://s%d.example/a%d/b%d/p%d.html", w.site(p), h%20, h>>32%30, p)
	}}
	f, err := New(Options{MaxPages: w.pages + 64, MaxSites: w.pages/2000 + 2, Slice: 200_000}, env, c, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	e := event.Event{Kind: event.Seed}
	for range 32 {
		e.New = append(e.New, w.site(graph.Page(w.known)))
		w.known++
	}
	f.Apply(0, &e)
	return f
}

// site returns the site of a page: a new one after 2000 pages, or any of the older ones.
func (w *growing) site(p graph.Page) graph.Site {
	sites := uint64(p)/2000 + 1
	if p%2000 == 0 {
		return graph.Site(sites - 1)
	}
	return graph.Site(policy.Hash(7, uint64(p)) % sites)
}

// fetch returns what a page links to.
func (w *growing) fetch(p graph.Page) event.Event {
	e := event.Event{Kind: event.Done, Task: event.Task{Page: p}, Links: make([]graph.Page, 0, 20)}
	for i := range uint64(20) {
		if i%2 == 0 && w.known < w.pages {
			e.New = append(e.New, w.site(graph.Page(w.known)))
			e.Links = append(e.Links, graph.Page(w.known))
			w.known++
			continue
		}
		h := policy.Hash(uint64(p), i)
		e.Links = append(e.Links, graph.Page(h%(1+h>>32%uint64(w.known))))
	}
	return e
}

// linkBytes returns the memory of links.
func linkBytes(f *Frontier) (n int64) {
	f.Columns(func(c graph.AnyColumn) {
		if c.Name() == "links" || c.Name() == "link lists" {
			n += c.Bytes()
		}
	})
	return n
}

// threadTime returns the processor time of this thread.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
