package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// bigRules are rules of 10,000 lines, others for each number.
func bigRules(n int) robots.Rules {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range 10_000 {
		fmt.Fprintf(&b, "Disallow: /%d/some/directory/%d/\n", n, i)
	}
	return robots.Parse([]byte(b.String())).For("winnow")
}

// Rules that no site has any more are forgotten, and those that one has are counted.
func TestCaseRulesMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("rules of 10,000 lines, 40 times")
	}
	s := newTestState(t)
	name := []byte("http://a.example")
	s.Site(s.Key.Site(name), name)
	before := s.Memory()
	for day := range 40 { // one site, whose robots.txt changes every day
		s.Robots.set(0, bigRules(day))
	}
	size := int64(bigRules(39).Size())
	if n := len(s.Robots.texts.Save()); n > 3 || texts(s) != 1 {
		t.Errorf("%d rules and %d numbers are kept for one site", texts(s), n)
	} else if grown := s.Memory() - before; grown < size || grown > size+1024 {
		t.Errorf("the state takes %d bytes more, its rules %d", grown, size)
	}
	s.Robots.set(0, robots.Rules{})
	if grown := s.Memory() - before; texts(s) != 0 || grown > 1024 {
		t.Errorf("%d rules and %d bytes of them are left", texts(s), grown)
	}
}

// texts returns the number of rules that a state keeps.
func texts(s *State) (n int) {
	for _, b := range s.Robots.texts.Save() {
		if len(b) > 0 {
			n++
		}
	}
	return n
}

// Of a site that is given up, or that has rules, no trouble is remembered.
func TestCaseTrouble(t *testing.T) {
	s := newTestState(t)
	for i := range 1000 {
		name := fmt.Appendf(nil, "http://s%d.example", i)
		s.Site(s.Key.Site(name), name)
		r := &journal.Record{Event: event.Event{Kind: event.Ruled, Task: event.Task{Site: graph.Site(i), For: graph.Site(i)}, Class: event.ConnectError, Again: true}}
		s.Robots.note(r)
		if r.Event.Again = false; len(s.Robots.failures) != 1 {
			t.Fatalf("%d sites have trouble", len(s.Robots.failures))
		}
		s.Robots.note(r) // the last try: given up
	}
	if len(s.Robots.failures) != 0 {
		t.Errorf("%d entries of trouble for sites that are given up", len(s.Robots.failures))
	}
}

// Of a site whose sitemap files were all read none is remembered, but that there were some:
// they are not read again.
func TestListingsEnd(t *testing.T) {
	s := newTestState(t)
	name := []byte("http://a.example")
	s.Site(s.Key.Site(name), name)
	s.Sitemaps.add(0, []string{"http://a.example/1.xml"})
	next := &journal.Record{Event: event.Event{Kind: event.Listed}, Facts: journal.Facts{Files: []string{"http://a.example/2.xml", "http://a.example/3.xml"}}}
	s.listed(next) // an index
	if n := s.Sitemaps.known[0]; n != 3 || !s.Sitemaps.Named(0) {
		t.Errorf("%d files are known", n)
	}
	for range 2 {
		next.Facts.Files = nil
		s.listed(next)
	}
	if len(s.Sitemaps.known) != 0 || len(s.Sitemaps.Files) != 0 || s.Sitemaps.waiting != 0 || !s.Sitemaps.Named(0) || s.Sitemaps.Named(100) {
		t.Errorf("%d counts, %d lists, %d bytes of names are left; read before: %t", len(s.Sitemaps.known), len(s.Sitemaps.Files), s.Sitemaps.waiting, s.Sitemaps.Named(0))
	}
}
