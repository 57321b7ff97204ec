package crawl

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
)

// Parsing that lags slows fetching down (W6): a body stays in the budget until its page is
// on disk, and a server whose body finds no room waits. So no more bodies are in memory
// than the budget holds, however many fetchers there are, and nothing fails for it.
func TestSlowParser(t *testing.T) {
	const sites, size, memory = 80, 512 << 10, 128 << 20
	for _, slow := range []time.Duration{0, 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var sent, parsed, most atomic.Int64
			part := []byte("<!--" + strings.Repeat("x", size/16-7) + "-->")
			hosts, seeds := map[string]http.HandlerFunc{}, []string(nil)
			for i := range sites {
				name := fmt.Sprintf("s%d.example", i)
				seeds = append(seeds, "http://"+name+"/")
				hosts[name] = func(rw http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/robots.txt" {
						http.NotFound(rw, r)
						return
					}
					rw.Header().Set("Content-Type", "text/html")
					fmt.Fprint(rw, ownWords(name))
					for range 16 { // over a pipe: what is written was read
						rw.Write(part)
						most.Store(max(most.Load(), sent.Add(int64(len(part)))-parsed.Load()))
					}
				}
			}
			w := newHandWeb(t, hosts, seeds...)
			w.o.Machine.Resolve = func(_ context.Context, host string) (fetch.Names, error) {
				n := 0
				fmt.Sscanf(host, "s%d.example", &n)
				return fetch.Names{Addrs: []netip.Addr{publicAddr(n + 1)}, TTL: 24 * time.Hour}, nil
			}
			w.o.Machine.Read = func(url string) {
				if !strings.HasSuffix(url, "/robots.txt") {
					time.Sleep(slow)
					parsed.Add(size)
				}
			}
			w.o.Config.MaxMemory, w.o.Config.Fetchers = memory, 2*sites
			sum := w.run(t)
			if sum.Fetched != sites || sum.Requests != 2*sites {
				t.Errorf("parsing takes %v: %d of %d pages, %d requests", slow, sum.Fetched, sites, sum.Requests)
			}
			if n := time.Duration(placesFor(memory)); sum.Ran < sites*slow/n {
				t.Errorf("parsing takes %v, %d at a time: %d pages came within %v", slow, n, sites, sum.Ran)
			}
			t.Logf("parsing takes %v: %d pages in %v, at most %d KiB in memory", slow, sum.Fetched, sum.Ran, most.Load()>>10)
			room := bodyBudget(memory) + size + sites*8<<10 // one body beyond, and the buffers of the connections
			if n := most.Load(); n > room {
				t.Errorf("parsing takes %v: bodies of %d bytes were in memory, the budget is %d", slow, n, room)
			}
			if n := most.Load(); slow > 0 && n < room/2 {
				t.Errorf("at most %d bytes were in memory: the parser was not behind", n)
			}
			clean(t, w.verify(t))
		})
	}
}
