package boost

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var small = Options{Features: 3, Examples: 400, Trees: 12, Depth: 3, Rate: .15, Leaf: 10}

// examplesOf returns n examples of a web: the target is high where the first number is above
// a half and the second below it, with noise; the third says nothing.
func examplesOf(seed uint64, n int) (x [][]float32, y []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range n {
		v := []float32{r.Float32(), float32(r.IntN(5)) / 4, r.Float32()}
		t := r.Float64() / 4
		if v[0] > .5 && v[1] < .5 {
			t += 2
		}
		x, y = append(x, v), append(y, t)
	}
	return x, y
}

// fit fits a model, and goes on with what between returns after each step.
func fit(l *Learner, x [][]float32, y []float64, between func(*Learner) *Learner) *Learner {
	for i := range x {
		l.Add(x[i], y[i])
	}
	l.Begin()
	for l.Step() {
		l = between(l)
	}
	return l
}

func same(l *Learner) *Learner { return l }

// TestLearns: the model has found what the target depends on.
func TestLearns(t *testing.T) {
	l := New(Options{Features: 3, Examples: 400, Trees: 30, Depth: 3, Rate: .15, Leaf: 20})
	defer l.Free()
	if l.Predict(&[Room]float32{1, 0, 0}) != 0 || l.Fits() != 0 {
		t.Error("it knows something before it has learned")
	}
	x, y := examplesOf(1, 400)
	fit(l, x, y, same)
	high, low := l.Predict(&[Room]float32{.9, 0, .5}), l.Predict(&[Room]float32{.1, 0, .5})
	if math.Abs(high-2.125) > .15 || math.Abs(low-.125) > .15 || l.Fits() != 1 || l.Busy() {
		t.Errorf("%.3f and %.3f, %d fits", high, low, l.Fits())
	}
	if l.Add(nil, 0); l.rest.Len() != 1 {
		t.Error("the examples of the last fit are still there")
	}
}

// TestSaved: a fit that is saved and loaded after each step gives the same model, and the old
// one predicts until then.
func TestSaved(t *testing.T) {
	x, y := examplesOf(2, 300)
	a := New(small)
	defer a.Free()
	fit(a, x, y, same)
	b := fit(New(small), x, y, func(l *Learner) *Learner {
		var data bytes.Buffer
		if err := l.Save(&data); err != nil {
			t.Fatal(err)
		}
		l.Free()
		l = New(small)
		if err := l.Load(&data); err != nil {
			t.Fatal(err)
		}
		if l.Predict(whole(x[0])) != 0 {
			t.Fatal("the model is used before it is made")
		}
		return l
	})
	defer b.Free()
	for _, v := range x {
		if a.Predict(whole(v)) != b.Predict(whole(v)) {
			t.Fatalf("%v and %v", a.Predict(whole(v)), b.Predict(whole(v)))
		}
	}
}

// TestNaive: the model is that of a recursion which tries all splits, with few features and with
// many, and for trees of any depth.
func TestNaive(t *testing.T) {
	for _, o := range []Options{small, {Features: 15, Examples: 400, Trees: 7, Depth: 2, Rate: .25, Leaf: 10}, {Features: 8, Examples: 400, Trees: 2, Depth: 4, Rate: .25, Leaf: 5}} {
		for seed := range uint64(60 / o.Features) {
			x, y := examplesOf(seed, 40+int(seed)*17%340)
			for i := range x {
				x[i] = widened(x[i], o.Features)
			}
			l := New(o)
			fit(l, x, y, same)
			want := naive(l, x, y)
			for i, v := range x {
				if got := l.Predict(whole(v)); math.Abs(got-want[i]) > 1e-9 {
					t.Fatalf("%d features, seed %d, example %d: %v, want %v", o.Features, seed, i, got, want[i])
				}
			}
			l.Free()
		}
	}
}

// widened returns an example with more features: its own last, the others before them.
func widened(x []float32, features int) []float32 {
	list := make([]float32, features)
	for i := range list {
		list[i] = x[2] * float32(i%7)
	}
	copy(list[features-len(x):], x)
	return list
}

// naive returns the predictions for the examples, by the edges of the classes of l.
func naive(l *Learner, x [][]float32, y []float64) []float64 {
	mean := 0.0
	for _, v := range y {
		mean += v / float64(len(y))
	}
	rest, got := make([]float64, len(y)), make([]float64, len(y))
	all := make([]int, len(y))
	for i := range y {
		rest[i], got[i], all[i] = y[i]-mean, mean, i
	}
	for range l.o.Trees {
		branch(l, x, rest, got, all, l.o.Depth)
	}
	return got
}

