package policytest

import (
	"slices"
)

// A view holds what the crawler of the pure ordering experiment has seen (r = 1, no time,
// every fetch succeeds): pages of the world in the order of discovery and of fetching.
type view struct {
	w       *World
	known   []int
	fetched []int
}

// newView returns a view that has seen the seeds.
func newView(w *World) *view { return &view{w: w, known: slices.Clone(w.Seeds)} }

// fetch adds a page and what it links to.
func (v *view) fetch(p int) {
	v.fetched = append(v.fetched, p)
	for _, to := range v.w.Out[p] {
		if !slices.Contains(v.known, to) {
			v.known = append(v.known, to)
		}
	}
}

// open returns the pages that may be fetched, in the order of discovery.
func (v *view) open() []int {
	return slices.DeleteFunc(slices.Clone(v.known), func(p int) bool { return slices.Contains(v.fetched, p) })
}

// siteOrder returns the place of a site among the known ones.
func (v *view) siteOrder(site int) int {
	return slices.IndexFunc(v.known, func(p int) bool { return v.w.Site[p] == site })
}

// seen returns the links that are known: those of fetched pages.
func (v *view) seen() [][]int {
	out := make([][]int, len(v.w.Out))
	for _, p := range v.fetched {
		out[p] = v.w.Out[p]
	}
	return out
}

// A key orders pages: the higher goes first, number by number.
type key []float64

// A reference returns the key of every open page, from what was seen alone. Pages of equal
// keys go in the order of discovery.
type reference func(v *view) func(p int) key

// best returns the page that goes first.
func best(v *view, of func(p int) key) int {
	open := v.open()
	return slices.MinFunc(open, func(a, b int) int {
		if c := slices.Compare(of(b), of(a)); c != 0 {
			return c
		}
		return slices.Index(open, a) - slices.Index(open, b)
	})
}

// simple returns a reference whose keys are one number each.
func simple(f func(v *view, p int) float64) func() reference {
	return func() reference {
		return func(v *view) func(int) key {
			return func(p int) key { return key{f(v, p)} }
		}
	}
}

// discovery is the order of discovery: all pages are equal.
func discovery(*view, int) float64 { return 0 }

// references returns the references by policy. Each crawl gets new ones, because some have
// state.
// random has none: it is compared in distribution.
func references() map[string]func() reference {
	return map[string]func() reference{
		"breadth-first":      simple(discovery),
		"backlink-count":     simple(backlinks),
		"opic":               simple(opicCash(false, -1)),
		"opic/cash=all":      simple(opicCash(true, -1)),
		"opic/remote=0.8":    simple(opicCash(false, 0.8)),
		"xim":                func() reference { return xim },
		"larger-sites-first": func() reference { return largerSites },
		"omniscient":         simple(func(v *view, p int) float64 { return v.w.Truth[p] }),
		"horn":               simple(func(v *view, p int) float64 { return -float64(v.w.Place[p]) }),
		"location":           simple(location),

		"historical-pagerank":                simple(historical(func(*view, int) float64 { return 0 })),
		"historical-pagerank/new=parent":     simple(historical(parentShare)),
		"historical-pagerank/new=random":     simple(historical(drawn)),
		"historical-pagerank/new=omniscient": simple(historical(func(v *view, p int) float64 { return v.w.Truth[p] })),

		"site-at-a-time/hosts=3":             siteAtATime(3, false),
		"site-at-a-time":                     siteAtATime(64, false),
		"site-at-a-time/hosts=3/next=random": siteAtATime(3, true),
		"webbase-500":                        func() reference { return webbase(500) },
		"webbase-500/queues=4":               func() reference { return webbase(4) },

		"pagerank":                      func() reference { return batch(1, false) },
		"batch-pagerank":                func() reference { return batch(20, false) },
		"batch-pagerank/k=7":            func() reference { return batch(7, false) },
		"batch-pagerank/k=30/ramp=true": func() reference { return batch(30, true) },
		"partial-pagerank/k=15":         func() reference { return partial(15) },

		"two-queue":                  twoQueue(3, simple(discovery)),
		"two-queue/near=0":           twoQueue(0, simple(discovery)),
		"two-queue/near=2":           twoQueue(2, simple(discovery)),
		"two-queue/by=backlinks":     twoQueue(3, simple(backlinks)),
		"two-queue/by=pagerank/k=30": twoQueue(3, func() reference { return batch(30, true) }),
		"best-first":                 bestFirst(false),
		"best-first/by=parent":       bestFirst(true),
		"shark-search":               func() reference { return sharkSearch },
		"mix:best-first+two-queue":   mix("best-first", "two-queue"),

		"mix": mix("opic", "xim"),
		"mix:backlink-count*0.5+batch-pagerank/k=7+larger-sites-first*2": mix("larger-sites-first", "batch-pagerank/k=7",
			"larger-sites-first", "backlink-count", "larger-sites-first", "batch-pagerank/k=7", "larger-sites-first"),
	}
}
