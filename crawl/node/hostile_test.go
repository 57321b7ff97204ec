package node

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// Nodes crawl a hostile web, with sites that cannot be reached, traps, farms that lie in several
// partitions, and robots.txt that move from one to another. Some of them die.
func TestHostileFaults(t *testing.T) {
	if os.Getenv("WINNOW_TORTURE") == "" {
		t.Skip("a hostile web takes long; make torture has it")
	}
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) {
			so := answer.Hostile()
			so.Seed, so.CrowdLinks, so.MaxSize = 5, 2000, 4000
			w := newWorld(t, seed, 8, fakeweb.Spec{Pages: 300, Sites: 40, Links: 2400, Seed: 5}, so, memory.Faults{Slow: 5 * time.Second, Lost: 0.02, Repeat: 0.05}, func(c *config.Config) { c.Pages = 3200 })
			for _, name := range []string{"a", "b", "c"} {
				w.run(name)
			}
			for range 3 {
				time.Sleep(15 * time.Second)
				name := w.victim()
				w.nodes[name].kill(int(w.draw(3)))
				time.Sleep(time.Duration(w.draw(int64(40 * time.Second))))
				w.run(name)
			}
			w.finish(24*time.Hour, "unreachable")
			w.checkServed(true)
			w.verify(true)
			w.checkEnd()
			t.Logf("%v, %d dials", time.Since(w.start), len(w.dials))
			w.end()
		})
	}
}
