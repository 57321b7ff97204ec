package partition

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A badBus delays packets up to five seconds, and so reorders them, repeats some and loses some.
type badBus struct {
	*memoryBus
	mu  sync.Mutex
	rng *rand.Rand
}

func (b *badBus) send(to int, p port.Packet) {
	b.mu.Lock()
	copies := 1
	switch n := b.rng.IntN(100); {
	case n < 5:
		copies = 0
	case n < 10:
		copies = 2
	}
	var waits []time.Duration
	for range copies {
		wait := time.Duration(0)
		if b.rng.IntN(4) == 0 {
			wait = time.Duration(b.rng.Int64N(int64(5 * time.Second)))
		}
		waits = append(waits, wait)
	}
	b.mu.Unlock()
	for _, wait := range waits {
		if wait == 0 {
			b.memoryBus.send(to, p)
			continue
		}
		time.AfterFunc(wait, func() { b.memoryBus.send(to, p) })
	}
}

// lives returns the number of seeds: so many, a tenth of them with -short, and ten times as many with make torture.
func lives(usual int) int {
	if os.Getenv("WINNOW_TORTURE") != "" {
		return 10 * usual
	}
	if testing.Short() {
		return usual / 10
	}
	return usual
}

// Crawls with many partitions, over a bus that delays, repeats, reorders and drops, and that are
// killed, lose their power, or lose it for one partition while the others end in order. By the
// server's count they are polite, and every wanted page comes once, except for requests under way
// at a fault. Each ends once, with no message under way; its pages are those of a crawl with one
// partition; cash is 1; and nothing is wrong with its directory after each fault.
func TestFaults(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	synctest.Test(t, func(t *testing.T) {
		w := newFaultWeb(t, 0)
		w.o.Config.Partitions = 1
		w.run(t)
		w.addPages(t, "", want)
	})
	if len(want) < 50 {
		t.Fatalf("%d pages are no test", len(want))
	}
	for seed := range lives(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { surviveFaults(t, uint64(seed), want) })
		})
	}
}

// A faultWeb is a web, and a crawl of it that meets faults.
type faultWeb struct {
	*testWeb
	rng    *rand.Rand
	faults int
}

func newFaultWeb(t *testing.T, seed uint64) *faultWeb {
	so := answer.Mixed()
	w := &faultWeb{testWeb: newTestWeb(t, fakeweb.Spec{Pages: 60, Sites: 8, Links: 480, Seed: 7}, so), rng: rand.New(rand.NewPCG(seed, 19))}
	w.server.SetAddresses(7)
	c := &w.o.Config
	c.Policy, c.MaxMemory = "opic", 1<<30
	c.Delay = config.Seconds(1)
	c.KeepAlive, c.IPCap = config.Duration{}, 1 // kept connections are those of each partition
	w.o.Machine.Sizes = crawl.Sizes{Archive: 200 << 10, Journal: 20 << 10, Replay: 60 * 4 * time.Microsecond, URLs: 1, Status: 10 * time.Minute, Report: time.Minute}
	return w
}

// crawl runs until the end, or until a fault.
func (w *faultWeb) crawl(ctx context.Context) (*crawl.Summary, *Coordinator, error) {
	o := w.o
	top, err := openTop(&o)
	if err != nil {
		return nil, nil, err
	}
	defer top.close()
	r, err := newRun(&o, top)
	if err != nil {
		return nil, nil, err
	}
	r.bus = &badBus{memoryBus: newMemoryBus(top.file.Partitions, r.wake), rng: rand.New(rand.NewPCG(w.rng.Uint64(), 1))}
	sum, err := r.crawl(ctx)
	return sum, r.coordinator, err
}

