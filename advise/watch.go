package advise

import (
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/score"
)

// A Watch decides when a running crawl stops. Counts are compared as they are. Importance,
// certain share and gain are computed at checkpoints, from the first hundred pages on whenever
// a twentieth more is fetched, in slices between the fetches: they are those of the last
// checkpoint. What it says is a function of the pages that it was told of, in their order.
//
// If the condition uses one of these three, it takes 4 bytes for each link and 50 for each
// known page; otherwise nothing.
type Watch struct {
	cond    *score.Condition
	numbers [stopTerms]float64
	rank    *rank.Growing // nil: no link counts
	seeds   []graph.Page
	isSeed  map[graph.Page]bool
	order   []graph.Page
	to      []graph.Page // links, page by page
	from    []uint64     // by fetch: where its links begin
	place   []uint32     // by page: its place in order plus 1; 0: it is not fetched
	unclear []uint64     // bits by fetch: its links are not known
	known   int          // pages from 0 to it are known
	push    push
	stage   int // of the checkpoint under way: see work
	taken   int // fetches at which it began
	next    int // fetches at which the next one begins
}

// Stages of a checkpoint.
const (
	idle    = iota
	ranking // PageRank comes up to date
	pushing // one of stage-pushing sweeps less than certainSweeps is under way
)

const (
	certainSweeps = 8       // of a checkpoint: they go on from those of the one before
	sliceLinks    = 200_000 // followed for each fetch
)

// NewWatch returns a Watch for a crawl of at most max pages.
func NewWatch(c *score.Condition, max int) (*Watch, error) {
	w := &Watch{cond: c, next: MinPages, isSeed: map[graph.Page]bool{}}
	for i := range w.numbers {
		w.numbers[i] = math.NaN()
	}
	if !w.NeedsLinks() {
		return w, nil
	}
	var err error
	w.rank, err = rank.NewGrowing(follow, max, w.out)
	return w, err
}

// NeedsLinks reports whether the condition is about links, so that the watch must be told of
// every page from the first on.
func (w *Watch) NeedsLinks() bool {
	return w.cond.Uses(stopImportance) || w.cond.Uses(stopCertain) || w.cond.Uses(stopGain)
}

// IsCount reports whether a condition is about counts of pages alone, which can be added up over
// parts of a crawl.
func IsCount(c *score.Condition) bool { return !(&Watch{cond: c}).NeedsLinks() }

// Free releases the memory.
func (w *Watch) Free() {
	if w != nil && w.rank != nil {
		w.rank.Free()
	}
}

// OffHeap returns the memory of the watch that is not on the Go heap, in bytes.
func (w *Watch) OffHeap() (n int64) {
	if w != nil && w.rank != nil {
		w.rank.Memory(func(_ string, bytes int64) { n += bytes })
	}
	return n
}

// Seed tells of a seed.
func (w *Watch) Seed(p graph.Page) {
	if w.rank != nil && !w.isSeed[p] {
		w.isSeed[p] = true
		w.rank.Known(p)
		w.know(p)
		w.seeds = append(w.seeds, p)
	}
}

// Fetched tells of a page that was fetched, with its links. Later calls for the page change
// nothing. blind reports that its links are not known.
func (w *Watch) Fetched(p graph.Page, links []graph.Page, blind bool) {
	if w.rank == nil || int(p) < len(w.place) && w.place[p] != 0 {
		return
	}
	at := len(w.to)
	w.to = append(w.to, links...)
	own := w.to[at:]
	slices.Sort(own)
	own = slices.DeleteFunc(slices.Compact(own), func(q graph.Page) bool { return q == p })
	w.to = w.to[:at+len(own)]
	w.order, w.from = append(w.order, p), append(w.from, uint64(at))
	w.know(p)
	if n := len(own); n > 0 {
		w.know(own[n-1])
	}
	w.place[p] = uint32(len(w.order))
	if i := len(w.order) - 1; blind {
		w.unclear = append(w.unclear, make([]uint64, max(0, i/64+1-len(w.unclear)))...)
		w.unclear[i/64] |= 1 << (i % 64)
	}
	w.rank.Fetched(p, own)
	w.work(sliceLinks)
}

func (w *Watch) know(p graph.Page) {
	w.known = max(w.known, int(p)+1)
	if n := w.known - len(w.place); n > 0 {
		w.place = append(w.place, make([]uint32, n)...)
	}
}

// fetch, out and blind make a Watch a forward.
func (w *Watch) fetch(i int) graph.Page { return w.order[i] }

func (w *Watch) out(p graph.Page) []graph.Page {
	i := w.place[p]
	if int(i) == len(w.order) {
		return w.to[w.from[i-1]:]
	}
	return w.to[w.from[i-1]:w.from[i]]
}

func (w *Watch) blind(p graph.Page) bool {
	i := int(w.place[p]) - 1
	return i/64 < len(w.unclear) && w.unclear[i/64]>>(i%64)&1 != 0
}

// work does a slice of a checkpoint, or begins one.
func (w *Watch) work(links int) {
	if w.stage == idle {
		if len(w.order) < w.next {
			return
		}
		w.stage, w.taken, w.next = ranking, len(w.order), len(w.order)+len(w.order)/20
	}
	if w.stage == ranking {
		if w.rank.Work(accuracy, links) {
			return
		}
		w.gather()
		w.stage = pushing
		w.push.begin(w.known, w.taken, w.seeds)
	}
	for more := false; links > 0; {
		if !w.cond.Uses(stopCertain) {
			w.stage = idle
			return
		}
		if links, more = w.push.work(w, links); more {
			return
		}
		if w.stage++; w.stage == pushing+certainSweeps {
			w.stage, w.numbers[stopCertain] = idle, w.push.share()
			return
		}
		w.push.begin(w.known, w.taken, w.seeds)
	}
}

// gather sums up the importance of the pages.
func (w *Watch) gather() {
	fetched, last, all := 0.0, 0.0, 0.0
	for i, p := range w.order {
		v := w.rank.Score(p)
		fetched += v
		if i >= len(w.order)-len(w.order)/11 {
			last += v
		}
	}
	for p := range graph.Page(w.known) {
		all += w.rank.Score(p)
	}
	w.numbers[stopImportance], w.numbers[stopGain] = fetched/all, last/(fetched-last)
}

// Holds reports whether the crawl is to stop.
func (w *Watch) Holds(c *Counts) bool {
	w.numbers[stopPages], w.numbers[stopKnown] = float64(c.Pages), float64(c.Known)
	w.numbers[stopHours], w.numbers[stopBytes], w.numbers[stopSinceHot] = c.Hours, float64(c.Bytes), c.SinceHot
	return w.cond.Holds(w.numbers[:])
}

// Number returns the last number of a term, and whether it is known.
func (w *Watch) Number(name string) (v float64, ok bool) {
	for i, t := range StopTerms() {
		if t.Name == name {
			return w.numbers[i], !math.IsNaN(w.numbers[i])
		}
	}
	return 0, false
}
