package crawl

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// Crawls that keep few pages are killed, or lose their power, again and again, also while they
// copy answers and remove files. At every moment the archive has no more than it may, all that
// is kept is there, and in the end the pages are those of a crawl that was never killed. Now
// and then the next session keeps another number of pages (P3).
func TestKeeperCrashes(t *testing.T) {
	t.Parallel()
	whole := crawlWhole(t)
	removed := 0
	for i := range lives(4, 2) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { removed += keepThroughCrashes(t, uint64(i), whole) })
		})
	}
	if removed == 0 {
		t.Error("no file was ever removed: that is no test")
	}
}

// The same for crawls that visit pages again.
func TestKeeperRecrawlCrashes(t *testing.T) {
	for i := range lives(2, 1) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { recrawlThroughCrashes(t, uint64(i), []int64{25, 4, 100}[i%3]) })
		})
	}
}

// keepThroughCrashes does what liveThroughCrashes does, and returns how many files were
// removed.
func keepThroughCrashes(t *testing.T, seed uint64, whole wholeCrawl) int {
	w := newCrashWeb(t)
	w.o.Config.Requisites = false
	w.vary(seed)
	rng := rand.New(rand.NewPCG(seed, 9))
	sizes := []int64{1, 3, 8, 20, 40, 64}
	w.o.Config.KeepPages = sizes[seed%uint64(len(sizes))]
	for range 3 + rng.IntN(12) {
		n := rng.IntN(whole.steps)
		if rng.IntN(3) == 0 {
			n = rng.IntN(40)
		}
		if !w.runUntil(t, n) {
			break
		}
		w.lose(t, rng)
		w.checkDisk(t)
		if rng.IntN(4) == 0 {
			w.o.Config.KeepPages = sizes[rng.IntN(len(sizes))]
		}
		if rng.IntN(6) == 0 {
			w.deleteDerived()
		}
		time.Sleep(time.Duration(rng.Int64N(int64(4 * time.Second))))
	}
	w.comesToItsEnd(t, whole)
	return len(readStory(t, w.root.Sub("journal/0000"), false).gone)
}

// checkKept checks what a crawl with --keep-pages promises, given the answers in its archive:
// no more pages are kept than may be, each is where the state has it, and all files but one
// have at most a quarter more answers than pages may be kept, or one more. In the end all files
// have at most that.
func (w *crashWeb) checkKept(t *testing.T, c *disk.Memory, s *story, found map[journal.Place]string) {
	t.Helper()
	state := w.restored(t, c, s.last.Next)
	defer state.Close()
	k := state.Kept
	if k == nil || s.room == 0 { // the last session that left a trace kept all
		return
	}
	if n := k.Len(); int64(n) > s.room {
		t.Errorf("%d pages are kept, want %d at most", n, s.room)
	}
	for slot := range k.Len() {
		p := k.Page(slot)
		at := k.Place(p)
		place := journal.Place{File: uint32(at.File), Offset: at.Offset, Length: int64(k.Main(p))}
		if url := found[place]; url != s.urls[p] {
			t.Errorf("%s is kept at %+v, there is %q", s.urls[p], place, url)
		}
	}
	in, sum, most := map[uint32]int64{}, int64(0), int64(0)
	for p := range found {
		in[p.File]++
	}
	for _, n := range in {
		sum, most = sum+n, max(most, n)
	}
	limit := s.rooms + max(1, s.rooms/4) // after a larger number it takes some groups
	if sum-most > limit {
		t.Errorf("%d pages may be kept, but files have %v answers", s.rooms, in)
	}
	if w.ended && sum > s.room+max(1, s.room/4) {
		t.Errorf("%d pages may be kept, but files have %v answers in the end", s.room, in)
	}
}

// A crawl that keeps few pages has the order of the simulation, which is the order of a crawl
// that keeps all, and keeps the same pages (P3).
func TestKeeperSimEqualsReal(t *testing.T) {
	for k, s := range simSettings() {
		if testing.Short() && k%2 != 0 {
			continue
		}
		set := s.set
		for i, room := range []int64{1, 7, 50, 1000} {
			name, words := []string{"opic", "breadth-first", "score", "foresight"}[(i+k)%4], ""
			if (i+k)%4 == 2 || i == 1 {
				words = "0.6*q(pagerank) + 0.4*q(backlinks)"
			}
			s.set = func(c *config.Config) {
				set(c)
				c.KeepPages, c.Score = room, words
			}
			synctest.Test(t, func(t *testing.T) {
				w, times := s.run(t, name, uint64(i+1))
				got, order := w.kept(t), w.fetches(t)
				res := s.result(t, w, times)
				if len(order) != len(res.Order) || len(res.Kept) != min(int(room), len(order)) {
					t.Fatalf("%d pages in the crawl, %d in the simulation, which keeps %d of %d", len(order), len(res.Order), len(res.Kept), room)
				}
				for i, p := range res.Order {
					if order[i].page != p || order[i].end != res.End[i] {
						t.Fatalf("fetch %d is %+v in the crawl, page %d in the simulation", i, order[i], p)
					}
				}
				if !slices.Equal(got, res.Kept) {
					t.Errorf("%s, room for %d: the crawl keeps %v, the simulation %v", name, room, got, res.Kept)
				}
			})
		}
	}
}

// kept returns the pages of the web that a crawl keeps, ascending.
func (w *testWeb) kept(t *testing.T) (list []graph.Page) {
	t.Helper()
	for _, url := range w.keptURLs(t) {
		p, ok := w.server.Page(url)
		if !ok {
			t.Fatalf("%s is not in the web", url)
		}
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

// keptURLs returns the pages that a crawl keeps.
func (w *testWeb) keptURLs(t *testing.T) (list []string) {
	t.Helper()
	s, err := w.history(t).State()
	if err != nil {
		t.Fatal(err)
	}
	for slot := range s.Kept.Len() {
		list = append(list, string(s.AppendURL(nil, s.Kept.Page(slot))))
	}
	return list
}
