package frontier

import "github.com/winnow-crawler/winnow/graph"

// yielding holds pages that failed, whose instant has come, and which wait once more: while
// a site fails, its pages that wait in the queues come first, most of which were not tried
// yet. Then those that failed come back one by one, in the order of their instants, so that
// the one comes first that was tried the longest time ago.
type yielding struct {
	behind map[graph.Site]instants
	pages  int // in all of them
}

// yields puts a page behind the others of its site if it has to wait for them.
func (f *Frontier) yields(d instant) bool {
	p := graph.Page(d.id)
	s := f.Site(p)
	b := f.boards[0]
	if f.o.BackOff == 0 || b.pool != nil || f.State(p) != Known || f.failures(s) == 0 || b.active.Len(s) == 0 {
		return false
	}
	list := f.yielding.behind[s]
	list.push(d.at, d.id)
	f.yielding.behind[s] = list
	f.yielding.pages++
	return true
}

// follow lets the pages of s that yielded come back: all of them if s answers, or if
// it is closed, otherwise the first if no other page of s waits.
func (f *Frontier) follow(s graph.Site) {
	list, ok := f.yielding.behind[s]
	if !ok {
		return
	}
	all := f.failures(s) == 0 || f.stage.At(int(s)) == closed
	for len(list) > 0 && (all || f.boards[0].active.Len(s) == 0) {
		d := list.pop()
		f.yielding.pages--
		f.yielding.behind[s] = list
		f.comeBack(graph.Page(d.id))
	}
	if len(list) == 0 {
		delete(f.yielding.behind, s)
	}
}

// unyield moves all pages that yielded back to those that wait for their instant.
func (f *Frontier) unyield() {
	f.due = f.allDue()
	clear(f.yielding.behind)
	f.yielding.pages = 0
}

// allDue returns the pages that wait for their instant, with those that yielded.
func (f *Frontier) allDue() instants {
	due := append(instants{}, f.due...)
	for _, list := range f.yielding.behind {
		for _, d := range list {
			due.push(d.at, d.id)
		}
	}
	return due
}
