package journal

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// samples has every kind of event with every field that it names, small and extreme.
func samples() []Record {
	const most = graph.NoPage - 1
	far := time.Duration(math.MaxInt64)
	return []Record{
		{Event: frontier.Event{Kind: frontier.Seed}},
		{Seq: 1, Now: 5, First: 3, Event: frontier.Event{Kind: frontier.Seed, New: []graph.Site{0, 0, 1, 7, 2}}},
		{Seq: math.MaxUint64, Now: far, First: most, Event: frontier.Event{Kind: frontier.Seed, New: []graph.Site{graph.Site(most), 0}}},
		{Seq: 2, Event: frontier.Event{Kind: frontier.Took, Work: frontier.Resolve, Site: 4, Board: 255}},
		{Seq: 3, Event: frontier.Event{Kind: frontier.Took, Work: frontier.Robots, Site: graph.Site(most)}},
		{Seq: 4, Event: frontier.Event{Kind: frontier.Took, Work: frontier.Fetch, Site: 1, Page: most, Board: 1}},
		{Seq: 5, Event: frontier.Event{Kind: frontier.Refused, Page: 9}},
		{Seq: 6, Now: 77, Event: frontier.Event{Kind: frontier.Asked}},
		{Seq: 7, Now: far, Event: frontier.Event{Kind: frontier.Session}},
		{Seq: 8, Now: 9, Event: frontier.Event{Kind: frontier.Resolved, Site: 3, Address: uint32(most), Start: 4, End: 8}},
		{Seq: 9, Now: 9, Event: frontier.Event{Kind: frontier.Resolved, Site: 3, Class: policy.DNSError, Again: true, Due: far}},
		{Seq: 10, Now: -9, Event: frontier.Event{Kind: frontier.Ruled, Site: 3, Delay: far, Expiry: 1, Retry: 8, Bytes: math.MaxInt64}},
		{Seq: 11, Now: far, Event: frontier.Event{Kind: frontier.Done, Page: 1, Start: -far, End: -far - 1, Bytes: math.MinInt64, Class: lastClass, Retry: -1}},
		{Seq: 12, Now: 100, First: 6, Event: frontier.Event{Kind: frontier.Done, Page: 4, Start: 20, End: 90, Bytes: 1e4, Keep: true,
			New: []graph.Site{2, 9}, Links: []graph.Page{6, 0, most, 7}}},
		{Seq: 13, Now: 100, Event: frontier.Event{Kind: frontier.Done, Page: most, Again: true, Due: -5, Links: []graph.Page{0}}},
	}
}

func TestRoundTrip(t *testing.T) {
	var all []byte
	for _, r := range samples() {
		all = Encode(all, &r)
	}
	for i, want := range samples() {
		var got Record
		n, err := Decode(all, &got)
		if err != nil {
			t.Fatalf("sample %d: %v", i, err)
		}
		if !same(&got, &want) {
			t.Errorf("sample %d: %+v, want %+v", i, got, want)
		}
		all = all[n:]
	}
	if len(all) > 0 {
		t.Errorf("%d bytes left", len(all))
	}
}

// same compares records; empty lists are equal to none.
func same(a, b *Record) bool {
	x, y := *a, *b
	for _, r := range []*Record{&x, &y} {
		if len(r.Event.New) == 0 {
			r.Event.New = nil
		}
		if len(r.Event.Links) == 0 {
			r.Event.Links = nil
		}
	}
	return reflect.DeepEqual(x, y)
}

// Fields that the kind does not name are not written: the simulator fills in some.
func TestOnlyNamedFields(t *testing.T) {
	full := frontier.Event{Work: frontier.Fetch, Site: 1, Page: 2, Board: 3, New: []graph.Site{4}, Links: []graph.Page{5},
		Class: policy.Timeout, Again: true, Due: 6, Start: 7, End: 8, Bytes: 9, Keep: true, Address: 10, Delay: 11, Expiry: 12, Retry: 13}
	named := map[frontier.EventKind]frontier.Event{
		frontier.Seed:     {New: full.New},
		frontier.Took:     {Work: full.Work, Site: 1, Page: 2, Board: 3},
		frontier.Refused:  {Page: 2},
		frontier.Asked:    {},
		frontier.Resolved: {Site: 1, Class: full.Class, Again: true, Due: 6, Start: 7, End: 8, Bytes: 9, Address: 10},
		frontier.Ruled:    {Site: 1, Class: full.Class, Again: true, Due: 6, Start: 7, End: 8, Bytes: 9, Delay: 11, Expiry: 12, Retry: 13},
		frontier.Done: {Page: 2, New: full.New, Links: full.Links, Class: full.Class, Again: true, Due: 6, Start: 7, End: 8,
			Bytes: 9, Keep: true, Retry: 13},
		frontier.Session: {},
	}
	for kind, want := range named {
		e := full
		e.Kind, want.Kind = kind, kind
		var got Record
		if _, err := Decode(Encode(nil, &Record{Event: e}), &got); err != nil {
			t.Fatalf("%v: %v", kind, err)
		}
		if !same(&got, &Record{Event: want}) {
			t.Errorf("%v: %+v, want %+v", kind, got.Event, want)
		}
	}
}

