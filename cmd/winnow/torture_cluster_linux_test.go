package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/cluster/roster"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
)

// TestTortureCluster lets three nodes, real processes with brokers and sockets, crawl a web, while
//
//   - they are killed (SIGKILL) and started again,
//   - they are stopped (SIGSTOP) for up to three times as long as a lease lasts,
//   - a relay cuts off a node, parts two, or cuts one way between two, for up to longer than a lease;
//     what was sent arrives late, or never, or the connection is dead for ever,
//   - their disks are full, which are loop devices: one for all of a node, one for a broker, one for a
//     crawl. Only root may mount them; they are left out otherwise.
//
// Some begin while a long one lasts, so that most brokers are gone for a while. In the end every
// wanted page was fetched, no site saw two requests at once or too soon, winnow verify finds nothing,
// and check explains each page that was answered twice.
//
// WINNOW_TORTURE is the number of faults, WINNOW_SEED another choice of them.
func TestTortureCluster(t *testing.T) {
	faults, err := strconv.Atoi(os.Getenv("WINNOW_TORTURE"))
	if err != nil {
		t.Skip("make torture runs it")
	}
	seed, _ := strconv.ParseUint(cmp.Or(os.Getenv("WINNOW_SEED"), "20"), 10, 64)
	c := newTrio(t, 80*faults, time.Duration(faults)*10*time.Second)
	c.mount(t)
	c.begin(t)
	rng := rand.New(rand.NewPCG(4, seed))
	began := time.Now()
	list := plan(rng, faults, c.disks != nil)
	var beside sync.WaitGroup
	for _, f := range list {
		if f.d >= long {
			beside.Wait()
		}
		if f.beside {
			beside.Go(func() { c.suffer(t, f) })
		} else {
			c.suffer(t, f)
		}
		time.Sleep(time.Second + time.Duration(rng.Int64N(int64(5*time.Second))))
	}
	beside.Wait()
	if ended := c.ended(t); ended != "" {
		t.Errorf("the crawl had ended (%s) when all faults were done: too small a web", ended)
	}
	t.Logf("%d faults in %v", len(c.done), time.Since(began).Round(time.Second))
	c.finish(t)
	c.check(t)
}

// TestClusterFaults is the small form: one node is killed, and one is cut off for longer than a lease
// lasts. It waits for most of its time.
func TestClusterFaults(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	c := newTrio(t, 200, 25*time.Second)
	c.begin(t)
	c.suffer(t, &fault{kind: killed, node: "b", d: time.Second})
	time.Sleep(2 * time.Second)
	c.suffer(t, &fault{kind: cutOff, node: "c", other: "a", manner: held, d: roster.TTL + roster.Margin + 3*time.Second})
	c.finish(t)
	c.check(t)
	if c.moved == 0 {
		t.Error("the node that was cut off has lost no partition")
	}
}

// Kinds of faults.
const (
	killed  = "killed"
	stopped = "stopped"
	cutOff  = "cut off"       // from all others
	parted  = "parted"        // from one other node
	oneWay  = "cut one way"   // what it sends to one other node does not arrive
	full    = "its disk full" // see trio.mount
)

// A fault is something that happens to a node.
type fault struct {
	kind        string
	node, other string
	manner      manner        // of cuts
	d           time.Duration // how long it lasts
	beside      bool          // others happen meanwhile

	begin, end time.Time // set when it happens
}

func (f *fault) String() string {
	text := f.node + " " + f.kind
	switch f.kind {
	case parted, oneWay:
		text += " from " + f.other + ", " + f.manner.String()
	case cutOff:
		text += ", " + f.manner.String()
	}
	return fmt.Sprintf("%s, %v", text, f.d.Round(10*time.Millisecond))
}

// long is from when on a fault may cost a node its lease.
const long = roster.TTL - roster.Margin - 2*roster.Beat

