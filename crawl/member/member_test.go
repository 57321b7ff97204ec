package member

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/nats"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/move"
	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

const secret = nats.Secret("0123456789abcdef0123456789abcdef")

// A world is a web in memory, and nodes that meet on loopback.
type world struct {
	t      *testing.T
	server *serve.Server
	ports  []string // of nodes with --listen
	stops  map[string]func() error
}

func newWorld(t *testing.T, spec fakeweb.Spec) *world {
	t.Helper()
	web, err := fakeweb.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(web, answer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	server.SetAddresses(spec.Sites)
	return &world{t: t, server: server, stops: map[string]func() error{}}
}

// peers finds free addresses for nodes: two ports in a row for each.
func (w *world) peers(n int) []string {
	w.t.Helper()
	for try := 0; len(w.ports) < n && try < 100; try++ {
		a, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			w.t.Fatal(err)
		}
		defer a.Close()
		port := a.Addr().(*net.TCPAddr).Port
		b, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+1))
		if err == nil {
			defer b.Close()
			w.ports = append(w.ports, fmt.Sprintf("127.0.0.1:%d", port))
		}
	}
	return w.ports
}

// options returns those of a node.
func (w *world) options(name, dir string) *Options {
	o := &Options{Name: name, Dir: dir, Secret: secret, Version: "1.0", Log: slog.New(slog.DiscardHandler)}
	if os.Getenv("NODE_LOG") != "" {
		o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil)).With("me", name)
	}
	o.Run = crawl.RunOptions{
		MachineMemory: 4 << 30,
		Machine: crawl.Machine{
			Dial: w.server.Dial, TLS: w.server.ClientTLS(),
			Resolve: func(ctx context.Context, host string) (fetch.Names, error) {
				a, ttl, err := w.server.Resolve(ctx, host)
				return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, time.Hour)}, err
			},
		},
	}
	return o
}

// place returns where the first node is.
func (w *world) place() Place {
	p, err := ParsePlace(w.ports[0])
	if err != nil {
		w.t.Fatal(err)
	}
	return p.WithSecret(secret)
}

// start lets a node join and run. What is in stops ends it.
func (w *world) start(o *Options) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		n, err := Join(ctx, o)
		if err == nil {
			err = n.Run(ctx)
			n.Close()
		}
		ended <- err
	}()
	stop := func() error {
		cancel()
		return <-ended
	}
	w.stops[o.Name] = stop
	w.t.Cleanup(func() { cancel() })
}

// connect connects with the cluster as soon as there is one.
func (w *world) connect() *Cluster {
	w.t.Helper()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		c, err := Connect(w.t.Context(), w.place())
		if err == nil {
			w.t.Cleanup(c.Close)
			return c
		}
		if time.Since(began) > time.Minute {
			w.t.Fatal(err)
		}
	}
}

// up waits until so many nodes tell how they are.
func (w *world) up(c *Cluster, n int) {
	w.t.Helper()
	for began := time.Now(); ; {
		list, err := c.Nodes(w.t.Context())
		if err == nil && len(list) == n {
			return
		}
		if time.Since(began) > time.Minute {
			w.t.Fatalf("nodes: %+v, %v", list, err)
		}
	}
}

