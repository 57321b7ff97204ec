package crawl

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/control"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/render/offline"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/crawl/worth"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// RunOptions describe what to crawl, where to store it, and who receives reports.
type RunOptions struct {
	Dir    string // of the crawl; created if it does not exist
	Config config.Config
	// Seeds are URLs in normal form, as ParseSeed returns them. A new crawl needs some. A
	// resumed crawl refuses seeds that it does not know yet, unless AddSeeds is set.
	Seeds    []string
	AddSeeds bool
	Version  string // of the program, for the record
	// MachineMemory is the memory of the machine in bytes. Half of it is the ceiling if the
	// configuration names none.
	MachineMemory int64
	// Sockets is the largest number of connections that the system lets the crawl have open
	// at a time; 0: it is not known.
	Sockets int
	Log     *slog.Logger // nil: nothing is logged
	// Progress, if not nil, is called about once a second. The crawl waits for it, and
	// reuses the Status.
	Progress func(*history.Status)
	// OnPage, if not nil, is called for each fetched page when it is on disk, one call at a time and
	// not for redirects and failures. A slow OnPage slows down the crawl. If it returns an error, the
	// crawl stops, and Run returns the error; nothing is lost, and the next run continues. A crawl
	// that is killed may have stored pages that OnPage has not seen: they are in the archive.
	OnPage  func(*Page) error
	Machine Machine
	// Reload, if not nil, demands that the files of the score are read again. They are also read
	// when they change.
	Reload <-chan struct{}
	// Beside, if not nil, returns the memory outside the Go heap that others use in this process.
	// It counts for the ceiling. It is called often, and from one goroutine.
	Beside func() int64
	// Control, if not nil, brings commands that change the crawl while it runs.
	Control *control.Control
	// Port, if not nil, connects the crawl, which is one of several partitions, with the others.
	Port *port.Port
	// Chance, if not nil, selects pages that get another chance. Nothing is requested: the
	// next run does that.
	Chance  *Chance
	keep    *config.Config // what the next run is to find as configuration; nil: Config
	orders  orders
	uploads *remote.Uploader // nil: WARC files stay here
}

// Machine is the part of the outside world that the crawler touches. The zero value is the
// real one; tests replace it.
type Machine struct {
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	Resolve func(ctx context.Context, host string) (fetch.Names, error)
	// Listen is for notices; nil: net.Listen.
	Listen func(network, addr string) (net.Listener, error)
	TLS    *tls.Config
	// Wall is the clock that dates answers; nil: time.Now. It may jump, the clock of the
	// crawl never does.
	Wall func() time.Time
	// Read, if not nil, is called before an answer is parsed. Tests make it slow, or panic.
	Read func(url string)
	// Disk opens a directory of the crawl by its path below Dir; nil: the file system.
	Disk func(name string) (disk.Dir, error)
	// Heap measures the memory of the Go runtime; nil: only what the crawl itself keeps
	// there is counted.
	Heap  func() Heap
	Sizes Sizes
	// Browser returns what shows pages with --render; nil: chromium.
	Browser func() offline.Browser
}

// Sizes determine when files end, and how often snapshots and the status are written. Small
// ones let a test crawl of seconds do what a real one does in weeks. 0 is the usual size.
type Sizes struct {
	Archive, Journal int64         // bytes of a file
	Replay           time.Duration // estimated time to replay all records since the last snapshot
	Copy             int64         // largest state, in bytes, that is copied for a snapshot
	URLs             int           // bytes of URLs that are written at once
	Status           time.Duration // between two writings of the status
	Report           time.Duration // between two reports that nobody watches, at least
}

// fileSize returns the size at which a WARC file ends.
func (o *RunOptions) fileSize() int64 { return cmp.Or(o.Machine.Sizes.Archive, archive.MaxSize) }

// A Summary describes how a run ended.
type Summary struct {
	history.Status
	Retried int // pages that got another chance, with RunOptions.Chance
}

// Run crawls until nothing is left, a limit of the configuration is reached or the context
// ends. However it ends, Run can resume the crawl in the same directory.
func Run(ctx context.Context, o RunOptions) (*Summary, error) {
	defer o.orders.end(o.Control)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := cmp.Or(o.Config.Check(), o.Chance.check(), o.checkBrowser()); err != nil {
		return nil, err
	}
	if o.Config.Partitions > 1 && o.Port == nil {
		return nil, &hint.Error{Text: fmt.Sprintf("%s has %d partitions, and this is for one", o.Dir, o.Config.Partitions), Hint: "package crawl/partition runs several"}
	}
	if err := o.Config.ReadSecrets(); err != nil {
		return nil, err
	}
	o.Config.ChoosePolicy()
	o.Config.Seeds = config.Union(o.Config.Seeds, o.Seeds)
	v, ctx := newVisitor(ctx, &o)
	defer v.stop(nil)
	if err := o.startUploads(ctx); err != nil {
		return nil, err
	}
	defer o.uploads.Close()
	w, err := worth.Read(&o.Config, memoryLimit(&o)) // it reads files: before anything is created
	if err == nil {
		err = MakeTopic(ctx, &o, func(ctx context.Context, sub RunOptions) (*Summary, error) {
			sum, _, err := run(ctx, &sub, worth.Worth{}, new(visitor))
			return sum, err
		})
	}
	for err == nil {
		var sum *Summary
		if sum, w, err = run(ctx, &o, w, v); err == nil && !o.another(ctx, sum) {
			return sum, v.err
		}
	}
	return nil, err
}

