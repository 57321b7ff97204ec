package advise

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
)

// A Course is what a crawl has done so far. Pages are any ids below Pages.
type Course struct {
	Pages int
	Seeds []graph.Page
	// Listed are pages that are known although no page links to them, from sitemaps.
	Listed []graph.Page
	Order  []graph.Page // fetched pages, each once, in the order of the fetches
	// Out returns the links of a fetched page. What it returns is used before the next call.
	Out func(graph.Page) []graph.Page
	// End is when each fetch ended, without the time between sessions, Bytes what it received.
	// Either may be nil.
	End   []time.Duration
	Bytes []int64
	// Closed reports whether a page that is not fetched never will be, such as one that was
	// refused. If nil, all of them wait.
	Closed func(graph.Page) bool
	// Blind reports whether the links of a fetched page are not known, such as those of a
	// duplicate, which are not followed. If nil, all are known.
	Blind func(graph.Page) bool
	// Site returns the site of a page, and Requests has how many each site got. If nil, nothing
	// is said about sites.
	Site     func(graph.Page) graph.Site
	Requests []int64
	// Hot reports whether a fetched page is about the topic of the crawl. If nil, there is none.
	Hot func(graph.Page) bool
}

// follow is the probability of following a link.
const follow = 0.9

// accuracy is how far, in L1, PageRank may be from the exact one.
const accuracy = 0.01

// A walk follows a course from its beginning and keeps PageRank of what was known current.
// Pages that wait count as pages without links.
type walk struct {
	*Course
	rank  *rank.Growing
	done  int          // fetches so far
	at    []uint32     // by page: its place in Order plus 1; beyond the end for pages that wait
	seen  []bool       // by page: it is known
	known []graph.Page // in the order of their discovery
	links []graph.Page // of the page at hand, each once
	votes []votes      // by page; nil without a topic
}

func newWalk(c *Course) (*walk, error) {
	w := &walk{Course: c, at: make([]uint32, c.Pages), seen: make([]bool, c.Pages)}
	for p := range w.at {
		w.at[p] = uint32(len(c.Order)) + 1
	}
	for i, p := range c.Order {
		w.at[p] = uint32(i) + 1
	}
	if c.Hot != nil {
		w.votes = make([]votes, c.Pages)
	}
	var err error
	if w.rank, err = rank.NewGrowing(follow, c.Pages, w.out); err != nil {
		return nil, err
	}
	for _, p := range slices.Concat(c.Seeds, c.Listed) {
		w.discover(p)
	}
	return w, nil
}

func (w *walk) free() { w.rank.Free() }

func (w *walk) discover(p graph.Page) {
	if !w.seen[p] {
		w.seen[p] = true
		w.known = append(w.known, p)
		w.rank.Known(p)
	}
}

// out returns the links of a page, ascending, each once, without those to itself.
func (w *walk) out(p graph.Page) []graph.Page {
	w.links = append(w.links[:0], w.Out(p)...)
	slices.Sort(w.links)
	w.links = slices.Compact(w.links)
	if i, ok := slices.BinarySearch(w.links, p); ok {
		w.links = slices.Delete(w.links, i, i+1)
	}
	return w.links
}

// advance continues to a number of fetches.
func (w *walk) advance(to int) {
	for ; w.done < to; w.done++ {
		p := w.Order[w.done]
		w.discover(p)
		links := w.out(p)
		for _, q := range links {
			w.discover(q)
		}
		w.vote(p, links)
		w.rank.Fetched(p, links)
	}
	for w.rank.Work(accuracy, 1<<30) {
	}
}

// waits reports whether a known page was neither fetched nor closed so far. Which pages will
// be closed is known from the beginning: it is decided by their URLs in most cases.
func (w *walk) waits(p graph.Page) bool {
	if int(w.at[p]) <= w.done {
		return false
	}
	return int(w.at[p]) <= len(w.Order) || w.Closed == nil || !w.Closed(p)
}

// mass returns the importance of the fetches from i to j.
func (w *walk) mass(i, j int) (sum float64) {
	for _, p := range w.Order[i:j] {
		sum += w.rank.Score(p)
	}
	return sum
}
