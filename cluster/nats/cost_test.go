package nats_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	client "github.com/nats-io/nats.go"

	"github.com/winnow-crawler/winnow/cluster/nats"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/member"
	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/graph"
)

// costVariable names the directory for the profiles of TestCost. costRole makes a process of this
// test another one: the web, a node, or a crawl without a cluster.
const costVariable, costRole = "WINNOW_COST", "WINNOW_COST_ROLE"

const secret = nats.Secret("0123456789abcdef0123456789abcdef")

// costSites is the number of sites of the web, costPages that of its pages.
const costSites, costPages = 6000, 600_000

// TestCost measures what a cluster costs a page: three nodes crawl a web that another process serves,
// as fast as the machine can. Brokers are processes of their own, so that their processor time
// is known; and then they are within the nodes, where a profile tells it. The same crawl without a
// cluster, with as many partitions in one process, is the yardstick.
func TestCost(t *testing.T) {
	switch role := os.Getenv(costRole); {
	case role == "web":
		serveWeb(t)
		return
	case role != "":
		crawlAs(t, role)
		return
	case os.Getenv(costVariable) == "":
		t.Skip("make cluster-cost runs it")
	}
	web := startCostWeb(t)
	fields := func(name, usual string) []string { return strings.Fields(cmp.Or(os.Getenv(name), usual)) }
	for _, kind := range fields("WINNOW_COST_KINDS", "alone apart within") {
		for _, partitions := range fields("WINNOW_COST_PARTITIONS", "64 12") {
			for _, policy := range fields("WINNOW_COST_POLICIES", "opic foresight larger-sites-first") {
				for _, delay := range fields("WINNOW_COST_DELAYS", "1.5") {
					n, err := strconv.Atoi(partitions)
					if err != nil {
						t.Fatal(err)
					}
					x := costCase{kind: kind, policy: policy, partitions: n, delay: delay, web: web}
					t.Run(fmt.Sprintf("%s/%d/%s/%s", kind, n, policy, delay), x.run)
				}
			}
		}
	}
}

// A costCase is one crawl that is measured.
type costCase struct {
	kind       string // alone: without a cluster; apart: brokers are processes; within: they are in the nodes
	policy     string
	partitions int
	delay      string // seconds between two requests to a site
	web        *webPlace
}

// costWarm and costTime are the times before and in which a crawl is measured.
const costWarm, costTime = 12 * time.Second, 20 * time.Second

// A webPlace is where the web is.
type webPlace struct {
	Resolver string
	Seeds    []string
}

// serveWeb serves a web until standard input ends.
func serveWeb(t *testing.T) {
	web, err := fakeweb.New(fakeweb.Spec{Pages: costPages, Sites: costSites, Links: 20 * costPages, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(web, answer.Options{MinSize: 2000, MaxSize: 60_000})
	if err != nil {
		t.Fatal(err)
	}
	at, err := server.Listen(serve.Listen{HTTP: "127.0.0.1:0", DNS: "127.0.0.1:0", Addresses: costSites})
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	p := webPlace{Resolver: at.Resolver()}
	seen := map[string]bool{}
	for i := range graph.Page(costPages) {
		url := server.URL(i)
		if host := strings.Split(url, "/")[2]; !seen[host] {
			seen[host] = true
			p.Seeds = append(p.Seeds, url)
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(p)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// A process is one that the test has started. It obeys lines, and answers each with one.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// spawn starts this test as another process.
func spawn(t *testing.T, env string, log io.Writer) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0], "-test.run=^TestCost$", "-test.timeout=1h")}
	p.cmd.Env = append(os.Environ(), env)
	p.cmd.Stderr = log
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 1<<20)
	t.Cleanup(func() {
		in.Close()
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	return p
}

// read reads an answer.
func (p *process) read(x any) {
	p.t.Helper()
	line, err := p.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, x)
	}
	if err != nil {
		p.t.Fatalf("%q: %v", line, err)
	}
}

// ask sends a line, and reads the answer.
func (p *process) ask(line string, x any) {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		p.t.Fatal(err)
	}
	p.read(x)
}

