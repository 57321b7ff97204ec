package journal

import (
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// names makes Names of pairs: site ("" unless it is new) and rest.
func names(pairs ...string) (n Names) {
	for i := 0; i < len(pairs); i += 2 {
		n.Add([]byte(pairs[i]), []byte(pairs[i+1]))
	}
	return n
}

// fullFacts has every field, of whatever kind.
func fullFacts() Facts {
	return Facts{
		Names: names("https://a.example", "/x/y"), Status: 200, Place: Place{math.MaxUint32, math.MaxInt64, 1},
		Payload: []byte{1, 2, 3}, Digest: [16]byte{15: 1}, SimHash: 1 << 63, Near: math.MaxUint32, Size: math.MinInt64, Shift: -time.Hour,
		Media: "text/html", ETag: `"x"`, Modified: "yesterday", Title: "A page", Tags: 255, Cut: 1, Dropped: math.MaxUint32,
		Rules: []byte("rules"), Hop: "https://b.example/robots.txt", Files: []string{"/sitemap.xml", ""},
		Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("::ffff:192.0.2.1")},
		Note:  "no route", Cause: event.CauseOffline, Plain: []graph.Page{math.MaxUint32 - 1, 3}, Phases: [3]time.Duration{-1, 0, math.MaxInt64},
		Targets: 1, Change: math.MaxUint64, Terms: 1 << 62, Numbers: [8]uint32{1, math.MaxUint32}, Pictures: math.MaxUint32, Trial: true,
		Clock: math.MinInt64, Address: math.MaxUint32, Conn: 1, Early: true, Ours: true,
		Session: &Session{Wall: -1, Version: "v1", Config: []byte("a = 1\n"), Policy: "opic/cash=all", SitePolicy: "x",
			Secret: [16]byte{1}, Crawl: [16]byte{2}},
		Deny: []byte("hosts"), Prior: []byte("values"), Old: true, Doubt: true, Urgent: true,
		Revisit: math.MaxInt64, Origin: Origin{math.MinInt64, math.MaxInt64, true}, Named: true, Lost: math.MinInt64, Score: []byte("depth"), Step: 3, Parts: []graph.Page{4, 2},
		Told: []graph.Page{7, 3, math.MaxUint32 - 1}, Feed: true, Notice: true,
		Hints:   []event.Hint{{Page: 7, Above: 50}, {Page: 8, Above: -100}, {Page: math.MaxUint32 - 1, Above: 1}, {Page: 2, Above: 100}},
		Moves:   &Moves{From: math.MaxUint32, Last: true, To: Position{File: math.MaxUint32, Size: math.MaxInt64}, Spans: []Span{{math.MaxUint32, 1}}},
		Command: "set pages 2000", Render: true, Notes: []byte("notes"), Node: "a", Epoch: math.MaxUint64,
	}
}