func surviveFaults(t *testing.T, seed uint64, want map[string]string) {
	w := newFaultWeb(t, seed)
	n := []int{8, 3, 8, 16}[seed%4]
	if seed%20 == 19 {
		n = 64
	}
	w.o.Config.Partitions = n
	for range w.rng.IntN(3) {
		if !w.fault(t, n) {
			break
		}
		if seed%4 == 0 || os.Getenv("WINNOW_TORTURE") != "" {
			w.verify(t, n)
		}
	}
	w.root.Stop(-1)
	sum, c, err := w.crawl(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sum.Why != whyFinished || c.ends != 1 {
		t.Errorf("it ended because of %s, %d times", sum.Why, c.ends)
	}
	w.verify(t, n)
	w.checkServed(t)
	got := map[string]string{}
	for i := range n {
		w.addPages(t, layout.PartitionName(i)+"/", got)
	}
	samePages(t, got, want)
	w.checkBooks(t, n)
}

// fault lets the crawl run until something happens to it. It reports whether it did.
func (w *faultWeb) fault(t *testing.T, n int) bool {
	t.Helper()
	w.faults++
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	switch w.rng.IntN(3) {
	case 0: // it is stopped in order
		stop := time.AfterFunc(time.Duration(w.rng.Int64N(int64(40*time.Second))), cancel)
		defer stop.Stop()
		if _, _, err := w.crawl(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	default: // the disk stops, for all partitions
		w.root.Stop(w.rng.IntN(2000))
		_, _, err := w.crawl(ctx)
		if err == nil {
			return false
		}
		if !errors.Is(err, disk.ErrStopped) {
			t.Fatal(err)
		}
		if w.rng.IntN(2) == 0 {
			w.root = w.root.Kill()
		} else {
			w.root = w.root.Crash(w.rng.Uint64())
		}
	}
	time.Sleep(time.Duration(w.rng.Int64N(int64(4 * time.Second))))
	return true
}

// parts opens the directory of a partition, or that of a crawl with one.
func (w *testWeb) parts(t *testing.T, prefix string) (layout.Parts, bool) {
	t.Helper()
	p, err := layout.Open(func(name string) (disk.Dir, error) { return w.open(prefix + name) })
	if err != nil {
		t.Fatal(err)
	}
	list, err := p.Journal.List()
	return p, err == nil && len(list) > 0
}

// addPages adds the pages of a partition with their states, without foreign ones.
func (w *testWeb) addPages(t *testing.T, prefix string, to map[string]string) {
	t.Helper()
	p, ok := w.parts(t, prefix)
	if !ok {
		return
	}
	c, err := history.OpenParts(t.Context(), prefix, p)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Frontier.Pages() {
		p := graph.Page(i)
		bar := s.Frontier.Bar(p)
		if s.Frontier.State(p) == frontier.RefusedPage && bar == event.BarForeign {
			continue
		}
		url := string(s.AppendURL(nil, p))
		if to[url] != "" {
			t.Errorf("%s is a page of two partitions", url)
		}
		to[url] = fmt.Sprint(s.Frontier.State(p), bar)
	}
}

// verify checks the directories of all partitions.
func (w *faultWeb) verify(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		p, ok := w.parts(t, layout.PartitionName(i)+"/")
		if !ok {
			continue
		}
		if last, err := journal.Read(p.Journal, math.MaxUint64, nil); errors.Is(err, journal.ErrNone) || err == nil && last.Next == 0 {
			continue
		}
		c, err := history.OpenParts(t.Context(), layout.PartitionName(i), p)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Verify(history.VerifyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range r.List {
			t.Errorf("partition %d: %+v", i, x)
		}
		c.Close()
	}
}

// checkServed holds what the server saw against what a crawl has to do.
func (w *faultWeb) checkServed(t *testing.T) {
	t.Helper()
	c := &w.o.Config
	n := w.server.Counter()
	found := n.Check(count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, AddressDelay: c.IPDelay.Duration, AddressCap: c.IPCap})
	found = append(found, n.CheckWanted(w.server.Wanted(answer.Limits{Sitemaps: true, MaxBody: int(c.MaxBody)}))...)
	for _, x := range found {
		switch {
		case x.Kind == count.Repeated && x.N <= 1+w.faults: // it was under way at a fault
		case x.Kind == count.RetryAfter && w.faults > 0: // the record of that answer may be lost
		default:
			t.Error(x)
		}
	}
}

// checkBooks adds up the cash and the messages of all partitions.
func (w *faultWeb) checkBooks(t *testing.T, n int) {
	t.Helper()
	cash, sent, applied := 0.0, uint64(0), uint64(0)
	for i := range n {
		p, _ := w.parts(t, layout.PartitionName(i)+"/")
		c, err := history.OpenParts(t.Context(), layout.PartitionName(i), p)
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		for j := range s.Frontier.Pages() {
			cash += s.Frontier.Value(graph.Page(j), 0)
		}
		for j := range n {
			a, _, b := s.Frontier.Messages(j)
			sent, applied = sent+a, applied+b
		}
		c.Close()
	}
	if math.Abs(cash-1) > 1e-9 || sent != applied {
		t.Errorf("cash is %v; %d messages were sent, %d applied", cash, sent, applied)
	}
}

func samePages(t *testing.T, got, want map[string]string) {
	t.Helper()
	bad := 0
	for _, url := range slices.Sorted(maps.Keys(want)) {
		if got[url] != want[url] && bad < 10 {
			bad++
			t.Errorf("%s is %q, with one partition %q", url, got[url], want[url])
		}
	}
	for _, url := range slices.Sorted(maps.Keys(got)) {
		if want[url] == "" && bad < 10 {
			bad++
			t.Errorf("%s is %q, with one partition unknown", url, got[url])
		}
	}
}