// cpu returns the processor time of a process, and its memory.
func (p *process) cpu() (time.Duration, int64) { return nats.Usage(p.t, p.cmd.Process.Pid) }

func startCostWeb(t *testing.T) *webPlace {
	p, at := spawn(t, costRole+"=web", os.Stderr), new(webPlace)
	p.read(at)
	return at
}

// A costJob is what a process that crawls is to do.
type costJob struct {
	Node   string // the name of a node; "": none
	Listen string
	Peers  []string
	Join   string // where brokers are; "": they are in the nodes
	Dir    string
	Config []byte // of a crawl without a cluster
	Seeds  []string
}

// spawn starts the process.
func (j costJob) spawn(t *testing.T, log io.Writer) *process {
	t.Helper()
	name := filepath.Join(t.TempDir(), "job")
	text, err := json.Marshal(j)
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return spawn(t, costRole+"="+name, log)
}

// crawlAs crawls, as a node or alone. Lines on standard input are names of profiles, which begin
// and end by turns.
func crawlAs(t *testing.T, role string) {
	var j costJob
	text, err := os.ReadFile(role)
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	if j.Node != "" {
		running.Go(func() { runCostNode(ctx, t, &j) })
	} else {
		running.Go(func() { runCostAlone(ctx, t, &j) })
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		pprof.StopCPUProfile()
		if name := lines.Text(); name != "-" {
			f, err := os.Create(name)
			if err == nil {
				err = pprof.StartCPUProfile(f)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		fmt.Println("{}")
	}
	cancel()
	running.Wait()
}

func costRun() crawl.RunOptions {
	return crawl.RunOptions{MachineMemory: 8 << 30, Sockets: 4000, Machine: crawl.Machine{Heap: crawl.MeasureHeap}}
}

func runCostNode(ctx context.Context, t *testing.T, j *costJob) {
	o := &member.Options{Name: j.Node, Dir: j.Dir, Listen: j.Listen, Peers: j.Peers, Secret: secret, Version: "test", Run: costRun()}
	o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	if j.Join != "" {
		p, err := member.ParsePlace(j.Join)
		if err != nil {
			t.Fatal(err)
		}
		p = p.WithSecret(secret)
		o.Join = &p
	}
	n, err := member.Join(ctx, o)
	if err == nil {
		err = n.Run(ctx)
		n.Close()
	}
	if err != nil && ctx.Err() == nil {
		t.Error(err)
	}
}

// runCostAlone crawls without a cluster, and tells each second how many pages it has.
func runCostAlone(ctx context.Context, t *testing.T, j *costJob) {
	o := costRun()
	o.Dir, o.Config, o.Seeds, o.Version = j.Dir, config.Default(), j.Seeds, "test"
	if err := o.Config.Read("the configuration", j.Config); err != nil {
		t.Fatal(err)
	}
	o.Progress = func(s *history.Status) { fmt.Println(s.Fetched) }
	if _, err := partition.Run(ctx, o); err != nil {
		t.Error(err)
	}
}

// config returns the configuration of the crawl.
func (x *costCase) config(t *testing.T) config.Config {
	delay, err := strconv.ParseFloat(x.delay, 64)
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Scope, c.Contact, c.AllowPrivate, c.Resolver = config.ScopeAny, "test@example.org", true, x.web.Resolver
	c.Policy, c.Partitions, c.MaxMemory = x.policy, x.partitions, 4<<30
	c.Delay, c.DelayFactor, c.IPCap, c.IPDelay = config.Seconds(delay), 0, 0, config.Seconds(0)
	return c
}

// A costFigure is what was measured.
type costFigure struct {
	pages, seconds   float64
	crawl, broker    float64 // seconds of processors; of brokers that are processes
	memory           int64   // of the largest broker
	routeMsgs, route float64 // messages and bytes between brokers
	kinds            map[string]*traffic
	kindPages        float64 // pages while messages were counted
	kindSeconds      float64
	rest             float64            // of brokers of a crawl that is paused, in a second
	shares           map[string]float64 // seconds of processors by packages, of profiles
}

type traffic struct{ messages, bytes float64 }

func (x *costCase) run(t *testing.T) {
	if x.kind == "alone" {
		x.alone(t).print(t)
		return
	}
	x.cluster(t).print(t)
}

// alone measures the crawl in one process without brokers.
func (x *costCase) alone(t *testing.T) *costFigure {
	k := x.config(t)
	text, err := k.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	p := costJob{Config: text, Dir: filepath.Join(t.TempDir(), "crawl"), Seeds: x.web.Seeds}.spawn(t, os.Stderr)
	began := time.Now()
	var f costFigure
	var from float64
	var cpu time.Duration
	var at time.Time
	for {
		var n float64
		p.read(&n)
		now, _ := p.cpu()
		switch {
		case at.IsZero() && time.Since(began) > costWarm:
			at, from, cpu = time.Now(), n, now
		case !at.IsZero() && time.Since(at) > costTime:
			f.pages, f.seconds, f.crawl = n-from, time.Since(at).Seconds(), (now - cpu).Seconds()
			return &f
		}
	}
}

// freeAddresses returns addresses that are free, each with the next port.
func freeAddresses(t *testing.T, n int) (list []nats.Address) {
	for try := 0; len(list) < n && try < 1000; try++ {
		a, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		port := a.Addr().(*net.TCPAddr).Port
		if b, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+1)); err == nil {
			defer b.Close()
			list = append(list, nats.Address{Host: "127.0.0.1", Port: port})
		}
	}
	if len(list) < n {
		t.Fatal("no ports are free")
	}
	return list
}

