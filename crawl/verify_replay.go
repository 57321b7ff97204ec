package crawl

import (
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// apply replays a record, as a restart does, and reports what a restart passes over. It
// tells whether the record fits.
func (v *verifier) apply(r *journal.Record) (fits bool, err error) {
	s, e := v.s, &r.Event
	if len(e.New) > 0 {
		switch known := s.seen.Pages(); {
		case int(r.First) > known:
			v.general(FindNumbering, "its first new page is %d, but %d are known", r.First, known)
			s.skip(int(r.First) - known)
		case int(r.First) < known:
			v.general(FindNumbering, "its first new page is %d, but %d are known", r.First, known)
			return false, errStop
		}
	}
	if err := s.f.Check(e); err != nil {
		v.general(FindEvent, "%v", err)
		s.next = r.Seq + 1
		return false, nil
	}
	if err := s.learn(r); err != nil { // a URL or a site that is known already, among others
		v.general(FindNumbering, "%v", err)
		return false, errStop
	}
	if e.Kind == frontier.Took {
		v.lazy.settle(s, e.Site)
	}
	v.stored(r)
	v.repeated(r)
	s.apply(r, true)
	v.lazy.ended(s, r)
	return true, s.err
}

// repeated looks for pages that came twice as new.
func (v *verifier) repeated(r *journal.Record) {
	e := &r.Event
	if e.Kind != frontier.Done || e.Again || e.Class.Failed() {
		return
	}
	for len(v.came) <= int(e.Page) {
		v.came = append(v.came, false)
	}
	if v.came[e.Page] && v.conf().Recrawl.Duration == 0 {
		v.found(FindRepeated, v.s.f.Site(e.Page), e.Page, "it came before, and nothing is fetched again")
	}
	v.came[e.Page] = true
}

// endDecisions counts the decisions of a session that the present program would not
// have made.
func (v *verifier) endDecisions() {
	n := v.s.f.Differs() - v.differs
	v.differs += n
	if n == 0 || v.session < 0 || !v.alike[v.session] {
		return
	}
	v.out.Differs += int64(n)
	x := &v.Sessions[v.session]
	if x.Version == v.o.Version {
		v.rec = nil
		v.general(FindDecision, "%d works of the session that began with record %d would be handed out in another order by the same program", n, x.Record)
		return
	}
	v.notef("this version would hand out %d works of session %d, by version %s, in another order", n, v.session+1, x.Version)
}

// lazySettle says when the sites of a crawl that is replayed may be asked again. In the
// crawl that was when it heard that the group with their last answer was on disk, which
// is not recorded: at some moment of the group after. So a site is settled when it is
// asked, at the latest before the group after that one. Decisions that this does not
// determine are not called different.
type lazySettle struct {
	pending  map[graph.Site]unsettled
	old, new []graph.Site // with answers in the group before, and in this one
	group    uint64
}

type unsettled struct {
	group uint64
	n     int
}

// ended notes the end of a work.
func (l *lazySettle) ended(s *state, r *journal.Record) {
	id := r.Event.Site
	switch r.Event.Kind {
	case frontier.Resolved, frontier.Ruled, frontier.Listed:
	case frontier.Done:
		id = s.f.Site(r.Event.Page)
	case frontier.Session:
		clear(l.pending)
		return
	default:
		return
	}
	if l.pending == nil {
		l.pending = map[graph.Site]unsettled{}
	}
	l.pending[id] = unsettled{l.group, l.pending[id].n + 1}
	l.new = append(l.new, id)
}

// settle lets a site go on.
func (l *lazySettle) settle(s *state, id graph.Site) {
	for range l.pending[id].n {
		s.f.Settle(s.now, id)
	}
	delete(l.pending, id)
}

// commit ends a group.
func (l *lazySettle) commit(s *state) {
	for _, id := range l.old {
		if u, ok := l.pending[id]; ok && u.group < l.group {
			l.settle(s, id)
		}
	}
	l.old, l.new = l.new, l.old[:0]
	l.group++
}
