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
	// rate is the length of a first step of the weight of a number, wordRate that of a hash, and
	// firstSquare what the sum of squares begins with.
	rate        = 0.3
	wordRate    = 0.1
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
		m.step(i, rate, float64(slope*v))
	}
	for _, h := range x.hashes[:x.count] {
		m.step(int(h), wordRate, slope)
	}
}

// step changes a weight against its slope.
func (m *linear) step(i int, rate, slope float64) {
	if slope == 0 {
		return
	}
	square := &m.squares.Slice()[i]
	*square += float32(slope * slope)
	m.weights.Slice()[i] -= float32(rate * slope / math.Sqrt(firstSquare+float64(*square)))
}

// logistic returns 1/(1 + e^-x), to 6 digits and the same on all machines.
func logistic(x float64) float64 {
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

// chances corrects what a model predicts by what became of it. A logistic model is sure of pages
// that have everything that speaks for them, but even of those a part may not be hot. So
//
//	probability = p (H + 15 r)/(P + 15),  r = (H' + 13)/(P' + 20)
//
// p is what the model predicts, P the sum of what it predicted for fetched pages in the same range
// of p, and H the number of hot ones among them. P' and H' are those of all ranges but the lowest.
// Pages of long ago count half, then a quarter, and so on.
type chances struct {
	graph.Set
	predicted, hot *graph.Column[float64] // by range
}

const (
	chanceDraws = 15   // of P, as which the ratio of all ranges counts
	chanceFirst = 20   // of P', as which the first ratio counts
	chanceRatio = 0.65 // that ratio: a page that was chosen for a high number has less
	chanceMost  = 80   // P after which pages so far count half
)

// chanceEnds returns the ends of the ranges.
func chanceEnds() [7]float64 { return [...]float64{0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 1} }

func newChances() *chances {
	c, n := &chances{}, len(chanceEnds())
	c.predicted = graph.NewColumnIn[float64](&c.Set, "topical chances: predicted", n)
	c.hot = graph.NewColumnIn[float64](&c.Set, "topical chances: hot", n)
	c.predicted.Grow(n)
	c.hot.Grow(n)
	return c
}

// rangeOf returns the range of a probability.
func rangeOf(p float64) (i int) {
	for ends := chanceEnds(); i < len(ends)-1 && p >= ends[i]; i++ {
	}
	return i
}

// of returns the probability of a logit.
func (c *chances) of(logit float64) float64 {
	p, all, hot := logistic(logit), 0.0, 0.0
	for i := 1; i < c.hot.Len(); i++ {
		all, hot = all+c.predicted.At(i), hot+c.hot.At(i)
	}
	i, ratio := rangeOf(p), (hot+chanceFirst*chanceRatio)/(all+chanceFirst)
	return min(1, p*(c.hot.At(i)+float64(chanceDraws*ratio))/(c.predicted.At(i)+chanceDraws))
}

// learn takes in what became of a page.
func (c *chances) learn(logit float64, hot bool) {
	p := logistic(logit)
	i := rangeOf(p)
	if c.predicted.At(i) >= chanceMost {
		c.predicted.Set(i, c.predicted.At(i)/2)
		c.hot.Set(i, c.hot.At(i)/2)
	}
	c.predicted.Slice()[i] += p
	if hot {
		c.hot.Slice()[i]++
	}
}
