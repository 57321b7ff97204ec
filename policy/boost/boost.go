// Package boost learns to predict a number from a few others: gradient-boosted regression
// trees (Friedman 2001) on histograms, small enough to be fitted again and again while a
// crawl runs. It is passive and deterministic: the same examples in the same order give the
// same trees on every machine. Fitting is done in steps, and all that a Learner knows is in
// columns, so that it can be saved between any two of them.
package boost

import (
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// Options describes the trees of a Learner.
type Options struct {
	Features int     // numbers of an example, at most 16
	Examples int     // most examples of a fit, at most 16,383
	Trees    int     // of a model
	Depth    int     // of a tree, at most 4
	Rate     float64 // part of its prediction that a tree contributes
	Leaf     int     // least examples on each side of a split
}

// bins is the number of classes into which the values of a feature are divided.
const bins = 1 << classBits

const classBits = 4

// Room is the room for the features of an example, and for the questions or answers of a tree.
const Room = 16

const room = Room

// A Learner collects examples and fits models to them. The model of the last fit that has
// ended predicts; the next one is made beside it.
type Learner struct {
	graph.Set
	o       Options
	leaves  int                          // nodes of a tree with an answer
	numbers *graph.Column[uint64]        // see the constants below
	base    *graph.Column[float64]       // of the model in use, and of the next one
	x       *graph.Column[float32]       // the examples, one after the other
	rest    *graph.Column[float64]       // what is left to be explained of each target
	bin     *graph.Column[uint64]        // classes of the features of each example, classBits each
	node    *graph.Column[uint8]         // of the tree that is made: where each example is
	edge    *graph.Column[float32]       // upper ends of the classes, bins for each feature
	now     *trees                       // the model in use
	next    *trees                       // the one that is being made
	hist    [][room]histogram            // of a level: by node and feature
	above   [][room]histogram            // of the level above
	quick   pairs                        // the model in use, if trees have two levels; made when it is needed
	values  sorter                       // reused
	tallies []tally                      // reused: what is left to be explained, by example
	cuts    [room]cut                    // reused: the questions of the tree that is made
	sizes   [2 * room]int                // reused: examples of its nodes
	joint   [room / 2][bins * bins]tally // reused, see addPairs
	picked  struct {                     // reused, see of
		words   []uint64
		tallies []tally
	}
}

// The indexes of Learner.numbers.
const (
	examples = iota // of the fit under way, or of the next one
	stage           // see the constants below
	made            // features classed or trees made in this stage
	fits            // fits that have ended
	learnerNumbers
)

// The stages of a fit.
const (
	collecting = iota
	classing
	growing
)

// trees holds the nodes of a model. Each tree is complete: the root is node 1, the children of
// node i are 2i and 2i+1, and the answers follow the questions.
type trees struct {
	ask    *graph.Column[uint64] // see question
	answer *graph.Column[float64]
}

// A question is whether a feature is greater than a limit: its number in the upper half, the
// bits of the limit in the lower half.
type question uint64

func newQuestion(feature int, limit float32) question {
	return question(feature)<<32 | question(math.Float32bits(limit))
}

func (q question) feature() uint { return uint(q >> 32) }

func (q question) limit() float32 { return math.Float32frombits(uint32(q)) }

// side returns 1 if the answer is yes for an example.
func (q question) side(x *[room]float32) (right uint) {
	if x[q.feature()%room] > q.limit() {
		right = 1
	}
	return right
}

// A histogram holds a tally for each class of a feature.
type histogram [bins]tally

// A tally is a sum of targets and their number in one, so that a target takes one addition: the
// number in the lower bits, the sum in steps of 2^-sumBits above them. It is exact.
type tally int64

const (
	countBits = 14
	sumBits   = 30
	// largest is what a target counts at most, so that the sum of all fits in.
	largest = 16
)

func tallyOf(y float64) tally {
	if y > largest {
		y = largest
	} else if y < -largest {
		y = -largest
	}
	return tally(y*(1<<sumBits))<<countBits + 1
}

func (t tally) count() int   { return int(t & (1<<countBits - 1)) }
func (t tally) sum() float64 { return float64(t>>countBits) / (1 << sumBits) }

// New returns a Learner without examples.
func New(o Options) *Learner {
	if o.Features > room || 1<<o.Depth > room || o.Examples >= 1<<countBits {
		panic(fmt.Sprintf("boost: %d features, %d examples and trees of depth %d are too many", o.Features, o.Examples, o.Depth))
	}
	l := &Learner{o: o, leaves: 1 << o.Depth}
	l.numbers = graph.NewColumnIn[uint64](&l.Set, "learner: numbers", learnerNumbers)
	l.base = graph.NewColumnIn[float64](&l.Set, "learner: base", 2)
	l.x = graph.NewColumnIn[float32](&l.Set, "learner: examples", o.Examples*o.Features)
	l.rest = graph.NewColumnIn[float64](&l.Set, "learner: targets", o.Examples)
	l.bin = graph.NewColumnIn[uint64](&l.Set, "learner: classes", o.Examples)
	l.node = graph.NewColumnIn[uint8](&l.Set, "learner: places", o.Examples)
	l.edge = graph.NewColumnIn[float32](&l.Set, "learner: edges", o.Features*bins)
	l.now, l.next = l.newTrees("now"), l.newTrees("next")
	l.numbers.Grow(learnerNumbers)
	l.base.Grow(2)
	l.edge.Grow(o.Features * bins)
	l.hist = make([][room]histogram, l.leaves/2)
	l.above = make([][room]histogram, l.leaves/2)
	return l
}

// newTrees returns room for a multiple of three trees. Those beyond Options.Trees have the
// answer 0.
func (l *Learner) newTrees(name string) *trees {
	n := (l.o.Trees + 2) / 3 * 3 * room
	t := &trees{
		ask:    graph.NewColumnIn[uint64](&l.Set, "trees "+name+": questions", n),
		answer: graph.NewColumnIn[float64](&l.Set, "trees "+name+": answers", n),
	}
	t.ask.Grow(n)
	t.answer.Grow(n)
	return t
}

// Fits returns the number of fits that have ended. Before the first one Predict returns 0.
func (l *Learner) Fits() int { return int(l.numbers.At(fits)) }

// Busy reports whether a fit is under way.
func (l *Learner) Busy() bool { return l.numbers.At(stage) != collecting }

// Predict returns the prediction of the model for an example.
func (l *Learner) Predict(x *[Room]float32) float64 {
	if l.Fits() == 0 {
		return 0
	}
	all, answers, depth, leaves := l.now.ask.Slice(), l.now.answer.Slice(), l.o.Depth, uint(l.leaves)
	sum := l.base.At(0)
	if depth == 2 {
		return predictPairs(sum, x, l.pairs())
	}
	for len(all) > 0 {
		// Three trees beside each other, since each step down has to wait for the last one.
		ask := (*[3 * room]uint64)(all)
		i, j, k := uint(1), uint(1), uint(1)
		for range depth {
			i = 2*i + question(ask[i%room]).side(x)
			j = 2*j + question(ask[j%room+room]).side(x)
			k = 2*k + question(ask[k%room+2*room]).side(x)
		}
		sum += answers[i-leaves]
		sum += answers[j-leaves+room]
		sum += answers[k-leaves+2*room]
		all, answers = all[3*room:], answers[3*room:]
	}
	return sum
}

// Parts divides a prediction: it adds to parts what each feature contributes, and returns the
// rest, which is the same for all examples. A question contributes the mean of the answers on
// the side that it leads to, less the mean on both sides.
func (l *Learner) Parts(x *[Room]float32, parts []float64) (rest float64) {
	if l.Fits() == 0 {
		return 0
	}
	rest = l.base.At(0)
	for t := range l.o.Trees {
		answers := l.now.answer.Slice()[t*room:][:l.leaves]
		mean := meanOf(answers)
		rest += mean
		for i := uint(1); i < uint(l.leaves); {
			q := question(l.now.ask.At(t*room + int(i)))
			side, half := q.side(x), uint(len(answers)/2)
			i = 2*i + side
			answers = answers[side*half:][:half]
			next := meanOf(answers)
			parts[q.feature()] += next - mean
			mean = next
		}
	}
	return rest
}

func meanOf(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// Add adds an example for the next fit. It returns false, and forgets the example, if there
// are Options.Examples of them. A fit must not be under way.
func (l *Learner) Add(x []float32, target float64) bool {
	if l.rest.Len() == l.o.Examples {
		return false
	}
	n := l.x.Len()
	l.x.Grow(n + l.o.Features)
	copy(l.x.Slice()[n:], x)
	l.rest.Append(target)
	return true
}

// Begin begins a fit to the examples that were added. Step does it.
func (l *Learner) Begin() {
	n := l.rest.Len()
	l.numbers.Set(examples, uint64(n))
	l.numbers.Set(stage, classing)
	l.numbers.Set(made, 0)
	l.bin.Grow(n)
	l.node.Grow(n)
	mean, rest := 0.0, l.rest.Slice()
	for _, y := range rest {
		mean += y
	}
	mean /= float64(max(1, n))
	for i := range rest {
		rest[i] -= mean
	}
	l.base.Set(1, mean)
}

// Step does a part of a fit, about as much as Examples times Features, and reports whether
// more is left. At the end the new model takes over and the examples are forgotten.
func (l *Learner) Step() (more bool) {
	num := l.numbers.Slice()
	switch num[stage] {
	case classing:
		l.class(int(num[made]))
		if num[made]++; num[made] == uint64(l.o.Features) {
			num[stage], num[made] = growing, 0
		}
		return true
	case growing:
		l.grow(int(num[made]))
		if num[made]++; num[made] == uint64(l.o.Trees) {
			l.end()
			return false
		}
		return true
	}
	return false
}

// end makes the new model the one in use.
func (l *Learner) end() {
	copy(l.now.ask.Slice(), l.next.ask.Slice())
	copy(l.now.answer.Slice(), l.next.answer.Slice())
	l.base.Set(0, l.base.At(1))
	l.x.Truncate(0)
	l.rest.Truncate(0)
	l.bin.Truncate(0)
	l.node.Truncate(0)
	l.numbers.Set(stage, collecting)
	l.numbers.Slice()[fits]++
}

// always is the limit of a node without a question: all examples go left.
const always = math.MaxFloat32
