package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A relay stands between the nodes of a trio: what they advertise are its addresses. So it can cut
// the ways between them.
type relay struct {
	dialer func(net.Conn) string // the node that has made a connection, "" if none has

	mu  sync.Mutex
	cut *severed // nil: all ways are open
}

// A way is a direction in which bytes go from node to node. "" stands for all who are no nodes.
type way struct{ from, to string }

// back returns the other direction.
func (w way) back() way { return way{w.to, w.from} }

// A severed is a cut of some ways. Connections stay up, and none is made.
type severed struct {
	hits   func(way) bool
	manner manner
	healed chan struct{} // closed when it has
}

// A manner is what becomes of bytes on a way that is cut.
type manner int

const (
	held      manner = iota // they arrive when it has healed, as after a cable was pulled
	swallowed               // the connection that they belong to ends when it has healed
	forgotten               // the connection that they belong to stays silent for ever, as behind a router that has forgotten it
)

func (m manner) String() string { return [...]string{"held", "swallowed", "forgotten"}[m] }

// listen relays what comes to an address, and to the next port, to a node and its next port.
func (r *relay) listen(t *testing.T, address, node, target string) {
	t.Helper()
	for i := range 2 {
		l, err := net.Listen("tcp", above(address, i))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go r.accept(l, node, above(target, i))
	}
}

// above returns an address with a port that is larger by n.
func above(address string, n int) string {
	host, port, _ := net.SplitHostPort(address)
	p, _ := strconv.Atoi(port)
	return net.JoinHostPort(host, strconv.Itoa(p+n))
}

func (r *relay) accept(l net.Listener, node, target string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go r.relay(c, way{r.dialer(c), node}, target)
	}
}

// relay connects with the target, and copies both ways. Nobody gets an answer while one is cut.
func (r *relay) relay(in net.Conn, w way, target string) {
	defer in.Close()
	for _, x := range []way{w, w.back()} {
		if k := r.on(x); k != nil {
			<-k.healed
			return
		}
	}
	out, err := net.DialTimeout("tcp", target, time.Second)
	if err != nil {
		return
	}
	defer out.Close()
	var copying sync.WaitGroup
	copying.Go(func() { r.copy(out, in, w) })
	copying.Go(func() { r.copy(in, out, w.back()) })
	copying.Wait()
}

// copy copies what goes a way, until one side closes the connection. The other side learns that when
// the way is open.
func (r *relay) copy(to, from net.Conn, w way) {
	defer from.Close()
	broken := false // bytes are missing
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		k := r.on(w)
		switch {
		case k == nil:
		case k.manner == forgotten && n > 0:
			_, _ = io.Copy(io.Discard, from)
			return
		case k.manner == swallowed && err == nil:
			broken = true
			continue
		default:
			<-k.healed
		}
		if err == nil && !broken {
			_, err = to.Write(buf[:n])
		}
		if err != nil || broken {
			if k := r.on(w.back()); k != nil {
				<-k.healed
			}
			to.Close()
			return
		}
	}
}

// on returns the cut that a way is hit by, nil if it is open.
func (r *relay) on(w way) *severed {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut == nil || !r.cut.hits(w) {
		return nil
	}
	return r.cut
}

// sever cuts ways for some time.
func (r *relay) sever(hits func(way) bool, m manner, d time.Duration) {
	k := &severed{hits, m, make(chan struct{})}
	r.mu.Lock()
	r.cut = k
	r.mu.Unlock()
	time.Sleep(d)
	r.mu.Lock()
	r.cut = nil
	r.mu.Unlock()
	close(k.healed)
}

// socketOf returns the socket at the other end of a connection on this machine, as links in /proc name
// it.
func socketOf(c net.Conn) string {
	table, _ := os.ReadFile("/proc/net/tcp")
	own := fmt.Appendf(nil, ":%04X", c.LocalAddr().(*net.TCPAddr).Port)
	other := fmt.Appendf(nil, ":%04X", c.RemoteAddr().(*net.TCPAddr).Port)
	for line := range bytes.Lines(table) {
		if f := bytes.Fields(line); len(f) > 9 && bytes.HasSuffix(f[1], other) && bytes.HasSuffix(f[2], own) {
			return "socket:[" + string(f[9]) + "]"
		}
	}
	return ""
}

// owns reports whether a process has a socket.
func owns(pid int, socket string) bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, name := range files {
		if target, err := os.Readlink(name); err == nil && target == socket {
			return true
		}
	}
	return false
}