// A costCluster is three nodes, and three brokers if they are apart.
type costCluster struct {
	nodes, brokers []*process
	cluster        *member.Cluster
	conn           *nats.Conn
	crawl          *member.Crawl
	mu             sync.Mutex
	fetched        map[string]int64
}

func (x *costCase) start(t *testing.T) *costCluster {
	var peers, routes []string
	addresses := freeAddresses(t, 3)
	for _, a := range addresses {
		peers = append(peers, fmt.Sprintf("%s:%d", a.Host, a.Port))
		routes = append(routes, fmt.Sprintf("%s:%d", a.Host, a.Port+1))
	}
	c := &costCluster{fetched: map[string]int64{}}
	logs, err := os.Create(filepath.Join(os.Getenv(costVariable), "log-"+strings.ReplaceAll(t.Name(), "/", "-")))
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range addresses {
		if x.kind != "apart" {
			break
		}
		text, err := json.Marshal(nats.BrokerOptions{
			Name: fmt.Sprint("n", i), Dir: t.TempDir(), Listen: a, Cluster: nats.Address{Host: a.Host, Port: a.Port + 1}, Peers: routes, Secret: secret,
		})
		if err != nil {
			t.Fatal(err)
		}
		p := spawn(t, nats.BrokerEnv+"="+string(text), logs)
		c.brokers = append(c.brokers, p)
	}
	for _, p := range c.brokers {
		if line, _ := p.out.ReadString('\n'); line != "ready\n" {
			t.Fatal(line)
		}
	}
	for i, name := range []string{"a", "b", "c"} {
		j := costJob{Node: name, Dir: t.TempDir(), Listen: peers[i], Peers: peers}
		if x.kind == "apart" {
			j.Join = strings.Join(peers, ",")
		}
		c.nodes = append(c.nodes, j.spawn(t, logs))
	}
	c.connect(t, x, peers)
	return c
}

// connect connects with the cluster, and begins the crawl.
func (c *costCluster) connect(t *testing.T, x *costCase, peers []string) {
	urls := "tls://" + strings.Join(peers, ",tls://")
	retry(t, func() (err error) { c.conn, err = nats.Dial("test", secret, urls); return err })
	t.Cleanup(c.conn.Close)
	if x.kind == "apart" {
		retry(t, func() error {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			return nats.CreateRegister(ctx, c.conn, 3)
		})
	}
	place, err := member.ParsePlace(strings.Join(peers, ","))
	if err != nil {
		t.Fatal(err)
	}
	retry(t, func() (err error) { c.cluster, err = member.Connect(t.Context(), place.WithSecret(secret)); return err })
	t.Cleanup(c.cluster.Close)
	retry(t, func() error {
		if list, err := c.cluster.Nodes(t.Context()); err != nil || len(list) < 3 {
			return fmt.Errorf("%d nodes: %w", len(list), err)
		}
		return nil
	})
	k := x.config(t)
	p, err := node.NewPlan(&k, x.partitions, x.web.Seeds)
	if err == nil {
		c.crawl, err = c.cluster.Create(t.Context(), "cost", p)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// retry does something until it succeeds.
func retry(t *testing.T, do func() error) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		err := do()
		if err == nil {
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatal(err)
		}
	}
}

