package member

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/node"
)

// A Beat is what a node tells each second.
type Beat struct {
	Node      string            `json:"node"`
	ID        string            `json:"id"`
	Address   string            `json:"address,omitempty"`
	Version   string            `json:"version,omitempty"`
	Broker    bool              `json:"broker"`               // it runs one
	BrokerOff bool              `json:"broker_off,omitempty"` // which has switched itself off
	Crawls    map[string]string `json:"crawls"`               // how it takes part in each crawl: see Part

	Partitions int     `json:"partitions"`       // of all crawls that run there
	Rate       float64 `json:"pages_per_second"` // of all
	// Memory and MemoryMax are those of the crawl that is nearest to its limit. Each counts the heap of
	// the whole process.
	Memory    int64 `json:"memory"`
	MemoryMax int64 `json:"memory_max"` // 0: no crawl runs there, or none has a limit
}

// count adds what the node tells about a crawl.
func (b *Beat) count(s *node.NodeStatus) {
	b.Partitions += len(s.Partitions)
	b.Rate += s.Status.Rate
	if s.Status.Memory > 0 && float64(s.Status.Memory)*float64(b.MemoryMax) >= float64(b.Memory)*float64(s.MemoryMax) {
		b.Memory, b.MemoryMax = s.Status.Memory, s.MemoryMax
	}
}

// How a node takes part in a crawl.
const (
	PartRuns   = "runs"
	PartEnded  = "ended"
	PartFailed = "failed: " // and why
)

const nodesSubject, beatTime = "nodes", time.Second

// hear listens for the beats of nodes for some time.
func hear(ctx context.Context, b cluster.Bus, d time.Duration) ([]Beat, error) {
	var mu sync.Mutex
	heard := map[string]Beat{}
	stop, err := b.Subscribe(nodesSubject, func(data []byte) {
		var x Beat
		if json.Unmarshal(data, &x) == nil {
			mu.Lock()
			heard[x.Node+" "+x.ID] = x
			mu.Unlock()
		}
	})
	if err != nil {
		return nil, err
	}
	pause(ctx, d)
	stop()
	mu.Lock()
	defer mu.Unlock()
	var list []Beat
	for _, k := range slices.Sorted(maps.Keys(heard)) {
		list = append(list, heard[k])
	}
	return list, ctx.Err()
}

// Nodes returns the nodes that run.
func (c *Cluster) Nodes(ctx context.Context) ([]Beat, error) { return hear(ctx, c.bus, listenTime) }

// pause waits, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
