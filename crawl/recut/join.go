package recut

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/urltable"
)

// errEnough ends the reading of a journal.
var errEnough = errors.New("enough")

// Open opens the crawl in a directory as one that has one partition. The journals of several
// partitions are translated into one, in a temporary directory that Close removes.
//
// The pages of the crawl are those that their partitions know, and each is in the state that it has
// there. Two things are otherwise: a page that a scope keeps out is known once, though each
// partition that found it counts it; and what was decided by a partition alone, such as which pages
// are near duplicates, stays decided. The archive of such a crawl cannot be written.
func Open(ctx context.Context, dir string) (*history.Crawl, error) {
	dirs, err := history.Dirs(dir)
	if err != nil {
		return nil, err
	}
	if len(dirs) == 1 {
		return history.Open(ctx, dir)
	}
	all, err := history.OpenAll(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	parts, err := all.Statuses()
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "winnow-join-")
	if err != nil {
		return nil, err
	}
	c, err := join(ctx, all, temp)
	if err != nil {
		os.RemoveAll(temp)
		return nil, err
	}
	c.Running, c.Partitions = layout.Locked(filepath.Join(dir, layout.LockFile)), parts
	c.Closed = func() { os.RemoveAll(temp) }
	return c, nil
}

// join translates the journals of all partitions into one, in a directory, and opens it.
func join(ctx context.Context, all *history.All, temp string) (*history.Crawl, error) {
	p, err := layout.Open(func(name string) (disk.Dir, error) {
		path := filepath.Join(temp, filepath.FromSlash(name))
		return disk.OS(path), os.MkdirAll(path, 0o755)
	})
	if err != nil {
		return nil, err
	}
	j, err := newJoiner(all)
	if err == nil {
		defer j.table.Free()
		err = j.run(ctx, p.Journal)
	}
	if err != nil {
		return nil, err
	}
	if p.Archive, err = newArchives(ctx, all); err != nil {
		return nil, err
	}
	return history.OpenParts(ctx, all.Path, p)
}

// A joiner translates the journals of all partitions into one.
type joiner struct {
	all     []*member
	later   []time.Duration // by partition: see translation
	key     urltable.Key
	table   *urltable.Table // of the one that is made
	id      layout.Identity
	log     *journal.Log
	rec     journal.Record
	now     time.Duration     // of the last record
	asked   map[string]*asked // by the name of its site
	running bool              // a session has begun
	parts   joinedParts
	closed  map[graph.Site]bool // sites that were given up

	conn      uint32                // the last connection of the session
	addresses map[netip.Addr]uint32 // their numbers
	at        map[graph.Site]uint32 // by site: that of its address
}

// A member is a partition that is joined with others.
type member struct {
	*joiner
	translation
	self    int
	crawl   *history.Crawl
	state   *state.State
	ids     []graph.Page // by page: its number in the joined crawl, NoPage: it has none yet
	sites   []graph.Site // by site: the same
	bars    []event.Bar  // by page that is its own: the first bar of it
	session bool         // it has begun the present session
	parts   memberParts
	conns   map[uint32]uint32 // numbers of the connections of the session
}

// asked holds what became of a robots.txt that other partitions requested, in order.
type asked struct {
	told []ruling
	next int // of told: the one of the request that is under way
	used int // of told: those that were seen
}

// A ruling is what a partition made of a robots.txt that another one requested.
type ruling struct {
	event event.Event
	facts journal.Facts
	to    string // the site to which it moved
	done  bool   // it was translated with the request
}

func newJoiner(all *history.All) (*joiner, error) {
	j := &joiner{asked: map[string]*asked{}, addresses: map[netip.Addr]uint32{}, at: map[graph.Site]uint32{}, closed: map[graph.Site]bool{}, parts: joinedParts{asks: map[uint64]graph.Page{}}}
	pages, sites := 0, 0
	var first int64
	for i, c := range all.Crawls {
		s, err := c.State()
		if err != nil {
			return nil, err
		}
		m := &member{joiner: j, self: i, crawl: c, state: s, ids: make([]graph.Page, s.Frontier.Pages()), sites: make([]graph.Site, s.Frontier.Sites()), bars: make([]event.Bar, s.Frontier.Pages()), conns: map[uint32]uint32{}}
		m.translation = translation{page: m.pageOf, site: m.siteOf, part: m.partOf, place: m.placeOf}
		for p := range m.ids {
			m.ids[p] = graph.NoPage
		}
		for s := range m.sites {
			m.sites[s] = graph.NoSite
		}
		pages, sites = pages+len(m.ids), sites+len(m.sites)
		if first == 0 || s.Began != 0 && s.Began < first {
			first = s.Began
		}
		j.all = append(j.all, m)
	}
	for _, m := range j.all {
		m.translation.later = time.Duration(max(0, m.state.Began-first))
		j.later = append(j.later, m.translation.later)
		if err := m.crawl.Each(m.look); err != nil {
			return nil, err
		}
	}
	j.id = all.Crawls[0].Identity()
	j.id.Partition = 0
	j.key, j.table = urltable.NewKey(j.id.Secret), urltable.New("", j.id.Secret, pages+1, sites+1)
	return j, nil
}

// look notes what is needed before it is read: why pages were refused when they became known, and
// what became of a robots.txt that other partitions request.
func (m *member) look(r *journal.Record) error {
	e := &r.Event
	for i := range e.Bars {
		if p := int(r.First) + i; p < len(m.bars) && i < len(e.New) {
			m.bars[p] = e.Bars[i]
		}
	}
	if e.Kind == event.Ruled && m.state.IsForeign(e.Site) {
		x := ruling{event: *e, facts: r.Facts}
		x.facts.Names, x.facts.Rules = journal.Names{}, append([]byte(nil), r.Facts.Rules...)
		x.facts.Files = append([]string(nil), r.Facts.Files...)
		if e.Hop {
			x.to = string(m.state.Table.Name(e.To))
		}
		a := m.askedFor(e.For)
		a.told = append(a.told, x)
	}
	return nil
}

func (m *member) askedFor(site graph.Site) *asked {
	name := string(m.state.Table.Name(site))
	if m.asked[name] == nil {
		m.asked[name] = &asked{next: -1}
	}
	return m.asked[name]
}

// run writes the journal. A group ends where one of a partition does, so that what was on disk when
// a decision was made is in an earlier group.
func (j *joiner) run(ctx context.Context, dir disk.Dir) (err error) {
	if j.log, err = journal.Begin(dir, journal.Header{Crawl: j.id.Crawl, Partitions: 1}); err != nil {
		return err
	}
	defer j.log.Drop()
	var crawls []*history.Crawl
	for _, m := range j.all {
		crawls = append(crawls, m.crawl)
	}
	m := newMerge(crawls, j.later)
	defer m.close()
	err = m.each(j.later, func(i int, r *journal.Record) error {
		if r == nil {
			return errors.Join(ctx.Err(), j.commit())
		}
		return j.all[i].translate(r)
	})
	if err == nil {
		err = j.commit()
	}
	if err != nil {
		return err
	}
	return j.log.Close()
}

// commit ends a group.
func (j *joiner) commit() error {
	if j.log.Empty() {
		return nil
	}
	return j.log.Write(j.log.Take(journal.Commit{Pages: uint32(j.table.Pages()), Sites: uint32(j.table.Sites())}))
}

// begin begins a record. Instants never go back.
func (j *joiner) begin(kind event.Kind, now time.Duration) *journal.Record {
	j.now = max(j.now, now)
	begin(&j.rec, kind, j.now)
	return &j.rec
}

func (j *joiner) append() { j.log.Append(&j.rec) }
