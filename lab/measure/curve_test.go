package measure

import (
	"math/rand/v2"
	"testing"
)

// The rounding errors of a sum are carried along: the same set has the same sum in
// any order.
func TestAdder(t *testing.T) {
	near(t, "sum", Sum([]float64{1, 1e100, 1, -1e100}), 2)
	r := rand.New(rand.NewPCG(80, 1))
	x := make([]float64, 10_000)
	for i := range x {
		x[i] = r.ExpFloat64() * r.ExpFloat64()
	}
	want := Sum(x)
	for range 20 {
		r.Shuffle(len(x), func(i, k int) { x[i], x[k] = x[k], x[i] })
		if got := Sum(x) / want; got < 1-0x1p-52 || got > 1+0x1p-52 {
			t.Errorf("in another order the sum is %v times that", got)
		}
	}
}

// A level that is reached exactly counts as reached, whatever the unit: k of n equal
// pages have k/n of the importance.
func TestPagesForExactLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 1))
	for range 200 {
		n, x := 1+r.IntN(30), r.Float64()
		value := make([]float64, n)
		for p := range value {
			value[p] = x
		}
		c := trialOf(t, value, allPages(n), allPages(n), JudgeOptions{}).Cumulative()
		for k := 1; k <= n; k++ {
			if of, ok := c.PagesFor(Share(k, n)); !ok || of != Share(k, n) {
				t.Fatalf("%d of %d pages of importance %v: reached at %v, %v", k, n, x, of, ok)
			}
		}
	}
}
