//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/graph"
)

// What is measured here takes minutes and both cores, so it runs only when it is asked
// for: make polite. The server is this process, the crawler a process of its own, the
// binary that users have. Numbers depend on what else the machine does: its load is
// printed beside them.
const politeVariable = "WINNOW_POLITE"

// A politeRun is one crawl of a web on loopback sockets.
type politeRun struct {
	server  *serve.Server
	net     *serve.Net
	binary  string
	dir     string
	most    int           // most requests that were being answered at once
	user    time.Duration // of the crawler
	system  time.Duration
	memory  int64 // of the crawler, resident, at most
	own     time.Duration
	elapsed time.Duration
}

func newPoliteRun(t *testing.T, spec fakeweb.Spec, so answer.Options, addresses int) *politeRun {
	t.Helper()
	if os.Getenv(politeVariable) == "" {
		t.Skip("takes minutes and the whole machine: make polite")
	}
	web, err := fakeweb.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	r := &politeRun{dir: t.TempDir()}
	if r.server, err = serve.New(web, so); err != nil {
		t.Fatal(err)
	}
	at := serve.Listen{HTTP: "127.0.0.1:0", DNS: "127.0.0.1:0", Addresses: addresses}
	if so.HTTPS > 0 {
		at.TLS = "127.0.0.1:0"
	}
	if r.net, err = r.server.Listen(at); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.net.Close() })
	r.write(t, "seeds", []byte(r.server.URL(0)+"\n"))
	r.write(t, "ca.pem", r.server.CertificatePEM())
	r.binary = filepath.Join(r.dir, "winnow")
	if out, err := exec.Command("go", "build", "-o", r.binary, "../cmd/winnow").CombinedOutput(); err != nil {
		t.Fatalf("build winnow: %v\n%s", err, out)
	}
	t.Logf("%s %s/%s, %d cores, load before %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load())
	t.Logf("web: %d pages, %d sites, %d links, pages of %d to %d bytes, first byte after %v to %v, %.0f %% of the sites over TLS, %d addresses",
		spec.Pages, spec.Sites, spec.Links, so.MinSize, so.MaxSize, so.MinLatency, so.MaxLatency, 100*so.HTTPS, addresses)
	return r
}

// write makes a file for the crawler.
func (r *politeRun) write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// crawl runs the crawler to its end.
func (r *politeRun) crawl(t *testing.T, flags ...string) {
	t.Helper()
	args := []string{
		"crawl", "--seeds", filepath.Join(r.dir, "seeds"), "--ca-file", filepath.Join(r.dir, "ca.pem"), "--dir", filepath.Join(r.dir, "crawl"), "--resolver", r.net.Resolver(), "--allow-private", "--scope", "any",
		"--contact", "test@example.org", "--sitemaps=false", "--quiet",
	}
	args = append(args, flags...)
	args = append(args, strings.Fields(os.Getenv("WINNOW_POLITE_FLAGS"))...)
	t.Logf("winnow crawl %s", strings.ReplaceAll(strings.Join(args[1:], " "), r.dir, "DIR"))
	cmd := exec.Command(r.binary, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	ctx, stop := context.WithCancel(t.Context())
	go r.watch(ctx)
	before, began := usage(syscall.RUSAGE_SELF), time.Now()
	err := cmd.Run()
	stop()
	r.elapsed, r.own = time.Since(began), usage(syscall.RUSAGE_SELF)-before
	if err != nil {
		t.Fatalf("the crawler: %v\n%s", err, &out)
	}
	if p := cmd.ProcessState; p != nil {
		r.user, r.system = p.UserTime(), p.SystemTime()
		r.memory = resident(p.SysUsage().(*syscall.Rusage))
	}
	t.Logf("%s", strings.TrimSpace(out.String()))
	t.Logf("load after %s", load())
}

// watch notes how many requests are being answered.
func (r *politeRun) watch(ctx context.Context) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.most = max(r.most, r.server.Counter().Running())
		}
	}
}