// factSamples are records with all facts, with some, and with lists of names of all
// shapes.
func factSamples() []Record {
	full := fullFacts()
	list := []Record{
		{Event: event.Event{Kind: event.Session}, Facts: Facts{Session: &Session{}}},
		{Event: event.Event{Kind: event.Session}, Facts: Facts{Session: full.Session}},
		{Event: event.Event{Kind: event.Session}, Facts: Facts{Session: full.Session, Prior: full.Prior}},
		{Event: event.Event{Kind: event.Seed}, Facts: Facts{Old: true}},
		{Event: event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Page: 3}}, Facts: Facts{Clock: 7, Address: 1, Conn: 9}},
		{Event: event.Event{Kind: event.Resolved}, Facts: Facts{Addrs: full.Addrs}},
		{Event: event.Event{Kind: event.Resolved}, Facts: Facts{Note: full.Note}},
		{Event: event.Event{Kind: event.Ruled, Hop: true, To: 4}, Facts: Facts{Names: names("http://c.example", ""), Hop: full.Hop, Status: 301}},
		{Event: event.Event{Kind: event.Ruled, Files: 2}, Facts: Facts{Rules: full.Rules, Files: full.Files, Status: 200, Place: full.Place}},
		{Event: event.Event{Kind: event.Withdrawn, Task: event.Task{Site: 2}, Files: 2}, Facts: Facts{Files: full.Files}},
		{Event: event.Event{Kind: event.Denied}, Facts: Facts{Deny: full.Deny}},
		{Event: event.Event{Kind: event.Scored}, Facts: Facts{Score: full.Score}},
		{Event: event.Event{Kind: event.Moved, Admit: []graph.Page{7}}, Facts: Facts{Moves: full.Moves}},
		{Event: event.Event{Kind: event.Moved}, Facts: Facts{Moves: &Moves{From: 3}}},
		{Event: event.Event{Kind: event.Listed}, Facts: Facts{Note: "x", Status: 404, Size: 1}},
		{First: 3, Event: event.Event{Kind: event.Seed, New: []graph.Site{0, 0, 1}, Bars: []event.Bar{1, 0, 0}},
			Facts: Facts{Names: names("https://a.example", "", "", "", "https://a.example:81", "/")}},
		{First: 3, Event: event.Event{Kind: event.Done, New: []graph.Site{0, 0, 0, 0, 0}},
			Facts: Facts{Names: names("", strings.Repeat("a", 700), "", strings.Repeat("a", 255), "", strings.Repeat("a", 256), "", "a", "", "\x00\xff")}},
	}
	return list
}

// Of each kind those facts are written that name it, and no others.
func TestOnlyNamedFacts(t *testing.T) {
	full := fullFacts()
	answer := Facts{Status: full.Status, Place: full.Place, Size: full.Size, Note: full.Note, Cause: full.Cause, Phases: full.Phases, Ours: true, Shift: full.Shift, Dropped: full.Dropped}
	ruled, listed, done, brought := answer, answer, answer, answer
	brought.Payload, brought.Media = full.Payload, full.Media
	ruled.Names, ruled.Rules, ruled.Hop, ruled.Files = full.Names, full.Rules, full.Hop, full.Files
	listed.Names, listed.Files = full.Names, full.Files
	done.Names, done.Payload, done.Digest, done.SimHash = full.Names, full.Payload, full.Digest, full.SimHash
	listed.Told, listed.Feed, listed.Hints = full.Told, true, full.Hints
	done.Media, done.ETag, done.Modified, done.Title = full.Media, full.ETag, full.Modified, full.Title
	done.Tags, done.Cut, done.Near, done.Plain, done.Doubt = full.Tags, full.Cut, full.Near, full.Plain, true
	done.Render = true
	done.Revisit, done.Origin = full.Revisit, full.Origin
	done.Targets, done.Change, done.Terms, done.Numbers, done.Pictures = full.Targets, full.Change, full.Terms, full.Numbers, full.Pictures
	rendered := Facts{Names: full.Names, Digest: full.Digest, SimHash: full.SimHash, Title: full.Title, Tags: full.Tags, Cut: full.Cut, Near: full.Near, Plain: full.Plain, Doubt: true,
		Targets: full.Targets, Change: full.Change, Terms: full.Terms, Numbers: full.Numbers, Pictures: full.Pictures, Dropped: full.Dropped, Note: full.Note, Size: full.Size, Step: full.Step, Parts: full.Parts}
	for kind, want := range map[event.Kind]Facts{
		event.Rendered: rendered,
		event.Seed:     {Names: full.Names, Old: true, Told: full.Told, Notice: true},
		event.Took:     {Clock: full.Clock, Address: full.Address, Conn: full.Conn, Early: true},
		event.Refused:  {Early: true},
		event.Polled:   {Early: true},
		event.Resolved: {Addrs: full.Addrs, Note: full.Note, Cause: full.Cause, Ours: true},
		event.Ruled:    ruled,
		event.Done:     done,
		event.Session:  {Session: full.Session, Deny: full.Deny, Prior: full.Prior, Named: true, Lost: full.Lost, Score: full.Score, Command: full.Command, Node: full.Node, Epoch: full.Epoch},
		event.Listed:   listed,
		event.Admitted: {Trial: true},
		event.Revisit:  {Urgent: true},
		event.Retried:  {},
		event.Probed:   {},

		event.Withdrawn: {Files: full.Files},
		event.Denied:    {Deny: full.Deny},
		event.Named:     {Names: full.Names, Files: full.Files, Feed: true},
		event.Scored:    {Score: full.Score},
		event.Dropped:   {},
		event.Moved:     {Moves: full.Moves},
		event.Needed:    {Names: full.Names, Step: full.Step, Dropped: full.Dropped},
		event.Brought:   brought,
		event.Unneeded:  {Parts: full.Parts},
		event.Asked:     {Names: names("https://a.example", "/x/y", "", ""), Hop: full.Hop, Step: full.Step},
		event.Linked:    {Names: full.Names, Notes: full.Notes},
	} {
		r := Record{Event: event.Event{Kind: kind}, Facts: full}
		if kinds(kind)&makesKnown != 0 {
			r.Event.New = []graph.Site{0}
		}
		if kind == event.Needed {
			r.Event.Needs = []graph.Site{0}
		}
		if kind == event.Asked {
			r.Event.Needs, r.Facts.Names = []graph.Site{0, 1}, want.Names
		}
		if kind == event.Moved {
			r.Event.Admit = []graph.Page{7}
		}
		var got Record
		if _, err := Decode(Encode(nil, &r), &got); err != nil {
			t.Fatalf("%v: %v", kind, err)
		}
		if !same(&got, &Record{Event: r.Event, Facts: want}) {
			t.Errorf("%v: %+v, want %+v", kind, got.Facts, want)
		}
	}
}

