//go:build linux

package scale

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
)

// A longCrawl is a crawl of a web without end over loopback sockets: the server is this
// process, the crawler a process of its own, which is watched from outside.
type longCrawl struct {
	dir    string
	server *serve.Server
	args   []string
	cmd    *exec.Cmd
	ended  chan error
	points []point
	most   int64 // resident bytes
	last   history.Status
}

// A point is what was known of the crawler when it had written its status.
type point struct {
	cpu     time.Duration
	server  time.Duration // of this process
	fetched int64
	known   int64
	anon    int64
	counted int64 // by itself
	at      time.Time
}

func newLongCrawl(t *testing.T, known int) *longCrawl {
	t.Helper()
	spec := fakeweb.Spec{Pages: 10 * known, Sites: max(10, known/250), Links: 300 * int64(known), Seed: 7}
	so := answer.Options{MinSize: 3000, MaxSize: 15_000, Encodings: []string{"gzip"}}
	web, err := fakeweb.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	r := &longCrawl{dir: t.TempDir()}
	if d := os.Getenv("WINNOW_SCALE_DIR"); d != "" {
		r.dir = d
	}
	if r.server, err = serve.New(web, so); err != nil {
		t.Fatal(err)
	}
	net, err := r.server.Listen(serve.Listen{HTTP: "127.0.0.1:0", DNS: "127.0.0.1:0", Addresses: 250})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { net.Close() })
	binary := os.Getenv("WINNOW_SCALE_BINARY")
	if binary == "" {
		binary = filepath.Join(r.dir, "winnow")
		if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/winnow").CombinedOutput(); err != nil {
			t.Fatalf("build winnow: %v\n%s", err, out)
		}
	}
	r.args = []string{
		binary, "crawl", r.server.URL(0), "--dir", filepath.Join(r.dir, "crawl"), "--resolver", net.Resolver(), "--allow-private", "--scope", "any",
		"--contact", "test@example.org", "--delay", "0s", "--delay-factor", "0", "--ip-delay", "0s", "--ip-cap", "0",
		"--site-pages", "0", "--domain-pages", "0", "--fetchers", "200", "-v",
	}
	r.args = append(r.args, strings.Fields(os.Getenv("WINNOW_SCALE_FLAGS"))...)
	t.Logf("web: %d pages, %d sites, %d links, gzip, %d to %d bytes before it; 250 addresses", spec.Pages, spec.Sites, spec.Links, so.MinSize, so.MaxSize)
	t.Log(strings.ReplaceAll(strings.Join(r.args[1:], " "), r.dir, "DIR"))
	return r
}

// start runs the crawler; what it says goes to a file.
func (r *longCrawl) start(t *testing.T) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(r.dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	r.cmd = exec.Command(r.args[0], r.args[1:]...)
	r.cmd.Stdout, r.cmd.Stderr = log, log
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.ended = make(chan error, 1)
	go func() { r.ended <- r.cmd.Wait() }()
}

func (r *longCrawl) kill() {
	r.cmd.Process.Kill()
	<-r.ended
}

// logged is what the crawler said.
func (r *longCrawl) logged() string {
	b, _ := os.ReadFile(filepath.Join(r.dir, "log"))
	return string(b)
}

// cpu is the processor time of the crawler, user and system.
func (r *longCrawl) cpu() time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:])) // from field 3, the state, on
	user, _ := strconv.ParseInt(f[11], 10, 64)
	system, _ := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * (time.Second / 100)
}

// watch notes a point whenever the crawler has written its status, until so many pages
// are known.
func (r *longCrawl) watch(t *testing.T, known int64) {
	t.Helper()
	path := filepath.Join(r.dir, "crawl", "status.json")
	var seen time.Time
	for r.last.Known < known {
		select {
		case err := <-r.ended:
			t.Fatalf("the crawler ended: %v\n%s", err, r.logged())
		case <-time.After(50 * time.Millisecond):
		}
		i, err := os.Stat(path)
		if err != nil || i.ModTime().Equal(seen) {
			continue
		}
		seen = i.ModTime()
		b, err := os.ReadFile(path)
		s := history.Status{}
		if err != nil || json.Unmarshal(b, &s) != nil {
			continue
		}
		r.last = s
		p := point{r.cpu(), ownTime(), s.Fetched, s.Known, resident(r.cmd.Process.Pid), s.Memory, time.Now()}
		r.most = max(r.most, p.anon)
		r.points = append(r.points, p)
	}
}

// A spot is a point between two that were seen.
type spot struct{ cpu, server, known, anon, seconds float64 }

