package nats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnow-crawler/winnow/cluster"
)

// brokerEnv makes a process of this test a broker with the options that it has as JSON.
const brokerEnv = "WINNOW_BROKER"

func TestMain(m *testing.M) {
	text := os.Getenv(brokerEnv)
	if text == "" {
		os.Exit(m.Run())
	}
	var o BrokerOptions
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		var b *Broker
		if b, err = Start(o); err == nil {
			fmt.Println("ready")
			err = b.obey() // until the test ends
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A trio is three brokers, each in a process of its own.
type trio struct {
	t       *testing.T
	options [3]BrokerOptions
	process [3]*exec.Cmd
}

// newTrio starts three brokers in directories.
func newTrio(t *testing.T, dirs [3]string, unsynced bool) *trio {
	t.Helper()
	x := &trio{t: t}
	var ports [6]int
	var peers []string
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports[i] = l.Addr().(*net.TCPAddr).Port
		defer l.Close()
	}
	for i := range 3 {
		peers = append(peers, net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[3+i])))
	}
	for i, dir := range dirs {
		x.options[i] = BrokerOptions{
			Name: fmt.Sprint("n", i), Dir: dir, Listen: Address{"127.0.0.1", ports[i]}, Cluster: Address{"127.0.0.1", ports[3+i]},
			Peers: peers, Secret: secret, Unsynced: unsynced,
		}
	}
	t.Cleanup(func() {
		for i := range 3 {
			x.kill(i)
		}
	})
	return x
}

// start starts all brokers that do not run.
func (x *trio) start() {
	x.t.Helper()
	for i := range 3 {
		if x.process[i] == nil {
			x.startOne(i)
		}
	}
}

func (x *trio) startOne(i int) {
	x.t.Helper()
	text, err := json.Marshal(x.options[i])
	if err != nil {
		x.t.Fatal(err)
	}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), brokerEnv+"="+string(text))
	c.Stderr = os.Stderr
	if _, err = c.StdinPipe(); err == nil {
		c.Stdout = io.Discard
		err = c.Start()
	}
	if err != nil {
		x.t.Fatal(err)
	}
	x.process[i] = c
}

// kill ends a broker, as kill -9 does.
func (x *trio) kill(i int) {
	if c := x.process[i]; c != nil {
		_ = c.Process.Kill()
		_ = c.Wait()
		x.process[i] = nil
	}
}

// dial connects with all brokers.
func (x *trio) dial() *client.Conn {
	x.t.Helper()
	var urls []string
	for i := range x.options {
		urls = append(urls, fmt.Sprintf("tls://127.0.0.1:%d", x.options[i].Listen.Port))
	}
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		nc, err := Dial("test", secret, strings.Join(urls, ","))
		if err == nil {
			x.t.Cleanup(nc.Close)
			return nc
		}
		if time.Since(began) > time.Minute {
			x.t.Fatal(err)
		}
	}
}

// open makes the streams of a crawl, and waits until the brokers can.
func (x *trio) open(nc *client.Conn, o Options) cluster.Engine {
	x.t.Helper()
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(x.t.Context(), 30*time.Second)
		err := Create(ctx, nc, o)
		var e cluster.Engine
		if err == nil {
			e, err = Open(ctx, nc, o)
		}
		cancel()
		if err == nil {
			return e
		}
		if time.Since(began) > time.Minute {
			x.t.Fatal(err)
		}
	}
}

// leader returns the broker that leads the stream of a partition.
func (x *trio) leader(nc *client.Conn, stream string) int {
	x.t.Helper()
	for range 50 {
		js, err := jetstream.New(nc)
		if err == nil {
			var s jetstream.Stream
			if s, err = js.Stream(x.t.Context(), stream); err == nil {
				if c := s.CachedInfo().Cluster; c != nil && strings.HasPrefix(c.Leader, "n") {
					return int(c.Leader[1] - '0')
				}
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	x.t.Fatal("no leader")
	return 0
}

// A writer appends numbered entries to a log, one after the other, as an owner does.
type writer struct {
	log   cluster.Log
	size  int
	last  uint64
	next  int             // number of the next entry; those before are stored
	gap   time.Duration   // the longest time between two that were acknowledged
	took  []time.Duration // of each
	doubt int             // appends without an answer
}

func (w *writer) entry(i int) []byte {
	b := make([]byte, w.size)
	copy(b, fmt.Sprintf("%d ", i))
	return b
}

// run appends until the context ends, every so often.
func (w *writer) run(ctx context.Context, every time.Duration) {
	before := time.Now()
	for ctx.Err() == nil {
		began := time.Now()
		if !w.append(ctx) {
			continue
		}
		now := time.Now()
		w.took = append(w.took, now.Sub(began))
		w.gap, before = max(w.gap, now.Sub(before)), now
		time.Sleep(every - now.Sub(began))
	}
	w.gap = max(w.gap, time.Since(before))
}

// append appends one entry, and reports whether it is stored for certain.
func (w *writer) append(ctx context.Context) bool {
	short, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	data := w.entry(w.next)
	seq, err := w.log.Append(short, w.last, data)
	if err != nil {
		w.doubt++
		seq = 0
		short, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		_ = w.log.Read(short, w.last, 1, func(s uint64, b []byte) error {
			if bytes.Equal(b, data) {
				seq = s
			}
			return nil
		})
	}
	if seq == 0 {
		time.Sleep(50 * time.Millisecond)
		return false
	}
	w.last, w.next = seq, w.next+1
	return true
}

// count reads a log and returns how many entries it has, in order from 0 on. It waits until the
// brokers answer.
func count(t *testing.T, l cluster.Log) (n int) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(500 * time.Millisecond) {
		n = 0
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		err := l.Read(ctx, 0, 0, func(_ uint64, b []byte) error {
			number, _, _ := strings.Cut(string(b), " ")
			if number != strconv.Itoa(n) {
				return fmt.Errorf("entry %s in the place of %d: %w", number, n, cluster.ErrDamaged)
			}
			n++
			return nil
		})
		cancel()
		switch {
		case err == nil:
			return n
		case errors.Is(err, cluster.ErrDamaged):
			t.Error(err)
			return n
		case time.Since(began) > 40*time.Second:
			t.Logf("read: %v", err)
			return 0
		}
	}
}

// usage returns the processor time and the memory of a process.
func usage(t *testing.T, pid int) (cpu time.Duration, resident int64) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	pages, _ := strconv.ParseInt(fields[21], 10, 64)
	return time.Duration(user+system) * (time.Second / 100), pages * int64(os.Getpagesize())
}
