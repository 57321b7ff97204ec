package partition

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/pprof"
	"sync"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/control"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/exchange/suffix"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// Run crawls as crawl.Run does, with as many partitions as the configuration names. A crawl with
// one is left to crawl.Run.
func Run(ctx context.Context, o crawl.RunOptions) (*crawl.Summary, error) {
	top, err := openTop(&o)
	if top == nil && err == nil {
		return crawl.Run(ctx, o)
	}
	defer o.Control.End()
	if err != nil {
		return nil, err
	}
	defer top.close()
	speak(&o)
	if err := makeTopic(ctx, &o, top); err != nil {
		return nil, err
	}
	r, err := newRun(&o, top)
	if err != nil {
		return nil, err
	}
	o.Log.Warn("several partitions are new, and some options and verbs are missing; docs/partitions.md lists them")
	r.bus = newMemoryBus(top.file.Partitions, r.wake)
	return r.crawl(ctx)
}

// makeTopic makes the topic of a crawl that has none yet and has examples that are URLs: all partitions
// fetch theirs in a session, and one topic is made of the copies of all. Without URLs each partition
// makes the same topic of files.
func makeTopic(ctx context.Context, o *crawl.RunOptions, t *top) error {
	c := &o.Config
	if len(c.ExampleURLs()) == 0 || c.Topic != "" {
		return nil
	}
	if err := cmp.Or(c.Check(), c.ReadSecrets()); err != nil {
		return err
	}
	c.ChoosePolicy()
	return crawl.MakeTopic(ctx, o, func(ctx context.Context, sub crawl.RunOptions) (*crawl.Summary, error) {
		r, err := newRun(&sub, t)
		if err != nil {
			return nil, err
		}
		r.bus = newMemoryBus(t.file.Partitions, r.wake)
		return r.crawl(ctx)
	})
}

// A run is one run of all partitions.
type run struct {
	o           *crawl.RunOptions
	top         *top
	pool        *pool
	coordinator *Coordinator
	bus         bus
	board       *board
	ledger      *ledger
	weights     weights
	bodies      *fetch.Budget
	parsing     *gather.Places
	wakes       []chan struct{}
	controls    []*control.Control // nil: it cannot be controlled
	notices     []chan []string
	page        sync.Mutex // of OnPage
	// tenure returns the right to crawl a partition; nil: no other process can have one.
	tenure func(self int) port.Tenure
}

func newRun(o *crawl.RunOptions, t *top) (*run, error) {
	speak(o)
	if err := Check(&o.Config); err != nil {
		return nil, err
	}
	o.Config.Seeds = config.Union(o.Config.Seeds, o.Seeds) // the scope of all partitions depends on all seeds
	n := t.file.Partitions
	r := &run{o: o, top: t, wakes: make([]chan struct{}, n)}
	for i := range r.wakes {
		r.wakes[i] = make(chan struct{}, 1)
		r.notices = append(r.notices, make(chan []string, 1))
		if o.Control != nil {
			r.controls = append(r.controls, control.New())
		}
	}
	r.pool = newPool(o.Config.Fetchers, n, r.wake)
	r.coordinator = NewCoordinator(n, o.Config.Pages, int64(o.Config.Bytes), r.wake)
	if o.Config.Requisites {
		r.coordinator.Requisites()
	}
	r.board = newBoard(o, t, n)
	r.ledger = newLedger(o.Config.IPDelay.Duration, o.Config.IPCap, t.resumed)
	r.weights.bytes = make([]int64, n)
	r.bodies, r.parsing = fetch.NewBudget(crawl.BodyBudget(o)), crawl.NewPlaces(o)
	return r, nil
}

// speak lets a run without a log say nothing.
func speak(o *crawl.RunOptions) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// wake lets a partition look at its port.
func (r *run) wake(self int) {
	select {
	case r.wakes[self] <- struct{}{}:
	default: // it will look anyway
	}
}

