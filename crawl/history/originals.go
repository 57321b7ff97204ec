package history

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/visit"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// originals holds, for each page, the responses with its last payload to which a revisit record
// may refer: the first, as crawls of earlier versions do, and the last. It is a fold of the
// records, apart from that of the crawl, which holds less.
type originals struct {
	digests     *graph.Column[uint32] // by page, five words each: SHA-1 of the payload
	first, last *graph.Column[stamp]  // by page
	wall        int64                 // wall clock of instant 0 of the session, Unix nanoseconds
	named       bool                  // the ids of its responses follow from their dates
}

// A stamp is the date of a response, in Unix milliseconds, times 2, plus 1 if its id follows
// from that. 0 is none.
type stamp uint64

func (s stamp) time() time.Time { return time.UnixMilli(int64(s) >> 1) }
func (s stamp) named() bool     { return s&1 != 0 }

// sumWords is the length of a SHA-1 digest, in words.
const sumWords = 5

func newOriginals(set *graph.Set, pages int) *originals {
	return &originals{
		digests: graph.NewColumnIn[uint32](set, "original digests", sumWords*pages),
		first:   graph.NewColumnIn[stamp](set, "first originals", pages),
		last:    graph.NewColumnIn[stamp](set, "last originals", pages),
	}
}

// of returns the responses with the payload of a page, and its digest.
func (x *originals) of(p graph.Page) (first, last stamp, payload archive.Digest, ok bool) {
	if x == nil || int(p) >= x.last.Len() || x.last.At(int(p)) == 0 {
		return 0, 0, payload, false
	}
	var sum []byte
	for _, w := range x.digests.Slice()[sumWords*int(p):][:sumWords] {
		sum = append(sum, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return x.first.At(int(p)), x.last.At(int(p)), archive.SHA1.Digest(sum), true
}

// set sets the responses of a page; 0 for none.
func (x *originals) set(p graph.Page, first, last stamp) {
	x.digests.Grow(sumWords * (int(p) + 1))
	x.first.Grow(int(p) + 1)
	x.last.Grow(int(p) + 1)
	x.first.Set(int(p), first)
	x.last.Set(int(p), last)
}

// note applies a record.
func (x *originals) note(r *journal.Record) {
	switch e := &r.Event; {
	case x == nil:
	case e.Kind == event.Session:
		x.session(r)
	case e.Kind == event.Dropped:
		for _, p := range e.Admit {
			x.set(p, 0, 0)
		}
	case e.Kind == event.Done && !e.Again && !e.Class.Failed() && e.Class != event.Redirect && r.Facts.Status != journal.NotModified:
		x.done(r)
	}
}

// session begins a session. What its archive has lost is forgotten.
func (x *originals) session(r *journal.Record) {
	if s := r.Facts.Session; s != nil {
		x.wall = s.Wall - int64(r.Now)
	}
	x.named = r.Facts.Named
	if r.Facts.Lost == 0 {
		return
	}
	lost := func(s stamp) bool { return s.time().UnixMilli() >= r.Facts.Lost }
	for p := range graph.Page(x.last.Len()) {
		switch first, last, _, ok := x.of(p); {
		case !ok:
		case lost(first) && lost(last):
			x.set(p, 0, 0)
		case lost(first):
			x.set(p, last, last)
		case lost(last):
			x.set(p, first, first)
		}
	}
}

// done keeps what a visit has stored, or forgets the responses of a page that has another
// payload, or none.
func (x *originals) done(r *journal.Record) {
	p, f := r.Event.Page, &r.Facts
	var payload archive.Digest
	if len(f.Payload) == 1+4*sumWords && f.Payload[0] == byte(archive.SHA1) {
		payload = archive.SHA1.Digest(f.Payload[1:])
	}
	first, _, had, ok := x.of(p)
	if ok = ok && had == payload; !ok {
		first = 0
		x.set(p, 0, 0)
	}
	if payload.IsZero() || f.Place.Length == 0 || f.Revisit != 0 {
		return
	}
	now := stamp(visit.DateStored(x.wall, r)) << 1
	if x.named {
		now |= 1
	}
	if first == 0 {
		first = now
		for i, b := range payload.Bytes() {
			w := &x.digests.Slice()[sumWords*int(p)+i/4]
			*w = *w&^(0xff<<(i%4*8)) | uint32(b)<<(i%4*8)
		}
	}
	x.set(p, first, now)
}
