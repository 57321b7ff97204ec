package rank

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/data"
	"github.com/winnow-crawler/winnow/internal/input"
)

// realWeb reads a graph that lies beside the checkout, and makes one up of about
// the size of cnr-2000 where there is none.
func realWeb(t testing.TB, name string) outLists {
	path, ok := data.File(name, name+".edges.zst")
	if !ok {
		t.Logf("%s is not there: a generated web instead", name)
		return randomWeb(rand.New(rand.NewPCG(99, 1)), 300_000, 10, 0.24)
	}
	f, err := input.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var links outLists
	err = input.Edges(f, func(src, dst uint32) error {
		for len(links) <= int(max(src, dst)) {
			links = append(links, nil)
		}
		links[src] = append(links[src], graph.Page(dst))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return links
}

// BenchmarkSweep is the time of a sweep per link: Gauss-Seidel with its two blocks,
// and the power method, on one thread and on two. Self-links are kept so that every
// link counts.
func BenchmarkSweep(b *testing.B) {
	for _, name := range []string{"cnr-2000", "apache-sites"} {
		w := realWeb(b, name).web(b)
		for method, label := range []string{"gauss-seidel", "jacobi"} {
			for threads := 1; threads <= 2; threads++ {
				b.Run(fmt.Sprintf("%s/%s/%d", name, label, threads), func(b *testing.B) {
					var times []time.Duration
					last := time.Now()
					o := Options{Method: Method(method), Threads: threads, SelfLinks: true, Tolerance: 1e-12, MaxSweeps: 40,
						Progress: func(int, float64) error {
							times = append(times, time.Since(last))
							last = time.Now()
							return nil
						}}
					for b.Loop() {
						_, _ = PageRank(w, o) // ends at MaxSweeps
					}
					best := times[1]
					for _, t := range times[1:] {
						best = min(best, t)
					}
					b.ReportMetric(float64(best.Nanoseconds())/float64(w.In.Links()), "best-ns/link")
				})
			}
		}
	}
}

// BenchmarkSolve is a whole solve from in-lists in memory.
func BenchmarkSolve(b *testing.B) {
	for _, name := range []string{"cnr-2000", "apache-sites"} {
		w := realWeb(b, name).web(b)
		for _, o := range []Options{
			{Blocks: 1, Threads: 1}, {Blocks: 2, Threads: 1}, {Blocks: 2, Threads: 2}, {Blocks: 4, Threads: 2}, {Method: Jacobi, Threads: 2},
		} {
			for _, o.Tolerance = range []float64{1e-3, 1e-6} {
				b.Run(fmt.Sprintf("%s/method=%d,blocks=%d,threads=%d,tolerance=%g", name, o.Method, o.Blocks, o.Threads, o.Tolerance), func(b *testing.B) {
					sweeps := 0
					for b.Loop() {
						sweeps = solve(b, w, o).Sweeps
					}
					b.ReportMetric(float64(sweeps), "sweeps")
				})
			}
		}
	}
}

// BenchmarkHarmonic is searches from 64 pages here and there in cnr-2000; the whole
// takes one for every 64 pages.
func BenchmarkHarmonic(b *testing.B) {
	w := realWeb(b, "cnr-2000").web(b)
	s := newSearch(w.Out)
	defer s.Free()
	first := 0
	for b.Loop() {
		s.run(first)
		first = (first + 37*searchWidth) % w.Pages()
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*float64(w.Pages())/searchWidth, "s/whole")
}