// crawl runs all partitions until all have ended. If one fails, the others stop in order.
func (r *run) crawl(ctx context.Context) (*crawl.Summary, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := len(r.wakes)
	sums, errs := make([]*crawl.Summary, n), make([]error, n)
	quiet, err := r.notify(ctx)
	if err != nil {
		return nil, err
	}
	defer quiet()
	var running, obeying sync.WaitGroup
	for i := range n {
		o, err := r.options(i, nil)
		if err != nil {
			cancel()
			errs[i] = err
			break
		}
		running.Go(func() {
			pprof.Do(ctx, pprof.Labels("partition", layout.PartitionName(i)), func(ctx context.Context) {
				sums[i], errs[i] = crawl.Run(ctx, o)
			})
			r.pool.leave(i)
			if errs[i] != nil {
				cancel()
			}
		})
	}
	obeying.Go(func() { r.obey(ctx) })
	running.Wait()
	cancel()
	obeying.Wait()
	if err := first(errs); err != nil {
		return nil, err
	}
	return r.board.end(sums), nil
}

// first returns the error that explains the others: not that of a context that ended for it.
func first(errs []error) (err error) {
	for _, e := range errs {
		if e != nil && (err == nil || errors.Is(err, context.Canceled)) {
			err = e
		}
	}
	return err
}

// options returns the options of a partition. link may change its port; nil: nothing does.
func (r *run) options(self int, link func(*port.Port)) (crawl.RunOptions, error) {
	o := *r.o
	id, err := r.top.file.Identity(self)
	if err != nil {
		return o, err
	}
	o.Dir = layout.PartitionDir(r.o.Dir, self)
	if self > 0 {
		o.Beside = nil // once is enough
	}
	if open := r.o.Machine.Disk; open != nil {
		o.Machine.Disk = func(name string) (disk.Dir, error) { return open(layout.PartitionName(self) + "/" + name) }
	}
	o.Config = r.o.Config.Clone()
	o.Log = r.o.Log.With("partition", self)
	if o.OnPage != nil {
		o.OnPage = func(p *crawl.Page) error {
			r.page.Lock()
			defer r.page.Unlock()
			return r.o.OnPage(p)
		}
	}
	o.Progress = r.board.progress(self)
	o.Port = &port.Port{
		Self: self, Of: len(r.wakes), Identity: id, Owner: r.top.owner, Wake: r.wakes[self], Bodies: r.bodies, Parsing: r.parsing,
		Addresses: r.ledger, Bus: mailbox{r.bus, self}, Pool: permits{r.pool, self}, Coordinator: contact{r.coordinator, self},
		Weigh: r.weights.of(self), Tell: r.board.tell(self),
	}
	if r.tenure != nil {
		o.Port.Tenure = r.tenure(self)
	}
	if link != nil {
		link(o.Port)
	}
	o.Port.Notices = r.notices[self]
	o.Seeds = o.Port.NewSeeds(r.o.Seeds)
	if o.Control != nil {
		o.Control = r.controls[self]
	}
	return o, nil
}

// weights add up the memory of all partitions.
type weights struct {
	mu    sync.Mutex
	bytes []int64
	sum   int64
	// beyond is told the sum, and returns what other crawls of this process take; nil: there are none.
	beyond func(sum int64) int64
}

// of returns Port.Weigh of a partition.
func (w *weights) of(self int) func(int64) int64 {
	return func(bytes int64) int64 {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.set(self, bytes)
	}
}

// set sets what a partition takes, and returns what all others take.
func (w *weights) set(self int, bytes int64) (others int64) {
	w.sum += bytes - w.bytes[self]
	w.bytes[self] = bytes
	others = w.sum - bytes
	if w.beyond != nil {
		others += w.beyond(w.sum)
	}
	return others
}

// admit reports whether a partition that takes so many bytes fits into room, which depends on what
// all others take. If it does, it is weighed.
func (w *weights) admit(self int, bytes int64, room func(others int64) int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.bytes[self]
	if others := w.set(self, bytes); bytes <= room(others) {
		return true
	}
	w.set(self, was)
	return false
}

// Check refuses what does not work together with several partitions.
func Check(c *config.Config) error {
	for _, x := range []struct {
		set       bool
		key, what string
	}{
		{watchesOne(c), "stop_when", "importance, certain and gain need the links of all pages in one place"},
		{c.KeepPages > 0 && c.KeepPages < int64(c.Partitions), "keep_pages", "it is less than one page for each"},
		{c.Renders(), "render", "a page is shown from the archive of its partition, and what it needs of others is not there"},
	} {
		if x.set {
			return refused(x.key, x.what)
		}
	}
	return nil
}

