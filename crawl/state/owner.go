package state

import (
	"bytes"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange"
	"github.com/winnow-crawler/winnow/exchange/suffix"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Owner returns the function that tells the partition of the site with a name, nil if the crawl
// has one partition.
func Owner(c *config.Config) (func(site []byte) int, error) {
	if c.Partitions <= 1 {
		return nil, nil
	}
	if !suffix.Known(c.SuffixTable) {
		_, err := suffix.Open(c.SuffixTable)
		return nil, err
	}
	var table *suffix.Table // opened when it is first needed: reading a crawl rarely needs it
	version, n := c.SuffixTable, c.Partitions
	return func(site []byte) int {
		if table == nil {
			table, _ = suffix.Open(version) // it is known
		}
		return table.Partition(string(page.Host(site)), n)
	}, nil
}

// A Letter is a message to another partition that this one has made.
type Letter struct {
	Part   int
	Number uint64
	Bytes  []byte
}

// Self returns the number of the partition, and how many there are: 0 for a crawl that is not
// divided.
func (s *State) Self() (self, of int) { return s.Setup.Frontier.Self, s.Setup.Frontier.Partitions }

// IsForeign reports whether a site is one of another partition.
func (s *State) IsForeign(id graph.Site) bool {
	self, of := s.Self()
	switch {
	case of == 0:
		return false
	case int(id) < s.Frontier.Sites():
		return s.Frontier.Partition(id) != self
	}
	return s.Setup.Owner(s.Table.Name(id)) != self // new by this very record
}

// sent keeps the message that a record has made, until a later record says that its receiver has
// applied it.
func (s *State) sent(e *event.Event) {
	self, _ := s.Self()
	list, amounts := s.Frontier.Drained()
	width := s.Frontier.Amounts()
	m := exchange.Message{From: uint16(self), To: e.Part, Number: e.Message, Width: width, Lessons: s.Frontier.Lessons(), Notes: s.Mail.take(int(e.Part))}
	m.Entries = make([]exchange.Entry, 0, len(list))
	var urls []byte
	for i := range list {
		d := &list[i]
		site, rest, _ := s.Read(d.Page)
		x := exchange.Entry{
			Hash: s.Key.Page(s.Key.Site(s.Table.Name(site)), rest), Links: d.Links, Depth: d.Depth, Near: d.Near,
			Amounts: amounts[i*width:][:width],
		}
		if d.First {
			n := len(urls)
			urls = append(append(urls, s.Table.Name(site)...), rest...)
			x.URL = urls[n:]
		}
		if x.Depth == 0 && !s.IsSeed(d.Page) {
			x.Depth = 1 // the receiver takes pages without depth for seeds
		}
		m.Entries = append(m.Entries, x)
	}
	kept := s.Letters[:0]
	for _, l := range s.Letters {
		if l.Part != int(e.Part) || l.Number > e.Acked {
			kept = append(kept, l)
		}
	}
	clear(s.Letters[len(kept):])
	s.Letters = append(kept, Letter{int(e.Part), e.Message, m.Append(nil)})
}

// Link adds what a message of another partition tells to a record.
func (s *State) Link(r *journal.Record, m *exchange.Message) {
	e := &r.Event
	e.Part, e.Message, e.Lessons = m.From, m.Number, append(e.Lessons, m.Lessons...)
	r.Facts.Notes = exchange.AppendNotes(r.Facts.Notes, m.Notes)
	for i := range m.Entries {
		x := &m.Entries[i]
		t := target{}
		t.Hash = x.Hash
		d := discovery{State: s, r: r, from: graph.NoPage, depth: int(x.Depth), seeds: x.Depth == 0, told: true}
		if len(x.URL) > 0 {
			t.name, t.rest = page.Site(x.URL)
			t.SiteHash = s.Key.Site(t.name)
		} else if p, known := s.Table.LookupPage(x.Hash); !known {
			continue // the record that made it known is lost
		} else if int(p) < s.Frontier.Pages() && s.Frontier.State(p) == frontier.RefusedPage {
			_, rest, _ := s.Read(p)
			t.rest = bytes.Clone(rest) // what judges it again looks at its URL
		}
		p, ok := d.number(&t)
		if !ok || m.Width != s.Frontier.Amounts() {
			continue // there is no room for it
		}
		e.Links = append(e.Links, p)
		e.Gifts = append(e.Gifts, event.Gift{Links: x.Links, Depth: x.Depth, Near: x.Near})
		e.Amounts = append(e.Amounts, x.Amounts...)
	}
}

// linked applies what a message has told: seeds have no depth, and links count.
func (s *State) linked(r *journal.Record) {
	e, in := &r.Event, s.in.Slice()
	for i, p := range e.Links {
		g := &e.Gifts[i]
		if g.Depth == 0 {
			s.set(p, seeded)
		}
		switch {
		case g.Links == 0 || g.Near: // nobody vouches for it
		case g.Links > 1 || s.has(p, vouched):
			s.set(p, vouched|read)
		default:
			s.set(p, vouched)
		}
		n := min(g.Links, linksIn-in[p]&linksIn)
		if in[p] += n; s.WasFetched(p) {
			s.Gathered += int64(n)
		}
	}
	s.hear(int(e.Part), r.Facts.Notes)
}
