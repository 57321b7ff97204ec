package policy

import (
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Heard keeps what a sitemap file says about pages. New ones get their values when they become
// known, others now.
func (l *learner) Heard(hints []event.Hint) {
	for _, h := range hints {
		l.above.Grow(int(h.Page) + 1)
		l.above.Set(int(h.Page), uint8(h.Above))
		if int(h.Page) < l.group.Len() && l.board.Waits(h.Page) {
			l.board.Set(h.Page, l.score(h.Page))
		}
	}
}

// aboveMean returns the priority of a page by its sitemap, less the mean of the file; 0 if the
// sitemap says nothing.
func (l *learner) aboveMean(p graph.Page) float32 {
	if int(p) >= l.above.Len() {
		return 0
	}
	return float32(int8(l.above.At(int(p)))) / event.MaxAbove
}
