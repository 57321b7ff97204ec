package boost

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestShare: a model that another learner uses predicts the same there, but for the rounding of its
// answers, and what is no model is refused.
func TestShare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	o := Options{Features: 3, Examples: 400, Trees: 7, Depth: 2, Rate: .25, Leaf: 5}
	a, b := New(o), New(o)
	defer a.Free()
	defer b.Free()
	example := func() []float32 { return []float32{r.Float32(), r.Float32(), r.Float32()} }
	for range o.Examples {
		x := example()
		a.Add(x, float64(x[0]*x[1]+x[2]))
	}
	a.Begin()
	for a.Step() {
	}
	model := a.Model(nil)
	if len(model) != a.ModelSize() {
		t.Fatalf("a model of %d numbers, want %d", len(model), a.ModelSize())
	}
	wrong := slices.Clone(model)
	wrong[1] = 3
	if b.Use(model[1:]) || b.Use(wrong) || b.Use(nil) || b.Fits() != 0 {
		t.Error("something that is no model is used")
	}
	if !b.Use(model) || b.Fits() != 1 {
		t.Fatal("the model is not used")
	}
	for range 100 {
		x := example()
		var all [Room]float32
		copy(all[:], x)
		if p, q := a.Predict(&all), b.Predict(&all); math.Abs(p-q) > 1e-6 {
			t.Fatalf("%v there, %v here", q, p)
		}
	}
	if !slices.Equal(b.Model(nil), model) {
		t.Error("the model changes when it is handed on")
	}
}