// costs logs what the run cost.
func (r *politeRun) costs(t *testing.T) {
	t.Helper()
	m := r.server.Counter().Summary()
	each := func(d time.Duration) time.Duration {
		return (d / time.Duration(max(1, m.Requests))).Round(time.Microsecond)
	}
	t.Logf("server counted: %d requests in %.1f s, %d pages, %.1f MB, %d connections, at most %d requests at a time",
		m.Requests, m.Seconds, m.Pages, float64(m.Bytes)/1e6, m.Connections, r.most)
	t.Logf("crawler: %v a request (%v user, %v system), %d MiB resident at most; server: %v a request",
		each(r.user+r.system), each(r.user), each(r.system), r.memory>>20, each(r.own))
}

// check fails for every rule of politeness that the server saw broken.
func (r *politeRun) check(t *testing.T, d count.Demands) {
	t.Helper()
	for i, v := range r.server.Counter().Check(d) {
		if i == 10 {
			break
		}
		t.Error(v)
	}
}

// Bar 5 of the crawler: with a 2 s delay and 2,000 sites at least 95 % of the requests
// that politeness allows, while at least 1,900 sites have known unfetched pages.
func TestPolite(t *testing.T) {
	const sites, delay = 2000, 2 * time.Second
	r := newPoliteRun(t,
		fakeweb.Spec{Pages: 400_000, Sites: sites, Links: 4_000_000, Seed: 3},
		answer.Options{MinSize: 2000, MaxSize: 10_000, MinLatency: 5 * time.Millisecond, MaxLatency: 50 * time.Millisecond}, sites)
	r.crawl(t, "--delay", delay.String(), "--delay-factor", "0", "--fetchers", "2000", "--duration", seconds("75s"))
	r.costs(t)
	r.check(t, count.Demands{Delay: delay})
	use := useOf(r.server, r.server.Wanted(answer.Limits{}), []graph.Page{0}, delay, 1900)
	t.Logf("from %v to %v: %d requests of %.0f that politeness allows: %.2f %%", use.From.Round(time.Millisecond),
		use.To.Round(time.Millisecond), use.Requests, use.Allowed, 100*use.share())
	if use.To-use.From < 20*time.Second || use.share() < 0.95 {
		t.Errorf("used %.2f %% for %v, want 95 %% for 20 s at least", 100*use.share(), use.To-use.From)
	}
}

// W8: 10,000 requests in flight within 2 GiB, half of them over TLS.
func TestInFlight(t *testing.T) {
	const sites = 10_000
	r := newPoliteRun(t,
		fakeweb.Spec{Pages: 20 * sites, Sites: sites, Links: 200 * sites, Seed: 5},
		answer.Options{MinSize: 2000, MaxSize: 10_000, MinLatency: 10 * time.Second, MaxLatency: 10 * time.Second, HTTPS: 0.5}, 100)
	var seeds bytes.Buffer // all sites from the beginning: links would take minutes at this pace
	for id := range graph.Site(sites) {
		fmt.Fprintln(&seeds, r.server.URL(r.server.Web().Home(id)))
	}
	r.write(t, "seeds", seeds.Bytes())
	// Long time-outs: a busy machine is not what is measured.
	r.crawl(t, "--delay", "100ms", "--delay-factor", "0", "--ip-cap", "0", "--ip-delay", "0s", "--fetchers", "10000", "--timeout", "2m", "--timeout-first-byte", "90s", "--timeout-connect", "60s", "--duration", seconds("60s"))
	r.costs(t)
	r.check(t, count.Demands{Delay: 100 * time.Millisecond})
	if r.most < sites*9/10 || r.memory > 2<<30 {
		t.Errorf("%d requests in flight with %d MiB, want 9,000 at least within 2,048", r.most, r.memory>>20)
	}
}

// seconds is the duration of a measurement, or that of the environment.
func seconds(usual string) string {
	if d := os.Getenv("WINNOW_POLITE_DURATION"); d != "" {
		return d
	}
	return usual
}

// usage is the processor time of this process or its children.
func usage(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resident is the most memory that a process had at a time: Linux counts kilobytes,
// Darwin bytes.
func resident(u *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}

// load is the load of the machine over the last minute, where it can be asked.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(b), " ")
	if _, err := strconv.ParseFloat(first, 64); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%s on %d cores", first, runtime.NumCPU())
}
