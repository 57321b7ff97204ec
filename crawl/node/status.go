package node

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/history"
)

// A NodeStatus is what a node tells about itself each second.
type NodeStatus struct {
	Node        string         `json:"node"`
	Address     string         `json:"address,omitempty"`
	Version     string         `json:"version,omitempty"`
	Partitions  []int          `json:"partitions"`       // that run there: those in Status
	Of          int            `json:"of"`               // partitions of the crawl
	Coordinator bool           `json:"coordinator"`      // it owns partition 0
	Paused      bool           `json:"paused,omitempty"` // the crawl is paused
	Stop        string         `json:"stop,omitempty"`   // why the crawl has ended
	MemoryMax   int64          `json:"memory_max"`       // which the memory of Status must not exceed; 0: no limit
	Status      history.Status `json:"status"`           // of these partitions, as one

	At time.Time `json:"-"` // when it was heard
}

// Times of the status: between two of a node, and after which one is forgotten.
const (
	statusEvery = time.Second
	statusOld   = 10 * time.Second
)

// statusSubject returns the subject of the status of a node.
func statusSubject(node string) string { return "s." + node }

// Watch calls fn about once a second with the status of all nodes that have told it lately, until
// the context ends. It belongs to fn.
func Watch(ctx context.Context, e cluster.Engine, fn func(map[string]NodeStatus)) error {
	w := watcher{engine: e, last: map[string]NodeStatus{}, stops: map[string]func(){}}
	var watching sync.WaitGroup
	defer w.end()
	defer watching.Wait()
	watching.Go(func() {
		for ctx.Err() == nil {
			_ = e.Register.Watch(ctx, func(v cluster.Value) { w.see(v.Key) })
			_ = pause(ctx, retryDelay)
		}
	})
	for {
		if err := pause(ctx, statusEvery); err != nil {
			return nil
		}
		fn(w.now())
	}
}

// A watcher gathers the status of nodes.
type watcher struct {
	engine cluster.Engine
	mu     sync.Mutex
	last   map[string]NodeStatus
	stops  map[string]func()
}

// see subscribes to the status of a node whose key it sees.
func (w *watcher) see(key string) {
	name, ok := strings.CutPrefix(key, "node.")
	w.mu.Lock()
	defer w.mu.Unlock()
	if !ok || w.stops[name] != nil {
		return
	}
	stop, err := w.engine.Bus.Subscribe(statusSubject(name), w.take)
	if err == nil {
		w.stops[name] = stop
	}
}

func (w *watcher) take(data []byte) {
	var s NodeStatus
	if json.Unmarshal(data, &s) != nil {
		return
	}
	restore(&s.Status)
	w.mu.Lock()
	defer w.mu.Unlock()
	s.At = time.Now()
	w.last[s.Node] = s
}

// now returns what was told lately.
func (w *watcher) now() map[string]NodeStatus {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.last, func(_ string, s NodeStatus) bool { return time.Since(s.At) > statusOld })
	return maps.Clone(w.last)
}

func (w *watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, stop := range w.stops {
		stop()
	}
}
