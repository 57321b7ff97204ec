// Command bench measures the link server against yardsticks in one run and prints
// its conditions: absolute times are noise, ratios count. `make bench` calls it.
//
//	go run ./bench [-pages 1000000]
//
// Graphs come from the directory that package data finds (the real ones, if they are
// beside the checkout) and from the generator.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank/kernel"
	"github.com/winnow-crawler/winnow/internal/data"
)

func main() {
	pages := flag.Int("pages", 1_000_000, "size of the generated web")
	flag.Parse()
	if err := run(*pages); err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		os.Exit(1)
	}
}

func run(pages int) error {
	dir, err := os.MkdirTemp("", "winnow-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	yard, err := newYardstick(dir)
	if err != nil {
		return err
	}
	conditions(yard)
	graphs, err := graphFiles(dir, pages)
	if err != nil {
		return err
	}
	for _, g := range graphs {
		if err := measure(g, dir, yard); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
	}
	return nil
}

func conditions(y *yardstick) {
	fmt.Printf("# %s %s/%s, %d cores; huge pages: %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), hugePages())
	if y == nil {
		fmt.Println("# no C compiler: the comparison with a plain C loop is left out")
	} else {
		fmt.Printf("# yardstick: bench/yardstick/sweep.c, %s, cc -O3 -march=native -pthread\n", y.version)
	}
	fmt.Println("# medians of five interleaved runs; ns per link and sweep; float64; self-links included")
}

func hugePages() string {
	b, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(b))
}

type graphFile struct{ name, path string }

// graphFiles makes graph files of the real graphs that are there and of a generated
// web.
func graphFiles(dir string, pages int) ([]graphFile, error) {
	var files []graphFile
	ctx := context.Background()
	for _, name := range []string{"cnr-2000", "apache-sites"} {
		edges, ok := data.File(name, name+".edges.zst")
		if !ok {
			fmt.Printf("# %s is not beside the checkout\n", name)
			continue
		}
		out := filepath.Join(dir, name)
		o := graph.ImportOptions{Edges: edges, WriteOptions: graph.WriteOptions{Path: out}}
		if _, err := graph.Import(ctx, o); err != nil {
			return nil, err
		}
		files = append(files, graphFile{name, out})
	}
	w, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: max(1, pages/50), Links: int64(pages) * 20, Seed: 1})
	if err != nil {
		return nil, err
	}
	out := filepath.Join(dir, "generated")
	err = graph.Write(ctx, graph.Source{Pages: pages, Lists: w.Each}, graph.WriteOptions{Path: out, MaxMemory: 4 << 30})
	return append(files, graphFile{fmt.Sprintf("generated-%dk", pages/1000), out}), err
}

// A yardstick is the C program that does the same sweep.
type yardstick struct{ path, version string }

func newYardstick(dir string) (*yardstick, error) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return nil, nil
	}
	source, ok := find("bench/yardstick/sweep.c")
	if !ok {
		return nil, fmt.Errorf("bench/yardstick/sweep.c: run this from inside the repository")
	}
	y := &yardstick{path: filepath.Join(dir, "sweep")}
	out, err := exec.Command(cc, "-O3", "-march=native", "-pthread", "-o", y.path, source).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("cc: %w\n%s", err, out)
	}
	v, err := exec.Command(cc, "--version").Output()
	y.version, _, _ = strings.Cut(string(v), "\n")
	return y, err
}

