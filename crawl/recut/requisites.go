package recut

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/requisite"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Requisites have numbers of their own. One on a site of another partition is known twice, with a
// number on each side: to the partition of the page, as foreign, and to that of its site, which was
// asked for it by a note, without a page. In one piece it is known once, when the partition of its
// site knows it.

// joinedParts are the requisites of the joined crawl.
type joinedParts struct {
	pages []graph.Page          // by number: the page that needs it
	asks  map[uint64]graph.Page // by hash of those that another partition was asked for: the same
}

// memberParts are the requisites of a partition that is joined.
type memberParts struct {
	numbers []graph.Page // by number: that in the joined crawl, NoPage: it has none
	last    graph.Page   // the number of the last one that was requested
}

// barOf returns the bar of a requisite or page that a record makes known.
func barOf(e *event.Event, i int) event.Bar {
	if len(e.Bars) == 0 {
		return event.NoBar
	}
	return e.Bars[i]
}

// partOf returns the number of a requisite in the joined crawl.
func (m *member) partOf(n graph.Page) graph.Page {
	if int(n) >= len(m.parts.numbers) {
		return graph.NoPage
	}
	return m.parts.numbers[n]
}

// needed translates requisites that became known. Those of other partitions are left to them.
func (m *member) needed(r *journal.Record) {
	to := m.begin(event.Needed, r.Now+m.translation.later)
	e, page, first := &to.Event, m.needs(r), graph.Page(len(m.joiner.parts.pages))
	for i, id := range r.Event.Needs {
		if int(id) >= m.state.Table.Sites() {
			continue
		}
		name, rest, n := m.state.Table.Name(id), r.Facts.Names.Rest(i), int(r.Event.First)+i
		for len(m.parts.numbers) <= n {
			m.parts.numbers = append(m.parts.numbers, graph.NoPage)
		}
		bar := barOf(&r.Event, i)
		if bar == event.BarForeign {
			if hash := m.key.Page(m.key.Site(name), rest); !m.isAsked(hash) {
				m.joiner.parts.asks[hash] = page
			}
			continue
		}
		m.parts.numbers[n] = graph.Page(len(m.joiner.parts.pages))
		m.joiner.parts.pages = append(m.joiner.parts.pages, page)
		site, fresh := m.table.Site(m.key.Site(name), name)
		if m.sites[id] = site; !fresh {
			name = nil
		}
		e.Needs, e.Bars = append(e.Needs, site), append(e.Bars, bar)
		to.Facts.Names.Add(name, rest)
	}
	m.copy(to, r)
	if e.Page, e.First = page, first; len(e.Needs) == 0 {
		e.First = 0
	}
	if len(e.Needs) > 0 || to.Facts.Dropped > 0 {
		m.append()
	}
}

func (j *joiner) isAsked(hash uint64) bool {
	_, asked := j.parts.asks[hash]
	return asked
}

// needs returns the page of the joined crawl that needs the requisites of a record. If it is one of
// another partition, that has asked for them, or for the one that names them.
func (m *member) needs(r *journal.Record) graph.Page {
	e := &r.Event
	if e.Page != graph.NoPage {
		p, _ := m.pageOf(e.Page)
		return p
	}
	if len(e.Needs) == 1 && int(e.Needs[0]) < m.state.Table.Sites() {
		if p, asked := m.joiner.parts.asks[m.key.Page(m.key.Site(m.state.Table.Name(e.Needs[0])), r.Facts.Names.Rest(0))]; asked {
			return p
		}
	}
	if n := m.partOf(m.parts.last); n != graph.NoPage {
		return m.joiner.parts.pages[n]
	}
	return graph.NoPage
}

// partOf returns the number of a requisite in the partition of its site.
func (s *splitter) partOf(n graph.Page) graph.Page {
	if int(n) >= len(s.numbers) {
		return graph.NoPage
	}
	return s.numbers[n]
}

// needed translates requisites that became known. The partition that has the answer knows all of
// them, and asks those of their sites, which know theirs.
func (s *splitter) needed(r *journal.Record) error {
	c, e := s.answered, &r.Event
	to := c.begin(event.Needed, r.Now)
	first := graph.Page(c.state.Requisites.Len())
	for i := range e.Needs {
		bar := event.BarForeign
		if s.ownerOf(e.Needs[i]) == c.self {
			bar = barOf(e, i)
			s.setNumber(int(e.First)+i, first+graph.Page(i))
		}
		s.addNeed(c, r, i, bar)
	}
	c.copy(to, r)
	to.Event.Page, to.Event.First = graph.NoPage, first
	if e.Page != graph.NoPage && s.owner(e.Page) == c.self {
		to.Event.Page, _ = c.pageOf(e.Page)
	}
	if len(e.Needs) == 0 {
		to.Event.First = 0
	}
	if err := c.write(); err != nil {
		return err
	}
	if err := s.deliver(c, r.Now, true, nil); err != nil {
		return err
	}
	for i := range e.Needs {
		if o := s.cells[s.ownerOf(e.Needs[i])]; o != c {
			if err := s.neededThere(o, r, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// addNeed adds a requisite to the record that a partition has begun.
func (s *splitter) addNeed(c *cell, r *journal.Record, i int, bar event.Bar) {
	name := s.in.Table.Name(r.Event.Needs[i])
	id, fresh := c.learn(name)
	if !fresh {
		name = nil
	}
	to := &c.rec
	to.Event.Needs, to.Event.Bars = append(to.Event.Needs, id), append(to.Event.Bars, bar)
	to.Facts.Names.Add(name, r.Facts.Names.Rest(i))
}

// neededThere lets the partition of its site know a requisite that another one has asked for.
func (s *splitter) neededThere(c *cell, r *journal.Record, i int) error {
	to := c.begin(event.Needed, r.Now)
	s.addNeed(c, r, i, barOf(&r.Event, i))
	to.Event.Page, to.Event.First, to.Facts.Step = graph.NoPage, graph.Page(c.state.Requisites.Len()), r.Facts.Step
	s.setNumber(int(r.Event.First)+i, to.Event.First)
	return c.write()
}

// setNumber notes the number of a requisite in the partition of its site.
func (s *splitter) setNumber(n int, is graph.Page) {
	for len(s.numbers) <= n {
		s.numbers = append(s.numbers, graph.NoPage)
	}
	s.numbers[n] = is
}

// compareParts compares the numbers of requisites with those that there were.
func (s *splitter) compareParts() error {
	var sum requisite.Tally
	for _, c := range s.cells {
		t := &c.state.Requisites.Tally
		sum.Known, sum.Fetched, sum.Failed, sum.Refused = sum.Known+t.Known, sum.Fetched+t.Fetched, sum.Failed+t.Failed, sum.Refused+t.Refused
		sum.Crowded, sum.LeftOut, sum.Bytes = sum.Crowded+t.Crowded, sum.LeftOut+t.LeftOut, sum.Bytes+t.Bytes
	}
	if was := s.in.Requisites.Tally; sum != was {
		return fmt.Errorf("the partitions have requisites %+v, there were %+v", sum, was)
	}
	return nil
}
