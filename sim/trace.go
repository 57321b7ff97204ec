package sim

import (
	"fmt"
	"time"
)

// A Reason is the reason why an idle fetcher waits.
type Reason uint8

const (
	Nothing Reason = iota // every known page is taken or fetched: links must arrive first
	Busy                  // pages are left, but only on sites that other fetchers have acquired
	Polite                // a site with pages is free, but all such wait for their instant
	Address               // a site is ready, but its address has its cap or its own delay
	Batch                 // pages are left, but not in this batch: the thesis' barrier
	Limit                 // the last requested page is handed out: the crawl ends
	Reasons               // the number of reasons
)

// String returns the word for reports and JSON.
func (r Reason) String() string {
	if r >= Reasons {
		return fmt.Sprintf("reason %d", uint8(r))
	}
	return [Reasons]string{"nothing", "busy", "polite", "address", "batch", "limit"}[r]
}

// Idle counts idle fetchers by reason.
type Idle [Reasons]int

// Sum returns the number of idle fetchers.
func (i *Idle) Sum() int {
	sum := 0
	for _, n := range i {
		sum += n
	}
	return sum
}

// traceBuckets is the most points of a trace, and traceWidth the span of one before the
// first doubling.
const (
	traceBuckets = 512
	traceWidth   = time.Millisecond
)

// Trace is the number of active fetchers over virtual time, and what the others waited
// for: Figures 4.10 and 4.11 of the thesis. It keeps time-weighted means
// in at most 512 buckets of equal width. When a crawl outlasts them, neighbours are
// merged and the width doubles, so the memory is fixed and a change costs constant time
// on average, however long the crawl.
type Trace struct {
	fetchers int
	started  bool
	from     time.Duration // of the first change
	now      time.Duration // accounted up to here
	active   int           // since now
	idle     Idle          // since now
	peak     int

	width   time.Duration
	buckets []Share // in fetcher-seconds
	total   Share   // in fetcher-seconds
}

// Share is an amount of fetchers, or of their time, by what they did.
type Share struct {
	Active float64
	Idle   [Reasons]float64
}

// Point is one bucket of a trace: the mean numbers of fetchers in [From, To).
type Point struct {
	From, To time.Duration
	Share
}

// NewTrace returns a new empty trace of r fetchers.
func NewTrace(r int) *Trace { return &Trace{fetchers: r, width: traceWidth} }

// Change records how many fetchers are active and idle from now on: each is one of both.
// The trace begins with the first call; now never goes back.
func (t *Trace) Change(now time.Duration, active int, idle *Idle) {
	if all := active + idle.Sum(); all != t.fetchers {
		panic(fmt.Sprintf("sim: %d of %d fetchers accounted for", all, t.fetchers))
	}
	if !t.started {
		t.started, t.from, t.now = true, now, now
	}
	t.Advance(now)
	t.active, t.idle = active, *idle
	t.peak = max(t.peak, active)
}

// Advance accounts for the time up to now without a change, at the end of a crawl.
func (t *Trace) Advance(now time.Duration) {
	if !t.started || now <= t.now {
		return
	}
	t.total.add(t.active, &t.idle, (now - t.now).Seconds())
	t.reach(now)
	for t.now < now {
		i := int((t.now - t.from) / t.width)
		end := min(now, t.from+time.Duration(i+1)*t.width)
		if i == len(t.buckets) {
			t.buckets = append(t.buckets, Share{})
		}
		t.buckets[i].add(t.active, &t.idle, (end - t.now).Seconds())
		t.now = end
	}
}

// reach doubles the width until the buckets hold now. Each doubling merges all that are
// there, so what it costs was paid by the changes that filled them.
func (t *Trace) reach(now time.Duration) {
	for now-t.from > traceBuckets*t.width {
		half := (len(t.buckets) + 1) / 2
		for i := range half {
			sum := t.buckets[2*i]
			if 2*i+1 < len(t.buckets) {
				sum.merge(&t.buckets[2*i+1])
			}
			t.buckets[i] = sum
		}
		t.buckets = t.buckets[:half]
		t.width *= 2
	}
}

// Total returns the fetcher-seconds so far, active and idle by reason.
func (t *Trace) Total() Share { return t.total }

// Peak returns the most fetchers that were active at once: the r that had an effect.
func (t *Trace) Peak() int { return t.peak }

// Mean returns the mean number of active fetchers and of idle ones by reason.
func (t *Trace) Mean() Share { return t.total.over((t.now - t.from).Seconds()) }

// Points returns the means by bucket, in order and without gaps; the last ends now.
func (t *Trace) Points() []Point {
	points := make([]Point, len(t.buckets))
	for i := range t.buckets {
		from := t.from + time.Duration(i)*t.width
		to := min(from+t.width, t.now)
		points[i] = Point{From: from, To: to, Share: t.buckets[i].over((to - from).Seconds())}
	}
	return points
}

func (s *Share) add(active int, idle *Idle, seconds float64) {
	s.Active += float64(active) * seconds
	for r, n := range idle {
		s.Idle[r] += float64(n) * seconds
	}
}

func (s *Share) merge(o *Share) {
	s.Active += o.Active
	for r := range s.Idle {
		s.Idle[r] += o.Idle[r]
	}
}

// over divides by a span of seconds: fetcher-seconds become mean fetchers.
func (s Share) over(seconds float64) Share {
	if seconds <= 0 {
		return Share{}
	}
	s.Active /= seconds
	for r := range s.Idle {
		s.Idle[r] /= seconds
	}
	return s
}