// plan makes a list of faults. A tenth of them or so are long, and every other long one has others
// beside it.
func plan(rng *rand.Rand, n int, disks bool) []*fault {
	between := func(a, b time.Duration) time.Duration { return a + time.Duration(rng.Int64N(int64(b-a))) }
	names := []string{"a", "b", "c"}
	some := []*fault{
		{kind: stopped, d: 3 * roster.TTL}, {kind: stopped, d: 4 * roster.TTL / 3},
		{kind: cutOff, d: between(36*time.Second, 45*time.Second)}, {kind: parted, d: between(36*time.Second, 45*time.Second)},
		{kind: oneWay, d: between(36*time.Second, 45*time.Second)},
	}
	if disks {
		some = append(some, &fault{kind: full, node: "a"}, &fault{kind: full, node: "b"}, &fault{kind: full, node: "c"})
	}
	rng.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	if len(some) > n {
		some = some[:n]
	}
	list := make([]*fault, n)
	for i, f := range some {
		f.beside = i%2 == 1
		list[i*n/len(some)] = f
	}
	for i, f := range list {
		if f == nil {
			f = &fault{kind: killed, d: between(0, 2*time.Second)}
			switch k := rng.IntN(20); {
			case k < 4:
				f.kind, f.d = stopped, between(0, 8*time.Second)
			case k < 11:
				f.kind, f.d = []string{cutOff, parted, oneWay}[rng.IntN(3)], between(time.Second, 12*time.Second)
			}
			list[i] = f
		}
		order := rng.Perm(3)
		if f.node == "" {
			f.node = names[order[0]]
		}
		f.other, f.manner = names[order[1]], manner(rng.IntN(3))
		if f.kind == full {
			f.d = between(15*time.Second, 30*time.Second)
		}
		if f.other == f.node {
			f.other = names[order[0]]
		}
	}
	return list
}

// suffer lets a fault happen. One that concerns a node that suffers already waits for the end of that,
// and there is one cut at a time.
func (c *trio) suffer(t *testing.T, f *fault) {
	t.Helper()
	n := c.nodes[f.node]
	n.busy.Lock()
	defer n.busy.Unlock()
	if f.kind == cutOff || f.kind == parted || f.kind == oneWay {
		c.cutting.Lock()
		defer c.cutting.Unlock()
	}
	f.begin = time.Now()
	switch f.kind {
	case killed:
		c.kill(t, f.node, f.d)
	case stopped:
		c.stop(t, f.node, f.d)
	case cutOff:
		c.relay.sever(func(w way) bool { return w.from == f.node || w.to == f.node }, f.manner, f.d)
	case parted:
		x := way{f.node, f.other}
		c.relay.sever(func(w way) bool { return w == x || w == x.back() }, f.manner, f.d)
	case oneWay:
		c.relay.sever(func(w way) bool { return w == way{f.node, f.other} }, f.manner, f.d)
	case full:
		c.fill(t, f.node, f.d)
	}
	f.end = time.Now()
	t.Logf("%v to %v: %v", f.begin.Sub(c.begun).Round(time.Second), f.end.Sub(c.begun).Round(time.Second), f)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = append(c.done, f)
}

// A trio is three nodes, and the web that they crawl.
type trio struct {
	dir    string
	server *serve.Server
	delay  time.Duration
	seed   []string // what the command line of the crawl has
	relay  relay
	nodes  map[string]*trioNode
	disks  map[string]string // where the loop device of each node is mounted; nil: there are none
	begun  time.Time

	cutting sync.Mutex
	mu      sync.Mutex
	done    []*fault
	moved   int // partitions that were taken from nodes that were gone for long
}

// trioPartitions is how many partitions its crawl has.
const trioPartitions = 8

// A trioNode is a node of a trio.
type trioNode struct {
	program        string     // its sizes of files differ
	listen, public string     // its addresses: its own, and that of the relay
	busy           sync.Mutex // a fault happens

	mu    sync.Mutex
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process has
}

// newTrio serves a web whose largest site takes about so long.
func newTrio(t *testing.T, pages int, d time.Duration) *trio {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: max(20, pages/20), Links: int64(8 * pages), Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	c := &trio{dir: t.TempDir(), nodes: map[string]*trioNode{}}
	if c.server, err = serve.New(web, answer.Options{MaxSize: 20_000}); err != nil {
		t.Fatal(err)
	}
	at, err := c.server.Listen(serve.Listen{HTTP: "127.0.0.1:0", DNS: "127.0.0.1:0", Addresses: 7})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { at.Close() })
	c.delay = min(3*time.Second, d/time.Duration(largestSite(web))).Round(10 * time.Millisecond)
	c.seed = []string{
		c.server.URL(0), "--resolver", at.Resolver(), "--allow-private", "--scope", "any", "--contact", "test@example.org", "--delay", c.delay.String(),
		"--delay-factor", "0", "--ip-delay", "2ms", "--ip-cap", "1", "--keep-alive", "0", "--policy", "opic", "--partitions", strconv.Itoa(trioPartitions),
		"--retry-delay", "50ms", "--robots-retry", "50ms", "--patience", "6s", "--disk-reserve", "8MiB",
	}
	runWinnow(t, "node", "--new-secret", c.secret())
	c.relay.dialer = c.dialer
	own, public := freePorts(t, "127.0.0.20", 3), freePorts(t, "127.0.0.21", 3) // where no others listen
	for i, name := range []string{"a", "b", "c"} {
		c.nodes[name] = &trioNode{program: []string{"winnow", "winnow-copies", "winnow-follows"}[i], listen: own[i], public: public[i]}
		c.relay.listen(t, public[i], name, own[i])
	}
	return c
}

