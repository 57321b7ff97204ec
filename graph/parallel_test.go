package graph

import (
	"sync/atomic"
	"testing"
)

// TestParallel: every part once, with any number of goroutines.
func TestParallel(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 3, 100} {
		for _, parts := range []int{0, 1, 2, 57} {
			seen := make([]int, parts)
			Parallel(threads, parts, func(i int) { seen[i]++ })
			for i, n := range seen {
				if n != 1 {
					t.Errorf("%d threads: part %d of %d was done %d times", threads, i, parts, n)
				}
			}
		}
	}
}

// TestParallelPanics: the caller gets the panic, once the other parts are done.
func TestParallelPanics(t *testing.T) {
	for _, threads := range []int{1, 2, 5} {
		var running atomic.Int32
		func() {
			defer func() {
				if e := recover(); e != "part 3" {
					t.Errorf("%d threads: recovered %v", threads, e)
				}
				if n := running.Load(); n != 0 {
					t.Errorf("%d threads: %d parts still at work", threads, n)
				}
			}()
			Parallel(threads, 10, func(i int) {
				running.Add(1)
				defer running.Add(-1)
				if i == 3 {
					panic("part 3")
				}
			})
		}()
	}
}
