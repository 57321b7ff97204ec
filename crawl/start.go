package crawl

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// Run crawls until there is nothing left, a limit of the configuration is reached or
// the context ends. The directory can then be given to Run again, whatever happened.
func Run(ctx context.Context, o RunOptions) (*Summary, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := o.Config.Check(); err != nil {
		return nil, err
	}
	if err := o.Chance.check(); err != nil {
		return nil, err
	}
	if o.Memory = int64(o.Config.MaxMemory); o.Memory == 0 {
		o.Memory = max(o.MachineMemory/2, 1<<30)
	}
	o.Config.Seeds = union(o.Config.Seeds, o.Seeds)
	scope, err := config.NewScope(&o.Config) // reads files: before anything is made
	if err != nil {
		return nil, err
	}
	d, err := openDirectory(&o)
	if err != nil {
		return nil, err
	}
	defer d.close()
	d.UrlBuffer, d.Stop = o.Machine.Sizes.URLs, ctx.Err
	w, err := open(&o, d, scope)
	if err != nil {
		return nil, err
	}
	defer w.release()
	return w.crawl(ctx)
}

// union is the first list and what the second has beyond it.
func union(a, b []string) []string {
	known := map[string]bool{}
	list := make([]string, 0, len(a)+len(b))
	for _, s := range slices.Concat(a, b) {
		if !known[s] {
			known[s] = true
			list = append(list, s)
		}
	}
	return list
}

// open makes the owner of a crawl that is new or goes on.
func open(o *RunOptions, d *directory, scope *gather.Scope) (*owner, error) {
	id, err := layout.ReadIdentity(d.Journal)
	none := errors.Is(err, journal.ErrNone)
	fresh := none || errors.Is(err, layout.ErrNothing)
	switch {
	case fresh && len(o.Seeds) == 0:
		return nil, &hint.Error{Text: "there is nothing to begin with", Hint: "name the URLs of some pages: winnow crawl https://example.org"}
	case none:
		id = layout.NewIdentity()
	case errors.Is(err, journal.ErrVersion):
		return nil, &hint.Error{Text: o.Dir + " was written by a later version of winnow", Hint: "use that version, or another --dir", Err: err}
	case err != nil && !fresh:
		return nil, &hint.Error{Text: "cannot read the journal of " + o.Dir, Hint: "winnow verify " + o.Dir + " says what is wrong", Err: err}
	}
	set, err := state.NewSetup(&o.Config, id, o.Memory)
	if err != nil {
		return nil, err
	}
	w := &owner{honest: map[string]bool{}, scope: scope, o: o, c: &o.Config, log: o.Log, limits: newLimits(&o.Config), Overrides: config.NewOverrides(&o.Config)}
	w.limits.Sites = w.Overrides.Pages
	w.ceiling = newCeiling(o.Memory, o.Machine.Heap)
	if len(o.Config.Site) > 0 {
		set.SiteDelay = w.Overrides.Delay
	}
	header := journal.Header{Crawl: id.Crawl, Partitions: 1}
	if err = w.recover(d, set, header, none); err == nil {
		err = w.begins(id, fresh)
	}
	if err != nil {
		w.release()
	}
	return w, err
}

// release gives back what a run has, when its harvesters and its committer have ended or
// were never there: the directory is another's then.
func (o *owner) release() {
	if o.follow != nil {
		o.follow.end()
	}
	o.index.wait()
	if o.hangUp != nil {
		o.hangUp()
	}
	if o.journal != nil {
		o.journal.Drop()
	}
	if o.warc != nil {
		o.warc.Drop()
	}
	if o.s != nil {
		o.s.Close()
	}
}

