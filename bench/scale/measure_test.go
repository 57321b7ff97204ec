//go:build linux

package scale

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What is measured here takes half an hour and gigabytes, so it runs only when it is
// asked for: make scale.
const scaleVariable = "WINNOW_SCALE"

func wanted(t *testing.T) {
	t.Helper()
	if os.Getenv(scaleVariable) == "" {
		t.Skip("takes half an hour and gigabytes: make scale")
	}
	t.Logf("%s %s/%s, %d cores, load %s, memory available %.1f GiB", runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), load(), gib(meminfo("MemAvailable")))
}

// number is a number of the environment, such as 5M, or the usual one.
func number(t *testing.T, name string, usual int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return usual
	}
	unit := 1
	if c, ok := strings.CutSuffix(s, "M"); ok {
		s, unit = c, 1_000_000
	} else if c, ok := strings.CutSuffix(s, "k"); ok {
		s, unit = c, 1000
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number such as 5M", name, os.Getenv(name))
	}
	return n * unit
}

// threadTime is the processor time of the calling thread.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // Linux has that clock
	}
	return time.Duration(t.Nano())
}

// ownTime is the processor time of this process.
func ownTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no other way to fail than a bad argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func gib(n int64) float64 { return float64(n) / (1 << 30) }

// field is a line "name: 12 kB" of a file of the kernel, in bytes; 0 if it is not there.
func field(path, name string) int64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}

func meminfo(name string) int64 { return field("/proc/meminfo", name) }

// resident is the memory of a process that is not a file of the disk.
func resident(pid int) int64 { return field(fmt.Sprintf("/proc/%d/status", pid), "RssAnon") }

func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(b), " ")
	return first
}

// An account is bytes by name.
type account struct {
	names []string
	bytes map[string]int64
}

func (a *account) add(name string, bytes int64) {
	if a.bytes == nil {
		a.bytes = map[string]int64{}
	}
	if _, ok := a.bytes[name]; !ok {
		a.names = append(a.names, name)
	}
	a.bytes[name] += bytes
}

// The budgets of bytes, for a policy with one board.
const (
	pageBudget    = 64
	siteBudget    = 200
	fetchedBudget = 32
)

// owner says to whose budget a name counts.
func owner(name string) string {
	switch {
	case strings.HasPrefix(name, "near "), // of the last contents, however many there were
		strings.HasPrefix(name, "heap"), name == "trap maps", name == "robots rules":
		return "fixed"
	case strings.HasPrefix(name, "mirror"):
		return "site"
	case strings.HasPrefix(name, "content "):
		return "fetched"
	case strings.Contains(name, "site"), strings.HasPrefix(name, "address"), strings.Contains(name, "domain"),
		strings.Contains(name, "board") && strings.Contains(name, "block"):
		return "site"
	}
	return "known"
}

// rounding is at most by how much a column of so many bytes is larger than it need be:
// small ones grow by 64 KiB, others by 2 MiB. For few sites that is much.
func rounding(bytes int64) int64 {
	if bytes > 2<<20 {
		return 2 << 20
	}
	return 64 << 10
}

// judge prints an account by budget and fails where one is exceeded, rounding apart.
func (a *account) judge(t *testing.T, known, sites, fetched int64) {
	t.Helper()
	budgets := []struct {
		name  string
		n     int64
		limit float64
	}{{"known", known, pageBudget}, {"site", sites, siteBudget}, {"fetched", fetched, fetchedBudget}}
	for _, name := range a.names {
		if v := a.bytes[name]; owner(name) == "fixed" {
			t.Logf("  %-9s %-28s %28.1f MiB", "fixed", name, float64(v)/(1<<20))
		}
	}
	for _, b := range budgets {
		sum, slack := int64(0), int64(0)
		for _, name := range a.names {
			if v := a.bytes[name]; owner(name) == b.name && v > 0 {
				t.Logf("  %-9s %-28s %8.2f B each %10.1f MiB", b.name, name, float64(v)/float64(b.n), float64(v)/(1<<20))
				sum += v
				slack += rounding(v)
			}
		}
		each := float64(sum) / float64(b.n)
		t.Logf("  %-9s %-28s %8.2f B each, budget %.0f (%d of them)", b.name, "all", each, b.limit, b.n)
		if float64(sum-slack)/float64(b.n) > b.limit {
			t.Errorf("%.1f bytes for each %s, the budget is %.0f", each, b.name, b.limit)
		}
	}
}
