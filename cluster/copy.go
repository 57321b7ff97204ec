package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster/roster"
)

// Copy adds to a journal what a log has and it lacks. What the journal has otherwise is removed. A
// journal that goes on where the log ends is left as it is.
func Copy(ctx context.Context, l Log, j Journal) error {
	has, err := points(j)
	if err != nil {
		return err
	}
	n, r := 0, reader{}
	more, err := walk(ctx, l, &r, has, &n)
	if err != nil || !more {
		return err
	}
	if n < len(has)-1 {
		if err := j.Cut(n); err != nil {
			return err
		}
	}
	r.at = has[n]
	return fetch(ctx, l, j, &r, true)
}

// Ends returns the number of the record after the last group of a journal, and a hash of all groups.
func Ends(j Journal) (next, chain uint64, err error) {
	list, err := points(j)
	end := list[len(list)-1]
	return end.next, end.chain, err
}

// Begins reports whether a journal begins with the groups that end before a record, whose hash Ends
// has returned. It returns the number of the record after the last group, too.
func Begins(j Journal, next, chain uint64) (begins bool, end uint64, err error) {
	list, err := points(j)
	for _, p := range list {
		begins = begins || p.next == next && p.chain == chain
	}
	return begins, list[len(list)-1].next, err
}

// ErrOther is returned by Fill for a log that has something else.
var ErrOther = errors.New("the log has records of another journal")

// Fill appends to a log what a journal has and it lacks. Nobody else may write to the log
// meanwhile. It may be repeated after an error.
func Fill(ctx context.Context, l Log, j Journal) error {
	has, err := points(j)
	if err != nil {
		return err
	}
	n, r := 0, reader{}
	more, err := walk(ctx, l, &r, has, &n)
	if err == nil && more {
		err = ErrOther
	}
	if err != nil {
		return err
	}
	last, err := l.Last(ctx)
	if err != nil {
		return err
	}
	at := has[n]
	return j.Groups(func(g Group) error {
		if n--; n >= 0 {
			return nil
		}
		for _, data := range entries(at, &g) {
			if last, err = l.Append(ctx, last, data); err != nil {
				return fmt.Errorf("append record %d: %w", g.First, err)
			}
		}
		at = at.after(&g)
		return nil
	})
}

// Silence waits until no node of a crawl lives. Nodes that do not renew their leases are buried.
// Nodes that begin later have to be prevented otherwise.
func Silence(ctx context.Context, r Register, clock func() roster.Instant) error {
	if clock == nil {
		clock = machineClock
	}
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	w := deathwatch{register: r, clock: clock, nodes: map[string]seen{}}
	watching.Go(func() {
		for ctx.Err() == nil {
			_ = r.Watch(ctx, w.see)
			sleep(ctx, retryDelay)
		}
	})
	for ctx.Err() == nil {
		if w.over(ctx) {
			return nil
		}
		sleep(ctx, time.Second)
	}
	return ctx.Err()
}

// A deathwatch looks at nodes until all are dead.
type deathwatch struct {
	register Register
	clock    func() roster.Instant
	mu       sync.Mutex
	whole    bool // all keys were seen
	nodes    map[string]seen
}

// seen is a node, and when its key was seen to change.
type seen struct {
	value    nodeValue
	revision uint64
	at       roster.Instant
}

// see notes a value of the register.
func (w *deathwatch) see(v Value) {
	kind, name, _ := strings.Cut(v.Key, ".")
	now := w.clock()
	w.mu.Lock()
	defer w.mu.Unlock()
	var x nodeValue
	switch {
	case v.Key == "":
		w.whole = true
	case kind == "node" && json.Unmarshal(v.Data, &x) == nil && v.Revision > w.nodes[name].revision:
		w.nodes[name] = seen{x, v.Revision, now}
	}
}

// over reports whether no node lives. It buries those that do not renew their keys.
func (w *deathwatch) over(ctx context.Context) bool {
	now := w.clock()
	var late []string
	w.mu.Lock()
	over := w.whole
	for name, x := range w.nodes {
		if x.value.State == alive {
			over = false
			if now.Monotonic-x.at.Monotonic > roster.TTL+roster.Margin {
				late = append(late, name)
			}
		}
	}
	w.mu.Unlock()
	for _, name := range late {
		w.bury(ctx, name)
	}
	return over
}

// bury marks the key of a node, unless it has changed: the watch tells then.
func (w *deathwatch) bury(ctx context.Context, name string) {
	w.mu.Lock()
	x := w.nodes[name]
	w.mu.Unlock()
	data, err := json.Marshal(nodeValue{Incarnation: x.value.Incarnation, State: dead})
	if err == nil {
		_, _ = w.register.Put(ctx, nodeKey(name), x.revision, data)
	}
}