// recover brings journal, state and archive to the last commit.
func (o *owner) recover(d *directory, set *state.Setup, h journal.Header, none bool) error {
	var last journal.Commit
	var records uint64
	var err error
	if none {
		o.journal, err = journal.Begin(d.Journal, h)
	} else {
		var found journal.Found
		if o.journal, found, err = journal.Open(d.Journal, h); err == nil {
			last, records = found.Last, found.Records
			o.damaged(found)
		}
	}
	if err != nil {
		return diskError(o.o.Dir, err)
	}
	if err := state.DropAhead(d.Snapshot, records); err != nil {
		return diskError(o.o.Dir, err)
	}
	set.Fit(last)
	began := time.Now()
	o.s, err = state.Restore(&d.Parts, set, records, o.log.Warn)
	switch {
	case err != nil && d.Stopped() != nil:
		return err // nothing is lost, and nothing new is there
	case disk.ErrFull(err):
		return diskError(o.o.Dir, err)
	case err != nil:
		return &hint.Error{Text: "cannot restore the crawl in " + o.o.Dir, Hint: "winnow verify " + o.o.Dir + " says what is wrong", Err: err}
	}
	o.log.Info("restored", "pages", o.s.Frontier.Pages(), "records", o.s.Next, "took", time.Since(began).Round(time.Millisecond))
	if err := o.checkSeeds(); err != nil {
		return err
	}
	if err := state.SyncURLs(&d.Parts); err != nil {
		return diskError(o.o.Dir, err)
	}
	o.dir = d
	o.journal.Segment = o.o.Machine.Sizes.Journal
	return o.openArchive(d.Archive, set, last)
}

// damaged says what of the journal cannot be read. The crawl goes on without it.
func (o *owner) damaged(f journal.Found) {
	for _, x := range f.Damage {
		o.log.Warn("a part of the journal is damaged; what it made known is found again", "damage", x)
	}
}

func (o *owner) openArchive(dir disk.Dir, set *state.Setup, last journal.Commit) (err error) {
	algorithm := archive.SHA1
	builder := archive.NewBuilder(set.Crawl, algorithm)
	o.warc, err = archive.Open(dir, archive.Config{
		Prefix: "winnow", Builder: builder, Now: time.Now, MaxSize: o.o.Machine.Sizes.Archive,
		Info: archive.Info{
			Software: "winnow/" + cmp.Or(o.o.Version, "devel"), Operator: o.c.Contact, UserAgent: o.c.Agent(o.o.Version), Robots: robotsPolicy(o.c),
		},
	}, layout.Position(last))
	if err != nil {
		return diskError(o.o.Dir, err)
	}
	o.tellRecovery(o.warc.Recovery())
	o.position = layout.Position(last)
	o.builder = builder
	return nil
}

// tellRecovery says what of the archive is not as the journal has it.
func (o *owner) tellRecovery(r *archive.Recovery) {
	if len(r.Aside) > 0 {
		bytes := int64(0)
		for _, x := range r.Aside {
			bytes += x.Bytes
		}
		o.log.Warn("the WARC files have more than the journal knows of: it has lost its end, or is an older copy; "+
			"nothing was deleted: these bytes were set aside, and their pages are fetched again. "+
			"If there is a newer journal, stop, put it back and give the files their old names; else delete them when you like",
			"files", len(r.Aside), "bytes", bytes, "first", layout.ArchiveDir+"/"+r.Aside[0].Name)
	}
	switch {
	case r.Absent:
		o.log.Info("the last WARC file is not here: it was moved away or lost; the next one is begun", "bytes", r.Missing)
	case r.Missing > 0:
		o.log.Warn("the last WARC file is shorter than the journal says, as after a power loss with --sync=false; "+
			"the next one is begun, and winnow verify lists what is missing", "bytes", r.Missing)
	}
}

func robotsPolicy(c *config.Config) string {
	if c.Robots {
		return "RFC9309"
	}
	return "ignored"
}

func newLimits(c *config.Config) state.Limits {
	return state.Limits{Depth: c.MaxDepth, Dynamic: c.MaxDepthDynamic, Site: c.SitePages, Domain: c.DomainPages}
}

// begins starts the clock and the session, makes the seeds known, and commits that
// before anything is asked for.
func (o *owner) begins(id layout.Identity, fresh bool) error {
	wall := time.Now()
	o.epoch, o.base = wall, o.s.Now
	if !fresh {
		o.base = max(o.s.Now, time.Duration(wall.UnixNano()-o.s.Began))
	}
	text, err := o.c.Marshal()
	if err != nil {
		return err
	}
	text = o.c.AppendFilesSum(text)
	o.before = o.s.LastConfig
	o.loosened = config.Loosens(o.s.LastConfig, o.c)
	r := o.begin(event.Session, o.base)
	r.Facts.Session = &journal.Session{
		Wall: wall.UnixNano(), Version: o.o.Version, Config: text, Policy: o.c.Policy, SitePolicy: o.c.SitePolicy,
		Secret: id.Secret, Crawl: id.Crawl,
	}
	if list := o.scope.DenyList(); list != nil {
		r.Facts.Deny = state.PackDeny(list)
	}
	o.record()
	if err := o.seed(); err != nil {
		return err
	}
	if !fresh {
		o.retrySession()
	}
	if err := o.assemble(); err != nil {
		return err
	}
	o.fetched = o.s.Fetched()
	o.timer = time.NewTimer(time.Hour)
	return nil
}

