package live

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/sim"
)

// mostLate is the longest time by which a crawler that had nothing else to do hands out a task
// too late.
const mostLate = time.Second

// turns finds out when a crawl handed out tasks. It takes answers, and hands out some
// microseconds later.
type turns struct {
	out      *sim.Recording
	last     time.Duration // instant of the last record before the present instant
	decided  bool          // something was handed out then, or could have been
	answered bool          // the last record is an answer
	// before is the last instant before the present one at which tasks could be handed out.
	before time.Duration
}

// read looks at a record before it is used. now is the instant of the record before.
func (t *turns) read(x *journal.Record, now time.Duration) {
	decides := false
	switch x.Event.Kind {
	case event.Took, event.Refused, event.Polled:
		decides = true
	}
	if x.Now > now {
		if t.decided {
			t.before = now
		} else {
			t.before = t.last
		}
		t.last, t.decided = now, false
	}
	if decides && t.answered {
		t.out.Then(x.Now - now)
	}
	t.answered, t.decided = false, t.decided || decides
}
