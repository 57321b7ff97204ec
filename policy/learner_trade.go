package policy

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/group"
	"github.com/winnow-crawler/winnow/policy/hindsight"
	"github.com/winnow-crawler/winnow/policy/order"
	"github.com/winnow-crawler/winnow/queue"
)

// trade is what a learner has of other partitions of the crawl, and they of it: the part of the
// estimates of pages that links across partitions make. It is empty if there is one partition.
type trade struct {
	foreign func(graph.Page) bool // nil if there is one partition
	owe     func(graph.Page)
	source  *graph.Column[float32] // by page: what others have handed on to it
	given   *graph.Column[float32] // by page: what it was given here, and others were told
	far     *graph.Column[uint64]  // number of foreign pages
	homes   homes
	means   *graph.Column[uint32] // by group: those of its pages where these were found, see packMeans; nil if URLs are known
	lessons
}

func newTrade(s *graph.Set, e *Env, groups int) (t trade) {
	if e.Foreign == nil {
		return t
	}
	t.foreign, t.owe = e.Foreign, e.Owe
	t.source = graph.NewColumnIn[float32](s, "foresight from others", e.MaxPages)
	t.given = graph.NewColumnIn[float32](s, "foresight to others", e.MaxPages)
	t.far = graph.NewColumnIn[uint64](s, "foresight foreign", 1)
	t.far.Grow(1)
	t.homes = newHomes(s, e.MaxPages)
	if e.URL == nil {
		t.means = graph.NewColumnIn[uint32](s, "foresight means from others", groups)
	}
	t.lessons = newLessons(s, e.Partitions)
	return t
}

// known adds the next page.
func (t *trade) known() {
	if t.foreign != nil {
		t.source.Append(0)
		t.given.Append(0)
	}
}

// open says which mass comes from other partitions and goes there.
func (t *trade) open(w *hindsight.World, pages int) {
	if t.foreign != nil {
		w.Foreign, w.Source, w.Own = farBit, t.source.Slice(), pages-int(t.far.At(0))
		w.Lost, w.Others = t.all()[lessonLost], t.all()[lessonPages]
	}
}

// far reports whether p, which is dropped, is one of another partition. Such a page is not lost: it
// waits there.
func (l *learner) far(p graph.Page, state *uint16) bool {
	if l.trade.foreign == nil || !l.trade.foreign(p) {
		return false
	}
	if *state&farBit == 0 {
		*state |= farBit
		l.trade.far.Slice()[0]++
	}
	return true
}

// lookBack sets the labels of pages that were fetched, and tells the partitions of foreign ones what
// these are given here if that is much more or less than the last time.
func (l *learner) lookBack(at, stop int) {
	state := l.state.Slice()[:stop]
	for i := at; i < len(state); i++ {
		if s := state[i]; s&farBit != 0 {
			l.tell(i)
		} else if s&(gotBit|lateBit|pickedBit) == gotBit|pickedBit {
			l.setLabel(i)
		}
	}
}

func (l *learner) tell(i int) {
	if is, was := l.inflow(graph.Page(i)), float64(l.trade.given.At(i)); math.Abs(is-was) > tradeStep*max(was, 1-follow) {
		l.trade.owe(graph.Page(i))
	}
}

// tradeStep is the part by which what a foreign page is given changes before it is told.
const tradeStep = 0.25

// inflow returns what the links of pages here give to a foreign page.
func (l *learner) inflow(p graph.Page) float64 { return max(0, l.est.Value(p)-(1-follow)) }

// Amounts: the estimate that pages here hand on, the page on which p was found, and the means of its
// group if URLs are not known.
func (l *learner) Amounts() int {
	if l.e.URL != nil {
		return 2
	}
	return 3
}

// Give gives what the inflow of p is more or less than the last time.
func (l *learner) Give(p graph.Page, amounts []float64) {
	given := &l.trade.given.Slice()[p]
	if amounts[1] = 0; *given == 0 || len(amounts) > 2 {
		amounts[1] = l.homeOf(p)
	}
	if len(amounts) > 2 {
		amounts[2] = float64(packMeans(l.groupMeans(group.ID(l.group.At(int(p))))))
	}
	amounts[0] = l.inflow(p) - float64(*given)
	*given += float32(amounts[0])
}

// Take adds to the estimate of p, and to the links to it.
func (l *learner) Take(p graph.Page, links int, amounts []float64) {
	source := &l.trade.source.Slice()[p]
	was := float64(*source)
	*source = float32(max(0, was+amounts[0]))
	l.est.Add(p, float64(*source)-was)
	if len(amounts) > 2 {
		l.takeMeans(p, amounts)
	}
	before := l.links.At(int(p))
	l.links.Set(int(p), uint16(min(int(before)+links, math.MaxUint16)))
	if l.board.Waits(p) {
		l.board.Set(p, l.score(p))
	}
}

// Level returns the logarithm of the index of p, as the model predicts it, on the first board. What
// the others go by means the same in all partitions.
func (f *foresight) Level(p graph.Page, board int) float64 {
	if board > 0 {
		return f.Mix.Level(p, board)
	}
	l := f.learner
	v := l.board.Value(p)
	if l.board.Discounted(p) {
		v = queue.Lower(v)
	}
	if l.model.Fits() == 0 {
		return order.Log2(v + 1e-6)
	}
	return float64(4*order.Log2(v+1e-6)) + l.mean()
}
