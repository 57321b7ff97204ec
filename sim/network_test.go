package sim

import (
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/rapidtest"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { os.Exit(rapidtest.Main(m)) }

// flow is a transfer of a test: its id is its place in the list.
type flow struct {
	start time.Duration
	bytes int64
	cap   float64
	end   time.Duration // the answer
}

// run sends all flows over a line, each started at its instant.
func run(b float64, flows []flow) []flow {
	flows = slices.Clone(flows)
	order := make([]int, len(flows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(flows[a].start - flows[b].start) })
	l := NewLine(b)
	for len(order) > 0 || l.Len() > 0 {
		at, id, busy := l.Next()
		if len(order) > 0 && (!busy || flows[order[0]].start < at) {
			f := flows[order[0]]
			l.Start(f.start, uint32(order[0]), f.bytes, f.cap)
			order = order[1:]
			continue
		}
		l.End(at, id)
		flows[id].end = at
	}
	return flows
}

func near(t *testing.T, what string, got, want time.Duration, tolerance time.Duration) {
	t.Helper()
	if (got - want).Abs() > tolerance {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// n equal flows have B/n each.
func TestLineEqualFlows(t *testing.T) {
	flows := make([]flow, 10)
	for i := range flows {
		flows[i] = flow{bytes: 1000, cap: 1e6}
	}
	for i, f := range run(500, flows) {
		near(t, "end of flow "+string(rune('0'+i)), f.end, 20*time.Second, 20)
	}
}

// A flow that its site slows down leaves the rest of its share to the others.
func TestLineOneSlowFlow(t *testing.T) {
	got := run(1000, []flow{
		{bytes: 1000, cap: 100},  // 100 B/s to the end: 10 s
		{bytes: 4500, cap: 1e9},  // 450 B/s: 10 s
		{bytes: 2250, cap: 1000}, // 450 B/s: 5 s, then the second has 900
	})
	near(t, "slow", got[0].end, 10*time.Second, 0)
	near(t, "third", got[2].end, 5*time.Second, 10)
	near(t, "second", got[1].end, 5*time.Second+2500*time.Millisecond, 10) // 2250 bytes at 900
}

// A late flow halves the rate of the first, which has 500 bytes left.
func TestLineLateFlow(t *testing.T) {
	got := run(100, []flow{
		{bytes: 1000, cap: 1e9},
		{start: 5 * time.Second, bytes: 1000, cap: 1e9},
	})
	near(t, "first", got[0].end, 15*time.Second, 10)
	near(t, "second", got[1].end, 20*time.Second, 10)
}

// The thesis' large bandwidth: B that never binds changes nothing, to the nanosecond,
// even in hours during which many others start and end.
func TestLineThatNeverBinds(t *testing.T) {
	x := mustPreset(t, "thesis2004", 1)
	var flows []flow
	sum := 0.0
	for i := range 500 {
		speed := x.Speed(graph.Site(i))
		sum += speed
		flows = append(flows, flow{start: time.Duration(i) * 76543217654, bytes: x.Size(graph.Page(i)) * 1e5, cap: speed})
	}
	for i, f := range run(sum*1.000001, flows) {
		if want := f.start + TransferTime(float64(f.bytes), f.cap); f.end != want {
			t.Fatalf("flow %d ends at %v, want %v", i, f.end, want)
		}
	}
}

func TestLineOfNothing(t *testing.T) {
	l := NewLine(10)
	if _, _, ok := l.Next(); ok || l.Len() != 0 || !math.IsInf(l.Level(), 1) {
		t.Error("an idle line has a transfer")
	}
	l.Start(3, 8, 0, 5) // nothing to send: over at once
	if at, id, ok := l.Next(); at != 3 || id != 8 || !ok {
		t.Error("an empty transfer does not end when it starts")
	}
	if l.End(3, 8) != 0 || l.Len() != 0 || l.Used() != 0 {
		t.Error("the line is not idle again")
	}
}

// A fetcher that gives up leaves what did not arrive, and its share to the others.
func TestLineGiveUp(t *testing.T) {
	l := NewLine(100)
	l.Start(0, 1, 1000, 1e6)
	l.Start(0, 2, 1000, 1e6)
	if left := l.End(4*time.Second, 2); math.Abs(left-800) > 1e-6 {
		t.Errorf("%v bytes left, want 800", left)
	}
	at, _, _ := l.Next()
	near(t, "the other", at, 12*time.Second, 10)
}

func TestLineTiesGoById(t *testing.T) {
	l := NewLine(1e9)
	for i, id := range []uint32{5, 2, 9, 3} { // the line keeps them by cap
		l.Start(0, id, int64(100*(i+1)), float64(100*(i+1)))
	}
	for _, want := range []uint32{2, 3, 5, 9} {
		at, id, _ := l.Next()
		if id != want || at != time.Second {
			t.Fatalf("transfer %d ends at %v, want %d", id, at, want)
		}
		l.End(at, id)
	}
}

func TestLineRefuses(t *testing.T) {
	l := NewLine(10)
	l.Start(5, 1, 10, 1)
	for name, f := range map[string]func(){
		"no bandwidth":    func() { NewLine(0) },
		"infinite line":   func() { NewLine(math.Inf(1)) },
		"no speed":        func() { l.Start(6, 2, 10, 0) },
		"negative size":   func() { l.Start(6, 2, -1, 1) },
		"unknown":         func() { l.End(6, 7) },
		"time going back": func() { l.Start(4, 2, 10, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			f()
		}()
	}
}

// Against small steps: in each, the rates are filled up slowly instead of solved for.
func TestLineAgainstSmallSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := float64(rapid.IntRange(50, 2000).Draw(t, "B"))
		flows := drawFlows(t, 6)
		const step = 5e-4
		want := smallSteps(b, flows, step)
		for i, f := range run(b, flows) {
			if got := f.end.Seconds(); math.Abs(got-want[i]) > 0.02*(1+want[i]) {
				t.Fatalf("flow %d ends at %v, by small steps at %v", i, got, want[i])
			}
		}
	})
}

func drawFlows(t *rapid.T, most int) []flow {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) flow {
		return flow{
			start: time.Duration(rapid.IntRange(0, 2000).Draw(t, "start")) * time.Millisecond,
			bytes: int64(rapid.IntRange(1, 1000).Draw(t, "bytes")),
			cap:   float64(rapid.IntRange(50, 2000).Draw(t, "cap")),
		}
	}), 1, most).Draw(t, "flows")
}

