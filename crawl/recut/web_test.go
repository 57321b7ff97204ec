package recut_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/graph"
)

// A testWeb is a web in memory and a crawl of it on disk.
type testWeb struct {
	server *serve.Server
	o      crawl.RunOptions
}

// newTestWeb makes a web and a crawl of it. It belongs into a synctest bubble.
func newTestWeb(t *testing.T, dir string, spec fakeweb.Spec, so answer.Options) *testWeb {
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
	c := config.Default()
	c.Scope, c.Contact, c.AllowPrivate, c.Sync = config.ScopeAny, "test@example.org", true, false
	c.Policy, c.MaxMemory = "opic", 1<<30
	w := &testWeb{server: server}
	resolve := func(ctx context.Context, host string) (fetch.Names, error) {
		a, ttl, err := server.Resolve(ctx, host)
		if err != nil {
			return fetch.Names{}, err
		}
		return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, 24*time.Hour)}, nil
	}
	w.o = crawl.RunOptions{
		Dir: dir, Config: c, Seeds: []string{server.URL(0), server.URL(5)}, Version: "test",
		Machine: crawl.Machine{Dial: server.Dial, Resolve: resolve, TLS: server.ClientTLS(), Sizes: crawl.Sizes{Status: 10 * time.Minute, Report: time.Minute}},
	}
	return w
}

// run crawls.
func (w *testWeb) run(t *testing.T) *crawl.Summary {
	t.Helper()
	sum, err := partition.Run(t.Context(), w.o)
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
	for _, v := range found[:min(len(found), 10)] {
		t.Error(v)
	}
	if n := len(found) - 10; n > 0 {
		t.Errorf("and %d more", n)
	}
}

// verify verifies a crawl.
func verify(t *testing.T, dir string) {
	t.Helper()
	f, err := history.Verify(t.Context(), dir, history.VerifyOptions{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range f.List[:min(len(f.List), 10)] {
		t.Errorf("%+v", x)
	}
	if n := len(f.List) - 10; n > 0 {
		t.Errorf("and %d more findings: %v", n, f.Kinds)
	}
}

// pagesOf returns the states of the pages of a crawl by URL, as their partitions have them.
func pagesOf(t *testing.T, crawls ...*history.Crawl) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, c := range crawls {
		s, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		for p := range graph.Page(s.Frontier.Pages()) {
			url, text := string(s.AppendURL(nil, p)), s.Frontier.State(p).String()
			if s.Frontier.Foreign(p) && out[url] != "" {
				continue
			}
			if b := s.Frontier.Bar(p); b != 0 {
				if text = b.String(); text == "foreign" {
					continue
				}
			}
			out[url] = text
		}
	}
	return out
}

// same compares the pages of two crawls.
func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	n := 0
	for url, s := range want {
		if got[url] != s {
			if n++; n <= 10 {
				t.Errorf("%s is %q, want %q", url, got[url], s)
			}
		}
	}
	for url, s := range got {
		if want[url] == "" {
			if n++; n <= 10 {
				t.Errorf("%s is %q, and should not be known", url, s)
			}
		}
	}
	if n > 10 {
		t.Errorf("%d pages of %d differ", n, len(want))
	}
}

// webs returns what the webs of tests answer, by name.
func webs() map[string]answer.Options {
	return map[string]answer.Options{"honest": {}, "hostile": answer.Hostile(), "shown": {Shown: true, MinSize: 500, MaxSize: 1500}}
}

// partsOf returns what the requisites of crawls came to, by URL.
func partsOf(t *testing.T, crawls ...*history.Crawl) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, c := range crawls {
		if err := c.Requisites(&history.PageFilter{}, func(x *history.RequisiteInfo) error {
			out[x.URL] = fmt.Sprint(x.State, x.Why, x.Class, x.Status, x.Media, x.Bytes, x.Step)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// everyPartHasPage fails unless each requisite has a page that needs it, and there are some.
func everyPartHasPage(t *testing.T, c *history.Crawl, some bool) {
	t.Helper()
	n := 0
	if err := c.Requisites(&history.PageFilter{}, func(x *history.RequisiteInfo) error {
		if n++; x.Page == "" {
			t.Errorf("no page needs %s", x.URL)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n > 0 != some {
		t.Errorf("%d requisites", n)
	}
}
