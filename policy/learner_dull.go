package policy

import (
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/group"
)

// noteDull counts p, which brought nothing new, in its groups.
func (l *learner) noteDull(p graph.Page) {
	l.state.Slice()[p] |= dullBit
	dull := l.groupDull.Slice()
	for g := group.ID(l.group.At(int(p))); ; g = l.tree.Up(g) {
		dull[g]++
		if g == 0 {
			break
		}
	}
}

// likeDull reports whether more than half of the pages that were handed out brought nothing
// new, in the smallest group of p of which there were some. A whole site is no such group:
// traps are parts of good sites.
func (l *learner) likeDull(p graph.Page) bool {
	if l.groupDull.Len() == 0 || l.groupDull.At(0) == 0 {
		return false
	}
	g := group.ID(l.group.At(int(p)))
	for site := l.tree.Site(g); g != site && g != 0; g = l.tree.Up(g) {
		if n := l.tree.Taken(g); n > 0 {
			return 2*int(l.groupDull.At(int(g))) > n
		}
	}
	return false
}
