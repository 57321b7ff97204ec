// Package linear predicts by logistic regression whether something is so, and learns from one
// example after the other by AdaGrad (Duchi, Hazan, Singer 2011).
//
// A [Model] predicts. [Chances] corrects what it predicts by what turned out to be true.
//
// The package is passive. All state is in columns, and the same examples give the same numbers on
// all machines.
package linear

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// A Model has a weight for each of a few features that are numbers, and one for each value of a
// hash.
type Model struct {
	graph.Set
	weights *graph.Column[float32]
	squares *graph.Column[float32] // by weight: sum of the squares of its slopes
}

const (
	// buckets is the number of weights of hashes.
	buckets = 1 << 17
	// rate is the length of a first step of the weight of a number, wordRate that of a hash, and
	// firstSquare what the sum of squares begins with.
	rate        = 0.3
	wordRate    = 0.1
	firstSquare = 1
)

// New returns a model that begins with these weights of features.
func New(prior [Numbers]float32) *Model {
	m := &Model{}
	m.weights = graph.NewColumnIn[float32](&m.Set, "linear weights", Numbers+buckets)
	m.squares = graph.NewColumnIn[float32](&m.Set, "linear squares", Numbers+buckets)
	m.weights.Grow(Numbers + buckets)
	m.squares.Grow(Numbers + buckets)
	copy(m.weights.Slice(), prior[:])
	return m
}

// An Example is what is known of a thing: numbers, and hashes of words.
type Example struct {
	Numbers [Numbers]float64
	hashes  [Hashes]uint32 // places of their weights
	count   int
}

// The most numbers and hashes of an example.
const (
	Numbers = 16
	Hashes  = 12
)

// Add adds a hash.
func (x *Example) Add(hash uint64) {
	x.hashes[x.count] = Numbers + uint32(hash%buckets)
	x.count++
}

// Reset removes the numbers and the hashes.
func (x *Example) Reset() { x.Numbers, x.count = [Numbers]float64{}, 0 }

// Logit returns the logarithm of the odds that the model gives an example.
func (m *Model) Logit(x *Example) float64 {
	w, sum := m.weights.Slice(), 0.0
	for i, v := range x.Numbers {
		sum += float64(float64(w[i]) * v)
	}
	for _, h := range x.hashes[:x.count] {
		sum += float64(w[h])
	}
	return sum
}

// Learn changes the weights by an example.
func (m *Model) Learn(x *Example, hot bool) {
	slope := Logistic(m.Logit(x))
	if hot {
		slope--
	}
	for i, v := range x.Numbers {
		m.step(i, rate, float64(slope*v))
	}
	for _, h := range x.hashes[:x.count] {
		m.step(int(h), wordRate, slope)
	}
}

// Part returns what number i adds to the logit of an example.
func (m *Model) Part(x *Example, i int) float64 {
	return float64(float64(m.weights.At(i)) * x.Numbers[i])
}

// Words returns what the hashes add to the logit of an example.
func (m *Model) Words(x *Example) (sum float64) {
	for _, h := range x.hashes[:x.count] {
		sum += float64(m.weights.At(int(h)))
	}
	return sum
}

// step changes a weight against its slope.
func (m *Model) step(i int, rate, slope float64) {
	if slope == 0 {
		return
	}
	square := &m.squares.Slice()[i]
	*square += float32(slope * slope)
	m.weights.Slice()[i] -= float32(rate * slope / math.Sqrt(firstSquare+float64(*square)))
}

// Logistic returns 1/(1 + e^-x), to 6 digits and the same on all machines.
func Logistic(x float64) float64 {
	small := power2(-math.Abs(x) * math.Log2E)
	if x >= 0 {
		return 1 / (1 + small)
	}
	return small / (1 + small)
}

// power2 returns 2^x for x that is not positive, by the series of e^t.
func power2(x float64) float64 {
	whole := math.Floor(x)
	if whole < -1000 {
		return 0
	}
	t, sum := (x-whole)*math.Ln2, 1.0
	for k := 8.0; k >= 1; k-- {
		sum = 1 + float64(sum*t)/k
	}
	return math.Ldexp(sum, int(whole))
}
