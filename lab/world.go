package lab

import (
	"fmt"
	"strconv"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/sim"
)

// A World is a graph made ready for virtual crawls: its links lie unpacked in memory.
// It does not change and may be used by several goroutines.
type World struct {
	Name  string
	Graph *graph.Graph
	Sim   sim.World
	In    *graph.Lists // links backward
}

// NewWorld unpacks a graph with the given number of threads, 0 for one a processor.
// selfLinks lets crawls and truths see the links of pages to themselves. Where sites
// are not known every page is one, and its id is the name: webbase-500 spreads sites
// over its queues by their names.
func NewWorld(name string, g *graph.Graph, selfLinks bool, threads int) *World {
	w := &World{Name: name, Graph: g, In: g.Backward().Raw(threads)}
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
	}
	return w
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

// Free gives the memory back. The graph stays open.
func (w *World) Free() {
	w.Sim.Out.Free()
	w.In.Free()
}
