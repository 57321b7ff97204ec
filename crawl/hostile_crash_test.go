package crawl

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/checkpoint"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// TestHostileCrashes kills crawls of a hostile web, and takes their power, as TestCrashes
// does with a usual one: no rule is broken over all lives of a
// crawl, and the pages differ from those of a crawl that nobody disturbed by at most 1 %,
// traps not counted: the order of arrival decides which of two duplicates is followed, what
// a limit leaves out, and which pages of a trap are tried.
func TestHostileCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("TestCrashes does the same to a web that is not hostile")
	}
	whole := hostileWhole(t)
	for i := range lives(3, 0) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { hostileLife(t, uint64(i), whole) })
		})
	}
}

// newHostileCrashWeb is a hostile web of a size that can be crawled a dozen times, with
// shares so large that all kinds are there. Answers without end are read up to 256 KiB.
func newHostileCrashWeb(t *testing.T) *crashWeb {
	t.Helper()
	so := hostileServe()
	for _, s := range so.Shares() {
		if strings.HasPrefix(s.Name, "trap-") {
			*s.Value *= 3
		}
	}
	so.CrowdLinks, so.MaxSize = 2000, 12_000
	so.Pages.Crowd, so.Pages.EndlessBody, so.Pages.EndlessHeader = 0.003, 0.003, 0.003
	h := hostileCrawl{pages: 600, sites: 30, seed: 8, serve: so, set: func(c *config.Config) {
		c.MaxBody = 256 << 10
		c.IPCap = 1 // of more at a time one may start when another has just ended
	}}
	w := &crashWeb{testWeb: h.web(t), root: disk.NewMemory()}
	w.journal = watched{map[string]int64{}, map[string]bool{}}
	w.server.SetAddresses(h.sites / 2)
	w.o.Machine.Disk = w.open
	w.o.Machine.Sizes = Sizes{Archive: 500 << 10, Journal: 50 << 10, Replay: 200 * checkpoint.RecordCost, URLs: 1, Status: 10 * time.Minute, Report: time.Minute}
	return w
}

// hostileWhole is the crawl that nobody disturbs.
func hostileWhole(t *testing.T) (whole wholeCrawl) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newHostileCrashWeb(t)
		sum := w.run(t)
		if sum.Why != whyFinished && sum.Why != whyUnreachable {
			t.Fatalf("it ended because of %s", sum.Why)
		}
		w.check(t, w.limits())
		w.verify(t)
		whole = wholeCrawl{pages: w.pages(t), steps: w.root.Steps()}
		t.Logf("%d of %d pages fetched in %v, %d operations of the disk", sum.Fetched, sum.Known, sum.Ran, whole.steps)
	})
	if len(whole.pages) < 300 {
		t.Fatalf("%d pages are no test", len(whole.pages))
	}
	return whole
}

// hostileLife lets a crawl crash a few times, then come to its end.
func hostileLife(t *testing.T, seed uint64, whole wholeCrawl) {
	w := newHostileCrashWeb(t)
	w.vary(seed)
	rng := rand.New(rand.NewPCG(seed, 7))
	for range 2 + rng.IntN(6) {
		n := rng.IntN(whole.steps / 3)
		if rng.IntN(3) == 0 {
			n = rng.IntN(40) // during recovery, or soon after
		}
		if !w.runUntil(t, n) {
			break
		}
		w.lose(t, rng)
		w.checkDisk(t)
		if rng.IntN(4) == 0 {
			w.deleteDerived()
		}
		time.Sleep(time.Duration(rng.Int64N(int64(time.Minute))))
	}
	w.root.Stop(-1)
	if sum := w.run(t); sum.Why != whyFinished && sum.Why != whyUnreachable {
		t.Errorf("it ended because of %s", sum.Why)
	}
	w.checkDisk(t)
	w.checkServer(t)
	w.verify(t)
	w.nearlySamePages(t, w.pages(t), whole.pages)
}

// nearlySamePages compares two crawls by the pages that they fetched. Of those that lie in
// no trap at most 1 % may be in one of them only. Which pages of a trap are tried before it
// is known for one is up to the order; how many is not.
func (w *crashWeb) nearlySamePages(t *testing.T, got, want map[string]string) {
	t.Helper()
	differ, n, trapped := 0, [2]int{}, [2]int{}
	for i, pages := range []map[string]string{want, got} {
		other := []map[string]string{got, want}[i]
		for url, state := range pages {
			if !isFetched(state) {
				continue
			}
			if at, _ := w.server.Place(url); at.Trap != answer.NoTrap {
				trapped[i]++
				continue
			}
			if n[i]++; !isFetched(other[url]) {
				differ++
				t.Logf("%s is %q in one crawl, %q in the other (crashes: %t)", url, state, other[url], i == 1)
			}
		}
	}
	t.Logf("%d crashes: %d of %d pages differ, %d instead of %d in traps", len(w.crashes), differ, n[0], trapped[1], trapped[0])
	if 100*differ > n[0] {
		t.Errorf("%d of %d pages are in one crawl only", differ, n[0])
	}
	if trapped[1] > trapped[0]+trapped[0]/4+4 {
		t.Errorf("%d pages in traps, without crashes %d", trapped[1], trapped[0])
	}
}

func isFetched(state string) bool { return strings.HasPrefix(state, frontier.Fetched.String()) }
