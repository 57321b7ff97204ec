package main

import (
	"runtime/debug"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/history"
)

// TestHeapLimit: the heap of a crawl gets what the columns leave, never less than it needs
// to work, and what it had before when the crawl has ended.
func TestHeapLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	m := limitHeap(0)
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("without --max-memory: %d", got)
	}
	for _, s := range []struct{ most, columns, want int64 }{
		{1 << 30, 0, 1<<30 - besideHeap},
		{1 << 30, 512 << 20, 512<<20 - besideHeap},
		{1 << 30, 1 << 30, 128 << 20},
		{64 << 20, 64 << 20, heapBase},
		{64 << 30, 64 << 30, 256 << 20},
	} {
		m.leave(&history.Status{MemoryMax: s.most, OffHeap: s.columns})
		if got := debug.SetMemoryLimit(-1); got != s.want {
			t.Errorf("%d of %d in columns: %d, want %d", s.columns, s.most, got, s.want)
		}
	}
	m.restore()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("%d afterwards, %d before", got, before)
	}
}
