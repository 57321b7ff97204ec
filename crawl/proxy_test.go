package crawl

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A crawl may go on without the proxy with which it began, and with one: sites whose
// address was never asked for are resolved then, and none is where a proxy does it.
func TestProxyComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := linksTo("/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "http://b.example/", "http://b.example/1", "http://b.example/2")
		hosts := map[string]http.HandlerFunc{}
		for _, name := range []string{"a.example", "b.example"} {
			hosts[name] = func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					http.NotFound(rw, r)
					return
				}
				answer(rw, r)
			}
		}
		w := newHandWeb(t, hosts, "http://a.example/")
		dial, direct := w.o.Machine.Dial, atomic.Int64{}
		w.o.Machine.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if !strings.HasPrefix(addr, "proxy.example") {
				direct.Add(1)
			}
			return dial(ctx, network, addr)
		}
		w.o.Config.Delay, w.o.Config.Duplicates = config.Duration{}, false
		pages := 2
		for i, proxy := range []string{"http://proxy.example:3128", "", "http://proxy.example:3128", "", ""} {
			if pages += 2; i == 4 { // from the beginning of the journal
				w.disk[layout.SnapshotDir], w.disk[layout.URLDir] = disk.NewMemory(), disk.NewMemory()
			}
			w.o.Config.Proxy, w.o.Config.Pages = proxy, int64(pages)
			direct.Store(0)
			sum := w.run(t)
			if int(sum.Fetched) != pages || sum.Failed != 0 || direct.Load() > 0 != (proxy == "") {
				t.Errorf("with proxy %q it fetched %d of %d pages, %d failed, %d connections were direct", proxy, sum.Fetched, pages, sum.Failed, direct.Load())
			}
			w.o.Seeds = nil
			time.Sleep(time.Minute)
		}
	})
}
