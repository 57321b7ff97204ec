package crawl

import (
	"errors"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// A disk that fails while a crawl runs: it pauses, says where and what can be done, and
// goes on when the disk works again, with the pages of a crawl that met no fault.
func TestDiskFaults(t *testing.T) {
	t.Parallel()
	whole := crawlWhole(t)
	size := whole.archive + whole.journal
	for _, fault := range []struct {
		name  string
		begin func(*disk.Memory, *rand.Rand)
		text  string
		err   error
	}{
		{"full", func(m *disk.Memory, r *rand.Rand) { m.Limit(r.Int64N(size), syscall.ENOSPC) }, "no room left for memory", syscall.ENOSPC},
		{"quota", func(m *disk.Memory, r *rand.Rand) { m.Limit(r.Int64N(2000), syscall.EDQUOT) }, "no room left for memory", syscall.EDQUOT},
		{"write", func(m *disk.Memory, r *rand.Rand) { m.FailWrite(1+r.IntN(whole.writes/2), syscall.EIO) }, "memory", syscall.EIO},
		{"sync", func(m *disk.Memory, r *rand.Rand) { m.FailSync(1+r.IntN(whole.syncs/2), syscall.EIO) }, "memory", syscall.EIO},
		{"step", func(m *disk.Memory, r *rand.Rand) { m.FailStep(1+r.IntN(whole.steps/2), syscall.EIO) }, "memory", syscall.EIO},
	} {
		t.Run(fault.name, func(t *testing.T) {
			paused := 0
			for i := range lives(2, 1) {
				synctest.Test(t, func(t *testing.T) {
					w := newCrashWeb(t)
					w.vary(uint64(i))
					w.o.Config.Sync = true
					rng := rand.New(rand.NewPCG(uint64(i), 5))
					fault.begin(w.root, rng)
					paused += w.pauses(t, fault.text, fault.err)
					w.goesOn(t, rng, whole)
				})
			}
			if paused == 0 && !testing.Short() { // a single one may have met only what is derived
				t.Error("no crawl met the fault")
			}
		})
	}
}

// pauses crawls until the fault. One of a file that is derived need not end the crawl. It
// gives the number of pauses.
func (w *crashWeb) pauses(t *testing.T, text string, cause error) int {
	t.Helper()
	_, err := Run(t.Context(), w.o)
	if err == nil {
		return 0
	}
	w.crashes = append(w.crashes, crash{at: w.server.Counter().Now()})
	var e *hint.Error
	if !errors.As(err, &e) || !errors.Is(err, cause) || !strings.Contains(e.Text, text) || e.Hint == "" {
		t.Errorf("the disk failed with %q, the crawl said: %v (%+v)", cause, err, e)
	}
	return 1
}

// goesOn crawls on the disk that works again: at once, or after a power loss, which may
// take what a failed sync left in doubt; then a little further and after another one.
func (w *crashWeb) goesOn(t *testing.T, rng *rand.Rand, whole wholeCrawl) {
	t.Helper()
	w.root.Limit(-1, nil)
	w.root.FailWrite(0, nil)
	w.root.FailSync(0, nil)
	w.root.FailStep(0, nil)
	if rng.IntN(2) == 0 {
		w.lose(t, rng)
	}
	w.checkDisk(t)
	if w.runUntil(t, rng.IntN(100)) {
		w.lose(t, rng)
		w.checkDisk(t)
	}
	w.comesToItsEnd(t, whole)
}

// A directory in which nothing can be written: nothing is changed, and the message says
// where.
func TestReadOnlyDirectory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newCrashWeb(t)
		frozen := func(name string) (disk.Dir, error) { return history.ReadOnly{Dir: w.root.Sub(name)}, nil }
		for _, begun := range []bool{false, true} {
			if begun {
				w.o.Machine.Disk = w.open
				w.runUntil(t, 60)
				w.root.Stop(-1)
			}
			steps := w.root.Steps()
			w.o.Machine.Disk = frozen
			_, err := Run(t.Context(), w.o)
			var e *hint.Error
			if !errors.As(err, &e) || !strings.Contains(e.Text, w.o.Dir) || e.Hint == "" {
				t.Errorf("begun %t: %v", begun, err)
			}
			if n := w.root.Steps() - steps; n != 0 {
				t.Errorf("begun %t: %d changes", begun, n)
			}
		}
	})
}
