//go:build linux

// Package scale measures what only shows in large crawls: cost per link and bytes per
// page at 100 million known URLs, a crawl over sockets to 5 million, the table of seen URLs
// at 200 million, and links in other orders of the pages. make scale.
package scale

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/urltable"
)

// roundPages is how many works are under way at a time.
const roundPages = 256

// A crawler is the state of a crawl as package crawl has it, without the journal: URL
// table, URL log, frontier with a policy, links in, contents. It does what the owner
// does for an event, on a virtual clock.
type crawler struct {
	web     *endless
	seen    *urltable.Table
	urls    *urltable.Log
	f       *frontier.Frontier
	in      *graph.Column[uint32]
	content *urltable.Table
	first   *graph.Column[graph.Page]

	now     time.Duration
	works   []event.Task
	links   [roundPages][]link
	self    [roundPages]uint64
	event   event.Event
	settle  []graph.Site
	text    []byte
	fetched int64
	err     error
}

var secret = [16]byte{1, 2, 3}

// cameBit marks a page that was fetched in the number of links to it.
const cameBit = 1 << 31

func newCrawler(t *testing.T, dir string, pages, sites int) *crawler {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(dir, "urls"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	most := pages + pages/10
	c := &crawler{
		seen: urltable.New("", secret, most, sites), in: graph.NewColumn[uint32]("page links in", most),
		content: urltable.New("content", secret, most, 1), first: graph.NewColumn[graph.Page]("content page", most),
	}
	if c.urls, err = urltable.OpenLog(file, secret, most); err != nil {
		t.Fatal(err)
	}
	o := frontier.Options{ // those of a crawl with default settings
		Delay: 2 * time.Second, BackOff: 5 * time.Second, BackOffMax: time.Hour, PerConnection: 1,
		Resolve: true, Robots: true, AddressCap: 4, AddressDelay: 250 * time.Millisecond,
		Slow: 20 * time.Second, SlowTimes: 3, SlowDelay: time.Minute, SlowMax: time.Hour,
		Slice: 200_000, Hold: true, MaxPages: most, MaxSites: sites, Barred: c.barred,
		Twin: func(graph.Site) graph.Site { return graph.NoSite },
	}
	opic, err := policy.Choose("opic")
	if err == nil {
		c.f, err = frontier.New(o, policy.Env{Batch: 10_000}, opic, nil, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *crawler) free() {
	c.seen.Free()
	c.in.Free()
	c.content.Free()
	c.first.Free()
	c.urls.Free()
	c.f.Free()
}

// barred reads the URL of a page that would be handed out, as robots.txt and scope need
// it.
func (c *crawler) barred(p graph.Page) event.Bar {
	_, rest, err := c.urls.Read(p, c.text[:0])
	if err != nil {
		c.err = err
		return event.BarRobots
	}
	c.text = rest
	return event.NoBar
}

// target is the page of a link; a new one is entered.
func (c *crawler) target(l *link, home graph.Site) graph.Page {
	id := home
	if !l.local {
		fresh := false
		if id, fresh = c.seen.Site(l.siteHash, l.name); fresh {
			c.web.ranks.Append(l.rank)
		}
	}
	p, fresh := c.seen.Page(l.hash)
	if fresh {
		if err := c.urls.Append(p, id, l.rest); err != nil {
			c.err = err
		}
		c.in.Append(0)
		c.event.New = append(c.event.New, id)
	}
	return p
}

// seed makes the home pages of the first sites known.
func (c *crawler) seed(n int) {
	c.event = event.Event{Kind: event.Seed}
	for rank := range uint32(n) {
		var l link
		c.web.pages.Set(int(rank), 1)
		c.web.fill(&l, rank, 0)
		c.target(&l, 0)
	}
	c.f.Apply(0, &c.event)
}

// take hands out the works of a round, and settles those of the one before.
func (c *crawler) take() {
	for _, s := range c.settle {
		c.f.Settle(c.now, s)
	}
	c.settle, c.works = c.settle[:0], c.works[:0]
	for len(c.works) < roundPages {
		w, ask, ok := c.f.Next(c.now)
		if ok {
			c.works = append(c.works, w)
			continue
		}
		if len(c.works) > 0 || ask == event.Never {
			return
		}
		c.now = ask
	}
}

// fetch is what happens outside of the owner: links are found, and hashed.
func (c *crawler) fetch() {
	for i, w := range c.works {
		if w.Kind != event.Fetch {
			continue
		}
		_, rest, err := c.urls.Read(w.Page, c.text[:0])
		if err != nil {
			c.err = err
			return
		}
		c.self[i] = c.web.key.Page(c.web.key.Site(c.seen.Name(w.Site)), rest)
		if c.links[i] == nil {
			c.links[i] = make([]link, c.web.links)
		}
		list := c.links[i][:c.web.links]
		c.links[i] = list[:c.web.draw(w.Site, c.self[i], list)]
	}
}

// end applies the outcome of a task and returns the number of its links.
func (c *crawler) end(i int, w event.Task, cost *costs) int {
	e := &c.event
	*e = event.Event{Kind: event.Done, Task: event.Task{Site: w.Site, For: w.For, Page: w.Page}, Start: c.now - 50*time.Millisecond, End: c.now, New: e.New[:0], Links: e.Links[:0]}
	switch w.Kind {
	case event.Resolve:
		e.Kind, e.Address = event.Resolved, uint32(w.Site)/4+1
		c.f.Apply(c.now, e)
		return 0
	case event.Robots:
		e.Kind = event.Ruled
		c.f.Apply(c.now, e)
		c.settle = append(c.settle, w.Site)
		return 0
	}
	for j := range c.links[i] {
		e.Links = append(e.Links, c.target(&c.links[i][j], w.Site))
	}
	cost.turn(&cost.find)
	c.f.Apply(c.now, e)
	cost.turn(&cost.order)
	if _, fresh := c.content.Page(c.self[i]); fresh {
		c.first.Append(w.Page)
	}
	in := c.in.Slice()
	in[w.Page] |= cameBit
	for _, p := range e.Links {
		in[p]++
	}
	c.fetched++
	c.settle = append(c.settle, w.Site)
	return len(e.Links)
}

// costs are what a tenth of a load cost, in processor time of this thread.
type costs struct {
	hand, ends    time.Duration // hand-outs; ends of works
	most          time.Duration // the dearest round
	links, handed int64
	rounds        int64

	// Of one round in 16 the parts: asking for the time costs itself a microsecond a page.
	exact              bool
	find, order, count time.Duration // URL table; frontier and policy; links in and contents
	parted             int64         // links of these rounds
	last               time.Duration
}

// turn adds the time since the last turn to one of the parts.
func (c *costs) turn(to *time.Duration) {
	if c.exact {
		now := threadTime()
		*to += now - c.last
		c.last = now
	}
}

// round is one turn of the crawl.
func (c *crawler) round(cost *costs) {
	began := threadTime()
	c.take()
	took := threadTime() - began
	c.fetch()
	c.now += 100 * time.Millisecond
	cost.exact = cost.rounds%16 == 0
	cost.rounds++
	began, links := threadTime(), int64(0)
	cost.last = began
	for i, w := range c.works {
		links += int64(c.end(i, w, cost))
		cost.turn(&cost.count)
	}
	ended := threadTime() - began
	cost.hand += took
	cost.ends += ended
	cost.handed += int64(len(c.works))
	cost.links += links
	if cost.exact {
		cost.parted += links
	}
	cost.most = max(cost.most, took+ended)
}

// memory is the account of all of it.
func (c *crawler) memory() *account {
	a := &account{}
	c.seen.Memory(a.add)
	c.urls.Memory(a.add)
	c.in.Memory(a.add)
	c.f.Memory(a.add)
	c.content.Memory(a.add)
	c.first.Memory(a.add)
	return a
}

// A row is a tenth of a load.
type row struct {
	costs
	known, sites int
	fetched      int64
	elapsed      time.Duration
	bytes, heap  int64
}

// perLink is the cost of a link with its share of hand-outs, in nanoseconds.
func (r *row) perLink() float64 { return float64(r.hand+r.ends) / float64(r.links) }

func (r *row) String() string {
	part := func(d time.Duration) float64 { return float64(d) / float64(max(1, r.parted)) }
	return fmt.Sprintf("%6.1f M known %6.2f M fetched %5d k sites | %5.0f ns/link (table %4.0f, order %4.0f, counts %3.0f) | %5.0f ns/hand-out | dearest round %6.1f of %5.1f ms | %5.1f B/known, heap %4d MiB, %v",
		float64(r.known)/1e6, float64(r.fetched)/1e6, r.sites/1000, r.perLink(), part(r.find), part(r.order), part(r.count),
		float64(r.hand)/float64(r.handed), float64(r.most)/1e6, float64(r.hand+r.ends)/1e6/float64(r.rounds),
		float64(r.bytes)/float64(r.known), r.heap>>20, r.elapsed.Round(time.Second))
}

// tenth continues until so many pages are known.
func (c *crawler) tenth(known int) (*row, error) {
	r, began := &row{}, time.Now()
	for c.seen.Pages() < known && c.err == nil {
		c.round(&r.costs)
		if len(c.works) == 0 {
			return nil, fmt.Errorf("nothing to hand out at %d pages", c.seen.Pages())
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, b := range c.memory().bytes {
		r.bytes += b
	}
	r.known, r.sites, r.fetched, r.elapsed, r.heap = c.seen.Pages(), c.seen.Sites(), c.fetched, time.Since(began), int64(m.HeapSys)
	return r, c.err
}

// TestLoad sends a load of 100 million URLs (WINNOW_SCALE_URLS) through URL table,
// frontier and opic: cost per link by tenth, bytes by column against the budgets, and
// how long a snapshot of it takes to write and to load.
func TestLoad(t *testing.T) {
	wanted(t)
	n := number(t, "WINNOW_SCALE_URLS", 100_000_000)
	runtime.LockOSThread()
	dir := t.TempDir()
	c := newCrawler(t, dir, n, max(1000, n/100))
	c.web = newEndless(c.seen.Key(), max(1000, n/100), number(t, "WINNOW_SCALE_LINKS", 20))
	defer c.web.free()
	t.Logf("%d URLs on at most %d sites, %d links a page, %d new, %.0f %% local, Zipf; opic; one thread, processor time",
		n, c.web.sites, c.web.links, freshLinks, 100*localShare)
	c.seed(100)
	var rows []*row
	for i := range 10 {
		r, err := c.tenth(n / 10 * (i + 1))
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
		t.Log(r)
	}
	t.Logf("load after %s; cost of a link in the last tenth by that in the second: %.2f", load(), rows[9].perLink()/rows[1].perLink())
	c.memory().judge(t, int64(c.seen.Pages()), int64(c.seen.Sites()), c.fetched)
	anon := resident(os.Getpid())
	t.Logf("resident %.2f GiB in all, %.1f bytes a known URL", gib(anon), float64(anon)/float64(c.seen.Pages()))
	if anon > 24<<30 {
		t.Errorf("%.1f GiB, want 24 at most", gib(anon))
	}
	began := time.Now()
	c.f.Census()
	t.Logf("counting pages by state: %v", time.Since(began).Round(time.Millisecond))
	c.reload(t, dir, n)
}

// reload saves the state, forgets it, and loads it.
func (c *crawler) reload(t *testing.T, dir string, n int) {
	t.Helper()
	path, sites := filepath.Join(dir, "snapshot"), c.web.sites
	began := time.Now()
	f, err := os.Create(path)
	if err == nil {
		err = c.save(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	wrote := time.Since(began)
	pages, waits := c.seen.Pages(), c.f.Counts().Queued
	if err := c.urls.Flush(); err != nil {
		t.Fatal(err)
	}
	c.free()
	began = time.Now()
	d := newCrawler(t, dir, n, sites)
	defer d.free()
	opened := time.Since(began)
	if _, err = f.Seek(0, io.SeekStart); err == nil {
		err = d.load(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	if d.seen.Pages() != pages || d.urls.Pages() != pages || d.f.Counts().Queued != waits {
		t.Errorf("loaded %d pages, %d URLs, %d pages that wait; want %d, %d that wait", d.seen.Pages(), d.urls.Pages(), d.f.Counts().Queued, pages, waits)
	}
	size, _ := f.Seek(0, io.SeekCurrent)
	t.Logf("snapshot of %.2f GiB written in %v without sync; opened in %v: URL log scanned in %v, columns loaded and heaps made in %v",
		gib(size), wrote.Round(time.Millisecond), time.Since(began).Round(time.Millisecond), opened.Round(time.Millisecond), (time.Since(began) - opened).Round(time.Millisecond))
	f.Close()
}

func (c *crawler) save(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<20)
	for _, s := range []interface{ Save(io.Writer) error }{c.seen, c.f, c.content, c.in, c.first} {
		if err := s.Save(b); err != nil {
			return err
		}
	}
	return b.Flush()
}

func (c *crawler) load(r io.Reader) error {
	b := bufio.NewReaderSize(r, 1<<20)
	for _, s := range []interface{ Load(io.Reader) error }{c.seen, c.f, c.content, c.in, c.first} {
		if err := s.Load(b); err != nil {
			return err
		}
	}
	return nil
}
