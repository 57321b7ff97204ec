package recut

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A cell is a partition that is being made: a state, and the journal and the archive of which it is
// the fold.
type cell struct {
	translation
	s     *splitter
	self  int
	path  string
	state *state.State
	log   *journal.Log
	warc  *archive.Writer
	rec   journal.Record
	fresh freshIDs
	conns map[uint32]uint32 // numbers of the connections of the session
	sent  []uint64          // by partition: number of the last message to it
}

// freshIDs are the pages and sites that the record which was begun makes known.
type freshIDs struct {
	pages map[uint64]graph.Page // by hash
	sites map[string]graph.Site // by name
}

// newCell makes an empty partition in a directory.
func newCell(s *splitter, self int, path string) (*cell, error) {
	c := &cell{s: s, self: self, path: path, conns: map[uint32]uint32{}, sent: make([]uint64, s.o.Partitions)}
	c.fresh = freshIDs{map[uint64]graph.Page{}, map[string]graph.Site{}}
	c.translation = translation{page: c.pageOf, site: c.siteOf, part: s.partOf, place: func(p journal.Place) journal.Place { return p }}
	parts, err := layout.Open(func(name string) (disk.Dir, error) {
		dir := filepath.Join(path, filepath.FromSlash(name))
		return disk.OS(dir), os.MkdirAll(dir, 0o755)
	})
	if err != nil {
		return nil, err
	}
	id := s.id
	id.Partition = self
	set, err := state.NewSetup(&s.conf, id, max(int64(s.conf.MaxMemory), 1<<30))
	if err != nil {
		return nil, err
	}
	if len(s.conf.Site) > 0 {
		o := config.NewOverrides(&s.conf)
		set.SiteDelay = o.Delay
	}
	set.Fit(journal.Commit{Pages: uint32(s.in.Frontier.Pages()), Sites: uint32(s.in.Frontier.Sites())})
	if c.state, err = state.Empty(&parts, set); err != nil {
		return nil, err
	}
	if c.log, err = journal.Begin(parts.Journal, journal.Header{Crawl: id.Crawl, Partition: uint32(self), Partitions: uint32(s.o.Partitions)}); err != nil {
		return nil, err
	}
	c.warc, err = archive.Open(parts.Archive, archive.Config{
		Prefix: "winnow", Builder: archive.NewBuilder(id.Crawl, archive.SHA1), Now: time.Now,
		Info: archive.Info{Software: "winnow/" + s.o.Version, Operator: s.conf.Contact, UserAgent: s.conf.Agent(s.o.Version), Robots: s.robots()},
	}, archive.Position{})
	return c, err
}

// release frees the memory, and closes files as they are.
func (c *cell) release() {
	if c.log != nil {
		c.log.Drop()
	}
	if c.warc != nil {
		c.warc.Drop()
	}
	if c.state != nil {
		c.state.Close()
	}
}

// begin begins a record.
func (c *cell) begin(kind event.Kind, now time.Duration) *journal.Record {
	clear(c.fresh.pages)
	clear(c.fresh.sites)
	begin(&c.rec, kind, now)
	return &c.rec
}

// write writes the record that begin began, and applies it as a replay does.
func (c *cell) write() error {
	r := &c.rec
	if !barred(r.Event.Bars) {
		r.Event.Bars = r.Event.Bars[:0]
	}
	if err := c.state.Frontier.Check(&r.Event); err != nil {
		return fmt.Errorf("partition %d, record %d: %w", c.self, c.state.Next, err)
	}
	c.log.Append(r)
	return c.state.Replay(r)
}

func barred(bars []event.Bar) bool {
	for _, b := range bars {
		if b != event.NoBar {
			return true
		}
	}
	return false
}

// commit ends a group.
func (c *cell) commit() error {
	if c.log.Empty() {
		return nil
	}
	g := c.warc.Take()
	at := c.warc.Size()
	x := journal.Commit{
		Warc:  journal.Position{File: uint32(at.File), Size: at.Size},
		Pages: uint32(c.state.Frontier.Pages()), Sites: uint32(c.state.Frontier.Sites()),
	}
	if err := c.warc.Write(g); err != nil {
		return err
	}
	if err := c.log.Write(c.log.Take(x)); err != nil {
		return err
	}
	c.state.Committed(&x)
	return nil
}

// finish writes what is left, and makes it last.
func (c *cell) finish(conf, secrets []byte) error {
	if err := c.commit(); err != nil {
		return err
	}
	if err := c.warc.Close(); err != nil {
		return err
	}
	if err := c.log.Sync(); err != nil {
		return err
	}
	if err := c.log.Close(); err != nil {
		return err
	}
	files := map[string][]byte{layout.ConfigFile: conf, layout.LockFile: {}}
	if secrets != nil {
		files[config.SecretsFile] = secrets
	}
	return writeFiles(c.path, files)
}

