package frontier

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// instants is a heap of ids that wait for an instant. The earliest instant comes first;
// of equal instants, the smaller id.
type instants []instant

type instant struct {
	at time.Duration
	id uint32
}

func (a instant) before(b instant) bool { return a.at < b.at || a.at == b.at && a.id < b.id }

// first returns the earliest instant, or Never if the heap is empty.
func (h instants) first() time.Duration {
	if len(h) == 0 {
		return event.Never
	}
	return h[0].at
}

func (h *instants) push(at time.Duration, id uint32) {
	*h = append(*h, instant{})
	a := *h
	n := instant{at, id}
	i := len(a) - 1
	for i > 0 && n.before(a[(i-1)/4]) {
		a[i] = a[(i-1)/4]
		i = (i - 1) / 4
	}
	a[i] = n
}

func (h *instants) pop() instant {
	a := *h
	top, last := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	if cap(a) > 1024 && len(a) < cap(a)/4 { // free the memory of a short peak, as after a restart
		a = append(make(instants, 0, 2*len(a)), a...)
	}
	*h = a
	if len(a) > 0 {
		a.down(last)
	}
	return top
}

// down puts n into the root of the heap and moves it down to its place.
func (h instants) down(n instant) {
	i := 0
	for {
		first := 4*i + 1
		if first >= len(h) {
			break
		}
		best := first
		for j := first + 1; j < min(first+4, len(h)); j++ {
			if h[j].before(h[best]) {
				best = j
			}
		}
		if !h[best].before(n) {
			break
		}
		h[i] = h[best]
		i = best
	}
	h[i] = n
}

// addCapped returns t + d, or Never if the sum is larger.
func addCapped(t, d time.Duration) time.Duration {
	if t > event.Never-d {
		return event.Never
	}
	return t + d
}

// doubled returns d, doubled n times, but at most most, where 0 means no limit.
func doubled(d time.Duration, n int, most time.Duration) time.Duration {
	end := limit(most)
	if n < 32 && d < end>>n {
		return d << n
	}
	return end
}

// limit returns most, or if that is 0, more than a century, which can still be added to
// an instant.
func limit(most time.Duration) time.Duration {
	if most == 0 {
		return event.Never / 2
	}
	return most
}

// A narrow is a column of times that takes four bytes each. Times are rounded down to a
// multiple of unit, but a positive time stays positive. Times that are too long become
// the longest possible one.
type narrow struct {
	*graph.Column[uint32]
	unit time.Duration
}

func newNarrow(set *graph.Set, name string, n int, unit time.Duration) narrow {
	return narrow{graph.NewColumnIn[uint32](set, name, n), unit}
}

// At returns element i, in nanoseconds.
func (c narrow) At(i int) int64 { return int64(c.Column.At(i)) * int64(c.unit) }

// Set changes element i to v nanoseconds.
func (c narrow) Set(i int, v int64) {
	n := min(max(0, v)/int64(c.unit), math.MaxUint32)
	if v > 0 {
		n = max(1, n)
	}
	c.Column.Set(i, uint32(n))
}
