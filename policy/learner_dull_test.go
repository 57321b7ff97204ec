package policy

import (
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
)

// take hands out a page that has no links.
func (c *tinyCrawl) take(p graph.Page, dull bool) {
	for _, q := range c.queues {
		q.Remove(p)
	}
	c.f.Taken(0, p, 0)
	c.f.Done(0, p, &event.Outcome{Dull: dull}, nil)
}

// Where a page brought nothing new, the learned order puts others like it later, and XIM does
// not explore them. Pages 3, 220 and 437 are in one directory, 220 with another ending.
func TestForesightDull(t *testing.T) {
	for _, dull := range []bool{false, true} {
		c := newTinyCrawl(t, nil, 0)
		for len(c.from) < 437 {
			c.know(0)
		}
		c.take(3, dull)
		c.take(220, false)
		p, l := c.know(0), c.f.learner
		if got := l.likeDull(p); got != dull || l.likeDull(4) || l.likeDull(219) {
			t.Errorf("dull %v: the page is like it: %v", dull, got)
		}
		if explored := c.f.learner.xim.board.Value(p) > 0; explored == dull {
			t.Errorf("dull %v: explored is %v", dull, explored)
		}
		l.est.Add(p, 1)
		if lowered := l.score(p) == queue.Lower(l.predict(p)); lowered != dull {
			t.Errorf("dull %v: lowered is %v", dull, lowered)
		}
		l.est.Add(3, 1)
		if nothing := l.weight(3) == 0; nothing != dull {
			t.Errorf("dull %v: the weight is %g", dull, l.weight(3))
		}
	}
}

// XIM does not explore what goes later anyway.
func TestForesightDiscounted(t *testing.T) {
	c := newTinyCrawl(t, nil, 0)
	board := c.f.learner.xim.board
	board.Discount(func(p graph.Page) bool { return p == 2 })
	for range 2 {
		if p := c.know(0); board.Value(p) > 0 == (p == 2) {
			t.Errorf("page %d has %g", p, board.Value(p))
		}
	}
}