// pageOf returns the number of a page of the crawl that is split, if the partition knows it.
func (c *cell) pageOf(p graph.Page) (graph.Page, bool) {
	hash := c.s.hash(p)
	if q, ok := c.state.Table.LookupPage(hash); ok {
		return q, true
	}
	q, ok := c.fresh.pages[hash]
	return q, ok
}

// siteOf returns the number of a site. A site that is not known becomes known by the record which was
// begun, if that has a name for it: see learn.
func (c *cell) siteOf(s graph.Site) graph.Site {
	id, _ := c.learn(c.s.in.Table.Name(s))
	return id
}

// learn returns the number that a site has or gets, and reports whether it is new.
func (c *cell) learn(name []byte) (id graph.Site, fresh bool) {
	if id, ok := c.state.Table.LookupSite(c.state.Key.Site(name), name); ok {
		return id, false
	}
	if id, ok := c.fresh.sites[string(name)]; ok {
		return id, false
	}
	id = graph.Site(c.state.Table.Sites() + len(c.fresh.sites))
	c.fresh.sites[string(name)] = id
	return id, true
}

// know adds a page to those that the record makes known, unless it is known. It has the bar that the
// partition of its site would give it; other partitions learn of it by links.
func (c *cell) know(p graph.Page, bar event.Bar) {
	if _, known := c.pageOf(p); known {
		return
	}
	site, rest, ok := c.s.in.Read(p)
	if !ok {
		return
	}
	if at := c.s.cells[c.s.owner(p)]; at != c {
		if _, known := at.pageOf(p); known || told(bar) {
			bar = event.BarForeign
		}
	}
	name := c.s.in.Table.Name(site)
	id, fresh := c.learn(name)
	if !fresh {
		name = nil
	}
	r := &c.rec
	c.fresh.pages[c.s.hash(p)] = graph.Page(c.state.Table.Pages() + len(c.fresh.pages))
	r.Event.New, r.Event.Bars = append(r.Event.New, id), append(r.Event.Bars, bar)
	r.Facts.Names.Add(name, rest)
}

// told reports whether the partition of a page is told about it although another one would refuse it
// for this reason: limits are for the partition of the page to judge.
func told(b event.Bar) bool {
	switch b {
	case event.NoBar, event.BarDepth, event.BarSitePages, event.BarDomainPages:
		return true
	}
	return false
}

// letter makes a message to another partition of what there is to tell it.
func (c *cell) letter(to int, now time.Duration) (*exchange.Message, error) {
	e := &c.begin(event.Sent, now).Event
	e.Part, e.Message, e.Acked, e.Most = uint16(to), c.sent[to]+1, c.sent[to], entriesMost
	c.sent[to]++
	if err := c.write(); err != nil {
		return nil, err
	}
	return exchange.Decode(c.state.Letters[len(c.state.Letters)-1].Bytes)
}

// entriesMost is the largest number of pages in a message.
const entriesMost = 4096

// link applies a message. Pages that the crawl has just admitted are admitted.
func (c *cell) link(m *exchange.Message, now time.Duration, admitted map[graph.Page]bool) error {
	r := c.begin(event.Linked, now)
	e := &r.Event
	e.Part, e.Message, e.Lessons = m.From, m.Number, append(e.Lessons, m.Lessons...)
	r.Facts.Notes = exchange.AppendNotes(nil, m.Notes)
	for i := range m.Entries {
		x := &m.Entries[i]
		p, ok := c.s.in.Table.LookupPage(x.Hash)
		if !ok || m.Width != c.state.Frontier.Amounts() {
			return fmt.Errorf("a message names a page that is not known")
		}
		bar := c.s.bars[p]
		if !told(bar) {
			bar = event.NoBar
		}
		c.know(p, bar)
		q, _ := c.pageOf(p)
		if admitted[p] && int(q) < c.state.Frontier.Pages() {
			e.Admit = append(e.Admit, q)
		}
		e.Links = append(e.Links, q)
		e.Gifts = append(e.Gifts, event.Gift{Links: x.Links, Depth: x.Depth, Near: x.Near})
		e.Amounts = append(e.Amounts, x.Amounts...)
	}
	return c.write()
}

// writeFiles writes files into a directory, and syncs them and their names.
func writeFiles(dir string, files map[string][]byte) error {
	for name, b := range files {
		if err := disk.Replace(disk.OS(dir), name, name+".tmp", true, func(f disk.File) error {
			_, err := f.WriteAt(b, 0)
			return err
		}); err != nil {
			return err
		}
	}
	return disk.OS(dir).Sync()
}
