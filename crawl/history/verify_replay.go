package history

import (
	"slices"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
)

// apply replays a record as a restart does, and adds findings where a restart would skip
// something. It reports whether the record fits.
func (v *verifier) apply(r *journal.Record) (fits bool, err error) {
	s, e := v.state, &r.Event
	if !v.numbers(r) {
		return false, errStop
	}
	s.Decide(s, r)
	if err := s.Frontier.Check(e); err != nil {
		v.general(FindEvent, "%v", err)
		s.Next = r.Seq + 1
		return false, nil
	}
	if err := s.Learn(r); err != nil { // a URL or a site that is known already, among others
		v.general(FindNumbering, "%v", err)
		return false, errStop
	}
	v.stored(r)
	v.repeated(r)
	s.Apply(r, true)
	s.Ended(s, r)
	return true, s.Err
}

// mixed reports whether a session so far had another setup than the last.
func (v *verifier) mixed() bool { return slices.Contains(v.alike[:v.session+1], false) }

// numbers checks that the new ids of a record follow those before. Missing ids are filled
// in, as a restart does. It reports whether the record can be applied.
func (v *verifier) numbers(r *journal.Record) bool {
	s := v.state
	pages, sites := s.Table.Pages(), s.Table.Sites()
	if len(r.Event.New) > 0 && int(r.First) != pages {
		v.general(FindNumbering, "its first new page is %d, but %d are known", r.First, pages)
		if int(r.First) < pages {
			return false
		}
	}
	s.Fill(r)
	if n := s.Table.Sites() - sites; n > 0 {
		v.general(FindNumbering, "%d sites before it are missing", n)
	}
	return true
}

// repeated checks that no page is fetched twice as new.
func (v *verifier) repeated(r *journal.Record) {
	e := &r.Event
	if e.Kind == event.Retried || e.Kind == event.Admitted { // fetched pages are to be fetched once more
		for _, p := range e.Admit {
			if int(p) < len(v.fetched) {
				v.fetched[p] = false
			}
		}
	}
	if e.Kind != event.Done || e.Again || e.Class.Failed() {
		return
	}
	for len(v.fetched) <= int(e.Page) {
		v.fetched = append(v.fetched, false)
	}
	if v.fetched[e.Page] && v.conf().Recrawl.Duration == 0 {
		v.found(FindRepeated, v.state.Frontier.Site(e.Page), e.Page, "it was fetched before, and --recrawl is off")
	}
	v.fetched[e.Page] = true
}

// endDecisions counts the decisions of a session that this program would not have made. It
// skips sessions after one with other delays or another policy: their clocks and orders
// partly follow from that one.
func (v *verifier) endDecisions() {
	n := v.state.Frontier.Differs() - v.differs
	v.differs += n
	if n == 0 || v.session < 0 || v.mixed() {
		return
	}
	v.out.Differs += int64(n)
	x := &v.runs[v.session]
	if x.Version == v.o.Version {
		v.rec = nil
		v.general(FindDecision, "%d tasks of the session that began with record %d would be handed out in another order by the same version", n, x.Record)
		return
	}
	v.notef("this version would hand out %d tasks of session %d, by version %s, in another order", n, v.session+1, x.Version)
}