// smallSteps integrates the fluid model with a fixed step and gives the ends in seconds.
func smallSteps(b float64, flows []flow, step float64) []float64 {
	left, end := make([]float64, len(flows)), make([]float64, len(flows))
	for i, f := range flows {
		left[i] = float64(f.bytes)
	}
	for k, open := 0, len(flows); open > 0; k++ {
		now := float64(k) * step
		rates := fill(b, flows, func(i int) bool { return left[i] > 0 && flows[i].start.Seconds() <= now })
		for i := range flows {
			if rates[i] == 0 {
				continue
			}
			if left[i] -= rates[i] * step; left[i] <= 0 {
				end[i] = now + step
				open--
			}
		}
	}
	return end
}

// fill is max-min fairness as it is defined: all rates grow together, a flow stops at
// its cap, everything stops when the line is full.
func fill(b float64, flows []flow, on func(i int) bool) []float64 {
	rates, stopped := make([]float64, len(flows)), make([]bool, len(flows))
	for {
		growing, room := 0, math.Inf(1)
		for i, f := range flows {
			if stopped[i] = stopped[i] || !on(i) || rates[i] >= f.cap; !stopped[i] {
				growing++
				room = min(room, f.cap-rates[i])
			}
		}
		if growing == 0 || b <= 0 {
			return rates
		}
		more := min(room, b/float64(growing))
		b -= more * float64(growing)
		if more < 1e-9 {
			return rates
		}
		for i := range rates {
			if !stopped[i] {
				rates[i] += more
			}
		}
	}
}

// What makes rates max-min fair, checked at every change of a random history: nobody
// above its cap, the line not above B, full if the caps allow, and whoever is below its
// cap has the most. Then that bytes are conserved, and that the level falls with a
// start and rises with an end.
func TestLineProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(rapid.Float64Range(10, 5000).Draw(t, "B"))
		for range rapid.IntRange(1, 60).Draw(t, "changes") {
			level := h.line.Level()
			if len(h.bytes) == 0 || rapid.Bool().Draw(t, "start") {
				dt := time.Duration(rapid.IntRange(0, 300).Draw(t, "ms")) * time.Millisecond
				h.start(t, dt, rapid.Int64Range(0, 5000).Draw(t, "bytes"), rapid.Float64Range(1, 2000).Draw(t, "cap"))
				h.falls(t)
			} else {
				h.end(t)
				if h.line.Level() < level*(1-1e-12) {
					t.Fatalf("an end takes the level from %v to %v", level, h.line.Level())
				}
			}
			h.fair(t)
		}
	})
}

// history runs a line and keeps its own account of it.
type history struct {
	line  *Line
	b     float64
	now   time.Duration
	ids   []uint32 // on the line
	bytes map[uint32]float64
	caps  map[uint32]float64
	got   map[uint32]float64 // integral of the rate
	next  uint32
}

func newHistory(b float64) *history {
	return &history{line: NewLine(b), b: b, bytes: map[uint32]float64{}, caps: map[uint32]float64{}, got: map[uint32]float64{}}
}

// advance goes to an instant before which nothing ends.
func (h *history) advance(to time.Duration) {
	for _, id := range h.ids {
		h.got[id] += h.line.Rate(id) * (to - h.now).Seconds()
	}
	h.now = to
}

