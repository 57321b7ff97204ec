package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/cluster/roster"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A world is a web in memory, the engine of a cluster, and nodes that crawl it. Time is virtual.
type world struct {
	t      *testing.T
	server *serve.Server
	broker *memory.Broker
	config config.Config
	plan   *Plan
	start  time.Time

	mu       sync.Mutex
	rng      *rand.Rand
	gates    int64 // every so many times a process is stopped at a gate; 0: never
	disks    map[string]*disk.Memory
	roots    []*disk.Memory // of nodes that have lost their disks: their archives count
	nodes    map[string]*process
	ending   sync.WaitGroup
	dials    []dial
	upsets   []upset          // when requests of a node may have been lost
	stalls   []*stall         // connections of processes that were stopped
	log      *os.File         // nil: there is none
	heaps    map[string]int64 // of nodes, in bytes; others have none
	stopped  int              // how often the crawl was stopped by a command
	controls []control        // that were in the register
	ended    time.Time        // when the last of them came
}

// A dial is a connection that a node has opened.
type dial struct {
	node string
	at   time.Time
}

// An upset is an instant at which what a node had not committed may have been lost.
type upset struct {
	node string
	at   time.Time
}

// A stall is a connection that was open, or was used after a check, when its process was stopped.
// Nothing can prevent that.
type stall struct {
	addr     netip.Addr
	from, to time.Time // to is zero while it is open
}

// newWorld makes a world. It belongs into a synctest bubble.
func newWorld(t *testing.T, seed uint64, partitions int, spec fakeweb.Spec, so answer.Options, f memory.Faults, change func(*config.Config)) *world {
	t.Helper()
	web, err := fakeweb.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(web, so)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	server.SetAddresses(spec.Sites)
	w := &world{
		t: t, server: server, broker: memory.New(seed, f), start: time.Now(), rng: rand.New(rand.NewPCG(seed, 3)),
		disks: map[string]*disk.Memory{}, nodes: map[string]*process{},
	}
	w.openLog()
	c := config.Default()
	c.Revisit, c.Balance, c.Scope, c.Policy = "each", "", config.ScopeAny, "opic"
	c.Contact, c.AllowPrivate, c.MaxMemory = "test@example.org", true, 1<<30
	c.Delay = config.Seconds(1)
	c.KeepAlive, c.IPCap = config.Duration{}, 1 // kept connections are those of each partition
	if change != nil {
		change(&c)
	}
	w.config = c
	if w.plan, err = NewPlan(&c, partitions, []string{server.URL(0)}); err != nil {
		t.Fatal(err)
	}
	e := w.user()
	if err := Create(t.Context(), e.Register, w.plan); err != nil {
		t.Fatal(err)
	}
	go e.Register.Watch(t.Context(), func(v cluster.Value) {
		if v.Key == controlKey {
			x, _, _ := getControl(t.Context(), e.Register)
			w.mu.Lock()
			w.controls, w.ended = append(w.controls, x), time.Now()
			w.mu.Unlock()
		}
	})
	return w
}

// openLog keeps the log of all nodes if the test fails, in the directory NODE_LOG.
func (w *world) openLog() {
	dir := os.Getenv("NODE_LOG")
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, strings.ReplaceAll(w.t.Name(), "/", "-")))
	if err != nil {
		w.t.Fatal(err)
	}
	w.log = f
	w.t.Cleanup(func() {
		f.Close()
		if !w.t.Failed() {
			os.Remove(f.Name())
		}
	})
}

// user returns the engine as somebody sees it to whom nothing happens.
func (w *world) user() cluster.Engine { return w.broker.Client("", nil).Engine() }

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
	ended  chan result

	mu      sync.Mutex
	root    *disk.Memory
	dead    bool
	died    chan struct{} // closed with dead
	stopped chan struct{} // closed when it goes on; nil: it runs
	conns   map[*conn]bool
}

type result struct {
	sum *Summary
	err error
}

var errDead = errors.New("the process is dead")