// Every kind of event that the frontier has is known here, and every class.
func TestKindsAndClasses(t *testing.T) {
	for _, end := range []func(){
		func() { _ = (lastClass + 1).String() },
		func() { _ = (frontier.Session + 1).String() },
	} {
		if !panics(end) {
			t.Error("there is one more: it must be written, and a version added to the history")
		}
	}
	if !panics(func() { Encode(nil, &Record{Event: frontier.Event{Kind: frontier.Session + 1}}) }) {
		t.Error("an unknown kind was written")
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// CRC-32C finds every single changed bit, and whatever is cut off is torn.
func TestDamage(t *testing.T) {
	for _, r := range samples() {
		b := Encode(nil, &r)
		var got Record
		for n := range b {
			if _, err := Decode(b[:n], &got); !errors.Is(err, ErrTorn) {
				t.Errorf("record %d cut to %d of %d bytes: %v", r.Seq, n, len(b), err)
			}
		}
		for bit := range 8 * len(b) {
			b[bit/8] ^= 1 << (bit % 8)
			if _, err := Decode(b, &got); !errors.Is(err, ErrTorn) && !errors.Is(err, ErrDamaged) {
				t.Errorf("record %d with bit %d changed: %v", r.Seq, bit, err)
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
	}
	var got Record
	if _, err := Decode(make([]byte, 4096), &got); !errors.Is(err, ErrDamaged) {
		t.Errorf("a page of zeros, as a file system may leave behind: %v", err)
	}
}

// frameOf gives a body its length and sum, so that damage inside is not caught by them.
func frameOf(body []byte) []byte {
	b := append(make([]byte, frame), body...)
	binary.LittleEndian.PutUint32(b, uint32(len(body)))
	binary.LittleEndian.PutUint32(b[4:], sum(b))
	return b
}

func TestMalformedBodies(t *testing.T) {
	seed, took, resolved, done := byte(frontier.Seed), byte(frontier.Took), byte(frontier.Resolved), byte(frontier.Done)
	for name, body := range map[string][]byte{
		"nothing":               {},
		"no kind":               {0, 0},
		"unknown kind":          {0, 0, byte(frontier.Session) + 1},
		"bytes left over":       {0, 0, byte(frontier.Session), 0},
		"number of 11 bytes":    {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, byte(frontier.Session)},
		"number too long":       {0x80, 0, 0, byte(frontier.Session)},
		"unknown work":          {0, 0, took, 3, 0, 0},
		"site beyond all":       {0, 0, took, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0},
		"a list of 100 in none": {0, 0, seed, 100},
		"a negative site":       {0, 0, seed, 1, 0, 1},
		"unknown class":         {0, 0, resolved, 1, byte(lastClass) + 1, 0, 0, 0, 0, 0},
		"unknown flag":          {0, 0, resolved, 1, 0, 8, 0, 0, 0, 0},
		"keep of resolved":      {0, 0, resolved, 1, 0, flagKeep, 0, 0, 0, 0},
		"retry of 0":            {0, 0, done, 1, 0, flagRetry, 0, 0, 0, 0, 0, 0},
	} {
		var r Record
		if _, err := Decode(frameOf(body), &r); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecode: no input makes Decode panic or allocate beyond what it holds, and what
// it accepts is the only encoding of what it returns.
func FuzzDecode(f *testing.F) {
	for _, r := range samples() {
		b := Encode(nil, &r)
		f.Add(b, false)
		f.Add(b[frame:], true)
	}
	f.Fuzz(func(t *testing.T, b []byte, sealed bool) {
		if sealed {
			b = frameOf(b)
		}
		var r Record
		n, err := Decode(b, &r)
		if got := cap(r.Event.New) + cap(r.Event.Links); got > 2*len(b)+64 {
			t.Fatalf("room for %d ids from %d bytes", got, len(b))
		}
		if err != nil {
			if !errors.Is(err, ErrTorn) && !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if again := Encode(nil, &r); string(again) != string(b[:n]) {
			t.Fatalf("%x was read as %+v, which is %x", b[:n], r, again)
		}
	})
}
