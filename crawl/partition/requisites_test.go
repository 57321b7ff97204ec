package partition

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// What pages need on sites of other partitions is fetched there, once, politely, also if the crawl is
// killed and if --pages ends it. The last site has what the others share, and no page of it is wanted.
func TestRequisites(t *testing.T) {
	for name, pages := range map[string]int64{"to the end": 0, "with a limit": 25} {
		synctest.Test(t, func(t *testing.T) {
			w := &faultWeb{testWeb: newTestWeb(t, fakeweb.Spec{Pages: 50, Sites: 6, Links: 400, Seed: 7}, answer.Options{Shown: true, MinSize: 500, MaxSize: 1500})}
			c := &w.o.Config
			c.Partitions, c.Policy, c.MaxMemory, c.Requisites, c.Pages = 4, "opic", 1<<30, true, pages
			c.Scope = "regexp:^http://s[0-4]\\."
			w.root.Stop(150)
			if _, err := Run(t.Context(), w.o); !errors.Is(err, disk.ErrStopped) {
				t.Fatal(err)
			}
			w.root = w.root.Kill()
			sum := w.run(t)
			if x := sum.Requisites; x == nil || x.Left() != 0 || x.Failed != sum.Fetched || pages > 0 && sum.Fetched != pages {
				t.Errorf("%s: %+v of %d pages", name, x, sum.Fetched)
			}
			w.checkShown(t)
			w.verify(t, 4)
		})
	}
}

// checkShown holds the requisites that were requested against those of the pages. Those under way when
// the crawl was killed may have been requested twice.
func (w *faultWeb) checkShown(t *testing.T) {
	t.Helper()
	parts, want := map[string]bool{}, map[string]bool{}
	for s := range w.web.Sites() {
		host := strings.TrimSuffix(w.server.URL(graph.Page(w.web.Site(graph.Site(s)).First)), "/")
		for _, q := range w.server.Counter().Requests(graph.Site(s)) {
			switch q.Kind {
			case answer.KindPage:
				x := w.server.Shown(q.Page)
				for _, url := range append(x.Needs(), x.Missing()) {
					want[url] = true
				}
			case answer.KindPart:
				parts[host+q.Part] = true
			}
		}
	}
	if !maps.Equal(parts, want) {
		t.Errorf("%d requisites were requested, want %d", len(parts), len(want))
	}
	c := &w.o.Config
	for _, v := range w.server.Counter().Check(count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, AddressDelay: c.IPDelay.Duration, AddressCap: c.IPCap}) {
		if v.Kind != count.Repeated {
			t.Error(v)
		}
	}
}