// find looks for a file of the repository from the working directory upwards.
func find(name string) (string, bool) {
	for _, up := range []string{".", "..", "../.."} {
		if path := filepath.Join(up, name); exists(path) {
			return path, true
		}
	}
	return "", false
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

const follow = 0.9

// measure compares one Jacobi pull sweep: raw lists against C, compressed lists
// against raw ones.
func measure(gf graphFile, dir string, yard *yardstick) error {
	g, err := graph.Open(gf.path)
	if err != nil {
		return err
	}
	defer g.Close()
	in := g.Backward().Raw(2)
	defer in.Free()
	s, err := newSweeper(g, in)
	if err != nil {
		return err
	}
	defer s.free()
	links := float64(g.Links())
	fmt.Printf("\n%s: %d pages, %d links; raw in-lists %.2f bytes/link, rank vectors %d bytes/page; file %.3f bytes/link both ways\n",
		gf.name, g.Pages(), g.Links(), 4+8*float64(g.Pages())/links, 3*8, float64(g.Forward().Bytes()+g.Backward().Bytes())/links)
	csr := filepath.Join(dir, "csr")
	if yard != nil {
		if err := writeCSR(csr, in, s.share); err != nil {
			return err
		}
	}
	for _, threads := range []int{1, 2} {
		if err := s.compare(threads, yard, csr); err != nil {
			return err
		}
	}
	return nil
}

// A sweeper holds the vectors: share[p] = follow / out-degree, z[p] = what p hands to
// each of its links.
type sweeper struct {
	g              *graph.Graph
	in             *kernel.Gather
	share, z, next []float64
	at             [parts + 1]int
	columns        []*graph.Column[float64] // in which the vectors lie
}

func newSweeper(g *graph.Graph, in *graph.Lists) (*sweeper, error) {
	gather, err := kernel.NewGather(in)
	if err != nil {
		return nil, err
	}
	s := &sweeper{g: g, in: gather}
	for _, v := range []*[]float64{&s.share, &s.z, &s.next} {
		c := graph.NewColumn[float64]("bench", g.Pages())
		c.Grow(g.Pages())
		*v = c.Slice()
		s.columns = append(s.columns, c)
	}
	for part := range s.at {
		s.at[part] = cut(gather, part)
	}
	r := g.Forward().Reader()
	for p := range s.share {
		if d := r.Degree(graph.Page(p)); d > 0 {
			s.share[p] = follow / float64(d)
		}
	}
	return s, nil
}

func (s *sweeper) free() {
	for _, c := range s.columns {
		c.Free()
	}
}

// compare runs all variants in turn, five times, and prints medians.
func (s *sweeper) compare(threads int, yard *yardstick, csr string) error {
	sweeps := max(3, int(100_000_000/s.g.Links()))
	var raw, packed, c []float64
	var sum, theirs float64
	for range 5 {
		raw = append(raw, s.time(sweeps, threads, s.sweep))
		sum = s.sum()
		packed = append(packed, s.time(max(1, sweeps/5), threads, s.sweepCompressed))
		if yard == nil {
			continue
		}
		ns, x, err := yard.run(csr, threads, sweeps)
		if err != nil {
			return err
		}
		c, theirs = append(c, ns), x
	}
	fmt.Printf("  %d thread(s): raw %.2f ns", threads, median(raw))
	if yard != nil {
		fmt.Printf(", C %.2f ns, ratio %.2f (bar %.2f)", median(c), median(raw)/median(c), []float64{1.15, 1.25}[threads-1])
		if math.Abs(sum-theirs) > 1e-9*theirs {
			return fmt.Errorf("after %d sweeps our ranks sum to %.12g, those of C to %.12g", sweeps, sum, theirs)
		}
	}
	fmt.Printf("; from the compressed file %.2f ns, %.1f times raw (bar 7)\n", median(packed), median(packed)/median(raw))
	return nil
}

// time returns nanoseconds per link and sweep.
func (s *sweeper) time(sweeps, threads int, sweep func(threads int)) float64 {
	copy(s.z, s.share)
	start := time.Now()
	for range sweeps {
		sweep(threads)
		s.z, s.next = s.next, s.z
	}
	return float64(time.Since(start).Nanoseconds()) / float64(sweeps) / float64(s.g.Links())
}

func (s *sweeper) sum() (sum float64) {
	for _, v := range s.z {
		sum += v
	}
	return sum
}

// sweep sums over all lists in parts that do not depend on the number of threads, as the
// solver does.
func (s *sweeper) sweep(threads int) {
	graph.Parallel(threads, parts, func(part int) {
		for lo, hi := s.at[part], s.at[part+1]; lo < hi; lo += block {
			end := min(lo+block, hi)
			next, share := s.next[lo:end], s.share[lo:end]
			s.in.Sum(next, s.z, lo)
			for i, sum := range next {
				next[i] = (1 + sum) * share[i]
			}
		}
	})
}

const (
	parts = 64
	block = 256 // pages whose sums are made and used before the next: they stay in the nearest cache
)

// cut returns where a part begins. All parts have about as many links.
func cut(in *kernel.Gather, part int) int {
	n := in.Pages()
	if part == parts {
		return n
	}
	want := in.Offset(n) / parts * uint64(part)
	return sort.Search(n, func(p int) bool { return in.Offset(p) >= want })
}

// sweepCompressed decodes every list on the way, in the same parts.
func (s *sweeper) sweepCompressed(threads int) {
	graph.Parallel(threads, parts, func(part int) {
		lo, hi := s.at[part], s.at[part+1]
		next, share := s.next[lo:hi], s.share[lo:hi]
		s.g.Backward().Sum(next, s.z, graph.Page(lo))
		for i, sum := range next {
			next[i] = (1 + sum) * share[i]
		}
	})
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

func (y *yardstick) run(csr string, threads, sweeps int) (ns, sum float64, err error) {
	out, err := exec.Command(y.path, csr, fmt.Sprint(threads), fmt.Sprint(sweeps)).CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("yardstick: %w: %s", err, out)
	}
	_, err = fmt.Sscan(string(out), &ns, &sum)
	return ns, sum, err
}

// writeCSR writes what the C program reads.
func writeCSR(path string, in *graph.Lists, share []float64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for _, v := range []any{uint64(in.Pages()), uint64(in.Links()), in.Off.Slice(), in.To.Slice(), share} {
		if err := binary.Write(w, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	return w.Flush()
}
