package graph_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank/kernel"
	"github.com/winnow-crawler/winnow/internal/data"
)

// The limits of the store: bytes per link both ways with the index, and how many
// times a scan, and a list at random, may take of the same loop over raw arrays.
// Processor times are taken in turns, compressed and raw, in one process on one core, at
// least five times each; the median of the ratios is reported. Everything is warm:
// the first turn does not count.

// world is a graph to measure.
type world struct {
	name   string
	edges  string
	urls   string
	source *graph.Source // where there are no files
}

// worlds are the two graphs of the bars, or a synthetic web in their place.
func worlds(b *testing.B) []world {
	b.Helper()
	cnr, ok1 := data.File("cnr-2000", "cnr-2000.edges.zst")
	apache, ok2 := data.File("apache-sites", "apache-sites.edges.zst")
	urls, ok3 := data.File("apache-sites", "apache-sites.urls.gz")
	if ok1 && ok2 && ok3 {
		return []world{{name: "cnr-2000", edges: cnr}, {name: "apache-sites", edges: apache, urls: urls}}
	}
	src := webSource(makeWeb(b, 200_000, 2_000, 3_000_000))
	return []world{{name: "synthetic", source: &src}}
}

// store makes the graph file of a world.
func (w world) store(b *testing.B, path string, compact bool) {
	b.Helper()
	o, err := graph.WriteOptions{Path: path, MaxMemory: 1 << 30, Compact: compact}, error(nil)
	if w.source != nil {
		err = graph.Write(context.Background(), *w.source, o)
	} else {
		_, err = graph.Import(context.Background(), graph.ImportOptions{Edges: w.edges, URLs: w.urls, WriteOptions: o})
	}
	if err != nil {
		b.Fatal(err)
	}
}

// eachWorld runs a benchmark on every world.
func eachWorld(b *testing.B, run func(b *testing.B, g *graph.Graph)) {
	for _, w := range worlds(b) {
		path := filepath.Join(b.TempDir(), w.name+".wg")
		w.store(b, path, false)
		g := open(b, path)
		b.Run(w.name, func(b *testing.B) { run(b, g) })
	}
}

// bothWays runs a benchmark on the out-links and on the in-links.
func bothWays(b *testing.B, g *graph.Graph, run func(b *testing.B, l *graph.Links)) {
	b.Run("forward", func(b *testing.B) { run(b, g.Forward()) })
	b.Run("backward", func(b *testing.B) { run(b, g.Backward()) })
}

// inTurns times two ways to do the same and reports both per unit, and their ratio. The
// second one is with raw arrays.
func inTurns(b *testing.B, unit string, units int64, compressed, raw func() uint64) {
	inTurnsWith(b, "raw", unit, units, compressed, raw)
}

// inTurnsWith is inTurns with a name for the second way.
func inTurnsWith(b *testing.B, name, unit string, units int64, compressed, raw func() uint64) {
	var slow, fast, ratio []float64
	turn := func() {
		start := ownTime(b)
		one := compressed()
		middle := ownTime(b)
		two := raw()
		end := ownTime(b)
		if one != two {
			b.Fatalf("%d, %s %d", one, name, two)
		}
		slow = append(slow, float64(middle-start)/float64(units))
		fast = append(fast, float64(end-middle)/float64(units))
		ratio = append(ratio, slow[len(slow)-1]/fast[len(fast)-1])
	}
	turn()
	slow, fast, ratio = nil, nil, nil
	for b.Loop() {
		turn()
	}
	for len(ratio) < 5 {
		turn()
	}
	b.ReportMetric(median(slow), "ns/"+unit)
	b.ReportMetric(median(fast), name+"-ns/"+unit)
	b.ReportMetric(median(ratio), "times-"+name)
	b.ReportMetric(0, "ns/op") // of a turn: of no interest
}

