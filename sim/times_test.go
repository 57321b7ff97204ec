package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// ksDistance is the largest difference between the shares below x of a sample and F(x).
func ksDistance(sample []float64, f func(x float64) float64) float64 {
	x := slices.Sorted(slices.Values(sample))
	d, n := 0.0, float64(len(x))
	for i, v := range x {
		d = max(d, f(v)-float64(i)/n, float64(i+1)/n-f(v))
	}
	return d
}

// ksTwo is the same distance between two samples.
func ksTwo(a, b []float64) float64 {
	x := slices.Sorted(slices.Values(b))
	return ksDistance(a, func(v float64) float64 {
		below, _ := slices.BinarySearchFunc(x, v, func(e, t float64) int {
			if e <= t {
				return -1
			}
			return 1
		})
		return float64(below) / float64(len(x))
	})
}

// ksP is the probability of a larger distance by chance, n the (effective) size of the
// sample: Kolmogorov's limit with Stephens' correction.
func ksP(d, n float64) float64 {
	l := (math.Sqrt(n) + 0.12 + 0.11/math.Sqrt(n)) * d
	sum := 0.0
	for k := 1; k <= 100; k++ {
		sum -= 2 * math.Pow(-1, float64(k)) * math.Exp(-2*float64(k*k)*l*l)
	}
	return min(1, max(0, sum))
}

func TestKolmogorovSmirnovItself(t *testing.T) {
	if p := ksP(1.36/math.Sqrt(1e6), 1e6); math.Abs(p-0.05) > 0.002 { // the classical 5 % point
		t.Errorf("p at 1.36/sqrt n is %v", p)
	}
	if d := ksTwo([]float64{1, 2}, []float64{3, 4}); d != 1 {
		t.Errorf("samples apart have distance %v", d)
	}
}

func mustPreset(t testing.TB, name string, seed uint64) *Times {
	t.Helper()
	x, err := Preset(name, seed)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Draws of each kind, over sites, pages and attempts, are uniform.
func TestDrawIsUniform(t *testing.T) {
	const n = 20000
	x := &Times{Seed: 3}
	over := map[string]func(i uint32) float64{
		"sites":    func(i uint32) float64 { return x.draw(drawSpeed, i, 0, 0) },
		"pages":    func(i uint32) float64 { return x.draw(drawRequestNoise, 7, i, 0) },
		"attempts": func(i uint32) float64 { return x.draw(drawRequestNoise, 7, 7, i) },
		"kinds":    func(i uint32) float64 { return x.draw(uint64(i), 7, 7, 7) },
		"seeds":    func(i uint32) float64 { return (&Times{Seed: uint64(i)}).draw(drawSize, 7, 0, 0) },
	}
	for name, f := range over {
		sample := make([]float64, n)
		for i := range sample {
			sample[i] = f(uint32(i))
		}
		if p := ksP(ksDistance(sample, func(u float64) float64 { return u }), n); p < 0.01 {
			t.Errorf("over %s: p = %v", name, p)
		}
		if slices.Min(sample) <= 0 || slices.Max(sample) >= 1 {
			t.Errorf("over %s: draws leave (0, 1)", name)
		}
	}
}

// Every duration depends on what its comment says it depends on and on nothing else.
func TestDrawsDependOnArguments(t *testing.T) {
	x := mustPreset(t, "thesis2004", 1)
	x.Model.Farewell = 1
	y := mustPreset(t, "thesis2004", 2)
	y.Model.Farewell = 1
	of := func(x *Times, s graph.Site, p graph.Page, n uint32) []float64 {
		return []float64{
			x.Resolve(s, n).Seconds(), x.Connect(s, n).Seconds(), x.FirstByte(s, p, n).Seconds(), x.Close(s, n).Seconds(),
			float64(x.Size(p)), float64(x.RobotsSize(s)), x.Speed(s),
		}
	}
	base := of(x, 5, 6, 0)
	if !slices.Equal(base, of(x, 5, 6, 0)) {
		t.Fatal("the same draw gives two numbers")
	}
	cases := []struct {
		name    string
		got     []float64
		differs []bool
	}{
		{"site", of(x, 4, 6, 0), []bool{true, true, true, true, false, true, true}},
		{"page", of(x, 5, 7, 0), []bool{false, false, true, false, true, false, false}},
		{"attempt", of(x, 5, 6, 1), []bool{true, true, true, true, false, false, false}},
		{"seed", of(y, 5, 6, 0), []bool{true, true, true, true, true, true, true}},
	}
	for _, c := range cases {
		for i := range base {
			if (c.got[i] != base[i]) != c.differs[i] {
				t.Errorf("another %s: number %d went from %v to %v", c.name, i, base[i], c.got[i])
			}
		}
	}
}

// A fetch that is slow because its site is slow shows in the other fetches of the site.
func TestLatencyHasALevelPerSite(t *testing.T) {
	x := mustPreset(t, "thesis2004", 1)
	logs := func(s graph.Site, n uint32) float64 { return math.Log(x.FirstByte(s, graph.Page(s), n).Seconds()) }
	const n = 20000
	var a, b, aa, bb, ab float64
	for s := range graph.Site(n) {
		u, v := logs(s, 0), logs(s, 1)
		a, b, aa, bb, ab = a+u, b+v, aa+u*u, bb+v*v, ab+u*v
	}
	r := (ab/n - a/n*b/n) / math.Sqrt((aa/n-a/n*a/n)*(bb/n-b/n*b/n))
	// Of the variance of the logarithm, Sigma^2 of the level is common to both.
	level, noise := x.Model.Latency.Sigma, x.Model.Noise.Sigma
	want := level * level / (level*level + noise*noise)
	if math.Abs(r-want) > 0.02 {
		t.Errorf("two fetches of a site correlate by %.3f, want %.3f", r, want)
	}
}

func TestDistQuantiles(t *testing.T) {
	d := Dist{Median: 10, Sigma: 2, Tail: 0.1, Alpha: 1.5}
	z90 := 1.2815515655446004
	for _, c := range []struct{ u, want float64 }{
		{0.5, 10},
		{0.15865525393145707, 10 * math.Exp(-2)},                    // one sigma below
		{0.9, 10 * math.Exp(2*z90)},                                 // where the tail begins
		{0.99, 10 * math.Exp(2*z90) * math.Pow(10, 1/1.5)},          // a tenth of the tail
		{0.99999, 10 * math.Exp(2*z90) * math.Pow(1e4, 1/1.5)},      // and so on
		{1e-300, 10 * math.Exp(2*math.Sqrt2*math.Erfinv(2e-300-1))}, // -Inf: 0, no NaN
	} {
		if got := d.At(c.u); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("quantile %v is %v, want %v", c.u, got, c.want)
		}
	}
	cut := d
	cut.Cut = 0.01
	if got, want := cut.At(1), d.At(0.99); math.Abs(got-want) > 1e-9*want {
		t.Errorf("largest number %v, want %v", got, want)
	}
	if (&Dist{}).At(0.3) != 0 || (&Dist{Median: 4}).At(0.3) != 4 {
		t.Error("a distribution without spread is no constant")
	}
}

