package node

import (
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// Three nodes crawl a web. One of them is killed in the middle, and others take its partitions. The
// crawl finishes, every wanted page comes once, and nothing is wrong with the journals.
func TestKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 8, fakeweb.Spec{Pages: 120, Sites: 20, Links: 900, Seed: 7}, answer.Options{}, memory.Faults{}, nil)
		for _, name := range []string{"a", "b", "c"} {
			w.run(name)
		}
		time.Sleep(12 * time.Second)
		w.nodes["b"].kill(killed)
		w.finish(10*time.Minute, "finished")
		w.check(nil)
		t.Logf("%v, %d dials", time.Since(w.start), len(w.dials))
		w.end()
	})
}

// A node without others whose disk is full goes on when there is room again.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFaultWorld(t, 1, 8, memory.Faults{}, nil)
		p := w.run("a")
		time.Sleep(15 * time.Second)
		p.root.Limit(0, syscall.ENOSPC)
		w.upset("a")
		time.Sleep(20 * time.Second)
		p.root.Limit(-1, nil)
		w.finish(10*time.Minute, "finished")
		w.check(nil)
		w.end()
	})
}
