package main

import (
	"strconv"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab"
)

// newWorld makes a graph ready for crawls. Where sites are not known every page is one,
// and its id is the name: webbase-500 spreads sites over its queues by their names.
func newWorld(name string, g *graph.Graph, selfLinks bool, threads int) *lab.World {
	w := lab.NewWorld(name, g, selfLinks, threads)
	if w.Sim.SiteName == nil {
		w.Sim.SiteName = func(s graph.Site) string {
			return strconv.FormatUint(uint64(g.ID(graph.Page(s))), 10)
		}
	}
	return w
}
