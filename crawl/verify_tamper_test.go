package crawl

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/snapshot"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/urltable"
)

// A tampering changes a crawl that keeps its promises, so that one of them is broken. The
// tests of Verify are in this package, not in history, because those of forbidden requests
// need its hand-made webs and share the tamperings with the others.
type tampering struct {
	name   string
	kind   string // of a finding that there must be
	change func(t *testing.T, d memoryDisk)
}

// records makes a tampering of the records of a journal: change may alter one, and says
// how often it is written.
func records(name, kind string, change func(r *journal.Record) int) tampering {
	return tampering{name, kind, func(t *testing.T, d memoryDisk) { rewrite(t, d, 1, change) }}
}

// configured changes the configuration in all sessions: what was polite before is not.
func configured(name, kind string, change func(*config.Config)) tampering {
	return records(name, kind, func(r *journal.Record) int {
		if x := r.Facts.Session; x != nil {
			c, err := config.Parse("session", x.Config)
			if err == nil {
				change(&c)
				x.Config, err = c.Marshal()
			}
			if err != nil {
				panic(err)
			}
		}
		return 1
	})
}

// rewrite writes a journal anew with other records, so many of the old groups in one.
func rewrite(t *testing.T, d memoryDisk, groups int, change func(r *journal.Record) int) {
	t.Helper()
	old := d[layout.JournalDir]
	h, err := journal.ReadHeader(old)
	if err != nil {
		t.Fatal(err)
	}
	d[layout.JournalDir] = disk.NewMemory()
	log, err := journal.Begin(d[layout.JournalDir], h)
	if err != nil {
		t.Fatal(err)
	}
	pages, n := 0, 0
	var last journal.Commit
	write := func() error {
		last.Pages = uint32(pages)
		return log.Write(log.Take(last))
	}
	r := journal.Reader{Dir: old, Record: func(r *journal.Record) error {
		for range change(r) {
			log.Append(r)
			pages += len(r.Event.New)
		}
		return nil
	}, Commit: func(c *journal.Commit) error {
		last = *c
		if n++; n%groups == 0 {
			return write()
		}
		return nil
	}}
	if _, err = r.Run(); err == nil && !log.Empty() {
		err = write()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// files makes a tampering of the files of a part whose names end so.
func files(name, kind, part, suffix string, change func(f disk.File, size int64) error) tampering {
	return tampering{name, kind, func(t *testing.T, d memoryDisk) {
		list, err := d[part].List()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, e := range list {
			if !strings.HasSuffix(e.Name, suffix) {
				continue
			}
			n++
			f, err := d[part].Open(e.Name, disk.Change)
			if err == nil {
				err = change(f, e.Size)
			}
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
		if n == 0 {
			t.Fatalf("no file *%s in %s", suffix, part)
		}
	}}
}

// flip changes a byte at a share of a file.
func flip(share float64) func(disk.File, int64) error {
	return func(f disk.File, size int64) error {
		var b [1]byte
		at := int64(share * float64(size))
		if _, err := f.ReadAt(b[:], at); err != nil && err != io.EOF {
			return err
		}
		b[0] ^= 0x55
		_, err := f.WriteAt(b[:], at)
		return err
	}
}

// nth calls change for the n-th record that fits, from 0 on.
func nth(n int, fits func(r *journal.Record) bool, change func(r *journal.Record) int) func(*journal.Record) int {
	return func(r *journal.Record) int {
		if fits(r) {
			if n--; n == -1 {
				return change(r)
			}
		}
		return 1
	}
}

func ofKind(k event.Kind) func(*journal.Record) bool {
	return func(r *journal.Record) bool { return r.Event.Kind == k }
}

func cameWhole(r *journal.Record) bool {
	return r.Event.Kind == event.Done && !r.Event.Class.Failed() && !r.Event.Again && r.Facts.Place.Length > 0
}

func tooks(k event.TaskKind) func(*journal.Record) bool {
	return func(r *journal.Record) bool { return r.Event.Kind == event.Took && r.Event.Task.Kind == k }
}

func dropped(*journal.Record) int { return 0 }

// renameSite gives a site another name.
func renameSite(from, to string) func(*journal.Record) int {
	return func(r *journal.Record) int {
		var names journal.Names
		for i := range r.Facts.Names.Len() {
			site := r.Facts.Names.Site(i)
			if string(site) == from {
				site = []byte(to)
			}
			names.Add(site, r.Facts.Names.Rest(i))
		}
		r.Facts.Names = names
		return 1
	}
}

// usesFailed lets requests use the connection of the last one to the site if that was not
// answered.
func usesFailed() func(*journal.Record) int {
	last, failed, pages := map[graph.Site]uint32{}, map[graph.Site]bool{}, []graph.Site(nil)
	return func(r *journal.Record) int {
		pages = append(pages, r.Event.New...)
		switch e := &r.Event; {
		case e.Kind == event.Took && e.Task.Kind != event.Resolve:
			if failed[e.Site] {
				r.Facts.Conn, failed[e.Site] = last[e.Site], false
			}
			last[e.Site] = r.Facts.Conn
		case e.Kind == event.Done && e.Class.Failed() && r.Facts.Status == 0:
			failed[pages[e.Page]] = true
		}
		return 1
	}
}

func politenessTamperings() []tampering {
	return []tampering{
		configured("delay", history.FindGap, func(c *config.Config) { c.Delay = config.Seconds(2.5) }),
		configured("small delay", history.FindGap, func(c *config.Config) { c.SmallDelay, c.SmallSite = config.Seconds(30), 1000 }),
		configured("delay of a site", history.FindGap, func(c *config.Config) {
			d := config.Seconds(9)
			c.Site = []config.Override{{Match: "s00.example", Delay: &d}}
		}),
		configured("factor", history.FindGap, func(c *config.Config) { c.DelayFactor, c.DelayMax = 1e6, config.Seconds(60) }),
		configured("per connection", history.FindConnection, func(c *config.Config) { c.PerConnection = 2 }),
		configured("keep alive", history.FindConnection, func(c *config.Config) { c.KeepAlive = config.Seconds(1) }),
		records("a connection of another site", history.FindConnection, nth(30, tooks(event.Fetch), func(r *journal.Record) int { r.Facts.Conn = 1; return 1 })),
		records("a connection that failed", history.FindConnection, usesFailed()),
		records("one host, two connections", history.FindConnection, renameSite("http://s01.example", "https://s00.example")),
		configured("address delay", history.FindAddress, func(c *config.Config) { c.IPDelay = config.Seconds(30) }),
		configured("address cap", history.FindAddress, func(c *config.Config) { c.IPCap, c.IPDelay = 1, config.Duration{} }),
		records("crawl-delay", history.FindGap, func(r *journal.Record) int {
			if r.Event.Kind == event.Ruled && !r.Event.Hop && !r.Event.Again && !r.Event.Class.Failed() {
				text := robots.Parse([]byte("User-agent: *\nCrawl-delay: 50\n")).For("winnow")
				r.Facts.Rules, _ = text.AppendBinary(nil)
				r.Event.Delay = text.Delay()
			}
			return 1
		}),
		records("too soon after a restart", history.FindGap, nth(1, ofKind(event.Session), func(r *journal.Record) int { r.Now += 1900 * time.Millisecond; return 1 })),
		records("retry after", history.FindGap, func(r *journal.Record) int {
			if r.Event.Kind == event.Done {
				r.Event.Retry = time.Hour
			}
			return 1
		}),
		records("a connection of its own", history.FindGap, func(r *journal.Record) int {
			r.Facts.Conn *= 2
			if r.Event.Kind == event.Took && r.Event.Page%2 == 0 {
				r.Facts.Conn++
			}
			return 1
		}),
		records("clock", history.FindGap, nth(5, tooks(event.Robots), func(r *journal.Record) int { r.Facts.Clock = r.Now + time.Second; return 1 })),
		records("forbidden", history.FindRobots, func(r *journal.Record) int {
			if r.Event.Kind == event.Ruled && !r.Event.Hop && !r.Event.Again && !r.Event.Class.Failed() {
				all := robots.DisallowAll()
				r.Facts.Rules, _ = all.AppendBinary(nil)
				r.Event.Delay = all.Delay()
			}
			return 1
		}),
		records("no robots.txt", history.FindRobots, func(r *journal.Record) int {
			if r.Event.Kind == event.Ruled && !r.Event.Hop {
				r.Event.Again, r.Event.Due = true, r.Event.End+1
			}
			return 1
		}),
		records("expired", history.FindRobots, func(r *journal.Record) int {
			if r.Event.Kind == event.Ruled {
				r.Event.Expiry = r.Event.End + 1
			}
			return 1
		}),
		records("crawl-delay of the rules", history.FindRobots, nth(0, ofKind(event.Ruled), func(r *journal.Record) int { r.Event.Delay += time.Second; return 1 })),
		records("address", history.FindAddress, nth(3, tooks(event.Robots), func(r *journal.Record) int { r.Facts.Address++; return 1 })),
		records("started too early", history.FindClock, nth(3, ofKind(event.Done), func(r *journal.Record) int { r.Event.Start -= time.Hour; return 1 })),
		records("clock goes back", history.FindClock, nth(20, ofKind(event.Took), func(r *journal.Record) int { r.Now -= time.Minute; return 1 })),
		records("a work twice", history.FindAtOnce, nth(3, tooks(event.Fetch), func(*journal.Record) int { return 2 })),
		records("one host", history.FindAtOnce, renameSite("http://s01.example", "https://s00.example")),
		records("one host, too soon", history.FindGap, renameSite("http://s01.example", "https://s00.example")),
		{"all in one group", history.FindUncommitted, func(t *testing.T, d memoryDisk) {
			rewrite(t, d, 1<<30, func(*journal.Record) int { return 1 })
		}},
	}
}

func recordTamperings() []tampering {
	return []tampering{
		records("seeds twice", history.FindNumbering, nth(0, ofKind(event.Seed), func(*journal.Record) int { return 2 })),
		records("a site of another name", history.FindArchive, renameSite("http://s00.example", "http://other.example")),
		records("an outcome is lost", history.FindEvent, nth(3, ofKind(event.Done), dropped)),
		records("a work is lost", history.FindEvent, nth(3, tooks(event.Fetch), dropped)),
		records("a record twice", history.FindEvent, nth(9, ofKind(event.Done), func(*journal.Record) int { return 2 })),
		records("another page", history.FindEvent, nth(9, ofKind(event.Done), func(r *journal.Record) int { r.Event.Page++; return 1 })),
		records("other URLs", history.FindArchive, func(r *journal.Record) int {
			if n := &r.Facts.Names; r.Event.Kind == event.Seed {
				site := slices.Clone(n.Site(0))
				n.Reset()
				n.Add(site, []byte("/other"))
			}
			return 1
		}),
		records("a place beside", history.FindArchive, nth(9, cameWhole, func(r *journal.Record) int { r.Facts.Place.Offset += 3; return 1 })),
		records("a length", history.FindArchive, nth(9, cameWhole, func(r *journal.Record) int { r.Facts.Place.Length++; return 1 })),
		records("another file", history.FindArchive, nth(9, cameWhole, func(r *journal.Record) int { r.Facts.Place.File += 7; return 1 })),
		records("no place", history.FindArchive, nth(9, cameWhole, func(r *journal.Record) int { r.Facts.Place = journal.Place{}; return 1 })),
		records("a digest", history.FindArchive, nth(9, func(r *journal.Record) bool { return cameWhole(r) && len(r.Facts.Payload) > 0 },
			func(r *journal.Record) int { r.Facts.Payload[5] ^= 1; return 1 })),
		records("a date", history.FindArchive, nth(1, ofKind(event.Session), func(r *journal.Record) int { r.Facts.Session.Wall += int64(time.Hour); return 1 })),
		configured("another policy", history.FindDecision, func(c *config.Config) { c.Policy = "breadth-first" }),
	}
}

func fileTamperings() []tampering {
	return []tampering{
		files("damage in the journal", history.FindDamage, layout.JournalDir, ".wj", flip(0.5)),
		files("damage in the archive", history.FindArchive, layout.ArchiveDir, ".warc.gz", flip(0.5)),
		files("archive cut", history.FindArchive, layout.ArchiveDir, ".warc.gz", func(f disk.File, n int64) error { return f.Truncate(n / 2) }),
		files("archive longer", history.FindArchive, layout.ArchiveDir, ".warc.gz", func(f disk.File, n int64) error {
			_, err := f.WriteAt([]byte("more"), n)
			return err
		}),
		files("damage in a snapshot", history.FindSnapshot, layout.SnapshotDir, snapshot.Suffix, flip(0.5)),
		{"a snapshot of another moment", history.FindSnapshot, moveSnapshot},
		{"other URLs in the URL file", history.FindURLs, otherURLs},
	}
}

// moveSnapshot gives the newest snapshot the name of another record.
func moveSnapshot(t *testing.T, d memoryDisk) {
	names, err := snapshot.List(d[layout.SnapshotDir])
	if err == nil {
		err = d[layout.SnapshotDir].Rename(names[0], snapshot.Name(100))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// otherURLs writes a URL file that is whole, with another URL in it.
func otherURLs(t *testing.T, d memoryDisk) {
	h, err := journal.ReadHeader(d[layout.JournalDir])
	if err != nil {
		t.Fatal(err)
	}
	old, err := history.ReadOnly{Dir: d[layout.URLDir]}.Open(layout.URLFile, disk.Change)
	if err != nil {
		t.Fatal(err)
	}
	from, err := urltable.OpenLog(old, h.Crawl, 1<<12)
	if err != nil {
		t.Fatal(err)
	}
	d[layout.URLDir] = disk.NewMemory()
	f, err := d[layout.URLDir].Open(layout.URLFile, disk.Create)
	if err != nil {
		t.Fatal(err)
	}
	to, err := urltable.OpenLog(f, h.Crawl, 1<<12)
	if err != nil {
		t.Fatal(err)
	}
	err = from.Each(0, func(p graph.Page, s graph.Site, rest []byte) error {
		if p == 17 {
			rest = []byte("/other")
		}
		return to.Append(p, s, rest)
	})
	if err == nil {
		err = to.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	from.Free()
	to.Free()
}

// Whatever is changed in a crawl that keeps its promises is found: no check is one that
// cannot fail.
func TestVerifyFinds(t *testing.T) {
	long(t)
	var w *testWeb
	synctest.Test(t, func(t *testing.T) {
		o := answer.Mixed()
		o.Times.FirstByte = func(graph.Site, graph.Page, uint32) time.Duration { return 20 * time.Millisecond }
		w = newTestWeb(t, 200, 12, o)
		w.server.SetAddresses(4)
		w.o.Config.PerConnection, w.o.Config.Pages = 4, 80
		w.run(t)
		w.o.Config.Pages = 0
		w.run(t)
	})
	whole := w.disk
	clean(t, w.verify(t))
	for i, test := range slices.Concat(politenessTamperings(), recordTamperings(), fileTamperings()) {
		if testing.Short() && i%5 != 0 {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			w.disk = memoryDisk{}
			for name, m := range whole {
				w.disk[name] = m.Kill()
			}
			test.change(t, w.disk)
			if f := w.verify(t); f.Kinds[test.kind] == 0 {
				t.Errorf("found %v, want %s", f.Kinds, test.kind)
			}
		})
	}
}

// A page that comes again without a recrawl is found, with one it is not.
func TestVerifyRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 30, 3, answer.Options{})
		w.o.Config.Recrawl, w.o.Config.Duration = config.Seconds(3600), config.Seconds(3*3600)
		w.run(t)
		f := w.verify(t)
		clean(t, f)
		configured("", "", func(c *config.Config) { c.Recrawl = config.Duration{} }).change(t, w.disk)
		if f := w.verify(t); f.Kinds[history.FindRepeated] < 30 {
			t.Errorf("found %v, want pages that came twice", f.Kinds)
		}
	})
}

// Damage anywhere in the journal is found, and never more than that: what follows is
// read on.
func TestVerifyDamage(t *testing.T) {
	var w *testWeb
	synctest.Test(t, func(t *testing.T) {
		w = newTestWeb(t, 120, 10, answer.Mixed())
		w.run(t)
	})
	whole := w.disk
	all := w.verify(t).Records
	parts := 30
	if testing.Short() {
		parts = 4
	}
	for i := range parts {
		w.disk = memoryDisk{}
		for name, m := range whole {
			w.disk[name] = m.Kill()
		}
		files("", "", layout.JournalDir, ".wj", flip((float64(i)+0.5)/float64(parts))).change(t, w.disk)
		f := w.verify(t)
		if f.Kinds[history.FindDamage] == 0 || f.Records < all-20 {
			t.Errorf("damage in part %d: found %v in %d of %d records", i, f.Kinds, f.Records, all)
		}
	}
}
