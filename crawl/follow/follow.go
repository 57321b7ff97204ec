// Package follow keeps up with crawls, while they run or afterwards. A [Follower] restores the
// state of a crawl, reads its journal once, and then only what is committed, so that questions
// about any page, site or time are answered without another look at the whole crawl.
//
// It changes nothing in the directory.
package follow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// The phases of a Follower.
const (
	Opening   = "opening"   // nothing is known but what the crawl left in its directory
	Restoring = "restoring" // the state is being restored
	Indexing  = "indexing"  // the state is there, the journal is being read
	Following = "following" // everything is there
	Failed    = "failed"    // the crawl cannot be read: see Glance.Err
	Gone      = "gone"      // the directory was removed
)

// A Glance is what is known of a crawl at once.
type Glance struct {
	Phase   string
	Share   float64 // of the journal that was read, while Indexing
	Since   time.Time
	Err     error
	Running bool
	Status  *history.Status // nil: nothing is known yet
	Config  *config.Config  // nil: it is not known yet
	Survey  *Survey         // nil: none was made yet
	// Version counts the changes: a Glance with the same number is the same.
	Version int64
	Opened  time.Duration // how long it took until the state was there, 0 before
	Indexed time.Duration // and until the journal was read
	Bytes   int64         // of the index, outside the Go heap
	OffHeap int64         // of index and state, outside the Go heap
}

// A View is what can be asked while nothing changes: see Follower.Read.
type View struct {
	*history.Crawl
	S      *state.State
	Conf   *config.Config
	Index  *Index // nil: the journal is still being read
	Status *history.Status
	Survey *Survey
}

// About calls fn for the records that tell about a page, in order: see Index.About. Without an index
// there are none.
func (v *View) About(p graph.Page, fn func(*journal.Record) error) error {
	if v.Index == nil {
		return nil
	}
	return v.Index.About(p, fn)
}

// AboutRequisite calls fn for the records that tell about a requisite. Without an index there are none.
func (v *View) AboutRequisite(n graph.Page, fn func(*journal.Record) error) error {
	if v.Index == nil {
		return nil
	}
	return v.Index.AboutRequisite(n, fn)
}

// A Follower keeps up with one crawl.
type Follower struct {
	Dir string

	ctx     context.Context
	mu      sync.Mutex // guards the crawl, its state and the index
	crawl   *history.Crawl
	index   *Index
	look    sync.Mutex // guards what follows
	glance  Glance
	changed chan struct{} // closed at each change of the glance
	began   time.Time
	shown   shown
	ended   chan struct{}
}

// shown is what the last status shows.
type shown struct {
	record  uint64
	running bool
	index   *Index
}

// interval is the time between two looks at a crawl.
const interval = time.Second

// Start follows the crawl in a directory until the context ends.
func Start(ctx context.Context, dir string) *Follower {
	f := &Follower{Dir: dir, ctx: ctx, changed: make(chan struct{}), ended: make(chan struct{})}
	f.peek(Opening)
	go f.run()
	return f
}

// Done is closed when the context has ended and memory is freed.
func (f *Follower) Done() <-chan struct{} { return f.ended }

// Glance returns what is known at once, and a channel that is closed when it changes.
func (f *Follower) Glance() (Glance, <-chan struct{}) {
	f.look.Lock()
	defer f.look.Unlock()
	return f.glance, f.changed
}

// ErrNotReady is returned while the state is being restored.
var ErrNotReady = errors.New("the state of the crawl is being restored")

// Read calls fn while nothing changes. fn must be quick, and keep nothing of what it reads.
func (f *Follower) Read(fn func(*View) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.crawl == nil {
		return ErrNotReady
	}
	g, _ := f.Glance()
	s, err := f.crawl.State()
	if err != nil {
		return err
	}
	return fn(&View{Crawl: f.crawl, S: s, Conf: g.Config, Index: f.index, Status: g.Status, Survey: g.Survey})
}

// update changes the glance.
func (f *Follower) update(change func(*Glance)) {
	f.look.Lock()
	defer f.look.Unlock()
	phase := f.glance.Phase
	change(&f.glance)
	if f.glance.Phase != phase {
		f.glance.Since = time.Now()
	}
	f.glance.Version++
	close(f.changed)
	f.changed = make(chan struct{})
}

