package sim

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// sequential fetches n pages, each from a site of its own, and gives the sorted seconds
// and the share of fetches whose latency is larger than their transfer.
func sequential(x *Times, n int) (seconds []float64, latencyWins float64) {
	for i := range n {
		s, p := graph.Site(i), graph.Page(i)
		total := x.Sequential(s, p, 0)
		transfer := TransferTime(float64(x.Size(p)), x.Speed(s))
		if total-transfer > transfer {
			latencyWins += 1 / float64(n)
		}
		seconds = append(seconds, total.Seconds())
	}
	slices.Sort(seconds)
	return seconds, latencyWins
}

// L5: both points of Figure 4.2, as seconds and as shares, within 2 %.
func TestThesisDownloadTimes(t *testing.T) {
	const n = 500000
	seconds, latencyWins := sequential(mustPreset(t, "thesis2004", 1), n)
	for _, c := range []struct{ share, at float64 }{{0.90, 1.5}, {0.95, 3}} {
		if got := seconds[int(c.share*n)]; math.Abs(got/c.at-1) > 0.02 {
			t.Errorf("%v of the fetches within %.3f s, want %v s", c.share, got, c.at)
		}
		below, _ := slices.BinarySearch(seconds, c.at)
		if got := float64(below) / n; math.Abs(got/c.share-1) > 0.02 {
			t.Errorf("within %v s: %.4f, want %v", c.at, got, c.share)
		}
	}
	if below, _ := slices.BinarySearch(seconds, 10); float64(below) < 0.98*n { // Liu 1998: almost always
		t.Errorf("within 10 s: %.4f", float64(below)/n)
	}
	if latencyWins < 0.6 {
		t.Errorf("latency is larger than the transfer in %.3f of the fetches", latencyWins)
	}
}

// Most of the latency belongs to the connection (thesis 4.4), so keep-alive pays.
func TestThesisLatencyIsConnecting(t *testing.T) {
	x := mustPreset(t, "thesis2004", 1)
	connect, first := 0.0, 0.0
	for s := range graph.Site(10000) {
		connect += x.Connect(s, 0).Seconds()
		first += x.FirstByte(s, 0, 0).Seconds()
	}
	if connect <= first {
		t.Errorf("connecting takes %v s, waiting %v s", connect, first)
	}
}

// The mean sizes that the comments of the presets name, drawn and by the formula.
func TestPresetSizes(t *testing.T) {
	for name, want := range map[string]float64{"thesis2004": 57e9 / 3e6, "modern": 242e3 / 5} {
		x := mustPreset(t, name, 1)
		if got := x.Model.Size.mean(); math.Abs(got/want-1) > 0.01 {
			t.Errorf("%s: mean size %.0f, want %.0f", name, got, want)
		}
		sum, largest := 0.0, int64(0)
		const n = 200000
		for p := range graph.Page(n) {
			sum += float64(x.Size(p))
			largest = max(largest, x.Size(p))
		}
		if got := sum / n; math.Abs(got/want-1) > 0.05 {
			t.Errorf("%s: drawn mean size %.0f, want %.0f", name, got, want)
		}
		if float64(largest) > x.Model.Size.At(1) {
			t.Errorf("%s: a page of %d bytes", name, largest)
		}
	}
}

func TestPresetsAreSound(t *testing.T) {
	for _, name := range PresetNames() {
		x := mustPreset(t, name, 9)
		if err := x.Model.check(); err != nil {
			t.Error(err)
		}
		for s := range graph.Site(2000) {
			if x.Resolve(s, 0) <= 0 || x.Connect(s, 0) <= 0 || x.FirstByte(s, graph.NoPage, 0) <= 0 ||
				x.Close(s, 0) < 0 || x.RobotsSize(s) < 1 || !(x.Speed(s) > 0) {
				t.Fatalf("%s: site %d has a number that cannot be", name, s)
			}
		}
	}
}

func TestUnknownPreset(t *testing.T) {
	_, err := Preset("thesis", 1)
	if err == nil || !strings.Contains(err.Error(), "thesis2004, modern") || !strings.Contains(err.Error(), `"thesis"`) {
		t.Errorf("error %v names neither the operand nor the presets", err)
	}
}

func TestModelCheck(t *testing.T) {
	for want, spoil := range map[string]func(m *Model){
		"latency":       func(m *Model) { m.Latency.Sigma = math.NaN() },
		"size":          func(m *Model) { m.Size.Median = -1 },
		"exponent":      func(m *Model) { m.Size.Alpha = 0 },
		"below 1":       func(m *Model) { m.Noise.Cut = 1 },
		"latencies":     func(m *Model) { m.Request = -1 },
		"sends nothing": func(m *Model) { m.Speed = Dist{} },
		"instead of":    func(m *Model) { m.Lookup.Table = []Quantile{{0, 1}} },
	} {
		m := thesis2004()
		spoil(&m)
		if err := m.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Every parameter of a world stands in the header.
func TestTimesString(t *testing.T) {
	x := mustPreset(t, "modern", 42)
	x.Model.Robots, _ = Sample([]float64{100, 300})
	got := x.String()
	for _, want := range []string{"modern, seed 42", "latency 0.04 sigma 0.8", "think", "tail 0.05 alpha 1.3",
		"speed 2e+06", "robots table of 2", "handshake 2, request 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}
