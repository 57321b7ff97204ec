package node

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// A crawl that has reached its limit goes on when that is raised, and one that runs obeys other settings
// and seeds. A node with an old plan does not take part.
func TestReplace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 8, fakeweb.Spec{Pages: 200, Sites: 20, Links: 1500, Seed: 7}, answer.Options{}, memory.Faults{}, func(c *config.Config) { c.Pages, c.Scope = 40, config.ScopeSeeds })
		old := w.plan
		w.runs("finished", func() {}) // one site has fewer pages
		w.replace(func(c *config.Config) { c.Scope = config.ScopeAny })
		w.runs("pages", func() {})
		if n := w.server.Counter().Summary().Pages; n != 40 {
			t.Errorf("%d pages were fetched", n)
		}
		w.replace(func(c *config.Config) { c.Pages = 100 }, w.server.URL(150))
		next := w.plan
		w.plan = old
		w.runs(WhyChanged, func() {})
		w.plan = next
		w.runs(WhyChanged, func() {
			time.Sleep(5 * time.Second)
			w.replace(func(c *config.Config) { c.Pages = 0 })
		})
		w.runs("finished", func() {})
		w.checkServed(true)
		if b := w.verify(true); math.Abs(b.cash-2) > 1e-9 || b.sent != b.applied { // each time that seeds are added they bring cash
			t.Errorf("cash is %v; %d messages were sent, %d applied", b.cash, b.sent, b.applied)
		}
		if n := w.ends(); n != 3 {
			t.Errorf("the end was declared %d times", n)
		}
		w.end()
	})
}

// runs lets three nodes crawl until they end for one reason. Meanwhile something is done.
func (w *world) runs(why string, meanwhile func()) {
	w.t.Helper()
	for _, name := range []string{"a", "b", "c"} {
		w.run(name)
	}
	meanwhile()
	w.finish(10*time.Minute, why)
}

// replace changes the settings of the crawl, and adds seeds.
func (w *world) replace(change func(*config.Config), seeds ...string) {
	w.t.Helper()
	p, err := Load(w.t.Context(), w.user().Register)
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := p.Configuration()
	if err != nil {
		w.t.Fatal(err)
	}
	change(&c)
	if w.plan, err = p.Change(&c, seeds); err == nil {
		err = Replace(w.t.Context(), w.user(), w.plan)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
