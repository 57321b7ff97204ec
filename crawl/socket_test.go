package crawl

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
)

// A socketWeb is a web behind real sockets: its pages over TCP and TLS, its names from
// a DNS server of its own. Nothing in between is ours but the crawler.
type socketWeb struct {
	server *serve.Server
	net    *serve.Net
	o      RunOptions
	dials  atomic.Int64 // connections for pages, by the crawler's own count
	stopAt int64        // number of the connection at which the crawl is told to stop
	stop   context.CancelFunc
}

// sockets are what decides a web behind sockets.
type sockets struct {
	pages, sites int
	serve        answer.Options
	addresses    int // 0: each site has its own
	topics       fakeweb.Topics
}

// newSocketWeb starts to serve, and configures a crawl that keeps all rules at a pace
// that a test can wait for.
func newSocketWeb(t *testing.T, s sockets) *socketWeb {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: s.pages, Sites: s.sites, Links: int64(8 * s.pages), Seed: 11, Topics: s.topics})
	if err != nil {
		t.Fatal(err)
	}
	w := &socketWeb{}
	if w.server, err = serve.New(web, s.serve); err != nil {
		t.Fatal(err)
	}
	at := serve.Listen{HTTP: "127.0.0.1:0", TLS: "127.0.0.1:0", DNS: "127.0.0.1:0", Addresses: s.addresses}
	switch {
	case runtime.GOOS != "linux":
		at.Addresses = 1 // elsewhere 127.0.0.1 is the only loopback address
	case s.addresses == 0:
		at.Addresses = s.sites
	}
	if w.net, err = w.server.Listen(at); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.net.Close() })
	w.configure(t)
	return w
}

// configure sets up the crawl: the authority of the web from a file, the resolver of
// the web, all delays short.
func (w *socketWeb) configure(t *testing.T) {
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(ca, w.server.CertificatePEM(), 0o666); err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Scope = config.ScopeAny
	c.Contact, c.AllowPrivate, c.CAFile, c.Resolver = "test@example.org", true, ca, w.net.Resolver()
	c.MaxMemory = 1 << 30
	c.Delay, c.DelayFactor = config.Seconds(0.02), 1
	c.IPDelay, c.IPCap = config.Seconds(0.002), 4
	c.RetryDelay, c.RobotsRetry, c.Patience = config.Seconds(0.05), config.Seconds(0.05), config.Seconds(1)
	c.Commit = config.Seconds(0.02)
	w.o = RunOptions{
		Dir: filepath.Join(dir, "crawl"), Config: c, Seeds: []string{w.server.URL(0)}, Version: "test",
		Machine: Machine{Dial: w.dial},
	}
}

// dial connects as net.Dialer does, and counts. At its stopAt-th connection the crawl is
// told to stop.
func (w *socketWeb) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if n := w.dials.Add(1); n == w.stopAt {
		w.stop()
	}
	var d net.Dialer
	return d.DialContext(ctx, network, addr)
}

// run crawls until there is nothing left, or up to a connection.
func (w *socketWeb) run(t *testing.T, upTo int64) *Summary {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	w.stop, w.stopAt = stop, upTo
	sum, err := Run(ctx, w.o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d of %d pages fetched, %d failed, %d refused, %d requests in %v", sum.Why, sum.Fetched, sum.Known, sum.Failed, sum.Refused, sum.Requests, sum.Ran.Round(time.Millisecond))
	return sum
}

// mixedSockets is a web with some of everything, quick enough to wait for.
func mixedSockets() answer.Options {
	so := answer.Mixed()
	so.Robots.MaxDelay = 100 * time.Millisecond
	so.Pages.Busy, so.RetryAfter = 0.004, time.Second // whole seconds: a few must do
	so.HTTPS = 0.4
	so.MaxSize = 20_000
	so.MaxLatency = 5 * time.Millisecond
	return so
}

// One crawl over sockets, without a pause, one request at a time to each of a few
// addresses.
func TestSockets(t *testing.T) {
	t.Parallel()
	w := newSocketWeb(t, sockets{pages: socketPages(), sites: 50, serve: mixedSockets(), addresses: 7})
	w.o.Config.IPCap = 1
	w.run(t, 0)
	w.check(t)
	spoken := w.spoken(t)
	for _, want := range []string{"http/1.1", "h2", "gzip", "br", "zstd", ""} {
		if spoken[want] == 0 {
			t.Errorf("no answer came by %q: %v", want, spoken)
		}
	}
}

// Five pages a connection (W4), a few addresses for all sites.
func TestSocketsKeepAlive(t *testing.T) {
	t.Parallel()
	w := newSocketWeb(t, sockets{pages: socketPages(), sites: 50, serve: mixedSockets(), addresses: 7})
	w.o.Config.PerConnection = 5
	w.run(t, 0)
	// What fails has a connection of its own each time.
	if dials, sum := w.dials.Load(), w.server.Counter().Summary(); 5*dials > 4*sum.Requests {
		t.Errorf("%d connections for %d requests: too few were used again", dials, sum.Requests)
	}
	w.check(t)
}

// A crawl that is stopped twice in the middle is one visitor to the server.
func TestSocketsStopped(t *testing.T) {
	t.Parallel()
	w := newSocketWeb(t, sockets{pages: socketPages(), sites: 50, serve: mixedSockets()})
	for _, part := range []int64{20, 10} { // of as many connections as pages; most serve several
		if sum := w.run(t, int64(socketPages())/part); sum.Why != whyStopped {
			t.Fatalf("it %s, want it stopped", sum.Why)
		}
		w.o.Seeds = nil
	}
	w.run(t, 0)
	w.check(t)
	if n := w.sessions(t); n < 4 { // with that of check
		t.Errorf("%d sessions, want a start and two that went on", n)
	}
}

// socketPages is the size of a web: the longer form finds what is rare.
func socketPages() int {
	if testing.Short() {
		return 200
	}
	return 1000
}
