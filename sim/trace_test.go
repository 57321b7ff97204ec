package sim

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTraceByHand(t *testing.T) {
	x := NewTrace(4)
	x.Change(10*time.Second, 3, &Idle{Polite: 1}) // the trace begins here
	x.Change(14*time.Second, 4, &Idle{})
	x.Change(15*time.Second, 0, &Idle{Nothing: 4})
	x.Advance(20 * time.Second)
	total := x.Total()
	if total.Active != 3*4+4 || total.Idle[Polite] != 4 || total.Idle[Nothing] != 4*5 || total.Idle[Batch] != 0 {
		t.Errorf("totals %+v", total)
	}
	if mean := x.Mean(); mean.Active != 1.6 || mean.Idle[Nothing] != 2 {
		t.Errorf("means %+v", mean)
	}
	if x.Peak() != 4 {
		t.Errorf("peak %d", x.Peak())
	}
	points := x.Points()
	first, last := points[0], points[len(points)-1]
	if first.From != 10*time.Second || last.To != 20*time.Second || len(points) > traceBuckets || len(points) < traceBuckets/2 {
		t.Errorf("%d points from %v to %v", len(points), first.From, last.To)
	}
	if math.Abs(first.Active-3) > 1e-9 || math.Abs(last.Idle[Nothing]-4) > 1e-9 {
		t.Errorf("ends with %+v and %+v", first, last)
	}
}

func TestEmptyTrace(t *testing.T) {
	x := NewTrace(5)
	x.Advance(time.Hour)
	if len(x.Points()) != 0 || x.Mean() != (Share{}) || x.Total() != (Share{}) {
		t.Error("a trace without a change has points")
	}
	x.Change(time.Hour, 5, &Idle{}) // no time has passed yet
	if len(x.Points()) != 0 || x.Mean() != (Share{}) || x.Peak() != 5 {
		t.Error("an instant has points")
	}
}

// Each fetcher is active or idle for one reason.
func TestTraceCountsEveryFetcher(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("seven of eight fetchers accepted")
		}
	}()
	NewTrace(8).Change(0, 3, &Idle{Polite: 2, Batch: 2})
}

func TestReasonNames(t *testing.T) {
	seen := map[string]bool{}
	for r := range Reasons {
		if r.String() == "" || seen[r.String()] {
			t.Errorf("reason %d is called %q", r, r)
		}
		seen[r.String()] = true
	}
	if Polite.String() != "polite" || Limit.String() != "limit" || Reasons.String() != "reason 6" {
		t.Error("names moved")
	}
}

// change is a step of a random crawl.
type change struct {
	span   time.Duration // since the one before
	active int
	idle   Idle
}

// drawChanges draws spans from nanoseconds to hours, so that widths double often and
// one change crosses many buckets.
func drawChanges(t *rapid.T) []change {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) change {
		c := change{active: 300}
		c.span = time.Duration(math.Pow(10, rapid.Float64Range(0, 13).Draw(t, "log10 ns")))
		for r := range c.idle {
			c.idle[r] = rapid.IntRange(0, 50).Draw(t, "idle")
			c.active -= c.idle[r]
		}
		return c
	}), 1, 40).Draw(t, "changes")
}

// Every bucket is the time-weighted mean of the crawl over its span, by brute force over
// all changes, and the totals are the sum of the buckets.
func TestTraceAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		changes := drawChanges(t)
		from := time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "from"))
		x := NewTrace(300)
		now := from
		for _, c := range changes {
			x.Change(now, c.active, &c.idle)
			now += c.span
		}
		x.Advance(now)
		points, total, at := x.Points(), Share{}, from
		for _, p := range points {
			if p.From != at || p.To <= p.From {
				t.Fatalf("a point from %v to %v after %v", p.From, p.To, at)
			}
			at = p.To
			want := mean(from, changes, p.From, p.To)
			if !alike(p.Share, want, 1e-6) {
				t.Fatalf("from %v to %v: %+v, want %+v", p.From, p.To, p.Share, want)
			}
			for r := range want.Idle {
				total.Idle[r] += want.Idle[r] * (p.To - p.From).Seconds()
			}
			total.Active += want.Active * (p.To - p.From).Seconds()
		}
		if at != now || len(points) > traceBuckets {
			t.Fatalf("%d points end at %v, want %v", len(points), at, now)
		}
		if !alike(x.Total(), total, 1e-6*(1+now.Seconds())) || !alike(x.Mean(), mean(from, changes, from, now), 1e-6) {
			t.Fatalf("total %+v, want %+v", x.Total(), total)
		}
	})
}

// mean averages the changes over [a, b).
func mean(from time.Duration, changes []change, a, b time.Duration) (m Share) {
	for _, c := range changes {
		overlap := (min(b, from+c.span) - max(a, from)).Seconds()
		from += c.span
		if overlap <= 0 {
			continue
		}
		w := overlap / (b - a).Seconds()
		m.Active += float64(c.active) * w
		for r, n := range c.idle {
			m.Idle[r] += float64(n) * w
		}
	}
	return m
}

func alike(a, b Share, tolerance float64) bool {
	ok := math.Abs(a.Active-b.Active) <= tolerance
	for r := range a.Idle {
		ok = ok && math.Abs(a.Idle[r]-b.Idle[r]) <= tolerance
	}
	return ok
}

func BenchmarkTrace(b *testing.B) {
	x := NewTrace(256)
	for i := range b.N {
		idle := Idle{Polite: i & 255}
		x.Change(time.Duration(i)*3*time.Millisecond, 256-i&255, &idle)
	}
}