// ownTime returns the processor time of this process.
func ownTime(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// BenchmarkSize reports what a link takes, both ways and with the index, and the
// conditions of all these benchmarks.
func BenchmarkSize(b *testing.B) {
	eachWorld(b, func(b *testing.B, g *graph.Graph) {
		for b.Loop() {
		}
		b.Logf("%d pages, %d links; %s, %d CPUs, GOMAXPROCS %d; times in turns, warm, medians",
			g.Pages(), g.Links(), runtime.Version(), runtime.NumCPU(), runtime.GOMAXPROCS(0))
		b.ReportMetric(float64(g.Forward().Bytes()+g.Backward().Bytes())/float64(g.Links()), "bytes/link")
		b.ReportMetric(float64(g.BytesURLs())/float64(g.Pages()), "url-bytes/page")
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkScan reads all lists in order.
func BenchmarkScan(b *testing.B) {
	eachWorld(b, func(b *testing.B, g *graph.Graph) {
		bothWays(b, g, func(b *testing.B, l *graph.Links) {
			raw := l.Raw(1)
			defer raw.Free()
			off, to := raw.Off.Slice(), raw.To.Slice()
			inTurns(b, "link", l.Links(), func() uint64 { return scanned(l) }, func() (sum uint64) {
				for p := range len(off) - 1 {
					for _, q := range to[off[p]:off[p+1]] {
						sum += uint64(q)
					}
				}
				return sum
			})
			b.ReportMetric(float64(l.Bytes())/float64(l.Links()), "bytes/link")
		})
	})
}

// BenchmarkSum sums a vector over all in-lists, straight from the compressed ones and
// over raw ones: the bulk of a sweep of PageRank.
func BenchmarkSum(b *testing.B) {
	eachWorld(b, func(b *testing.B, g *graph.Graph) {
		raw := g.Backward().Raw(1)
		defer raw.Free()
		gather, err := kernel.NewGather(raw)
		if err != nil {
			b.Fatal(err)
		}
		z, sum := make([]float64, g.Pages()), make([]float64, g.Pages())
		for p := range z {
			z[p] = float64(p)
		}
		inTurns(b, "link", g.Links(), func() uint64 {
			g.Backward().Sum(sum, z, 0)
			return uint64(sum[0])
		}, func() uint64 {
			gather.Sum(sum, z, 0)
			return uint64(sum[0])
		})
	})
}

// BenchmarkCompact reads a compact file and another one of the same graph in turns.
func BenchmarkCompact(b *testing.B) {
	for _, w := range worlds(b) {
		dir := b.TempDir()
		w.store(b, filepath.Join(dir, "plain.wg"), false)
		w.store(b, filepath.Join(dir, "compact.wg"), true)
		plain, compact := open(b, filepath.Join(dir, "plain.wg")), open(b, filepath.Join(dir, "compact.wg"))
		r := rand.New(rand.NewPCG(1, 2))
		pages := make([]graph.Page, 200_000)
		for i := range pages {
			pages[i] = graph.Page(r.IntN(plain.Pages()))
		}
		directions := []struct {
			name          string
			compact, than *graph.Links
		}{{"forward", compact.Forward(), plain.Forward()}, {"backward", compact.Backward(), plain.Backward()}}
		for _, d := range directions {
			b.Run(w.name+"/scan/"+d.name, func(b *testing.B) {
				inTurnsWith(b, "plain", "link", d.than.Links(), func() uint64 { return scanned(d.compact) }, func() uint64 { return scanned(d.than) })
				b.ReportMetric(float64(d.compact.Bytes())/float64(d.compact.Links()), "bytes/link")
			})
			b.Run(w.name+"/random/"+d.name, func(b *testing.B) {
				inTurnsWith(b, "plain", "list", int64(len(pages)), func() uint64 { return chosen(d.compact, pages) }, func() uint64 { return chosen(d.than, pages) })
			})
		}
	}
}

// scanned adds up the links of all lists in order.
func scanned(l *graph.Links) (sum uint64) {
	for c := l.Scan(0, graph.Page(l.Pages())); c.Next(); {
		for _, q := range c.List() {
			sum += uint64(q)
		}
	}
	return sum
}

// chosen adds up the links of some lists.
func chosen(l *graph.Links, pages []graph.Page) (sum uint64) {
	rd := l.Reader()
	for _, p := range pages {
		for _, q := range rd.List(p) {
			sum += uint64(q)
		}
	}
	return sum
}

// BenchmarkRandomList reads the lists of uniformly chosen pages.
func BenchmarkRandomList(b *testing.B) {
	eachWorld(b, func(b *testing.B, g *graph.Graph) {
		r := rand.New(rand.NewPCG(1, 2))
		pages := make([]graph.Page, 200_000)
		for i := range pages {
			pages[i] = graph.Page(r.IntN(g.Pages()))
		}
		bothWays(b, g, func(b *testing.B, l *graph.Links) {
			raw := l.Raw(1)
			defer raw.Free()
			off, to := raw.Off.Slice(), raw.To.Slice()
			inTurns(b, "list", int64(len(pages)), func() uint64 { return chosen(l, pages) }, func() (sum uint64) {
				for _, p := range pages {
					for _, q := range to[off[p]:off[p+1]] {
						sum += uint64(q)
					}
				}
				return sum
			})
		})
	})
}

// BenchmarkImport makes the file: reading, sorting twice, encoding, writing.
func BenchmarkImport(b *testing.B) {
	for _, w := range worlds(b) {
		b.Run(w.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "g.wg")
			for b.Loop() {
				w.store(b, path, false)
			}
			links := float64(open(b, path).Links())
			b.ReportMetric(links*float64(b.N)/b.Elapsed().Seconds(), "links/s")
		})
	}
}

// BenchmarkOpen verifies every checksum of a file that is in memory.
func BenchmarkOpen(b *testing.B) {
	eachWorld(b, func(b *testing.B, g *graph.Graph) {
		b.SetBytes(g.Info().BytesFile)
		for b.Loop() {
			g, err := graph.Open(g.Path())
			if err != nil {
				b.Fatal(err)
			}
			g.Close()
		}
	})
}

// BenchmarkURL reads the URL of a random page (W31: at most 10 µs warm).
func BenchmarkURL(b *testing.B) {
	eachWorld(b, func(b *testing.B, g *graph.Graph) {
		if !g.HasURLs() {
			b.Skip("no URLs")
		}
		r := rand.New(rand.NewPCG(3, 4))
		var buf []byte
		for b.Loop() {
			buf = g.AppendURL(buf[:0], graph.Page(r.IntN(g.Pages())))
		}
	})
}

// BenchmarkLookup finds the page of a URL, and that there is none.
func BenchmarkLookup(b *testing.B) {
	eachWorld(b, func(b *testing.B, g *graph.Graph) {
		if !g.HasURLs() {
			b.Skip("no URLs")
		}
		r := rand.New(rand.NewPCG(5, 6))
		urls := make([]string, 1<<16)
		for i := range urls {
			urls[i] = g.URL(graph.Page(r.IntN(g.Pages())))
		}
		b.Run("found", func(b *testing.B) { lookup(b, g, urls, true) })
		for i := range urls {
			urls[i] += "\x00"
		}
		b.Run("absent", func(b *testing.B) { lookup(b, g, urls, false) })
	})
}

func lookup(b *testing.B, g *graph.Graph, urls []string, want bool) {
	i := 0
	for b.Loop() {
		if _, ok := g.Lookup(urls[i%len(urls)]); ok != want {
			b.Fatalf("%q: found is %v", urls[i%len(urls)], ok)
		}
		i++
	}
}