// run starts a node.
func (w *world) run(name string) *process {
	w.mu.Lock()
	root := w.disks[name]
	if root == nil {
		root = disk.NewMemory()
		w.disks[name] = root
	}
	rate := 0.95 + 0.1*w.rng.Float64()
	p := &process{w: w, name: name, rate: rate, root: root, ended: make(chan result, 1), died: make(chan struct{}), conns: map[*conn]bool{}}
	w.nodes[name] = p
	w.mu.Unlock()
	o := Options{
		Dir: "memory", Name: name, ID: fmt.Sprintf("%s %p", name, root), Version: "test", Engine: w.broker.Client(name, p.gate).Engine(), Plan: w.plan, Clock: p.clock,
		Run: crawl.RunOptions{Log: slog.New(witness{p, slog.DiscardHandler}), Machine: crawl.Machine{
			Dial: p.dial, Resolve: p.resolve, TLS: w.server.ClientTLS(), Disk: p.open,
			Sizes: crawl.Sizes{Archive: 200 << 10, Journal: 20 << 10, Replay: 60 * 4 * time.Microsecond, URLs: 1, Status: 10 * time.Minute, Report: time.Minute},
		}},
	}
	if n := w.heaps[name]; n > 0 {
		o.Run.Machine.Heap = func() crawl.Heap { return crawl.Heap{Resident: n, Live: n} }
	}
	if w.log != nil {
		o.Run.Log = slog.New(witness{p, slog.NewTextHandler(w.log, nil)}).With("me", name)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	w.ending.Go(func() {
		sum, err := Run(ctx, o)
		p.ended <- result{sum, err}
	})
	return p
}

// A witness notes in the log of a process when it has lost something.
type witness struct {
	p *process
	slog.Handler
}

func (x witness) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }
func (x witness) WithAttrs(a []slog.Attr) slog.Handler         { return witness{x.p, x.Handler.WithAttrs(a)} }
func (x witness) WithGroup(g string) slog.Handler              { return witness{x.p, x.Handler.WithGroup(g)} }
func (x witness) Handle(ctx context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "the lease of this node has lapsed") || strings.HasPrefix(r.Message, "the partition has stopped") {
		x.p.w.upset(x.p.name)
	}
	return x.Handler.Handle(ctx, r)
}

// upset notes that a node may have lost what it had not committed.
func (w *world) upset(node string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.upsets = append(w.upsets, upset{node, time.Now()})
}

// hold waits while the process is stopped. It reports whether it was.
func (p *process) hold() (held bool, err error) {
	for {
		p.mu.Lock()
		dead, stopped := p.dead, p.stopped
		p.mu.Unlock()
		if dead {
			return held, errDead
		}
		if stopped == nil {
			return held, nil
		}
		select {
		case <-stopped:
		case <-p.died:
		}
		held = true
	}
}

// stop stops the process for a while.
func (p *process) stop(d time.Duration) {
	p.mu.Lock()
	again := make(chan struct{})
	p.stopped = again
	list := slices.Collect(maps.Keys(p.conns))
	p.mu.Unlock()
	p.w.upset(p.name)
	for _, c := range list {
		c.stalls()
	}
	time.Sleep(d)
	p.mu.Lock()
	if p.stopped == again { // nobody has stopped it once more
		p.stopped = nil
	}
	p.mu.Unlock()
	close(again)
	p.w.upset(p.name)
}

// gate is a place where processes are stopped: before and after each call of the engine, and so
// before each commit.
func (p *process) gate() error {
	_, err := p.mayStop(engineCalls)
	return err
}

// engineCalls is about how many calls of the engine there are for each request.
const engineCalls = 50

// mayStop stops the process sometimes, for up to three times the life of a lease, and waits while it
// is stopped. Other places are as often visited as they say, compared with requests.
func (p *process) mayStop(often int64) (held bool, err error) {
	p.w.mu.Lock()
	stops := p.w.gates > 0 && p.w.rng.Int64N(often*p.w.gates) == 0
	d := time.Duration(p.w.rng.Int64N(int64(3 * roster.TTL)))
	p.w.mu.Unlock()
	if stops {
		p.stop(d)
	}
	held, err = p.hold()
	return held || stops, err
}

// stopAtGates sets how rarely processes are stopped at gates.
func (w *world) stopAtGates(n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gates = n
}

// clock is that of the process: it is too fast or too slow. The lease of a dead process is over.
func (p *process) clock() roster.Instant {
	_, err := p.hold()
	d := time.Duration(p.rate * float64(time.Since(p.w.start)))
	if err != nil {
		d += time.Hour
	}
	return roster.Instant{Monotonic: d, Boot: d, Wall: d}
}

func (p *process) open(name string) (disk.Dir, error) {
	return p.root.Sub(path.Clean(name)), nil
}

func (p *process) resolve(ctx context.Context, host string) (fetch.Names, error) {
	if _, err := p.hold(); err != nil {
		return fetch.Names{}, err
	}
	a, ttl, err := p.w.server.Resolve(ctx, host)
	if err != nil {
		return fetch.Names{}, err
	}
	return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, 24*time.Hour)}, nil
}