// pages returns how many pages nodes have told of.
func (c *costCluster) pages() (n float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.fetched {
		n += float64(k)
	}
	return n
}

// sample returns what was used so far.
func (c *costCluster) sample(t *testing.T) (f costFigure) {
	for _, p := range c.nodes {
		cpu, _ := p.cpu()
		f.crawl += cpu.Seconds()
	}
	for _, p := range c.brokers {
		cpu, memory := p.cpu()
		f.broker += cpu.Seconds()
		f.memory = max(f.memory, memory)
		var x nats.Traffic
		p.ask("traffic", &x)
		f.routeMsgs += float64(x.RouteMsgs)
		f.route += float64(x.RouteBytes)
	}
	f.pages = c.pages()
	return f
}

// cluster measures the crawl of a cluster.
func (x *costCase) cluster(t *testing.T) *costFigure {
	c := x.start(t)
	watching, enough := context.WithCancel(t.Context())
	defer enough()
	var all sync.WaitGroup
	defer all.Wait()
	defer enough()
	all.Go(func() {
		_ = node.Watch(watching, c.crawl.Engine, func(m map[string]node.NodeStatus) {
			c.mu.Lock()
			defer c.mu.Unlock()
			for name, s := range m {
				c.fetched[name] = s.Status.Fetched
			}
		})
	})
	retry(t, func() error {
		if n := c.pages(); n < 100 {
			return fmt.Errorf("%v pages", n)
		}
		return nil
	})
	time.Sleep(costWarm)
	before, began := c.sample(t), time.Now()
	time.Sleep(costTime)
	f := c.sample(t)
	f.pages, f.seconds, f.crawl, f.broker = f.pages-before.pages, time.Since(began).Seconds(), f.crawl-before.crawl, f.broker-before.broker
	f.routeMsgs, f.route = f.routeMsgs-before.routeMsgs, f.route-before.route
	c.profile(t, x, &f)
	c.count(t, &f)
	c.rest(t, &f)
	return &f
}

