package node

import (
	"maps"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/cluster/roster"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// Three nodes crawl a web. One of them is killed in the middle, stopped, or cut off, and others take its
// partitions within the time that the lease allows. The crawl finishes, every wanted page comes once,
// nothing is wrong with the journals, and the end is declared within five seconds.
func TestTakeover(t *testing.T) {
	ways := map[string]func(w *world, p *process){
		"killed":  func(_ *world, p *process) { p.kill(killed) },
		"stopped": func(w *world, p *process) { w.ending.Go(func() { p.stop(90 * time.Second) }) },
		"parted":  func(w *world, p *process) { w.part(90*time.Second, true, true, p.name) },
	}
	if testing.Short() { // the race detector needs no more
		ways = map[string]func(*world, *process){"killed": ways["killed"]}
	}
	for _, how := range slices.Sorted(maps.Keys(ways)) {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { takeOver(t, ways[how]) })
		})
	}
}

func takeOver(t *testing.T, fault func(*world, *process)) {
	w := newWorld(t, 1, 8, fakeweb.Spec{Pages: 200, Sites: 20, Links: 1500, Seed: 7}, answer.Options{}, memory.Faults{}, nil)
	for _, name := range []string{"a", "b", "c"} {
		w.run(name)
	}
	time.Sleep(12 * time.Second)
	fault(w, w.nodes[w.owner(0)])
	w.finish(10*time.Minute, "finished")
	w.check(nil)
	last, gap := w.times()
	if gap > roster.TTL+roster.Margin+8*time.Second {
		t.Errorf("a site was not requested for %v", gap)
	}
	if d := w.ended.Sub(last); d > 5*time.Second {
		t.Errorf("the end was declared %v after the last request", d)
	}
	t.Logf("a site was not requested for %v; the end was declared %v after the last request", gap, w.ended.Sub(last))
	w.end()
}

// times returns when the last request ended, and the longest time between two requests to a site.
func (w *world) times() (last time.Time, gap time.Duration) {
	n := w.server.Counter()
	for i := range n.Sites() {
		list := n.Requests(graph.Site(i))
		for k, q := range list {
			if last.Before(n.Began().Add(q.End)) {
				last = n.Began().Add(q.End)
			}
			if k > 0 {
				gap = max(gap, q.Start-list[k-1].End)
			}
		}
	}
	return last, gap
}

// A node without memory for its partitions says so, and another one takes them. Without another one
// they have no owner, which the register tells, until there is one.
func TestNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFaultWorld(t, 1, 8, memory.Faults{Delay: 20 * time.Millisecond}, nil)
		w.heaps = map[string]int64{"small": 1 << 30} // all that it may have
		w.run("small")
		time.Sleep(30 * time.Second)
		s, err := cluster.Look(t.Context(), w.user().Register)
		if err != nil {
			t.Fatal(err)
		}
		if m := s.Nodes["small"]; !m.Alive || len(m.Without) != 8 {
			t.Errorf("a node without memory says %+v", m)
		}
		for i := range 8 {
			if s.Owners[i].Holds {
				t.Errorf("partition %d has the owner %+v", i, s.Owners[i])
			}
		}
		if n := len(w.dials); n > 8 {
			t.Errorf("it has made %d requests", n)
		}
		w.run("large")
		w.finish(10*time.Minute, "finished")
		w.check(nil)
		w.end()
	})
}

// A node that is killed and started again at once lets every site wait for its full delay: it does not
// know of the requests that were under way.
func TestRestartWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFaultWorld(t, 1, 4, memory.Faults{}, func(c *config.Config) { c.Delay = config.Seconds(15) })
		for range 5 {
			p := w.run("a")
			time.Sleep(20 * time.Second)
			p.kill(killed)
		}
		w.run("a")
		w.finish(time.Hour, "finished")
		w.check(nil)
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
