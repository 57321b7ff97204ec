package crawl

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A crawl that is resumed with --recrawl has the same state from its snapshot and from its
// records, so a limit on the pages of a site decides the same with and without a snapshot.
func TestRecrawlOnResume(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 200, 4, answer.Options{})
		c := &w.o.Config
		c.Pages = 150
		w.run(t)
		w.o.Seeds = nil
		for _, hours := range []time.Duration{3, 6} {
			c.Recrawl, c.Pages, c.Duration = config.Duration{Duration: time.Hour}, 0, config.Duration{Duration: hours * time.Hour}
			if hours == 6 {
				c.Revisit = "default" // from one session to the next
			}
			w.run(t)
			w.sameFromRecords(t)
			clean(t, w.verify(t))
		}
		w.disk[layout.SnapshotDir] = disk.NewMemory()
		c.Duration = config.Duration{Duration: 8 * time.Hour}
		w.run(t)
		w.sameFromRecords(t)
		if n := w.statuses(t); n[200]+n[304] < 600 {
			t.Errorf("statuses %v: pages were not visited again", n)
		}
	})
}

// sameFromRecords demands that the snapshot is what the records alone make.
func (w *testWeb) sameFromRecords(t *testing.T) {
	t.Helper()
	if !bytes.Equal(w.restored(t, w.disk[layout.SnapshotDir]), w.restored(t, disk.NewMemory())) {
		t.Error("the snapshot is not what the records make")
	}
}

// Crawls that are resumed with --recrawl and crash: whatever is left, the snapshots are
// what the records make, and the archive has what the records name.
func TestRecrawlCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("TestCrashes does the same to crawls that visit each page once")
	}
	for i := range lives(2, 0) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { recrawlThroughCrashes(t, uint64(i), 0) })
		})
	}
}

// recrawlThroughCrashes keeps some pages, or with 0 all.
func recrawlThroughCrashes(t *testing.T, seed uint64, room int64) {
	w := newCrashWeb(t)
	w.o.Config.Requisites = false
	w.vary(seed)
	rng := rand.New(rand.NewPCG(seed, 5))
	c := &w.o.Config
	c.Pages = 60
	w.run(t)
	steps := w.root.Steps()
	c.KeepPages = room
	c.Pages, c.Recrawl, c.Duration = 0, config.Duration{Duration: 10 * time.Minute}, config.Duration{Duration: time.Hour}
	if seed%2 == 1 {
		c.Revisit = "default"
	}
	for range 4 {
		n := rng.IntN(steps)
		if rng.IntN(3) == 0 {
			n = rng.IntN(40) // during recovery, or soon after
		}
		if !w.runUntil(t, n) {
			t.Fatal("the crawl ended before the disk did")
		}
		w.lose(t, rng)
		w.checkDisk(t)
		if rng.IntN(4) == 0 {
			w.deleteDerived()
		}
		time.Sleep(time.Duration(rng.Int64N(int64(time.Hour))))
	}
	w.root.Stop(-1)
	c.Duration = config.Duration{Duration: time.Hour}
	if sum := w.run(t); sum.Why != whyDuration {
		t.Errorf("it ended because of %s", sum.Why)
	}
	w.ended = true
	w.checkDisk(t)
	w.verify(t)
}

// Of a page that fails when it is visited again, status and pages say the same.
func TestRecrawlFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/x" && time.Since(began) > time.Hour {
				http.NotFound(rw, r)
				return
			}
			ownPage("/x")(rw, r)
		}}, "http://a.example/")
		w.o.Config.Recrawl, w.o.Config.Duration = config.Duration{Duration: 2 * time.Hour}, config.Duration{Duration: 5 * time.Hour}
		status := w.run(t).Status
		why := map[string]int64{}
		for _, p := range w.listed(t) {
			if reason := p.Why; reason != "" {
				why[reason]++
			}
		}
		if want := (map[string]int64{"gone": 1}); !maps.Equal(status.FailedBy, want) || !maps.Equal(why, want) {
			t.Errorf("status says %v, pages %v", status.FailedBy, why)
		}
		w.sameFromRecords(t)
	})
}
