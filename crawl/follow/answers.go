package follow

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// LinkedFrom returns the first pages that link to a page, at most Linkers, in order.
func (x *Index) LinkedFrom(p graph.Page) (list []graph.Page) {
	if int(p) >= x.pages.Len() {
		return nil
	}
	for i := x.pages.At(int(p))[1]; i != 0; i = uint32(x.links.At(int(i - 1))) {
		list = append(list, graph.Page(x.links.At(int(i-1))>>32))
	}
	slices.Reverse(list)
	return list
}

// Status returns the HTTP status of the last attempt at a page, 0 if there was no answer.
func (x *Index) Status(p graph.Page) uint16 {
	row := x.pages.At(int(p))
	return row.status()
}

// A place is a record by its place in the journal.
type place struct {
	at   int64
	kind event.Kind
}

// chain returns the places of a list of entries, from its last one on, at most limit.
func (x *Index) chain(n uint32, next func(entry) uint32, limit int) (list []place) {
	for n != 0 && len(list) < limit {
		e := x.entries.At(int(n - 1))
		at, kind := e.place()
		list = append(list, place{at, kind})
		n = next(e)
	}
	return list
}

func ofPage(e entry) uint32 { return e[2] }
func ofSite(e entry) uint32 { return e[3] }

// About calls fn for the records that tell about a page, in order: how it became known, its visits,
// and what else happened to it, the records of its site that are about no page, and those of the
// first pages that link to it.
func (x *Index) About(p graph.Page, fn func(*journal.Record) error) error {
	if int(p) >= x.pages.Len() {
		return nil
	}
	row, site := x.pages.At(int(p)), x.sites.At(int(x.s.Frontier.Site(p)))
	list := telling(x.chain(row[0], ofPage, math.MaxInt))
	list = append(list, telling(x.chain(site[1], ofPage, math.MaxInt))...)
	for _, q := range x.LinkedFrom(p) {
		list = append(list, x.linking(q, p)...)
	}
	if i := sort.Search(x.found.Len(), func(i int) bool { return graph.Page(x.found.At(i)[0]) > p }); i > 0 {
		f := x.found.At(i - 1)
		at, kind := f.place()
		list = append(list, place{at, kind})
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	for _, w := range slices.Compact(list) {
		if err := x.load(w, fn); err != nil {
			return err
		}
	}
	return nil
}

// told is the largest number of records of a page, or of a site, that are read to tell about it: the
// last ones.
const told = 2000

// telling returns what tells something of a list of places, the last of which is its first: of requests
// and of visits that became due only the last, since all before ended in another record.
func telling(list []place) (out []place) {
	took, due := false, false
	for _, w := range list {
		switch w.kind {
		case event.Took:
			if took {
				continue
			}
			took = true
		case event.Revisit:
			if due {
				continue
			}
			due = true
		}
		if out = append(out, w); len(out) == told {
			break
		}
	}
	return out
}

// linking returns the first record in which page q links to page p.
func (x *Index) linking(q, p graph.Page) []place {
	list := x.chain(x.pages.At(int(q))[0], ofPage, math.MaxInt)
	for _, w := range slices.Backward(list) {
		links := false
		if w.kind == event.Done {
			x.load(w, func(r *journal.Record) error {
				links = r.Event.Page == q && !r.Event.Class.Failed() && slices.Contains(r.Event.Links, p)
				return nil
			})
		}
		if links {
			return []place{w}
		}
	}
	return nil
}

// load calls fn with the record at a place. What cannot be read is left out.
func (x *Index) load(w place, fn func(*journal.Record) error) (err error) {
	x.finder.Find(w.at, 1, w.kind, func(r *journal.Record) bool {
		err = fn(r)
		return true
	})
	return err
}

// Requests calls fn with the requests that have ended, the last first, from an entry on: of a
// site, or of all for graph.NoSite. It looks at most at limit entries, until fn returns false, and
// returns the entry to continue with, 0 at the end. An entry of 0 is the last.
func (x *Index) Requests(site graph.Site, from uint32, limit int, fn func(n uint32, r *journal.Record) bool) (next uint32) {
	n := from
	if n == 0 && site != graph.NoSite {
		n = x.sites.At(int(site))[0]
	} else if n == 0 {
		n = uint32(x.entries.Len())
	}
	for ; n != 0 && limit > 0 && int(n) <= x.entries.Len(); limit-- {
		e := x.entries.At(int(n - 1))
		after := n - 1
		if site != graph.NoSite {
			after = ofSite(e)
		}
		if at, kind := e.place(); isRequest(kind) && (site != graph.NoSite || x.first(n, at)) {
			going := true
			x.load(place{at, kind}, func(r *journal.Record) error { going = fn(n, r); return nil })
			if !going {
				return after
			}
		}
		n = after
	}
	return n
}

// first reports whether an entry is the first of its record: a record may have several.
func (x *Index) first(n uint32, at int64) bool {
	if n < 2 {
		return true
	}
	e := x.entries.At(int(n - 2))
	before, _ := e.place()
	return before != at
}

// isRequest reports whether records of a kind are requests that have ended.
func isRequest(k event.Kind) bool {
	return k == event.Done || k == event.Ruled || k == event.Listed || k == event.Resolved || k == event.Brought
}

// Failures calls fn with the last failed requests, the last first, until fn returns false.
func (x *Index) Failures(fn func(*journal.Record) bool) {
	for i := range len(x.failures) {
		n := x.failures[(x.failed-1-i)%failuresKept]
		e := x.entries.At(int(n))
		at, kind := e.place()
		going := true
		x.load(place{at, kind}, func(r *journal.Record) error { going = fn(r); return nil })
		if !going {
			return
		}
	}
}

// When returns about the time of an entry.
func (x *Index) When(n uint32) time.Duration {
	i := int(n-1) / stampEach
	return time.Duration(x.stamps.At(min(i, x.stamps.Len()-1)))
}

// Times calls fn with about the times of the requests of a site, the last first, at most limit,
// and reports whether these were all.
func (x *Index) Times(site graph.Site, limit int, fn func(time.Duration)) bool {
	n := x.sites.At(int(site))[0]
	for ; n != 0 && limit > 0; limit-- {
		fn(x.When(n))
		n = ofSite(x.entries.At(int(n - 1)))
	}
	return n == 0
}

// SiteFacts returns the number of requests of a site, the state of its robots.txt, and calls fail
// with the last failure, if there was one.
func (x *Index) SiteFacts(site graph.Site, fail func(*journal.Record)) (requests int64, robots string) {
	row := x.sites.At(int(site))
	if n := row[3]; n != 0 && fail != nil {
		e := x.entries.At(int(n - 1))
		at, kind := e.place()
		x.load(place{at, kind}, func(r *journal.Record) error { fail(r); return nil })
	}
	return int64(row[2]), robotsStates[row[4]]
}

// LastFailure returns 1 + the entry of the last failure of a site, 0 if there was none.
func (x *Index) LastFailure(site graph.Site) uint32 { return x.sites.At(int(site))[3] }

// Before returns the request before an entry at the same site, lookups of names left out.
func (x *Index) Before(n uint32, fn func(*journal.Record)) {
	for n = ofSite(x.entries.At(int(n - 1))); n != 0; n = ofSite(x.entries.At(int(n - 1))) {
		e := x.entries.At(int(n - 1))
		if at, kind := e.place(); kind != event.Resolved {
			x.load(place{at, kind}, func(r *journal.Record) error { fn(r); return nil })
			return
		}
	}
}

// Took calls fn with the record of the decision to request the page of an entry, if it is there.
func (x *Index) Took(n uint32, fn func(*journal.Record)) {
	for n = ofPage(x.entries.At(int(n - 1))); n != 0; n = ofPage(x.entries.At(int(n - 1))) {
		e := x.entries.At(int(n - 1))
		if at, kind := e.place(); kind == event.Took {
			x.load(place{at, kind}, func(r *journal.Record) error { fn(r); return nil })
			return
		}
	}
}

// Until returns the last entry at about an instant or before it, of the requests of a site, or of all
// for graph.NoSite; 0 if there is none.
func (x *Index) Until(site graph.Site, at time.Duration) uint32 {
	if site == graph.NoSite {
		i := sort.Search(x.stamps.Len(), func(i int) bool { return time.Duration(x.stamps.At(i)) > at })
		return uint32(min(i*stampEach, x.entries.Len()))
	}
	n := x.sites.At(int(site))[0]
	for n != 0 && x.When(n) > at {
		n = ofSite(x.entries.At(int(n - 1)))
	}
	return n
}

// AboutRequisite calls fn for the records that tell about a requisite: how it became known, and what
// happened to it last.
func (x *Index) AboutRequisite(n graph.Page, fn func(*journal.Record) error) error {
	if 2*int(n) >= x.parts.Len() {
		return nil
	}
	for _, i := range x.parts.Slice()[2*n : 2*n+2] {
		for _, w := range x.chain(i, ofPage, 1) {
			if err := x.load(w, fn); err != nil {
				return err
			}
		}
	}
	return nil
}
