package journal

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// samples has every kind of event with every field that it names, small and extreme.
func samples() []Record {
	const most = graph.NoPage - 1
	far := time.Duration(math.MaxInt64)
	return []Record{
		{Event: event.Event{Kind: event.Seed}},
		{Seq: 1, Now: 5, First: 3, Event: event.Event{Kind: event.Seed, New: []graph.Site{0, 0, 1, 7, 2}}},
		{Seq: math.MaxUint64, Now: far, First: most, Event: event.Event{Kind: event.Seed, New: []graph.Site{graph.Site(most), 0}}},
		{Seq: 2, Event: event.Event{Kind: event.Took, Task: event.Task{Kind: event.Resolve, Site: 4, Board: 255}}},
		{Seq: 3, Event: event.Event{Kind: event.Took, Task: event.Task{Kind: event.Robots, Site: graph.Site(most), For: graph.Site(most)}}},
		{Seq: 3, Event: event.Event{Kind: event.Took, Task: event.Task{Kind: event.Robots, Site: 2, For: graph.Site(most)}}},
		{Seq: 3, Event: event.Event{Kind: event.Took, Task: event.Task{Kind: event.Sitemap, Site: 2}}},
		{Seq: 4, Event: event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Site: 1, Page: most, Board: 1}}},
		{Seq: 5, Event: event.Event{Kind: event.Refused, Task: event.Task{Page: 9}}},
		{Seq: 6, Now: 77, Event: event.Event{Kind: event.Polled}},
		{Seq: 7, Now: far, Event: event.Event{Kind: event.Session}},
		{Seq: 8, Now: 9, Event: event.Event{Kind: event.Resolved, Task: event.Task{Site: 3}, Address: uint32(most), Start: 4, End: 8}},
		{Seq: 9, Now: 9, Event: event.Event{Kind: event.Resolved, Task: event.Task{Site: 3}, Class: event.DNSError, Again: true, Due: far}},
		{Seq: 9, Now: 9, Event: event.Event{Kind: event.Resolved, Task: event.Task{Site: 3}, Expiry: far}},
		{Seq: 10, Now: -9, Event: event.Event{Kind: event.Ruled, Task: event.Task{Site: 3, For: 3}, Delay: far, Expiry: 1, Retry: 8, Bytes: math.MaxInt64}},
		{Seq: 10, Event: event.Event{Kind: event.Ruled, Task: event.Task{Site: 3, For: 0}, Hop: true, To: graph.Site(most)}},
		{Seq: 10, Event: event.Event{Kind: event.Ruled, Task: event.Task{Site: 3, For: 3}, Hop: true, Files: math.MaxUint32}},
		{Seq: 11, Now: far, Event: event.Event{Kind: event.Done, Task: event.Task{Page: 1}, Start: -far, End: -far - 1, Bytes: math.MinInt64, Class: lastClass, Retry: -1}},
		{Seq: 12, Now: 100, First: 6, Event: event.Event{Kind: event.Done, Task: event.Task{Page: 4}, Start: 20, End: 90, Bytes: 1e4, Keep: true,
			New: []graph.Site{2, 9}, Links: []graph.Page{6, 0, most, 7}}},
		{Seq: 12, Event: event.Event{Kind: event.Done, Task: event.Task{Page: 4}, Due: far, Admit: []graph.Page{3, most, 0}}},
		{Seq: 12, First: 6, Event: event.Event{Kind: event.Done, Task: event.Task{Page: 4}, New: []graph.Site{2, 9, 9, 9}, Admit: []graph.Page{3},
			Bars: []event.Bar{event.BarScope, event.NoBar, event.NoBar, event.MaxBar}}},
		{Seq: 12, Event: event.Event{Kind: event.Done, Task: event.Task{Page: 4}, Links: []graph.Page{0}, Anchors: []event.Anchor{{Region: event.Content}}}},
		{Seq: 12, First: 6, Event: event.Event{Kind: event.Done, Task: event.Task{Page: 4}, New: []graph.Site{2}, Bars: []event.Bar{event.BarScope}, Admit: []graph.Page{3},
			Links: []graph.Page{6, 1, 9, 8, 7}, Anchors: []event.Anchor{{Words: event.Words{1, 2, 3, 4}, Region: event.Navigation}, {Region: event.Navigation},
				{}, {Words: event.Words{math.MaxUint16}}, {Words: event.Words{9, 8, 7}, Region: event.Footer}}}},
		{Seq: 12, Event: event.Event{Kind: event.Done, Read: event.Reading{Words: 1}}},
		{Seq: 12, Event: event.Event{Kind: event.Done, Links: []graph.Page{6, 1, 9, 8, 7}, Read: event.Reading{Words: math.MaxUint32, Norm: 2.5,
			Matches: []event.Match{{Term: 0, Body: 1}, {Term: 7, Title: math.MaxUint16}, {Term: 63, Title: 1, Body: math.MaxUint16}},
			Hits:    []event.Hit{{Link: 0, Anchor: 1}, {Link: 1, Around: 1 << 63}, {Link: 4, Anchor: math.MaxUint64, Around: 5}}}}},
		{Seq: 12, First: 6, Event: event.Event{Kind: event.Listed, Task: event.Task{Site: 4}, New: []graph.Site{2}, Bars: []event.Bar{event.BarDenied},
			Files: 2, Retry: 1, Class: event.ServerError, Start: 1, End: 2, Bytes: 3}},
		{Seq: 12, Event: event.Event{Kind: event.Listed}},
		{Seq: 12, Event: event.Event{Kind: event.Admitted}},
		{Seq: 12, Event: event.Event{Kind: event.Revisit, Admit: []graph.Page{3}}},
		{Seq: 12, Event: event.Event{Kind: event.Refused, Task: event.Task{Page: 3}, Bar: event.MaxBar}},
		{Seq: 12, Event: event.Event{Kind: event.Admitted, Admit: []graph.Page{most, 1}}},
		{Seq: 12, First: 1, Event: event.Event{Kind: event.Seed, New: []graph.Site{1}, Bars: []event.Bar{event.BarRobots}, Admit: []graph.Page{1}}},
		{Seq: 12, Event: event.Event{Kind: event.Withdrawn, Task: event.Task{Site: graph.Site(most)}, Hop: true}},
		{Seq: 12, Event: event.Event{Kind: event.Withdrawn, Task: event.Task{Site: 1}, Files: math.MaxUint32}},
		{Seq: 13, First: 3, Event: event.Event{Kind: event.Named, Task: event.Task{Site: 2}, New: []graph.Site{2}, Files: 1}},
		{Seq: 12, Event: event.Event{Kind: event.Denied}},
		{Seq: 12, Event: event.Event{Kind: event.Scored}},
		{Seq: 12, Event: event.Event{Kind: event.Dropped, Admit: []graph.Page{most, 1}}},
		{Seq: 12, Event: event.Event{Kind: event.Moved, Admit: []graph.Page{4}}},
		{Seq: 12, Event: event.Event{Kind: event.Sent, Exchange: event.Exchange{Part: 3, Message: 1}}},
		{Seq: 12, Event: event.Event{Kind: event.Sent, Exchange: event.Exchange{Part: math.MaxUint16, Message: math.MaxUint64, Acked: math.MaxUint64 - 1, Most: math.MaxUint32}}},
		{Seq: 12, Event: event.Event{Kind: event.Linked, Exchange: event.Exchange{Message: 7}}},
		{Seq: 12, First: 6, Event: event.Event{Kind: event.Linked, New: []graph.Site{2, 2}, Bars: []event.Bar{event.NoBar, event.BarDepth}, Admit: []graph.Page{4}, Links: []graph.Page{6, most, 7},
			Exchange: event.Exchange{Part: 9, Message: 2, Gifts: []event.Gift{{Links: math.MaxUint32, Near: true}, {Depth: math.MaxUint16}, {Links: 1, Depth: 2}},
				Amounts: []float64{0, .5, 1. / 3, math.MaxFloat64, -1, math.SmallestNonzeroFloat64}, Lessons: []float32{0, 1.5, -math.MaxFloat32}}}},
		{Seq: 13, Now: 100, Event: event.Event{Kind: event.Done, Task: event.Task{Page: most}, Again: true, Due: -5, Links: []graph.Page{0}}},
	}
}

