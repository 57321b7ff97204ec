package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/cluster/roster"
)

// end stops all processes in order.
func end(list []*process) {
	for _, p := range list {
		p.cancel()
	}
	for _, p := range list {
		<-p.ended
	}
	time.Sleep(2 * time.Minute) // for requests that are late
}

// allServed waits until all partitions have committed something since an instant, and returns how long
// that took.
func (w *world) allServed(since time.Time, most time.Duration) time.Duration {
	w.t.Helper()
	for time.Since(since) < most {
		w.mu.Lock()
		late := -1
		for p, at := range w.served {
			if !at.After(since) {
				late = p
			}
		}
		w.mu.Unlock()
		if late < 0 {
			return time.Since(since)
		}
		time.Sleep(100 * time.Millisecond)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for p, at := range w.served {
		if !at.After(since) {
			w.t.Errorf("partition %d was not served for %v", p, time.Since(at))
		}
	}
	return time.Since(since)
}

// A node that is killed, or cut off, is replaced within the time that the lease allows.
func TestTakeover(t *testing.T) {
	ways := []string{"killed", "stopped", "parted", "deaf", "left"}
	if testing.Short() { // the race detector needs no more
		ways = ways[1:2]
	}
	for _, how := range ways {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 1, 16, memory.Faults{Delay: 20 * time.Millisecond})
				list := []*process{w.runAt("a", 0.95), w.runAt("b", 1.05), w.runAt("c", 1.05)} // a goes on too long, the others bury too early
				w.allServed(time.Now(), 20*time.Second)
				time.Sleep(time.Minute)
				at := time.Now()
				switch how {
				case "killed":
					list[0].kill()
					list[0].bury()
				case "stopped":
					go list[0].stop(80 * time.Second)
				case "parted":
					w.broker.Part("a", true, true)
				case "deaf":
					w.broker.Part("a", false, true)
				case "left":
					list[0].cancel()
				}
				took := w.allServed(at.Add(2*time.Second), roster.TTL+roster.Margin+8*time.Second)
				t.Logf("%s: all served after %v", how, took)
				if how == "left" && took > 10*time.Second {
					t.Errorf("a node that left was replaced after %v", took)
				}
				time.Sleep(2 * time.Minute)
				w.broker.Part("a", false, false)
				time.Sleep(time.Minute)
				w.allServed(time.Now(), 10*time.Second)
				if how == "killed" {
					list = list[1:]
				}
				end(list)
				if w.check() < 1000 {
					t.Error("hardly any page was fetched")
				}
			})
		})
	}
}

// A node whose lease has lapsed does not begin again before its connections are closed: that it
// begins again frees its partitions.
func TestRejoinWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 8, memory.Faults{Delay: 20 * time.Millisecond})
		w.takes, w.linger = 40*time.Second, 5700*time.Millisecond // longer than it takes to take a partition again, and less than until it is buried
		list := []*process{w.runAt("a", 1), w.runAt("b", 1)}
		time.Sleep(time.Minute)
		w.broker.Part("a", true, true)
		lost := 0
		for cut := time.Now(); lost == 0 && time.Since(cut) < roster.TTL; time.Sleep(time.Millisecond) {
			w.mu.Lock()
			lost = w.lost
			w.mu.Unlock()
		}
		if lost == 0 {
			t.Error("no connection was closed")
		}
		w.broker.Part("a", false, false)
		w.allServed(time.Now(), 2*time.Minute)
		end(list)
		w.check()
	})
}

// A node that is cut off while its requests take long has closed them when others begin, though its
// clock is the slowest that is allowed, and theirs the fastest.
func TestLeaseMargin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 8, memory.Faults{Delay: 20 * time.Millisecond})
		w.takes = 50 * time.Second
		list := []*process{w.runAt("a", 0.95), w.runAt("b", 1.05)}
		time.Sleep(time.Minute)
		w.broker.Part("a", true, true)
		time.Sleep(2 * time.Minute)
		w.mu.Lock()
		lost := w.lost
		w.mu.Unlock()
		if lost == 0 {
			t.Error("no connection was closed")
		}
		w.broker.Part("a", false, false)
		end(list)
		w.check()
	})
}

// chaos is one run with many faults.
type chaos struct {
	nodes, parts int
	faults       int // how many
}

// seeds returns how many runs to make: make torture (WINNOW_TORTURE=50) makes 200.
func seeds(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("WINNOW_TORTURE")); err == nil {
		return 4 * n
	}
	if testing.Short() {
		return 1 // the race detector needs no more
	}
	return usual
}

// Nodes are killed, stopped and cut off, and what they share loses, repeats and delays requests.
// By the server's count no partition has two owners, nothing that was committed is lost or there
// twice, and everything is served again when the faults have ended.
func TestNodeFaults(t *testing.T) {
	for seed := range uint64(seeds(8)) {
		c := chaos{3 + int(seed%4), 8, 12}
		if os.Getenv("WINNOW_TORTURE") != "" {
			c = chaos{3 + int(seed%14), []int{8, 16, 64}[seed%3], 40}
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.run(t, seed) })
		})
	}
}

