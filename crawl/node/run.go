package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/files"
	"github.com/winnow-crawler/winnow/cluster/roster"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// Options are those of a node of a crawl.
type Options struct {
	// Dir is the directory of this crawl on this node. It has partitions.json, and 0000, 0001 and so
	// on for the partitions that the node has owned.
	Dir     string
	Name    string // no other node has it
	ID      string // stays with the disk of the node: cluster.Node.ID
	Address string
	Version string
	Engine  cluster.Engine
	Plan    *Plan
	// Run has Machine, Log, memory and so on. Config and Seeds come from the plan.
	Run crawl.RunOptions
	// Beyond is told how many bytes the partitions here take, and returns what other crawls of this
	// process take; nil: there are none.
	Beyond func(sum int64) int64
	Clock  func() roster.Instant // nil: those of the machine
	// Told, if not nil, is called each second with what the node tells about itself.
	Told func(*NodeStatus)
}

// A Summary describes how a node has ended.
type Summary struct {
	Why    string // WhyLeft, or why the crawl has ended for all
	Status history.Status
}

// WhyLeft is why a node has ended that was to leave, WhyChanged one that is to begin again with
// another plan: see Replace.
const WhyLeft, WhyChanged = "left", "changed"

// Run takes part in a crawl until the context ends: then it hands over its partitions and leaves; or
// until the crawl has ended for all.
func Run(ctx context.Context, o Options) (*Summary, error) {
	h, err := newHosting(&o)
	if err != nil {
		return nil, err
	}
	defer h.close()
	if !h.lookFirst(ctx) {
		return h.summary(WhyLeft), nil
	}
	if h.control.Plan != o.Plan.name {
		return h.summary(WhyChanged), nil
	}
	if why := h.ended(); why != "" {
		return h.summary(why), nil
	}
	living, leave := context.WithCancel(ctx)
	defer leave()
	h.leave = leave
	var talking sync.WaitGroup
	hearing, hush := context.WithCancel(context.WithoutCancel(ctx))
	stop, err := h.subscribe()
	if err == nil {
		var hide func()
		if hide, err = Serve(&o); err == nil {
			defer hide()
		}
	}
	if err == nil {
		talking.Go(func() { h.talk(hearing) })
		talking.Go(func() { h.watch(hearing) })
		talking.Go(func() { h.keepControl(hearing) })
		talking.Go(func() { h.rights.run(hearing) })
		talking.Go(func() { h.post.carry(hearing) })
		err = h.node(&o).Run(living)
	}
	hush()
	stop()
	talking.Wait()
	if err != nil {
		return nil, err
	}
	return h.summary(h.why()), nil
}

// Serve lets others read the archives that this node has of the crawl, and compare its journals with
// the logs, until stop is called. Run does it, too; Serve is for a crawl that has ended.
func Serve(o *Options) (stop func(), err error) {
	archives, err := files.Serve(o.Engine.Bus, o.Name, func(self int) (disk.Dir, error) {
		if self < 0 || self >= o.Plan.Crawl.Partitions {
			return nil, fs.ErrNotExist
		}
		return o.open(layout.PartitionName(self) + "/" + layout.ArchiveDir)
	})
	if err != nil {
		return nil, err
	}
	journals, err := serveDisk(o)
	if err != nil {
		archives()
		return nil, err
	}
	return func() { archives(); journals() }, nil
}

// A hosting is what the partitions on this node have in common.
type hosting struct {
	name    string
	address string
	version string
	run     crawl.RunOptions
	engine  cluster.Engine
	plan    *Plan
	log     *slog.Logger
	lock    *os.File // of the directory; nil: it is not in the file system
	shared  *partition.Shared
	post    *post
	rights  *rights
	leave   context.CancelFunc // lets the node leave
	stir    chan struct{}      // there is something to tell
	looks   chan struct{}      // the control value in the register may have changed
	told    func(*NodeStatus)  // see Options.Told

	mu               sync.Mutex
	control          control
	obeyed           bool          // there was a control value
	changed          bool          // the crawl was resumed, or its plan replaced, while this node ran
	heard            port.Decision // the highest numbers
	coordinatorEpoch uint64        // the epoch of the latest coordinator that was heard
	sum              port.Sum      // as the coordinator told
	hosted           map[int]*hosted
	coordination     *coordination // nil: the coordinator is elsewhere
	epochs           []uint64
	news             chan struct{}             // closed when one of them has changed
	members          map[string]cluster.Member // by name
	sums             []*history.Status         // by partition: how its last run here has ended
}

