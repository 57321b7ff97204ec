package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"path"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/cluster/roster"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A world is a web in memory, the engine of a cluster, and nodes that crawl it. Time is virtual.
type world struct {
	t      *testing.T
	server *serve.Server
	broker *memory.Broker
	config config.Config
	plan   *Plan
	start  time.Time
	rng    *rand.Rand
	faults int // requests under way may have been made again

	mu    sync.Mutex
	disks map[string]*disk.Memory
	roots []*disk.Memory // all that there were and are
	nodes map[string]*process
}

// newWorld makes a world. It belongs into a synctest bubble.
func newWorld(t *testing.T, seed uint64, partitions int, spec fakeweb.Spec, so answer.Options, f memory.Faults) *world {
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
	c := config.Default()
	c.Revisit, c.Balance, c.Scope, c.Policy = "each", "", config.ScopeAny, "opic"
	c.Contact, c.AllowPrivate, c.MaxMemory = "test@example.org", true, 1<<30
	c.Delay = config.Seconds(1)
	c.KeepAlive, c.IPCap = config.Duration{}, 1
	w.config = c
	if w.plan, err = NewPlan(&c, partitions, []string{server.URL(0)}); err != nil {
		t.Fatal(err)
	}
	return w
}

// A process is a node that runs.
type process struct {
	w      *world
	name   string
	rate   float64
	cancel context.CancelFunc
	ended  chan result

	mu      sync.Mutex
	root    *disk.Memory
	dead    bool
	stopped chan struct{} // closed when it goes on; nil: it runs
	conns   map[net.Conn]bool
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
	p := &process{w: w, name: name, rate: rate, root: root, ended: make(chan result, 1), conns: map[net.Conn]bool{}}
	w.nodes[name] = p
	w.mu.Unlock()
	o := Options{
		Dir: "memory", Name: name, ID: fmt.Sprintf("%s %p", name, root), Version: "test", Engine: w.broker.Client(name, p.hold).Engine(), Plan: w.plan, Clock: p.clock,
		Run: crawl.RunOptions{Machine: crawl.Machine{
			Dial: p.dial, Resolve: p.resolve, TLS: w.server.ClientTLS(), Disk: p.open,
			Sizes: crawl.Sizes{Archive: 200 << 10, Journal: 20 << 10, Replay: 60 * 4 * time.Microsecond, URLs: 1, Status: 10 * time.Minute, Report: time.Minute},
		}},
	}
	if os.Getenv("NODE_LOG") != "" {
		o.Run.Log = slog.New(slog.NewTextHandler(os.Stderr, nil)).With("me", name)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() {
		sum, err := Run(ctx, o)
		p.ended <- result{sum, err}
	}()
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

func (p *process) clock() roster.Instant {
	_ = p.hold()
	d := time.Duration(p.rate * float64(time.Since(p.w.start)))
	return roster.Instant{Monotonic: d, Boot: d, Wall: d}
}

func (p *process) open(name string) (disk.Dir, error) {
	return p.root.Sub(path.Clean(name)), nil
}

func (p *process) resolve(ctx context.Context, host string) (fetch.Names, error) {
	if err := p.hold(); err != nil {
		return fetch.Names{}, err
	}
	a, ttl, err := p.w.server.Resolve(ctx, host)
	if err != nil {
		return fetch.Names{}, err
	}
	return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, 24*time.Hour)}, nil
}

func (p *process) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if err := p.hold(); err != nil {
		return nil, err
	}
	c, err := p.w.server.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		c.Close()
		return nil, errDead
	}
	x := &conn{c, p}
	p.conns[x] = true
	return x, nil
}

// A conn is a connection of a process.
type conn struct {
	net.Conn
	p *process
}

func (c *conn) Close() error {
	c.p.mu.Lock()
	delete(c.p.conns, c)
	c.p.mu.Unlock()
	return c.Conn.Close()
}

// kill ends a process: it does nothing from now on. Its disk is as a kill or a power loss leaves it,
// or new.
func (p *process) kill(how int) {
	p.root.Stop(0)
	p.mu.Lock()
	p.dead = true
	stopped := p.stopped
	p.stopped = nil
	list := slices.Collect(maps.Keys(p.conns))
	p.mu.Unlock()
	if stopped != nil {
		close(stopped)
	}
	for _, c := range list {
		c.Close()
	}
	w := p.w
	w.mu.Lock()
	w.faults++
	old := p.root
	switch how {
	case 0:
		w.disks[p.name] = old.Kill()
	case 1:
		w.disks[p.name] = old.Crash(w.rng.Uint64())
	default: // the archive is somewhere: what it has counts
		w.roots = append(w.roots, old.Kill())
		delete(w.disks, p.name)
	}
	delete(w.nodes, p.name)
	w.mu.Unlock()
	p.cancel()
	<-p.ended
}