func (c chaos) run(t *testing.T, seed uint64) {
	bad := memory.Faults{Delay: 500 * time.Millisecond, Lost: 0.01, Late: 0.005, Repeat: 0.02, Stall: 0.01, Stale: 0.3, Shared: seed%2 == 1}
	w := newWorld(t, seed, c.parts, bad)
	w.slow = true
	rng := rand.New(rand.NewPCG(seed, 3))
	list := make([]*process, c.nodes)
	for i := range list {
		list[i] = w.run(fmt.Sprint("node", i))
	}
	time.Sleep(30 * time.Second)
	w.stopAtGates(3000)
	for range c.faults {
		i := rng.IntN(c.nodes)
		p := list[i]
		d := time.Duration(rng.Int64N(int64(3 * roster.TTL)))
		switch rng.IntN(6) {
		case 0, 1: // killed, sometimes without its disk
			p.kill()
			p.bury()
			if rng.IntN(2) == 0 {
				w.mu.Lock()
				w.disks[p.name] = nil
				w.mu.Unlock()
			}
			time.Sleep(d / 4)
			list[i] = w.run(p.name)
		case 2, 3:
			p.stop(d)
		case 4:
			way := rng.IntN(3)
			w.broker.Part(p.name, way != 0, way != 1)
			time.Sleep(d)
			w.broker.Part(p.name, false, false)
		case 5: // it leaves, and comes back
			p.cancel()
			<-p.ended
			list[i] = w.run(p.name)
		}
		time.Sleep(time.Duration(rng.Int64N(int64(20 * time.Second))))
	}
	w.broker.SetFaults(memory.Faults{Delay: 20 * time.Millisecond})
	w.stopAtGates(0)
	time.Sleep(3*roster.TTL + time.Minute) // until the last stopped process goes on, and the last late watch has come
	took := w.allServed(time.Now(), roster.TTL+roster.Margin+8*time.Second+10*time.Second)
	end(list)
	pages := w.check()
	t.Logf("%d nodes, %d partitions: %v; %d pages, %d requests, %d repeated, %d after a stop; served again after %v",
		c.nodes, c.parts, time.Since(w.start), pages, w.count, w.repeats, w.gaps, took)
	if pages < 100 || w.repeats > w.count/10 {
		t.Errorf("%d pages, %d of %d requests were repeated", pages, w.repeats, w.count)
	}
}

// A broker that does not sync loses what it has acknowledged. The owners give it back.
func TestPowerLoss(t *testing.T) {
	for seed := range uint64(seeds(2)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, seed, 8, memory.Faults{Delay: 20 * time.Millisecond, Shared: seed%2 == 1})
				var list []*process
				for i := range 3 {
					list = append(list, w.run(fmt.Sprint("node", i)))
				}
				time.Sleep(time.Minute)
				for range 5 {
					w.broker.LosePower(4)
					at := time.Now()
					w.allServed(at, roster.TTL+roster.Margin+8*time.Second)
					time.Sleep(30 * time.Second)
					i := int(w.draw(3))
					list[i].kill() // with the disk
					list[i].bury()
					list[i] = w.run(list[i].name)
					time.Sleep(90 * time.Second)
				}
				end(list)
				w.check()
			})
		})
	}
}

// A node whose program or tables are not those of the others is refused, and so is one whose name
// another one has.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(1, memory.Faults{Delay: 20 * time.Millisecond, Lost: 0.1})
		ctx, cancel := context.WithCancel(t.Context())
		run := func(name, id, terms string) chan error {
			n := &cluster.Node{Name: name, ID: id, Terms: terms, Engine: b.Client(name+id, nil).Engine()}
			began := time.Now()
			n.Clock = func() roster.Instant {
				d := time.Since(began)
				return roster.Instant{Monotonic: d, Boot: d, Wall: d}
			}
			ended := make(chan error, 1)
			go func() { ended <- n.Run(ctx) }()
			return ended
		}
		a := run("a", "1", "8 partitions")
		time.Sleep(20 * time.Second)
		if err := <-run("b", "2", "16 partitions"); !errors.Is(err, cluster.ErrTerms) {
			t.Errorf("other terms: %v", err)
		}
		if err := <-run("a", "2", "8 partitions"); !errors.Is(err, cluster.ErrName) {
			t.Errorf("the name of another: %v", err)
		}
		cancel()
		if err := <-a; err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Minute)
	})
}

// A node on which partitions fail for any reason lets others take them.
func TestBrokenNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 8, memory.Faults{Delay: 20 * time.Millisecond})
		w.broken = "a"
		list := []*process{w.runAt("a", 1), w.runAt("b", 1)}
		w.allServed(time.Now(), time.Minute)
		end(list)
		w.check()
	})
}

// A node that lost its disk has to wait until the one before is buried, which it does itself if
// nobody else does.
func TestSameNameAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 4, memory.Faults{Delay: 20 * time.Millisecond})
		for _, id := range []string{"1", "1", "2"} {
			w.id = id
			at := time.Now()
			p := w.runAt("a", 1)
			took := w.allServed(at, 50*time.Second)
			if slow := took > roster.TTL; slow != (id == "2") {
				t.Errorf("disk %s: served after %v", id, took)
			}
			p.kill()
			p.bury()
		}
		time.Sleep(2 * time.Minute)
		w.check()
	})
}
