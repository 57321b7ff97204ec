package history_test

import (
	"context"
	"net/netip"
	"path"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// testWeb is a web in memory and a crawl of it, which is in memory unless inDir is called.
// Package crawl has one like it: what both share is smaller than a package for it.
type testWeb struct {
	server *serve.Server
	disk   map[string]*disk.Memory
	o      crawl.RunOptions
}

// newTestWeb makes a web of so many pages and sites. It belongs into a synctest bubble.
func newTestWeb(t *testing.T, pages, sites int, so answer.Options) *testWeb {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: sites, Links: int64(8 * pages), Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(web, so)
	if err != nil {
		t.Fatal(err)
	}
	server.SetAddresses(sites)
	t.Cleanup(func() { server.Close() })
	w := &testWeb{server: server, disk: map[string]*disk.Memory{}}
	c := config.Default()
	c.Scope = config.ScopeAny
	c.Contact, c.AllowPrivate, c.MaxMemory = "test@example.org", true, 1<<30
	w.o = crawl.RunOptions{
		Dir: "memory", Config: c, Seeds: []string{server.URL(0)}, Version: "test",
		Machine: crawl.Machine{Dial: server.Dial, Resolve: w.resolve, TLS: server.ClientTLS(), Disk: w.open},
	}
	return w
}

func (w *testWeb) open(name string) (disk.Dir, error) {
	name = path.Clean(name)
	if w.disk[name] == nil {
		w.disk[name] = disk.NewMemory()
	}
	return w.disk[name], nil
}

func (w *testWeb) resolve(ctx context.Context, host string) (fetch.Names, error) {
	a, ttl, err := w.server.Resolve(ctx, host)
	if err != nil {
		return fetch.Names{}, err
	}
	return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, 24*time.Hour)}, nil
}

// inDir lets the crawl write to a temporary directory, which it returns.
func (w *testWeb) inDir(t *testing.T) string {
	w.o.Dir, w.o.Machine.Disk = t.TempDir(), nil
	return w.o.Dir
}

// run crawls until so many pages are fetched; 0: to the end.
func (w *testWeb) run(t *testing.T, pages int64) *crawl.Summary {
	t.Helper()
	w.o.Config.Pages = pages
	sum, err := crawl.Run(t.Context(), w.o)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// crawl opens the crawl in memory.
func (w *testWeb) crawl(t *testing.T) *history.Crawl {
	t.Helper()
	p, err := layout.Open(w.open)
	if err != nil {
		t.Fatal(err)
	}
	c, err := history.OpenParts(t.Context(), "memory", p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
