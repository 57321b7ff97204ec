package visit

import (
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// visitsWall is when the crawl of these tests began.
const visitsWall = int64(1_800_000_000_123_456_789)

// A visitsLog is a journal with what its records say of visits.
type visitsLog struct {
	*Visits
	log    *journal.Log
	finder *journal.Finder
	dir    *disk.Memory
}

func newVisitsLog(t *testing.T) *visitsLog {
	t.Helper()
	set, dir, h := new(graph.Set), disk.NewMemory(), journal.Header{Crawl: [16]byte{1}, Partitions: 1}
	t.Cleanup(set.Free)
	log, err := journal.Begin(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Drop)
	log.Segment = 2000
	v := &visitsLog{Visits: New(set, 10), log: log, dir: dir, finder: journal.NewFinder(dir, h)}
	v.add(t, &journal.Record{Now: time.Second, Event: event.Event{Kind: event.Session},
		Facts: journal.Facts{Session: &journal.Session{Wall: visitsWall + int64(time.Second)}, Named: true}})
	return v
}

// add commits a record and applies it.
func (v *visitsLog) add(t *testing.T, r *journal.Record) {
	t.Helper()
	v.log.Append(r)
	v.Note(r)
	if err := v.log.Write(v.log.Take(journal.Commit{})); err != nil {
		t.Fatal(err)
	}
}

// of returns what is known of a page.
func (v *visitsLog) of(p graph.Page) Past { return v.Pasts(v.finder).Of(p, v.Mark(p)) }

// visit returns the record of a visit that stored a body.
func visit(p graph.Page, start time.Duration, body string) *journal.Record {
	sum := archive.SHA1.Sum([]byte(body))
	return &journal.Record{
		Event: event.Event{Kind: event.Done, Task: event.Task{Page: p}, Start: start, Class: event.OK},
		Facts: journal.Facts{Status: 200, Place: journal.Place{Length: int64(100 * len(body))}, Payload: append([]byte{0}, sum.Bytes()...)},
	}
}

// An original is the last response with a payload. Visits that brought nothing else do not
// replace it; others do, or leave none.
func TestOriginals(t *testing.T) {
	sum := func(body string) archive.Digest { return archive.SHA1.Sum([]byte(body)) }
	of := func(r *journal.Record, change func(*journal.Record)) *journal.Record { change(r); return r }
	start := time.Unix(0, visitsWall).Add(5 * time.Millisecond).Truncate(time.Millisecond)
	origin := journal.Origin{Date: start.UnixMilli(), Length: 100, Named: true}
	session := func(f journal.Facts) *journal.Record {
		return &journal.Record{Event: event.Event{Kind: event.Session}, Facts: f}
	}
	for _, test := range []struct {
		name string
		next *journal.Record
		want string // payload; "": none
		at   time.Duration
	}{
		{"stored again", visit(1, time.Hour, "a"), "a", time.Hour - 5*time.Millisecond},
		{"a revisit of it", of(visit(1, time.Hour, "a"), func(r *journal.Record) { r.Facts.Revisit, r.Facts.Origin = 1, origin }), "a", 0},
		{"a revisit of an earlier version", of(visit(1, time.Hour, "a"), func(r *journal.Record) { r.Facts.Revisit = 1 }), "a", 0},
		{"not modified", of(visit(1, time.Hour, ""), func(r *journal.Record) { r.Facts.Status = 304 }), "a", 0},
		{"not modified, with validators", of(visit(1, time.Hour, "a"), func(r *journal.Record) {
			r.Facts.Status, r.Facts.Revisit, r.Facts.ETag, r.Facts.Origin = 304, 1, "y", origin
		}), "a", 0},
		{"changed", visit(1, time.Hour, "b"), "b", time.Hour - 5*time.Millisecond},
		{"changed, clock set back", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Facts.Shift = -2 * time.Hour }), "b", -time.Hour - 5*time.Millisecond},
		{"no copy wanted", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Facts.Payload = nil }), "", 0},
		{"a redirect", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Event.Class = event.Redirect }), "a", 0},
		{"gone", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Event.Class = event.Gone }), "a", 0},
		{"tried again", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Event.Again = true }), "a", 0},
		{"another digest", of(visit(1, time.Hour, "b"), func(r *journal.Record) { r.Facts.Payload[0] = byte(archive.SHA256) }), "", 0},
		{"another session", session(journal.Facts{Session: &journal.Session{Wall: 5}}), "a", 0},
		{"lost", session(journal.Facts{Lost: start.UnixMilli()}), "", 0},
		{"lost later", session(journal.Facts{Lost: start.UnixMilli() + 1}), "a", 0},
		{"dropped", &journal.Record{Event: event.Event{Kind: event.Dropped, Admit: []graph.Page{1, 9}}}, "", 0},
	} {
		v := newVisitsLog(t)
		v.add(t, visit(1, 5*time.Millisecond, "a"))
		v.add(t, test.next)
		v.add(t, visit(2, 0, "c"))
		o := v.of(1).Original
		if test.want == "" {
			if o != (Original{}) {
				t.Errorf("%s: %+v", test.name, o)
			}
			continue
		}
		if want := (Original{Payload: sum(test.want), Time: start.Add(test.at), Length: 100, Named: true}); o != want {
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
		if r.Facts.ETag, r.Facts.Status = etag, status; status == 304 {
			r.Facts.Revisit, r.Facts.Origin = 1, journal.Origin{Date: 1}
		}
		return r
	}
	for _, test := range []struct {
		next *journal.Record
		want string
	}{
		{with("y", 200), "y"}, {with("", 200), ""}, {with("", 304), "x"}, {with("y", 304), "y"},
		{&journal.Record{Event: event.Event{Kind: event.Session}, Facts: journal.Facts{Lost: 1}}, ""},
	} {
		v := newVisitsLog(t)
		v.add(t, with("x", 200))
		v.add(t, test.next)
		if got := v.of(1).ETag; got != test.want {
			t.Errorf("after %v %d: %q, want %q", test.next.Event.Kind, test.next.Facts.Status, got, test.want)
		}
		if has := v.HasValidators(1); test.next.Facts.Lost == 0 && has != (test.want != "") {
			t.Errorf("after %v %d: validators: %v", test.next.Event.Kind, test.next.Facts.Status, has)
		}
	}
}

