// Package visit knows where the journal has what the next visit of a page needs of the last. It
// is a fold of the journal.
package visit

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Visits knows where the journal has what the next visit of a page needs of the last: its ETag
// and Last-Modified headers, so that the server can answer "not modified", and the response in
// the archive that holds its payload, so that an unchanged page need not be stored again. It is
// a fold of the records. Only crawls with --recrawl have it: 4 bytes a page. Pasts reads the
// records.
type Visits struct {
	at *graph.Column[uint32] // by page: a Mark
	Saved
}

// Saved is the part of Visits that is in no column. Snapshots hold it as it is.
type Saved struct{ Sessions []session }

// A session is what a session says about the answers in its records, and in those before.
type session struct {
	First uint64 // number of its first record
	Wall  int64  // wall clock of instant 0, Unix nanoseconds
	Named bool   // the ids of its responses follow from their dates
	Lost  int64  // the archive has lost what was requested from then on, Unix milliseconds; 0: nothing
}

// New returns what a crawl knows before its first record, with room for a number of
// pages. Its column belongs to set.
func New(set *graph.Set, pages int) *Visits {
	return &Visits{at: graph.NewColumnIn[uint32](set, "page visits", pages)}
}

// A Mark says where the record is that holds what is known of the last visit of a page: bit 0
// is marksTexts, the others are the number of the unit of the journal in which it begins, plus
// 1. 0 is none.
type Mark uint32

const (
	marksTexts = 1 // the page has validators
	// markUnit is the length of a unit in bytes. It makes 512 GiB of a journal known. Pages whose
	// records are beyond that are requested without conditions, and stored again.
	markUnit = 256
)

// at returns where the unit begins.
func (m Mark) at() int64 { return (int64(m>>1) - 1) * markUnit }

// markOf returns the mark of a record.
func markOf(r *journal.Record) Mark {
	n := r.At/markUnit + 1
	if n >= 1<<31 {
		return 0
	}
	m := Mark(n << 1)
	if hasValidators(&r.Facts) {
		m |= marksTexts
	}
	return m
}

func hasValidators(f *journal.Facts) bool { return f.ETag != "" || f.Modified != "" }

// Note applies a record. It must be called for those of the kinds Session, Done and Dropped.
func (v *Visits) Note(r *journal.Record) {
	if v == nil {
		return
	}
	switch r.Event.Kind {
	case event.Session:
		v.begin(r)
	case event.Done:
		if remembers(r) {
			v.set(r.Event.Page, markOf(r))
		}
	case event.Dropped: // there is nothing to refer to: the next visit brings all of it
		for _, p := range r.Event.Admit {
			if v.Mark(p) != 0 {
				v.set(p, 0)
			}
		}
	}
}

func (v *Visits) set(p graph.Page, m Mark) {
	v.at.Grow(int(p) + 1)
	v.at.Set(int(p), uint32(m))
}

// begin begins a session.
func (v *Visits) begin(r *journal.Record) {
	s := session{First: r.Seq, Named: r.Facts.Named, Lost: r.Facts.Lost}
	if n := len(v.Sessions); n > 0 {
		s.Wall = v.Sessions[n-1].Wall
	}
	if x := r.Facts.Session; x != nil {
		s.Wall = x.Wall - int64(r.Now)
	}
	v.Sessions = append(v.Sessions, s)
}

// remembers reports whether a record holds what is known of the last visit of its page, rather
// than one before it. Validators and original belong together: a 304 says that the page is what
// it was when it had the validators. So one without validators changes nothing, and neither does
// a redirect, or a failure. A revisit record of an earlier version does not tell its original.
func remembers(r *journal.Record) bool {
	e, f := &r.Event, &r.Facts
	refers := f.Origin != journal.Origin{}
	switch {
	case e.Again || e.Class.Failed() || e.Class == event.Redirect:
		return false
	case f.Status == journal.NotModified:
		return refers && hasValidators(f)
	default:
		return refers || f.Revisit == 0
	}
}

// Mark returns the mark of a page, 0 for none.
func (v *Visits) Mark(p graph.Page) Mark {
	if v == nil || int(p) >= v.at.Len() {
		return 0
	}
	return Mark(v.at.At(int(p)))
}

// HasValidators reports whether a page has an ETag or a Last-Modified date.
func (v *Visits) HasValidators(p graph.Page) bool { return v.Mark(p)&marksTexts != 0 }

// DateStored returns the date that the answer of a record has in the archive, in Unix
// milliseconds: when it was requested, by the clock of the machine. wall is the wall clock of
// instant 0 in its session, in nanoseconds.
func DateStored(wall int64, r *journal.Record) int64 {
	return (wall + int64(r.Event.Start+r.Facts.Shift)) / 1e6
}

// A Past is what is known of the last visit of a page.
type Past struct {
	ETag, Modified string // its validators; "": none
	Original       Original
}

// An Original is the response that holds the payload of the last visit of a page. It may be
// older than that visit. The zero value is none.
type Original struct {
	Payload archive.Digest
	Time    time.Time // its date: when the page was requested
	Length  int64     // of the record in the archive
	Named   bool      // its id follows from its date
}

// Pasts reads from the journal what is known of the last visits of pages. It is safe for several
// goroutines, also while the crawl goes on.
type Pasts struct {
	finder   *journal.Finder
	sessions []session
}

// Pasts returns a reader for the pages that are known in this session, nil if v is nil. The
// session must have begun.
func (v *Visits) Pasts(f *journal.Finder) *Pasts {
	if v == nil {
		return nil
	}
	return &Pasts{finder: f, sessions: v.Sessions}
}

// Of returns what is known of a page that has a mark, the zero Past if its record cannot be
// read. The group of the record must be on disk.
func (x *Pasts) Of(p graph.Page, m Mark) (past Past) {
	if x == nil || m == 0 {
		return past
	}
	x.finder.Find(m.at(), markUnit, event.Done, func(r *journal.Record) bool {
		ok := r.Event.Page == p && remembers(r)
		if ok { // of several the last counts
			past = x.past(r)
		}
		return ok
	})
	return past
}

// past returns what a record holds: nothing if the archive has lost its original since.
func (x *Pasts) past(r *journal.Record) Past {
	f := &r.Facts
	past := Past{ETag: f.ETag, Modified: f.Modified, Original: x.original(r)}
	for _, s := range x.sessions {
		if o := past.Original; s.First > r.Seq && s.Lost != 0 && !o.Payload.IsZero() && o.Time.UnixMilli() >= s.Lost {
			return Past{}
		}
	}
	return past
}

// original returns the response that a record has stored, or to which its revisit record refers.
func (x *Pasts) original(r *journal.Record) (o Original) {
	f := &r.Facts
	if !isSHA1(f.Payload) || f.Place.Length == 0 {
		return o
	}
	o = Original{Payload: archive.SHA1.Digest(f.Payload[1:]), Length: f.Place.Length}
	if from := f.Origin; from != (journal.Origin{}) {
		o.Time, o.Length, o.Named = time.UnixMilli(from.Date), from.Length, from.Named
		return o
	}
	for _, s := range x.sessions {
		if s.First <= r.Seq {
			o.Time, o.Named = time.UnixMilli(DateStored(s.Wall, r)), s.Named
		}
	}
	return o
}

func isSHA1(payload []byte) bool {
	const size = 20
	return len(payload) == 1+size && payload[0] == byte(archive.SHA1)
}