// largestSite returns how many pages the largest site of a web has.
func largestSite(web *fakeweb.Web) (most int) {
	n := map[string]int{}
	_ = web.EachURL(func(url []byte) error {
		host := string(bytes.SplitN(url, []byte("/"), 4)[2])
		n[host]++
		most = max(most, n[host])
		return nil
	})
	return most
}

// freePorts returns addresses that are free, each with the next port.
func freePorts(t *testing.T, host string, n int) (list []string) {
	t.Helper()
	for range 100 * n {
		if len(list) == n {
			break
		}
		a, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if b, err := net.Listen("tcp", above(a.Addr().String(), 1)); err == nil {
			defer b.Close()
			list = append(list, a.Addr().String())
		}
	}
	if len(list) < n {
		t.Fatal("no ports are free")
	}
	return list
}

func (c *trio) secret() string { return filepath.Join(c.dir, "secret") }

// public returns the addresses of all nodes, as others reach them.
func (c *trio) public() string {
	return c.nodes["a"].public + "," + c.nodes["b"].public + "," + c.nodes["c"].public
}

// at returns the flags that name the crawl.
func (c *trio) at() []string {
	return []string{"--cluster", c.public(), "--secret-file", c.secret(), "--name", "big"}
}

// dialer returns the node that has made a connection, "" if none has.
func (c *trio) dialer(conn net.Conn) string {
	socket := socketOf(conn)
	for name, n := range c.nodes {
		if pid := n.pid(); pid != 0 && owns(pid, socket) {
			return name
		}
	}
	return ""
}

func (n *trioNode) pid() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return 0
	}
	return n.cmd.Process.Pid
}

// mount gives each node a disk of its own, or a part of it: a for all that it writes, b for its broker,
// c for its crawls.
func (c *trio) mount(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Log("without full disks: only root may mount loop devices")
		return
	}
	disks := map[string]string{"a": "a", "b": "b/broker", "c": "c/crawls"}
	for name, dir := range disks {
		image := filepath.Join(c.dir, name+".disk")
		disks[name] = filepath.Join(c.dir, filepath.FromSlash(dir))
		if err := os.MkdirAll(disks[name], 0o777); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"truncate", "-s", "192M", image}, {"mkfs.ext4", "-q", "-m", "0", image}, {"mount", "-o", "loop", image, disks[name]}} {
			if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				t.Logf("without full disks: %v: %v: %s", args, err, out)
				return
			}
		}
		t.Cleanup(func() { _ = exec.Command("umount", "-l", disks[name]).Run() })
	}
	c.disks = disks
}

// start starts a node.
func (c *trio) start(t *testing.T, name string) {
	n := c.nodes[name]
	log, err := os.OpenFile(filepath.Join(c.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Error(err)
		return
	}
	defer log.Close()
	cmd := exec.Command(n.program, "node", "--name", name, "--dir", filepath.Join(c.dir, name), "--listen", n.listen, "--advertise", n.public,
		"--peers", c.public(), "--secret-file", c.secret(), "--max-memory", "300MiB")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cmd, n.ended = cmd, ended
}

// signal sends a signal to a node, which must not have ended by itself.
func (c *trio) signal(t *testing.T, name string, s os.Signal) (ended <-chan struct{}) {
	n := c.nodes[name]
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case <-n.ended:
		t.Errorf("node %s has ended by itself: %v\n%s", name, n.cmd.ProcessState, c.tail(name))
	default:
		if err := n.cmd.Process.Signal(s); err != nil {
			t.Errorf("node %s: %v", name, err)
		}
	}
	return n.ended
}

