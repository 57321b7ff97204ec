package frontier

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// depthWorld is a web whose pages have the numbers of the order in which they become
// known: a limit of depth is applied to them as a driver does.
type depthWorld struct {
	t     *testing.T
	out   [][]int
	limit int
	f     *Frontier
	id    map[int]graph.Page
	page  []int // by id
	log   []event.Event
}

func newDepthFrontier(t *testing.T, name string, exact bool) *Frontier {
	t.Helper()
	choice, err := policy.Choose(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(Options{Depths: exact, MaxPages: 200, MaxSites: 4}, policy.Env{Batch: 7, Random: 3}, choice, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	return f
}

func (w *depthWorld) apply(e event.Event) {
	w.log = append(w.log, e)
	w.f.Apply(0, &e)
	if list := w.f.Nearer(); len(list) > 0 {
		var admit []graph.Page
		for _, p := range list {
			if w.f.Depth(p) <= w.limit && !slices.Contains(admit, p) {
				admit = append(admit, p)
			}
		}
		if len(admit) > 0 {
			w.apply(event.Event{Kind: event.Admitted, Admit: admit})
		}
	}
}

// fetch hands out the next page, and applies what it brings.
func (w *depthWorld) fetch() bool {
	work, _, ok := w.f.Next(0)
	if !ok {
		return false
	}
	w.log = append(w.log, event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Site: work.Site, Page: work.Page, Board: work.Board}})
	e := event.Event{Kind: event.Done, Task: event.Task{Page: work.Page}}
	for _, q := range w.out[w.page[work.Page]] {
		p, known := w.id[q]
		if !known {
			p = graph.Page(len(w.page))
			w.id[q] = p
			w.page = append(w.page, q)
			bar := event.NoBar
			if w.f.Depth(work.Page)+1 > w.limit {
				bar = event.BarDepth
			}
			e.New, e.Bars = append(e.New, 0), append(e.Bars, bar)
		}
		if !slices.Contains(e.Links, p) && p != work.Page {
			e.Links = append(e.Links, p)
		}
	}
	w.apply(e)
	return true
}

// distances returns the lengths of the shortest paths from the seed over fetched pages.
func (w *depthWorld) distances() []int {
	far := make([]int, len(w.page))
	for i := range far {
		far[i] = MaxDepth
	}
	far[0] = 0
	for queue := []graph.Page{0}; len(queue) > 0; queue = queue[1:] {
		p := queue[0]
		if w.f.State(p) != Fetched {
			continue
		}
		for _, q := range w.out[w.page[p]] {
			if id := w.id[q]; far[id] == MaxDepth {
				far[id] = far[p] + 1
				queue = append(queue, id)
			}
		}
	}
	return far
}

// TestDepths: whatever the order, the depth of a page is that of the shortest way over the
// fetched pages, and a crawl with a limit fetches the pages within it, no others.
func TestDepths(t *testing.T) {
	late := 0 // pages that were refused at first
	for seed := range uint64(20) {
		for _, name := range []string{"opic", "random", "batch-pagerank", "breadth-first"} {
			r := rand.New(rand.NewPCG(seed, 1))
			w := &depthWorld{t: t, out: make([][]int, 120), limit: 1 + int(seed%9), id: map[int]graph.Page{0: 0}, page: []int{0}}
			for p := range w.out {
				if p+1 < len(w.out) {
					w.out[p] = []int{p + 1} // a chain, and ways that make it shorter
				}
				for range r.IntN(3) {
					w.out[p] = append(w.out[p], r.IntN(min(len(w.out), p+40)))
				}
				r.Shuffle(len(w.out[p]), func(i, j int) { w.out[p][i], w.out[p][j] = w.out[p][j], w.out[p][i] })
			}
			w.f = newDepthFrontier(t, name, true)
			w.apply(event.Event{Kind: event.Seed, New: []graph.Site{0}})
			for n := 0; w.fetch(); n++ {
				for id, want := range w.distances() {
					if got := w.f.Depth(graph.Page(id)); got != want {
						t.Fatalf("%s, seed %d, after %d pages: page %d is %d links away, want %d", name, seed, n, id, got, want)
					}
				}
				if n == 20 {
					w.reload(name)
				}
			}
			for id, far := range w.distances() {
				if came := w.f.State(graph.Page(id)) == Fetched; came != (far <= w.limit) {
					t.Errorf("%s, seed %d: page %d is %d links away of %d and came: %t", name, seed, id, far, w.limit, came)
				}
			}
			for _, e := range w.log {
				if e.Kind == event.Admitted {
					late += len(e.Admit)
				}
			}
			w.replay(name)
		}
	}
	if late < 40 {
		t.Errorf("%d pages were admitted after they had been refused: that is no test", late)
	}
}

// reload continues with a frontier that was saved and loaded.
func (w *depthWorld) reload(name string) {
	f := newDepthFrontier(w.t, name, true)
	if err := f.Load(bytes.NewReader(saved(w.t, w.f))); err != nil {
		w.t.Fatal(err)
	}
	w.f = f
}

// replay holds the state against one that the events alone make.
func (w *depthWorld) replay(name string) {
	f := newDepthFrontier(w.t, name, true)
	for _, e := range w.log {
		f.Apply(0, &e)
	}
	if !bytes.Equal(saved(w.t, f), saved(w.t, w.f)) {
		w.t.Errorf("%s: the events make another state", name)
	}
}

func saved(t *testing.T, f *Frontier) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestDepthOfSeed: a page that becomes a seed brings those behind it nearer, and a saved
// state with exact depths is of no use to a frontier without.
func TestDepthOfSeed(t *testing.T) {
	f := newDepthFrontier(t, "breadth-first", true)
	f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0}})
	for p := range graph.Page(4) {
		if w, _, ok := f.Next(0); !ok || w.Page != p {
			t.Fatalf("page %d is not handed out: %+v", p, w)
		}
		f.Apply(0, &event.Event{Kind: event.Done, Task: event.Task{Page: p}, New: []graph.Site{0}, Links: []graph.Page{p + 1}})
	}
	f.Apply(0, &event.Event{Kind: event.Seed, Admit: []graph.Page{2}})
	var got []int
	for p := range graph.Page(5) {
		got = append(got, f.Depth(p))
	}
	if want := "[0 1 0 1 2]"; fmt.Sprint(got) != want {
		t.Errorf("depths %v, want %s", got, want)
	}
	if err := newDepthFrontier(t, "breadth-first", false).Load(bytes.NewReader(saved(t, f))); err == nil {
		t.Error("depths that are not exact were taken for such")
	}
}
