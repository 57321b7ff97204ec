package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// newWatch returns what watches for --stop-when, nil if there is none. Seeds and links so far are
// read from the journal, since nothing else has them.
func newWatch(s *session) (*advise.Watch, error) {
	c, err := s.config.Stop()
	if c == nil || err != nil {
		return nil, err
	}
	w, err := advise.NewWatch(c, s.state.Setup.Frontier.MaxPages)
	if err != nil || !w.NeedsLinks() {
		return w, err
	}
	_, err = journal.Read(s.dir.Journal, 0, func(r *journal.Record) error {
		switch e := &r.Event; {
		case e.Kind == event.Seed && !r.Facts.Old:
			for i := range e.New {
				w.Seed(r.First + graph.Page(i))
			}
		case e.Kind.Reads() && !e.Class.Failed() && !e.Again && !r.Facts.Render:
			w.Fetched(e.Page, e.Links, e.Class == event.Duplicate)
		}
		return s.dir.Stop()
	})
	if err != nil {
		w.Free()
		return nil, err
	}
	return w, nil
}

// counts returns what a condition may count.
func (l *limits) counts(now time.Duration) *advise.Counts {
	c := &advise.Counts{
		Pages: l.fetched, Known: int64(l.state.Frontier.Pages()), Bytes: l.state.Bytes, Hours: l.state.Active(now).Hours(),
		SinceHot: l.state.Frontier.Topical().SinceHot(),
	}
	if l.port != nil {
		n := l.port.Coordinator.Sum()
		c.Pages, c.Known, c.Bytes, c.SinceHot = n.Fetched, n.Known, n.Bytes, n.SinceHot
	}
	return c
}

// logStop logs the numbers by which the crawl stops.
func (l *limits) logStop() {
	args := []any{"condition", l.config.StopWhen}
	for _, t := range advise.StopTerms() {
		if v, ok := l.watch.Number(t.Name); ok {
			args = append(args, t.Name, v)
		}
	}
	l.log.Info("the condition to stop holds", args...)
}
