package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// clusterMemory is --max-memory of the nodes of TestTortureClusterMemory, in MiB.
const clusterMemory = 200

// TestTortureClusterMemory: a node is killed whose partitions do not fit into the memory of the others.
// Those take what fits and stay below their ceiling, brokers included, and winnow status says which
// partitions have no node, and why.
func TestTortureClusterMemory(t *testing.T) {
	if os.Getenv("WINNOW_TORTURE") == "" {
		t.Skip("make torture runs it")
	}
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	runWinnow(t, "node", "--new-secret", secret)
	peers := []string{freePorts(t), freePorts(t), freePorts(t)}
	nodes := map[string]*exec.Cmd{}
	for i, name := range []string{"a", "b", "c"} {
		log, err := os.Create(filepath.Join(dir, name+".log"))
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		cmd := exec.Command("winnow", "node", "--name", name, "--dir", filepath.Join(dir, name), "--listen", peers[i], "--peers", strings.Join(peers, ","),
			"--secret-file", secret, "--max-memory", fmt.Sprintf("%dMiB", clusterMemory))
		cmd.Stdout, cmd.Stderr = log, log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		nodes[name] = cmd
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if t.Failed() {
				text, _ := os.ReadFile(log.Name())
				t.Logf("node %s:\n%s", name, text[max(0, len(text)-3000):])
			}
		})
	}
	at := []string{"--cluster", strings.Join(peers, ","), "--secret-file", secret, "--name", "big"}
	args := append([]string{"crawl", "--detach", "--quiet", "--allow-private", "--scope", "any", "--contact", "test@example.org", "--delay", "4s", "--delay-factor", "0",
		"--ip-delay", "0", "--traps=false", "--policy", "breadth-first", "--site-pages", "0", "--domain-pages", "0", "--partitions", "12"}, at...)
	args = append(args, manySites(t, 24)...)
	for tries := 0; ; tries++ {
		time.Sleep(2 * time.Second)
		out, err := exec.Command("winnow", args...).CombinedOutput()
		if err == nil {
			break
		}
		if tries == 30 {
			t.Fatalf("cannot begin: %v\n%s", err, out)
		}
	}
	most := map[string]int64{}
	look := func() *clusterStatus {
		for _, name := range []string{"a", "b"} {
			most[name] = max(most[name], peakMemory(t, nodes[name].Process.Pid))
		}
		return readClusterStatus(t, at)
	}
	const known = 700_000
	v := look()
	for began := time.Now(); v.Status.Known < known; v = look() {
		if time.Since(began) > 3*time.Minute {
			t.Fatalf("%d pages are known", v.Status.Known)
		}
	}
	runWinnow(t, append([]string{"cluster", "pause"}, at...)...)
	if v = look(); len(v.Free) > 0 {
		t.Fatalf("before the kill there is no node for %v", v.Free)
	}
	before := v
	_ = nodes["c"].Process.Kill()
	for began := time.Now(); time.Since(began) < 60*time.Second; {
		v = look()
	}
	taken := len(v.runs()) - (len(before.runs()) - len(before.of("c")))
	t.Logf("%d pages known, %d partitions of the dead node, %d taken, without a node: %v; largest memory in MiB: %v", v.Status.Known, len(before.of("c")), taken, v.Free, map[string]int64{"a": most["a"] >> 20, "b": most["b"] >> 20})
	for name, n := range most {
		if n > clusterMemory<<20 {
			t.Errorf("node %s took %d MiB, its ceiling is %d", name, n>>20, clusterMemory)
		}
	}
	if len(v.Free) == 0 || len(v.Free)+len(v.runs()) != 12 {
		t.Errorf("%d partitions run, and %d are said to have no node", len(v.runs()), len(v.Free))
	}
	for _, f := range v.Free {
		if !strings.Contains(f.Why, "no room") {
			t.Errorf("partition %d: %s", f.Partition, f.Why)
		}
	}
	if out := runWinnow(t, append([]string{"status"}, at...)...); !strings.Contains(string(out), "no room") {
		t.Errorf("%s", out)
	}
}

// clusterStatus is what the test reads of winnow status --json.
type clusterStatus struct {
	Nodes []struct {
		Node       string
		Partitions []int
	}
	Free []struct {
		Partition int
		Why       string
	}
	Status struct{ Known int64 }
}

// of returns the partitions that a node runs.
func (v *clusterStatus) of(name string) []int {
	for _, n := range v.Nodes {
		if n.Node == name {
			return n.Partitions
		}
	}
	return nil
}

// runs returns the partitions that run.
func (v *clusterStatus) runs() (list []int) {
	for _, n := range v.Nodes {
		list = append(list, n.Partitions...)
	}
	return list
}

func readClusterStatus(t *testing.T, at []string) *clusterStatus {
	t.Helper()
	v := new(clusterStatus)
	out, err := exec.Command("winnow", append([]string{"status", "--json"}, at...)...).Output()
	if err == nil {
		err = json.Unmarshal(out, v)
	}
	if err != nil {
		t.Logf("status: %v", err)
	}
	return v
}

// manySites serves pages of endless links at so many addresses, and returns a page of each.
func manySites(t *testing.T, n int) (seeds []string) {
	t.Helper()
	for i := range n {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", 2+i))
		if err != nil {
			t.Skip(err) // not all systems have all of these addresses
		}
		s := &http.Server{Handler: http.HandlerFunc(endlessLinks)}
		go func() { _ = s.Serve(l) }()
		t.Cleanup(func() { s.Close() })
		seeds = append(seeds, "http://"+l.Addr().String()+"/")
	}
	return seeds
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory returns the largest memory that a process has had.
func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	m := peakLine.FindSubmatch(b)
	if m == nil {
		t.Skip("this system does not tell")
	}
	n, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}
