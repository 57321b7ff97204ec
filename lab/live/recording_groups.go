package live

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/sim"
)

// groups finds out when the answers of a crawl were on disk: their sites waited for it. That is
// not in the journal. But decisions say whether a group was being written then, and a group is
// on disk before the next one is written.
type groups struct {
	out          *sim.Recording
	most         time.Duration // the longest time from an event to the end of its commit
	now          time.Duration // of the last record
	early        time.Duration // of the last decision
	before, open []groupAnswer // in the group before, unless it is on disk, and in this one
}

// A groupAnswer is an answer and the instant of its event.
type groupAnswer struct {
	answer int
	at     time.Duration
}

// commitTime is a time in which a commit ends.
const commitTime = time.Second

// session begins a session, in which nothing waits for the groups before.
func (g *groups) session(commit time.Duration) {
	g.most, g.before, g.open = commit+commitTime, nil, nil
}

// read looks at a record before it is used.
func (g *groups) read(x *journal.Record) {
	g.now = x.Now
	switch x.Event.Kind {
	case event.Took, event.Refused, event.Polled:
		if g.early = g.now; !x.Facts.Early {
			g.settle(g.now)
		}
	}
}

// add adds the last answer to the group.
func (g *groups) add() { g.open = append(g.open, groupAnswer{g.out.Answers() - 1, g.now}) }

// commit ends a group. The one before was on disk by then, after all decisions so far.
func (g *groups) commit() {
	g.settle(g.early + 1)
	g.before, g.open = g.open, g.before
}

// settle records that the group before was on disk at an instant.
func (g *groups) settle(at time.Duration) {
	for _, a := range g.before {
		g.out.Hold(a.answer, min(max(0, at-a.at), g.most))
	}
	g.before = g.before[:0]
}
