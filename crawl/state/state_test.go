package state

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// newTestState makes an empty
func newTestState(t *testing.T) *State {
	t.Helper()
	c := config.Default()
	return newStateBy(t, &c)
}

// newStateBy makes an empty state under a configuration.
func newStateBy(t *testing.T, c *config.Config) *State {
	t.Helper()
	set, err := NewSetup(c, layout.Identity{Crawl: [16]byte{1}, Secret: [16]byte{2}}, 1<<26)
	if err != nil {
		t.Fatal(err)
	}
	p := layout.Parts{Urls: disk.NewMemory(), UrlFile: layout.URLFile}
	s, err := Empty(&p, set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// A folded is a state that is made of records which no crawl has written.
type folded struct {
	t   *testing.T
	s   *State
	now time.Duration
	seq uint64
	r   journal.Record
}

// begin starts a record.
func (f *folded) begin(kind event.Kind) *journal.Record {
	f.r = journal.Record{Event: event.Event{Kind: kind}}
	return &f.r
}

// apply ends it.
func (f *folded) apply() {
	f.r.Now, f.r.Seq = f.now, f.seq
	f.s.Apply(&f.r, true)
	if f.seq++; f.s.Err != nil {
		f.t.Fatal(f.s.Err)
	}
}

// work hands out a task of a site and ends it.
func (f *folded) work(kind event.TaskKind, site graph.Site, end event.Kind, fill func(*journal.Record)) {
	e := &f.begin(event.Took).Event
	e.Task.Kind, e.Site, e.For = kind, site, site
	f.apply()
	r := f.begin(end)
	r.Event.Site, r.Event.For, r.Event.Start, r.Event.End = site, site, f.now, f.now
	fill(r)
	f.apply()
	f.s.Frontier.Settle(f.now, site)
}

// The first page with a content is the original of those that repeat it; a page without
// words repeats none. After a restart the originals are known.
func TestDuplicates(t *testing.T) {
	s := newTestState(t)
	one, two := [16]byte{1}, [16]byte{2}
	s.Content.Add(one, 5, 7, false)
	s.Content.Add(one, 6, 8, true)
	s.Content.Add([16]byte{}, 5, 9, false)
	var b bytes.Buffer
	if err := s.Save(&b); err != nil {
		t.Fatal(err)
	}
	again := newTestState(t)
	if err := again.Load(&b); err != nil {
		t.Fatal(err)
	}
	for _, x := range []*State{s, again} {
		if p, targets, ok := x.Content.Original(one); !ok || p != 7 || targets != 5 {
			t.Errorf("the original is page %d with targets %d (%t), want 7 with 5", p, targets, ok)
		}
		if _, _, ok := x.Content.Original(two); ok {
			t.Error("an unknown content has an original")
		}
		if _, _, ok := x.Content.Original([16]byte{}); ok {
			t.Error("a page without words has an original")
		}
	}
}

// After a hole a record may name a site that was lost before one that is new: the ids of
// both stay as they were.
func TestFillSites(t *testing.T) {
	s := newTestState(t)
	r := &journal.Record{Event: event.Event{Kind: event.Seed, New: []graph.Site{0, 1, 2}}}
	r.Facts.Names.Add([]byte("http://a.example"), []byte("/"))
	r.Facts.Names.Add([]byte("http://b.example"), []byte("/"))
	r.Facts.Names.Add([]byte("http://c.example"), []byte("/"))
	if err := s.Replay(r); err != nil {
		t.Fatal(err)
	}
	next := &journal.Record{Seq: 7, First: 9, Event: event.Event{Kind: event.Seed, New: []graph.Site{5, 6, 1}}}
	next.Facts.Names.Add(nil, []byte("/of-a-lost-site"))
	next.Facts.Names.Add([]byte("http://d.example"), []byte("/"))
	next.Facts.Names.Add(nil, []byte("/2"))
	if err := s.Replay(next); err != nil {
		t.Fatal(err)
	}
	if s.Frontier.Sites() != 7 || s.Table.Sites() != 7 || s.Frontier.Pages() != 12 || string(s.Table.Name(6)) != "http://d.example" {
		t.Errorf("%d (%d) sites and %d pages; site 6 is %s", s.Frontier.Sites(), s.Table.Sites(), s.Frontier.Pages(), s.Table.Name(6))
	}
	if got := string(s.AppendURL(nil, 10)); got != "http://d.example/" {
		t.Errorf("page 10 is %s", got)
	}
}

// A site may have a limit of its own where there is none for all.
func TestSiteLimits(t *testing.T) {
	s := newTestState(t)
	for _, name := range []string{"http://a.example", "http://b.example"} {
		s.Site(s.Key.Site([]byte(name)), []byte(name))
		for range 3 {
			s.Limits.admit(graph.Site(s.Table.Sites() - 1))
		}
	}
	own := func(name []byte) int {
		if string(name) == "http://a.example" {
			return 3
		}
		return 0
	}
	for limit, want := range map[int][2]event.Bar{
		0: {event.BarSitePages, event.NoBar},
		3: {event.BarSitePages, event.BarSitePages},
		9: {event.BarSitePages, event.NoBar},
	} {
		s.Limits.Limits = Limits{Site: limit, Sites: own}
		for id, want := range want {
			if got := s.Limits.Judge(graph.Site(id), []byte("/"), 0); got != want {
				t.Errorf("limit %d: a fourth page of site %d gets bar %v, want %v", limit, id, got, want)
			}
		}
	}
}

// A deny list survives the journal with its meaning.
func TestPackDeny(t *testing.T) {
	for _, lines := range [][]string{nil, {"*"}, {"b.example/x", "b.example", "*.a.example/%7euser/", "[::1]", "10.0.0.1/?q=1", "bücher.example"}} {
		list, err := gather.ParseDeny("test", strings.NewReader(strings.Join(lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		b := PackDeny(list)
		rules, err := UnpackDeny(b)
		if err != nil {
			t.Fatal(err)
		}
		if rules.Len() != len(lines) || string(PackDeny(rules)) != string(b) {
			t.Errorf("%q becomes %d rules: %q", lines, rules.Len(), rules.DenyText())
		}
	}
	if _, err := UnpackDeny([]byte("no deflate")); err == nil {
		t.Error("a list that is none was read")
	}
}

// The sites of a registered domain share its limit, whatever their names.
func TestDomainLimit(t *testing.T) {
	s := newTestState(t)
	for _, name := range []string{"http://a.one.example", "http://b.one.example", "http://two.example"} {
		s.Site(s.Key.Site([]byte(name)), []byte(name))
	}
	for _, id := range []graph.Site{0, 0, 1, 2} {
		s.Limits.admit(id)
	}
	for limit, want := range map[int][3]event.Bar{
		0: {event.NoBar, event.NoBar, event.NoBar},
		3: {event.BarDomainPages, event.BarDomainPages, event.NoBar},
		4: {event.NoBar, event.NoBar, event.NoBar},
	} {
		s.Limits.Limits = Limits{Domain: limit}
		for id, want := range want {
			if got := s.Limits.Judge(graph.Site(id), []byte("/"), 0); got != want {
				t.Errorf("limit %d: another page of site %d gets bar %v, want %v", limit, id, got, want)
			}
		}
	}
}
