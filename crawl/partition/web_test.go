package partition

import (
	"context"
	"net/netip"
	"path"
	"sync"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A testWeb is a web in memory and a crawl of it.
type testWeb struct {
	web    *fakeweb.Web
	server *serve.Server
	mu     sync.Mutex
	root   *disk.Memory
	o      crawl.RunOptions
}

// newTestWeb makes a web as it is described, and a crawl of it on a disk in memory. It belongs into
// a synctest bubble.
func newTestWeb(t *testing.T, spec fakeweb.Spec, so answer.Options) *testWeb {
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
	w := &testWeb{web: web, server: server, root: disk.NewMemory()}
	c := config.Default()
	c.Revisit, c.Balance = "each", ""
	c.Scope = config.ScopeAny
	c.Contact, c.AllowPrivate = "test@example.org", true
	c.MaxMemory = 4 << 30
	w.o = crawl.RunOptions{
		Dir: "memory", Config: c, Seeds: []string{server.URL(0)}, Version: "test",
		Machine: crawl.Machine{Dial: server.Dial, Resolve: w.resolve, TLS: server.ClientTLS(), Disk: w.open, Sizes: crawl.Sizes{Status: 10 * time.Minute, Report: time.Minute}},
	}
	return w
}

func (w *testWeb) open(name string) (disk.Dir, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.root.Sub(path.Clean(name)), nil
}

func (w *testWeb) resolve(ctx context.Context, host string) (fetch.Names, error) {
	a, ttl, err := w.server.Resolve(ctx, host)
	if err != nil {
		return fetch.Names{}, err
	}
	return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, 24*time.Hour)}, nil
}

// run crawls.
func (w *testWeb) run(t *testing.T) *crawl.Summary {
	t.Helper()
	sum, err := Run(t.Context(), w.o)
	if err != nil {
		t.Fatal(err)
	}
	return sum
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
