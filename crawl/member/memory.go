package member

import (
	"sync"

	"github.com/winnow-crawler/winnow/crawl/history"
)

// memory adds up what the crawls of a node take, so that they share one ceiling. The broker needs
// none of it: it is on the Go heap, which every crawl measures as a whole.
type memory struct {
	mu      sync.Mutex
	taken   map[string]int64 // by crawl: the weight of its partitions
	columns map[string]int64 // by crawl: bytes outside the heap
}

// sumOthers sets the value of a crawl, and returns the sum of all others.
func sumOthers(m *map[string]int64, name string, bytes int64) (others int64) {
	if *m == nil {
		*m = map[string]int64{}
	}
	(*m)[name] = bytes
	for k, n := range *m {
		if k != name {
			others += n
		}
	}
	return others
}

// forget notes that a crawl takes nothing any more.
func (m *memory) forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.taken, name)
	delete(m.columns, name)
}

// beyond returns node.Options.Beyond of a crawl.
func (m *memory) beyond(name string) func(int64) int64 {
	return func(sum int64) int64 {
		m.mu.Lock()
		defer m.mu.Unlock()
		return sumOthers(&m.taken, name, sum)
	}
}

// progress returns the function that receives the status of a crawl, for one that is to know the
// columns of all.
func (m *memory) progress(name string, next func(*history.Status)) func(*history.Status) {
	if next == nil {
		return nil
	}
	return func(s *history.Status) {
		x := *s
		m.mu.Lock()
		x.OffHeap += sumOthers(&m.columns, name, s.OffHeap)
		m.mu.Unlock()
		next(&x)
	}
}