// at is the spot at which so many pages were fetched.
func (r *longCrawl) at(fetched float64) spot {
	i := max(1, min(len(r.points)-1, slices.IndexFunc(r.points, func(p point) bool { return float64(p.fetched) >= fetched })))
	a, b := r.points[i-1], r.points[i]
	x := (fetched - float64(a.fetched)) / float64(max(1, b.fetched-a.fetched))
	mix := func(a, b float64) float64 { return a + x*(b-a) }
	return spot{
		mix(a.cpu.Seconds(), b.cpu.Seconds()), mix(a.server.Seconds(), b.server.Seconds()), mix(float64(a.known), float64(b.known)),
		mix(float64(a.anon), float64(b.anon)), mix(a.at.Sub(r.points[0].at).Seconds(), b.at.Sub(r.points[0].at).Seconds()),
	}
}

// tenths prints the cost of a page in each tenth of the fetched pages, and fails when that
// of the last is more than 1.10 times that of the second. The cost is measured in what the
// server spends on a page in the same tenth: it makes every page in the same way, so that
// its cost changes only with what else the machine does. A tenth in which a snapshot is
// taken costs more.
func (r *longCrawl) tenths(t *testing.T) {
	t.Helper()
	part := float64(r.last.Fetched) / 10
	var cost, own [10]float64
	for i := range cost {
		a, b := r.at(part*float64(i)), r.at(part*float64(i+1))
		cost[i], own[i] = (b.cpu-a.cpu)/part*1e6, (b.server-a.server)/part*1e6
		t.Logf("  tenth %2d: %5.0f us of processor a page, the server %5.0f: %.3f times; %5.1f new URLs a page, %5.0f pages/s, %4.0f MiB resident",
			i+1, cost[i], own[i], cost[i]/own[i], (b.known-a.known)/part, part/(b.seconds-a.seconds), b.anon/(1<<20))
	}
	raw, yard := cost[9]/cost[1], own[9]/own[1]
	ratio := raw / yard
	t.Logf("last tenth by second tenth: %.3f, the server %.3f; the one by the other %.3f, want 1.10 at most", raw, yard, ratio)
	if ratio > 1.10 {
		t.Errorf("a page costs %.2f times as much in the last tenth as in the second", ratio)
	}
}

// TestCrawl crawls a web without end until 5 million URLs (WINNOW_SCALE_KNOWN) are
// known, kills the crawler and starts it again.
func TestCrawl(t *testing.T) {
	wanted(t)
	known := number(t, "WINNOW_SCALE_KNOWN", 5_000_000)
	r := newLongCrawl(t, known)
	r.start(t)
	began := time.Now()
	r.watch(t, int64(known))
	s := &r.last
	t.Logf("%d known, %d fetched, %d sites after %v, load %s", s.Known, s.Fetched, s.Sites, time.Since(began).Round(time.Second), load())
	r.tenths(t)
	a := &account{}
	for _, name := range slices.Sorted(maps.Keys(s.Columns)) {
		a.add(name, s.Columns[name])
	}
	a.judge(t, s.Known, s.Sites, s.Fetched)
	r.whole(t)
	t.Logf("resident at most %d MiB: %.0f bytes a known URL", r.most>>20, float64(r.most)/float64(s.Known))
	r.kill()
	r.restart(t)
	for line := range strings.Lines(r.logged()) {
		if strings.Contains(line, "snapshot") || strings.Contains(line, "replay") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// whole compares the account with what the status says is taken in all.
func (r *longCrawl) whole(t *testing.T) {
	t.Helper()
	sum := int64(0)
	for _, n := range r.last.Columns {
		sum += n
	}
	t.Logf("columns of the status: %.1f MiB; memory_total %.1f MiB: %.1f bytes a known URL", float64(sum)/(1<<20), float64(r.last.Memory)/(1<<20), float64(r.last.Memory)/float64(r.last.Known))
	for _, p := range r.points[max(0, len(r.points)-5):] {
		t.Logf("  it counts %d MiB, %d are resident", p.counted>>20, p.anon>>20)
	}
	for _, p := range r.points {
		if ratio := float64(p.counted) / float64(p.anon); p.anon > 1<<30 && (ratio < 0.9 || ratio > 1.1) {
			t.Errorf("it counts %d MiB, %d are resident", p.counted>>20, p.anon>>20)
			return
		}
	}
}

// restart starts the crawler again and waits for its first request.
func (r *longCrawl) restart(t *testing.T) {
	t.Helper()
	for r.server.Counter().Running() > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	began := time.Now()
	r.start(t)
	for r.server.Counter().Running() == 0 {
		select {
		case err := <-r.ended:
			t.Fatalf("the crawler ended: %v\n%s", err, r.logged())
		case <-time.After(5 * time.Millisecond):
		}
	}
	ready, cpu := time.Since(began), r.cpu()
	t.Logf("first request %v after the start, %v of processor, want 10 s at most; load %s", ready.Round(10*time.Millisecond), cpu, load())
	if busy, err := strconv.ParseFloat(load(), 64); err == nil && busy > float64(runtime.NumCPU()) {
		t.Log("others wait for the processor, too: its time is what counts")
		ready = cpu
	}
	if ready > 10*time.Second {
		t.Errorf("ready after %v", ready)
	}
	time.Sleep(2 * time.Second)
	r.kill()
}
