package policy

import "github.com/winnow-crawler/winnow/graph"

// atNext is the number of pages that get new values after an attempt.
const atNext = 3

// rescoreNext gives new values to the pages that a site would hand out next. Between two
// checkpoints a page that was fetched tells something about those like it. It is not done at the
// hand-out: a page that is handed out again after a crash would meet other values.
func (l *learner) rescoreNext(s graph.Site) {
	l.next = l.board.Top(l.next[:0], s, atNext)
	for _, p := range l.next {
		l.board.Set(p, l.rescore(p))
	}
}
