package crawl

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
)

// revisiting calls fetched pages back when the pacer says so.
type revisiting struct {
	*session
	freshness.Pacer
}

func newRevisiting(s *session) revisiting {
	v := revisiting{session: s}
	b, _ := s.config.Shares() // checked before
	if s.state.Revisits != nil {
		v.Pacer = freshness.NewPacer(s.state.Revisits.Plan, b.Division(), s.state.Requests[event.Fetch])
	}
	return v
}

// look calls back the pages whose visits are due. It returns the instant of the next look.
func (v *revisiting) look(now time.Duration) (again time.Duration) {
	n := v.state.Frontier.Counts()
	list, again := v.Look(now, freshness.Traffic{Taken: v.state.Requests[event.Fetch], New: n.Queued - n.Revisits, Again: n.Revisits})
	// Pages that were never fetched have got a 404 while their whole site did.
	lost := slices.DeleteFunc(slices.Clone(list), func(p graph.Page) bool { return v.state.Revisits.Knows(p) })
	v.call(event.Retried, now, lost)
	v.call(event.Revisit, now, slices.DeleteFunc(list, func(p graph.Page) bool { return !v.state.Revisits.Knows(p) }))
	return again
}

// call calls pages back.
func (v *revisiting) call(kind event.Kind, now time.Duration, list []graph.Page) {
	if len(list) == 0 {
		return
	}
	r := v.begin(kind, now)
	r.Event.Admit = append(r.Event.Admit, list...)
	r.Facts.Urgent = kind == event.Revisit
	v.record()
}