// plan describes a crawl of the web.
func (w *world) plan(partitions int, delay time.Duration) *node.Plan {
	c := config.Default()
	c.Scope, c.Policy, c.Contact, c.AllowPrivate, c.MaxMemory = config.ScopeAny, "opic", "test@example.org", true, 1<<30
	c.Delay, c.IPDelay, c.DelayFactor = config.Duration{Duration: delay}, config.Duration{}, 0
	p, err := node.NewPlan(&c, partitions, []string{w.server.URL(0)})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// until waits until so many nodes crawl all partitions.
func (w *world) until(x *Crawl, nodes int) {
	w.t.Helper()
	ctx, enough := context.WithTimeout(w.t.Context(), time.Minute)
	defer enough()
	reached := false
	_, _ = x.Follow(ctx, func(v *View) {
		if v.Silent == 0 && len(v.Nodes) == nodes && v.Status.Fetched > 0 {
			reached = true
			enough()
		}
	})
	if !reached {
		w.t.Fatal("the nodes did not begin")
	}
}

// follow waits until a crawl has ended.
func (w *world) follow(x *Crawl) *View {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 3*time.Minute)
	defer cancel()
	v, err := x.Follow(ctx, func(v *View) { w.t.Logf("%s %d pages, %d silent, %v", v.Ended, v.Status.Fetched, v.Silent, v.Free) })
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

// check gathers the crawl, and holds it and what the server has seen against what is demanded.
func (w *world) check(x *Crawl, delay time.Duration) {
	w.t.Helper()
	dir := filepath.Join(w.t.TempDir(), "copy")
	g, err := move.Gather(w.t.Context(), move.GatherOptions{Engine: x.Engine, Plan: x.Plan, Dir: dir, Archive: true})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(g.Missing) > 0 {
		w.t.Errorf("missing: %+v", g.Missing)
	}
	for i := range x.Plan.Crawl.Partitions {
		r, err := history.Verify(w.t.Context(), layout.PartitionDir(dir, i), history.VerifyOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, f := range r.List {
			w.t.Errorf("partition %d: %+v", i, f)
		}
	}
	n := w.server.Counter()
	for _, f := range append(n.Check(count.Demands{Delay: delay}), n.CheckWanted(w.server.Wanted(answer.Limits{Sitemaps: true, MaxBody: int(config.Default().MaxBody)}))...) {
		w.t.Error(f)
	}
}

// hinted fails unless an error has a hint and contains words.
func hinted(t *testing.T, err error, words ...string) {
	t.Helper()
	var h *hint.Error
	if !errors.As(err, &h) || h.Hint == "" {
		t.Errorf("no hint: %v", err)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%v: it does not contain %q", err, word)
		}
	}
}

// One machine is a cluster, too: a crawl is stopped, resumed with a limit, which is taken away, and
// finishes. What does not belong to it is refused.
func TestAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeweb.Spec{Pages: 120, Sites: 10, Links: 1000, Seed: 7})
	o := w.options("a", filepath.Join(t.TempDir(), "a"))
	o.Listen = w.peers(1)[0]
	_, err := Connect(t.Context(), w.place())
	hinted(t, err, "no node answers")
	w.start(o)
	c := w.connect()
	w.up(c, 1)
	w.strangers(o)
	_, err = c.Open(t.Context(), "none")
	hinted(t, err, "no such crawl")
	x, err := c.Create(t.Context(), "one", w.plan(4, 200*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Create(t.Context(), "one", w.plan(4, 200*time.Millisecond))
	hinted(t, err, "already")
	see := w.watch(c)
	w.until(x, 1)
	see("a node with its partitions", func(s *Sight) bool {
		return s.Err == nil && len(s.Nodes) == 1 && s.Nodes[0].Partitions == 4 && s.Nodes[0].Memory > 0 && s.Nodes[0].MemoryMax >= s.Nodes[0].Memory &&
			len(s.Crawls) == 1 && s.Crawls[0].View != nil && s.Crawls[0].View.Ended == ""
	})
	hinted(t, c.Remove(t.Context(), "one"), "has not ended")
	if err := x.Command(t.Context(), "stop"); err != nil {
		t.Fatal(err)
	}
	v := w.follow(x)
	if v.Ended != "stopped" || v.Silent != 0 {
		t.Errorf("it has ended because of %q, %d silent", v.Ended, v.Silent)
	}
	most := v.Status.Fetched + 10
	w.change(x, func(c *config.Config) { c.Pages = most })
	if v := w.follow(x); v.Ended != "pages" || v.Status.Fetched != most {
		t.Errorf("%s, %d pages, not %d", v.Ended, v.Status.Fetched, most)
	}
	w.change(x, func(c *config.Config) { c.Pages = 0 })
	if v := w.follow(x); v.Ended != "finished" || v.Status.Fetched != 120 || v.Silent != 0 {
		t.Errorf("%s, %d pages, %d silent", v.Ended, v.Status.Fetched, v.Silent)
	}
	hinted(t, x.Command(t.Context(), "resume"), "finished")
	list, err := c.Nodes(t.Context())
	if err != nil || len(list) != 1 || list[0].Crawls["one"] != PartEnded || !list[0].Broker || list[0].BrokerOff {
		t.Errorf("%+v, %v", list, err)
	}
	see("the end", func(s *Sight) bool {
		return s.Crawls[0].View.Ended == "finished" && s.Crawls[0].View.Status.Fetched == 120 && s.Nodes[0].Partitions == 0
	})
	w.check(x, 200*time.Millisecond)
	w.remove(c, x, o)
	if err := w.stops["a"](); err != nil {
		t.Error(err)
	}
	see("that no node answers", func(s *Sight) bool {
		return s.Err != nil && strings.Contains(s.Err.Error(), "no node answers") && time.Since(s.Answered) < time.Minute && len(s.Nodes) == 1
	})
}

// watch watches a cluster. see waits until something is true of it.
func (w *world) watch(c *Cluster) (see func(what string, is func(*Sight) bool)) {
	ctx, cancel := context.WithCancel(w.t.Context())
	sights, ended := make(chan *Sight), make(chan error, 1)
	go func() {
		ended <- c.Watch(ctx, func(s *Sight) {
			select {
			case sights <- s:
			case <-ctx.Done():
			}
		})
	}()
	w.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Error(err)
		}
	})
	return func(what string, is func(*Sight) bool) {
		w.t.Helper()
		for range 60 {
			if s := <-sights; is(s) {
				return
			}
		}
		w.t.Fatalf("the watch does not show %s", what)
	}
}

