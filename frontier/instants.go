package frontier

import (
	"cmp"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// instants is a heap of things that wait for an instant, the earliest first, equal
// ones by number.
type instants []instant

type instant struct {
	at time.Duration
	id uint32
}

func (a instant) compare(b instant) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
}

func (a instant) before(b instant) bool { return a.at < b.at || a.at == b.at && a.id < b.id }

// first is the earliest instant, Never when there is none.
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
	if cap(a) > 1024 && len(a) < cap(a)/4 { // most were there for a moment, as after a restart
		a = append(make(instants, 0, 2*len(a)), a...)
	}
	*h = a
	if len(a) == 0 {
		return top
	}
	i := 0
	for {
		first := 4*i + 1
		if first >= len(a) {
			break
		}
		best := first
		for j := first + 1; j < min(first+4, len(a)); j++ {
			if a[j].before(a[best]) {
				best = j
			}
		}
		if !a[best].before(last) {
			break
		}
		a[i] = a[best]
		i = best
	}
	a[i] = last
	return top
}