func branch(l *Learner, x [][]float32, rest, got []float64, rows []int, depth int) {
	total := sum(rest, rows)
	best, left, right := 1e-9, []int(nil), []int(nil)
	for f := 0; f < l.o.Features && depth > 0; f++ {
		for _, edge := range l.edge.Slice()[f*bins : f*bins+bins-1] {
			var a, b []int
			for _, i := range rows {
				if x[i][f] <= edge {
					a = append(a, i)
				} else {
					b = append(b, i)
				}
			}
			if len(a) < l.o.Leaf || len(b) < l.o.Leaf {
				continue
			}
			sa, sb := sum(rest, a), sum(rest, b)
			if gain := sa*sa/float64(len(a)) + sb*sb/float64(len(b)) - total*total/float64(len(rows)); gain > best+1e-12 {
				best, left, right = gain, a, b
			}
		}
	}
	if left != nil {
		branch(l, x, rest, got, left, depth-1)
		branch(l, x, rest, got, right, depth-1)
		return
	}
	v := l.o.Rate * total / float64(len(rows)+1)
	for _, i := range rows {
		rest[i] -= v
		got[i] += v
	}
}

func sum(rest []float64, rows []int) (s float64) {
	for _, i := range rows {
		s += rest[i]
	}
	return s
}

// TestSorter: numbers of both signs are sorted.
func TestSorter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s sorter
	for n := range 200 {
		want := make([]float32, n)
		s.keys = s.keys[:0]
		for i := range want {
			want[i] = float32(math.Ldexp(r.Float64()-.5, r.IntN(60)-30))
			s.add(want[i])
		}
		s.sort()
		slices.Sort(want)
		for i, v := range want {
			if s.at(i) != v {
				t.Fatalf("%d numbers: %v at place %d, want %v", n, s.at(i), i, v)
			}
		}
	}
}

// TestNothing: fits of no example, of one, and of equal ones end with their mean.
func TestNothing(t *testing.T) {
	for n, want := range []float64{0, 3, 3, 3} {
		l := New(small)
		for range n {
			l.Add([]float32{1, 1, 1}, 3)
		}
		l.Begin()
		for l.Step() {
		}
		if got := l.Predict(&[Room]float32{5, 0, 1}); got != want {
			t.Errorf("%d examples: %v", n, got)
		}
		l.Free()
	}
}

// TestParts: what the features contribute and the rest add up to the prediction, and a feature
// that no tree asks for contributes nothing.
func TestParts(t *testing.T) {
	l := New(Options{Features: 3, Examples: 500, Trees: 10, Depth: 3, Rate: .3, Leaf: 5})
	defer l.Free()
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		x := []float32{r.Float32(), r.Float32(), 7}
		l.Add(x, float64(3*x[0]+x[1]*x[0]))
	}
	l.Begin()
	for l.Step() {
	}
	for range 50 {
		x, parts := []float32{r.Float32(), r.Float32(), 7}, make([]float64, 3)
		sum := l.Parts(whole(x), parts)
		for _, v := range parts {
			sum += v
		}
		if want := l.Predict(whole(x)); math.Abs(sum-want) > 1e-9 || parts[2] != 0 {
			t.Errorf("%v: parts %v add up to %v, want %v", x, parts, sum, want)
		}
	}
}

// whole returns an example with room behind its features.
func whole(x []float32) *[Room]float32 {
	var in [Room]float32
	copy(in[:], x)
	return &in
}

func BenchmarkLearner(b *testing.B) {
	o := Options{Features: 15, Examples: 2000, Trees: 24, Depth: 2, Rate: .25, Leaf: 10} // as foresight has it
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float32, o.Features*o.Examples), make([]float64, o.Examples)
	for i := range x {
		x[i] = r.Float32()
	}
	for i := range y {
		y[i] = float64(x[i*o.Features] + x[i*o.Features+3]*x[i*o.Features+5])
	}
	l := New(o)
	defer l.Free()
	b.Run("fit", func(b *testing.B) {
		for b.Loop() {
			for i := range y {
				l.Add(x[i*o.Features:(i+1)*o.Features], y[i])
			}
			l.Begin()
			for l.Step() {
			}
		}
	})
	b.Run("predict", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			l.Predict((*[Room]float32)(x[i%(o.Examples-1)*o.Features:]))
		}
	})
}

// More than there is room for would be counted wrong.
func TestTooMany(t *testing.T) {
	for _, o := range []Options{
		{Features: room + 1, Examples: 10, Trees: 1, Depth: 2}, {Features: 1, Examples: 1 << countBits, Trees: 1, Depth: 2}, {Features: 1, Examples: 10, Trees: 1, Depth: 5},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is accepted", o)
				}
			}()
			New(o).Free()
		}()
	}
}
