package recut

import (
	"bytes"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// translate translates a record of a partition.
func (m *member) translate(r *journal.Record) error {
	switch e := &r.Event; e.Kind {
	case event.Sent, event.Wanted, event.Granted: // what they tell is known
	case event.Asked:
		m.askedFor(e.Needs[0]).next++
	case event.Session:
		return m.begun(r)
	case event.Linked:
		m.linked(r)
	case event.Ruled:
		m.ruled(r)
	case event.Denied, event.Scored:
		if m.self == 0 { // all partitions have the same
			m.same(r)
			m.append()
		}
	case event.Admitted, event.Revisit, event.Retried, event.Dropped:
		if m.same(r); len(m.rec.Event.Admit) > 0 {
			m.append()
		}
	case event.Moved:
		m.moved(r)
	case event.Seed:
		m.seeded(r)
	case event.Needed:
		m.needed(r)
	case event.Brought:
		m.parts.last = e.Page
		m.same(r)
		m.append()
	case event.Rendered:
		return fmt.Errorf("record %d of partition %d: an event %v, which crawls with several partitions do not have", r.Seq, m.self, e.Kind)
	case event.Resolved:
		m.same(r)
		if !e.Again && e.Class.Failed() {
			m.closed[m.rec.Event.Site] = true
		}
		m.append()
	default:
		m.same(r)
		m.append()
	}
	return nil
}

// same begins the record that is the same for all partitions together.
func (m *member) same(r *journal.Record) {
	to := m.begin(r.Event.Kind, r.Now+m.translation.later)
	for i := range r.Event.New {
		bar := event.NoBar
		if len(r.Event.Bars) > 0 {
			bar = r.Event.Bars[i]
		}
		m.know(to, r.First+graph.Page(i), bar)
	}
	m.copy(to, r)
	e := &to.Event
	e.Admit = e.Admit[:0]
	for _, p := range r.Event.Admit {
		if q, ok := m.pageOf(p); ok && (!m.state.Frontier.Foreign(p) || r.Event.Kind == event.Seed) {
			e.Admit = append(e.Admit, q) // whether a foreign page is admitted is for its partition to say
		}
	}
	m.number(e, &to.Facts, r)
}

// number gives connections and addresses numbers of the joined crawl, in the order in which they are
// first seen.
func (m *member) number(e *event.Event, f *journal.Facts, r *journal.Record) {
	switch {
	case e.Kind == event.Took:
		if c := r.Facts.Conn; c > 0 {
			if m.conns[c] == 0 {
				m.conn++
				m.conns[c] = m.conn
			}
			f.Conn = m.conns[c]
		}
		f.Address = m.at[e.Site]
	case e.Kind == event.Resolved && e.Address > 0 && len(f.Addrs) > 0:
		a := f.Addrs[0]
		if m.addresses[a] == 0 {
			m.addresses[a] = uint32(len(m.addresses) + 1)
		}
		e.Address = m.addresses[a]
		m.at[e.Site] = e.Address
	}
}

// know adds a page that a partition has come to know to a record, unless it is known. A page of
// another partition is known as that one knows it, and not at all if that was not told yet.
func (m *member) know(to *journal.Record, p graph.Page, bar event.Bar) {
	if _, known := m.pageOf(p); known || int(p) >= len(m.ids) || m.state.Frontier.State(p) == frontier.Lost {
		return
	}
	site, rest, ok := m.state.Read(p)
	if !ok {
		return
	}
	name := m.state.Table.Name(site)
	hash := m.key.Page(m.key.Site(name), rest)
	if at := m.state.Frontier.Partition(site); at != m.self {
		o := m.all[at]
		if q, ok := o.state.Table.LookupPage(hash); ok && int(q) < len(o.bars) {
			bar = o.bars[q]
		} else if bar == event.BarForeign {
			return
		}
	}
	id, fresh := m.table.Site(m.key.Site(name), name)
	if !fresh {
		name = nil
	}
	m.ids[p], _ = m.table.Page(hash)
	m.sites[site] = id
	to.Event.New, to.Event.Bars = append(to.Event.New, id), append(to.Event.Bars, bar)
	to.Facts.Names.Add(name, rest)
}

// pageOf returns the number of a page in the joined crawl.
func (m *member) pageOf(p graph.Page) (graph.Page, bool) {
	if int(p) >= len(m.ids) {
		return graph.NoPage, false
	}
	if m.ids[p] == graph.NoPage && m.state.Frontier.State(p) != frontier.Lost {
		if site, rest, ok := m.state.Read(p); ok {
			if q, known := m.table.LookupPage(m.key.Page(m.key.Site(m.state.Table.Name(site)), rest)); known {
				m.ids[p] = q
			}
		}
	}
	return m.ids[p], m.ids[p] != graph.NoPage
}

// siteOf returns the number of a site in the joined crawl.
func (m *member) siteOf(s graph.Site) graph.Site {
	if int(s) >= len(m.sites) {
		return graph.NoSite - 1 // no site has it: the record will be skipped
	}
	if m.sites[s] == graph.NoSite {
		name := m.state.Table.Name(s)
		id, ok := m.table.LookupSite(m.key.Site(name), name)
		if !ok {
			return graph.NoSite - 1
		}
		m.sites[s] = id
	}
	return m.sites[s]
}

// placeOf returns a place in the archive of the joined crawl: see archives.
func (m *member) placeOf(p journal.Place) journal.Place {
	p.File = p.File*uint32(len(m.all)) + uint32(m.self)
	return p
}

// begun begins a session with the first partition that begins it. A partition that begins another
// one shows that the last has ended.
func (m *member) begun(r *journal.Record) error {
	first := m.session || !m.running
	if m.session = true; !first {
		return nil
	}
	for _, o := range m.all {
		o.session = o == m
		clear(o.conns)
	}
	m.running, m.conn = true, 0
	m.same(r)
	text, err := single(r.Facts.Session.Config)
	if err != nil {
		return fmt.Errorf("record %d: %w", r.Seq, err)
	}
	s := *r.Facts.Session
	s.Config = text
	m.rec.Facts.Session = &s
	m.append()
	return nil
}

// single returns a configuration with one partition.
func single(text []byte) ([]byte, error) {
	c, err := config.Parse("configuration of a session", text)
	if err != nil {
		return nil, err
	}
	c.Partitions, c.SuffixTable = 1, ""
	return c.Marshal()
}

// linked translates what a message has told: pages that are admitted, and any that became known in
// records that are lost.
func (m *member) linked(r *journal.Record) {
	if m.same(r); len(m.rec.Event.New) > 0 {
		e := &m.rec.Event
		e.Kind, e.Links, e.Admit = event.Seed, e.Links[:0], e.Admit[:0]
		m.rec.Facts = journal.Facts{Names: m.rec.Facts.Names, Old: true} // it is no seed
		m.append()
		m.same(r)
	}
	e := &m.rec.Event
	if e.Kind, e.Links = event.Admitted, e.Links[:0]; len(e.Admit) == 0 {
		return
	}
	m.rec.Facts = journal.Facts{Names: m.rec.Facts.Names}
	m.append()
}

// seeded translates seeds. One that another partition was told of before is known.
func (m *member) seeded(r *journal.Record) {
	m.same(r)
	e, fresh := &m.rec.Event, map[graph.Page]bool{}
	for i := range e.New {
		fresh[graph.Page(m.table.Pages()-len(e.New)+i)] = true
	}
	for i := range r.Event.New {
		if q, ok := m.pageOf(r.First + graph.Page(i)); ok && !fresh[q] && !r.Facts.Old {
			e.Admit = append(e.Admit, q)
		}
	}
	if len(e.New)+len(e.Admit)+len(m.rec.Facts.Told) > 0 {
		m.append()
	}
}

// moved translates where answers were copied to.
func (m *member) moved(r *journal.Record) {
	m.same(r)
	if x := r.Facts.Moves; x != nil {
		y := *x
		y.From, y.To.File = m.placeOf(journal.Place{File: x.From}).File, m.placeOf(journal.Place{File: x.To.File}).File
		m.rec.Facts.Moves = &y
	}
	m.append()
}

// ruled translates the end of a request for a robots.txt. If that is of a site of another partition,
// the record of the request has what that one makes of it later.
func (m *member) ruled(r *journal.Record) {
	e := &r.Event
	switch {
	case m.state.IsForeign(e.Site):
		m.told(r)
	case m.state.IsForeign(e.For):
		m.same(r)
		m.answered(r)
		m.append()
	default:
		m.same(r)
		if e.Hop {
			m.move(string(m.state.Table.Name(e.To)))
		}
		m.append()
	}
}

// move lets the robots.txt of the record move to a site.
func (m *member) move(name string) {
	id, fresh := m.table.Site(m.key.Site([]byte(name)), []byte(name))
	if m.rec.Event.To = id; fresh {
		m.rec.Facts.Names.Add([]byte(name), nil)
	}
}

// notTold is how long a robots.txt waits about which its partition was not told yet.
const notTold = time.Hour

// answered adds to a record what the partition makes of it that has asked for it.
func (m *member) answered(r *journal.Record) {
	e, f := &m.rec.Event, &m.rec.Facts
	a := m.askedFor(r.Event.For)
	if a.next < 0 || a.next >= len(a.told) {
		e.Class, e.Again, e.Due, f.Hop, f.Files, f.Rules = event.ServerError, true, e.End+notTold, "", nil, nil
		return
	}
	x := &a.told[a.next]
	x.done = true
	o := m.all[m.state.Frontier.Partition(r.Event.For)]
	e.Class, e.Again, e.Hop, e.Files, e.Delay = x.event.Class, x.event.Again, x.event.Hop, x.event.Files, x.event.Delay
	if e.Due = x.event.Due; e.Due != 0 {
		e.Due += o.translation.later
	}
	if e.Expiry = x.event.Expiry; e.Expiry != 0 {
		e.Expiry += o.translation.later
	}
	f.Hop, f.Files, f.Rules = x.facts.Hop, x.facts.Files, bytes.Clone(x.facts.Rules)
	if e.Hop {
		m.move(x.to)
	}
}

// told translates what became of a robots.txt that another partition requested, or that none
// requests.
func (m *member) told(r *journal.Record) {
	a := m.askedFor(r.Event.For)
	a.used++
	if a.told[a.used-1].done {
		return // with the request
	}
	if m.closed[m.siteOf(r.Event.Site)] {
		return // it was returned when that site was given up
	}
	x := m.begin(event.Withdrawn, r.Now+m.translation.later)
	x.Event.Site, x.Event.Hop = m.siteOf(r.Event.For), true
	m.append()
}
