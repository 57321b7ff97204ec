package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/checkpoint"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// Crawls that are killed, or lose their power, again and again: at any write or sync of
// the journal, the archive, the URLs, a snapshot, also while they recover.
// All of it is in memory and in virtual time, so a life with a dozen crashes takes a
// tenth of a second.
//
// A crash is a disk that stops at some operation. The crawl notices and ends; what it did
// in between left no trace, as with a program that is killed a moment later. Then chance
// takes what was not synced, and the crawl goes on with the rest.
func TestCrashes(t *testing.T) {
	t.Parallel()
	whole := crawlWhole(t)
	for i := range lives(5, 2) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { liveThroughCrashes(t, uint64(i), whole) })
		})
	}
}

// tortured reports whether the long form of the tests runs (make torture).
func tortured() bool { return os.Getenv("WINNOW_TORTURE") != "" }

// lives is how often a test is repeated: half as many times, fewer with -short, and in the
// long form (make torture, WINNOW_TORTURE=50) many more.
func lives(usual, short int) int {
	if n, err := strconv.Atoi(os.Getenv("WINNOW_TORTURE")); err == nil {
		return n * usual / 2
	}
	if testing.Short() {
		return short
	}
	return (usual + 1) / 2
}

// wholeCrawl is what a crawl without a crash comes to.
type wholeCrawl struct {
	pages map[string]string // URL to state
	// Operations of the disk, and bytes on it.
	steps, writes, syncs int
	archive, journal     int64
}

func crawlWhole(t *testing.T) (whole wholeCrawl) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newCrashWeb(t)
		w.run(t)
		w.check(t, w.limits())
		whole = wholeCrawl{
			w.pages(t), w.root.Steps(), w.root.Writes(), w.root.Syncs(),
			bytesIn(t, w.root.Sub(layout.ArchiveDir)), bytesIn(t, w.root.Sub(layout.JournalDir)),
		}
	})
	if len(whole.pages) < 100 {
		t.Fatalf("%d pages are no test", len(whole.pages))
	}
	return whole
}

func bytesIn(t *testing.T, dir disk.Dir) (n int64) {
	t.Helper()
	list, err := dir.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		n += e.Size
	}
	return n
}

// A crashWeb is a web and a crawl of it, on one disk that can be lost.
type crashWeb struct {
	*testWeb
	root    *disk.Memory
	journal watched
	crashes []crash
	ended   bool // the last run came to its end
}

// newCrashWeb has files so small that they end, and snapshots so often, that crashes meet
// both. Several sites share an address. Requisites are fetched, too.
func newCrashWeb(t *testing.T) *crashWeb {
	t.Helper()
	const pages, sites = 150, 14
	so := answer.Mixed()
	so.Shown = true
	w := &crashWeb{testWeb: newTestWeb(t, pages, sites, so), root: disk.NewMemory()}
	w.o.Config.Requisites = true
	w.journal = watched{map[string]int64{}, map[string]bool{}}
	w.server.SetAddresses(sites / 2)
	w.o.Config.IPCap = 1 // of more at a time one may start when another has just ended
	w.o.Machine.Disk = w.open
	w.o.Machine.Sizes = Sizes{Archive: 200 << 10, Journal: 20 << 10, Replay: 60 * checkpoint.RecordCost, URLs: 1, Status: 10 * time.Minute, Report: time.Minute}
	return w
}

func (w *crashWeb) limits() answer.Limits {
	return answer.Limits{Sitemaps: true, MaxBody: int(w.o.Config.MaxBody)}
}

// open gives a directory of the disk. That of the journal notes what is safe.
func (w *crashWeb) open(name string) (disk.Dir, error) {
	d := w.root.Sub(name)
	if name == layout.JournalDir {
		return &watchedDir{d, &w.journal}, nil
	}
	return d, nil
}

// watched is what is safe of a directory.
type watched struct {
	bytes map[string]int64 // by file: how many have been synced
	named map[string]bool  // whether its name was, too
}

type watchedDir struct {
	disk.Dir
	w *watched
}

func (d *watchedDir) Open(name string, how disk.How) (disk.File, error) {
	f, err := d.Dir.Open(name, how)
	if err != nil || how == disk.Read {
		return f, err
	}
	if how == disk.Create {
		d.w.bytes[name] = 0
	}
	return &watchedFile{f, name, d.w}, nil
}

func (d *watchedDir) Remove(name string) error {
	delete(d.w.named, name)
	return d.Dir.Remove(name)
}

func (d *watchedDir) Sync() error {
	err := d.Dir.Sync()
	list, _ := d.List()
	for _, e := range list {
		d.w.named[e.Name] = d.w.named[e.Name] || err == nil
	}
	return err
}

type watchedFile struct {
	disk.File
	name string
	w    *watched
}

func (f *watchedFile) Sync() error {
	err := f.File.Sync()
	if err == nil {
		f.w.bytes[f.name], _ = f.Size()
	}
	return err
}

