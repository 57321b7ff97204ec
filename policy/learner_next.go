package policy

import "github.com/winnow-crawler/winnow/graph"

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