func (h *history) start(t *rapid.T, dt time.Duration, bytes int64, cap float64) {
	for at, _, ok := h.line.Next(); ok && at <= h.now+dt; at, _, ok = h.line.Next() {
		h.end(t)
	}
	h.advance(h.now + dt)
	h.next++
	h.bytes[h.next], h.caps[h.next] = float64(bytes), cap
	h.ids = append(h.ids, h.next)
	h.line.Start(h.now, h.next, bytes, cap)
}

func (h *history) end(t *rapid.T) {
	at, id, _ := h.line.Next()
	if again, same, _ := h.line.Next(); again != at || same != id {
		t.Fatal("Next changes the line")
	}
	if at < h.now {
		t.Fatalf("transfer %d ends at %v, before now, %v", id, at, h.now)
	}
	rate := h.line.Rate(id)
	h.advance(at)
	if off := h.got[id] - h.bytes[id]; math.Abs(off) > 1e-6*(1+h.bytes[id])+rate*2e-9 {
		t.Fatalf("transfer %d got %v of %v bytes", id, h.got[id], h.bytes[id])
	}
	if left := h.line.End(at, id); left != 0 {
		t.Fatalf("transfer %d ends with %v bytes left", id, left)
	}
	delete(h.bytes, id)
	h.ids = slices.DeleteFunc(h.ids, func(x uint32) bool { return x == id })
}

// falls compares the level after a start with that of the same transfers without it.
func (h *history) falls(t *rapid.T) {
	before := NewLine(h.b)
	for _, id := range h.ids[:len(h.ids)-1] {
		before.Start(0, id, 1, h.caps[id])
	}
	if h.line.Level() > before.Level()*(1+1e-12) {
		t.Fatalf("a start takes the level from %v to %v", before.Level(), h.line.Level())
	}
}

func (h *history) fair(t *rapid.T) {
	sum, caps, most := 0.0, 0.0, 0.0
	for _, id := range h.ids {
		sum, caps, most = sum+h.line.Rate(id), caps+h.caps[id], max(most, h.line.Rate(id))
	}
	if sum > h.b*(1+1e-12) || sum < min(h.b, caps)*(1-1e-12) || math.Abs(sum-h.line.Used()) > 1e-9*h.b {
		t.Fatalf("rates add up to %v (%v used) on a line of %v with caps of %v", sum, h.line.Used(), h.b, caps)
	}
	for _, id := range h.ids {
		rate := h.line.Rate(id)
		if rate > h.caps[id] || rate < h.caps[id] && rate < most*(1-1e-12) {
			t.Fatalf("transfer %d has %v of a cap of %v, the most is %v", id, rate, h.caps[id], most)
		}
	}
}

// Transfers that start in one instant may be started in any order.
func TestLineOrderOfStarts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flows := drawFlows(t, 12)
		b := float64(rapid.IntRange(50, 3000).Draw(t, "B"))
		order := rapid.Permutation(slices.Collect(intsTo(len(flows)))).Draw(t, "order")
		x, y := NewLine(b), NewLine(b)
		for i := range flows {
			x.Start(1, uint32(i), flows[i].bytes, flows[i].cap)
			y.Start(1, uint32(order[i]), flows[order[i]].bytes, flows[order[i]].cap)
		}
		for x.Len() > 0 {
			at, id, _ := x.Next()
			if a, i, _ := y.Next(); a != at || i != id {
				t.Fatalf("transfer %d at %v or transfer %d at %v", id, at, i, a)
			}
			x.End(at, id)
			y.End(at, id)
		}
	})
}

func intsTo(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}

// One end and one start with r transfers on the line: all held by the level, some by
// their caps, all by their caps.
func BenchmarkLine(b *testing.B) {
	for _, r := range []int{16, 256, 1000} {
		name := "/" + strconv.Itoa(r)
		b.Run("full"+name, func(b *testing.B) { benchmarkLine(b, r, 1e6) })
		b.Run("half"+name, func(b *testing.B) { benchmarkLine(b, r, float64(r)*300e3) })
		b.Run("free"+name, func(b *testing.B) { benchmarkLine(b, r, 1e12) })
	}
}

func benchmarkLine(b *testing.B, r int, bandwidth float64) {
	x := mustPreset(b, "thesis2004", 1)
	l := NewLine(bandwidth)
	sizes, speeds := make([]int64, 4096), make([]float64, 4096)
	for i := range sizes {
		sizes[i], speeds[i] = x.Size(graph.Page(i)), x.Speed(graph.Site(i))
	}
	for i := range r {
		l.Start(0, uint32(i), sizes[i], speeds[i])
	}
	b.ResetTimer()
	for i := range b.N {
		at, id, _ := l.Next()
		l.End(at, id)
		l.Start(at, id, sizes[(i+r)&4095], speeds[(i+r)&4095])
	}
}
