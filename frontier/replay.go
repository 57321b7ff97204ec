package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// The journal holds the decisions of Next and More as events Took, Refused and Asked. On
// replay they are forced, whatever the present code or policy would decide, and decisions
// that differ are counted. Before each one, the same happens as before the decision: sites
// wake, batches are chosen, policies work.

// took forces a task that was handed out.
func (x *dispatcher) took(now time.Duration, w event.Task) {
	if c, ok := x.choice(now, w.Site); !ok || c.Kind != w.Kind || c.Site != w.Site || c.Page != w.Page || c.For != w.For {
		x.differs++
	}
	if at := x.sites.place.At(int(w.Site)); at == waiting || at == blocked || at == held {
		x.sites.offer(w.Site) // wake skips its entry in waits
	}
	if w.Kind == event.Fetch {
		x.pages.comeBack(w.Page)
	}
	x.take(now, w)
}

// refusal forces a refusal.
func (x *dispatcher) refusal(now time.Duration, p graph.Page, bar event.Bar) {
	s := x.orders.site(p)
	if c, ok := x.choice(now, s); !ok || c.Site != s || c.Kind == event.Fetch && c.Page != p {
		x.differs++
	}
	x.pages.comeBack(p)
	if bar == event.NoBar {
		bar = event.BarRobots
	}
	x.pages.refuse(p, bar)
	if x.sites.place.At(int(s)) != kept {
		return
	}
	// More releases the site when it has no page left, or gives up after a series of
	// refusals. A Took ends the series.
	if x.inVain++; x.orders.len(s) == 0 || x.inVain == x.patience {
		x.inVain = 0
		x.sites.release(now, s, now)
	}
}

// nothing repeats a call of Next that handed out nothing.
func (x *dispatcher) nothing(now time.Duration) {
	if _, ok := x.candidate(now); ok {
		x.differs++
	}
}

// choice returns what would be handed out now: by More if s is kept, by Next otherwise.
func (x *dispatcher) choice(now time.Duration, s graph.Site) (w event.Task, ok bool) {
	if x.sites.place.At(int(s)) == kept {
		w, ok = x.another(s), true
	} else {
		w, ok = x.candidate(now)
	}
	x.stirred = false
	if ok && w.Kind == event.Fetch {
		w.Page, ok = x.orders.first(w.Board, w.Site)
	}
	return w, ok
}