// remove removes a crawl that has ended. Another one may have its name then, and begins anew.
func (w *world) remove(c *Cluster, x *Crawl, o *Options) {
	t := w.t
	t.Helper()
	if err := c.Remove(t.Context(), x.Name); err != nil {
		t.Fatal(err)
	}
	hinted(t, c.Remove(t.Context(), x.Name), "no such crawl")
	if list, err := c.Crawls(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("crawls: %v, %v", list, err)
	}
	next, err := c.Create(t.Context(), x.Name, w.plan(4, 100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	w.until(next, 1)
	dir := filepath.Join(o.Dir, crawlsDir, x.Name)
	for name, want := range map[string]string{dir + "-" + x.Plan.Crawl.Crawl[:8]: x.Plan.Crawl.Crawl, dir: next.Plan.Crawl.Crawl} {
		if p, err := layout.ReadPartitions(disk.OS(name)); err != nil || p == nil || p.Crawl != want {
			t.Errorf("%s: %+v, %v; not %s", name, p, err, want)
		}
	}
}

// change changes the settings of a crawl.
func (w *world) change(x *Crawl, change func(*config.Config)) {
	w.t.Helper()
	c, err := x.Plan.Configuration()
	if err != nil {
		w.t.Fatal(err)
	}
	change(&c)
	p, err := x.Plan.Change(&c, nil)
	if err == nil {
		err = x.Change(w.t.Context(), p)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// strangers have another secret, the name of another node, another version, or its directory.
func (w *world) strangers(a *Options) {
	t := w.t
	t.Helper()
	_, err := Connect(t.Context(), w.place().WithSecret(nats.Secret(strings.Repeat("x", 32))))
	hinted(t, err, "secret")
	p := w.place()
	join := func(name, dir, version string) error {
		o := w.options(name, dir)
		o.Join, o.Version = &p, version
		n, err := Join(t.Context(), o)
		if err == nil {
			n.Close()
		}
		return err
	}
	err = join("a", filepath.Join(t.TempDir(), "x"), "1.0")
	if hinted(t, err, "another node has this name"); !errors.Is(err, cluster.ErrName) {
		t.Error(err)
	}
	err = join("b", filepath.Join(t.TempDir(), "x"), "2.0")
	if hinted(t, err, `"2.0"`); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
	hinted(t, join("b", a.Dir, "1.0"), "another process uses")
}

// Four nodes, three of them with brokers, crawl a web together. One leaves in the middle.
func TestTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeweb.Spec{Pages: 600, Sites: 24, Links: 4000, Seed: 7})
	peers := w.peers(3)
	for i, name := range []string{"a", "b", "c"} {
		o := w.options(name, filepath.Join(t.TempDir(), name))
		o.Listen, o.Peers = peers[i], peers
		w.start(o)
	}
	c := w.connect()
	x, err := c.Create(t.Context(), "one", w.plan(8, 20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	p, d := w.place(), w.options("d", filepath.Join(t.TempDir(), "d"))
	d.Join = &p
	w.start(d)
	w.until(x, 4)
	if err := w.stops["d"](); err != nil {
		t.Error(err)
	}
	v := w.follow(x)
	if v.Ended != "finished" || v.Status.Fetched != 600 || v.Silent != 0 {
		t.Errorf("%s, %d pages, %d silent", v.Ended, v.Status.Fetched, v.Silent)
	}
	w.start(d) // it has a part of the archive
	w.up(c, 4)
	w.check(x, 20*time.Millisecond)
	for _, name := range []string{"d", "a", "b", "c"} {
		if err := w.stops[name](); err != nil {
			t.Error(err)
		}
	}
}
