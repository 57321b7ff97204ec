package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/snapshot"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/urltable"
	"github.com/zeebo/xxh3"
)

// listSnapshots lists the snapshots by the number of their next record.
func (v *verifier) listSnapshots() error {
	names, err := snapshot.List(v.parts.Snapshot)
	if err != nil {
		return err
	}
	v.snaps = map[uint64]string{}
	for _, name := range names {
		if n, err := strconv.ParseUint(strings.TrimSuffix(name, snapshot.Suffix), 16, 64); err == nil {
			v.snaps[n] = name
		}
	}
	return nil
}

// compareSnapshot compares the state with a snapshot of the same record, if there is one.
func (v *verifier) compareSnapshot() error {
	name, ok := v.snaps[v.state.Next]
	if !ok {
		return nil
	}
	delete(v.snaps, v.state.Next)
	same, err := v.sameSnapshot(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && v.Running: // replaced by a newer one
	case errors.Is(err, state.ErrOther):
		v.notef("snapshot %s was not compared: %v", name, err)
	case err != nil:
		v.general(FindSnapshot, "%v", err)
	case same:
		v.out.Snapshots++
	default:
		v.out.Snapshots++
		return v.explainSnapshot(name)
	}
	return nil
}

// sameSnapshot reports whether a snapshot is what the state would save.
func (v *verifier) sameSnapshot(name string) (bool, error) {
	r, done, err := snapshot.Open(v.parts.Snapshot, name)
	if err != nil {
		return false, err
	}
	defer done()
	want, got := xxh3.New(), xxh3.New()
	r = io.TeeReader(r, want)
	h, err := state.ReadHead(r)
	if err != nil {
		return false, err
	}
	if h.Layout != v.state.Layout() {
		return false, fmt.Errorf("%w: %s", state.ErrOther, h.Layout)
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return false, err
	}
	err = v.state.Save(got)
	return got.Sum64() == want.Sum64(), err
}

// explainSnapshot reports how a snapshot differs from the state. Clocks are not compared
// if sessions had different delays: those of the past follow from another configuration.
func (v *verifier) explainSnapshot(name string) error {
	r, done, err := snapshot.Open(v.parts.Snapshot, name)
	if err != nil {
		return err
	}
	defer done()
	t, err := state.New(v.set, v.state.URLs)
	if err != nil {
		return err
	}
	defer t.Free()
	if err := t.Load(r); err != nil {
		v.general(FindSnapshot, "%s: %v", name, err)
		return nil
	}
	names := differentColumns(v.state, t, v.mixed())
	switch {
	case len(names) > 0:
		v.general(FindSnapshot, "%s differs from the journal in %s", name, strings.Join(names, ", "))
	case v.mixed():
		v.notef("the clocks of snapshot %s were not compared: sessions before it had another configuration", name)
	default:
		v.general(FindSnapshot, "%s differs from the journal in its head or its lists", name)
	}
	return nil
}

// differentColumns returns the names of the columns in which two states differ.
func differentColumns(s, t *state.State, mixed bool) (names []string) {
	sums := columnSums(t)
	for name, sum := range columnSums(s) {
		if sums[name] != sum && !(mixed && dependsOnDelays(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// dependsOnDelays reports whether a column depends on delays: clocks and what follows from
// them, such as the place of a site in a queue, and orders that policies made.
func dependsOnDelays(name string) bool {
	for _, part := range []string{"page state", "page from", "page depth", "page links in", "seen", "site rules", "site admitted", "domain"} {
		if strings.HasPrefix(name, part) {
			return false
		}
	}
	return true
}

func columnSums(s *state.State) map[string]uint64 {
	sums := map[string]uint64{}
	s.Saved.Columns(func(c graph.AnyColumn) {
		h := xxh3.New()
		c.Save(h) // a hash never fails
		sums[c.Name()] = sums[c.Name()]*31 + h.Sum64()
	})
	return sums
}

// restSnapshots checks the snapshots that belong to no record.
func (v *verifier) restSnapshots() {
	for _, n := range slices.Sorted(maps.Keys(v.snaps)) {
		if n > v.state.Next {
			v.notef("snapshot %s is ahead of the journal, which ends with record %d: the next run will not use it", v.snaps[n], v.state.Next)
			continue
		}
		v.general(FindSnapshot, "%s is of record %d, where no record ends", v.snaps[n], n)
	}
}

// compareURLs compares the URL file with the journal. It is derived and may be behind, or
// ahead by what was not committed, but what it has must be right.
func (v *verifier) compareURLs() error {
	f, err := v.parts.Urls.Open(layout.URLFile, disk.Change)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	log, err := urltable.OpenLog(f, v.id.Crawl, v.set.Frontier.MaxPages)
	if err != nil {
		v.general(FindURLs, "%v", err)
		return nil
	}
	defer log.Free()
	var want []byte
	err = log.Each(0, func(p graph.Page, site graph.Site, rest []byte) (err error) {
		if int(p) >= v.state.URLs.Pages() {
			return layout.ErrEnough
		}
		var home graph.Site
		if home, want, err = v.state.URLs.Read(p, want[:0]); err != nil {
			return err
		}
		if site != home || !bytes.Equal(rest, want) {
			v.found(FindURLs, home, graph.NoPage, "page %d is %s of site %d in the URL file, %s of site %d in the journal", p, rest, site, want, home)
		}
		v.out.URLs++
		return nil
	})
	if err != nil && !errors.Is(err, layout.ErrEnough) {
		v.general(FindURLs, "%v", err)
	}
	return nil
}

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
	if n := s.Requisites.Len(); len(r.Event.Needs) > 0 && int(r.Event.First) != n {
		v.general(FindNumbering, "its first new requisite is %d, but %d are known", r.Event.First, n)
		if int(r.Event.First) < n {
			return false
		}
	}
	s.Fill(r)
	if n := s.Table.Sites() - sites; n > 0 {
		v.general(FindNumbering, "sites before it are missing: %d", n)
	}
	return true
}

// repeated checks that no page is fetched twice as new.
func (v *verifier) repeated(r *journal.Record) {
	e := &r.Event
	if e.Kind == event.Retried || e.Kind == event.Admitted { // fetched pages are to be fetched again
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
