package policytest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/topic"
)

// A World is a small web with everything that policies use. Pages and sites have numbers of
// their own here, which the frontier never sees.
type World struct {
	Random uint64
	Out    [][]int   // links of each page, in the order of the page
	Site   []int     // by page
	URL    []string  // by page; nil if URLs are not known
	Seeds  []int     //
	Prior  []float64 // by page: value in an earlier crawl, negative for pages it did not have
	Truth  []float64 // by page: importance
	Place  []int     // by page: place in some order that the oracle knows
	Score  *score.Function

	Topic   *topic.Topic     // nil if the crawl has none
	Read    []event.Reading  // by page: what it has to do with the topic
	Anchors [][]event.Anchor // by page: of its links
}

// NewWorld returns a web with a number of pages that depends on the seed alone. Sites
// differ in size; two links of three stay in a part of the web that is near, so that there
// are clusters; one page in eight has no links.
func NewWorld(random uint64, pages int) *World {
	w := &World{Random: random}
	draw := func(below int, n ...uint64) int { return int(policy.Hash(random, n...) % uint64(below)) }
	sites := max(1, pages/8)
	for p := range pages {
		i := uint64(p)
		w.Site = append(w.Site, min(draw(sites, 1, i), draw(sites, 2, i)))
		w.URL = append(w.URL, w.url(p, draw(7, 3, i)))
		var out []int
		for l := range uint64(draw(8, 4, i)) {
			to := draw(pages, 5, i, l)
			if draw(3, 6, i, l) > 0 {
				to = (p + draw(12, 7, i, l)) % pages
			}
			out = append(out, to)
		}
		slices.Sort(out)
		out = slices.DeleteFunc(slices.Compact(out), func(to int) bool { return to == p })
		w.Out = append(w.Out, out)
		w.Prior = append(w.Prior, float64(draw(400, 8, i)-100)/100)
	}
	for s := 0; len(w.Seeds) < min(3, pages); s++ {
		if p := draw(pages, 9, uint64(s)); !slices.Contains(w.Seeds, p) {
			w.Seeds = append(w.Seeds, p)
		}
	}
	w.Truth = pageRank(w.Out, nil)
	w.Place = w.shuffled()
	w.Score = everyTerm()
	w.write(TextSpec{Share: 0.2, Named: 0.3, Heard: 0.3})
	return w
}

func (w *World) url(p, shape int) string {
	rest := [...]string{"/", "/a/@", "/a/b/@?q=/x/@", "/home/@.html", "/@#/c/d?e", "", "/c/" + subjectWord(0, p%2) + "s@"}[shape]
	return w.SiteName(w.Site[p]) + strings.ReplaceAll(rest, "@", strconv.Itoa(p))
}

// SiteName returns the name of a site of the world.
func (w *World) SiteName(s int) string { return fmt.Sprintf("http://site%d.example", s) }

// shuffled returns a permutation of the pages.
func (w *World) shuffled() []int {
	order := make([]int, len(w.Out))
	for p := range order {
		order[p] = p
	}
	slices.SortFunc(order, func(a, b int) int {
		if policy.Hash(w.Random, 10, uint64(a)) < policy.Hash(w.Random, 10, uint64(b)) {
			return -1
		}
		return 1
	})
	return order
}

// prior returns what an earlier crawl knew, for pages numbered as in a crawl.
func (w *World) prior(pages *[]int) *policy.Prior {
	var all []float64
	for _, v := range w.Prior {
		if v >= 0 {
			all = append(all, v)
		}
	}
	return &policy.Prior{All: all, Value: func(p graph.Page) (float64, bool) {
		v := w.Prior[(*pages)[p]]
		return v, v >= 0
	}}
}

// oracle answers for pages numbered as in a crawl.
type oracle struct {
	w     *World
	pages *[]int
}

func (o oracle) Importance(p graph.Page) float64 { return o.w.Truth[(*o.pages)[p]] }
func (o oracle) Place(p graph.Page) int          { return o.w.Place[(*o.pages)[p]] }

// pageRank returns the PageRank of the pages that are known (all when known is nil), on the
// scale of mean 1, with follow 0.9: the definition, iterated until it stands still.
// Links of pages that are not known do not count, links to them must not occur.
func pageRank(out [][]int, known []int) []float64 {
	if known == nil {
		for p := range out {
			known = append(known, p)
		}
	}
	rank, next := make([]float64, len(out)), make([]float64, len(out))
	for _, p := range known {
		rank[p] = 1
	}
	for range 250 { // 0.9^250 is 4e-12
		dangling := 0.0
		clear(next)
		for _, p := range known {
			for _, to := range out[p] {
				next[to] += 0.9 * rank[p] / float64(len(out[p]))
			}
			if len(out[p]) == 0 {
				dangling += 0.9 * rank[p]
			}
		}
		for _, p := range known {
			rank[p] = 0.1 + dangling/float64(len(known)) + next[p]
		}
	}
	return rank
}
