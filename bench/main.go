// Command bench measures the link server against yardsticks in one run and prints
// its conditions: absolute times are noise, ratios count. `make bench` calls it.
//
//	go run ./bench [-pages 1000000]
//
// Graphs come from the directory that package data finds (the real ones, if they are
// beside the checkout) and from the generator.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
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
