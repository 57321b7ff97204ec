package crawl

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// trapsTogether is a web with a door to each of some traps that are told by counting, and
// a directory whose members are held until something speaks for them.
func trapsTogether() map[string]http.HandlerFunc {
	hosts, _ := listOf(60)
	visits := 0
	s := doors("/shop/", func(rw http.ResponseWriter, r *http.Request) {
		visits++
		switch {
		case strings.HasPrefix(r.URL.Path, "/shop/"):
			fresh(rw, r, "red/", "blue/", "small/")
		case strings.HasPrefix(r.URL.Path, "/s"):
			id := fmt.Sprintf("%016x", uint64(visits)*0x9e3779b97f4a7c15)
			name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
			writePage(rw, name, words(name, 80), "/s-"+id+"/p1.html", "/s-"+id+"/p2.html", "/s-"+id+"/p3.html")
		default:
			writePage(rw, "Page not found", words(r.URL.Path, 40), r.URL.Path+"0", r.URL.Path+"1")
		}
	})
	s.pages["/"] = append(s.pages["/"], "/s/", "/old/x", "http://list.example/")
	for i := range 400 {
		name := fmt.Sprintf("n%d.a.example", i)
		hosts[name] = func(rw http.ResponseWriter, r *http.Request) {
			fresh(rw, r, fmt.Sprintf("http://n%d.a.example/", (2*i+1)%400), fmt.Sprintf("http://n%d.a.example/", (2*i+2)%400))
		}
	}
	s.pages["/"] = append(s.pages["/"], "http://n0.a.example/")
	hosts["a.example"] = s.serve
	return hosts
}

// What the guard knows is the fold of the journal: wherever a crawl of traps stops, its
// snapshot and its journal alone give the same bytes, and the crawl that goes on from
// either ends with all that is not in a trap.
func TestTrapsResume(t *testing.T) {
	long(t)
	for _, keep := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := newHandWeb(t, trapsTogether(), "http://a.example/")
			held, trials := 0, 0
			for _, pages := range []int64{40, 90, 200, 400, 0} {
				w.o.Config.Pages = pages
				w.run(t)
				w.o.Seeds = nil
				a, b := w.restored(t, w.disk[layout.SnapshotDir]), w.restored(t, disk.NewMemory())
				if !bytes.Equal(a, b) {
					t.Fatalf("after %d pages snapshot and journal give states of %d and %d bytes that differ at %d", pages, len(a), len(b), firstByte(a, b))
				}
				w.withState(t, disk.NewMemory(), func(s *state.State) {
					held, trials = max(held, s.Traps.Guard.Holds()), len(s.Traps.Guard.Saved().Trials)
				})
				if !keep {
					w.disk[layout.SnapshotDir] = disk.NewMemory()
				}
			}
			if held < 50 {
				t.Errorf("at most %d pages were held", held)
			}
			if trials < 3 {
				t.Errorf("%d lists were tried", trials)
			}
			for i := range 10 {
				if url := fmt.Sprintf("http://a.example/real/%d.html", i); occurrences(w.asked, url) != 1 {
					t.Errorf("%s was asked for %d times", url, occurrences(w.asked, url))
				}
			}
			clean(t, w.verify(t))
		})
	}
}

func occurrences(list []string, what string) (n int) {
	for _, s := range list {
		if s == what {
			n++
		}
	}
	return n
}

// firstByte is where two texts begin to differ.
func firstByte(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// A directory that is no seed has an allowance for the domains that only it knows. When
// nothing else is left the others are tried, and as they lead to no further domains all of
// them come.
func TestTrapHeldAreReleased(t *testing.T) {
	long(t)
	for _, own := range []int{10, 400} {
		hosts, wanted := listOf(own)
		hosts["a.example"] = linksTo("http://list.example/")
		synctest.Test(t, func(t *testing.T) {
			w := newHandWeb(t, hosts, "http://a.example/")
			sum, came := w.run(t), 0
			for _, url := range wanted {
				came += occurrences(w.asked, url)
			}
			if came != len(wanted) {
				t.Errorf("with %d pages of its own %d of %d pages came; refused %s", own, came, len(wanted), byCount(sum.RefusedBy))
			}
		})
	}
}

// A site that cannot be reached does not keep those that wait for the end of the crawl from
// being tried: for all other sites the end has come. Nor does it matter how often the crawl
// was stopped before.
func TestTrapHeldBesideDeadSite(t *testing.T) {
	hosts, wanted := listOf(10)
	hosts["a.example"] = linksTo("http://list.example/", "http://dead.example/")
	hosts["dead.example"] = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for name, stops := range map[string][]int64{"whole": nil, "stopped": {20, 60, 120}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newHandWeb(t, hosts, "http://a.example/")
				for _, w.o.Config.Pages = range stops {
					w.run(t)
					w.o.Seeds = nil
				}
				w.o.Config.Pages = 0
				sum := w.run(t)
				if sum.Why != whyUnreachable || sum.Ran > 2*time.Hour {
					t.Errorf("it ended because of %s after %v", sum.Why, sum.Ran)
				}
				missing := slices.DeleteFunc(slices.Clone(wanted), func(url string) bool { return occurrences(w.asked, url) == 1 })
				if len(missing) > 0 {
					t.Errorf("%d of %d pages did not come once: %s; refused %s", len(missing), len(wanted), missing[0], byCount(sum.RefusedBy))
				}
				clean(t, w.verify(t))
			})
		})
	}
}
