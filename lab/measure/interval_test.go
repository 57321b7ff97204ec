package measure

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSummarise(t *testing.T) {
	s := Summarise([]float64{2, 4, 4, 4, 5, 5, 7, 9}, 1)
	near(t, "mean", s.Mean, 5)
	near(t, "deviation", s.SD, math.Sqrt(32./7))
	// The standard error is 0.756; the bootstrap leaves out the factor of n-1.
	if se := s.SD / math.Sqrt(8); math.Abs(s.Mean-s.Low-1.83*se) > 0.25*se || math.Abs(s.High-s.Mean-1.83*se) > 0.25*se {
		t.Errorf("interval %v to %v, standard error %v", s.Low, s.High, se)
	}
	if again := Summarise([]float64{2, 4, 4, 4, 5, 5, 7, 9}, 1); again != s {
		t.Errorf("%+v, then %+v", s, again)
	}
	if one := Summarise([]float64{3}, 1); one != (Interval{Mean: 3, Low: 3, High: 3, N: 1}) {
		t.Errorf("one value: %+v", one)
	}
	if none := Summarise(nil, 1); none != (Interval{}) {
		t.Errorf("no value: %+v", none)
	}
}

// Of intervals of 20 normal values about 95 % hold the mean; the percentile bootstrap
// is known to hold it somewhat less often.
func TestIntervalHoldsTheMean(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector and finds nothing that others do not")
	}
	r := rand.New(rand.NewPCG(70, 1))
	const runs = 200
	held := 0
	for i := range runs {
		x := make([]float64, 20)
		for k := range x {
			x[k] = 3 + r.NormFloat64()
		}
		if s := Summarise(x, uint64(i)); s.Low <= 3 && 3 <= s.High {
			held++
		}
	}
	if held < runs*88/100 || held > runs*99/100 {
		t.Errorf("%d of %d intervals hold the mean", held, runs)
	}
}

// What start sets have in common cancels in paired differences.
func TestPaired(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 1))
	a, b := make([]float64, 10), make([]float64, 10)
	for i := range a {
		common := 10 * r.Float64()
		a[i], b[i] = common+0.5+0.1*r.NormFloat64(), common
	}
	d, err := Paired(a, b, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !(d.Low > 0.3 && d.High < 0.7) {
		t.Errorf("difference %+v", d)
	}
	if one := Summarise(a, 1); one.High-one.Low < 5*(d.High-d.Low) {
		t.Errorf("alone %+v, paired %+v", one, d)
	}
	if _, err := Paired(a, b[1:], 1); err == nil {
		t.Error("ten values against nine")
	}
}

func TestMiddle95(t *testing.T) {
	x := positions(1000)
	low, high := middle95(x)
	if low != 25 || high != 976 {
		t.Errorf("%v to %v", low, high)
	}
	if low, high := middle95([]float64{2, 1}); low != 1 || high != 2 {
		t.Errorf("%v to %v", low, high)
	}
}

func TestOverGraphs(t *testing.T) {
	near := func(what string, got, want, within float64) {
		t.Helper()
		if !(math.Abs(got-want) <= within) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	s := OverGraphs([]float64{1, 2, 3, 4, 5}) // sd = sqrt(2.5), t = 2.776 with 4 degrees of freedom
	near("mean", s.Mean, 3, 0)
	near("sd", s.SD, math.Sqrt(2.5), 1e-12)
	near("low", s.Low, 3-2.776*math.Sqrt(0.5), 1e-12)
	near("high", s.High, 3+2.776*math.Sqrt(0.5), 1e-12)
	if s := OverGraphs([]float64{2}); s.Low != 2 || s.High != 2 || s.N != 1 {
		t.Errorf("of one value %+v", s)
	}
	if s := OverGraphs(nil); s != (Interval{}) {
		t.Errorf("of none %+v", s)
	}
	near("t with 30 degrees of freedom", student95(30), 2.042, 0.002)
	near("t with 120 degrees of freedom", student95(120), 1.980, 0.001)
}
