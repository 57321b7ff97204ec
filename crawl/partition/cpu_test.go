//go:build unix

package partition

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
)

// cpuVariable names the directory for the profiles of TestCPU.
const cpuVariable, cpuServe = "WINNOW_PROFILES", "WINNOW_PROFILES_SERVE"

// cpuPages is the number of pages that are fetched.
const cpuPages = 12_000

// TestCPU measures the processor time of crawls of one web over sockets, which differ in the number
// of their partitions, by turns. The web is another process. Owners are measured by profiles, which
// are left in the directory: time of loop.run, by the label partition.
func TestCPU(t *testing.T) {
	dir := os.Getenv(cpuVariable)
	switch {
	case os.Getenv(cpuServe) != "":
		serveUntilRead(t)
		return
	case dir == "":
		t.Skip(cpuVariable + " names no directory")
	}
	seed, resolver := cpuWeb(t)
	fields := func(name, usual string) []string { return strings.Fields(cmp.Or(os.Getenv(name), usual)) }
	repeats, err := strconv.Atoi(fields("WINNOW_PROFILES_REPEATS", "3")[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range fields("WINNOW_PROFILES_POLICIES", "opic foresight") {
		costs := map[string][]cpuCost{}
		counts := fields("WINNOW_PROFILES_PARTITIONS", "1 2 4 16")
		for i := range repeats {
			for _, n := range counts {
				profile := filepath.Join(dir, fmt.Sprintf("%s-%s-%d.prof", policy, n, i))
				c := cpuCrawl(t, profile, seed, resolver, policy, n)
				t.Logf("%s, %s partitions: %v", policy, n, c)
				costs[n] = append(costs[n], c)
			}
		}
		for _, n := range counts {
			t.Logf("%s, %s partitions, median of %d: %v", policy, n, repeats, medianCost(costs[n], costs[counts[0]]))
		}
	}
}

// cpuCost is what a crawl has cost.
type cpuCost struct{ all, owners, busiest, foreign, commits, state, seconds float64 }

func (c cpuCost) String() string {
	return fmt.Sprintf("CPU %.2f, all owners %.2f, the busiest %.2f; %.0f foreign pages, %.0f commits, state %.1f MB, %.0f s",
		c.all, c.owners, c.busiest, c.foreign, c.commits, c.state, c.seconds)
}

// medianCost returns the medians of costs, processor times by those of one partition.
func medianCost(list, one []cpuCost) cpuCost {
	median := func(of func(a, b cpuCost) float64) float64 {
		var v []float64
		for i := range list {
			v = append(v, of(list[i], one[i]))
		}
		slices.Sort(v)
		return v[len(v)/2]
	}
	return cpuCost{
		all:     median(func(a, b cpuCost) float64 { return a.all / b.all }),
		owners:  median(func(a, b cpuCost) float64 { return a.owners / b.owners }),
		busiest: median(func(a, b cpuCost) float64 { return a.busiest / b.busiest }),
		foreign: median(func(a, _ cpuCost) float64 { return a.foreign }),
		commits: median(func(a, _ cpuCost) float64 { return a.commits }),
		state:   median(func(a, _ cpuCost) float64 { return a.state }),
		seconds: median(func(a, _ cpuCost) float64 { return a.seconds }),
	}
}

// cpuWeb starts the process that serves the web.
func cpuWeb(t *testing.T) (seed, resolver string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestCPU$")
	cmd.Env = append(os.Environ(), cpuServe+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	if _, err := fmt.Fscan(out, &seed, &resolver); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return seed, resolver
}

// serveUntilRead serves a web until standard input ends.
func serveUntilRead(t *testing.T) {
	const pages, sites = 4 * cpuPages, 2000
	web, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: sites, Links: 20 * pages, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(web, answer.Options{MinSize: 2000, MaxSize: 60_000})
	if err != nil {
		t.Fatal(err)
	}
	net, err := server.Listen(serve.Listen{HTTP: "127.0.0.1:0", DNS: "127.0.0.1:0", Addresses: sites})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	fmt.Println(server.URL(0), net.Resolver())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// cpuCrawl crawls the web, and returns what that cost.
func cpuCrawl(t *testing.T, profile, seed, resolver, policy, partitions string) (c cpuCost) {
	t.Helper()
	n, err := strconv.Atoi(partitions)
	if err != nil {
		t.Fatal(err)
	}
	o := crawl.RunOptions{Dir: filepath.Join(t.TempDir(), "crawl"), Config: config.Default(), Seeds: []string{seed}, Version: "test"}
	k := &o.Config
	k.Scope, k.Contact, k.AllowPrivate, k.Resolver = config.ScopeAny, "test@example.org", true, resolver
	k.Policy, k.Partitions, k.MaxMemory, k.Pages = policy, n, 4<<30, cpuPages
	k.Delay, k.DelayFactor, k.IPCap, k.IPDelay = config.Seconds(0.5), 0, 0, config.Seconds(0)
	o.Machine.Heap = crawl.MeasureHeap
	f, err := os.Create(profile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runtime.GC()
	before, began := processorTime(t), time.Now()
	if err := pprof.StartCPUProfile(f); err != nil {
		t.Fatal(err)
	}
	sum, err := Run(t.Context(), o)
	pprof.StopCPUProfile()
	c.all, c.seconds = processorTime(t)-before, time.Since(began).Seconds()
	if err != nil {
		t.Fatal(err)
	}
	if sum.Fetched < cpuPages {
		t.Errorf("%d pages were fetched of %d", sum.Fetched, cpuPages)
	}
	c.foreign, c.commits = float64(sum.Foreign), float64(sum.Commits)
	c.state = stateBytes(o.Dir, n) / 1e6
	for i := range n {
		own := ownerTime(t, profile, fmt.Sprintf("%04d", i), n)
		c.owners, c.busiest = c.owners+own, max(c.busiest, own)
	}
	return c
}

// stateBytes returns the memory of what the partitions know.
func stateBytes(dir string, partitions int) (sum float64) {
	for i := range partitions {
		name := dir
		if partitions > 1 {
			name = layout.PartitionDir(dir, i)
		}
		if s, _, _ := history.Peek(name); s != nil {
			for column, bytes := range s.Columns {
				if column != "heap, buffers, snapshot" {
					sum += float64(bytes)
				}
			}
		}
	}
	return sum
}

// processorTime returns the seconds that this process has used, with those of the system.
func processorTime(t *testing.T) float64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

var profileTotal = regexp.MustCompile(`Showing nodes accounting for ([0-9.]+)s`)

// ownerTime returns the seconds of a profile in the loop of a partition.
func ownerTime(t *testing.T, profile, name string, of int) float64 {
	t.Helper()
	args := []string{"tool", "pprof", "-top", "-unit=s", "-nodefraction=0", "-nodecount=0", "-focus=crawl.*loop..run$"}
	if of > 1 {
		args = append(args, "-tagfocus=partition=^"+name+"$")
	}
	out, err := exec.Command("go", append(args, profile)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := profileTotal.FindSubmatch(out)
	if m == nil {
		return 0 // too short for a sample
	}
	s, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
