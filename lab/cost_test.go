package lab

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/data"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// BenchmarkCost crawls the real graphs beside the checkout to their ends, from the home pages or
// the page that reaches most, in pure order and on one thread. us/link is the processor time of the least of b.N
// crawls, graph and frontier included, by the links of the fetched pages. The log has a hash of the
// order: a change that only saves time leaves it as it is. frontier.BenchmarkPolicyLarge has the
// cost on generated webs.
//
//	go test ./lab -run '^$' -bench Cost -benchtime 5x
func BenchmarkCost(b *testing.B) {
	for _, name := range []string{"apache-sites", "cnr-2000", "hollins", "mdn", "openbsd", "wb-cs-stanford", "webkb"} {
		w := realWorld(b, name)
		if w == nil {
			b.Logf("%s is not beside the checkout", name)
			continue
		}
		for _, p := range []string{"foresight", "opic"} {
			b.Run(name+"/"+p, func(b *testing.B) { benchmarkCost(b, w, p) })
		}
		w.Graph.Close()
	}
}

func benchmarkCost(b *testing.B, w *World, name string) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := policy.Choose(name)
	if err != nil {
		b.Fatal(err)
	}
	first := Best
	if w.Graph.HasURLs() {
		first = Homes
	}
	seeds, err := first(b.Context(), w.Graph)
	if err != nil {
		b.Fatal(err)
	}
	least, links, order := time.Duration(0), 0, uint64(0)
	for range b.N {
		start := threadTime(b)
		r, err := sim.Run(&w.Sim, sim.Options{Setup: sim.Setup{Seeds: seeds, Random: 1}, Policy: c})
		took := threadTime(b) - start
		if err != nil {
			b.Fatal(err)
		}
		if least == 0 || took < least {
			least = took
		}
		links, order = 0, 0
		for _, p := range r.Order {
			links += w.Sim.Out.Degree(p)
			order = policy.Hash(order, uint64(p))
		}
	}
	b.Logf("%d links, order %x", links, order)
	b.ReportMetric(float64(least.Nanoseconds())/1e3/float64(links), "us/link")
	b.ReportMetric(0, "ns/op")
}

// realWorld imports the newest snapshot of a graph; it returns nil if the graph is not there.
func realWorld(b *testing.B, name string) *World {
	dir, _ := data.Dir()
	newest := func(ends ...string) (file string) {
		for _, end := range ends {
			files, _ := filepath.Glob(filepath.Join(dir, name, name+end))
			if slices.Sort(files); len(files) > 0 {
				return files[len(files)-1]
			}
		}
		return ""
	}
	o := graph.ImportOptions{Edges: newest("-????-*.edges.*", ".edges.*"), URLs: newest(".urls.*"), Nodes: newest("-????-*.nodes.*")}
	if o.Edges == "" {
		return nil
	}
	o.Path = filepath.Join(b.TempDir(), name+".wg")
	if _, err := graph.Import(context.Background(), o); err != nil {
		b.Fatal(err)
	}
	g, err := graph.Open(o.Path)
	if err != nil {
		b.Fatal(err)
	}
	return NewForwardWorld(name, g, false, 1)
}

// threadTime returns the processor time of this thread.
func threadTime(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}
