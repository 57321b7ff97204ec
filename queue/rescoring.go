package queue

import "github.com/winnow-crawler/winnow/graph"

// A Rescoring gives new values to waiting pages of a board, in steps. There may be far more of
// them than pages will be handed out before the next one. So it takes only some: those with
// the highest values so far, and an equal number of others, from where the last one stopped.
// Where few pages wait it takes all.
type Rescoring struct {
	look, score int                   // what it takes to look at a page, and to give it a new value
	numbers     *graph.Column[uint64] // see rescoreAt
	counts      *graph.Column[uint32] // waiting pages by value, see classOf
}

// The indexes of Rescoring.numbers.
const (
	rescoreAt    = iota // page at which it continues
	rescoreEnd          // pages that were known when it began
	rescoreLow          // class from which on pages are taken
	rescoreFirst        // the first of the others
	rescoreRest         // how many more of the others it takes
	rescoringNumbers
)

// classes is the number of classes of values.
const classes = 256

// NewRescoring returns a Rescoring whose columns are in s, with names that begin with name. look is
// what it takes to look at a page, and score what it takes to give it a new value.
func NewRescoring(s *graph.Set, name string, look, score int) Rescoring {
	r := Rescoring{
		look: look, score: score,
		numbers: graph.NewColumnIn[uint64](s, name+" rescoring", rescoringNumbers),
		counts:  graph.NewColumnIn[uint32](s, name+" values", classes),
	}
	r.numbers.Grow(rescoringNumbers)
	r.counts.Grow(classes)
	return r
}

// classOf returns the class of a value, 32 for each step of 1.
func classOf(v float64) int { return max(0, min(classes-1, int(v*32))) }

// Begin begins a rescoring of about twice as many pages as many, of all that are known. It
// counts on the values that the last one saw.
func (r *Rescoring) Begin(known, many int) {
	num, counts := r.numbers.Slice(), r.counts.Slice()
	low, sum := classes, 0
	for low > 0 && sum < many {
		low--
		sum += int(counts[low])
	}
	clear(counts)
	num[rescoreAt], num[rescoreEnd] = 0, uint64(known)
	num[rescoreLow], num[rescoreRest] = uint64(low), uint64(many)
	if num[rescoreFirst] >= uint64(known) {
		num[rescoreFirst] = 0
	}
}

// Step looks at some pages, for which there is a budget, and reports whether more are left.
func (r *Rescoring) Step(budget int, b *Board, score func(graph.Page) float64) (more bool) {
	num, counts := r.numbers.Slice(), (*[classes]uint32)(r.counts.Slice())
	p, end := graph.Page(num[rescoreAt]), graph.Page(num[rescoreEnd])
	for ; p < end && budget > 0; p++ {
		budget -= r.look
		v, ok := b.waiting(p)
		if !ok {
			continue
		}
		class := classOf(v)
		if r.takes(p, class) {
			budget -= r.score
			v = score(p)
			b.Set(p, v)
			class = classOf(v)
		}
		counts[class%classes]++
	}
	num[rescoreAt] = uint64(p)
	return p < end
}

// takes reports whether a waiting page gets a new value.
func (r *Rescoring) takes(p graph.Page, class int) bool {
	num := r.numbers.Slice()
	if uint64(class) >= num[rescoreLow] {
		return true
	}
	if uint64(p) < num[rescoreFirst] || num[rescoreRest] == 0 {
		return false
	}
	num[rescoreRest]--
	num[rescoreFirst] = uint64(p) + 1
	return true
}
