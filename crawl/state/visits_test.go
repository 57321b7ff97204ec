package state

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// visitsWall is when the crawl of these tests began.
const visitsWall = int64(1_800_000_000_123_456_789)

func newTestVisits(t *testing.T) *Visits {
	t.Helper()
	set := new(graph.Set)
	t.Cleanup(set.Free)
	v := NewVisits(set, 10)
	v.Note(&journal.Record{Now: time.Second, Event: event.Event{Kind: event.Session},
		Facts: journal.Facts{Session: &journal.Session{Wall: visitsWall + int64(time.Second)}, Named: true}})
	return v
}

// visit returns the record of a visit that stored a body.
func visit(p graph.Page, start time.Duration, body string) *journal.Record {
	sum := archive.SHA1.Sum([]byte(body))
	return &journal.Record{
		Event: event.Event{Kind: event.Done, Task: event.Task{Page: p}, Start: start, Class: event.OK},
		Facts: journal.Facts{Status: 200, Place: journal.Place{Length: int64(100 * len(body))}, Payload: append([]byte{0}, sum.Bytes()...)},
	}
}

// Entries of pages that change at each visit take no more and more memory, and where there is
// no room for more there are none.
func TestVisitsRoom(t *testing.T) {
	v := newTestVisits(t)
	for n := range 1000 {
		r := visit(3, time.Duration(n), fmt.Sprint(n))
		f := &r.Facts
		f.ETag, f.Modified = strings.Repeat("x", 4-n%3), "Sun, 15 Nov 2026 10:00:00 GMT"
		if n%4 == 3 {
			f.ETag, f.Modified = "", ""
		}
		v.Note(r)
		if etag, modified := v.Of(3); etag != f.ETag || modified != f.Modified {
			t.Fatalf("visit %d: %q and %q are kept", n, etag, modified)
		}
	}
	if n := v.texts.Len(); n != 28+35 {
		t.Errorf("%d bytes are taken", n)
	}
	v.Note(visit(6, 0, "x"))
	if n := v.texts.Len(); n != 28+35+28 {
		t.Errorf("%d bytes are taken, a page without validators takes 28", n)
	}
	long := strings.Repeat("x", 1300)
	for _, p := range []graph.Page{4, 5, 3} { // 1,600 bytes are all there is
		r := visit(p, 0, "x")
		r.Facts.ETag = long
		v.Note(r)
	}
	for p, want := range []string{3: "", 4: long, 5: "", 6: ""} {
		if etag, _ := v.Of(graph.Page(p)); etag != want {
			t.Errorf("page %d has a validator of %d bytes, want %d", p, len(etag), len(want))
		}
	}
}

// An original is the first response with a payload. Visits that brought nothing else do not
// replace it; others do, or leave none.
func TestOriginals(t *testing.T) {
	sum := func(body string) archive.Digest { return archive.SHA1.Sum([]byte(body)) }
	of := func(r *journal.Record, change func(*journal.Record)) *journal.Record { change(r); return r }
	first := visit(1, 5*time.Millisecond, "a")
	start := time.Unix(0, visitsWall).Add(5 * time.Millisecond).Truncate(time.Millisecond)
	for _, test := range []struct {
		name string
		next *journal.Record
		want string // payload; "": none
		at   time.Duration
	}{
		{"the same", visit(1, time.Hour, "a"), "a", 0},
		{"a revisit of it", of(visit(1, time.Hour, "a"), func(r *journal.Record) { r.Facts.Revisit = 1 }), "a", 0},
		{"not modified", of(visit(1, time.Hour, ""), func(r *journal.Record) { r.Facts.Status = 304 }), "a", 0},
		{"changed", visit(1, time.Hour, "b"), "b", time.Hour - 5*time.Millisecond},
		{"changed, clock set back", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Facts.Shift = -2 * time.Hour }), "b", -time.Hour - 5*time.Millisecond},
		{"no copy wanted", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Facts.Payload = nil }), "", 0},
		{"a redirect", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Event.Class = event.Redirect }), "a", 0},
		{"gone", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Event.Class = event.Gone }), "a", 0},
		{"a clock that is mad", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Facts.Shift = 200_000 * time.Hour }), "", 0},
		{"another digest", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Facts.Payload[0] = byte(archive.SHA256) }), "", 0},
		{"lost", &journal.Record{Event: event.Event{Kind: event.Session}, Facts: journal.Facts{Lost: start.UnixMilli()}}, "", 0},
		{"lost later", &journal.Record{Event: event.Event{Kind: event.Session}, Facts: journal.Facts{Lost: start.UnixMilli() + 1}}, "a", 0},
	} {
		v := newTestVisits(t)
		v.Note(first)
		v.Note(test.next)
		o, ok := v.Original(1)
		if ok != (test.want != "") {
			t.Errorf("%s: %+v", test.name, o)
			continue
		}
		if want := (Original{Payload: sum(test.want), Time: start.Add(test.at), Length: 100, Named: true}); ok && o != want {
			t.Errorf("%s: %+v, want %+v", test.name, o, want)
		}
	}
}

// Validators belong to the original: those of a page that no longer has any are forgotten,
// since a 304 for them would speak of what the page was before. What is lost is
// requested without conditions.
func TestValidators(t *testing.T) {
	with := func(etag string, status uint16) *journal.Record {
		r := visit(1, time.Hour, "a")
		r.Facts.ETag, r.Facts.Status = etag, status
		return r
	}
	for _, test := range []struct {
		next *journal.Record
		want string
	}{
		{with("y", 200), "y"}, {with("", 200), ""}, {with("", 304), "x"}, {with("y", 304), "y"},
		{&journal.Record{Event: event.Event{Kind: event.Session}, Facts: journal.Facts{Lost: 1}}, ""},
	} {
		v := newTestVisits(t)
		v.Note(with("x", 200))
		v.Note(test.next)
		if etag, _ := v.Of(1); etag != test.want {
			t.Errorf("after %v %d: %q, want %q", test.next.Event.Kind, test.next.Facts.Status, etag, test.want)
		}
	}
}
