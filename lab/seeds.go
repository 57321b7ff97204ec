package lab

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// RandomSeeds draws n different pages, ascending; start is the number of the start
// set. Numbers are hashes, so that set 3 is the same whether 5 or 50 are drawn.
func RandomSeeds(pages, n int, random, start uint64) []graph.Page {
	return drawSeeds(pages, min(n, pages), random, start, func(graph.Page) bool { return true })
}

// FetchedSeeds does what RandomSeeds does, among the pages of a graph that were fetched.
func FetchedSeeds(g *graph.Graph, n int, random, start uint64) []graph.Page {
	return drawSeeds(g.Pages(), min(n, g.FetchedPages()), random, start, g.Fetched)
}

// drawSeeds draws n of the pages that may be drawn; there are as many.
func drawSeeds(pages, n int, random, start uint64, may func(graph.Page) bool) []graph.Page {
	chosen := map[graph.Page]bool{}
	var seeds []graph.Page
	for i := uint64(0); len(seeds) < n; i++ {
		p := graph.Page(policy.Hash(random, start, i) % uint64(pages))
		if !chosen[p] && may(p) {
			chosen[p] = true
			seeds = append(seeds, p)
		}
	}
	slices.Sort(seeds)
	return seeds
}

// Homes returns for each site the fetched page with the shortest URL in bytes, the smallest
// id among equals, in ascending order.
func Homes(ctx context.Context, g *graph.Graph) ([]graph.Page, error) {
	home := make([]graph.Page, g.Sites())
	for s := range home {
		home[s] = graph.NoPage
	}
	length := make([]int, g.Sites())
	for s := range length {
		length[s] = -1
	}
	err := g.EachURL(func(p graph.Page, url []byte) error {
		if s := g.Site(p); g.Fetched(p) && (length[s] < 0 || len(url) < length[s]) {
			home[s], length[s] = p, len(url)
		}
		if p%4096 == 0 {
			return ctx.Err()
		}
		return nil
	})
	slices.Sort(home)
	none, _ := slices.BinarySearch(home, graph.NoPage) // of sites without a fetched page
	return home[:none], err
}

// mostSources is the number of pages whose reach is followed at once: a word has as many
// bits.
const mostSources = 64

// Best returns the page that reaches most pages among the 64 with most out-links; the
// smallest id among equals, both times. Self-links lead nowhere and do not count. A graph
// without pages has none.
func Best(ctx context.Context, g *graph.Graph) ([]graph.Page, error) {
	if g.Pages() == 0 {
		return nil, nil
	}
	sources, err := mostLinks(ctx, g)
	if err != nil {
		return nil, err
	}
	slices.Sort(sources)
	best, err := Widest(ctx, g.Forward().Reader(), g.Pages(), sources)
	return []graph.Page{best}, err
}

// mostLinks returns the 64 pages with most out-links.
func mostLinks(ctx context.Context, g *graph.Graph) ([]graph.Page, error) {
	type candidate struct {
		page  graph.Page
		links int
	}
	var top []candidate
	order := func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.links, a.links), cmp.Compare(a.page, b.page))
	}
	for c := g.Forward().Scan(0, graph.Page(g.Pages())); c.Next(); {
		if c.Page()%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		links := len(c.List())
		if len(top) == mostSources && links <= top[mostSources-1].links {
			continue
		}
		if _, self := slices.BinarySearch(c.List(), c.Page()); self {
			links--
		}
		new := candidate{c.Page(), links}
		at, _ := slices.BinarySearchFunc(top, new, order)
		top = slices.Insert(top, at, new)
		top = top[:min(len(top), mostSources)]
	}
	pages := make([]graph.Page, len(top))
	for i, c := range top {
		pages[i] = c.page
	}
	return pages, nil
}

// Widest returns the page that reaches most of a web, the first among equals, of one to
// 64 sources.
//
// All are followed at once: a page keeps one bit for each source that reaches it and is
// visited again when bits arrive that it has not handed on yet. Most come together, so
// that this takes a few times as long as one source.
func Widest(ctx context.Context, out graph.Reader, pages int, sources []graph.Page) (graph.Page, error) {
	seen := make([]uint64, pages)   // sources known to reach the page
	unsent := make([]uint64, pages) // those it has yet to hand on
	var queue, next []graph.Page
	for i, p := range sources {
		seen[p] |= 1 << i
		unsent[p] |= 1 << i
		queue = append(queue, p)
	}
	for visits := 0; len(queue) > 0; queue, next = next, queue[:0] {
		for _, p := range queue {
			if visits++; visits%4096 == 0 && ctx.Err() != nil {
				return 0, ctx.Err()
			}
			bits := unsent[p]
			unsent[p] = 0
			for _, q := range out.List(p) {
				fresh := bits &^ seen[q]
				if fresh == 0 {
					continue
				}
				if unsent[q] == 0 {
					next = append(next, q)
				}
				seen[q] |= fresh
				unsent[q] |= fresh
			}
		}
	}
	var reached [mostSources]int
	for _, mask := range seen {
		for ; mask != 0; mask &= mask - 1 {
			reached[bits.TrailingZeros64(mask)]++
		}
	}
	return sources[slices.Index(reached[:], slices.Max(reached[:]))], nil
}