// assemble makes what harvesters need.
func (o *owner) assemble() error {
	o.s.Scope, o.s.Traps, o.s.Limits, o.s.HtmlOnly = o.scope, o.c.Traps, &o.limits, o.c.Types == config.TypesHTML
	o.flight = newFlight()
	if names := o.Headers.Exposed(); len(names) > 0 {
		o.log.Warn("a header that looks like a secret goes to every site, as --header-scope any says", "headers", names)
	}
	o.readmit(o.scope)
	o.revisit()
	if err := o.recallCut(); err != nil {
		return err
	}
	o.withdraw(o.base)
	resolve, err := o.resolver()
	if err != nil {
		return err
	}
	options, err := o.fetchOptions()
	if err != nil {
		return err
	}
	builder := o.builder
	if !o.c.KeepsPages() {
		builder = nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel = cancel
	o.h = &harvest{
		ctx: ctx, clock: o.now, wall: o.o.Machine.Wall, began: o.epoch.Round(0).Add(-o.base), resolve: resolve, fetch: options,
		reading: o.o.Machine.Read, product: o.c.Product(), private: o.c.AllowPrivate, nameless: o.c.Contact == "",
		results:   make(chan *task, o.c.Fetchers),
		gatherers: make(chan *gather.Gatherer, gatherers(o.o.Memory)),
		gather: &gather.Options{
			Key: o.s.Key, Product: o.c.Product(), Scope: o.scope, Builder: builder,
			KeepNoArchive: o.c.KeepNoArchive, HTMLOnly: o.c.Types == config.TypesHTML, MaxBody: int64(o.c.MaxBody),
			MaxSitemap: maxSitemap(o.c, o.o.Memory), Withheld: o.Headers.Withheld, MaxLinks: o.c.MaxLinks,
		},
	}
	if o.h.wall == nil {
		o.h.wall = time.Now
	}
	for range cap(o.h.gatherers) {
		o.h.gatherers <- nil
	}
	o.robots = robots.Limits{Retry: o.c.RobotsRetry.Duration}
	o.deny = denyList{path: o.c.Deny, scope: o.scope, text: o.scope.DenyList().DenyText()}
	o.index = newIndexer(o.dir, o.warc.Size())
	o.follow = newFollow(o.dir, o.s, &o.o.Machine.Sizes)
	o.commit = newCommitter(o.warc, o.journal, o.c.Sync)
	return nil
}

// fetchOptions are those of all clients.
func (o *owner) fetchOptions() (*fetch.Options, error) {
	proxy, err := o.c.ProxyURL()
	if err != nil {
		return nil, err
	}
	trust, err := o.trust()
	if err != nil {
		return nil, err
	}
	return &fetch.Options{
		Dial: o.o.Machine.Dial, TLS: trust, Proxy: proxy,
		UserAgent: o.c.Agent(o.o.Version), Header: o.Headers.All(), HTTP2: true, AllowPrivate: o.c.AllowPrivate,
		MaxBody: int64(o.c.MaxBody), Connect: o.c.Connect.Duration, FirstByte: o.c.FirstByte.Duration,
		Stall: o.c.Stall.Duration, Total: o.c.Timeout.Duration,
		Clock: o.now, Budget: fetch.NewBudget(bodyBudget(o.o.Memory)), Conns: new(atomic.Uint32),
	}, nil
}

// gatherers is how many pages are read at a time: two for each processor, but each of them
// may need as much as the largest page unpacked, several times over.
func gatherers(memory int64) int {
	n := 2 * runtime.GOMAXPROCS(0)
	if memory == 0 {
		return n
	}
	return max(1, min(n, int(memory>>27)))
}

// maxSitemap is how much of a sitemap file is read: what the protocol allows, 50 MiB, or
// with little memory a 32nd of it, but never less than of a page.
func maxSitemap(c *config.Config, memory int64) int64 {
	most := int64(50 << 20)
	if memory > 0 {
		most = min(most, memory/32)
	}
	return max(most, int64(c.MaxBody))
}

// bodyBudget is how many bytes of bodies may be in memory.
func bodyBudget(memory int64) int64 { return max(16<<20, memory/8) }

// resolver is what finds addresses.
func (o *owner) resolver() (func(context.Context, string) (fetch.Names, error), error) {
	if r := o.o.Machine.Resolve; r != nil {
		return r, nil
	}
	server, err := o.c.ResolverAddress()
	if err != nil {
		return nil, err
	}
	r, err := fetch.NewResolver(fetch.ResolverOptions{Server: server})
	if err != nil {
		return nil, err
	}
	o.dns, o.hangUp = r.Stats, r.Close
	o.remember(r)
	return r.Lookup, nil
}

// remember tells the resolver which addresses the journal has: the level of its cache
// that is on disk (W18). Sites have theirs already; other sites of the same hosts find
// them there.
func (o *owner) remember(r *fetch.Resolver) {
	for i := range o.s.Frontier.Sites() {
		s := graph.Site(i)
		left := o.s.Frontier.AddressHolds(s) - o.base
		if a := o.s.AddressOf(s); a.IsValid() && left > 0 {
			r.Remember(string(page.Host(o.s.Table.Name(s))), fetch.Names{Addrs: []netip.Addr{a}, TTL: left})
		}
	}
}

// crawl runs the owner to its end, and leaves everything committed and closed.
func (o *owner) crawl(ctx context.Context) (*Summary, error) {
	defer o.cancel()
	if err := o.flush(); err != nil { // the session is on disk before anything is asked for
		return nil, o.abandon(err)
	}
	if err := o.dir.writeConfig(o.c); err != nil {
		return nil, o.abandon(err)
	}
	if o.o.Chance != nil {
		o.retriedPages = o.retry(o.chance)
		o.stop(o.now(), whyRetry)
	}
	err := o.run(ctx)
	o.dismiss()
	if err != nil {
		return nil, o.abandon(err)
	}
	return o.finish()
}

// flush commits what is open and waits for it.
func (o *owner) flush() error {
	for o.busy || !o.journal.Empty() {
		if !o.busy {
			o.give()
		}
		o.written = append(o.written, <-o.commit.out)
		if err := o.settle(o.now()); err != nil {
			return err
		}
	}
	return nil
}

// dismiss ends all harvesters, and gives up what they still do.
func (o *owner) dismiss() {
	if len(o.idle) < len(o.crew) {
		o.cancel()
	}
	for _, w := range o.crew {
		close(w.tasks)
	}
	o.h.running.Wait()
}

// abandon ends a run that failed: nothing more is written. What was committed is what
// the next run finds.
func (o *owner) abandon(err error) error {
	close(o.commit.in)
	for range o.commit.out {
	}
	return err
}

// finish leaves a crawl that can be opened by all: committed, snapshot taken, files
// closed.
func (o *owner) finish() (*Summary, error) {
	err := o.flush()
	if err == nil {
		o.mark(o.now())
		err = o.flush()
	}
	if err != nil {
		return nil, o.abandon(err)
	}
	close(o.commit.in)
	if err := o.closeFiles(); err != nil {
		return nil, diskError(o.o.Dir, err)
	}
	now := o.now()
	o.measure(now)
	o.stats.State = "paused"
	if o.stopping == whyFinished {
		o.stats.State = "finished"
	}
	o.stats.Why, o.stats.Caps = o.stopping, o.s.Caps(o.c)
	x := o.stats
	x.AddDetails(o.s)
	o.dir.writeStatus(&x, o.log)
	o.stats.Unreachable = x.Unreachable
	return &Summary{Status: o.stats, Retried: o.retriedPages}, nil
}

// closeFiles closes what the committer wrote, and takes a snapshot.
func (o *owner) closeFiles() error {
	o.follow.end() // the last snapshot is the owner's
	if err := o.s.URLs.Flush(); err != nil {
		return err
	}
	if err := state.WriteSnapshot(o.dir.Snapshot, o.s.Next, o.s.Save); err != nil {
		return err
	}
	if err := o.warc.Close(); err != nil {
		return err
	}
	o.index.finish(o.stopping == whyStopped, o.log.Warn)
	return o.journal.Close()
}
