package crawl

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// listing answers with sitemaps of so many pages each.
func listing(files, pages int) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			for i := range files {
				fmt.Fprintf(rw, "Sitemap: /sm/%d.txt\n", i)
			}
		case strings.HasPrefix(r.URL.Path, "/sm/"):
			for i := range pages {
				fmt.Fprintf(rw, "http://b.example%s/%d\n", r.URL.Path, i)
			}
		default:
			linksTo(many(50, "x")...)(rw, r)
		}
	}
}

// A crawl whose memory is used up pauses, says so again when it goes on with as little, and
// loses no page of a sitemap when it goes on with more.
func TestCaseMemoryFull(t *testing.T) {
	if testing.Short() {
		t.Skip("450,000 pages")
	}
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": listing(9, 50_000)}, "http://b.example/")
		w.o.Config.MaxMemory = 64 << 20
		w.o.Config.Duration = config.Duration{Duration: 2 * time.Minute}
		one := w.run(t)
		if one.Why != "memory" || one.State != "paused" || one.Known > 400_000 || one.Known < 100_000 {
			t.Errorf("with 64 MiB: %s (%s), %d pages are known", one.State, one.Why, one.Known)
		}
		w.o.Seeds = nil
		again := w.run(t)
		if again.Why != "memory" || again.Known < one.Known || again.Requests > one.Requests+2 {
			t.Errorf("with 64 MiB again: %s, %d pages are known after %d more requests", again.Why, again.Known, again.Requests-one.Requests)
		}
		w.o.Config.MaxMemory, w.o.Config.Duration = 1<<30, config.Duration{Duration: 5 * time.Minute}
		two := w.run(t)
		t.Logf("known: %d, %d, %d", one.Known, again.Known, two.Known)
		if two.Known < 450_051 || two.Why != "duration" {
			t.Errorf("with 1 GiB: %s, %d of 450,051 pages are known", two.Why, two.Known)
		}
	})
}

// Of a page that came every link is known, however often the memory was used up.
func TestMemoryFullLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of thousands of pages")
	}
	const hubs, leaves = 350, 1000
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			var i int
			switch n, _ := fmt.Sscanf(r.URL.Path, "/hub/%d", &i); {
			case r.URL.Path == "/":
				ownPage(many(hubs, "hub")...)(rw, r)
			case n == 1:
				ownPage(many(leaves, fmt.Sprintf("x%d", i))...)(rw, r)
			default:
				http.NotFound(rw, r)
			}
		}}, "http://a.example/")
		w.o.Config.Policy, w.o.Config.Pages, w.o.Config.SitePages = "breadth-first", hubs+1, 0
		pauses := 0
		for size := config.Size(64); ; size += 2 {
			w.o.Config.MaxMemory = size << 20
			sum := w.run(t)
			w.o.Seeds = nil
			t.Logf("with %d MiB: %s, %d pages came, %d are known", size, sum.Why, sum.Fetched, sum.Known)
			if want := 1 + hubs + leaves*(sum.Fetched-1); sum.Fetched > 0 && sum.Known != want {
				t.Fatalf("with %d MiB: %d pages came and %d are known, want %d", size, sum.Fetched, sum.Known, want)
			}
			if sum.Why == "pages" {
				break
			}
			if pauses++; sum.Why != "memory" || size > 200 {
				t.Fatalf("with %d MiB: %s", size, sum.Why)
			}
		}
		if pauses < 2 {
			t.Errorf("it paused %d times", pauses)
		}
	})
}

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
	long(t)
	s, _ := newTestState(t)
	name := []byte("http://a.example")
	s.Site(s.Key.Site(name), name)
	before := s.Memory()
	for day := range 40 { // one site, whose robots.txt changes every day
		s.SetRules(0, bigRules(day))
	}
	if n, size := len(s.Texts.List), int64(bigRules(39).Size()); n > 3 || len(s.Texts.Numbers) != 1 || s.Texts.Size != size {
		t.Errorf("%d rules of %d bytes are kept for one site, want one of %d", n, s.Texts.Size, size)
	} else if grown := s.Memory() - before; grown < size || grown > size+1024 {
		t.Errorf("the state takes %d bytes more, its rules %d", grown, size)
	}
	s.SetRules(0, robots.Rules{})
	if s.Texts.Size != 0 || len(s.Texts.Numbers) != 0 {
		t.Errorf("%d bytes of rules are left", s.Texts.Size)
	}
}

