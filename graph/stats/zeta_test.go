package stats

import (
	"math"
	"testing"
)

// Values of zeta from tables (Abramowitz and Stegun, table 23.3), from closed forms
// and, near 1, from the series 1/(s-1) + Euler's constant + 0.0728158 (s-1).
func TestHurwitzKnown(t *testing.T) {
	pi2 := math.Pi * math.Pi
	for _, c := range []struct{ s, a, want float64 }{
		{2, 1, pi2 / 6},
		{4, 1, pi2 * pi2 / 90},
		{6, 1, pi2 * pi2 * pi2 / 945},
		{3, 1, 1.2020569031595943},
		{5, 1, 1.0369277551433699},
		{1.5, 1, 2.6123753486854883},
		{20, 1, 1.0000009539620339},
		{2, 0.5, pi2 / 2},
		{3, 0.5, 7 * 1.2020569031595943},
		{2, 3, pi2/6 - 1.25},
		{1.0001, 1, 10000 + 0.5772156649015329 + 0.0728158454836767e-4 - 0.0048451815964e-8},
	} {
		if got := hurwitz(c.s, c.a, 1); math.Abs(got/c.want-1) > 1e-12 {
			t.Errorf("zeta(%v, %v) = %.16g, want %.16g", c.s, c.a, got, c.want)
		}
	}
}

// zeta(s, a+1) = zeta(s, a) - a^-s on both sides of where terms are no longer
// summed, and zeta(s, a) unit^s in other units.
func TestHurwitzNext(t *testing.T) {
	for _, s := range []float64{1.000001, 1.1, 1.7, 2, 2.5, 3.3, 6, 11, 20} {
		for _, a := range []float64{1, 2, 3.5, 7, 24, 24.5, 25, 26, 40, 100, 12345, 1e9} {
			here, next := hurwitz(s, a, a), hurwitz(s, a+1, a)
			if math.Abs((here-1)-next) > 1e-12*here {
				t.Errorf("zeta(%v, %v) a^s = %v, the next one + 1 = %v", s, a, here, next+1)
			}
			if plain := hurwitz(s, a, 1) * math.Pow(a, s); math.Abs(here/plain-1) > 1e-12 {
				t.Errorf("zeta(%v, %v) a^s = %v in units of a, %v in units of 1", s, a, here, plain)
			}
		}
	}
	if got := hurwitz(20, 1<<63, 1<<63); math.Abs(got/(1<<63)*19-1) > 1e-12 {
		t.Errorf("zeta(20, 2^63) 2^(63*20) = %v", got) // the integral, 2^63/19
	}
}

// Under the law from 1 on with s = 2 the mean of ln x is -zeta'(2)/zeta(2), and its
// variance zeta"(2)/zeta(2) less the square of that.
func TestLawLogs(t *testing.T) {
	z := math.Pi * math.Pi / 6
	wantMean := 0.93754825431584375 / z
	wantVar := 1.98928023429890102/z - wantMean*wantMean
	mean, variance := law{2, 1}.logs()
	if math.Abs(mean/wantMean-1) > 1e-7 || math.Abs(variance/wantVar-1) > 1e-5 {
		t.Errorf("mean %v, variance %v, want %v and %v", mean, variance, wantMean, wantVar)
	}
}