func TestRoundTrip(t *testing.T) {
	var all []byte
	list := append(samples(), factSamples()...)
	for _, r := range list {
		all = Encode(all, &r)
	}
	var got Record // one for all: nothing of a record may show in the next
	for i, want := range list {
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
	x, y := plain(a), plain(b)
	return reflect.DeepEqual(x, y)
}

// plain is the record without the difference between empty lists and none.
func plain(r *Record) Record {
	c := *r
	c.At = 0 // it depends on the files that are left: see TestFinder
	c.Facts.Names = Names{}
	for i := range r.Facts.Names.Len() {
		c.Facts.Names.Add(r.Facts.Names.Site(i), r.Facts.Names.Rest(i))
	}
	c.Facts.Names.b = slices.Clip(append([]byte(nil), c.Facts.Names.b...))
	e, f := &c.Event, &c.Facts
	e.New, e.Bars, e.Admit, e.Links, e.Anchors = orNil(e.New), orNil(e.Bars), orNil(e.Admit), orNil(e.Links), orNil(e.Anchors)
	e.Needs, e.Gifts, e.Amounts, e.Lessons = orNil(e.Needs), orNil(e.Gifts), orNil(e.Amounts), orNil(e.Lessons)
	e.Read.Matches, e.Read.Hits = orNil(e.Read.Matches), orNil(e.Read.Hits)
	f.Payload, f.Rules, f.Files, f.Addrs, f.Deny = orNil(f.Payload), orNil(f.Rules), orNil(f.Files), orNil(f.Addrs), orNil(f.Deny)
	f.Prior, f.Score = orNil(f.Prior), orNil(f.Score)
	return c
}

func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// Fields that the kind does not name are not written: the simulator fills in some.
func TestOnlyNamedFields(t *testing.T) {
	full := event.Event{Task: event.Task{Kind: event.Fetch, Site: 1, For: 14, Page: 2, Board: 3}, Bar: event.BarDenied, New: []graph.Site{4}, Bars: []event.Bar{1},
		Admit: []graph.Page{9}, Links: []graph.Page{5}, Anchors: []event.Anchor{{Region: event.Content}}, Read: event.Reading{Words: 17}, Class: event.Timeout, Again: true, Due: 6, Start: 7, End: 8, Bytes: 9,
		Keep: true, Hop: true, To: 15, Files: 16, Address: 10, Delay: 11, Expiry: 12, Retry: 13, Needs: []graph.Site{18}, First: 19, Later: true, Fresh: true,
		Exchange: event.Exchange{Part: 20, Message: 21, Acked: 22, Most: 23, Pages: -24, Limit: 25, Gifts: []event.Gift{{Links: 24, Depth: 25, Near: true}}, Amounts: []float64{26}, Lessons: []float32{27}}}
	named := map[event.Kind]event.Event{
		event.Seed:     {New: full.New, Bars: full.Bars, Admit: full.Admit},
		event.Took:     {Task: event.Task{Kind: event.Fetch, Site: 1, Page: 2, Board: 3}},
		event.Refused:  {Task: event.Task{Page: 2}, Bar: event.BarDenied},
		event.Polled:   {},
		event.Resolved: {Task: event.Task{Site: 1}, Class: full.Class, Again: true, Due: 6, Start: 7, End: 8, Bytes: 9, Address: 10, Expiry: 12},
		event.Ruled: {Task: event.Task{Site: 1, For: 14}, Class: full.Class, Again: true, Due: 6, Start: 7, End: 8, Bytes: 9,
			Hop: true, To: 15, Files: 16, Delay: 11, Expiry: 12, Retry: 13},
		event.Done: {Task: event.Task{Page: 2}, New: full.New, Bars: full.Bars, Admit: full.Admit, Links: full.Links, Anchors: full.Anchors, Read: full.Read, Class: full.Class,
			Again: true, Due: 6, Start: 7, End: 8, Bytes: 9, Keep: true, Retry: 13},
		event.Session: {},
		event.Listed: {Task: event.Task{Site: 1}, New: full.New, Bars: full.Bars, Admit: full.Admit, Class: full.Class, Again: true, Due: 6, Start: 7, End: 8,
			Bytes: 9, Files: 16, Retry: 13},
		event.Admitted: {Admit: full.Admit},
		event.Revisit:  {Admit: full.Admit},
		event.Retried:  {Admit: full.Admit},
		event.Probed:   {Task: event.Task{Site: 1}},

		event.Withdrawn: {Task: event.Task{Site: 1}, Hop: true, Files: 16},
		event.Denied:    {},
		event.Scored:    {},
		event.Dropped:   {Admit: full.Admit},
		event.Moved:     {Admit: full.Admit},
		event.Judged:    {Task: event.Task{Page: 2}, Links: full.Links, Read: full.Read},
		event.Named:     {Task: event.Task{Site: 1}, New: full.New, Bars: full.Bars, Admit: full.Admit, Files: 16},
		event.Needed:    {Task: event.Task{Page: 2}, Needs: full.Needs, First: 19, Bars: full.Bars},
		event.Brought:   {Task: event.Task{Site: 1, Page: 2}, Class: full.Class, Again: true, Due: 6, Start: 7, End: 8, Bytes: 9, Retry: 13},
		event.Unneeded:  {Task: event.Task{Site: 1}, Files: 16, Bar: event.BarDenied},
		event.Rendered:  {Task: event.Task{Page: 2}, New: full.New, Bars: full.Bars, Admit: full.Admit, Links: full.Links, Anchors: full.Anchors, Read: full.Read, Class: full.Class, Again: true, Fresh: true},
		event.Sent:      {Exchange: event.Exchange{Part: 20, Message: 21, Acked: 22, Most: 23}},
		event.Asked:     {Needs: []graph.Site{18, 3}, Bar: full.Bar},
		event.Wanted:    {Again: true, Exchange: event.Exchange{Pages: -24, Limit: 25}},
		event.Granted:   {Exchange: event.Exchange{Part: 20, Pages: -24}},
		event.Linked: {New: full.New, Bars: full.Bars, Admit: full.Admit, Links: full.Links,
			Exchange: event.Exchange{Part: 20, Message: 21, Gifts: full.Gifts, Amounts: full.Amounts, Lessons: full.Lessons}},
	}
	if len(named) != int(lastKind)+1 {
		t.Fatalf("%d kinds of %d", len(named), lastKind+1)
	}
	for kind, want := range named {
		e := full
		if e.Kind, want.Kind = kind, kind; kind == event.Asked {
			e.Needs = want.Needs
		}
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
		func() { _ = (lastKind + 1).String() },
	} {
		if !panics(end) {
			t.Error("there is one more: it must be written, and a version added to the history")
		}
	}
	if !panics(func() { Encode(nil, &Record{Event: event.Event{Kind: lastKind + 1}}) }) {
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
	binary.LittleEndian.PutUint32(b[4:], sum(0, b))
	return b
}

func TestMalformedBodies(t *testing.T) {
	seed, took, resolved, ruled := byte(event.Seed), byte(event.Took), byte(event.Resolved), byte(event.Ruled)
	done, session, admitted := byte(event.Done), byte(event.Session), byte(event.Admitted)
	for name, body := range map[string][]byte{
		"nothing":                  {},
		"no number":                {session},
		"unknown kind":             {byte(lastKind) + 1, 0, 0},
		"bytes left over":          {session, 0, 0, 0},
		"number of 11 bytes":       {session, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0},
		"number too long":          {session, 0x80, 0, 0},
		"unknown work":             {took, 0, 0, 4, 0, 0},
		"for of a page":            {took, 0, 0, workFor | byte(event.Fetch), 0, 0, 0, 1},
		"for of itself":            {took, 0, 0, workFor | byte(event.Robots), 1, 0, 1},
		"site beyond all":          {took, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0},
		"a list of 100 in none":    {seed, 0, 0, 100},
		"a negative site":          {seed, 0, 0, 1, 0, 1},
		"unknown class":            {resolved, 0, 0, 1, byte(lastClass) + 1, 0, 0, 0, 0, 0},
		"a flag of others":         {resolved, 0, 0, 1, 0, flagHop, 0, 0, 0, 0},
		"keep of resolved":         {resolved, 0, 0, 1, 0, flagKeep, 0, 0, 0, 0},
		"retry of 0":               {done, 0, 0, 1, 0, flagRetry, 0, 0, 0, 0, 0, 0},
		"due twice":                {done, 0, 0, 1, 0, flagAgain | flagDue, 0, 0, 0, 2, 0, 0},
		"no files":                 {ruled, 0, 0, 1, 0, flagFiles, 0, 0, 0, 0, 0, 0},
		"too many files":           {byte(event.Withdrawn), 0, 0, 1, 0x80, 0x80, 0x80, 0x80, 0x20},
		"no more":                  {hasMore | admitted, 0, 0, 0},
		"more of session":          {hasMore | session, 0, 0, moreAdmit, 1, 2},
		"unknown more":             {hasMore | admitted, 0, 0, moreAdmit | 16, 1, 2},
		"admits nobody":            {hasMore | admitted, 0, 0, moreAdmit, 0},
		"bars of nobody":           {hasMore | seed, 0, 0, 0, moreBars},
		"no bars":                  {hasMore | seed, 0, 0, 1, 0, 0, moreBars, 0, 1},
		"a bar too many":           {hasMore | seed, 0, 0, 1, 0, 0, moreBars, 1, 2},
		"a bar too few":            {hasMore | seed, 0, 0, 2, 0, 0, 0, moreBars, 1, 1},
		"runs of the same bar":     {hasMore | seed, 0, 0, 2, 0, 0, 0, moreBars, 1, 1, 1, 1},
		"a run of none":            {hasMore | seed, 0, 0, 1, 0, 0, moreBars, 0, 0, 1, 1},
		"unknown bar":              {hasMore | seed, 0, 0, 1, 0, 0, moreBars, 32, 1},
		"anchors of nobody":        anchored(0),
		"anchors of a seed":        {hasMore | seed, 0, 0, 0, moreAnchors},
		"no anchors":               anchored(1, 4, 0),
		"a run of no anchors":      anchored(1, 3, 7, 0),
		"an anchor too many":       anchored(1, 11, 0),
		"an anchor too few":        anchored(2, 7, 0),
		"runs of the same region":  anchored(2, 7, 7, 0),
		"no counts":                anchored(1, 7),
		"counts of nobody":         anchored(1, 7, 5),
		"counts of more than 4":    anchored(3, 15, 125),
		"words missing":            anchored(1, 7, 2, 1, 0, 2),
		"a word that is 0":         anchored(1, 7, 1, 0, 0),
		"a word twice":             anchored(1, 7, 2, 9, 0, 9, 0),
		"words left over":          anchored(1, 7, 1, 9, 0, 9, 0),
		"a reading of a seed":      {hasMore | seed, 0, 0, 0, moreReading, 2, 0, 0},
		"a reading of no words":    topical(0, 0, 0),
		"a norm of 0":              topical(3, 0, 0, 0, 0, 0, 0),
		"a term that is not there": topical(2, 1, 5, 0, 0),
		"a title without it":       topical(2, 1, 5, 1, 0, 0),
		"terms in no order":        topical(2, 2, 5, 2, 5, 2, 0),
		"a term too often":         topical(2, 1, 5, 0x80, 0x80, 8, 0),
		"a hit without a term":     topical(2, 0, 1, 0, 0, 0),
		"a hit beyond the links":   topical(2, 0, 1, 2, 1, 0),
		"no facts":                 {hasFacts | session, 0, 0, 0},
		"facts of others":          {hasFacts | session, 0, 0, 2, 1},
		"unknown facts":            {hasFacts | done, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x82, 0x80, 0x80, 0x80, 1, 200, 1},
		"status of 0":              {hasFacts | done, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0},
		"status of 17 bits":        {hasFacts | done, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0x80, 0x80, 4},
		"names of nobody":          {hasFacts | seed, 0, 0, 0, 1},
		"a site without a name":    {hasFacts | seed, 0, 0, 1, 0, 0, 1, 1, 0, 1, '/'},
		"shares before the first":  {hasFacts | seed, 0, 0, 1, 0, 0, 1, 2, 1, 'a'},
		"shares more than there":   {hasFacts | seed, 0, 0, 2, 0, 0, 0, 1, 0, 1, '/', 4, 1, 'a'},
		"shares less than it does": {hasFacts | seed, 0, 0, 2, 0, 0, 0, 1, 0, 1, '/', 0, 2, '/', 'a'},
	} {
		var r Record
		if _, err := Decode(frameOf(body), &r); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// topical returns the body of an event Done with two links and bytes for its reading.
func topical(bytes ...byte) []byte {
	body := anchored(2)
	body[len(body)-1] = moreReading
	return append(body, bytes...)
}

// anchored returns the body of an event Done with links 1, 2... and bytes for their anchors.
func anchored(links byte, anchors ...byte) []byte {
	body := []byte{hasMore | byte(event.Done), 0, 0, 0, 0, 0, 0, 0, 0, 0, links}
	for range links {
		body = append(body, 2)
	}
	return append(append(body, moreAnchors), anchors...)
}

// The anchors of a page cost little more than their words.
func TestAnchorBytes(t *testing.T) {
	r := Record{Event: event.Event{Kind: event.Done}}
	for i := range 90 {
		region := event.Content
		if i < 30 {
			region = event.Navigation
		}
		r.Event.Links = append(r.Event.Links, graph.Page(i+1))
		r.Event.Anchors = append(r.Event.Anchors, event.Anchor{Words: event.Words{uint16(i + 1), 500}, Region: region})
	}
	with := len(Encode(nil, &r))
	r.Event.Anchors = nil
	without := len(Encode(nil, &r))
	const mask, runs, counts, words = 1, 1 + 2, 90 / 3, 90 * 2 * 2
	if with-without != mask+runs+counts+words {
		t.Errorf("%d bytes for anchors, want %d", with-without, mask+runs+counts+words)
	}
}

// FuzzDecode: no input makes Decode panic or allocate beyond what it holds, and what
// it accepts is the only encoding of what it returns.
func FuzzDecode(f *testing.F) {
	for _, r := range append(samples(), factSamples()...) {
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
		if got := roomOf(&r); got > maxShared*len(b)+1024 {
			t.Fatalf("room for %d bytes from %d", got, len(b))
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

// roomOf is how many bytes the lists of a record have room for.
func roomOf(r *Record) int {
	e, f := &r.Event, &r.Facts
	n := 4*(cap(e.New)+cap(e.Links)+cap(e.Admit)) + cap(e.Bars) + 10*cap(e.Anchors) + 6*cap(e.Read.Matches) + 24*cap(e.Read.Hits)
	n += cap(f.Names.b) + 8*cap(f.Names.ends) + cap(f.Payload) + cap(f.Rules) + 16*cap(f.Files) + 24*cap(f.Addrs) + cap(f.Deny) + cap(f.Prior) + cap(f.Score)
	n += len(f.Media) + len(f.ETag) + len(f.Modified) + len(f.Title) + len(f.Hop) + len(f.Note)
	for _, file := range f.Files {
		n += len(file)
	}
	return n
}
