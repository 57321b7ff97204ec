package partition

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A board shows the partitions as one crawl: to those who watch, and in the status file.
type board struct {
	mu     sync.Mutex
	o      *crawl.RunOptions
	top    *top
	last   []*history.Status // as reported
	told   []*history.Status // with details, as written
	shown  time.Time         // when they were last reported as one
	stored time.Time         // and written
}

func newBoard(o *crawl.RunOptions, t *top, n int) *board {
	return &board{o: o, top: t, last: make([]*history.Status, n), told: make([]*history.Status, n)}
}

// Times between two reports, and between two writings of the status.
const showEvery, storeEvery = time.Second, 2 * time.Second

// progress returns RunOptions.Progress of a partition.
func (b *board) progress(self int) func(*history.Status) {
	return func(s *history.Status) {
		b.mu.Lock()
		defer b.mu.Unlock()
		c := *s // its maps and lists are not used again
		c.Fetching = slices.Clone(s.Fetching)
		b.last[self] = &c
		if now := time.Now(); b.o.Progress != nil && now.Sub(b.shown) >= showEvery-showEvery/10 {
			b.shown = now
			x := history.Merge(b.last)
			b.whole(x)
			b.o.Progress(x)
		}
	}
}

// now returns the status of all that have told theirs, and which these are.
func (b *board) now() (x *history.Status, parts []int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	parts = []int{}
	for i, s := range b.last {
		if s != nil {
			parts = append(parts, i)
		}
	}
	x = history.Merge(b.last)
	b.whole(x)
	return x, parts
}

// leave forgets a partition.
func (b *board) leave(self int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last[self], b.told[self] = nil, nil
}

// whole sets what is not a sum over partitions.
func (b *board) whole(x *history.Status) {
	x.Fetchers = b.o.Config.Fetchers
	if x.MemoryMax > 0 { // each counts the memory of all
		heap := int64(0)
		for _, s := range b.last {
			if s != nil {
				heap = max(heap, s.Memory-s.OffHeap)
			}
		}
		x.Memory = x.OffHeap + heap
	}
}

// tell returns Port.Tell of a partition.
func (b *board) tell(self int) func(*history.Status) {
	return func(s *history.Status) {
		b.mu.Lock()
		defer b.mu.Unlock()
		c := *s
		b.told[self] = &c
		if now := time.Now(); now.Sub(b.stored) >= storeEvery {
			b.stored = now
			b.write(history.Merge(b.told))
		}
	}
}

// write writes the status where winnow status finds it. The crawl continues without it if that
// fails.
func (b *board) write(s *history.Status) {
	b.whole(s)
	if b.top.path == "" {
		return
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = disk.Replace(b.top.dir, layout.StatusFile, layout.StatusFile+".tmp", false, func(f disk.File) error {
			_, err := f.WriteAt(append(text, '\n'), 0)
			return err
		})
	}
	if err != nil {
		b.o.Log.Warn("cannot write the status", "error", err)
	}
}

// end returns the summary of all partitions, and writes it.
func (b *board) end(sums []*crawl.Summary) *crawl.Summary {
	list := make([]*history.Status, len(sums))
	for i, s := range sums {
		list[i] = &s.Status
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	whole := &crawl.Summary{Status: *history.Merge(list)}
	for _, s := range sums {
		whole.Retried += s.Retried
	}
	b.write(&whole.Status)
	return whole
}
