package crawl

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
)

// A task is a work in the terms of the Web. The owner makes it, a harvester does it and
// gives it back with what came of it: one record for both ways, used again.
type task struct {
	work  event.Task
	who   int          // the harvester
	url   string       // of the page, the robots.txt or the sitemap file
	host  string       // of Resolve
	addrs []netip.Addr // where to connect to
	last  bool         // the connection is to be closed afterwards
	etag  string
	since string
	extra map[string][]string // headers of this site

	// What came of it.
	start, end time.Duration
	shift      time.Duration // by how much the clock of the machine had jumped; 0 for Resolve
	answer     *fetch.Answer // nil for Resolve
	found      gather.Found
	names      fetch.Names // Resolve
	class      event.Class // Resolve
	again      bool        // Resolve: it may help to ask later
	note       string
	rules      robots.Rules // Robots
	sitemaps   []string     // Robots: as written
	hop        string       // Robots: normal form of the redirect's target, "" if it has none
	void       bool         // it was cancelled: nothing came of it
	stack      string       // where reading the answer made the program panic; "": it did not
}

// before is the order in which the owner takes what came at once.
func (t *task) before(u *task) int {
	switch {
	case t.end != u.end:
		return cmp.Compare(t.end, u.end)
	case t.work.Site != u.work.Site:
		return cmp.Compare(t.work.Site, u.work.Site)
	}
	return cmp.Compare(t.work.Page, u.work.Page)
}

// harvest is what all harvesters share. Nothing in it changes while they run.
type harvest struct {
	ctx     context.Context // ends when requests under way are to be given up
	clock   func() time.Duration
	wall    func() time.Time // of the machine, which may be set while the crawl runs
	began   time.Time        // wall clock of instant 0, as it was when the session began
	resolve func(ctx context.Context, host string) (fetch.Names, error)
	fetch   *fetch.Options
	gather  *gather.Options
	reading func(url string) // see Machine.Read
	product string
	private bool // loopback and private addresses may be asked
	// nameless crawls say nobody whom one could reach: they may ask private addresses only.
	nameless bool
	results  chan *task
	running  sync.WaitGroup
	// gatherers are lent out: each has buffers of some hundred kilobytes, and more of
	// them than processors would not work faster. One that is not there yet is made.
	gatherers chan *gather.Gatherer
}

// A harvester does one work at a time, and has at most one connection.
type harvester struct {
	*harvest
	tasks    chan *task // nil: close the connection
	client   *fetch.Client
	resolver page.Resolver
}

// start makes a harvester, which waits for its first work.
func (h *harvest) start() *harvester {
	w := &harvester{harvest: h, tasks: make(chan *task, 2)} // a work, and before it a word to hang up
	h.running.Add(1)
	go w.run()
	return w
}

func (w *harvester) run() {
	defer w.running.Done()
	for t := range w.tasks {
		switch {
		case t != nil:
			w.do(t)
			w.results <- t
		case w.client != nil:
			w.client.Close()
		}
	}
	if w.client != nil {
		w.client.Close()
	}
}

// do does a work. Clients and gatherers are made when they are first needed: 10,000
// harvesters cost little until they work.
func (w *harvester) do(t *task) {
	t.start = w.clock()
	if t.work.Kind == event.Resolve {
		w.lookUp(t)
		t.end = w.clock()
		return
	}
	if w.client == nil {
		w.client = fetch.NewClient(w.fetch)
	}
	q := &fetch.Request{URL: t.url, Addrs: t.addrs, ETag: t.etag, Modified: t.since, Last: t.last, Header: t.extra}
	switch {
	case t.work.Kind == event.Robots:
		q.MaxBody, q.Prefix = robots.MaxSize+1, true // one more shows that it is longer
	case t.work.Kind == event.Sitemap:
		q.MaxBody, q.Prefix = w.gather.MaxSitemap, true
	case t.work.Kind == event.Fetch && w.gather.HTMLOnly:
		q.Wants = gather.MayBePage
	}
	t.shift = w.shift()
	a := w.client.Do(w.ctx, q)
	t.answer = a
	t.start, t.end, t.void = a.Start, a.End, a.Aborted
	w.read(t)
	a.Body = nil // what is kept of it is in the records
}

