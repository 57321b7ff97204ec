package machine

import (
	"runtime/debug"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// TestHeapLimit: the heap of a crawl gets what the columns leave, never less than it needs
// to work, and what it had before when the crawl has ended.
func TestHeapLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	m := ForCrawl(0)
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
		m.Leave(s.most, s.columns)
		if got := debug.SetMemoryLimit(-1); got != s.want {
			t.Errorf("%d of %d in columns: %d, want %d", s.columns, s.most, got, s.want)
		}
	}
	m.Restore()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("%d afterwards, %d before", got, before)
	}
}

// TestMemoryLimit: the heap gets half while links are read, its part by pages while
// lists are written, and nearly all afterwards; in the end the limit is what it was.
func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	const most, pages = 1 << 30, 1 << 20
	m := ForGraph(most)
	tell := m.Watch(func(string, int64, int64) error { return nil })
	steps := []struct {
		stage string
		want  int64
	}{
		{graph.StageRead, most / 2},
		{graph.StageForward, heapBase + heapPerPage*pages},
		{graph.StageRead, heapBase + heapPerPage*pages}, // a WebGraph file is read while lists are written
		{graph.StageBackward, heapBase + heapPerPage*pages},
		{graph.StageURLs, most - notHeap - heapPerPage*pages},
	}
	for _, s := range steps {
		if err := tell(s.stage, 0, pages); err != nil {
			t.Fatal(err)
		}
		if got := debug.SetMemoryLimit(-1); got != s.want {
			t.Errorf("%s: %d, want %d", s.stage, got, s.want)
		}
	}
	m.Restore()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("%d afterwards, %d before", got, before)
	}
	m = ForGraph(1 << 20)
	defer m.Restore()
	if got := debug.SetMemoryLimit(-1); got != heapBase {
		t.Errorf("%d with little memory, want %d", got, heapBase)
	}
}