func newHosting(o *Options) (*hosting, error) {
	h := &hosting{
		name: o.Name, address: o.Address, version: o.Version, run: o.Run, engine: o.Engine, plan: o.Plan, log: o.Run.Log, told: o.Told,
		stir: make(chan struct{}, 1), looks: make(chan struct{}, 1), hosted: map[int]*hosted{}, members: map[string]cluster.Member{}, epochs: make([]uint64, o.Plan.Crawl.Partitions), news: make(chan struct{}), sums: make([]*history.Status, o.Plan.Crawl.Partitions),
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	r := &h.run
	r.Dir, r.Version, r.Log = o.Dir, o.Version, h.log
	if err := h.lockDir(); err != nil {
		return nil, err
	}
	c, err := o.Plan.Settings(o.Dir)
	if err == nil {
		c.MaxMemory = cmp.Or(o.Run.Config.MaxMemory, c.MaxMemory) // that of this machine
		r.Config, r.Seeds, r.AddSeeds = c, o.Plan.Seeds, true
		h.shared, err = partition.Share(r, &o.Plan.Crawl)
	}
	if err != nil {
		h.close()
		return nil, err
	}
	h.shared.Beyond(o.Beyond)
	h.rights = newRights(o.Name, o.Plan.Crawl.Partitions, c.IPDelay.Duration, o.Engine.Bus)
	h.rights.census, h.rights.over = h.census, h.over
	h.post = newPost(o.Name, o.Engine.Bus, h.shared.Wake)
	return h, nil
}

// lockDir makes the directory of the crawl, and locks it.
func (h *hosting) lockDir() (err error) {
	if h.run.Machine.Disk != nil {
		return nil
	}
	if err := os.MkdirAll(h.run.Dir, 0o755); err != nil {
		return &hint.Error{Text: "cannot make " + h.run.Dir, Hint: "choose another place with --dir", Err: err}
	}
	if h.lock, err = layout.Lock(filepath.Join(h.run.Dir, layout.LockFile)); err != nil {
		return layout.LockError(h.run.Dir, err)
	}
	return nil
}

func (h *hosting) close() {
	if h.lock != nil {
		h.lock.Close()
	}
}

// node returns this process as package cluster sees it.
func (h *hosting) node(o *Options) *cluster.Node {
	n := &cluster.Node{
		Name: o.Name, ID: o.ID, Address: o.Address, Version: o.Version, Terms: o.Plan.Terms(o.Version),
		Engine: o.Engine, Log: h.log, Clock: o.Clock,
	}
	for i := range o.Plan.Crawl.Partitions {
		n.Partitions = append(n.Partitions, h.part(i))
	}
	return n
}

// part returns a partition of the crawl, which may run here.
func (h *hosting) part(self int) cluster.Partition {
	return &local{h, self, h.plan.store(self, func(name string) (disk.Dir, error) {
		if open := h.run.Machine.Disk; open != nil {
			return open(name)
		}
		path := filepath.Join(h.run.Dir, filepath.FromSlash(name))
		return disk.OS(path), os.MkdirAll(path, 0o755)
	})}
}

// ended returns why the crawl has ended, "" if it has not.
func (h *hosting) ended() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.control.Stop
}

// why returns why this run has ended.
func (h *hosting) why() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changed {
		return WhyChanged
	}
	return cmp.Or(h.control.Stop, WhyLeft)
}

// summary describes how the node has ended.
func (h *hosting) summary(why string) *Summary {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := history.Merge(h.sums)
	s.Why = why
	return &Summary{why, *s}
}

// A local is a partition of the crawl, as package cluster sees it.
type local struct {
	hosting *hosting
	self    int
	store
}

// A hosted is a partition that runs on this node.
type hosted struct {
	epoch    uint64
	number   uint64 // of its last report
	report   port.Report
	reported bool
	crawling bool
	gate     func() error
}

// Reasons of package crawl that concern this node alone.
const whyDisk, whyMemory = "disk", "memory"

// Groups implements cluster.Partition. Like Cut and Add it is that of the store; where there is no room
// for the copy, another node is to take the partition.
func (l *local) Groups(fn func(cluster.Group) error) error { return unable(l.store.Groups(fn)) }

// Cut implements cluster.Partition.
func (l *local) Cut(groups int) error { return unable(l.store.Cut(groups)) }

// Add implements cluster.Partition.
func (l *local) Add(fn func(func(cluster.Group) error) error) error { return unable(l.store.Add(fn)) }

// unable marks an error for want of room.
func unable(err error) error {
	if disk.ErrFull(err) {
		return fmt.Errorf("%w: no room left: %w", cluster.ErrUnable, err)
	}
	return err
}

