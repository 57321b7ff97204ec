package policy

import (
	"github.com/winnow-crawler/winnow/graph"
)

// A rescoring gives new values to waiting pages after a checkpoint. There may be far more of
// them than pages will be handed out before the next one. So it takes only some: those with
// the highest values so far, and an equal number of others, from where the last one stopped.
// Where few pages wait it takes all.
type rescoring struct {
	numbers *graph.Column[uint64] // see rescoreAt
	counts  *graph.Column[uint32] // waiting pages by value, see classOf
}

// The indexes of rescoring.numbers.
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

func newRescoring(s *graph.Set) rescoring {
	r := rescoring{
		numbers: graph.NewColumnIn[uint64](s, "foresight rescoring", rescoringNumbers),
		counts:  graph.NewColumnIn[uint32](s, "foresight values", classes),
	}
	r.numbers.Grow(rescoringNumbers)
	r.counts.Grow(classes)
	return r
}

// classOf returns the class of a value, 32 for each step of 1.
func classOf(v float64) int { return max(0, min(classes-1, int(v*32))) }

// begin begins a rescoring of about twice as many pages as many, of all that are known. It
// counts on the values that the last one saw.
func (r *rescoring) begin(known, many int) {
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

// step looks at some pages, and reports whether more are left.
func (r *rescoring) step(links int, b *Board, score func(graph.Page) float64) (more bool) {
	num, counts := r.numbers.Slice(), r.counts.Slice()
	p, end := graph.Page(num[rescoreAt]), graph.Page(num[rescoreEnd])
	for ; p < end && links > 0; p++ {
		links -= linkCost
		if !b.Waits(p) {
			continue
		}
		v := b.Value(p)
		if r.takes(p, classOf(v)) {
			links -= scoreCost
			v = score(p)
			b.Set(p, v)
		}
		counts[classOf(v)]++
	}
	num[rescoreAt] = uint64(p)
	return p < end
}

// takes reports whether a waiting page gets a new value.
func (r *rescoring) takes(p graph.Page, class int) bool {
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

// atNext is the number of pages that get new values at a hand-out.
const atNext = 5

// rescoreNext gives new values to the pages that a site would hand out next. Between two
// checkpoints a page that was handed out tells something about those like it.
func (l *learner) rescoreNext(s graph.Site) {
	l.next = l.board.Top(l.next[:0], s, atNext)
	for _, p := range l.next {
		l.board.Set(p, l.score(p))
	}
}
