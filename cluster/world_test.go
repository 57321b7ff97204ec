package cluster_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/cluster/roster"
)

// A world has nodes with model partitions, the engine between them, and a server that counts their
// requests. Time is virtual.
type world struct {
	t      *testing.T
	broker *memory.Broker
	start  time.Time
	parts  int

	mu      sync.Mutex
	rng     *rand.Rand
	disks   map[string][][]cluster.Group // by node and partition
	at      map[int]map[*request]bool    // requests under way, by partition
	newest  []uint64                     // the latest epoch that has made a request, by partition
	kept    [][]uint64                   // hashes of groups whose commits were reported, by partition
	served  []time.Time                  // the last commit, by partition
	count   int                          // requests
	gaps    int                          // requests of processes that were stopped between check and request
	repeats int                          // pages that were requested again
	asked   map[[2]int]bool              // partition and page
	bad     []string
	id      string        // of the disks; "": the names of the nodes
	broken  string        // a node on which every partition fails
	slow    bool          // owners take their time to end
	takes   time.Duration // how long a request takes; 0: up to a second
	linger  time.Duration // how long a connection takes to close; 0: up to a second
	lost    int           // connections that were closed because a tenure was lost
	gates   int64         // every so many times a process is stopped at a gate; 0: never
}

// A request is one to the server of a partition.
type request struct {
	by      *process
	epoch   uint64
	stopped bool // its process was stopped meanwhile, or between check and request
}

func newWorld(t *testing.T, seed uint64, parts int, f memory.Faults) *world {
	return &world{
		t: t, broker: memory.New(seed, f), start: time.Now(), parts: parts, rng: rand.New(rand.NewPCG(seed, 2)),
		disks: map[string][][]cluster.Group{}, at: map[int]map[*request]bool{}, newest: make([]uint64, parts),
		kept: make([][]uint64, parts), served: make([]time.Time, parts), asked: map[[2]int]bool{},
	}
}

func (w *world) failf(format string, args ...any) {
	if w.bad = append(w.bad, fmt.Sprintf("%v: ", time.Since(w.start))+fmt.Sprintf(format, args...)); len(w.bad) < 5 {
		w.t.Error(w.bad[len(w.bad)-1])
	}
}

// draw returns a number below n.
func (w *world) draw(n int64) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rng.Int64N(n)
}

// A process is a node that runs. It can be stopped and killed.
type process struct {
	w      *world
	name   string
	rate   float64 // of its clock
	cancel context.CancelFunc
	ended  chan error

	mu      sync.Mutex
	owners  map[int]bool // partitions whose Run has not returned
	dead    bool
	stopped chan struct{} // closed when it goes on; nil: it runs
	stops   int
}

var errDead = errors.New("the process is dead")

// run starts a process on the disk of a node.
func (w *world) run(name string) *process {
	return w.runAt(name, 0.95+0.1*float64(w.draw(1000))/1000)
}

