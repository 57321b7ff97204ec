package policy

import (
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/group"
	"github.com/winnow-crawler/winnow/queue"
)

// newPartition returns foresight in the first of four partitions, where URLs are not known.
func newPartition(t *testing.T) *foresight {
	const most = 1000
	e := &Env{
		Facts: facts{}, MaxPages: most, MaxSites: 1, Partitions: 4, Random: 1,
		Out: func(graph.Page) []graph.Page { return nil }, Foreign: func(graph.Page) bool { return false }, Owe: func(graph.Page) {},
	}
	q := queue.New("test", most, 1)
	q.Site(0)
	for range 3 {
		e.Boards = append(e.Boards, queue.NewBoard(q, nil))
	}
	made, err := newForesight(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := made.(*foresight)
	t.Cleanup(func() {
		f.Free()
		q.Free()
	})
	return f
}

// TestPackMeans: means arrive as they were sent, to a step, and extreme ones as the nearest that fit.
func TestPackMeans(t *testing.T) {
	l := newPartition(t).learner
	l.growGroups(2)
	for _, x := range [][4]float32{{0, 0, 0, 0}, {-7.25, 3.5, -7.25, 3.5}, {1e9, -1e9, 32, -32}, {-1e9, 1e9, -32, 32}} {
		l.trade.means.Set(1, packMeans(x[0], x[1]))
		label, finds, ok := l.trade.meansTold(1)
		if off := max(math.Abs(float64(label-x[2])), math.Abs(float64(finds-x[3]))); !ok || off > 1./meanSteps {
			t.Errorf("%v and %v arrive as %v and %v", x[0], x[1], label, finds)
		}
	}
	if _, _, ok := l.trade.meansTold(0); ok {
		t.Error("means of a group that none has told")
	}
}

// TestTakeMeans: a group of pages that were found on a page of another partition has the means that
// this partition tells, and not those that a third one does.
func TestTakeMeans(t *testing.T) {
	l := newPartition(t).learner
	home := func(part, page uint64) float64 { return float64((part+1)<<homeSelf | page) }
	l.Foretell([]float64{0, home(1, 70), 0})
	l.Known(0, graph.NoPage)
	g := l.tree.Up(group.ID(l.group.At(0)))
	take := func(part, page uint64, label float32) {
		l.takeMeans(0, []float64{0, home(part, page), float64(packMeans(label, 1))})
	}
	take(1, 70, 2)
	take(2, 70, 5)
	take(1, 71, 6)
	if label, finds, ok := l.trade.meansTold(g); g == 0 || !ok || label != 2 || finds != 1 {
		t.Errorf("group %d has the means %v and %v", g, label, finds)
	}
	if label, finds := l.meansAbove(g); label != 2 || finds != 1 {
		t.Errorf("it is drawn towards %v and %v", label, finds)
	}
}

// TestShares: each partition has as many examples of a fit as its fetched pages are of all.
func TestShares(t *testing.T) {
	f := newPartition(t)
	l := f.learner
	l.numbers.Set(learnFetched, 1000)
	teach := func(part int, fetched float32, examples int) {
		list := make([]float32, lessonCounts, lessonCounts+examples*exampleSize)
		list[lessonFetched], list[lessonExamples] = fetched, float32(examples)
		for i := range examples * exampleSize {
			list = append(list, float32(i/exampleSize))
		}
		f.Learn(part, list)
	}
	teach(1, 3000, 1800)
	teach(2, 10_000, 1800)
	teach(3, 6000, 1800)
	for part, want := range []float64{0, 900, 1800, 1800} { // of 6,000 for 20,000 pages
		if got := l.trade.of(part)[lessonExamples]; got != want {
			t.Errorf("partition %d has %v examples, want %v", part, got, want)
		}
	}
	if n := l.trade.x.Len() / exampleSize; n != 4500 || l.trade.examples() != n || l.share(1000) != 300 {
		t.Errorf("%d examples in all, %d counted, and %d here", n, l.trade.examples(), l.share(1000))
	}
	last := float32(-1)
	for i := range 900 { // those that are left are spread over all
		x := l.trade.x.At(i * exampleSize)
		if x <= last || x > last+5 {
			t.Fatalf("example %v follows %v", x, last)
		}
		last = x
	}
	if last < 1790 {
		t.Errorf("the last example is %v", last)
	}
}
