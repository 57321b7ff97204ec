package linear

import "github.com/winnow-crawler/winnow/graph"

// Chances correct what a model predicts by what turned out to be true. A logistic model is sure
// of examples that have everything that speaks for them, but even of those a part may not be so.
// Therefore
//
//	probability = p (H + 15 r)/(P + 15),  r = (H' + 13)/(P' + 20)
//
// or p (H + 60)/(P + 60), if p times more than 1 would be more: a few that were so by chance are no
// reason to be surer than the model.
// p is what the model predicts, drawn to 0.62 above 0.3, the more the higher it is: a model that
// learns from what it chose itself tells high probabilities apart that are much the same. P is the
// sum of p for examples in the same range of it, and H the number of those that were so. P' and H' are those of all ranges but the lowest.
// Examples of long ago count half, then a quarter, and so on.
type Chances struct {
	graph.Set
	predicted, hot *graph.Column[float64] // by range
}

const (
	chanceDraws  = 15 // of P, as which the ratio of all ranges counts
	chanceRise   = 60 // of P, as which a factor of 1 counts where it is more
	chanceRanges = 7
	chanceFirst  = 20   // of P', as which the first ratio counts
	chanceRatio  = 0.65 // that ratio: who is chosen for a high number has less
	chanceMost   = 80   // P after which examples so far count half
	chanceEven   = 0.3  // above it probabilities are drawn
	chanceMiddle = 0.62 // to this one
)

// chanceEnds returns the ends of the ranges.
func chanceEnds() [chanceRanges]float64 { return [...]float64{0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 1} }

// NewChances returns chances that have seen nothing.
func NewChances() *Chances {
	const n = chanceRanges
	c := &Chances{}
	c.predicted = graph.NewColumnIn[float64](&c.Set, "linear predicted", n)
	c.hot = graph.NewColumnIn[float64](&c.Set, "linear true", n)
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

// flat returns the p of a probability that the model predicts.
func flat(p float64) float64 {
	return p + (chanceMiddle-p)*max(0, p-chanceEven)/(1-chanceEven)
}

// Of returns the probability of a logit.
func (c *Chances) Of(logit float64) float64 {
	p, all, hot := flat(Logistic(logit)), 0.0, 0.0
	for i := 1; i < c.hot.Len(); i++ {
		all, hot = all+c.predicted.At(i), hot+c.hot.At(i)
	}
	i, ratio := rangeOf(p), (hot+chanceFirst*chanceRatio)/(all+chanceFirst)
	factor := (c.hot.At(i) + float64(chanceDraws*ratio)) / (c.predicted.At(i) + chanceDraws)
	rise := (c.hot.At(i) + chanceRise) / (c.predicted.At(i) + chanceRise)
	return min(1, float64(p*min(factor, max(1, rise))))
}

// Learn takes in what an example turned out to be.
func (c *Chances) Learn(logit float64, hot bool) {
	p := flat(Logistic(logit))
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
