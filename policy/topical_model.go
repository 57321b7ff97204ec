package policy

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// linear is a logistic regression that learns from one example after the other by AdaGrad. It has
// a weight for each of a few features that are numbers, and one for each value of a hash.
type linear struct {
	graph.Set
	weights *graph.Column[float32]
	squares *graph.Column[float32] // by weight: sum of the squares of its slopes
}

const (
	// buckets is the number of weights of hashes.
	buckets = 1 << 17
	// rate is the length of a first step, and firstSquare what the sum of squares begins with.
	rate        = 0.3
	firstSquare = 1
)

// newLinear returns a model that begins with these weights of features.
func newLinear(prior []float32) *linear {
	m := &linear{}
	m.weights = graph.NewColumnIn[float32](&m.Set, "topical weights", len(prior)+buckets)
	m.squares = graph.NewColumnIn[float32](&m.Set, "topical squares", len(prior)+buckets)
	m.weights.Grow(len(prior) + buckets)
	m.squares.Grow(len(prior) + buckets)
	copy(m.weights.Slice(), prior)
	return m
}

// An example is what is known of a page.
type example struct {
	dense  [denseFeatures]float64
	hashes [mostHashes]uint32 // places of weights after those of dense
	count  int                // of hashes
}

// add adds a hashed feature.
func (x *example) add(hash uint64) {
	x.hashes[x.count] = denseFeatures + uint32(hash%buckets)
	x.count++
}

// logit returns the logarithm of the odds that the model gives an example.
func (m *linear) logit(x *example) float64 {
	w, sum := m.weights.Slice(), 0.0
	for i, v := range x.dense {
		sum += float64(float64(w[i]) * v)
	}
	for _, h := range x.hashes[:x.count] {
		sum += float64(w[h])
	}
	return sum
}

// learn changes the weights by an example.
func (m *linear) learn(x *example, hot bool) {
	slope := logistic(m.logit(x))
	if hot {
		slope--
	}
	for i, v := range x.dense {
		m.step(i, float64(slope*v))
	}
	for _, h := range x.hashes[:x.count] {
		m.step(int(h), slope)
	}
}

// step changes a weight against its slope.
func (m *linear) step(i int, slope float64) {
	if slope == 0 {
		return
	}
	square := &m.squares.Slice()[i]
	*square += float32(slope * slope)
	m.weights.Slice()[i] -= float32(rate * slope / math.Sqrt(firstSquare+float64(*square)))
}

// logistic returns 1/(1 + e^-x).
func logistic(x float64) float64 {
	small := exp2(-math.Abs(x) * math.Log2E)
	if x >= 0 {
		return 1 / (1 + small)
	}
	return small / (1 + small)
}