// foldedSites makes a state that knows the first pages of n sites.
func foldedSites(t *testing.T, n int) *folded {
	t.Helper()
	s, _ := newTestState(t)
	f := &folded{t: t, s: s}
	f.begin(event.Seed)
	for i := range n {
		f.link(fmt.Appendf(nil, "http://s%d.example", i), []byte("/"))
	}
	f.apply()
	return f
}

// move gives a site another address.
func (f *folded) move(site int, to netip.Addr) {
	f.work(event.Resolve, graph.Site(site), 0, event.Resolved, func(r *journal.Record) {
		r.Facts.Addrs = []netip.Addr{to}
		r.Event.Address, r.Event.Expiry = f.s.Number(to), f.now+time.Minute
	})
}

// Numbers of rules and addresses are used again, the smallest first, also after they were
// saved.
func TestNumbersAgain(t *testing.T) {
	f := foldedSites(t, 4)
	s := f.s
	move := func(site int, to netip.Addr) {
		f.now += time.Hour
		f.move(site, to)
	}
	for i := range 4 {
		move(i, publicAddr(i))
	}
	for i := range 1000 { // the addresses of a name that changes them all the time
		move(2, publicAddr(100+i))
	}
	move(1, netip.MustParseAddr("2001:db8::1"))
	if n := s.Ips.Bits.Len(); n > 8 {
		t.Errorf("%d numbers for 4 sites", n)
	}
	var set graph.Set
	defer set.Free()
	saved := state.NewIPNumbers(&set, 100)
	if err := saved.Load(s.Ips.Save(), s.Frontier.Addresses()); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if a, b := saved.At(s.Frontier.Address(graph.Site(i))), s.AddressOf(graph.Site(i)); a != b || !a.IsValid() {
			t.Errorf("site %d is at %v, saved as %v", i, b, a)
		}
	}
	next := publicAddr(5000)
	if a, b := s.Ips.Number(next), saved.Number(next); a != b {
		t.Errorf("the next address is number %d, after loading %d", a, b)
	}
}

// Of a site that is given up, or that has rules, no trouble is remembered.
func TestCaseTrouble(t *testing.T) {
	s, _ := newTestState(t)
	for i := range 1000 {
		name := fmt.Appendf(nil, "http://s%d.example", i)
		s.Site(s.Key.Site(name), name)
		r := &journal.Record{Event: event.Event{Kind: event.Ruled, Task: event.Task{Site: graph.Site(i), For: graph.Site(i)}, Class: event.ConnectError, Again: true}}
		s.Ruled(r)
		if r.Event.Again = false; len(s.Trouble) != 1 {
			t.Fatalf("%d sites have trouble", len(s.Trouble))
		}
		s.Ruled(r) // the last try: given up
	}
	if len(s.Trouble) != 0 {
		t.Errorf("%d entries of trouble for sites that are given up", len(s.Trouble))
	}
}

// fullState is a state of so many pages of one site, all of which came, in a crawl with
// --recrawl and four parameters each.
func fullState(t *testing.T, n int) *state.State {
	t.Helper()
	c := config.Default()
	c.Recrawl = config.Duration{Duration: 7 * 24 * time.Hour}
	set, err := state.NewSetup(&c, layout.Identity{Crawl: [16]byte{1}, Secret: [16]byte{2}}, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	s, err := state.Empty(&layout.Parts{Urls: disk.NewMemory(), UrlFile: layout.URLFile}, set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	name := []byte("http://a.example")
	id, _ := s.Site(s.Key.Site(name), name)
	var r journal.Record
	r.Event.Kind = event.Seed
	for i := range n {
		rest := fmt.Appendf(nil, "/list%d/view.php?cat=%d&item=%d&page=%d&lang=%d", i%50, i%97, i, i%11, i%3)
		p, _ := s.Table.Page(s.Key.Page(s.Key.Site(name), rest))
		s.Add(&r, p, id, name, rest, event.NoBar)
		name = nil
	}
	s.Apply(&r, true)
	for i := range n {
		now := time.Duration(i) * time.Second
		took := journal.Record{Now: now, Event: event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Page: graph.Page(i)}}}
		s.Apply(&took, true)
		done := journal.Record{Now: now, Event: event.Event{Kind: event.Done, Task: event.Task{Page: graph.Page(i)}, Start: now, End: now, Due: now + 7*24*time.Hour}}
		done.Facts.Digest = [16]byte{byte(i), byte(i >> 8), byte(i >> 16), 1}
		done.Facts.SimHash = uint64(i) * 0x9e3779b97f4a7c15
		done.Facts.ETag, done.Facts.Modified = fmt.Sprintf("\"%016x-%08x\"", i*77, i), "Wed, 21 Oct 2026 07:28:00 GMT"
		s.Apply(&done, true)
	}
	return s
}

