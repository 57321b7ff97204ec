package graph

import (
	"sync"
	"sync/atomic"
)

// Parallel calls fn(0), fn(1)... fn(parts-1) on at most threads goroutines and
// returns when all are done. Which goroutine takes which part is not determined,
// so that a result must not depend on it: give every part a place of its own and
// combine in the order of parts. A panic of fn is raised again in the caller.
func Parallel(threads, parts int, fn func(part int)) {
	threads = min(threads, parts)
	if threads <= 1 {
		for i := range parts {
			fn(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make(chan any, threads)
	for range threads {
		wg.Go(func() {
			defer func() {
				if e := recover(); e != nil {
					failed <- e
				}
			}()
			for i := int(next.Add(1)) - 1; i < parts; i = int(next.Add(1)) - 1 {
				fn(i)
			}
		})
	}
	wg.Wait()
	select {
	case e := <-failed:
		panic(e)
	default:
	}
}
