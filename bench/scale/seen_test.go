//go:build linux

package scale

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/urltable"
)

// seenPart is the number of inserts that are measured at one size of the table, in turns
// of seenTurn.
const (
	seenPart = 1_000_000
	seenTurn = 20_000
)

// A seenCost is what inserts into the table of seen URLs take at one size. A small table
// takes turns with the large one, so that what else the machine does falls on both.
type seenCost struct {
	large, small float64 // ns of processor time, means
	p50, p99     time.Duration
	smallP99     time.Duration
}

// TestSeen inserts 200 million hashes (WINNOW_SCALE_SEEN) into the table of seen URLs and
// compares the processor time of an insert with that in a table of a twentieth of it, in
// turns.
func TestSeen(t *testing.T) {
	wanted(t)
	n := number(t, "WINNOW_SCALE_SEEN", 200_000_000)
	runtime.LockOSThread()
	small, large := newSeen(n/20), newSeen(n)
	defer small.Free()
	defer large.Free()
	fillSeen(small, n/20)
	var last seenCost
	for _, part := range []int{20, 4, 2, 1} {
		fillSeen(large, n/part)
		last = compareSeen(large, small)
		t.Logf("%5.0f M URLs, %.2f bytes each: %4.0f ns of CPU an insert, by the clock p50 %v, p99 %v; at %.0f M in the same minute %4.0f ns, p99 %v: %.2f times, p99 %.2f times",
			float64(n/part)/1e6, float64(large.Bytes())/float64(large.Pages()), last.large, last.p50, last.p99,
			float64(n/20)/1e6, last.small, last.smallP99, last.large/last.small, float64(last.p99)/float64(last.smallP99))
	}
	t.Logf("load after %s, huge pages %.2f GiB", load(), gib(field("/proc/self/smaps_rollup", "AnonHugePages")))
	if last.large > 1.5*last.small {
		t.Errorf("an insert takes %.2f times what it takes at a twentieth of the size; want 1.5 at most", last.large/last.small)
	}
}

// newSeen returns a table for n pages and those by which it is measured.
func newSeen(n int) *urltable.Table { return urltable.New("", secret, n+20*seenPart, 1) }

// fillSeen inserts hashes until the table has n.
func fillSeen(table *urltable.Table, n int) {
	for i := table.Pages(); i < n; i++ {
		table.Page(policy.Hash(1, uint64(i)))
	}
}

// compareSeen inserts seenPart hashes into each table by processor time, and as many again
// one by one, by the clock.
func compareSeen(large, small *urltable.Table) (c seenCost) {
	turns := seenPart / seenTurn
	var times [2][]time.Duration
	for range turns {
		c.large += turnSeen(large) / float64(turns)
		c.small += turnSeen(small) / float64(turns)
		times[0] = clockSeen(large, times[0])
		times[1] = clockSeen(small, times[1])
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	c.p50, c.p99, c.smallP99 = times[0][seenPart/2], times[0][seenPart/100*99], times[1][seenPart/100*99]
	return c
}

// turnSeen returns the mean processor time of an insert, in nanoseconds.
func turnSeen(table *urltable.Table) float64 {
	began := threadTime()
	fillSeen(table, table.Pages()+seenTurn)
	return float64(threadTime()-began) / seenTurn
}

// clockSeen appends the times of inserts by the clock.
func clockSeen(table *urltable.Table, times []time.Duration) []time.Duration {
	for range seenTurn {
		hash := policy.Hash(1, uint64(table.Pages()))
		began := time.Now()
		table.Page(hash)
		times = append(times, time.Since(began))
	}
	return times
}
