package partition

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/exchange/suffix"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// A handWeb is a web of hosts that a test describes, each at an address of its own.
type handWeb struct {
	faultWeb
	hosts  map[string]http.HandlerFunc
	robots map[string]http.HandlerFunc // by host; those that are not there have none
	mu     sync.Mutex
	asked  map[string]int // by URL, how often
}

// newHandWeb makes a web. It belongs into a synctest bubble.
func newHandWeb(t *testing.T, hosts map[string]http.HandlerFunc, seeds ...string) *handWeb {
	t.Helper()
	w := &handWeb{hosts: hosts, asked: map[string]int{}}
	w.testWeb = newTestWeb(t, fakeweb.Spec{Pages: 1, Sites: 1, Seed: 1}, answer.Options{}) // nobody visits it
	pipes := make(pipeListener)
	server := &http.Server{Handler: w}
	go server.Serve(pipes)
	t.Cleanup(func() { server.Close() })
	w.o.Seeds, w.o.Config.MaxMemory = seeds, 1<<30
	w.o.Machine.Dial, w.o.Machine.Resolve = pipes.dial, w.resolve
	return w
}

func (w *handWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.asked["http://"+r.Host+r.URL.RequestURI()]++
	w.mu.Unlock()
	f := w.hosts[r.Host]
	if r.URL.Path == "/robots.txt" {
		f = w.robots[r.Host]
	}
	if f == nil {
		f = http.NotFound
	}
	f(rw, r)
}

func (w *handWeb) resolve(_ context.Context, host string) (fetch.Names, error) {
	if w.hosts[host] == nil {
		return fetch.Names{}, fetch.ErrNoName
	}
	n := byte(0)
	for _, c := range []byte(host) {
		n = 31*n + c
	}
	return fetch.Names{Addrs: []netip.Addr{netip.AddrFrom4([4]byte{93, 184, 216, n})}, TTL: 24 * time.Hour}, nil
}

// pipeListener is a listener in memory.
type pipeListener chan net.Conn

func (l pipeListener) Accept() (net.Conn, error) {
	c, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l pipeListener) Close() error   { close(l); return nil }
func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func (l pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	a, b := net.Pipe()
	select {
	case l <- b:
		return a, nil
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), a.Close())
	}
}

// hostIn returns a host whose registered domain belongs to a partition.
func hostIn(t *testing.T, part, of int) string {
	t.Helper()
	table, err := suffix.Open(suffix.Newest)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		if name := fmt.Sprintf("h%d.example", i); table.Partition(name, of) == part {
			return name
		}
	}
}

// writePage writes a page with a text that follows from a key, and links.
func writePage(rw http.ResponseWriter, key string, links ...string) {
	seed := uint64(0)
	for _, c := range []byte(key) {
		seed = 31*seed + uint64(c)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	var b strings.Builder
	for range 80 {
		fmt.Fprintf(&b, "w%c%c%c ", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26))
	}
	fmt.Fprintf(rw, "<!doctype html><title>%s</title><p>%s", b.String()[:15], b.String())
	for _, u := range links {
		fmt.Fprintf(rw, `<a href="%s">more</a>`, u)
	}
}

// withState restores the state of a partition.
func (w *testWeb) withState(t *testing.T, part int, do func(*state.State)) {
	t.Helper()
	p, _ := w.parts(t, layout.PartitionName(part)+"/")
	c, err := history.OpenParts(t.Context(), layout.PartitionName(part), p)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	do(s)
}
