package recut

import (
	"cmp"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// hash returns the hash of the URL of a page. It is the same in all partitions.
func (s *splitter) hash(p graph.Page) uint64 {
	if s.hashes[p] == 0 {
		if site, rest, ok := s.in.Read(p); ok {
			s.hashes[p] = s.in.Key.Page(s.in.Key.Site(s.in.Table.Name(site)), rest)
		}
	}
	return s.hashes[p]
}

// owner returns the partition of a page.
func (s *splitter) owner(p graph.Page) int {
	if s.owners[p] < 0 {
		s.owners[p] = int16(s.ownerOf(s.in.Frontier.Site(p)))
	}
	return int(s.owners[p])
}

// ownerOf returns the partition of a site.
func (s *splitter) ownerOf(site graph.Site) int { return s.of(s.in.Table.Name(site)) }

// record translates a record.
func (s *splitter) record(r *journal.Record) error {
	e := &r.Event
	s.note(r)
	switch e.Kind {
	case event.Polled: // each partition has batches of its own
		return nil
	case event.Session, event.Denied, event.Scored:
		return s.everywhere(r)
	case event.Seed:
		return s.seed(r)
	case event.Took, event.Resolved, event.Probed, event.Listed, event.Named, event.Withdrawn, event.Brought, event.Unneeded:
		return s.at(s.cells[s.ownerOf(e.Site)], r)
	case event.Ruled:
		return s.ruled(r)
	case event.Refused, event.Done, event.Judged:
		return s.at(s.cells[s.owner(e.Page)], r)
	case event.Admitted, event.Revisit, event.Retried:
		return s.admitted(r)
	case event.Needed:
		return s.needed(r)
	}
	return fmt.Errorf("partitions have no such event")
}

// note keeps the reasons why pages are refused.
func (s *splitter) note(r *journal.Record) {
	e := &r.Event
	for i := range e.New {
		if len(e.Bars) > 0 {
			s.bars[int(r.First)+i] = e.Bars[i]
		}
	}
	if e.Kind == event.Refused {
		if s.bars[e.Page] = e.Bar; e.Bar == event.NoBar {
			s.bars[e.Page] = event.BarRobots
		}
		return
	}
	for _, p := range e.Admit {
		s.bars[p] = event.NoBar
	}
}

// everywhere translates a record that all partitions have.
func (s *splitter) everywhere(r *journal.Record) error {
	if err := s.deliverAll(r.Now); err != nil {
		return err
	}
	for _, c := range s.cells {
		to := c.begin(r.Event.Kind, r.Now)
		c.copy(to, r)
		if x := r.Facts.Session; x != nil {
			y := *x
			text, err := s.divided(x.Config)
			if err != nil {
				return err
			}
			y.Config, y.Version = text, cmp.Or(x.Version, "devel")+" (split)" // others made its decisions
			to.Facts.Session = &y
			clear(c.conns)
		}
		if err := c.write(); err != nil {
			return err
		}
	}
	return nil
}

// divided returns a configuration with several partitions.
func (s *splitter) divided(text []byte) ([]byte, error) {
	c, err := config.Parse("configuration of a session", text)
	if err != nil {
		return nil, err
	}
	c.Partitions, c.SuffixTable = s.conf.Partitions, s.conf.SuffixTable
	return c.Marshal()
}

// at translates a record into one of the partition of its site.
func (s *splitter) at(c *cell, r *journal.Record) error {
	if k := r.Event.Kind; k == event.Done || k == event.Brought {
		s.answered = c
	}
	if e := &r.Event; e.Kind == event.Took && e.Task.Kind == event.Fetch || e.Kind == event.Done || e.Kind == event.Refused || e.Kind == event.Judged {
		if _, ok := c.pageOf(e.Page); !ok {
			return fmt.Errorf("partition %d does not know %s", c.self, s.in.AppendURL(nil, e.Page))
		}
	}
	to := c.begin(r.Event.Kind, r.Now)
	if err := s.same(c, to, r); err != nil {
		return err
	}
	if err := c.write(); err != nil {
		return err
	}
	if err := s.others(c, r); err != nil {
		return err
	}
	if err := s.deliver(c, r.Now, urgent(r), s.admits(r)); err != nil {
		return err
	}
	return s.returnHops(r)
}

// urgent reports whether others have to know at once what a record tells.
func urgent(r *journal.Record) bool { return len(r.Event.New)+len(r.Event.Admit) > 0 }

// admits returns the pages that a record admits.
func (s *splitter) admits(r *journal.Record) map[graph.Page]bool {
	set := map[graph.Page]bool{}
	for _, p := range r.Event.Admit {
		set[p] = true
	}
	return set
}

// same makes the record of a partition: with all pages that it names, which become known if they are
// not, and with the answer in the archive of the partition.
func (s *splitter) same(c *cell, to, r *journal.Record) error {
	e := &r.Event
	for i := range e.New {
		c.know(r.First+graph.Page(i), s.bars[int(r.First)+i])
	}
	for _, list := range [][]graph.Page{e.Links, r.Facts.Plain} {
		for _, p := range list {
			c.know(p, s.bars[p])
		}
	}
	for _, p := range e.Admit { // a scope may have kept it out where others have found it
		if s.owner(p) == c.self {
			c.know(p, s.bars[p])
		}
	}
	if n := r.Facts.Near; n > 0 && e.Kind == event.Done {
		c.know(graph.Page(n-1), s.bars[n-1])
	}
	place, err := s.store(c, r)
	if err != nil {
		return err
	}
	c.copy(to, r)
	to.Facts.Place = place
	to.Event.Admit = to.Event.Admit[:0]
	for _, p := range e.Admit {
		if q, ok := c.pageOf(p); ok && int(q) < c.state.Frontier.Pages() {
			to.Event.Admit = append(to.Event.Admit, q)
		}
	}
	s.own(c, to, r)
	s.number(c, to, r)
	return nil
}

// own leaves pages of other partitions out of lists that concern those of one.
func (s *splitter) own(c *cell, to, r *journal.Record) {
	f := &to.Facts
	f.Told, f.Hints, f.Early = nil, nil, false
	for _, p := range r.Facts.Told {
		if q, ok := c.pageOf(p); ok && s.owner(p) == c.self {
			f.Told = append(f.Told, q)
		}
	}
	for _, h := range r.Facts.Hints {
		if q, ok := c.pageOf(h.Page); ok && s.owner(h.Page) == c.self {
			h.Page = q
			f.Hints = append(f.Hints, h)
		}
	}
}

// number gives addresses and connections the numbers of a partition.
func (s *splitter) number(c *cell, to, r *journal.Record) {
	e, f := &to.Event, &to.Facts
	switch {
	case e.Kind == event.Took:
		if n := r.Facts.Conn; n > 0 {
			if c.conns[n] == 0 {
				c.conns[n] = uint32(len(c.conns) + 1)
			}
			f.Conn = c.conns[n]
		}
		if f.Address > 0 {
			f.Address = c.state.Frontier.Addresses().Of(e.Site)
		}
	case e.Kind == event.Resolved && e.Address > 0 && len(f.Addrs) > 0:
		e.Address = c.state.Addresses.Number(f.Addrs[0])
	}
}

// store copies the answer of a record to the archive of a partition.
func (s *splitter) store(c *cell, r *journal.Record) (journal.Place, error) {
	p := r.Facts.Place
	if p.Length == 0 {
		return p, nil
	}
	b, err := s.source.read(p)
	if err != nil {
		return p, err
	}
	s.out.Bytes += int64(len(b))
	at := c.warc.Append(b)
	return journal.Place{File: uint32(at.File), Offset: at.Offset, Length: p.Length}, nil
}

// seed translates seeds: they are those of partition 0, which tells the others. Pages of an earlier
// crawl, and those of notices, become known in their own partitions.
func (s *splitter) seed(r *journal.Record) error {
	if r.Facts.Old || r.Facts.Notice {
		return s.scatter(r)
	}
	c := s.cells[0]
	to := c.begin(event.Seed, r.Now)
	all := append([]graph.Page(nil), r.Event.Admit...)
	for i := range r.Event.New {
		all = append(all, r.First+graph.Page(i))
	}
	for _, p := range all {
		if q, known := c.pageOf(p); known {
			to.Event.Admit = append(to.Event.Admit, q)
			continue
		}
		c.know(p, event.NoBar)
	}
	if err := c.write(); err != nil {
		return err
	}
	return s.deliver(c, r.Now, true, s.admits(r))
}

// scatter lets each partition know its own of the pages of a record.
func (s *splitter) scatter(r *journal.Record) error {
	for _, c := range s.cells {
		to := c.begin(r.Event.Kind, r.Now)
		for i := range r.Event.New {
			if p := r.First + graph.Page(i); s.owner(p) == c.self {
				c.know(p, s.bars[p])
			}
		}
		c.copy(to, r)
		s.own(c, to, r)
		to.Event.Admit = s.ownOf(c, r.Event.Admit)
		if len(to.Event.New)+len(to.Event.Admit)+len(to.Facts.Told) == 0 {
			continue
		}
		if err := c.write(); err != nil {
			return err
		}
	}
	return nil
}

// ownOf returns those of some pages that are of a partition and known to it, in its numbers.
func (s *splitter) ownOf(c *cell, list []graph.Page) (own []graph.Page) {
	for _, p := range list {
		if q, ok := c.pageOf(p); ok && s.owner(p) == c.self {
			own = append(own, q)
		}
	}
	return own
}

// admitted translates a record that lets pages wait: each partition has its own of them. A page that
// its partition does not know was kept out by a scope, and another partition has found it.
func (s *splitter) admitted(r *journal.Record) error {
	for _, c := range s.cells {
		to := c.begin(r.Event.Kind, r.Now)
		c.copy(to, r)
		if to.Event.Admit = s.ownOf(c, r.Event.Admit); len(to.Event.Admit) == 0 {
			continue
		}
		if err := c.write(); err != nil {
			return err
		}
	}
	return s.others(nil, r)
}

// others lets the pages that a record admits wait in their partitions, if those are others than the
// one that has the record.
func (s *splitter) others(has *cell, r *journal.Record) error {
	if len(r.Event.Admit) == 0 {
		return nil
	}
	set := s.admits(r)
	for _, p := range r.Event.Admit {
		owner := s.cells[s.owner(p)]
		if has == owner {
			continue
		}
		if q, known := owner.pageOf(p); known {
			if has == nil || owner.state.Frontier.State(q) != frontier.RefusedPage {
				continue
			}
			to := owner.begin(event.Admitted, r.Now)
			to.Event.Admit = append(to.Event.Admit, q)
			if err := owner.write(); err != nil {
				return err
			}
			continue
		}
		if err := s.reveal(p, r.Now, set); err != nil {
			return err
		}
	}
	return nil
}

// reveal lets a partition that has found a page tell the partition of the page about it.
func (s *splitter) reveal(p graph.Page, now time.Duration, set map[graph.Page]bool) error {
	for _, c := range s.cells {
		q, known := c.pageOf(p)
		if !known || c.state.Frontier.State(q) != frontier.RefusedPage {
			continue
		}
		to := c.begin(event.Admitted, now)
		to.Event.Admit = append(to.Event.Admit, q)
		if err := c.write(); err != nil {
			return err
		}
		return s.deliver(c, now, true, set)
	}
	return nil
}

// fullPair is the number of pages after which a partition is told about them, if it needs not know at
// once.
const fullPair = 256

// deliver tells other partitions what a partition has to tell them: at once, or if it is much.
func (s *splitter) deliver(c *cell, now time.Duration, atOnce bool, admitted map[graph.Page]bool) error {
	for i, o := range s.cells {
		for last := 0; i != c.self; {
			n := c.state.Pending(i)
			if n == 0 || n == last || !atOnce && n < fullPair {
				break
			}
			last = n
			m, err := c.letter(i, now)
			if err != nil {
				return err
			}
			s.out.Messages++
			if err := o.link(m, now, admitted); err != nil {
				return err
			}
		}
	}
	return nil
}

// deliverAll tells all partitions everything. What they hear may be a reason to answer.
func (s *splitter) deliverAll(now time.Duration) error {
	for range 3 {
		for _, c := range s.cells {
			if err := s.deliver(c, now, true, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// ruled translates the end of a request for a robots.txt, which may have moved between partitions:
// see crawl/state/ask.go.
func (s *splitter) ruled(r *journal.Record) error {
	e := &r.Event
	asked, of := s.cells[s.ownerOf(e.Site)], s.cells[s.ownerOf(e.For)]
	to := asked.begin(event.Ruled, r.Now)
	if err := s.same(asked, to, r); err != nil {
		return err
	}
	if asked != of {
		delete(s.moved, e.For)
		to.Event.Hop, to.Event.To, to.Event.Files = false, 0, 0
		if err := s.writeAndTell(asked, r); err != nil {
			return err
		}
		to = of.begin(event.Ruled, r.Now)
		of.copy(to, r)
		s.own(of, to, r)
		to.Event.Start, to.Event.End, to.Event.Bytes, to.Event.Keep, to.Event.Retry = r.Now, r.Now, 0, false, 0
		to.Facts.Place, to.Facts.Phases, to.Facts.Size, to.Facts.Shift = journal.Place{}, [3]time.Duration{}, 0, 0
	}
	if e.Hop {
		name := s.in.Table.Name(e.To)
		id, fresh := of.learn(name)
		if to.Event.To = id; fresh {
			to.Facts.Names.Add(name, nil)
		}
	}
	if err := s.writeAndTell(of, r); err != nil {
		return err
	}
	if e.Hop && s.ownerOf(e.To) != of.self {
		if err := s.ask(r); err != nil {
			return err
		}
	}
	return s.returnHops(r)
}

// writeAndTell writes a record, and tells others at once.
func (s *splitter) writeAndTell(c *cell, r *journal.Record) error {
	if err := c.write(); err != nil {
		return err
	}
	return s.deliver(c, r.Now, true, nil)
}

// ask lets the partition of a site be asked for the robots.txt that moved there.
func (s *splitter) ask(r *journal.Record) error {
	of, to := r.Event.For, r.Event.To
	c := s.cells[s.ownerOf(to)]
	x := c.begin(event.Asked, r.Now)
	for _, site := range []graph.Site{of, to} {
		name := s.in.Table.Name(site)
		id, fresh := c.learn(name)
		if !fresh {
			name = nil
		}
		x.Event.Needs = append(x.Event.Needs, id)
		x.Facts.Names.Add(name, nil)
	}
	x.Facts.Hop = r.Facts.Hop
	asks := s.cells[s.ownerOf(of)]
	if h, ok := asks.state.Robots.HopAt(asks.siteOf(of), asks.siteOf(to)); ok {
		x.Facts.Step = uint8(min(h.N, 255))
	}
	s.moved[of] = to
	return c.write()
}

// returnHops lets sites request their own robots.txt again if it had moved to a site of another
// partition that a record has closed.
func (s *splitter) returnHops(r *journal.Record) error {
	e := &r.Event
	if len(s.moved) == 0 || e.Kind != event.Resolved && e.Kind != event.Ruled {
		return nil
	}
	site := e.Site
	if e.Kind == event.Ruled {
		site = e.For
	}
	at := s.cells[s.ownerOf(site)]
	id, ok := at.state.Table.LookupSite(at.state.Key.Site(s.in.Table.Name(site)), s.in.Table.Name(site))
	if !ok || !at.state.Frontier.Closed(id) {
		return nil
	}
	for of := range graph.Site(s.in.Frontier.Sites()) {
		to, ok := s.moved[of]
		if !ok || to != site {
			continue
		}
		delete(s.moved, of)
		c := s.cells[s.ownerOf(of)]
		x := c.begin(event.Withdrawn, r.Now)
		x.Event.Site, x.Event.Hop = c.siteOf(of), true
		if err := c.write(); err != nil {
			return err
		}
	}
	return nil
}

// compare compares the states of all pages with those that they had.
func (s *splitter) compare() error {
	for p := range graph.Page(s.in.Frontier.Pages()) {
		if s.in.Frontier.State(p) == frontier.Lost {
			continue
		}
		c := s.cells[s.owner(p)]
		q, known := c.pageOf(p)
		want, bar := s.in.Frontier.State(p), s.in.Frontier.Bar(p)
		switch {
		case !known && want == frontier.RefusedPage && !told(bar): // another partition has found it
		case !known:
			return fmt.Errorf("partition %d does not know %s", c.self, s.in.AppendURL(nil, p))
		case c.state.Frontier.State(q) != want || c.state.Frontier.Bar(q) != bar:
			return fmt.Errorf("%s is %v (%v) in partition %d, it was %v (%v)", s.in.AppendURL(nil, p), c.state.Frontier.State(q), c.state.Frontier.Bar(q), c.self, want, bar)
		}
		s.out.Known++
		if want == frontier.Fetched || want == frontier.Reacquired {
			s.out.Fetched++
		}
	}
	return nil
}
