package crawl

import (
	"bytes"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// Answers are dated by the clock of the machine when they were asked for, also after it
// was set or the machine slept; politeness goes by the crawl's own clock, and verify knows
// of both.
func TestWallClockJumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, jump := range []time.Duration{6 * time.Hour, -3 * time.Minute} {
			w := newTestWeb(t, 100, 10, answer.Options{})
			began := time.Now()
			var shift atomic.Int64
			w.o.Machine.Wall = func() time.Time { return time.Now().Add(time.Duration(shift.Load())) }
			w.o.Progress = func(s *history.Status) {
				if s.Now() > 20*time.Second {
					shift.Store(int64(jump))
				}
			}
			sum := w.run(t)
			clean(t, w.verify(t))
			before, after := 0, 0
			for _, at := range w.dates(t) {
				switch d := at.Sub(began); {
				case d >= 0 && d <= 22*time.Second:
					before++
				case d > 20*time.Second+jump && d < sum.Ran+jump:
					after++
				default:
					t.Errorf("jump by %v: an answer is dated %v after the beginning", jump, d)
				}
			}
			if before < 20 || after < 20 {
				t.Errorf("jump by %v: %d answers before, %d after it", jump, before, after)
			}
		}
	})
}

// dates are those of all answers in the archive.
func (w *testWeb) dates(t *testing.T) (list []time.Time) {
	t.Helper()
	w.eachStored(t, func(x *archive.Record) {
		if x.Type == "response" {
			list = append(list, x.Time)
		}
	})
	return list
}

// The archive says which program wrote it, also where that has no version.
func TestSoftwareWithoutVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 20, 4, answer.Options{})
		w.o.Version, w.o.Config.Pages = "", 1
		w.run(t)
		all, err := w.disk[layout.ArchiveDir].List()
		if err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		b, err := disk.ReadFile(w.disk[layout.ArchiveDir], all[0].Name)
		if err != nil {
			t.Fatal(err)
		}
		x, err := archive.NewReader(bytes.NewReader(b), all[0].Name).Next()
		if err != nil {
			t.Fatal(err)
		}
		info, err := io.ReadAll(x)
		if err != nil || !bytes.Contains(info, []byte("software: winnow/devel\r\n")) {
			t.Errorf("%v:\n%s", err, info)
		}
	})
}