// What the ceiling goes by is what a page takes, whatever it takes: here three times as
// much as in an ordinary crawl.
func TestCaseBytesPerPage(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 pages")
	}
	const n = 100_000
	s := fullState(t, n)
	c := newCeiling(200<<20, nil)
	c.look(s, true)
	if c.state/n < 150 || c.needed < 2*c.state {
		t.Errorf("%d bytes a page, %d bytes needed", c.state/n, c.needed)
	}
	for most, full := range map[int64]bool{c.needed: true, c.needed - 1: true, c.needed * 9 / 8: false} {
		d := newCeiling(most, nil)
		d.state, d.needed = c.state, c.needed
		if d.full() != full {
			t.Errorf("%d bytes are needed; %d are too little: %t", c.needed, most, d.full())
		}
	}
}

// Of a site whose sitemap files were all read none is remembered, but that there were some:
// they are not read again.
func TestListingsEnd(t *testing.T) {
	s, _ := newTestState(t)
	name := []byte("http://a.example")
	s.Site(s.Key.Site(name), name)
	s.AddFiles(0, []string{"http://a.example/1.xml"})
	next := &journal.Record{Event: event.Event{Kind: event.Listed}, Facts: journal.Facts{Files: []string{"http://a.example/2.xml", "http://a.example/3.xml"}}}
	s.Listed(next) // an index
	if n := s.Listings[0]; n != 3 || !s.NamedFiles(0) {
		t.Errorf("%d files are known", n)
	}
	for range 2 {
		next.Facts.Files = nil
		s.Listed(next)
	}
	if len(s.Listings) != 0 || len(s.Files) != 0 || s.Waiting != 0 || !s.NamedFiles(0) || s.NamedFiles(100) {
		t.Errorf("%d counts, %d lists, %d bytes of names are left; read before: %t", len(s.Listings), len(s.Files), s.Waiting, s.NamedFiles(0))
	}
}

// The last site of an address moves away right after a request to it, and another one
// comes: the delay of the address still holds for it, also after a save.
func TestAddressComesBack(t *testing.T) {
	f := foldedSites(t, 3)
	s := f.s
	here, there := publicAddr(1), publicAddr(2)
	f.move(0, here)
	f.now += time.Hour
	f.work(event.Robots, 0, 0, event.Ruled, func(r *journal.Record) {
		r.Facts.Rules, _ = s.Texts.List[0].AppendBinary(nil)
		r.Event.Expiry = f.now + time.Hour
	})
	number := s.Frontier.Address(0)
	f.now += 10 * time.Millisecond
	f.move(0, there)
	f.move(2, publicAddr(4)) // it must not have the number
	var set graph.Set
	defer set.Free()
	saved := state.NewIPNumbers(&set, 100)
	if err := saved.Load(s.Ips.Save(), s.Frontier.Addresses()); err != nil || saved.Number(here) != number {
		t.Errorf("after loading the address has number %d, want %d; %v", saved.Number(here), number, err)
	}
	f.now += 10 * time.Millisecond
	if f.move(1, here); s.Frontier.Address(1) != number || s.Frontier.AddressIdle(f.now, number) {
		t.Errorf("the address had number %d and has %d, and can be asked", number, s.Frontier.Address(1))
	}
	f.now += time.Hour
	f.move(1, there)
	if n := s.Number(publicAddr(3)); n != number {
		t.Errorf("the number %d is not used again, but %d", number, n)
	}
}