// Every field of Facts has its line in the table: a new one cannot be forgotten.
func TestEveryFactIsWritten(t *testing.T) {
	full := reflect.ValueOf(fullFacts())
	for i := range full.NumField() {
		var one Facts
		reflect.ValueOf(&one).Elem().Field(i).Set(full.Field(i))
		n := 0
		for _, f := range fields {
			if f.has(&one) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s has %d lines", full.Type().Field(i).Name, n)
		}
	}
}

// A record of a simulation is no larger for what others may have: a page with no links
// takes its frame, kind, number, now, page, class, flags, end, start, bytes, and two empty
// lists.
func TestSmallWithoutFacts(t *testing.T) {
	r := Record{Seq: 1, Now: 1, Event: event.Event{Kind: event.Done, Task: event.Task{Page: 1}}}
	if n := len(Encode(nil, &r)); n != frame+11 {
		t.Errorf("%d bytes, want %d", n, frame+11)
	}
}

// What the owner must not do fails at once, and not when the journal is read.
func TestEncodeRefuses(t *testing.T) {
	page := event.Event{Kind: event.Done, New: []graph.Site{1, 2}}
	barred := page
	barred.Bars = []event.Bar{1}
	for name, r := range map[string]Record{
		"one name of two":   {Event: page, Facts: Facts{Names: names("", "/")}},
		"one bar of two":    {Event: barred},
		"two sites of a To": {Event: event.Event{Kind: event.Ruled}, Facts: Facts{Names: names("a", "", "b", "")}},
		"no address":        {Event: event.Event{Kind: event.Resolved}, Facts: Facts{Addrs: make([]netip.Addr, 1)}},
	} {
		if !panics(func() { Encode(nil, &r) }) {
			t.Errorf("%s was written", name)
		}
	}
}

func TestNames(t *testing.T) {
	n := names("https://a", "/1", "", "/2", "", "", "http://b", "/")
	for range 2 {
		var got []string
		for i := range n.Len() {
			got = append(got, string(n.Site(i)), string(n.Rest(i)))
		}
		if want := []string{"https://a", "/1", "", "/2", "", "", "http://b", "/"}; !reflect.DeepEqual(got, want) {
			t.Errorf("%q", got)
		}
		if n.Site(1) != nil {
			t.Error("a known site has a name")
		}
		n.Reset()
		if n.Len() != 0 {
			t.Error("names after Reset")
		}
		n = names("https://a", "/1", "", "/2", "", "", "http://b", "/")
	}
}
