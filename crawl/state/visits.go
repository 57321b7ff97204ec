package state

import (
	"encoding/binary"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Visits holds what the next visit of a page needs of the last: its ETag and Last-Modified
// headers, so that the server can answer "not modified", and the response in the archive that
// holds its payload, so that an unchanged page need not be stored again. It is a fold of the
// records. Only crawls with --recrawl have it: 8 bytes a page, and for each page that was
// fetched 28 bytes and the texts.
type Visits struct {
	at    *graph.Column[uint64] // by page: a place; 0: it has none
	texts *graph.Column[byte]   // per entry: an original, and two texts, each after its length
	room  int                   // bytes of texts at most
	savedVisits
}

// savedVisits is the part of Visits that is in no column. Snapshots hold it as it is.
type savedVisits struct {
	Began int64 // wall clock of instant 0 in the first session, Unix nanoseconds
	Wall  int64 // the same in the last
	Named bool  // the ids of the responses of the last session follow from their dates
}

// textsPerPage is the room for entries, in bytes of address space a page.
const textsPerPage = 160

// NewVisits returns what a crawl knows before its first record, with room for a number of
// pages. Its columns belong to set.
func NewVisits(set *graph.Set, pages int) *Visits {
	room := min(pages*textsPerPage, 1<<38)
	return &Visits{
		at:    graph.NewColumnIn[uint64](set, "page visits", pages),
		texts: graph.NewColumnIn[byte](set, "visits", room),
		room:  room,
	}
}

// An Original is the response that holds the payload of the last visit of a page. It may be
// older than that visit.
type Original struct {
	Payload archive.Digest
	Time    time.Time // its date: when the page was requested
	Length  int64     // of the record in the archive, at most maxLength
	Named   bool      // its id follows from its date
}

// An original is packed into 28 bytes: the digest, and a number whose lowest 24 bits are the
// length, then Named, then 39 bits the date: milliseconds since the crawl began, plus 2^38.
// 0 is none. A date more than eight years off is not kept, and the page is stored again.
type original [originalSize]byte

const (
	digestSize   = 20 // of SHA-1
	originalSize = digestSize + 8
	maxLength    = 1<<24 - 1
	named        = 1 << 24
	dateShift    = 25
	dateBias     = 1 << 38
)

// A place says where the entry of a page is: bit 0 is hasTexts, then come 39 bits where it
// begins, plus 1, then 24 bits how many bytes it may have.
type place uint64

const (
	hasTexts  = 1 // it has validators
	roomShift = 40
	maxRoom   = 1<<(64-roomShift) - 1
)

// at returns where the entry begins.
func (x place) at() int { return int(x&(1<<roomShift-1))>>1 - 1 }

// room returns how many bytes the entry may have: 0 if there is none.
func (x place) room() int { return int(x >> roomShift) }

// Note applies a record. It must be called for those of the kinds Session, Done and Dropped.
func (v *Visits) Note(r *journal.Record) {
	if v == nil {
		return
	}
	switch r.Event.Kind {
	case event.Session:
		v.session(r)
	case event.Done:
		if !r.Event.Again && !r.Event.Class.Failed() {
			v.done(r)
		}
	case event.Dropped: // there is nothing to refer to: the next visit brings all of it
		for _, p := range r.Event.Admit {
			v.put(p, original{}, "", "")
		}
	}
}

// session begins a session. What its archive has lost is forgotten.
func (v *Visits) session(r *journal.Record) {
	if x := r.Facts.Session; x != nil {
		if v.Wall = x.Wall - int64(r.Now); v.Began == 0 {
			v.Began = v.Wall
		}
	}
	v.Named = r.Facts.Named
	if r.Facts.Lost == 0 {
		return
	}
	for p := range graph.Page(v.at.Len()) {
		if o, ok := v.Original(p); ok && o.Time.UnixMilli() >= r.Facts.Lost {
			v.put(p, original{}, "", "")
		}
	}
}

// DateStored returns the date that the answer of a record has in the archive, in Unix
// milliseconds: when it was requested, by the clock of the machine. wall is the wall clock of
// instant 0 in its session, in nanoseconds.
func DateStored(wall int64, r *journal.Record) int64 {
	return (wall + int64(r.Event.Start+r.Facts.Shift)) / 1e6
}

// done keeps what a successful visit brought. Validators and original belong together: a 304
// says that the page is what it was when it had the validators. So it changes no original, and
// another answer replaces both, except a redirect, which has no validators.
func (v *Visits) done(r *journal.Record) {
	p, f := r.Event.Page, &r.Facts
	etag, modified := v.Of(p)
	o := v.original(p)
	switch {
	case r.Event.Class == event.Redirect:
		return
	case f.Status != NotModified:
		etag, modified = f.ETag, f.Modified
		if !o.holds(f.Payload) {
			o = v.pack(r)
		}
	case f.ETag != "" || f.Modified != "":
		etag, modified = f.ETag, f.Modified
	}
	v.put(p, o, etag, modified)
}

// holds reports whether o has a payload digest, which is written as in Facts.Payload.
func (o *original) holds(payload []byte) bool {
	return *o != original{} && isSHA1(payload) && string(o[:digestSize]) == string(payload[1:])
}

func isSHA1(payload []byte) bool {
	return len(payload) == 1+digestSize && payload[0] == byte(archive.SHA1)
}

// pack returns the original that a visit has stored, none if it has stored no response.
func (v *Visits) pack(r *journal.Record) (o original) {
	f := &r.Facts
	date := DateStored(v.Wall, r) - v.Began/1e6 + dateBias
	if !isSHA1(f.Payload) || f.Place.Length == 0 || f.Revisit != 0 || date <= 0 || date >= 2*dateBias {
		return o
	}
	word := uint64(date)<<dateShift | uint64(min(f.Place.Length, maxLength))
	if v.Named {
		word |= named
	}
	copy(o[:], f.Payload[1:])
	binary.LittleEndian.PutUint64(o[digestSize:], word)
	return o
}

// put sets the entry of a page. It replaces the old one if it fits, as it mostly does;
// otherwise the old one is wasted space. If there is no room for more, the page has none: it
// is requested without conditions and stored again.
func (v *Visits) put(p graph.Page, o original, etag, modified string) {
	fresh, mark := o[:], uint64(0)
	if etag != "" || modified != "" {
		fresh, mark = appendTexts(fresh, etag, modified), hasTexts
	}
	v.at.Grow(int(p) + 1)
	old := place(v.at.At(int(p)))
	at, room := old.at(), old.room()
	if room == 0 && mark == 0 && o == (original{}) {
		return
	}
	if len(fresh) > room {
		at, room = v.texts.Len(), len(fresh)
	}
	if at+room > v.room || room > maxRoom {
		v.at.Set(int(p), 0)
		return
	}
	v.texts.Grow(at + len(fresh))
	copy(v.texts.Slice()[at:], fresh)
	v.at.Set(int(p), uint64(room)<<roomShift|uint64(at+1)<<1|mark)
}

// entry returns the bytes that are kept of a page, and perhaps more.
func (v *Visits) entry(p graph.Page) (b []byte, texts bool) {
	if v == nil || int(p) >= v.at.Len() || v.at.At(int(p)) == 0 {
		return nil, false
	}
	x := place(v.at.At(int(p)))
	return v.texts.Slice()[x.at():], x&hasTexts != 0
}

// appendTexts appends texts, each after its length.
func appendTexts(b []byte, texts ...string) []byte {
	for _, text := range texts {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	return b
}

// Of returns the validators of a page, "" for none.
func (v *Visits) Of(p graph.Page) (etag, modified string) {
	b, ok := v.entry(p)
	if !ok {
		return "", ""
	}
	etag, b = text(b[originalSize:])
	modified, _ = text(b)
	return etag, modified
}

func (v *Visits) original(p graph.Page) (o original) {
	b, _ := v.entry(p)
	copy(o[:], b)
	return o
}

// Original returns the response that holds the payload of the last visit of p.
func (v *Visits) Original(p graph.Page) (Original, bool) {
	o := v.original(p)
	if o == (original{}) {
		return Original{}, false
	}
	word := binary.LittleEndian.Uint64(o[digestSize:])
	return Original{
		Payload: archive.SHA1.Digest(o[:digestSize]),
		Time:    time.UnixMilli(int64(word>>dateShift) - dateBias + v.Began/1e6),
		Length:  int64(word & maxLength),
		Named:   word&named != 0,
	}, true
}

// text returns the first text of b, and the rest of b.
func text(b []byte) (string, []byte) {
	n, k := binary.Uvarint(b)
	return string(b[k : k+int(n)]), b[k+int(n):]
}
