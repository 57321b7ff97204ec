package node

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime/pprof"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/cluster/roster"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// lives returns the seeds to try: so many, a tenth of them with -short, and ten times as many with make
// torture. WINNOW_SEEDS=FROM-TO names others.
func lives(t *testing.T, usual uint64) (from, to uint64) {
	t.Helper()
	if s := os.Getenv("WINNOW_SEEDS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
		return from, to
	}
	switch {
	case os.Getenv("WINNOW_TORTURE") != "":
		return 0, 10 * usual
	case testing.Short():
		return 0, usual / 10
	}
	return 0, usual
}

// Nodes of a crawl are killed with and without their disks, stopped, cut off, leave and join, over a
// bus that delays, repeats, reorders and drops. By the server's count they are polite together, and
// every wanted page comes once, except for requests under way at a fault. Each crawl ends once, with no
// message under way; its pages are those of a crawl on one node; cash is 1; nothing is wrong with
// the journals and archives; epochs grow.
func TestFaults(t *testing.T) {
	want := map[string]string{}
	synctest.Test(t, func(t *testing.T) {
		w := newFaultWorld(t, 1, 8, memory.Faults{}, nil)
		w.run("a")
		w.finish(time.Hour, "finished")
		w.check(nil)
		maps.Copy(want, w.verify(true).pages)
		w.end()
	})
	if len(want) < 50 {
		t.Fatalf("%d pages are no test", len(want))
	}
	from, to := lives(t, 20)
	for seed := from; seed < to; seed++ {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			defer time.AfterFunc(longest, func() { hangs(seed) }).Stop()
			synctest.Test(t, func(t *testing.T) { surviveFaults(t, seed, want) })
		})
	}
}

// longest is how long the crawl of a seed may take in real time: it takes a second, few take ten.
const longest = 5 * time.Minute

// hangs ends the test of a seed that does not end, and shows what all goroutines do.
func hangs(seed uint64) {
	_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
	panic(fmt.Sprintf("seed %d has not ended after %v", seed, longest))
}

// newFaultWorld makes a world in which sites share addresses.
func newFaultWorld(t *testing.T, seed uint64, parts int, f memory.Faults, change func(*config.Config)) *world {
	t.Helper()
	so := answer.Mixed()
	so.MinLatency, so.MaxLatency = 50*time.Millisecond, 2*time.Second
	w := newWorld(t, seed, parts, fakeweb.Spec{Pages: 90, Sites: 12, Links: 700, Seed: 7}, so, f, change)
	w.server.SetAddresses(6)
	return w
}

// A size is that of a cluster.
type size struct{ nodes, parts int }

// sizeOf returns how large the cluster of a seed is: few are large.
func sizeOf(seed uint64) size {
	switch seed % 20 {
	case 9:
		return size{16, 32}
	case 19:
		return size{[]int{6, 16}[seed/20%2], 64}
	}
	return size{3 + int(seed%4), []int{8, 16, 8}[seed%3]}
}

func surviveFaults(t *testing.T, seed uint64, want map[string]string) {
	size := sizeOf(seed)
	bad := memory.Faults{Delay: 100 * time.Millisecond, Slow: 5 * time.Second, Repeat: 0.05, Lost: 0.02, Stall: 0.005, Stale: 0.3, Shared: seed%2 == 1}
	if seed%4 == 3 {
		bad.Delay, bad.Late = 500*time.Millisecond, 0.005
	}
	why := "finished"
	w := newFaultWorld(t, seed, size.parts, bad, func(c *config.Config) {
		if seed%10 == 4 {
			c.Pages, why = 40, "pages"
		}
	})
	for i := range size.nodes {
		w.run(fmt.Sprint("node", i))
	}
	time.Sleep(8 * time.Second)
	if seed%3 == 2 {
		w.stopAtGates(60)
	}
	for range 1 + w.draw(4) {
		time.Sleep(time.Duration(w.draw(int64(20 * time.Second))))
		if w.ends() > w.stopped {
			break
		}
		w.fault()
		if seed%4 == 0 || os.Getenv("WINNOW_TORTURE") != "" {
			w.verify(false)
		}
	}
	w.stopAtGates(0)
	w.finish(30*time.Minute, why)
	if why == "finished" {
		w.check(want)
	} else {
		w.checkLimit()
		w.raise(size.nodes)
		w.check(want)
	}
	t.Logf("%v, ended after %v, last dial after %v, %d dials, %d upsets, %d stalls", time.Since(w.start), w.ended.Sub(w.start), w.dials[len(w.dials)-1].at.Sub(w.start), len(w.dials), len(w.upsets), len(w.stalls))
	w.end()
}

