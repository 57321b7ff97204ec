package journal

import (
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// kindSet is a set of kinds of events.
type kindSet uint32

func kinds(k event.Kind) kindSet { return 1 << k }

// The sets that the fields of Facts name.
const (
	onTook     kindSet = 1 << event.Took
	onResolved kindSet = 1 << event.Resolved
	onRuled    kindSet = 1 << event.Ruled
	onListed   kindSet = 1 << event.Listed
	onDone     kindSet = 1 << event.Done
	onSession  kindSet = 1 << event.Session
	onAdmitted kindSet = 1 << event.Admitted
	onMoved    kindSet = 1 << event.Moved
	onNeeded   kindSet = 1 << event.Needed
	onBrought  kindSet = 1 << event.Brought
	onRendered kindSet = 1 << event.Rendered
	onAsked    kindSet = 1 << event.Asked
	onContent          = onDone | onRendered
	onBody             = onDone | onBrought
	onAnswer           = onRuled | onListed | onBody
	onDeny             = onSession | 1<<event.Denied
	onScore            = onSession | 1<<event.Scored
	onFiles            = onRuled | onListed | 1<<event.Withdrawn | 1<<event.Named
	makesKnown         = 1<<event.Seed | onListed | onContent | 1<<event.Named | 1<<event.Linked
	admits             = onAdmitted | 1<<event.Revisit | 1<<event.Retried | 1<<event.Dropped | onMoved
	decides            = onTook | 1<<event.Refused | 1<<event.Polled
)

// field is one field of Facts: which events have it, whether it is there, and how it is
// written and read. Its place in the table is its bit in the mask before
// the fields.
type field struct {
	on    kindSet
	has   func(*Facts) bool
	write func(*writer, *Record)
	read  func(*reader, *Record)
}

// fields has those first that most pages have. New ones go to the end.
var fields = [...]field{
	{makesKnown | onRuled | onNeeded | onAsked, func(f *Facts) bool { return f.Names.Len() > 0 },
		func(w *writer, r *Record) { w.names(&r.Facts.Names) },
		func(d *reader, r *Record) { d.names(&r.Facts.Names, namesOf(&r.Event)) }},
	{onAnswer, func(f *Facts) bool { return f.Status != 0 },
		func(w *writer, r *Record) { w.uint(uint64(r.Facts.Status)) }, (*reader).status},
	{onAnswer, func(f *Facts) bool { return f.Place != Place{} }, (*writer).place, (*reader).place},
	{onAnswer | onRendered, func(f *Facts) bool { return f.Size != 0 },
		func(w *writer, r *Record) { w.int(r.Facts.Size) },
		func(d *reader, r *Record) { r.Facts.Size = d.int() }},
	{onAnswer, func(f *Facts) bool { return f.Phases != [3]time.Duration{} }, (*writer).phases, (*reader).phases},
	{onContent, func(f *Facts) bool { return f.Digest != [16]byte{} },
		func(w *writer, r *Record) { w.b = append(w.b, r.Facts.Digest[:]...) },
		func(d *reader, r *Record) { copy(r.Facts.Digest[:], d.take(16)) }},
	{onContent, func(f *Facts) bool { return f.SimHash != 0 },
		func(w *writer, r *Record) { w.fixed(r.Facts.SimHash) },
		func(d *reader, r *Record) { r.Facts.SimHash = d.fixed() }},
	{onTook, func(f *Facts) bool { return f.Clock != 0 },
		func(w *writer, r *Record) { w.int(int64(r.Now - r.Facts.Clock)) },
		func(d *reader, r *Record) { r.Facts.Clock = r.Now - time.Duration(d.int()) }},
	{onTook, func(f *Facts) bool { return f.Address != 0 },
		func(w *writer, r *Record) { w.uint(uint64(r.Facts.Address)) },
		func(d *reader, r *Record) { r.Facts.Address = d.uint32() }},
	{onTook, func(f *Facts) bool { return f.Conn != 0 },
		func(w *writer, r *Record) { w.uint(uint64(r.Facts.Conn)) },
		func(d *reader, r *Record) { r.Facts.Conn = d.uint32() }},
	{onBody, func(f *Facts) bool { return len(f.Payload) > 0 },
		func(w *writer, r *Record) { w.bytes(r.Facts.Payload) },
		func(d *reader, r *Record) { r.Facts.Payload = append(r.Facts.Payload, d.bytes()...) }},
	text(onBody, func(f *Facts) *string { return &f.Media }),
	text(onContent, func(f *Facts) *string { return &f.Title }),
	text(onDone, func(f *Facts) *string { return &f.ETag }),
	text(onDone, func(f *Facts) *string { return &f.Modified }),
	tiny(func(f *Facts) *uint8 { return &f.Tags }),
	tiny(func(f *Facts) *uint8 { return &f.Cut }),
	{onAnswer | onNeeded | onRendered, func(f *Facts) bool { return f.Dropped != 0 },
		func(w *writer, r *Record) { w.uint(uint64(r.Facts.Dropped)) },
		func(d *reader, r *Record) { r.Facts.Dropped = d.uint32() }},
	{onRuled, func(f *Facts) bool { return len(f.Rules) > 0 },
		func(w *writer, r *Record) { w.bytes(r.Facts.Rules) },
		func(d *reader, r *Record) { r.Facts.Rules = append(r.Facts.Rules, d.bytes()...) }},
	text(onRuled|onAsked, func(f *Facts) *string { return &f.Hop }),
	{onFiles, func(f *Facts) bool { return len(f.Files) > 0 }, (*writer).files, (*reader).files},
	{onResolved, func(f *Facts) bool { return len(f.Addrs) > 0 }, (*writer).addrs, (*reader).addrs},
	text(onAnswer|onResolved|onRendered, func(f *Facts) *string { return &f.Note }),
	{onSession, func(f *Facts) bool { return f.Session != nil }, (*writer).session, (*reader).session},
	{decides, func(f *Facts) bool { return f.Early }, // the bit is the value
		func(*writer, *Record) {},
		func(_ *reader, r *Record) { r.Facts.Early = true }},
	{onContent, func(f *Facts) bool { return f.Near != 0 },
		func(w *writer, r *Record) { w.uint(uint64(r.Facts.Near)) },
		func(d *reader, r *Record) { r.Facts.Near = d.uint32() }},
	{onAnswer | onResolved, func(f *Facts) bool { return f.Ours }, // the bit is the value
		func(*writer, *Record) {},
		func(_ *reader, r *Record) { r.Facts.Ours = true }},
	{onAnswer, func(f *Facts) bool { return f.Shift != 0 },
		func(w *writer, r *Record) { w.int(int64(r.Facts.Shift)) },
		func(d *reader, r *Record) { r.Facts.Shift = time.Duration(d.int()) }},
	{onDeny, func(f *Facts) bool { return len(f.Deny) > 0 },
		func(w *writer, r *Record) { w.bytes(r.Facts.Deny) },
		func(d *reader, r *Record) { r.Facts.Deny = append(r.Facts.Deny, d.bytes()...) }},
	fixed(func(f *Facts) *uint64 { return &f.Targets }),
	fixed(func(f *Facts) *uint64 { return &f.Change }),
	fixed(func(f *Facts) *uint64 { return &f.Terms }),
	{onContent, func(f *Facts) bool { return f.Numbers[0] != 0 }, (*writer).numbers, (*reader).numbers},
	{onContent, func(f *Facts) bool { return f.Pictures != 0 },
		func(w *writer, r *Record) { w.uint(uint64(r.Facts.Pictures)) },
		func(d *reader, r *Record) { r.Facts.Pictures = d.uint32() }},
	{onAdmitted, func(f *Facts) bool { return f.Trial }, // the bit is the value
		func(*writer, *Record) {},
		func(_ *reader, r *Record) { r.Facts.Trial = true }},
	{onAnswer | onResolved, func(f *Facts) bool { return f.Cause != 0 },
		func(w *writer, r *Record) { w.byte(byte(r.Facts.Cause)) },
		func(d *reader, r *Record) { r.Facts.Cause = event.Cause(d.byte()) }},
	{onContent, func(f *Facts) bool { return len(f.Plain) > 0 },
		func(w *writer, r *Record) { w.pages(r.Facts.Plain, r.Event.Page) },
		func(d *reader, r *Record) { r.Facts.Plain = d.pages(r.Facts.Plain, r.Event.Page) }},
	{onSession, func(f *Facts) bool { return len(f.Prior) > 0 },
		func(w *writer, r *Record) { w.bytes(r.Facts.Prior) },
		func(d *reader, r *Record) { r.Facts.Prior = append(r.Facts.Prior, d.bytes()...) }},
	{1 << event.Seed, func(f *Facts) bool { return f.Old }, // the bit is the value
		func(*writer, *Record) {},
		func(_ *reader, r *Record) { r.Facts.Old = true }},
	{onContent, func(f *Facts) bool { return f.Doubt }, // the bit is the value
		func(*writer, *Record) {},
		func(_ *reader, r *Record) { r.Facts.Doubt = true }},
	{onDone, func(f *Facts) bool { return f.Revisit != 0 },
		func(w *writer, r *Record) { w.int(r.Facts.Revisit) },
		func(d *reader, r *Record) { r.Facts.Revisit = d.int() }},
	{onSession, func(f *Facts) bool { return f.Named }, // the bit is the value
		func(*writer, *Record) {},
		func(_ *reader, r *Record) { r.Facts.Named = true }},
	{onSession, func(f *Facts) bool { return f.Lost != 0 },
		func(w *writer, r *Record) { w.int(r.Facts.Lost) },
		func(d *reader, r *Record) { r.Facts.Lost = d.int() }},
	{1 << event.Revisit, func(f *Facts) bool { return f.Urgent }, // the bit is the value
		func(*writer, *Record) {},
		func(_ *reader, r *Record) { r.Facts.Urgent = true }},
	{onScore, func(f *Facts) bool { return len(f.Score) > 0 },
		func(w *writer, r *Record) { w.bytes(r.Facts.Score) },
		func(d *reader, r *Record) { r.Facts.Score = append(r.Facts.Score, d.bytes()...) }},
	{onListed | 1<<event.Seed, func(f *Facts) bool { return len(f.Told) > 0 },
		func(w *writer, r *Record) { w.pages(r.Facts.Told, 0) },
		func(d *reader, r *Record) { r.Facts.Told = d.pages(r.Facts.Told, 0) }},
	{onListed | 1<<event.Named, func(f *Facts) bool { return f.Feed }, // the bit is the value
		func(*writer, *Record) {},
		func(_ *reader, r *Record) { r.Facts.Feed = true }},
	{1 << event.Seed, func(f *Facts) bool { return f.Notice }, // the bit is the value
		func(*writer, *Record) {},
		func(_ *reader, r *Record) { r.Facts.Notice = true }},
	{onListed, func(f *Facts) bool { return len(f.Hints) > 0 }, (*writer).hints, (*reader).hints},
	{onMoved, func(f *Facts) bool { return f.Moves != nil }, (*writer).moves, (*reader).moves},
	{onDone, func(f *Facts) bool { return f.Origin != Origin{} }, (*writer).origin, (*reader).origin},
	text(onSession, func(f *Facts) *string { return &f.Command }),
	{onNeeded | onRendered | onAsked, func(f *Facts) bool { return f.Step != 0 },
		func(w *writer, r *Record) { w.byte(r.Facts.Step) },
		func(d *reader, r *Record) { r.Facts.Step = d.byte() }},
	{1<<event.Unneeded | onRendered, func(f *Facts) bool { return len(f.Parts) > 0 },
		func(w *writer, r *Record) { w.pages(r.Facts.Parts, 0) },
		func(d *reader, r *Record) { r.Facts.Parts = d.pages(r.Facts.Parts, 0) }},
	{onDone, func(f *Facts) bool { return f.Render }, // the bit is the value
		func(*writer, *Record) {},
		func(_ *reader, r *Record) { r.Facts.Render = true }},
	{1 << event.Linked, func(f *Facts) bool { return len(f.Notes) > 0 },
		func(w *writer, r *Record) { w.bytes(r.Facts.Notes) },
		func(d *reader, r *Record) { r.Facts.Notes = append(r.Facts.Notes, d.bytes()...) }},
	text(onSession, func(f *Facts) *string { return &f.Node }),
	{onSession, func(f *Facts) bool { return f.Epoch != 0 },
		func(w *writer, r *Record) { w.uint(r.Facts.Epoch) },
		func(d *reader, r *Record) { r.Facts.Epoch = d.uint() }},
}

// fixed returns a field of what a page contains that is a hash of 64 bits.
func fixed(of func(*Facts) *uint64) field {
	return field{onContent, func(f *Facts) bool { return *of(f) != 0 },
		func(w *writer, r *Record) { w.fixed(*of(&r.Facts)) },
		func(d *reader, r *Record) { *of(&r.Facts) = d.fixed() }}
}

// text returns a field that is a string.
func text(on kindSet, of func(*Facts) *string) field {
	return field{on, func(f *Facts) bool { return *of(f) != "" },
		func(w *writer, r *Record) { w.string(*of(&r.Facts)) },
		func(d *reader, r *Record) { *of(&r.Facts) = d.string() }}
}

// tiny returns a field of what a page contains that is one byte.
func tiny(of func(*Facts) *uint8) field {
	return field{onContent, func(f *Facts) bool { return *of(f) != 0 },
		func(w *writer, r *Record) { w.byte(*of(&r.Facts)) },
		func(d *reader, r *Record) { *of(&r.Facts) = d.byte() }}
}

// mask returns the bits of the fields that are set and belong to the kind.
func (f *Facts) mask(kind event.Kind) (mask uint64) {
	for i := range fields {
		if fields[i].on&kinds(kind) != 0 && fields[i].has(f) {
			mask |= 1 << i
		}
	}
	return mask
}

// facts writes the mask and the fields.
func (w *writer) facts(r *Record, mask uint64) {
	if n := r.Facts.Names.Len(); mask&1 != 0 && n != namesOf(&r.Event) {
		panic(fmt.Sprintf("journal: %d names of an event %v with %d new pages", n, r.Event.Kind, len(r.Event.New)))
	}
	w.uint(mask)
	for i := range fields {
		if mask&(1<<i) != 0 {
			fields[i].write(w, r)
		}
	}
}

// namesOf returns the number of names that an event has if it has any.
func namesOf(e *event.Event) int {
	switch e.Kind {
	case event.Ruled:
		return 1
	case event.Needed, event.Asked:
		return len(e.Needs)
	}
	return len(e.New)
}

// facts reads the mask and the fields. Each must belong to the kind and be there: a
// record has one encoding.
func (d *reader) facts(r *Record) {
	mask, kind := d.uint(), kinds(r.Event.Kind)
	ok := mask != 0 && mask < 1<<len(fields)
	for m := mask; ok && m != 0; m &= m - 1 {
		f := &fields[bits.TrailingZeros64(m)]
		if ok = f.on&kind != 0; ok {
			f.read(d, r)
			ok = f.has(&r.Facts)
		}
	}
	if !ok {
		d.fail(fmt.Errorf("facts %#x of an event %v", mask, r.Event.Kind))
	}
}

func (d *reader) status(r *Record) {
	v := d.uint()
	if v > 1<<16-1 {
		d.fail(fmt.Errorf("status %d", v))
	}
	r.Facts.Status = uint16(v)
}

func (w *writer) place(r *Record) {
	f := &r.Facts
	w.uint(uint64(f.Place.File))
	w.int(f.Place.Offset)
	w.int(f.Place.Length)
}

// origin writes Named as the lowest bit of the length.
func (w *writer) origin(r *Record) {
	o := &r.Facts.Origin
	length := uint64(o.Length) << 1
	if o.Named {
		length |= 1
	}
	w.int(o.Date)
	w.uint(length)
}

func (d *reader) origin(r *Record) {
	date, length := d.int(), d.uint()
	r.Facts.Origin = Origin{Date: date, Length: int64(length >> 1), Named: length&1 != 0}
}

func (d *reader) place(r *Record) { r.Facts.Place = Place{d.uint32(), d.int(), d.int()} }

func (w *writer) phases(r *Record) {
	f := &r.Facts
	for _, v := range f.Phases {
		w.int(int64(v))
	}
}

func (d *reader) phases(r *Record) {
	for i := range r.Facts.Phases {
		r.Facts.Phases[i] = time.Duration(d.int())
	}
}

func (w *writer) numbers(r *Record) {
	list := r.Facts.Numbers[:]
	if end := slices.Index(list, 0); end >= 0 {
		list = list[:end]
	}
	w.uint(uint64(len(list)))
	for _, n := range list {
		w.uint(uint64(n))
	}
}

func (d *reader) numbers(r *Record) {
	n := d.uint()
	if n > uint64(len(r.Facts.Numbers)) {
		d.fail(fmt.Errorf("%d numbers", n))
		return
	}
	for i := range n {
		if r.Facts.Numbers[i] = d.uint32(); r.Facts.Numbers[i] == 0 {
			d.fail(errors.New("a number that is none"))
		}
	}
}

func (w *writer) files(r *Record) {
	f := &r.Facts
	w.uint(uint64(len(f.Files)))
	for _, name := range f.Files {
		w.string(name)
	}
}

func (d *reader) files(r *Record) {
	for range d.count() {
		r.Facts.Files = append(r.Facts.Files, d.string())
	}
}

// addrs writes addresses without zones, which mean nothing elsewhere.
func (w *writer) addrs(r *Record) {
	f := &r.Facts
	w.uint(uint64(len(f.Addrs)))
	for _, a := range f.Addrs {
		if !a.IsValid() {
			panic("journal: an address that is none")
		}
		w.bytes(a.AsSlice())
	}
}

func (d *reader) addrs(r *Record) {
	for range d.count() {
		a, ok := netip.AddrFromSlice(d.bytes())
		if !ok {
			d.fail(errors.New("an address that is none"))
			return
		}
		r.Facts.Addrs = append(r.Facts.Addrs, a)
	}
}

// hints writes pages as their distances from those that follow the ones before.
func (w *writer) hints(r *Record) {
	w.uint(uint64(len(r.Facts.Hints)))
	next := int64(0)
	for _, h := range r.Facts.Hints {
		w.int(int64(h.Page) - next)
		w.byte(byte(h.Above))
		next = int64(h.Page) + 1
	}
}

func (d *reader) hints(r *Record) {
	next := int64(0)
	for range d.count() {
		p := d.near(next)
		r.Facts.Hints = append(r.Facts.Hints, event.Hint{Page: graph.Page(p), Above: int8(d.byte())})
		next = p + 1
	}
}

func (w *writer) session(r *Record) {
	s := r.Facts.Session
	w.int(s.Wall)
	w.string(s.Version)
	w.bytes(s.Config)
	w.string(s.Policy)
	w.string(s.SitePolicy)
	w.b = append(append(w.b, s.Secret[:]...), s.Crawl[:]...)
}

func (d *reader) session(r *Record) {
	s := &Session{Wall: d.int(), Version: d.string()}
	s.Config = append(s.Config, d.bytes()...)
	s.Policy, s.SitePolicy = d.string(), d.string()
	copy(s.Secret[:], d.take(16))
	copy(s.Crawl[:], d.take(16))
	r.Facts.Session = s
}

// NotModified is the status of an answer without a body because nothing changed.
const NotModified = 304

// Facts holds what a crawl of the real Web records with an event: what the frontier does
// not need, but people, the archive and a resumed crawl do. Each field names the kinds of
// event that have it; of other kinds it is not written, and zero when it is read. A
// simulation has none at all.
type Facts struct {
	Names  Names  // Seed, Done, Listed: URLs of Event.New, all or none; Ruled: name of a new site To; Needed: URLs
	Status uint16 // Ruled, Listed, Done: of HTTP; 0 none
	Place  Place  // Ruled, Listed, Done: of the answer in the archive
	// Payload is the digest of the body as it was stored, with the byte of its
	// algorithm before it (Done).
	Payload []byte
	Digest  [16]byte // Done: of the structural text
	SimHash uint64   // Done
	Near    uint32   // Done: 1 + the page that had nearly the same content before, or that a duplicate names as canonical; 0: none
	Size    int64    // Ruled, Listed, Done: bytes of the body without its content coding

	// What the page is compared by, in addition to its digest (Done). Targets is of its
	// links and pictures: with Digest it reports whether two pages are the same. Change is
	// of its words without numbers. Terms is the set of its words, of a page with few of
	// them. Numbers and Pictures are there if its words alone were known on its site.
	Targets  uint64
	Change   uint64
	Terms    uint64
	Numbers  [8]uint32 // from the first 0 on there are no more
	Pictures uint32
	Urgent   bool // Revisit: the pages go before all others
	Trial    bool // Admitted: there is no evidence for the pages, and their content decides

	Media    string       // Done: media type
	ETag     string       // Done: validators, for conditional requests
	Modified string       // Done
	Title    string       // Done
	Tags     uint8        // Done: robots.Tags of the page
	Cut      uint8        // Done: limits that were hit, page.Cut
	Plain    []graph.Page // Done: pages, not fetched yet, in favour of which links of a duplicate were left out
	Dropped  uint32       // Done: links that those limits left out; Ruled, Listed: sitemap files and entries; Needed

	Rules []byte       // Ruled: as robots.Rules.AppendBinary has them
	Hop   string       // Ruled with Event.Hop: URL to which robots.txt moved
	Files []string     // Ruled, Listed: sitemap files that became known; Withdrawn: those that are not to be requested
	Addrs []netip.Addr // Resolved: the first is the one in use
	Note  string       // Resolved, Ruled, Listed, Done: what went wrong, for people
	Cause event.Cause  // Resolved, Ruled, Listed, Done: the same as a code, if there is one

	// Shift is the difference, at the start of the request, of the clock of the machine
	// from that of the session and the crawl: it was set, or the machine slept (Ruled,
	// Listed, Done).
	Shift time.Duration

	// Phases are the durations of connecting, of waiting for the first byte, and of the
	// body (Ruled, Listed, Done): a simulation can be given them.
	Phases [3]time.Duration

	Clock   time.Duration // Took: when the site might be requested; proves politeness
	Address uint32        // Took: dense number of the IP address
	Conn    uint32        // Took: number of the connection
	// Early: when this was decided the group before was not known to be on disk, and
	// sites with outcomes in it were still held (Took, Refused, Polled).
	Early bool
	// Ours: the trouble was on our side, so the failure counts against no site.
	Ours bool

	Session *Session // Session
	// Deny is the list of hosts that are never requested from now on (Session, Denied), packed
	// by the crawl. Empty in a Session: it is not known, or there is none.
	Deny []byte
	// Prior holds the values of pages in an earlier crawl (Session), packed by the crawl. Old:
	// the pages became known because that crawl had them, and are no seeds (Seed).
	Prior []byte
	Old   bool
	// Score is what pages are worth from now on (Session, Scored), packed by the crawl. Empty in
	// a Session: it is what it was.
	Score []byte
	// Doubt: the page seems to be in a trap, so the pages that it made known go later (Done).
	Doubt bool
	// Revisit: the answer is stored as a revisit record, without a body: 1 + the bytes that
	// this saved, in the transfer with status 304, in the archive otherwise (Done). 0: it is
	// not, or it was stored before there was such a field.
	Revisit int64
	// Origin is that to which the revisit record refers (Done). Zero: the answer is not stored
	// as one, or it was before there was such a field.
	Origin Origin
	// Named: the ids of the WARC records of the session follow from their URLs and their dates
	// in milliseconds. Lost: the archive has lost what was requested from then on, Unix
	// milliseconds; 0: nothing (Session).
	Named bool
	Lost  int64
	// Told are fetched pages that have changed since their last visit, as a sitemap, a feed or
	// (Seed) a notice says (Listed, Seed). Feed: the file is a feed (Listed, Named). Notice: the
	// pages became known by a notice, and are no seeds (Seed).
	Told   []graph.Page
	Feed   bool
	Notice bool
	// Hints are what a sitemap file says about pages that wait (Listed).
	Hints []event.Hint
	// Step is the number of answers from the page to the requisites: 1 if the page names them, 2 if
	// what it names does (Needed). Dropped counts those that limits left out.
	Step uint8
	// Parts are the numbers of requisites (Unneeded).
	Parts []graph.Page
	// Moves says where the answers of the pages Event.Admit went (Moved).
	Moves *Moves
	// Command is the command of the user that began the session (Session). "": none did.
	Command string
	// Render: a browser will show the page, and Rendered tells what it contains (Done). Of Rendered,
	// Step is the number of the pass, Parts are the requisites that the page asked for and that were
	// not there, and Size is the length of what it shows.
	Render bool
	// Notes are what a partition has told besides links (Linked), as package exchange writes them.
	Notes []byte
	// Node is the machine that began the session, and Epoch the number of its tenure of the partition
	// (Session). They are zero for a crawl that is not one of a cluster.
	Node  string
	Epoch uint64
}

// An Origin is the response in the archive to which a revisit record refers.
type Origin struct {
	Date   int64 // Unix milliseconds
	Length int64 // of the record
	Named  bool  // its id follows from its URL and its date
}

// A Place is the position of the records of an answer in the archive. A Length of 0 means none.
type Place struct {
	File   uint32
	Offset int64
	Length int64
}

// Session holds what a crawl was started with: the first record of each run of the program.
type Session struct {
	Wall       int64    // unix time of Record.Now, in nanoseconds
	Version    string   // of the program
	Config     []byte   // TOML
	Policy     string   // with its parameters
	SitePolicy string   // the same
	Secret     [16]byte // key of the URL table
	Crawl      [16]byte // id
}

// reset makes the facts zero, and keeps the room that slices have.
func (f *Facts) reset() {
	f.Names.Reset()
	*f = Facts{Names: f.Names, Payload: f.Payload[:0], Rules: f.Rules[:0], Files: f.Files[:0], Addrs: f.Addrs[:0], Deny: f.Deny[:0], Prior: f.Prior[:0], Score: f.Score[:0], Plain: f.Plain[:0], Told: f.Told[:0], Hints: f.Hints[:0], Parts: f.Parts[:0], Notes: f.Notes[:0]}
}
