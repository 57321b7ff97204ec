package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// What Next and More decide stands in the journal as events Took, Refused and Asked.
// On replay they are forced, whatever the present code or policy would have decided;
// where that is something else it is counted. Before each, the same is done as before
// the decision: sites wake, batches are chosen, policies work.

// Stirred reports whether Next, when it had nothing to hand out, chose a batch. The driver
// then records the event Asked: a batch depends on the values of that moment, and a
// later Took would not bring the same about. To be called after Refusals, since those
// came first.
func (f *Frontier) Stirred() bool {
	s := f.stirred
	f.stirred = false
	return s
}

// took forces a work that was handed out once.
func (f *Frontier) took(now time.Duration, w event.Task) {
	if c, ok := f.choice(now, w.Site); !ok || c.Kind != w.Kind || c.Site != w.Site || c.Page != w.Page || c.For != w.For {
		f.differs++
	}
	f.extract(w.Site)
	if w.Kind == event.Fetch {
		f.comeBack(w.Page)
	}
	f.take(now, w)
}

// refusal forces a refusal.
func (f *Frontier) refusal(now time.Duration, p graph.Page, bar event.Bar) {
	s := f.Site(p)
	if c, ok := f.choice(now, s); !ok || c.Site != s || c.Kind == event.Fetch && c.Page != p {
		f.differs++
	}
	f.comeBack(p)
	if bar == event.NoBar {
		bar = event.BarRobots
	}
	f.refuse(p, bar)
	if f.place.At(int(s)) != kept {
		return
	}
	// More releases the site when it has nothing left, or when it gives up. Its refusals
	// follow each other up to the Took that ends them.
	if f.inVain++; f.boards[0].active.Len(s) == 0 || f.inVain == f.patience {
		f.inVain = 0
		f.release(now, s, now)
	}
}

// nothing is a question that was in vain.
func (f *Frontier) nothing(now time.Duration) {
	if _, ok := f.candidate(now); ok {
		f.differs++
	}
}

// choice is what would be handed out now: by More if s is kept, by Next otherwise.
func (f *Frontier) choice(now time.Duration, s graph.Site) (w event.Task, ok bool) {
	if f.place.At(int(s)) == kept {
		if f.o.Slice == 0 {
			f.work()
		}
		w, ok = event.Task{Kind: event.Fetch, Site: s, Board: uint8(f.turn())}, true
	} else {
		w, ok = f.candidate(now)
	}
	f.stirred = false
	if ok && w.Kind == event.Fetch {
		w.Page, ok = f.boards[w.Board].active.First(w.Site)
	}
	return w, ok
}

// extract makes a site ready that is to be taken although the present code would let
// it wait. Its entry in waits stays behind, and wake leaves it out.
func (f *Frontier) extract(s graph.Site) {
	if at := f.place.At(int(s)); at == waiting || at == blocked || at == held {
		f.offer(s)
	}
}
