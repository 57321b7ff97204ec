package linear

import (
	"math"
	"testing"
)

// TestLearn: one step of AdaGrad, by hand. With weights of 0 the slope is a half; the sum of its
// squares is a quarter, so a weight moves by 0.3 of a half over the root of 1.25.
func TestLearn(t *testing.T) {
	m := New([Numbers]float32{})
	defer m.Free()
	x := &Example{}
	x.Numbers[0] = 1
	x.Add(5)
	m.Learn(x, true)
	for i, want := range map[int]float64{0: 0.3 * 0.5 / math.Sqrt(1.25), Numbers + 5: 0.1 * 0.5 / math.Sqrt(1.25), Numbers + 6: 0} {
		if got := float64(m.weights.At(i)); math.Abs(got-want) > 1e-7 {
			t.Errorf("weight %d is %v, want %v", i, got, want)
		}
	}
	for range 200 {
		m.Learn(x, true)
	}
	if p := Logistic(m.Logit(x)); p < 0.9 {
		t.Errorf("after 200 hot pages the next one is hot with %v", p)
	}
}

func TestLogistic(t *testing.T) {
	for _, x := range []float64{-30, -2, -0.1, 0, 0.3, 5, 40} {
		if got, want := Logistic(x), 1/(1+math.Exp(-x)); math.Abs(got-want) > 1e-6*want {
			t.Errorf("Logistic(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestChances: where the model predicts too much, the probability becomes what happened.
func TestChances(t *testing.T) {
	c := NewChances()
	defer c.Free()
	logit := 2.0 // a probability of 0.88, drawn to 0.664
	if got := c.Of(logit); math.Abs(got-0.65*0.664) > 0.01 {
		t.Errorf("at first it is %v", got)
	}
	for i := range 1000 {
		c.Learn(logit, i%2 == 0)
	}
	if got := c.Of(logit); math.Abs(got-0.5) > 0.02 {
		t.Errorf("half of the pages are hot, and the probability is %v", got)
	}
}