// peek takes what the crawl left in its directory.
func (f *Follower) peek(phase string) {
	s, running, _ := history.Peek(f.Dir)
	f.update(func(g *Glance) {
		g.Phase, g.Running, g.Err = phase, running, nil
		if s != nil {
			g.Status = s
		}
		if c, found, err := history.ReadConfig(f.Dir); found && err == nil {
			g.Config = &c
		}
	})
}

func (f *Follower) run() {
	defer close(f.ended)
	defer f.close()
	for f.ctx.Err() == nil {
		err := f.follow()
		f.close()
		if f.ctx.Err() != nil {
			return
		}
		if errors.Is(err, history.ErrReopen) && layout.IsCrawl(f.Dir) {
			f.peek(Opening)
			continue
		}
		phase := Failed
		if _, missing := os.Stat(f.Dir); errors.Is(missing, fs.ErrNotExist) {
			phase = Gone
		}
		f.update(func(g *Glance) { g.Phase, g.Err, g.Running = phase, err, false })
		f.sleep(2 * interval)
	}
}

// sleep waits, and reports whether the context has not ended meanwhile.
func (f *Follower) sleep(d time.Duration) bool {
	select {
	case <-f.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// close frees what a crawl takes.
func (f *Follower) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.index != nil {
		f.index.Free()
		f.index = nil
	}
	if f.crawl != nil {
		f.crawl.Close()
		f.crawl = nil
	}
}

// follow opens the crawl and follows it. It ends with an error.
func (f *Follower) follow() error {
	f.began = time.Now()
	f.update(func(g *Glance) { g.Phase, g.Opened, g.Indexed = Restoring, 0, 0 })
	c, s, conf, err := f.open()
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.crawl = c
	f.mu.Unlock()
	f.update(func(g *Glance) { g.Phase, g.Config, g.Opened = Indexing, conf, time.Since(f.began) })
	f.refresh(c, s, conf)
	x, err := f.read(c, s)
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.index = x
	f.mu.Unlock()
	f.update(func(g *Glance) { g.Phase, g.Indexed, g.Bytes = Following, time.Since(f.began), x.Bytes() })
	again := renewal{at: time.Now(), took: time.Since(f.began), running: c.Running}
	done := make(chan struct{})
	recall, stop := context.WithCancel(f.ctx)
	defer func() { stop(); <-done }()
	go func() { defer close(done); f.recall(recall) }()
	for pace := (pacer{}); ; {
		if c.Partitions != nil && again.due(c.Running) {
			if c, s, conf, err = f.renew(c, &again); err != nil {
				return err
			}
		}
		if err := f.advance(c, s, conf); err != nil {
			return err
		}
		if pace.due(s.Next) {
			f.survey(c, s)
			pace.took()
		}
		if !f.sleep(interval) {
			return f.ctx.Err()
		}
		if running := layout.Locked(filepath.Join(f.Dir, layout.LockFile)); running && !c.Running {
			return history.ErrReopen // the crawl may change the file of the URLs that is read
		} else if running != c.Running {
			f.mu.Lock()
			c.Running = running
			f.mu.Unlock()
		}
	}
}

// open opens the crawl and restores its state.
func (f *Follower) open() (c *history.Crawl, s *state.State, conf *config.Config, err error) {
	if c, err = recut.Open(f.ctx, f.Dir); err != nil {
		return nil, nil, nil, err
	}
	if s, err = c.State(); err == nil {
		conf, err = c.Config()
	}
	if err != nil {
		c.Close()
		return nil, nil, nil, err
	}
	return c, s, conf, nil
}

// A renewal says when several partitions, which are read as one crawl, were read last.
type renewal struct {
	at      time.Time
	took    time.Duration
	running bool // the crawl ran then
}

// due reports whether they are to be read again: while the crawl runs, as often as takes a tenth of
// the time, and once when it has ended.
func (r *renewal) due(running bool) bool {
	if !running {
		return r.running
	}
	return time.Since(r.at) > max(10*interval, 10*r.took)
}

// renew reads several partitions again. Questions are answered from what was read before meanwhile.
func (f *Follower) renew(old *history.Crawl, r *renewal) (*history.Crawl, *state.State, *config.Config, error) {
	began := time.Now()
	c, s, conf, err := f.open()
	if err != nil {
		return nil, nil, nil, err
	}
	x, err := f.read(c, s)
	if err != nil {
		c.Close()
		return nil, nil, nil, err
	}
	f.mu.Lock()
	before := f.index
	f.crawl, f.index = c, x
	f.mu.Unlock()
	before.Free()
	old.Close()
	*r = renewal{at: time.Now(), took: time.Since(began), running: c.Running}
	f.update(func(g *Glance) { g.Config, g.Bytes = conf, x.Bytes() })
	return c, s, conf, nil
}

// read reads the journal once, and returns an index of it.
func (f *Follower) read(c *history.Crawl, s *state.State) (*Index, error) {
	finder, err := c.Finder()
	if err != nil {
		return nil, err
	}
	x, all, shown := newIndex(s, finder), c.Records(), time.Now()
	err = c.Scan(func(r *journal.Record) error {
		if r.Seq%1024 == 0 && time.Since(shown) > interval/4 {
			shown = time.Now()
			f.update(func(g *Glance) { g.Share = float64(r.Seq) / float64(all) })
		}
		return x.read(r)
	})
	if err != nil {
		x.Free()
		return nil, err
	}
	x.settle()
	return x, nil
}

// advance applies what was committed since the last call.
func (f *Follower) advance(c *history.Crawl, s *state.State, conf *config.Config) error {
	before := s.Next
	for more := true; more; {
		f.mu.Lock()
		var err error
		more, err = c.Advance(f.index.read)
		if err == nil && !more && s.Next != before {
			f.index.settle()
		}
		f.mu.Unlock()
		if err != nil {
			return err
		}
	}
	f.refresh(c, s, conf)
	return s.Err
}

// refresh renews the status.
func (f *Follower) refresh(c *history.Crawl, s *state.State, conf *config.Config) {
	if now := (shown{s.Next, c.Running, f.index}); now == f.shown && !c.Running {
		return
	} else {
		f.shown = now
	}
	g, _ := f.Glance()
	left, _, _ := history.Peek(f.Dir)
	f.mu.Lock()
	x := statusOf(c, s, conf, left)
	if f.index != nil && c.Running {
		f.index.Course.sample(nowOf(c, s), WaitsOf(x), x.Fetchers)
	}
	bytes := int64(0)
	if f.index != nil {
		bytes = f.index.Bytes()
	}
	off := bytes + s.Memory() - s.Heap()
	f.mu.Unlock()
	if v := g.Survey; v != nil {
		v.details(x)
	}
	f.update(func(g *Glance) { g.Status, g.Running, g.Bytes, g.OffHeap = x, c.Running, bytes, off })
}

// nowOf returns the present instant of a crawl: of one that does not run, that of its last record.
func nowOf(c *history.Crawl, s *state.State) time.Duration {
	if !c.Running {
		return s.Now
	}
	return max(s.Now, time.Since(time.Unix(0, s.Began)))
}

// statusOf returns the status by the state, with what only the crawl itself knows from the status
// that it left.
func statusOf(c *history.Crawl, s *state.State, conf *config.Config, left *history.Status) *history.Status {
	if c.Partitions != nil {
		return statusOfAll(c, left)
	}
	x := left
	if x == nil || !c.Running && x.Record != s.Next {
		x = &history.Status{State: history.StatePaused, Fetchers: conf.Fetchers}
	}
	if !c.Running {
		x.Active, x.Rate, x.Fetching = 0, 0, nil
	}
	x.Fill(s, nowOf(c, s))
	x.Caps = s.Caps(conf)
	x.Measured = time.Now()
	switch {
	case c.Running:
		x.State, x.Why, x.Active = history.StateRunning, "", max(x.Active, x.Counts.Flying)
	case x.State != history.StatePaused && x.State != history.StateFinished: // it was killed
		x.State, x.Why = history.StatePaused, ""
		if x.NothingLeft() {
			x.State = history.StateFinished
		}
	case x.State == history.StatePaused && x.Why == "" && x.NothingLeft():
		x.State = history.StateFinished
	}
	return x
}

// statusOfAll returns the status of several partitions: what the crawl left, or the sum of what was
// read of them.
func statusOfAll(c *history.Crawl, left *history.Status) *history.Status {
	x := history.Merge(c.Partitions)
	if left != nil && (c.Running || left.Record == x.Record) {
		x = left
	}
	x.Measured = time.Now()
	if c.Running {
		x.State, x.Why = history.StateRunning, ""
	} else {
		x.Active, x.Rate, x.Fetching = 0, 0, nil
		x.OfCluster(c.Path)
	}
	return x
}