// another reports whether a run has another session after one that ended so.
func (o *RunOptions) another(ctx context.Context, sum *Summary) bool {
	switch sum.Why {
	case whyReload:
		if o.orders.plan != nil { // a command has given pages their chance
			o.Chance = nil
		}
		return true
	case whyCommand:
		return o.obey(ctx, sum)
	}
	return false
}

// run does a session of a run. There may be another one, with the score next.
func run(ctx context.Context, o *RunOptions, w worth.Worth, v *visitor) (sum *Summary, next worth.Worth, err error) {
	scope, err := config.NewScope(&o.Config) // it reads files, too
	if err != nil {
		return nil, w, err
	}
	d, err := openDirectory(o)
	if err != nil {
		return nil, w, err
	}
	defer d.close()
	d.UrlBuffer, d.Stop = o.Machine.Sizes.URLs, ctx.Err
	c, err := open(ctx, o, d, scope, w)
	if err != nil {
		return nil, w, err
	}
	defer c.release()
	l, err := newLoop(newSession(o, c, scope, v))
	if err != nil {
		return nil, w, err
	}
	defer l.release()
	if err = l.start(); err == nil {
		o.orders.answer(nil)
		err = l.run(ctx)
	}
	if (l.limits.stopping == whyReload || l.limits.stopping == whyCommand) && ctx.Err() != nil {
		l.limits.stopping = whyStopped
	}
	if next = l.scores.next; next.Function != nil {
		o.Config.Score = next.Function.String()
	}
	sum, err = l.finish(err)
	return sum, next, err
}

// A session holds what the parts of a run share: what the user wants, what the crawl knows,
// and the recorder to which every decision goes.
type session struct {
	*opened
	clock
	options   *RunOptions
	config    *config.Config
	memory    int64 // the ceiling in force, in bytes
	log       *slog.Logger
	scope     *gather.Scope
	overrides config.Overrides
	visitor   *visitor
	port      *port.Port // nil: there is one partition
	underWay  underWay
	fetched   int64 // pages fetched in all sessions, without redirects and revisits
	visits    int64 // pages fetched in this session, with redirects and revisits
}

// newSession starts the clock of the next session of a crawl.
func newSession(o *RunOptions, c *opened, scope *gather.Scope, v *visitor) *session {
	s := &session{
		opened: c, options: o, config: &o.Config, memory: memoryLimit(o), log: o.Log, scope: scope, visitor: v,
		overrides: config.NewOverrides(&o.Config), underWay: underWay{files: map[graph.Site]bool{}, parts: map[graph.Site]bool{}, hops: map[graph.Site]bool{}},
	}
	s.delay, s.spare.free = o.Config.Commit.Duration, event.Never
	if s.port = o.Port; s.port != nil {
		s.tasks.budget = s.port.Bodies
	} else {
		s.tasks.budget = fetch.NewBudget(bodyBudget(s.memory))
	}
	s.state.Limits.Limits = state.Limits{
		Depth: o.Config.MaxDepth, Dynamic: o.Config.MaxDepthDynamic,
		Site: o.Config.SitePages, Domain: o.Config.DomainPages, Sites: s.overrides.Pages,
	}
	wall := time.Now()
	s.clock = clock{epoch: wall, base: c.state.Now}
	if !c.fresh {
		s.base = max(s.base, time.Duration(wall.UnixNano()-c.state.Began))
	}
	s.lastCommit = s.epoch
	v.began = s.epoch.Round(0).Add(-s.base)
	return s
}

// A clock returns the instant of the crawl. It never goes back, not even over restarts.
type clock struct {
	base  time.Duration // instant at which the session began
	epoch time.Time     // when that was
}

func (c *clock) now() time.Duration { return c.base + time.Since(c.epoch) }

// beginSession records that a session begins, adds its seeds, and admits or withdraws what
// the configuration judges differently from that of the session before.
func (a *admission) beginSession(m *ceiling) error {
	public, _ := a.config.Public()
	text, err := public.Marshal()
	if err != nil {
		return err
	}
	a.was = lastConfig(a.state)
	a.loosened = config.Loosens(a.state.LastConfig, a.config)
	r := a.begin(event.Session, a.base)
	r.Facts.Session = &journal.Session{
		Wall: a.epoch.UnixNano(), Version: a.options.Version, Config: a.config.AppendFilesSum(text),
		Policy: a.config.Policy, SitePolicy: a.config.SitePolicy, Secret: a.id.Secret, Crawl: a.id.Crawl,
	}
	r.Facts.Node, r.Facts.Epoch = a.port.Holder()
	r.Facts.Prior = a.prior.Packed
	r.Facts.Named, r.Facts.Lost = true, a.lost
	r.Facts.Command = a.options.orders.text()
	if list := a.scope.DenyList(); list != nil {
		r.Facts.Deny = state.PackDeny(list)
	}
	a.score(&r.Facts.Score)
	a.record()
	if err := a.judgeExamples(); err != nil { // with the session, in one group
		return err
	}
	if err := a.seed(m); err != nil {
		return err
	}
	if err := a.recallOld(m); err != nil {
		return err
	}
	a.prior.Close()
	if !a.fresh {
		a.retrySession()
	}
	s := a.state // nothing was judged by the scope on replay
	s.Scope, s.Traps.On, s.HtmlOnly = a.scope, a.config.Traps, a.overrides.HTMLOnly
	a.readmit(a.scope)
	a.revisit()
	a.findSitemaps()
	a.nameSeeds()
	if err := a.recallCut(); err != nil {
		return err
	}
	a.withdraw(a.base)
	return nil
}
