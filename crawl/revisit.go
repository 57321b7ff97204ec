package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/freshness"
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
		v.Pacer = freshness.NewPacer(s.state.Revisits.Plan, b.Freshness, b.Compete, s.state.Requests[event.Fetch])
	}
	return v
}

// look calls back the pages whose visits are due. It returns the instant of the next look.
func (v *revisiting) look(now time.Duration) (again time.Duration) {
	n := v.state.Frontier.Counts()
	list, again := v.Look(now, freshness.Traffic{Taken: v.state.Requests[event.Fetch], New: n.Queued - n.Revisits, Again: n.Revisits})
	if len(list) > 0 {
		r := v.begin(event.Revisit, now)
		r.Event.Admit = append(r.Event.Admit, list...)
		r.Facts.Urgent = true
		v.record()
	}
	return again
}
