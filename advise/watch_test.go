package advise

import (
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

func newTestWatch(t *testing.T, text string, pages int) *Watch {
	t.Helper()
	c, err := CompileStop(text)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWatch(c, pages)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Free)
	return w
}

// A watch has the numbers that Ask has, as of its last checkpoint, and certain is never above
// the truth although its sweeps go on from earlier ones.
func TestWatch(t *testing.T) {
	web := drawWeb(2000, 5)
	seeds := []graph.Page{0, 1500}
	order, truth := web.breadthFirst(seeds...), web.personal(seeds)
	w := newTestWatch(t, "importance > 2 or certain > 2 or gain > 100", len(web))
	for _, p := range seeds {
		w.Seed(p)
		w.Seed(p)
	}
	have, last := 0.0, math.NaN()
	checkpoints := 0
	for i, p := range order {
		w.Fetched(p, web[p], false)
		w.Fetched(p, nil, false) // a second visit changes nothing
		have += truth[p]
		if certain, ok := w.Number("certain"); ok && certain != last {
			last = certain
			checkpoints++
			if certain > have {
				t.Fatalf("after %d pages: certain %v, and the truth is %v", i+1, certain, have)
			}
			a, err := Ask(web.course(order[:i+1], seeds...))
			if err != nil {
				t.Fatal(err)
			}
			if v, _ := w.Number("importance"); math.Abs(v-a.Importance) > 0.01 {
				t.Errorf("after %d pages: importance %v, want %v", i+1, v, a.Importance)
			}
			if certain > a.Certain+1e-4 || certain < a.Certain-0.1 {
				t.Errorf("after %d pages: certain %v, want %v", i+1, certain, a.Certain)
			}
		}
		if w.Holds(&Counts{}) {
			t.Fatal("it stops")
		}
	}
	if checkpoints < 10 {
		t.Errorf("%d checkpoints", checkpoints)
	}
}

// A later seed makes the others count less.
func TestWatchSeeds(t *testing.T) {
	web := drawWeb(600, 9)
	order := web.breadthFirst(0)
	w := newTestWatch(t, "certain > 2", len(web))
	w.Seed(0)
	for i, p := range order {
		if i == len(order)/2 {
			w.Seed(graph.Page(len(web) - 1))
		}
		w.Fetched(p, web[p], false)
	}
	truth, have := web.personal([]graph.Page{0, graph.Page(len(web) - 1)}), 0.0
	for _, p := range order {
		have += truth[p]
	}
	if v, ok := w.Number("certain"); !ok || v > have {
		t.Errorf("certain %v, and the truth is %v", v, have)
	}
}

// Counts need no links, and since_hot is missing without a topic.
func TestWatchCounts(t *testing.T) {
	w := newTestWatch(t, "pages >= 10 and hours > 1 or since_hot > 3", 1)
	if w.NeedsLinks() {
		t.Error("it needs links")
	}
	w.Fetched(7, nil, false) // beyond its pages: it is of no matter
	for _, test := range []struct {
		c    Counts
		want bool
	}{
		{Counts{Pages: 9, Hours: 2, SinceHot: math.NaN()}, false},
		{Counts{Pages: 10, Hours: 2, SinceHot: math.NaN()}, true},
		{Counts{SinceHot: 4}, true},
	} {
		if got := w.Holds(&test.c); got != test.want {
			t.Errorf("%+v: %v", test.c, got)
		}
	}
}

// A watch that ranks pages takes memory outside the Go heap, which the ceiling of a crawl counts,
// and one that counts takes none.
func TestWatchOffHeap(t *testing.T) {
	var none *Watch
	if n := none.OffHeap() + newTestWatch(t, "pages > 3", 1000).OffHeap(); n != 0 {
		t.Errorf("%d bytes without ranks", n)
	}
	w := newTestWatch(t, "importance > 2", 1000)
	for p := range graph.Page(999) {
		w.Fetched(p, []graph.Page{p + 1}, false)
	}
	if n := w.OffHeap(); n < 8*999 {
		t.Errorf("%d bytes for the ranks of 1,000 pages", n)
	}
}