// shift is by how much the clock of the machine has jumped since the session began. Less
// than smallShift is none: the two clocks are not read at once.
func (w *harvest) shift() time.Duration {
	d := w.wall().Round(0).Sub(w.began.Add(w.clock()))
	if d.Abs() < smallShift {
		return 0
	}
	return d
}

// smallShift is what a busy machine may take from one line to the next. Clocks that are
// wrong by so little are not set: they run faster or slower for a while, and so does the
// crawl's own.
const smallShift = 100 * time.Millisecond

// read gathers what an answer brought.
func (w *harvester) read(t *task) {
	g := <-w.gatherers
	defer func() { w.gatherers <- g }()
	defer func() {
		if x := recover(); x != nil {
			g = nil // nobody knows in which state it is
			t.crashed(x)
		}
	}()
	if w.reading != nil {
		w.reading(t.url)
	}
	if g == nil {
		g = gather.New(w.gather)
	}
	a, at := t.answer, w.began.Add(t.start+t.shift)
	t.stack = ""
	t.found.Reset()
	switch t.work.Kind {
	case event.Robots:
		g.Robots(t.url, a, at, &t.found)
		w.rule(t)
	case event.Sitemap:
		g.Sitemap(t.url, a, at, &t.found)
	case event.Fetch:
		g.Page(t.url, a, at, &t.found)
	}
}

// lookUp asks for the addresses of a site. Those that may not be asked are left out.
func (w *harvester) lookUp(t *task) {
	names, err := w.resolve(w.ctx, t.host)
	t.names, t.class, t.again, t.note = names, event.OK, false, ""
	if err != nil {
		t.void = w.ctx.Err() != nil
		t.class, t.again, t.note = event.DNSError, !errors.Is(err, fetch.ErrNoName), err.Error()
		return
	}
	t.names.Addrs = nil
	for _, a := range names.Addrs {
		if private := fetch.Private(a); !fetch.Never(a) && (private && w.private || !private && !w.nameless) {
			t.names.Addrs = append(t.names.Addrs, a)
		}
	}
	if len(t.names.Addrs) == 0 {
		t.class, t.note = event.DNSError, w.unwelcome(names.Addrs)
	}
}

// unwelcome says why none of the addresses of a site may be asked.
func (w *harvester) unwelcome(addrs []netip.Addr) string {
	switch {
	case len(addrs) == 0:
		return "no address"
	case fetch.Never(addrs[0]):
		return "its address is link-local or one of a metadata service, which are never asked"
	case fetch.Private(addrs[0]):
		return "its address is private or loopback"
	}
	return "its address is public, and the crawl names no contact"
}

// rule reads a robots.txt, or where it has moved to.
func (w *harvester) rule(t *task) {
	t.rules, t.sitemaps, t.hop = robots.Rules{}, nil, ""
	switch a := t.answer; {
	case a.Class == event.OK || a.Class == event.TooLarge:
		f := robots.Parse(t.found.Body)
		t.rules, t.sitemaps = f.For(w.product), w.sitemapsOf(t.url, f)
	case a.Class == event.Redirect:
		t.hop = gather.RobotsTarget(&w.resolver, t.url, a)
	}
}

// maxSitemaps is how many sitemap files a robots.txt may name.
const maxSitemaps = 100

// sitemapsOf are the sitemap files that lie on the site of the robots.txt itself: those
// elsewhere would be asked on a clock that is not theirs.
func (w *harvester) sitemapsOf(url string, f *robots.File) (files []string) {
	home, _ := page.Site([]byte(url))
	if !w.resolver.Document([]byte(url)).Usable() {
		return nil
	}
	for _, text := range f.Sitemaps {
		to, v := w.resolver.Resolve(nil, []byte(text))
		if !v.Usable() || len(files) == maxSitemaps {
			continue
		}
		if site, _ := page.Site(to); string(site) == string(home) {
			files = append(files, string(to))
		}
	}
	return files
}