func TestDistMean(t *testing.T) {
	for _, c := range []struct {
		d    Dist
		want float64
	}{
		{Dist{Median: 3}, 3},
		{Dist{Median: 2, Sigma: 0.5}, 2 * math.Exp(0.125)},
		{Dist{Table: []Quantile{{0, 1}, {1, 2}}}, 1.5},
		{Dist{Table: []Quantile{{0, 0}, {0.75, 4}, {1, 8}}}, 0.75*2 + 0.25*6},
	} {
		if got := c.d.mean(); math.Abs(got-c.want) > 1e-4*c.want {
			t.Errorf("mean of %v is %v, want %v", c.d, got, c.want)
		}
	}
}

// L3: what is simulated from recorded numbers has their distribution.
func TestSampleRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const recorded, simulated = 5000, 20000
	observed := make([]float64, recorded)
	for i := range observed { // two kinds of sites: no single log-normal
		observed[i] = 0.05 * math.Exp(0.5*r.NormFloat64())
		if i%3 == 0 {
			observed[i] = 1 + r.Float64()
		}
	}
	table, err := Sample(observed)
	if err != nil {
		t.Fatal(err)
	}
	x := &Times{Seed: 5, Model: Model{Latency: table, Speed: table, Request: 1}}
	latency, speed := make([]float64, simulated), make([]float64, simulated)
	for s := range latency {
		latency[s] = x.FirstByte(graph.Site(s), 0, 0).Seconds()
		speed[s] = x.Speed(graph.Site(s))
	}
	n := float64(recorded) * simulated / (recorded + simulated)
	for name, sim := range map[string][]float64{"latency": latency, "speed": speed} {
		if p := ksP(ksTwo(observed, sim), n); p <= 0.05 {
			t.Errorf("%s: p = %v", name, p)
		}
	}
	moved := make([]float64, recorded) // and the test can fail
	for i := range moved {
		moved[i] = observed[i] * 1.1
	}
	if p := ksP(ksTwo(moved, latency), n); p > 0.001 {
		t.Errorf("numbers 10 %% larger pass with p = %v", p)
	}
}

func TestSampleOfOne(t *testing.T) {
	d, err := Sample([]float64{7})
	if err != nil || d.At(0.1) != 7 || d.At(0.9) != 7 {
		t.Errorf("%v, %v", d, err)
	}
}

func TestTable(t *testing.T) {
	d := Dist{Table: []Quantile{{0, 0.01}, {0.5, 0.1}, {1, 4}}}
	for _, c := range []Quantile{{0.25, 0.055}, {0.5, 0.1}, {0.75, 2.05}} {
		if got := d.At(c.U); math.Abs(got-c.X) > 1e-12 {
			t.Errorf("quantile %v is %v, want %v", c.U, got, c.X)
		}
	}
}

func TestSampleRefuses(t *testing.T) {
	for _, bad := range [][]float64{nil, {1, math.NaN()}, {-1, 2}, {1, math.Inf(1)}} {
		if _, err := Sample(bad); err == nil {
			t.Errorf("sample %v accepted", bad)
		}
	}
}

func TestTransferTime(t *testing.T) {
	for _, c := range []struct {
		bytes, rate float64
		want        time.Duration
	}{
		{1000, 1000, time.Second},
		{1, 3, 333333334}, // rounded up
		{0, 10, 0},
		{1e300, 1, longest},
	} {
		if got := TransferTime(c.bytes, c.rate); got != c.want {
			t.Errorf("%v bytes at %v: %v, want %v", c.bytes, c.rate, got, c.want)
		}
	}
}

func BenchmarkTimes(b *testing.B) {
	for _, name := range PresetNames() {
		x := mustPreset(b, name, 1)
		b.Run(name+"/first-byte", func(b *testing.B) {
			for i := range b.N {
				x.FirstByte(graph.Site(i&1023), graph.Page(i), 0)
			}
		})
		b.Run(name+"/size", func(b *testing.B) {
			for i := range b.N {
				x.Size(graph.Page(i))
			}
		})
		b.Run(name+"/speed", func(b *testing.B) {
			for i := range b.N {
				x.Speed(graph.Site(i))
			}
		})
	}
}