// liveThroughCrashes lets a crawl crash up to a dozen times, then come to its end.
func liveThroughCrashes(t *testing.T, seed uint64, whole wholeCrawl) {
	w := newCrashWeb(t)
	w.vary(seed)
	rng := rand.New(rand.NewPCG(seed, 4))
	for range rng.IntN(12) {
		if rng.IntN(5) == 0 {
			w.stop(t, rng)
			continue
		}
		n := rng.IntN(whole.steps / 2)
		if rng.IntN(3) == 0 {
			n = rng.IntN(40) // during recovery, or soon after
		}
		if !w.runUntil(t, n) {
			break
		}
		w.lose(t, rng)
		w.checkDisk(t)
		if rng.IntN(6) == 0 {
			w.deleteDerived()
		}
		if rng.IntN(8) == 0 {
			w.o.Config.Policy = livePolicies()[rng.IntN(len(livePolicies()))]
		}
		time.Sleep(time.Duration(rng.Int64N(int64(4 * time.Second))))
	}
	w.comesToItsEnd(t, whole)
}

// stop lets a crawl run for a while and end in order.
func (w *crashWeb) stop(t *testing.T, rng *rand.Rand) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.Int64N(int64(20*time.Second))))
	defer cancel()
	w.root.Stop(-1)
	if _, err := Run(ctx, w.o); err != nil {
		t.Fatal(err)
	}
	w.crashes = append(w.crashes, crash{at: w.server.Counter().Now()}) // requests may have been given up
	w.checkDisk(t)
}

// deleteDerived removes all that the journal can bring back.
func (w *crashWeb) deleteDerived() {
	for _, name := range []string{layout.URLDir, layout.SnapshotDir} {
		list, _ := w.root.Sub(name).List()
		for _, e := range list {
			w.root.Sub(name).Remove(e.Name)
		}
	}
}

// comesToItsEnd lets the crawl finish, and checks all of it.
func (w *crashWeb) comesToItsEnd(t *testing.T, whole wholeCrawl) {
	t.Helper()
	w.root.Stop(-1)
	sum := w.run(t)
	w.ended = true
	if sum.Why != whyFinished {
		t.Errorf("it ended because of %s", sum.Why)
	}
	w.checkDisk(t)
	w.checkServer(t)
	w.verify(t)
	samePages(t, w.pages(t), whole.pages)
}

// vary makes crawls that do not change the pages that are found.
func (w *crashWeb) vary(seed uint64) {
	c := &w.o.Config
	if seed%2 == 1 {
		w.o.Machine.Sizes.Copy = 1 // the follower takes all snapshots
	}
	if seed%3 == 1 {
		c.PerConnection = 4
	}
	if seed%5 == 2 {
		c.Policy, c.SitePolicy = "batch-pagerank/k=50", "larger-sites-first"
	}
	c.Sync = seed%7 != 3
}

// runUntil crawls on a disk that stops after n operations. It reports whether that ended
// the crawl.
func (w *crashWeb) runUntil(t *testing.T, n int) bool {
	t.Helper()
	w.root.Stop(n)
	_, err := Run(t.Context(), w.o)
	if err == nil {
		return false
	}
	var e *hint.Error
	if !errors.Is(err, disk.ErrStopped) || !errors.As(err, &e) || !strings.Contains(e.Text, w.o.Dir) || e.Hint == "" {
		t.Fatalf("the disk stopped, the crawl said: %v", err)
	}
	w.crashes = append(w.crashes, crash{at: w.server.Counter().Now()})
	return true
}

// lose puts what a crash leaves of the disk in its place: all that was written (kill),
// or all that was synced and some of the rest (power loss). What was safe still is.
func (w *crashWeb) lose(t *testing.T, rng *rand.Rand) {
	t.Helper()
	old := w.root.Sub(layout.JournalDir)
	if !w.o.Config.Sync || rng.IntN(3) == 0 { // without syncs only a kill is survived
		w.root = w.root.Kill()
	} else {
		w.root = w.root.Crash(rng.Uint64())
	}
	for name, n := range w.journal.bytes {
		if !w.journal.named[name] {
			continue
		}
		was, err := disk.ReadFile(old, name)
		if err != nil {
			t.Fatal(err)
		}
		is, err := disk.ReadFile(w.root.Sub(layout.JournalDir), name)
		if err != nil || int64(len(is)) < n || !bytes.Equal(is[:n], was[:n]) {
			t.Fatalf("the crash took what was synced of %s: %v", name, err) // a fault of disk.Memory
		}
	}
}

// samePages compares two crawls by their pages.
func samePages(t *testing.T, got, want map[string]string) {
	t.Helper()
	for url, state := range want {
		if got[url] != state {
			t.Errorf("%s is %q, without crashes %q", url, got[url], state)
		}
	}
	for url, state := range got {
		if want[url] == "" {
			t.Errorf("%s is %q, without crashes unknown", url, state)
		}
	}
}
