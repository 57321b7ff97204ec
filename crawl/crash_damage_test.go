package crawl

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A bit of the journal turns over in the middle of a crawl. That costs what the record
// held, never the crawl: it goes on without it, asks again for what it lost, is as polite
// as ever, and comes to an end. Snapshots may hide the damage, so they are gone, too.
func TestDamagedJournal(t *testing.T) {
	t.Parallel()
	whole := crawlWhole(t)
	for i := range lives(3, 1) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newCrashWeb(t)
				w.vary(uint64(i))
				rng := rand.New(rand.NewPCG(uint64(i), 6))
				w.runUntil(t, whole.steps/4+rng.IntN(whole.steps/2))
				w.root = w.root.Kill()
				w.flipBit(t, rng)
				if rng.IntN(3) > 0 {
					w.deleteDerived()
				}
				sum := w.run(t)
				if sum.Why != whyFinished {
					t.Errorf("it ended because of %s", sum.Why)
				}
				w.checkDamaged(t)
			})
		})
	}
}

// flipBit changes a bit of a committed record after the first session.
func (w *crashWeb) flipBit(t *testing.T, rng *rand.Rand) {
	t.Helper()
	dir := w.root.Sub(layout.JournalDir)
	list, err := dir.List()
	if err != nil {
		t.Fatal(err)
	}
	e := list[rng.IntN(len(list))]
	first := int64(0)
	if e.Name == list[0].Name {
		first = 8 << 10 // header and first session
	}
	if e.Size <= first {
		t.Logf("%s has %d bytes and stays as it is", e.Name, e.Size)
		return
	}
	at := first + rng.Int64N(e.Size-first)
	f, err := dir.Open(e.Name, disk.Change)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [1]byte
	f.ReadAt(b[:], at)
	b[0] ^= 1 << rng.IntN(8)
	if _, err := f.WriteAt(b[:], at); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: byte %d of %d", e.Name, at, e.Size)
}

// checkDamaged looks at what the server saw. What was lost is asked for again, so nothing is
// missing; a delay that a site asked for may be what was lost.
func (w *crashWeb) checkDamaged(t *testing.T) {
	t.Helper()
	c, counter := &w.o.Config, w.server.Counter()
	found := counter.Check(count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, Repeats: true})
	for _, v := range append(found, counter.CheckWanted(w.server.Wanted(w.limits()))...) {
		switch v.Kind {
		case count.CrawlDelay, count.RetryAfter, count.Repeated:
		default:
			t.Error(v)
		}
	}
}

// savesAs reports whether the snapshot of a state has these bytes.
func savesAs(t *testing.T, s *state.State, want []byte) bool {
	t.Helper()
	c := &comparison{rest: want}
	if err := s.Save(c); err != nil {
		t.Fatal(err)
	}
	return !c.differs && len(c.rest) == 0
}

// A comparison is a writer that looks whether it gets certain bytes.
type comparison struct {
	rest    []byte
	differs bool
}

func (c *comparison) Write(b []byte) (int, error) {
	n := min(len(b), len(c.rest))
	c.differs = c.differs || !bytes.Equal(b, c.rest[:n])
	c.rest = c.rest[n:]
	return len(b), nil
}