// rest measures brokers while the crawl is paused.
func (c *costCluster) rest(t *testing.T, f *costFigure) {
	if len(c.brokers) == 0 {
		return
	}
	if err := c.crawl.Command(t.Context(), "pause"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(profileTime / 2)
	before, began := c.sample(t), time.Now()
	time.Sleep(profileTime)
	after := c.sample(t)
	f.rest = (after.broker - before.broker) / time.Since(began).Seconds()
}

// profileTime is for how long nodes are profiled, and messages counted.
const profileTime = 10 * time.Second

// profiled are the packages whose share of the nodes' processor time is told.
var profiled = map[string]string{
	"brokers":                  `nats-io/nats-server`,
	"clients of brokers":       `nats-io/nats\.go|winnow/cluster/nats|cluster\.\(\*(life|Tenure)\)\.(beat|watch|store|step)|crawl/node\.(\(\*(post|rights)\)|mailbox|door|\(\*hall\)\.(talk|watch|decree|take|see))`,
	"messages with partitions": `crawl\.\(\*loop\)\.converse`,
}

// profile profiles the nodes.
func (c *costCluster) profile(t *testing.T, x *costCase, f *costFigure) {
	var names []string
	begin := c.pages()
	for i, p := range c.nodes {
		name := filepath.Join(os.Getenv(costVariable), fmt.Sprintf("%s-%d-%s-%s-%d.prof", x.kind, x.partitions, x.policy, x.delay, i))
		names = append(names, name)
		p.ask(name, &struct{}{})
	}
	for i, p := range c.brokers {
		p.ask("profile "+filepath.Join(os.Getenv(costVariable), fmt.Sprintf("broker-%d-%s-%s-%d.prof", x.partitions, x.policy, x.delay, i)), &struct{}{})
	}
	time.Sleep(profileTime)
	for _, p := range c.nodes {
		p.ask("-", &struct{}{})
	}
	for _, p := range c.brokers {
		p.ask("profile -", &struct{}{})
	}
	pages := c.pages() - begin
	f.shares = map[string]float64{}
	for what, focus := range profiled {
		f.shares[what] = profileSeconds(t, focus, names...) / pages * 1e6
	}
}

var profileTotal = regexp.MustCompile(`Showing nodes accounting for ([0-9.]+)s`)

// profileSeconds returns the seconds of profiles in functions and what they call.
func profileSeconds(t *testing.T, focus string, names ...string) float64 {
	t.Helper()
	args := append([]string{"tool", "pprof", "-top", "-unit=s", "-nodefraction=0", "-nodecount=0", "-focus=" + focus}, names...)
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := profileTotal.FindSubmatch(out)
	if m == nil {
		return 0 // too short for a sample
	}
	s, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// count counts messages by their subjects, as one more who hears them.
func (c *costCluster) count(t *testing.T, f *costFigure) {
	var mu sync.Mutex
	f.kinds = map[string]*traffic{}
	note := func(kind string, bytes int) {
		mu.Lock()
		defer mu.Unlock()
		x := f.kinds[kind]
		if x == nil {
			x = new(traffic)
			f.kinds[kind] = x
		}
		x.messages++
		x.bytes += float64(bytes)
	}
	for _, subject := range []string{"w.>", "$KV.>", "_INBOX.>", "$JS.API.>"} {
		s, err := c.conn.Subscribe(subject, func(m *client.Msg) {
			kind, size := strings.Split(subject, ".")[0], len(m.Subject)+len(m.Data)
			for k, v := range m.Header {
				size += len(k) + len(v[0]) + 4
			}
			if kind == "w" {
				if list := strings.Split(m.Subject, "."); len(list) > 2 {
					kind = list[2]
				}
				if kind == "x" && len(m.Data) <= 12 {
					kind = "x, acknowledgements"
				}
			}
			note(kind, size)
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = s.SetPendingLimits(-1, -1)
		defer func() { _ = s.Unsubscribe() }()
	}
	_ = c.conn.Flush()
	mu.Lock()
	clear(f.kinds)
	begin, began := c.pages(), time.Now()
	mu.Unlock()
	time.Sleep(profileTime)
	mu.Lock()
	defer mu.Unlock()
	f.kindPages, f.kindSeconds = c.pages()-begin, time.Since(began).Seconds()
	kinds := map[string]*traffic{}
	for k, v := range f.kinds {
		x := *v
		kinds[k] = &x
	}
	f.kinds = kinds
}

func (f *costFigure) print(t *testing.T) {
	var b bytes.Buffer
	us := func(s float64) float64 { return s / f.pages * 1e6 }
	fmt.Fprintf(&b, "| %s | %.0f pages/s, processor %.0f us a page (nodes %.0f", strings.TrimPrefix(t.Name(), "TestCost/"), f.pages/f.seconds, us(f.crawl+f.broker), us(f.crawl))
	if f.broker > 0 {
		fmt.Fprintf(&b, ", brokers %.0f: %.1f %% of a core; %d MB; %.1f %% at rest; between brokers %.2f messages and %.0f bytes a page", us(f.broker), f.broker/f.seconds*100, f.memory>>20, f.rest*100, f.routeMsgs/f.pages, f.route/f.pages)
	}
	fmt.Fprintf(&b, ") |\n")
	for _, what := range slices.Sorted(mapKeys(f.shares)) {
		fmt.Fprintf(&b, "|   nodes, %s | %.0f us a page |\n", what, f.shares[what])
	}
	for _, kind := range slices.Sorted(mapKeys(f.kinds)) {
		x := f.kinds[kind]
		fmt.Fprintf(&b, "|   %s | %.1f messages/s, %.3f messages and %.0f bytes a page |\n", kind, x.messages/f.kindSeconds, x.messages/f.kindPages, x.bytes/f.kindPages)
	}
	fmt.Print(b.String())
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
