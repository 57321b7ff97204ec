// Package machine reports what the machine allows a process, and holds the Go heap within
// it.
package machine

import (
	"runtime/debug"

	"github.com/winnow-crawler/winnow/graph"
)

// While a graph is written, package graph leaves heapBase and heapPerPage for the Go heap,
// in addition to its sort buffers. Afterwards the heap gets all but notHeap, which is the
// program itself, and columns of heapPerPage.
const (
	heapBase    = 18 << 20
	heapPerPage = 16
	notHeap     = 20 << 20
)

// besideHeap is the memory of a crawl outside its heap and columns: the program itself
// (25 MiB, measured), the growth of columns between two measurements, and the delay of the
// garbage collector.
const besideHeap = 64 << 20

// A Heap limits the Go heap so that the whole process stays within a given memory.
type Heap struct {
	before int64 // the limit that Restore sets
	most   int64 // bytes that the process may use
	now    int64 // the current limit
}

// ForGraph returns the limit for writing a graph within most bytes.
func ForGraph(most int64) *Heap {
	h := &Heap{before: debug.SetMemoryLimit(-1), most: most}
	h.set(most / 2) // while links are read only one of the two sort buffers is in use
	return h
}

// ForCrawl returns the limit for a crawl within most bytes; 0 if that is not known yet.
func ForCrawl(most int64) *Heap {
	h := &Heap{before: debug.SetMemoryLimit(-1), most: most}
	if most > 0 {
		h.set(most - besideHeap)
	}
	return h
}

// set changes the limit. Less than heapBase would only keep the collector busy.
func (h *Heap) set(limit int64) {
	if limit = max(limit, heapBase); limit != h.now {
		h.now = limit
		debug.SetMemoryLimit(limit)
	}
}

// Watch returns a function for graph.WriteOptions.Progress that adapts the limit to the
// stage and to the number of pages, and then calls next.
func (h *Heap) Watch(next func(stage string, done, total int64) error) func(string, int64, int64) error {
	return func(stage string, done, pages int64) error {
		switch stage {
		case graph.StageForward, graph.StageBackward:
			h.set(heapBase + heapPerPage*pages)
		case graph.StageURLs:
			h.set(max(heapBase+heapPerPage*pages, h.most-notHeap-heapPerPage*pages))
		}
		return next(stage, done, pages)
	}
}

// Leave limits the heap of a crawl to what its columns leave of most bytes, but not to
// less than an eighth of them (at most 256 MiB). Bodies, records that wait for the disk and
// robots rules are on the heap: a lower limit would only keep the collector busy.
func (h *Heap) Leave(most, columns int64) {
	if most > 0 {
		h.set(max(most-besideHeap-columns, min(most/8, 256<<20)))
	}
}

// Restore sets the limit that was in force before.
func (h *Heap) Restore() { debug.SetMemoryLimit(h.before) }