// tail returns the last lines that a node has written.
func (c *trio) tail(name string) string {
	log, _ := os.ReadFile(filepath.Join(c.dir, name+".log"))
	return string(log[max(0, len(log)-4000):])
}

// begin starts the nodes and the crawl.
func (c *trio) begin(t *testing.T) {
	t.Helper()
	for name := range c.nodes {
		c.start(t, name)
	}
	t.Cleanup(func() {
		for name := range c.nodes {
			<-c.signal(t, name, os.Kill)
			if t.Failed() {
				t.Logf("node %s:\n%s", name, c.tail(name))
			}
		}
	})
	for tries := 0; ; tries++ {
		time.Sleep(time.Second)
		out, err := exec.Command("winnow", append(append([]string{"crawl", "--detach", "--quiet"}, c.seed...), c.at()...)...).CombinedOutput()
		if err == nil {
			break
		}
		for name := range c.nodes {
			c.signal(t, name, syscall.Signal(0))
		}
		if tries == 30 || t.Failed() {
			t.Fatalf("cannot begin: %v\n%s", err, out)
		}
	}
	c.begun = time.Now()
	for c.server.Counter().Summary().Pages < 40 { // each partition has something to do
		if time.Sleep(time.Second); time.Since(c.begun) > time.Minute {
			t.Fatal("the crawl does not begin")
		}
	}
}

// kill kills a node, and starts it again after a while.
func (c *trio) kill(t *testing.T, name string, after time.Duration) {
	<-c.signal(t, name, os.Kill)
	time.Sleep(after)
	c.start(t, name)
}

// stop stops a node for a while.
func (c *trio) stop(t *testing.T, name string, d time.Duration) {
	c.signal(t, name, syscall.SIGSTOP)
	time.Sleep(d)
	c.signal(t, name, syscall.SIGCONT)
}

// leaveTime is how long a node may take to leave.
const leaveTime = 40 * time.Second

// restart lets a node leave, and starts it again.
func (c *trio) restart(t *testing.T, name string) {
	ended := c.signal(t, name, syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(leaveTime):
		t.Errorf("node %s does not leave\n%s", name, c.tail(name))
		<-c.signal(t, name, os.Kill)
	}
	c.start(t, name)
}

// fill fills the disk of a node for a while. Status says what is wrong then. A broker needs to be
// started again when there is room; a crawl does not.
func (c *trio) fill(t *testing.T, name string, d time.Duration) {
	began := time.Now()
	file, err := os.Create(filepath.Join(c.disks[name], "fill"))
	if err != nil {
		t.Error(err)
		return
	}
	want := map[string]string{"a": "its broker is OFF", "b": "its broker is OFF", "c": "no room left"}[name]
	said, says := false, []byte(nil)
	for time.Since(began) < d {
		stuff(file)
		if !said {
			says, _ = exec.Command("winnow", append([]string{"status"}, c.at()[:4]...)...).CombinedOutput()
			for line := range strings.Lines(string(says)) {
				said = said || strings.Contains(line, "node "+name) && strings.Contains(line, want)
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	if !said {
		t.Errorf("status does not say of %s: %s\n%s%s", name, want, says, c.tail(name))
	}
	file.Close()
	if err := os.Remove(file.Name()); err != nil {
		t.Error(err)
	}
	if name != "c" {
		c.restart(t, name)
	}
}

// stuff writes to a file until its disk is full.
func stuff(file *os.File) {
	for size := 1 << 20; size >= 1<<10; size /= 4 {
		for err := error(nil); err == nil; {
			_, err = file.Write(make([]byte, size))
		}
	}
	_ = file.Sync()
}

// ended returns why the crawl has ended, "" if it has not or if nobody answers.
func (c *trio) ended(t *testing.T) string {
	t.Helper()
	var v struct{ Ended string }
	out, err := exec.Command("winnow", append([]string{"status", "--json"}, c.at()...)...).Output()
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	if err != nil {
		t.Logf("status: %v", err)
	}
	return v.Ended
}

// finish waits for the end.
func (c *trio) finish(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(2 * time.Second) {
		switch why := c.ended(t); {
		case why == "finished":
			t.Logf("finished after %v", time.Since(c.begun).Round(time.Second))
			return
		case why != "":
			t.Fatalf("the crawl has ended: %s", why)
		case time.Now().After(deadline):
			t.Fatal("the crawl does not end")
		}
	}
}