// finish waits until all nodes have ended, and checks why.
func (w *world) finish(most time.Duration) {
	w.t.Helper()
	deadline := time.After(most)
	for name, p := range maps.Clone(w.nodes) {
		select {
		case r := <-p.ended:
			switch {
			case r.err != nil:
				w.t.Errorf("node %s: %v", name, r.err)
			case r.sum.Why != "finished":
				w.t.Errorf("node %s ended because of %q", name, r.sum.Why)
			}
		case <-deadline:
			w.t.Fatalf("node %s has not ended after %v", name, time.Since(w.start))
		}
	}
}

// join makes one directory for each partition: the journal of the node that has most of it, and the
// archives of all.
func (w *world) join() []layout.Parts {
	w.t.Helper()
	roots := append([]*disk.Memory{}, w.roots...)
	for _, name := range slices.Sorted(maps.Keys(w.disks)) {
		roots = append(roots, w.disks[name])
	}
	var list []layout.Parts
	to := disk.NewMemory()
	for i := range w.plan.Crawl.Partitions {
		dir := layout.PartitionName(i)
		best, most := (*disk.Memory)(nil), uint64(0)
		for _, r := range roots {
			last, err := journal.Read(r.Sub(dir+"/"+layout.JournalDir), math.MaxUint64, nil)
			if err == nil && last.Next > most {
				best, most = r, last.Next
			}
		}
		if best == nil {
			w.t.Fatalf("partition %d has no journal", i)
		}
		w.copyDir(best, to, dir+"/"+layout.JournalDir, false)
		for _, r := range roots {
			w.copyDir(r, to, dir+"/"+layout.ArchiveDir, r != best)
		}
		p, err := layout.Open(func(name string) (disk.Dir, error) { return to.Sub(dir + "/" + name), nil })
		if err != nil {
			w.t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
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

// check holds what the server saw, and what the journals say, against what a crawl has to do.
func (w *world) check(want map[string]string) {
	w.t.Helper()
	w.checkServed()
	got := map[string]string{}
	cash, sent, applied := 0.0, uint64(0), uint64(0)
	for i, p := range w.join() {
		c, err := history.OpenParts(w.t.Context(), layout.PartitionName(i), p)
		if err != nil {
			w.t.Fatal(err)
		}
		s, err := c.State()
		if err != nil {
			w.t.Fatal(err)
		}
		for j := range s.Frontier.Pages() {
			p := graph.Page(j)
			cash += s.Frontier.Value(p, 0)
			bar := s.Frontier.Bar(p)
			if s.Frontier.State(p) == frontier.RefusedPage && bar == event.BarForeign {
				continue
			}
			got[string(s.AppendURL(nil, p))] = fmt.Sprint(s.Frontier.State(p), bar)
		}
		for j := range w.plan.Crawl.Partitions {
			a, _, b := s.Frontier.Messages(j)
			sent, applied = sent+a, applied+b
		}
		r, err := c.Verify(history.VerifyOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
		for k, x := range r.List {
			if k < 3 {
				w.t.Errorf("partition %d: %+v", i, x)
			}
		}
		c.Close()
	}
	if math.Abs(cash-1) > 1e-9 || sent != applied {
		w.t.Errorf("cash is %v; %d messages were sent, %d applied", cash, sent, applied)
	}
	bad := 0
	for url, state := range want {
		if got[url] != state && bad < 5 {
			bad++
			w.t.Errorf("%s is %q, on one machine %q", url, got[url], state)
		}
	}
	for url := range got {
		if want[url] == "" && bad < 5 && len(want) > 0 {
			bad++
			w.t.Errorf("%s is %q, on one machine unknown", url, got[url])
		}
	}
}

// checkServed holds what the server saw against what a crawl has to do.
func (w *world) checkServed() {
	w.t.Helper()
	c := &w.config
	n := w.server.Counter()
	found := n.Check(count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, AddressDelay: c.IPDelay.Duration, AddressCap: c.IPCap})
	found = append(found, n.CheckWanted(w.server.Wanted(answer.Limits{Sitemaps: true, MaxBody: int(c.MaxBody)}))...)
	bad := 0
	for _, x := range found {
		switch {
		case x.Kind == count.Repeated && x.N <= 1+w.faults: // it was under way at a fault
		case x.Kind == count.RetryAfter && w.faults > 0: // the record of that answer may be lost
		default:
			if bad++; bad < 10 {
				w.t.Error(x)
			}
		}
	}
}