// fault lets something happen: most of the time to one node.
func (w *world) fault() {
	name := w.victim()
	w.mu.Lock()
	p := w.nodes[name]
	w.mu.Unlock()
	d := time.Duration(w.draw(int64(3 * roster.TTL)))
	switch w.draw(13) {
	case 0, 1, 2:
		p.kill(int(w.draw(3)))
		time.Sleep(d / 4)
		w.run(name)
	case 3, 4:
		w.ending.Go(func() { p.stop(d) })
	case 5, 6:
		way := w.draw(3)
		w.part(d, way != 0, way != 1, name)
	case 7:
		w.leave(p)
	case 8:
		w.run(fmt.Sprint("more", w.draw(1000)))
	case 9: // a full disk
		p.root.Limit(0, syscall.ENOSPC)
		w.upset(name)
		time.Sleep(d / 4)
		p.root.Limit(-1, nil)
	case 10: // the power fails everywhere, or the engine
		if w.draw(2) == 0 {
			w.part(d, true, true, w.names()...)
			return
		}
		names := w.names()
		for _, name := range names {
			w.nodes[name].kill(powerLoss)
		}
		time.Sleep(d / 4)
		for _, name := range names {
			w.run(name)
		}
	case 11:
		w.command(commandPause)
		time.Sleep(d / 4)
		w.command(commandResume)
	case 12:
		w.restart()
	}
}

// command gives a command to all nodes.
func (w *world) command(c string) {
	w.t.Helper()
	if err := Command(w.t.Context(), w.user(), c); err != nil {
		w.t.Fatal(err)
	}
}

// restart stops the crawl in order, and lets it continue. It may have ended meanwhile.
func (w *world) restart() {
	w.t.Helper()
	names := w.names()
	w.command(commandStop)
	if x, _, err := getControl(w.t.Context(), w.user().Register); err != nil || x.Stop != whyStopped {
		return
	}
	w.finish(10*time.Minute, whyStopped)
	w.stopped++
	w.command(commandResume)
	for _, name := range names {
		w.run(name)
	}
}

// raise lets a crawl that has reached its limit go on without one, to its end.
func (w *world) raise(nodes int) {
	w.t.Helper()
	w.stopped++
	w.replace(func(c *config.Config) { c.Pages = 0 })
	for i := range nodes {
		w.run(fmt.Sprint("node", i))
	}
	w.finish(30*time.Minute, "finished")
}

// part parts nodes from the engine for a while.
func (w *world) part(d time.Duration, out, in bool, names ...string) {
	for _, name := range names {
		w.broker.Part(name, out, in)
		w.upset(name)
	}
	w.ending.Go(func() {
		time.Sleep(d)
		for _, name := range names {
			w.broker.Part(name, false, false)
		}
	})
}

// leave lets a node leave and come back.
func (w *world) leave(p *process) {
	w.t.Helper()
	p.cancel()
	select {
	case r := <-p.ended:
		if r.err != nil {
			w.t.Errorf("node %s: %v", p.name, r.err)
		}
		w.run(p.name)
	case <-time.After(5 * time.Minute):
		w.t.Fatalf("node %s does not leave", p.name)
	}
}

// names returns the names of the nodes that run.
func (w *world) names() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.nodes))
}

// victim returns a node: half of the time that of the coordinator.
func (w *world) victim() string {
	names := w.names()
	if w.draw(2) == 0 {
		if owner := w.owner(0); slices.Contains(names, owner) {
			return owner
		}
	}
	return names[w.draw(int64(len(names)))]
}

// owner returns the node that owns a partition, as the register says.
func (w *world) owner(part int) string {
	v, err := w.user().Register.Get(w.t.Context(), fmt.Sprint("part.", part))
	var x struct{ Node string }
	if err == nil && v.Revision > 0 {
		err = json.Unmarshal(v.Data, &x)
	}
	if err != nil {
		return ""
	}
	return x.Node
}