// What the records of many pages say is found in all files of a journal, whether they are short
// or long and however often the pages are visited.
func TestManyVisits(t *testing.T) {
	v := newVisitsLog(t)
	want := map[graph.Page]string{}
	for n := range 3000 {
		p := graph.Page(n * 7 % 10)
		r := visit(p, time.Duration(n), "x")
		r.Facts.ETag, r.Facts.Title = strings.Repeat("e", 1+n%5)+string(rune('a'+n%26)), strings.Repeat("t", n%11*40)
		v.add(t, r)
		want[p] = r.Facts.ETag
		if got := v.of(p).ETag; got != want[p] {
			t.Fatalf("visit %d: %q, want %q", n, got, want[p])
		}
	}
	for p, etag := range want {
		if got := v.of(p).ETag; got != etag {
			t.Errorf("page %d: %q, want %q", p, got, etag)
		}
	}
	if list, _ := v.dir.List(); len(list) < 10 {
		t.Errorf("the journal has %d files", len(list))
	}
	list, _ := v.dir.List()
	for _, e := range list { // a journal that cannot be read
		v.dir.Remove(e.Name)
	}
	if got := v.of(3); got != (Past{}) {
		t.Errorf("without a journal: %+v", got)
	}
}

// A record that is too far away for a mark has none.
func TestFarVisits(t *testing.T) {
	for at, want := range map[int64]int64{0: 0, 255: 0, 256: 256, 1 << 38: 1 << 38, 1<<39 - 257: 1<<39 - 512, 1<<39 - 256: -markUnit, 1 << 45: -markUnit} {
		if got := markOf(&journal.Record{At: at}).at(); got != want {
			t.Errorf("%d: %d, want %d", at, got, want)
		}
	}
}
