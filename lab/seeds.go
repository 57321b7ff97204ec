package lab

import (
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// DefaultBatch is K where nothing else is said.
const DefaultBatch = 10000

// RandomSeeds draws n different pages, ascending; start is the number of the start
// set. Numbers are hashes, so that set 3 is the same whether 5 or 50 are drawn.
func RandomSeeds(pages, n int, random, start uint64) []graph.Page {
	n = min(n, pages)
	chosen := map[graph.Page]bool{}
	var seeds []graph.Page
	for i := uint64(0); len(seeds) < n; i++ {
		p := graph.Page(policy.Hash(random, start, i) % uint64(pages))
		if !chosen[p] {
			chosen[p] = true
			seeds = append(seeds, p)
		}
	}
	slices.Sort(seeds)
	return seeds
}
