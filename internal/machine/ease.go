package machine

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// An ease keeps the garbage collector from running too often while the heap is small. Go
// collects when the heap has doubled: a crawl that holds 20 MB would collect after each
// 20 MB of pages. The limits of a Heap hold all the same. A user who sets GOGC has decided.
type ease struct {
	mu     sync.Mutex
	before int // percentage that stop sets
	over   bool
}

// leastGarbage is the number of bytes that are allocated between two collections, at least.
const leastGarbage = 64 << 20

// newEase begins to set the percentage of the collector; nil if the user has set it.
func newEase() *ease {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	const usual = 100
	e := &ease{before: debug.SetGCPercent(usual)}
	e.await()
	return e
}

// await calls set after the next collection.
func (e *ease) await() {
	type mark struct{ _ *ease }
	runtime.AddCleanup(new(mark), (*ease).set, e)
}

// set chooses the percentage by what the last collection found alive.
func (e *ease) set() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percent(live[0].Value.Uint64()))
	e.await()
}

// percent returns the percentage at which leastGarbage is allocated before the next
// collection, and not less than usual.
func percent(live uint64) int { return int(max(100, leastGarbage*100/max(live, 1<<20))) }

// stop sets the percentage that was in force before.
func (e *ease) stop() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	debug.SetGCPercent(e.before)
}
