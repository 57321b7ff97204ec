package partition

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange/suffix"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// testTenure is the tenure of a partition. Its copy of the journal is in memory.
type testTenure struct {
	epoch  uint64
	ends   int // after so many groups; 0: never
	mu     sync.Mutex
	copy   [][]byte
	failed int // writes that the gate has prevented
	over   bool
	ended  time.Time
	lost   chan struct{}
}

func newTenure(epoch uint64, copy [][]byte, ends int) *testTenure {
	return &testTenure{epoch: epoch, copy: copy, ends: ends, lost: make(chan struct{})}
}

func (x *testTenure) Owner() (string, uint64) { return "a", x.epoch }
func (x *testTenure) Lost() <-chan struct{}   { return x.lost }

func (x *testTenure) Gate() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		x.failed++
		return errors.New("the lease has lapsed")
	}
	return nil
}

func (x *testTenure) Commit(g journal.Group, session bool, local func() error) error {
	x.mu.Lock()
	x.copy = append(x.copy, bytes.Clone(g.Bytes()))
	x.over = x.ends > 0 && len(x.copy) >= x.ends
	if over := x.over; !over {
		defer x.mu.Unlock()
		return local()
	}
	x.ended = time.Now()
	x.mu.Unlock()
	time.Sleep(2 * time.Second) // there is no answer, and the lease has lapsed
	close(x.lost)
	return errors.New("no answer")
}

// The tenure of a partition ends while it crawls: from then on nothing is sent to its sites, and
// nothing is written. Another machine continues from the copy of the journal, with no archive and no
// snapshot, and in the end all pages were fetched.
func TestTenure(t *testing.T) {
	for _, ends := range []int{4, 8, 14} {
		synctest.Test(t, func(t *testing.T) { continueElsewhere(t, ends) })
	}
}

func continueElsewhere(t *testing.T, ends int) {
	w := &faultWeb{testWeb: newTestWeb(t, fakeweb.Spec{Pages: 150, Sites: 40, Links: 900, Seed: 7}, answer.Options{}), faults: 1}
	c := &w.o.Config
	c.Partitions, c.MaxMemory, c.Policy, c.Delay = 2, 1<<30, "opic", config.Seconds(1)
	list := []*testTenure{newTenure(7, nil, 0), newTenure(8, nil, ends)}
	if _, err := runTenures(t, w, list); !errors.Is(err, port.ErrLost) {
		t.Fatal(err)
	}
	checkSilent(t, w, list[1])
	checkCopy(t, w, 0, list[0].copy)
	checkCopy(t, w, 1, list[1].copy[:ends-1])
	moved := disk.NewMemory()
	keep(t, moved, w, 0)
	copyJournal(t, w, moved.Sub(layout.PartitionName(1)+"/"+layout.JournalDir), list[1].copy)
	w.root = moved
	list = []*testTenure{newTenure(9, list[0].copy, 0), newTenure(10, list[1].copy, 0)}
	sum, err := runTenures(t, w, list)
	if err != nil || sum.Why != whyFinished {
		t.Fatalf("it ended because of %+v: %v", sum, err)
	}
	w.checkServed(t)
	w.verify(t, 2)
	for i := range list {
		checkCopy(t, w, i, list[i].copy)
	}
	checkEpochs(t, w, 1, []uint64{8, 10})
}

// runTenures crawls with the tenure of each partition.
func runTenures(t *testing.T, w *faultWeb, list []*testTenure) (*crawl.Summary, error) {
	t.Helper()
	o := w.o
	top, err := openTop(&o)
	if err != nil {
		t.Fatal(err)
	}
	defer top.close()
	r, err := newRun(&o, top)
	if err != nil {
		t.Fatal(err)
	}
	r.bus = newMemoryBus(top.file.Partitions, r.wake)
	r.tenure = func(self int) port.Tenure { return list[self] }
	return r.crawl(t.Context())
}

// checkSilent checks that no request to a site of partition 1 began after its tenure had ended.
func checkSilent(t *testing.T, w *faultWeb, x *testTenure) {
	t.Helper()
	table, err := suffix.Open(suffix.Newest)
	if err != nil {
		t.Fatal(err)
	}
	n := w.server.Counter()
	late, before := 0, 0
	for i := range n.Sites() {
		if table.Partition(n.Name(graph.Site(i)), 2) != 1 {
			continue
		}
		for _, q := range n.Requests(graph.Site(i)) {
			if before++; n.Began().Add(q.Start).After(x.ended) {
				late++
			}
		}
	}
	if late > 0 || before == 0 {
		t.Errorf("%d of %d requests began after the end of the tenure", late, before)
	}
}

// checkCopy compares the journal of a partition on disk with a copy.
func checkCopy(t *testing.T, w *faultWeb, self int, want [][]byte) {
	t.Helper()
	p, _ := w.parts(t, layout.PartitionName(self)+"/")
	var got [][]byte
	h, err := journal.ReadHeader(p.Journal)
	if err == nil {
		err = journal.Groups(p.Journal, h, func(_ *journal.Commit, b []byte) error { got = append(got, bytes.Clone(b)); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("partition %d: %d groups on disk, %d in the copy", self, len(got), len(want))
	}
}

// checkEpochs compares the epochs of the sessions of a partition.
func checkEpochs(t *testing.T, w *faultWeb, self int, want []uint64) {
	t.Helper()
	p, _ := w.parts(t, layout.PartitionName(self)+"/")
	var got []uint64
	if _, err := journal.Read(p.Journal, 0, func(r *journal.Record) error {
		if r.Event.Kind == event.Session {
			got = append(got, r.Facts.Epoch)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("partition %d: sessions of the epochs %v, want %v", self, got, want)
	}
}

// keep copies the files that say what the crawl is, and those of a partition.
func keep(t *testing.T, to *disk.Memory, w *faultWeb, self int) {
	t.Helper()
	for _, name := range []string{".", layout.PartitionName(self) + "/" + layout.JournalDir} {
		from := w.root.Sub(name)
		list, err := from.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			copyFile(t, from, to.Sub(name), e)
		}
	}
}

func copyFile(t *testing.T, from, to disk.Dir, e disk.Entry) {
	t.Helper()
	f, err := from.Open(e.Name, disk.Read)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, e.Size)
	if _, err := f.ReadAt(b, 0); err != nil && e.Size > 0 {
		t.Fatal(err)
	}
	if err := disk.Replace(to, e.Name, e.Name+".tmp", true, func(f disk.File) error {
		_, err := f.WriteAt(b, 0)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// copyJournal writes a copy of a journal.
func copyJournal(t *testing.T, w *faultWeb, to disk.Dir, groups [][]byte) {
	t.Helper()
	p, _ := w.parts(t, layout.PartitionName(1)+"/")
	h, err := journal.ReadHeader(p.Journal)
	if err != nil {
		t.Fatal(err)
	}
	h.First = 0
	l, err := journal.Begin(to, h)
	for _, b := range groups {
		if err != nil {
			break
		}
		err = l.Add(b)
	}
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
