package sim

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Line is the crawler's own line of B bytes per second, shared max-min fairly among the
// transfers on it, each of which also has the cap of its site:
//
//	rate_i = min(cap_i, level), where the level is such that the rates add up to B,
//	or infinite if the caps add up to no more than B
//
// This is the fluid model: rates change when a transfer starts or ends and at no other
// time, so a transfer that nothing disturbs ends at a known instant.
//
// The transfers are in one array by ascending cap. Those before some place are held
// by their caps and the others by the level, which one pass finds: a transfer is held
// by its cap if all from it on could have as much. A start or an end costs one pass
// over this array. Only transfers whose rate changes are touched, so one that the line
// never holds back takes exactly TransferTime(bytes, cap).
type Line struct {
	b         float64    // bytes per second
	transfers []transfer // by (cap, id)
	first     int        // the one that ends first, by (end, id); any if there is none
	level     float64    // +Inf: the line is not full
	used      float64    // sum of the rates
	now       time.Duration
}

// transfer is one body on its way.
type transfer struct {
	cap  float64       // bytes per second, of the site
	rate float64       // bytes per second since mark
	left float64       // bytes at mark
	mark time.Duration // when rate changed last
	end  time.Duration // when nothing will be left, if rate stays
	id   uint32
}

// NewLine returns a new idle line of b > 0 bytes per second, a finite number.
func NewLine(b float64) *Line {
	if !(b > 0) || math.IsInf(b, 1) {
		panic(fmt.Sprintf("sim: a line of %v bytes per second", b))
	}
	return &Line{b: b, level: math.Inf(1)}
}

// Start adds a transfer to the line. No other on it has the same id, cap > 0 is the
// speed of its site (+Inf: no limit), and now is not before the last change.
func (l *Line) Start(now time.Duration, id uint32, bytes int64, cap float64) {
	if !(cap > 0) || bytes < 0 {
		panic(fmt.Sprintf("sim: a transfer of %d bytes at %v bytes per second", bytes, cap))
	}
	t := transfer{cap: cap, left: float64(bytes), mark: now, end: now, id: id}
	place, _ := slices.BinarySearchFunc(l.transfers, t, byCap)
	l.transfers = slices.Insert(l.transfers, place, t)
	l.share(now)
}

// Next returns the transfer that ends first if no other starts, and when. ok is false if
// the line is idle. Transfers that end in the same nanosecond go by id.
func (l *Line) Next() (at time.Duration, id uint32, ok bool) {
	if len(l.transfers) == 0 {
		return 0, 0, false
	}
	t := &l.transfers[l.first]
	return t.end, t.id, true
}

// End removes a transfer from the line, at its end or, if a fetcher gives up, before. It
// returns the bytes that did not arrive: 0 at its end.
func (l *Line) End(now time.Duration, id uint32) (left float64) {
	i := l.find(id)
	t := l.transfers[i]
	if now < t.end {
		t.advance(now)
		left = t.left
	}
	l.transfers = slices.Delete(l.transfers, i, i+1)
	l.share(now)
	return left
}

// find returns the place of a transfer. A scan: at 256 transfers it costs less than
// keeping an index up to date while the array shifts.
func (l *Line) find(id uint32) int {
	for i := range l.transfers {
		if l.transfers[i].id == id {
			return i
		}
	}
	panic(fmt.Sprintf("sim: transfer %d is not on the line", id))
}

// share sets the rate of every transfer from now on and finds the one that ends first.
func (l *Line) share(now time.Duration) {
	if now < l.now {
		panic(fmt.Sprintf("sim: the line goes back from %v to %v", l.now, now))
	}
	l.now, l.first = now, 0
	held := l.hold(now)
	if l.level = math.Inf(1); held == len(l.transfers) {
		return
	}
	rest := l.transfers[held:]
	l.level = (l.b - l.used) / float64(len(rest))
	l.used = l.b
	perByte := 1e9 / l.level // nanoseconds
	for i := range rest {
		t := &rest[i]
		if t.rate != l.level {
			t.advance(now)
			t.rate, t.end = l.level, now+nanoseconds(t.left*perByte)
		}
		l.candidate(held + i)
	}
}

// hold sets the rates of the transfers that are limited by their caps, the smallest first,
// and returns how many they are. used becomes the sum of their rates.
func (l *Line) hold(now time.Duration) int {
	n := len(l.transfers)
	l.used = 0
	for i := range l.transfers {
		t := &l.transfers[i]
		if float64(t.cap*float64(n-i)) > l.b-l.used { // not all from here on can have as much
			return i
		}
		l.used += t.cap
		if t.rate != t.cap {
			t.advance(now)
			t.rate, t.end = t.cap, now+TransferTime(t.left, t.cap)
		}
		l.candidate(i)
	}
	return n
}

// candidate remembers transfer i if it ends before the first known so far.
func (l *Line) candidate(i int) {
	a, b := &l.transfers[i], &l.transfers[l.first]
	if a.end < b.end || a.end == b.end && a.id < b.id {
		l.first = i
	}
}

// advance takes off what arrived since mark. Ends are rounded up to the nanosecond, so
// a transfer at its end may have received a little more than there was.
func (t *transfer) advance(now time.Duration) {
	t.left = max(0, t.left-float64(t.rate*(float64(now-t.mark)*1e-9)))
	t.mark = now
}

// byCap orders transfers by (cap, id).
func byCap(a, b transfer) int {
	if a.cap != b.cap {
		if a.cap < b.cap {
			return -1
		}
		return 1
	}
	return int(a.id) - int(b.id)
}