// Run implements cluster.Partition.
func (l *local) Run(ctx context.Context, t *cluster.Tenure) error {
	h := l.hosting
	if err := h.catchUp(ctx, l.self, t); err != nil {
		return err
	}
	if l.self == 0 {
		if err := h.becomeCoordinator(ctx, t); err != nil {
			return err
		}
	}
	if h.ended() != "" {
		<-ctx.Done()
		return nil
	}
	if err := l.admit(); err != nil {
		return err
	}
	defer h.shared.Leave(l.self)
	leave, err := h.post.enter(l.self)
	defer leave()
	if err != nil {
		return err
	}
	h.rights.begin(t.Incarnation)
	closeHome, err := h.rights.open(l.self, t.Epoch, t.Gate)
	defer closeHome()
	if err != nil {
		return err
	}
	s := h.enter(l.self, t)
	defer h.exit(l.self, s)
	o, err := h.shared.Options(l.self, func(p *port.Port) {
		p.Tenure, p.Bus, p.Coordinator = tenure{t}, mailbox{h.post, l.self}, contact{h, l.self, s}
		p.Addresses = entrance{h.rights, t.Incarnation, p.Addresses}
	})
	if err != nil {
		return err
	}
	sum, err := crawl.Run(ctx, o)
	h.shared.Leave(l.self)
	h.rest(l.self, s, sum)
	h.note(l.self, s, sum)
	switch {
	case errors.Is(err, port.ErrLost):
		return fmt.Errorf("%w: %w", cluster.ErrLost, err)
	case err != nil:
		return unable(err)
	case sum.Why == whyDisk || sum.Why == whyMemory:
		return fmt.Errorf("%w: no room left: %s", cluster.ErrUnable, sum.Why)
	}
	select { // what has stopped it stops all
	case <-ctx.Done():
	case <-t.Lost():
	}
	return nil
}

// admit returns an error if there is no room for what the partition knows. So a node that takes over
// stays below its ceiling, and what it had goes on. A partition that knows nothing may always begin.
func (l *local) admit() error {
	n := l.weight()
	if n == 0 || l.hosting.shared.Admit(l.self, n) {
		return nil
	}
	return fmt.Errorf("%w: no room left: %d pages and %d sites need about %d MB of memory", cluster.ErrUnable, l.last.Pages, l.last.Sites, n>>20)
}

// enter notes that a partition begins to run.
func (h *hosting) enter(self int, t *cluster.Tenure) *hosted {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &hosted{epoch: t.Epoch, crawling: true, gate: t.Gate}
	h.hosted[self] = s
	if self == 0 {
		h.coordination = newCoordination(h, s)
		for i := range h.hosted { // they report to it
			h.shared.Wake(i)
		}
		h.coordinatorEpoch = max(h.coordinatorEpoch, s.epoch)
	}
	return s
}

// rest notes that the run of a partition has ended.
func (h *hosting) rest(self int, s *hosted, sum *crawl.Summary) {
	h.mu.Lock()
	s.crawling = false
	if sum != nil {
		h.sums[self] = &sum.Status
	}
	h.mu.Unlock()
	h.leaveIfEnded()
}

// exit notes that a partition does not run here any more.
func (h *hosting) exit(self int, s *hosted) {
	h.mu.Lock()
	b := h.coordination
	if h.hosted[self] == s {
		delete(h.hosted, self)
	}
	if self == 0 && b != nil && b.self == s {
		h.coordination = nil
	}
	s.crawling = false
	h.mu.Unlock()
	if b != nil {
		b.coordinator.Absent(self)
	}
	h.leaveIfEnded()
}

// leaveIfEnded lets the node leave when the crawl has ended for all, and no partition runs here.
func (h *hosting) leaveIfEnded() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.control.Stop == "" {
		return
	}
	for _, s := range h.hosted {
		if s.crawling {
			return
		}
	}
	h.leave()
}

// tenure is a cluster.Tenure as package crawl sees it.
type tenure struct{ *cluster.Tenure }

func (t tenure) Owner() (node string, epoch uint64) { return t.Node, t.Epoch }

func (t tenure) Commit(g journal.Group, session bool, local func() error) error {
	c := g.Commit()
	x := cluster.Group{First: c.First, Next: c.Next, Bytes: append([]byte(nil), g.Bytes()...)}
	if session {
		x.Epoch = t.Epoch
	}
	return t.Tenure.Commit(x, local)
}

// sleepy is the time between two looks at the register if nothing else demands one.
const sleepy = 5 * time.Second