// refused is the error for a key that cannot be used.
func refused(key, what string) error {
	return &hint.Error{
		Text: fmt.Sprintf("%s cannot be used with several partitions: %s", key, what),
		Hint: "leave it out, or crawl with --partitions 1",
	}
}

// watchesOne reports whether --stop-when is about more than can be added up over partitions.
func watchesOne(c *config.Config) bool {
	cond, err := c.Stop()
	return err == nil && cond != nil && !advise.IsCount(cond)
}

// A top is the directory above those of the partitions.
type top struct {
	dir     disk.Dir
	path    string // "" if it is not in the file system
	lock    *os.File
	file    *layout.Partitions
	resumed bool // there was a crawl before
	owner   func(site []byte) int
}

// openTop opens the directory of a crawl with several partitions, and locks it. It returns nil if
// the crawl has one.
func openTop(o *crawl.RunOptions) (t *top, err error) {
	t = &top{path: o.Dir}
	if open := o.Machine.Disk; open != nil {
		if t.path = ""; o.Config.Partitions <= 1 {
			return nil, nil
		}
		t.dir, err = open(".")
	} else {
		t.dir = disk.OS(o.Dir)
	}
	if err == nil {
		t.file, err = layout.ReadPartitions(t.dir)
	}
	switch {
	case err != nil:
		return nil, layout.PartitionsError(o.Dir, err)
	case t.file == nil && o.Config.Partitions <= 1:
		return nil, nil
	case t.file == nil && t.path != "" && hasJournal(t.path):
		return nil, mismatch(o, 1)
	case t.file != nil && t.file.Partitions != o.Config.Partitions:
		return nil, mismatch(o, t.file.Partitions)
	case t.file != nil && t.file.Cluster:
		return nil, &hint.Error{
			Text: o.Dir + " has a part or a copy of a crawl that the nodes of a cluster continue",
			Hint: "to continue it on this machine, stop it there, and: winnow cluster gather -o " + o.Dir + " --move --cluster HOST:PORT --name NAME",
		}
	}
	if err := t.open(o); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// mismatch is the error for a crawl that has another number of partitions than is wanted.
func mismatch(o *crawl.RunOptions, has int) error {
	text := fmt.Sprintf("%s has %d partitions, not %d: their number is fixed when a crawl begins", o.Dir, has, o.Config.Partitions)
	if has == 1 {
		text = fmt.Sprintf("%s has one partition, not %d: their number is fixed when a crawl begins", o.Dir, o.Config.Partitions)
	}
	return &hint.Error{Text: text, Hint: "leave out --partitions, or give another --dir"}
}

func hasJournal(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(layout.JournalDir)))
	return err == nil
}

// open locks the directory, and describes a new crawl.
func (t *top) open(o *crawl.RunOptions) (err error) {
	if t.path != "" {
		if err := layout.CheckDirectory(t.path); err != nil {
			return err
		}
		if err := os.MkdirAll(t.path, 0o755); err != nil {
			return &hint.Error{Text: "cannot make " + t.path, Hint: "choose another place with --dir", Err: err}
		}
		if t.lock, err = layout.Lock(filepath.Join(t.path, layout.LockFile)); err != nil {
			return layout.LockError(t.path, err)
		}
	}
	if t.resumed = t.file != nil; !t.resumed {
		t.file = layout.NewPartitions(o.Config.Partitions, suffix.Newest)
		if err := t.file.Write(t.dir); err != nil {
			return &hint.Error{Text: "cannot write " + cmp.Or(t.path, layout.PartitionsFile), Hint: "make the directory writable, or choose another with --dir", Err: err}
		}
	}
	o.Config.SuffixTable = t.file.Suffixes
	table, err := suffix.Open(t.file.Suffixes)
	if err != nil {
		return &hint.Error{Text: t.path + " was made by a later version of winnow", Hint: "use that version, or another --dir", Err: err}
	}
	n := t.file.Partitions
	t.owner = func(site []byte) int { return table.Partition(string(page.Host(site)), n) }
	return nil
}

func (t *top) close() {
	if t.lock != nil {
		t.lock.Close()
	}
}
