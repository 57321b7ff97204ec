package frontier

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// A narrow is a column of times in four bytes each, in some unit. They are rounded down,
// but what is not 0 stays so, and what is longer than can be told is the longest that can.
type narrow struct {
	*graph.Column[uint32]
	unit time.Duration
}

func newNarrow(set *graph.Set, name string, n int, unit time.Duration) narrow {
	return narrow{graph.NewColumnIn[uint32](set, name, n), unit}
}

// At is element i, in nanoseconds.
func (c narrow) At(i int) int64 { return int64(c.Column.At(i)) * int64(c.unit) }

// Set changes element i to some nanoseconds.
func (c narrow) Set(i int, v int64) {
	n := min(max(0, v)/int64(c.unit), math.MaxUint32)
	if v > 0 {
		n = max(1, n)
	}
	c.Column.Set(i, uint32(n))
}
