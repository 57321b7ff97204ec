package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/cluster/roster"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	webcount "github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
)

// TestTortureCluster lets three nodes, real processes with brokers and sockets, crawl a web. They are
// killed and started again, and stopped for up to three times as long as a lease lasts. In the
// end every wanted page was fetched, no site saw two requests at once or too soon, and winnow verify
// finds nothing in what winnow cluster gather brings together. Pages are answered again at most once
// for each fault. It leaves out full disks, which package cluster/nats has for brokers, and cut
// routes, which only tests in virtual time have.
func TestTortureCluster(t *testing.T) {
	faults, err := strconv.Atoi(os.Getenv("WINNOW_TORTURE"))
	if err != nil {
		t.Skip("make torture runs it")
	}
	c := newTrio(t, 40*faults, time.Duration(faults)*6*time.Second)
	c.begin(t)
	rng := rand.New(rand.NewPCG(4, 20))
	kills, stops, long := 0, 0, 0
	for i := range faults {
		name := []string{"a", "b", "c"}[rng.IntN(3)]
		switch {
		case i == faults/2:
			long++
			c.stop(t, name, 3*roster.TTL)
		case i == faults/3:
			long++
			c.stop(t, name, 4*roster.TTL/3)
		case rng.IntN(3) == 0:
			stops++
			c.stop(t, name, time.Duration(rng.Int64N(int64(8*time.Second))))
		default:
			kills++
			c.kill(t, name, time.Duration(rng.Int64N(int64(2*time.Second))))
		}
		pause := time.Second + time.Duration(rng.Int64N(int64(5*time.Second)))
		time.Sleep(pause)
	}
	if ended := c.ended(t); ended != "" {
		t.Errorf("the crawl had ended (%s) when all faults were done: too small a web", ended)
	}
	t.Logf("%d kills, %d stops, %d of them longer than a lease", kills, stops+long, long)
	c.finish(t)
	c.check(t, faults)
}

// A trio is three nodes, and the web that they crawl.
type trio struct {
	dir    string
	server *serve.Server
	delay  time.Duration
	seed   []string // what the command line of the crawl has
	peers  map[string]string
	nodes  map[string]*exec.Cmd
	begun  time.Time
}

// newTrio serves a web whose largest site takes about so long.
func newTrio(t *testing.T, pages int, d time.Duration) *trio {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: max(20, pages/20), Links: int64(8 * pages), Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	c := &trio{dir: t.TempDir(), peers: map[string]string{}, nodes: map[string]*exec.Cmd{}}
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
		"--delay-factor", "0", "--ip-delay", "2ms", "--ip-cap", "1", "--keep-alive", "0", "--policy", "opic", "--partitions", "8",
		"--retry-delay", "50ms", "--robots-retry", "50ms", "--patience", "6s",
	}
	runWinnow(t, "node", "--new-secret", c.secret())
	for _, name := range []string{"a", "b", "c"} {
		c.peers[name] = freePorts(t)
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

// freePorts returns an address on loopback that is free, and so is the next port.
func freePorts(t *testing.T) string {
	t.Helper()
	for range 100 {
		a, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := a.Addr().(*net.TCPAddr).Port
		b, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+1))
		a.Close()
		if err == nil {
			b.Close()
			return fmt.Sprintf("127.0.0.1:%d", port)
		}
	}
	t.Fatal("no ports are free")
	return ""
}

func (c *trio) secret() string { return filepath.Join(c.dir, "secret") }

// at returns the flags that name the crawl.
func (c *trio) at() []string {
	return []string{"--cluster", c.peers["a"] + "," + c.peers["b"] + "," + c.peers["c"], "--secret-file", c.secret(), "--name", "big"}
}

// start starts a node.
func (c *trio) start(t *testing.T, name string) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(c.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command("winnow", "node", "--name", name, "--dir", filepath.Join(c.dir, name), "--listen", c.peers[name],
		"--peers", strings.Join([]string{c.peers["a"], c.peers["b"], c.peers["c"]}, ","), "--secret-file", c.secret(), "--max-memory", "300MiB")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.nodes[name] = cmd
}

// begin starts the nodes and the crawl.
func (c *trio) begin(t *testing.T) {
	t.Helper()
	for name := range c.peers {
		c.start(t, name)
	}
	t.Cleanup(func() {
		for name, cmd := range c.nodes {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if t.Failed() {
				log, _ := os.ReadFile(filepath.Join(c.dir, name+".log"))
				t.Logf("node %s:\n%s", name, log[max(0, len(log)-4000):])
			}
		}
	})
	for tries := 0; ; tries++ {
		time.Sleep(2 * time.Second)
		out, err := exec.Command("winnow", append(append([]string{"crawl", "--detach", "--quiet"}, c.seed...), c.at()...)...).CombinedOutput()
		if err == nil {
			break
		}
		if tries == 30 {
			t.Fatalf("cannot begin: %v\n%s", err, out)
		}
	}
	c.begun = time.Now()
	time.Sleep(10 * time.Second)
}

// kill kills a node, and starts it again after a while.
func (c *trio) kill(t *testing.T, name string, after time.Duration) {
	t.Helper()
	cmd := c.nodes[name]
	if err := cmd.Process.Kill(); err != nil {
		log, _ := os.ReadFile(filepath.Join(c.dir, name+".log"))
		t.Fatalf("node %s has ended: %v\n%s", name, err, log)
	}
	_ = cmd.Wait()
	time.Sleep(after)
	c.start(t, name)
}

// stop stops a node for a while.
func (c *trio) stop(t *testing.T, name string, d time.Duration) {
	t.Helper()
	p := c.nodes[name].Process
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatalf("node %s has ended: %v", name, err)
	}
	time.Sleep(d)
	if err := p.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
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
	for deadline := time.Now().Add(15 * time.Minute); ; time.Sleep(2 * time.Second) {
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

// check looks at what the server saw, and at the crawl as it is when it was brought together.
func (c *trio) check(t *testing.T, faults int) {
	t.Helper()
	n := c.server.Counter()
	found := n.Check(webcount.Demands{Delay: c.delay, AddressDelay: 2 * time.Millisecond, AddressCap: 1})
	for _, x := range n.CheckWanted(c.server.Wanted(answer.Limits{Sitemaps: true})) {
		if x.Kind != webcount.Repeated { // Check has them with their instants
			found = append(found, x)
		}
	}
	repeats := 0
	for _, x := range found {
		if x.Kind == webcount.Repeated && x.N <= 1+faults {
			repeats++
			continue
		}
		t.Error(x)
	}
	t.Logf("%d requests, %d pages answered again after a fault", n.Summary().Requests, repeats)
	dir := filepath.Join(c.dir, "big.crawl")
	t.Logf("%s", runWinnow(t, append([]string{"cluster", "gather", "-o", dir, "--move"}, c.at()...)...))
	t.Logf("%s", runWinnow(t, "verify", dir))
	t.Logf("%s", runWinnow(t, append([]string{"verify"}, c.at()...)...))
}
