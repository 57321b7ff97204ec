package nats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/roster"
)

// A tally counts what the partitions of all nodes do.
type tally struct {
	t      *testing.T
	mu     sync.Mutex
	newest [16]uint64    // epoch that has made a request
	served [16]time.Time // the last commit
	kept   [16][]string
	count  int
}

// A counter is a partition that commits numbers.
type counter struct {
	tally  *tally
	number int
	mu     sync.Mutex
	groups []cluster.Group
}

func (c *counter) Groups(fn func(cluster.Group) error) error {
	c.mu.Lock()
	list := slices.Clone(c.groups)
	c.mu.Unlock()
	for _, g := range list {
		if err := fn(g); err != nil {
			return err
		}
	}
	return nil
}

func (c *counter) Cut(groups int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.groups = slices.Clip(c.groups[:groups])
	return nil
}

func (c *counter) Add(fn func(func(cluster.Group) error) error) error { return fn(c.add) }

func (c *counter) add(g cluster.Group) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	g.Bytes = bytes.Clone(g.Bytes)
	c.groups = append(c.groups, g)
	return nil
}

func (c *counter) Run(ctx context.Context, t *cluster.Tenure) error {
	c.mu.Lock()
	next := uint64(len(c.groups))
	c.mu.Unlock()
	epoch := t.Epoch
	for {
		g := cluster.Group{First: next, Next: next + 1, Epoch: epoch, Bytes: fmt.Appendf(nil, "%d in epoch %d of %s", next, t.Epoch, t.Node)}
		if err := t.Commit(g, func() error { return c.add(g) }); err != nil {
			return err
		}
		c.tally.commit(c.number, string(g.Bytes))
		if next, epoch = next+1, 0; ctx.Err() != nil {
			return nil
		}
		if err := t.Gate(); err != nil {
			return err
		}
		c.tally.request(c.number, t)
		select {
		case <-time.After(200 * time.Millisecond):
		case <-t.Lost():
			return cluster.ErrLost
		}
	}
}

func (y *tally) commit(p int, s string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.kept[p], y.served[p] = append(y.kept[p], s), time.Now()
}

// request complains if a later owner has made one.
func (y *tally) request(p int, t *cluster.Tenure) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.count++; t.Epoch < y.newest[p] {
		y.t.Errorf("partition %d: %s requests in epoch %d after epoch %d", p, t.Node, t.Epoch, y.newest[p])
	}
	y.newest[p] = t.Epoch
}

// await waits until all partitions have committed something since an instant.
func (y *tally) await(since time.Time, most time.Duration) time.Duration {
	y.t.Helper()
	for {
		y.mu.Lock()
		late := slices.IndexFunc(y.served[:], func(at time.Time) bool { return !at.After(since) })
		y.mu.Unlock()
		if late < 0 {
			return time.Since(since)
		}
		if time.Since(since) > most {
			y.t.Errorf("partition %d was not served for %v", late, most)
			return time.Since(since)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestMachineNodes: three nodes with 16 partitions. A broker is killed, then a node is cut off.
func TestMachineNodes(t *testing.T) {
	engineOnly(t)
	x := newTrio(t, dirs(t), false)
	x.start()
	y := &tally{t: t}
	o := Options{Crawl: "c", Partitions: 16, Replicas: 3}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	first := x.dial()
	for i := range 3 {
		nc := first
		if i > 0 {
			nc = x.dial()
		}
		n := &cluster.Node{Name: fmt.Sprint("node", i), ID: fmt.Sprint(i), Engine: x.open(nc, o)}
		for p := range 16 {
			n.Partitions = append(n.Partitions, &counter{tally: y, number: p})
		}
		running.Go(func() {
			if err := n.Run(ctx); err != nil {
				t.Errorf("%s: %v", n.Name, err)
			}
		})
	}
	began := y.await(time.Now(), 30*time.Second)
	reader := x.dial()
	i := x.leader(reader, "W_c_J_0")
	x.kill(i)
	after := y.await(time.Now().Add(2*time.Second), 25*time.Second)
	x.startOne(i)
	time.Sleep(5 * time.Second)
	first.Close()
	taken := y.await(time.Now().Add(2*time.Second), roster.TTL+8*time.Second)
	time.Sleep(5 * time.Second)
	cancel()
	running.Wait()
	e := x.open(x.dial(), o)
	for p := range 16 {
		y.check(p, e.Log(p))
	}
	row("three nodes, 16 partitions", "begun after %.1f s; a broker killed: all served after %.1f s; a node cut off: after %.1f s; %d requests, all in order: %v",
		began.Seconds(), after.Seconds()+2, taken.Seconds()+2, y.count, !t.Failed())
}

// check compares what was committed with a log.
func (y *tally) check(p int, l cluster.Log) {
	has := map[string]bool{}
	next, epoch := uint64(0), uint64(0)
	if err := cluster.ReadLog(y.t.Context(), l, func(g cluster.Group) error {
		if g.First != next || g.Epoch != 0 && g.Epoch <= epoch {
			return errors.New("numbers or epochs are not in order")
		}
		next, epoch = g.Next, max(epoch, g.Epoch)
		has[string(g.Bytes)] = true
		return nil
	}); err != nil {
		y.t.Errorf("partition %d: %v", p, err)
	}
	for _, s := range y.kept[p] {
		if !has[s] {
			y.t.Errorf("partition %d: %s is lost", p, s)
			return
		}
	}
}
