package crawl

import (
	"context"
	"net/netip"
	"path"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A memoryDisk holds the directories of a crawl in memory.
type memoryDisk map[string]*disk.Memory

func (m memoryDisk) open(name string) (disk.Dir, error) {
	name = path.Clean(name)
	if m[name] == nil {
		m[name] = disk.NewMemory()
	}
	return m[name], nil
}

// testWeb is a web in memory and a crawl of it.
type testWeb struct {
	web    *fakeweb.Web
	server *serve.Server
	disk   memoryDisk
	o      RunOptions
}

// newTestWeb makes a web of so many pages and sites that is answered as the options
// say. It belongs into a synctest bubble.
func newTestWeb(t *testing.T, pages, sites int, so answer.Options) *testWeb {
	t.Helper()
	return newSeededWeb(t, pages, sites, 7, so)
}

// newSeededWeb makes another web for each seed.
func newSeededWeb(t *testing.T, pages, sites int, seed uint64, so answer.Options) *testWeb {
	t.Helper()
	return newWebOf(t, fakeweb.Spec{Pages: pages, Sites: sites, Links: int64(8 * pages), Seed: seed}, so)
}

// newWebOf makes a web as it is described.
func newWebOf(t *testing.T, spec fakeweb.Spec, so answer.Options) *testWeb {
	t.Helper()
	web, err := fakeweb.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(web, so)
	if err != nil {
		t.Fatal(err)
	}
	server.SetAddresses(spec.Sites)
	t.Cleanup(func() { server.Close() })
	w := &testWeb{web: web, server: server, disk: memoryDisk{}}
	c := config.Default()
	c.Revisit, c.Balance = "each", "" // unless a test is about them
	c.Scope = config.ScopeAny
	c.Contact, c.AllowPrivate = "test@example.org", true
	c.MaxMemory = 1 << 30
	w.o = RunOptions{
		Dir: "memory", Config: c, Seeds: []string{server.URL(0)}, Version: "test",
		Machine: Machine{Dial: server.Dial, Resolve: w.resolve, TLS: server.ClientTLS(), Disk: w.disk.open, Sizes: Sizes{Status: 10 * time.Minute, Report: time.Minute}},
	}
	return w
}

func (w *testWeb) resolve(ctx context.Context, host string) (fetch.Names, error) {
	a, ttl, err := w.server.Resolve(ctx, host)
	if err != nil {
		return fetch.Names{}, err
	}
	return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, 24*time.Hour)}, nil
}

// run crawls.
func (w *testWeb) run(t *testing.T) *Summary {
	t.Helper()
	sum, err := Run(t.Context(), w.o)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// runKilled crawls without seeds from the second time on, and kills the crawl after a while.
func (w *testWeb) runKilled(t *testing.T, after time.Duration) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	until := time.Now().Add(after)
	w.o.Machine.Disk = w.disk.open
	w.o.Progress = func(*history.Status) {
		if time.Now().After(until) && ctx.Err() == nil {
			d := memoryDisk{}
			for name, m := range w.disk {
				d[name] = m.Kill()
			}
			w.disk = d
			stop()
		}
	}
	if _, err := Run(ctx, w.o); err != nil {
		t.Fatal(err)
	}
	w.o.Seeds = nil
}

// check holds what the server saw against what a crawl has to do.
func (w *testWeb) check(t *testing.T, l answer.Limits) {
	t.Helper()
	c := &w.o.Config
	demands := count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, AddressDelay: c.IPDelay.Duration, AddressCap: c.IPCap}
	found := w.server.Counter().Check(demands)
	found = append(found, w.server.Counter().CheckWanted(w.server.Wanted(l))...)
	for i, v := range found {
		if i == 10 {
			t.Errorf("and %d more", len(found)-i)
			break
		}
		t.Error(v)
	}
}
