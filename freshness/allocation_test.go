package freshness

import (
	"math"
	"testing"
)

// Equation 1 of the paper and the gains, with values computed by hand.
func TestGains(t *testing.T) {
	if got := Value(0.8, 0.25, 2); got != 0.4 {
		t.Errorf("0.8 x 0.25^(1/2) = %v", got)
	}
	if got := Fresh(0.5, 0); got != 1 {
		t.Errorf("freshness just after a visit is %v", got)
	}
	if a, b := Fresh(0.5, 1), Fresh(0.5, 2); !(a < 1 && b < a) {
		t.Errorf("freshness does not fall: %v, %v", a, b)
	}
	c := Copy{Weight: 2, Rate: math.Ln2, Age: 1, Every: 4} // freshness 1/2
	want := map[string]float64{
		"uniform": 1, "importance": 2, "proportional": math.Ln2, "adaptive": 0.25, "periodic": 0.25,
		"wire-gain": 1, "wire-gain/alpha=0.5": 1.5,
		"marginal": 2 / math.Ln2 * (1 - 0.5*(1+math.Ln2)),
	}
	want["contagion"] = want["marginal"]
	for name, v := range want {
		a, err := Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.gain(c); math.Abs(got-v) > 1e-12 {
			t.Errorf("%s: gain %v, want %v", name, got, v)
		}
	}
	if len(want) != len(Allocations())+1 {
		t.Errorf("%d allocations have no value by hand", len(Allocations())+1-len(want))
	}
}

func TestChoose(t *testing.T) {
	for _, text := range []string{"nutch", "uniform/alpha=2", "wire-gain/alpha=0", "wire-gain/alpha=x", "wire-gain/beta=2"} {
		if _, err := Choose(text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	if a, err := Choose("default"); err != nil || a.Name != DefaultAllocation {
		t.Errorf("default is %s, %v", a.Name, err)
	}
}

// reached inverts the marginal gain.
func TestReached(t *testing.T) {
	for _, x := range []float64{1e-6, 1e-3, 0.1, 1, 3, 10} {
		const weight, rate = 3.0, 0.02
		bound := marginalGain(Copy{Weight: weight, Rate: rate, Age: x / rate})
		if got := reached(weight, rate, bound) * rate; math.Abs(got/x-1) > 1e-3 {
			t.Errorf("reached at %v, want %v", got, x)
		}
	}
	if got := reached(1, 2, 0.6); !math.IsInf(got, 1) {
		t.Errorf("a page that never gains so much is due after %v s", got)
	}
}

func TestCode(t *testing.T) {
	d := newDecoder()
	for _, v := range []float64{1e-30, 0.3, 1, 1234567, 1e30} {
		if got := d.of(encode(v)); math.Abs(got/v-1) > 0.0015 {
			t.Errorf("%v is kept as %v", v, got)
		}
	}
	if d.of(encode(0)) != 0 || d.of(encode(math.NaN())) != 0 {
		t.Error("0 is not kept as 0")
	}
}
