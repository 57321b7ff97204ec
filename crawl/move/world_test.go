package move

import (
	"context"
	"log/slog"
	"math"
	"net/netip"
	"os"
	"path"
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
	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
)

const sites = 15

// A world is a web in memory, the engine of a cluster, and disks. Time is virtual.
type world struct {
	t      *testing.T
	server *serve.Server
	broker *memory.Broker
	config config.Config
	plan   *node.Plan
	mu     sync.Mutex
	disks  map[string]*disk.Memory // by node; "" is the one machine
}

func newWorld(t *testing.T, partitions int) *world {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: 300, Sites: sites, Links: 2000, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(web, answer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	server.SetAddresses(sites)
	c := config.Default()
	c.Revisit, c.Balance, c.Scope, c.Policy = "each", "", config.ScopeAny, "opic"
	c.Contact, c.AllowPrivate, c.MaxMemory, c.Partitions = "test@example.org", true, 1<<30, partitions
	c.Delay, c.KeepAlive, c.IPCap = config.Seconds(1), config.Duration{}, 1
	c.Seeds = []string{server.URL(0)}
	return &world{t: t, server: server, broker: memory.New(1, memory.Faults{}), config: c, disks: map[string]*disk.Memory{}}
}

func (w *world) disk(name string) *disk.Memory {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.disks[name] == nil {
		w.disks[name] = disk.NewMemory()
	}
	return w.disks[name]
}

// open opens directories of a disk.
func (w *world) open(name string) func(string) (disk.Dir, error) {
	d := w.disk(name)
	return func(dir string) (disk.Dir, error) {
		if dir = path.Clean(dir); dir == "." {
			return d, nil
		}
		return d.Sub(dir), nil
	}
}

func (w *world) run(name string) crawl.RunOptions {
	o := crawl.RunOptions{Machine: crawl.Machine{
		Dial: w.server.Dial, TLS: w.server.ClientTLS(), Disk: w.open(name),
		Resolve: func(ctx context.Context, host string) (fetch.Names, error) {
			a, ttl, err := w.server.Resolve(ctx, host)
			return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, 24*time.Hour)}, err
		},
		Sizes: crawl.Sizes{Archive: 200 << 10, Journal: 20 << 10, Replay: time.Minute, URLs: 1, Status: 10 * time.Minute, Report: time.Minute},
	}}
	if os.Getenv("MOVE_LOG") != "" {
		o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil)).With("me", name)
	}
	return o
}

// alone crawls on one machine for a while, and returns why it has ended.
func (w *world) alone(d time.Duration) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), d)
	defer cancel()
	o := w.run("")
	o.Config, o.Seeds = w.config.Clone(), w.config.Seeds
	sum, err := partition.Run(ctx, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return sum.Why
}

// clock reads the virtual clock.
func (w *world) clock() roster.Instant {
	d := w.server.Counter().Now()
	return roster.Instant{Monotonic: d, Boot: d, Wall: d}
}

// options are those of a node.
func (w *world) options(name string) node.Options {
	return node.Options{Dir: w.t.TempDir(), Name: name, ID: name, Version: "test", Engine: w.broker.Client(name, nil).Engine(), Plan: w.plan, Run: w.run(name), Clock: w.clock}
}

// together starts nodes. wait waits until they have ended.
func (w *world) together(names ...string) (wait func()) {
	ended := make(chan error)
	for _, name := range names {
		go func() {
			_, err := node.Run(w.t.Context(), w.options(name))
			ended <- err
		}()
	}
	return func() {
		w.t.Helper()
		for range names {
			if err := <-ended; err != nil {
				w.t.Error(err)
			}
		}
	}
}

// adopt gives the crawl of the one machine to the cluster.
func (w *world) adopt() {
	w.t.Helper()
	file, err := layout.ReadPartitions(w.disk(""))
	if err != nil {
		w.t.Fatal(err)
	}
	if w.plan, err = adoptedPlan(&w.config, file); err != nil {
		w.t.Fatal(err)
	}
	d := Deed{Plan: w.plan, dir: "one", disk: w.open("")}
	e := w.broker.Client("user", nil).Engine()
	err = d.Fill(w.t.Context(), e, nil)
	if err == nil {
		err = node.Create(w.t.Context(), e.Register, w.plan)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// gather brings the crawl to a disk.
func (w *world) gather(name string, move bool) *Gathered {
	w.t.Helper()
	g, err := Gather(w.t.Context(), GatherOptions{
		Engine: w.broker.Client("user", nil).Engine(), Plan: w.plan, Dir: w.t.TempDir(), Archive: true, Compare: true, Move: move, To: "here", Disk: w.open(name), Clock: w.clock,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return g
}

// verify looks for violations in the partitions on a disk. It returns what partitions have sent and
// applied, and the number of files that are not there.
func (w *world) verify(name string) (missing int64) {
	w.t.Helper()
	n := w.config.Partitions
	sent, applied := make([][]uint64, n), make([][]uint64, n)
	cash := 0.0
	for i := range n {
		open := w.open(name)
		p, err := layout.Open(func(dir string) (disk.Dir, error) { return open(layout.PartitionName(i) + "/" + dir) })
		if err != nil {
			w.t.Fatal(err)
		}
		c, err := history.OpenParts(w.t.Context(), layout.PartitionName(i), p)
		if err != nil {
			w.t.Fatal(err)
		}
		s, err := c.State()
		if err != nil {
			w.t.Fatal(err)
		}
		for j := range n {
			a, _, b := s.Frontier.Messages(j)
			sent[i], applied[i] = append(sent[i], a), append(applied[i], b)
		}
		for j := range s.Frontier.Pages() {
			cash += s.Frontier.Value(graph.Page(j), 0)
		}
		f, err := c.Verify(history.VerifyOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
		for k, x := range f.List {
			if k < 3 {
				w.t.Errorf("%s, partition %d: %+v", name, i, x)
			}
		}
		missing += f.Absent
		c.Close()
	}
	whole := true
	for i := range n {
		for j := range n {
			if applied[j][i] > sent[i][j] {
				w.t.Errorf("%s: partition %d has applied %d messages of %d that were sent by %d", name, j, applied[j][i], sent[i][j], i)
			}
			whole = whole && applied[j][i] == sent[i][j]
		}
	}
	if whole && math.Abs(cash-1) > 1e-9 {
		w.t.Errorf("%s: the cash is %v", name, cash)
	}
	return missing
}

// served holds what the server saw against what a crawl has to do: every wanted page once.
func (w *world) served() {
	w.t.Helper()
	c := &w.config
	n := w.server.Counter()
	found := n.Check(count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, AddressDelay: c.IPDelay.Duration, AddressCap: c.IPCap})
	found = append(found, n.CheckWanted(w.server.Wanted(answer.Limits{Sitemaps: true, MaxBody: int(c.MaxBody)}))...)
	for i, x := range found {
		if i < 10 {
			w.t.Error(x)
		}
	}
}

// requests returns how many requests the server has seen.
func (w *world) requests() (n int) {
	for i := range sites {
		n += len(w.server.Counter().Requests(graph.Site(i)))
	}
	return n
}