// runAt starts a process with a clock that is too slow or too fast.
func (w *world) runAt(name string, rate float64) *process {
	p := &process{w: w, name: name, rate: rate, ended: make(chan error, 1), owners: map[int]bool{}}
	w.mu.Lock()
	if w.disks[name] == nil {
		w.disks[name] = make([][]cluster.Group, w.parts)
	}
	w.mu.Unlock()
	n := &cluster.Node{Name: name, ID: cmp.Or(w.id, name), Engine: w.broker.Client(name, p.hold).Engine(), Clock: p.clock}
	for i := range w.parts {
		n.Partitions = append(n.Partitions, &model{p, i})
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() { p.ended <- n.Run(ctx) }()
	return p
}

// hold waits while the process is stopped.
func (p *process) hold() error {
	for {
		p.mu.Lock()
		dead, stopped := p.dead, p.stopped
		p.mu.Unlock()
		if dead {
			return errDead
		}
		if stopped == nil {
			return nil
		}
		<-stopped
	}
}

// clock is that of the process: it is too fast or too slow.
func (p *process) clock() roster.Instant {
	_ = p.hold()
	d := time.Duration(p.rate * float64(time.Since(p.w.start)))
	return roster.Instant{Monotonic: d, Boot: d, Wall: d}
}

// stop stops the process for a while.
func (p *process) stop(d time.Duration) {
	p.mu.Lock()
	again := make(chan struct{})
	p.stopped = again
	p.stops++
	p.mu.Unlock()
	p.w.mu.Lock()
	for _, list := range p.w.at {
		for r := range list {
			r.stopped = r.stopped || r.by == p
		}
	}
	p.w.mu.Unlock()
	time.Sleep(d)
	p.mu.Lock()
	if p.stopped == again { // nobody has stopped it once more
		p.stopped = nil
	}
	p.mu.Unlock()
	close(again)
}

// stopAtGates sets how rarely processes are stopped at gates.
func (w *world) stopAtGates(n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gates = n
}

// gate is a place where processes are stopped, for up to three times the life of a lease.
func (p *process) gate() error {
	p.w.mu.Lock()
	stops := p.w.gates > 0 && p.w.rng.Int64N(p.w.gates) == 0
	d := time.Duration(p.w.rng.Int64N(int64(3 * roster.TTL)))
	p.w.mu.Unlock()
	if stops {
		p.stop(d)
	}
	return p.hold()
}

// kill ends the process: it does nothing from now on, and its requests are over.
func (p *process) kill() {
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	p.w.mu.Lock()
	for _, list := range p.w.at {
		for r := range list {
			if r.by == p {
				delete(list, r)
			}
		}
	}
	p.w.mu.Unlock()
}

// bury waits for the goroutines of a process that was killed.
func (p *process) bury() {
	p.cancel()
	<-p.ended
}

// model is a partition that fetches one page after the other: page 0, 1 and so on. Its records are
// JSON.
type model struct {
	*process
	number int
}

// record is what a group of a model has.
type record struct {
	Node  string `json:",omitempty"` // of a session
	Epoch uint64
	Pages []int `json:",omitempty"`
}

// encode returns the bytes of a group, some of which are large.
func (r *record) encode(large bool) []byte {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	if b = append(b, '\n'); large {
		b = append(b, make([]byte, 700<<10)...)
	}
	return b
}

// parse reads the bytes of a group.
func parse(b []byte) (r record, err error) {
	line, _, _ := bytes.Cut(b, []byte{'\n'})
	err = json.Unmarshal(line, &r)
	return r, err
}

func (m *model) disk() *[]cluster.Group { return &m.w.disks[m.name][m.number] }

func (m *model) Groups(fn func(cluster.Group) error) error {
	if err := m.hold(); err != nil {
		return err
	}
	m.w.mu.Lock()
	list := slices.Clone(*m.disk())
	m.w.mu.Unlock()
	for _, g := range list {
		if err := fn(g); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) Cut(groups int) error {
	return m.change(func(list []cluster.Group) []cluster.Group { return slices.Clip(list[:groups]) })
}

// change changes what is on disk.
func (m *model) change(fn func([]cluster.Group) []cluster.Group) error {
	if err := m.hold(); err != nil {
		return err
	}
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	d := m.disk()
	*d = fn(*d)
	return nil
}

func (m *model) Add(fn func(add func(cluster.Group) error) error) error {
	return fn(func(g cluster.Group) error {
		g.Bytes = slices.Clone(g.Bytes)
		return m.change(func(list []cluster.Group) []cluster.Group { return append(list, g) })
	})
}

// Run may take its time to return.
func (m *model) Run(ctx context.Context, t *cluster.Tenure) error {
	m.mu.Lock()
	if m.owners[m.number] {
		m.w.failf("partition %d has two owners in one process", m.number)
	}
	m.owners[m.number] = true
	m.mu.Unlock()
	err := m.own(ctx, t)
	if m.w.slow && m.w.draw(4) == 0 {
		time.Sleep(time.Duration(m.w.draw(int64(15 * time.Second))))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.owners[m.number] = false
	return err
}

func (m *model) own(ctx context.Context, t *cluster.Tenure) error {
	if m.name == m.w.broken {
		return errors.New("this node is broken")
	}
	next, page := uint64(0), 0
	if err := m.Groups(func(g cluster.Group) error {
		r, err := parse(g.Bytes)
		next, page = g.Next, page+len(r.Pages)
		return err
	}); err != nil {
		return err
	}
	commit := func(r *record) error {
		g := cluster.Group{First: next, Next: next + 1, Bytes: r.encode(m.w.draw(100) == 0)}
		if r.Node != "" {
			g.Epoch = r.Epoch
		}
		next++
		return m.commit(t, g)
	}
	if err := t.Gate(); err == nil {
		m.w.failf("partition %d: requests are allowed before the session", m.number)
	}
	if err := commit(&record{Node: m.name, Epoch: t.Epoch}); err != nil {
		return err
	}
	for ctx.Err() == nil {
		r := &record{Epoch: t.Epoch}
		for range 1 + m.w.draw(3) {
			if err := m.fetch(t, page); err != nil {
				return err
			}
			r.Pages = append(r.Pages, page)
			page++
		}
		if err := commit(r); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) commit(t *cluster.Tenure, g cluster.Group) error {
	if err := m.gate(); err != nil {
		return err
	}
	err := t.Commit(g, func() error {
		time.Sleep(time.Duration(m.w.draw(int64(20 * time.Millisecond))))
		return m.change(func(list []cluster.Group) []cluster.Group { return append(list, g) })
	})
	if err != nil {
		return err
	}
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	m.w.kept[m.number] = append(m.w.kept[m.number], xxh3.Hash(g.Bytes))
	m.w.served[m.number] = time.Now()
	return nil
}

// fetch requests a page, if the gate allows it. A process that is stopped between the check and the
// request makes this one request when it goes on: nothing can prevent it.
func (m *model) fetch(t *cluster.Tenure, page int) error {
	if err := m.gate(); err != nil {
		return err
	}
	m.mu.Lock()
	stops := m.stops
	m.mu.Unlock()
	if err := t.Gate(); err != nil {
		return err
	}
	if err := m.gate(); err != nil { // the gap: see below
		return err
	}
	m.mu.Lock()
	r := &request{m.process, t.Epoch, m.stops != stops}
	m.mu.Unlock()
	m.w.begin(m.number, page, r)
	timer := time.NewTimer(cmp.Or(m.w.takes, time.Duration(m.w.draw(int64(time.Second)))))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Lost():
		m.w.close()
	}
	err := m.hold()
	m.w.end(m.number, r)
	return err
}

// begin counts a request, and complains if another owner has made one that is not over, or if a
// later one has made any.
func (w *world) begin(p, page int, r *request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	if r.stopped {
		w.gaps++
	}
	if w.asked[[2]int{p, page}] {
		w.repeats++
	}
	w.asked[[2]int{p, page}] = true
	if w.at[p] == nil {
		w.at[p] = map[*request]bool{}
	}
	for other := range w.at[p] {
		if !r.stopped && !other.stopped {
			w.failf("partition %d: %s requests in epoch %d while %s does in %d", p, r.by.name, r.epoch, other.by.name, other.epoch)
		}
	}
	if r.epoch < w.newest[p] && !r.stopped {
		w.failf("partition %d: %s requests in epoch %d after epoch %d", p, r.by.name, r.epoch, w.newest[p])
	}
	w.newest[p] = max(w.newest[p], r.epoch)
	w.at[p][r] = true
}

// close takes the moment that it takes to close a connection.
func (w *world) close() {
	d := time.Duration(w.draw(int64(time.Second)))
	w.mu.Lock()
	w.lost++
	if w.linger > 0 {
		d = w.linger
	}
	w.mu.Unlock()
	time.Sleep(d)
}

func (w *world) end(p int, r *request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.at[p], r)
}

// groups returns the groups of a log, read by a client without faults.
func (w *world) groups(p int) (m []cluster.Group) {
	if err := cluster.ReadLog(context.Background(), w.broker.Client("reader", nil).Engine().Log(p), func(g cluster.Group) error {
		g.Bytes = slices.Clone(g.Bytes)
		m = append(m, g)
		return nil
	}); err != nil {
		w.t.Errorf("read the log of partition %d: %v", p, err)
	}
	return m
}

// check compares what was reported as committed with what the logs have: nothing is lost, nothing
// is there twice, no epoch is used twice.
func (w *world) check() (pages int) {
	w.t.Helper()
	for p := range w.parts {
		has := map[uint64]bool{}
		page, epoch := 0, uint64(0)
		for _, g := range w.groups(p) {
			r, err := parse(g.Bytes)
			if err != nil {
				w.t.Fatal(err)
			}
			if r.Node != "" {
				if r.Epoch <= epoch || r.Epoch != g.Epoch {
					w.t.Errorf("partition %d: epoch %d after %d", p, r.Epoch, epoch)
				}
				epoch = r.Epoch
			}
			if r.Epoch != epoch {
				w.t.Errorf("partition %d: a group of epoch %d in epoch %d", p, r.Epoch, epoch)
			}
			for _, x := range r.Pages {
				if x != page {
					w.t.Fatalf("partition %d: page %d in the place of page %d", p, x, page)
				}
				page++
			}
			has[xxh3.Hash(g.Bytes)] = true
		}
		pages += page
		for _, want := range w.kept[p] { // pages are in order, so groups are
			if !has[want] {
				w.t.Errorf("partition %d: a committed group is lost", p)
				break
			}
		}
	}
	return pages
}
