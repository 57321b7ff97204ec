package journal

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// TestFormat has the bytes of a small journal of version 8 as docs/formats.md describes
// them. If they change, journals that exist can no longer be read: it takes a new version.
func TestFormat(t *testing.T) {
	d := disk.NewMemory()
	l, err := Begin(d, Header{Crawl: [16]byte{15: 1}, Partition: 2, Partitions: 3})
	if err != nil {
		t.Fatal(err)
	}
	seed := Record{Now: 1, Event: event.Event{Kind: event.Seed, New: []graph.Site{0, 0}, Bars: []event.Bar{0, event.BarScope}}}
	seed.Facts.Names.Add([]byte("http://a"), []byte("/x"))
	seed.Facts.Names.Add(nil, []byte("/y"))
	l.Append(&seed)
	l.Append(&Record{Now: 9, Event: event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Site: 0, Page: 1}}, Facts: Facts{Clock: 8, Conn: 4}})
	l.Append(&Record{Now: 20, Event: event.Event{Kind: event.Done, Task: event.Task{Page: 1}, Start: 10, End: 18, Bytes: 100, Keep: true, Links: []graph.Page{0},
		Anchors: []event.Anchor{{Words: event.Words{0x0201}, Region: event.Content}},
		Read:    event.Reading{Words: 9, Norm: 2, Matches: []event.Match{{Term: 3, Title: 1, Body: 4}}, Hits: []event.Hit{{Link: 0, Anchor: 8, Around: 1}}}},
		Facts: Facts{Status: 200, Place: Place{1, 2, 3}, Size: 5, Phases: [3]time.Duration{1, 2, 3}, Media: "a/b", Title: "t"}})
	if err := l.Write(l.Take(Commit{Warc: Position{1, 99}, Pages: 2, Sites: 1})); err != nil {
		t.Fatal(err)
	}
	b, err := disk.ReadFile(d, "00000000.wj")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(strings.Fields(formatBytes), "")
	if got := hex.EncodeToString(b); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

const formatBytes = `
	574a4e4c 08000000
	00000000000000000000000000000001
	02000000 03000000 0000000000000000
	00000000 0f13c765
	574a4752 ffebf7c1 70000000 562c2bce
	0000000000000000 0300000000000000
	01000000 6300000000000000
	02000000 01000000
	1d000000 64244052 c00002020000000100010201010108687474703a2f2f61022f78020179
	0b000000 5fa0278a 8101120200000180050204
	30000000 e183a663 c602280100020410c801000101 0c07010102 130000004001030901010008 01 9e30c8010104060a02040603612f620174`

// A journal whose only header is damaged is not taken for none: nothing is begun over it.
func TestDamagedHeader(t *testing.T) {
	d := disk.NewMemory()
	l, err := Begin(d, Header{Crawl: [16]byte{1}, Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	l.Append(&Record{Event: event.Event{Kind: event.Session}})
	if err := l.Write(l.Take(Commit{})); err != nil {
		t.Fatal(err)
	}
	f, err := d.Open("00000000.wj", disk.Change)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{0x63}, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(d, 0, func(*Record) error { return nil }); !errors.Is(err, ErrLost) || errors.Is(err, ErrNone) {
		t.Errorf("reading gives %v", err)
	}
	if _, _, err := Open(d, Header{}); !errors.Is(err, ErrLost) || errors.Is(err, ErrNone) {
		t.Errorf("opening gives %v", err)
	}
	if _, err := Begin(d, Header{Crawl: [16]byte{2}, Partitions: 1}); err == nil {
		t.Error("another journal was begun over it")
	}
}
