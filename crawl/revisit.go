package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// revisiting calls fetched pages back at a steady pace: in the time of --recrawl as many
// visits as there are pages. The plan chooses them.
type revisiting struct {
	*session
	share  float64       // of all visits, while there are new pages; 0: as many as the pace allows
	credit float64       // visits that may be made now
	at     time.Duration // of which instant
	took   int64         // pages that had been handed out by then
}

func newRevisiting(s *session) revisiting {
	b, _ := s.config.Shares() // checked before
	return revisiting{session: s, share: b.Freshness, took: s.state.Requests[event.Fetch]}
}

// Numbers of revisiting.
const (
	revisitSlice = 20_000      // pages that the plan looks at in a turn
	revisitPause = time.Second // until a look that nothing else brings about, at least
	revisitMost  = 1000        // pages that are called back and wait, at most
	revisitIdle  = time.Minute // until the next look if nothing is to be visited
)

// look calls back the pages whose visits are due. It returns the instant of the next look.
func (v *revisiting) look(now time.Duration) (again time.Duration) {
	plan := v.state.Revisits
	if plan == nil || plan.Pages() == 0 {
		return event.Never
	}
	if v.at == 0 {
		v.at = now
	}
	pace := float64(plan.Pages()) / v.config.Recrawl.Duration.Seconds() // visits a second
	v.earn(now, pace)
	if plan.Work(now, revisitSlice) {
		return now
	}
	list := v.choose(now)
	if len(list) > 0 {
		r := v.begin(event.Revisit, now)
		r.Event.Admit = append(r.Event.Admit, list...)
		r.Facts.Urgent = true
		v.record()
	}
	if v.credit >= 1 { // nothing is there to be visited
		return now + revisitIdle
	}
	wait := (1 - v.credit) / pace
	return now + max(revisitPause, time.Duration(min(wait*float64(time.Second), float64(revisitIdle))))
}

// earn adds to the credit what was earned since the last look: a share of the visits while
// other pages wait, otherwise what the pace allows.
func (v *revisiting) earn(now time.Duration, pace float64) {
	more := (now - v.at).Seconds() * pace
	took := v.state.Requests[event.Fetch]
	if n := v.state.Frontier.Counts(); v.share > 0 && n.Queued > n.Revisits {
		more = v.share * float64(took-v.took)
	}
	v.credit = min(v.credit+more, revisitMost)
	v.at, v.took = now, took
}

// choose returns the pages to be visited now.
func (v *revisiting) choose(now time.Duration) (list []graph.Page) {
	room := revisitMost - v.state.Frontier.Counts().Revisits
	for v.credit >= 1 && len(list) < room {
		p, ok := v.state.Revisits.Next(now)
		if !ok {
			break
		}
		if v.state.Revisits.Callable(p) {
			v.credit--
			list = append(list, p)
		}
	}
	return list
}