func (p *process) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	held, err := p.mayStop(1)
	if err != nil {
		return nil, err
	}
	nc, err := p.w.server.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	at, _ := netip.ParseAddrPort(addr)
	c := &conn{Conn: nc, p: p, addr: at.Addr()}
	p.w.mu.Lock()
	p.w.dials = append(p.w.dials, dial{p.name, time.Now()})
	p.w.mu.Unlock()
	p.mu.Lock()
	dead := p.dead
	p.conns[c] = !dead
	p.mu.Unlock()
	if held {
		c.stalls()
	}
	if dead {
		c.Close()
		return nil, errDead
	}
	return c, nil
}

// A conn is a connection of a process.
type conn struct {
	net.Conn
	p    *process
	addr netip.Addr
	mu   sync.Mutex
	slip *stall
}

// stalls notes that the process was stopped while the connection was open.
func (c *conn) stalls() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.slip != nil {
		return
	}
	c.slip = &stall{addr: c.addr, from: time.Now()}
	c.p.w.mu.Lock()
	c.p.w.stalls = append(c.p.w.stalls, c.slip)
	c.p.w.mu.Unlock()
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	_, _ = c.p.hold()
	return n, err
}

// Write writes after the check: a process that is stopped here makes this request when it goes on.
func (c *conn) Write(b []byte) (int, error) {
	held, err := c.p.mayStop(1)
	if err != nil {
		return 0, err
	}
	if held {
		c.stalls()
	}
	return c.Conn.Write(b)
}

func (c *conn) Close() error {
	c.p.mu.Lock()
	delete(c.p.conns, c)
	c.p.mu.Unlock()
	err := c.Conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.slip != nil {
		c.p.w.mu.Lock()
		c.slip.to = time.Now()
		c.p.w.mu.Unlock()
	}
	return err
}

// What a fault leaves of a disk.
const (
	killed = iota
	powerLoss
	diskLost
)

// kill ends a process: it does nothing from now on. Its disk is as a kill or a power loss leaves it,
// or new.
func (p *process) kill(how int) {
	p.root.Stop(0)
	p.mu.Lock()
	p.dead = true
	close(p.died)
	list := slices.Collect(maps.Keys(p.conns))
	p.mu.Unlock()
	w := p.w
	w.upset(p.name)
	w.mu.Lock()
	switch old := p.root; how {
	case killed:
		w.disks[p.name] = old.Kill()
	case powerLoss:
		w.disks[p.name] = old.Crash(w.rng.Uint64())
	default: // the archive is somewhere: what it has counts
		w.roots = append(w.roots, old.Kill())
		delete(w.disks, p.name)
	}
	delete(w.nodes, p.name)
	w.mu.Unlock()
	for _, c := range list {
		c.Close()
	}
	p.cancel()
}

// finish waits until all nodes have ended, and checks why.
func (w *world) finish(most time.Duration, why string) {
	w.t.Helper()
	deadline := time.After(most)
	for name, p := range maps.Clone(w.nodes) {
		select {
		case r := <-p.ended:
			for r.err == nil && r.sum.Why == WhyChanged && why != WhyChanged { // it has begun with an old control value
				p = w.run(name)
				r = <-p.ended
			}
			switch {
			case r.err != nil:
				w.t.Errorf("node %s: %v", name, r.err)
			case r.sum.Why != why:
				w.t.Errorf("node %s ended because of %q", name, r.sum.Why)
			}
			delete(w.nodes, name)
		case <-deadline:
			if w.log != nil {
				stack := make([]byte, 1<<20)
				_, _ = w.log.Write(stack[:runtime.Stack(stack, true)])
			}
			w.t.Fatalf("node %s has not ended after %v", name, time.Since(w.start))
		}
	}
}

// end waits for what is left of processes, and for what is late.
func (w *world) end() {
	w.ending.Wait()
	time.Sleep(2 * time.Minute)
}

// copyDir copies the files of a directory. Those of other nodes than the last are closed.
func (w *world) copyDir(from, to *disk.Memory, name string, closed bool) {
	w.t.Helper()
	a, b := from.Sub(name), to.Sub(name)
	all, err := a.List()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range all {
		f, err := a.Open(e.Name, disk.Read)
		if err != nil {
			w.t.Fatal(err)
		}
		data, err := io.ReadAll(io.NewSectionReader(f, 0, e.Size))
		if err != nil {
			w.t.Fatal(err)
		}
		f.Close()
		name := e.Name
		if n := len(name) - len(".open"); closed && n > 0 && name[n:] == ".open" {
			name = name[:n]
		}
		if err := disk.Replace(b, name, name+".tmp", true, func(f disk.File) error {
			_, err := f.WriteAt(data, 0)
			return err
		}); err != nil {
			w.t.Fatal(err)
		}
	}
}
