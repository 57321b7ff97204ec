package lab

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/winnow-crawler/winnow/exchange/suffix"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// A World is a graph made ready for virtual crawls: its links lie unpacked in memory.
// It does not change and may be used by several goroutines.
type World struct {
	Name  string
	Graph *graph.Graph
	Sim   sim.World
	In    *graph.Lists // links backward; nil: not unpacked
	// Part reports which pages can be part of E, if not all can: those that a crawl fetched.
	// The others are known and have no content.
	Part func(graph.Page) bool
	// Readings says what pages have to do with a topic; nil if their text is not known.
	Readings *Readings
}

// NewWorld unpacks a graph with the given number of threads, 0 for one a processor.
// selfLinks lets crawls and truths see the links of pages to themselves. Where sites
// are not known every page is one, and its id is the name: webbase-500 spreads sites
// over its queues by their names.
func NewWorld(name string, g *graph.Graph, selfLinks bool, threads int) *World {
	w := NewForwardWorld(name, g, selfLinks, threads)
	w.UnpackIn(threads)
	return w
}

// NewForwardWorld does what NewWorld does, without the links backward. Crawls do not need
// them.
func NewForwardWorld(name string, g *graph.Graph, selfLinks bool, threads int) *World {
	w := &World{Name: name, Graph: g}
	w.Sim = sim.World{Out: g.Forward().Raw(threads), SelfLinks: selfLinks}
	if g.HasSites() {
		w.Sim.SiteOf, w.Sim.Sites = g.SiteColumn(), g.Sites()
		w.Sim.SiteName = g.SiteName
	} else {
		w.Sim.SiteName = func(s graph.Site) string {
			return strconv.FormatUint(uint64(g.ID(graph.Page(s))), 10)
		}
	}
	if g.HasURLs() {
		w.Sim.URL = g.AppendURL
		w.Sim.Partition = byDomain(g)
	}
	if g.HasSizes() {
		w.Sim.Size = g.Size
	}
	if g.HasUncrawled() {
		w.Part, w.Sim.Content = g.Fetched, g.Fetched
	}
	return w
}

// UnpackIn unpacks the links backward, which truths need: four bytes a link and eight a page.
func (w *World) UnpackIn(threads int) { w.In = w.Graph.Backward().Raw(threads) }

// FreeIn releases the links backward. Truths that are made afterwards make them again of the
// links forward.
func (w *World) FreeIn() {
	if w.In != nil {
		w.In.Free()
		w.In = nil
	}
}

// byDomain returns the partition of a site by its registered domain, as the crawler has it.
func byDomain(g *graph.Graph) func(s graph.Site, of int) int {
	open := sync.OnceValue(func() *suffix.Table {
		table, err := suffix.Open(suffix.Newest)
		if err != nil {
			panic(err) // it is part of the program
		}
		return table
	})
	return func(s graph.Site, of int) int {
		host := g.SiteName(s)
		if _, after, ok := strings.Cut(host, "://"); ok {
			host = after
		}
		if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
			host = host[:colon]
		}
		return open().Partition(host, of)
	}
}

// Pages returns the number of pages.
func (w *World) Pages() int { return w.Sim.Out.Pages() }

// Sites returns the number of sites; as many as pages where they are not known.
func (w *World) Sites() int {
	if w.Sim.SiteOf == nil {
		return w.Pages()
	}
	return w.Sim.Sites
}

// HasSites reports whether the sites are known and there is more than one.
func (w *World) HasSites() bool { return w.Sim.SiteOf != nil && w.Sim.Sites > 1 }

// SiteName returns the name of a site, or its number where names are unknown.
func (w *World) SiteName(s graph.Site) string {
	if w.Sim.SiteName == nil {
		return fmt.Sprintf("site %d", s)
	}
	return w.Sim.SiteName(s)
}

// PageName returns the URL of a page, or the number it has in the graph where URLs are
// unknown.
func (w *World) PageName(p graph.Page) string {
	switch {
	case w.Sim.URL != nil:
		return string(w.Sim.URL(nil, p))
	case w.Graph != nil:
		return fmt.Sprintf("page %d", w.Graph.ID(p))
	}
	return fmt.Sprintf("page %d", p)
}

// Web returns the world for the ranks.
func (w *World) Web() *rank.Web {
	web := &rank.Web{In: w.In, Out: w.Sim.Out, Sites: w.Sim.SiteOf}
	if w.Graph != nil && w.Graph.HasUncrawled() {
		web.Fetched = w.Graph.Fetched
	}
	return web
}

// Reach returns the pages that a crawl can reach from the seeds.
func (w *World) Reach(seeds ...graph.Page) *measure.Tree {
	return measure.ReachWithin(w.Sim.Out, w.Part, seeds)
}

// Content returns the pages that can be part of E, nil if all can.
func (w *World) Content() (pages []graph.Page) {
	if w.Part == nil {
		return nil
	}
	for p := range graph.Page(w.Pages()) {
		if w.Part(p) {
			pages = append(pages, p)
		}
	}
	return pages
}

// Free releases the memory. The graph stays open.
func (w *World) Free() {
	w.Sim.Out.Free()
	w.FreeIn()
}

// A History holds what an earlier crawl knew: values of pages. Some of these
// may have vanished since.
type History struct {
	Prior policy.Prior // on the mean-1 scale
	Old   int          // pages of the world that have a value
	Gone  int          // pages that are not in the world any more
}

// NewHistory returns the values of an earlier crawl, scaled to a mean of 1. values are by page
// of the world, NaN for pages that had none; gone are those of pages that vanished.
func NewHistory(values []float64, gone []float64) (*History, error) {
	h := &History{Gone: len(gone)}
	var all []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	h.Old = len(all)
	all = append(all, gone...)
	total := measure.Sum(all)
	switch {
	case math.IsNaN(total) || math.IsInf(total, 0):
		return nil, errors.New("the values of the earlier crawl are too large: their sum overflows")
	case !(total > 0):
		return nil, fmt.Errorf("the values of the earlier crawl sum to %v, over %s", total, show.Counted(len(all), "page"))
	}
	scale := policy.MeanScale(float64(len(all)), total)
	for i := range all {
		all[i] *= scale
	}
	h.Prior = policy.Prior{
		Value: func(p graph.Page) (float64, bool) { return values[p] * scale, !math.IsNaN(values[p]) },
		All:   all,
	}
	return h, nil
}

// OldValues returns the values that old pages give to the pages that they have become, NaN
// for other pages, and the values of old pages that have vanished. to is as stats.Match
// returns it.
func OldValues(old []float64, to []graph.Page, pages int) (values, gone []float64) {
	values = make([]float64, pages)
	for p := range values {
		values[p] = math.NaN()
	}
	for p, q := range to {
		if q == graph.NoPage {
			gone = append(gone, old[p])
		} else {
			values[q] = old[p]
		}
	}
	return values, gone
}
