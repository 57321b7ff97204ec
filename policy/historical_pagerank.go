package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Historical PageRank: thesis 4.3.2.
//
//	value(p) = PageRank of p in an earlier crawl, if it was there; otherwise, by new=
//	  zero        0: old pages before new ones
//	  parent      value(q)/out(q) of the page q that linked to p first
//	  random      a value drawn uniformly from the earlier crawl
//	  omniscient  its true PageRank (needs the oracle)
//
// All values are scaled to a mean of 1. With known=true the seeds include the old pages;
// with known=false they are discovered. It knows the earlier crawl and the links of fetched
// pages. Cost per link: with parent one comparison, otherwise none.
//
// Where it fails: new pages may be important; with zero they come last.

func historicalPagerankSpec() *Spec {
	return &Spec{
		Name:   "historical-pagerank",
		Source: "Castillo 2004",
		What:   "highest PageRank in an earlier crawl first",
		Params: []Param{
			{Name: "new", Values: []string{"zero", "parent", "random", "omniscient"}, Default: "zero", What: "what a page is worth that the earlier crawl did not have"},
			{Name: "known", Values: []string{"true", "false"}, Default: "true", What: "whether the pages of the earlier crawl are known from the start"},
		},
		Prior: true,
		New: func(e *Env, params Params) (Policy, error) {
			return newHistorical(e, params, nil), nil
		},
		NewOmniscient: func(e *Env, params Params, o Oracle) (Policy, error) {
			return newHistorical(e, params, o.Importance), nil
		},
		Oracle: func(params Params) bool { return params["new"] == "omniscient" },
	}
}

type historical struct {
	board  *Board
	prior  *Prior
	fresh  func(graph.Page) float64 // value of a new page when it becomes known
	parent bool                     // a new page gets its value from the page that found it
}

func newHistorical(e *Env, params Params, truth func(graph.Page) float64) *historical {
	h := &historical{board: e.Boards[0], prior: e.Prior, fresh: truth}
	switch params["new"] {
	case "parent":
		h.parent = true
		h.fresh = func(graph.Page) float64 { return 0 }
	case "random":
		h.fresh = func(p graph.Page) float64 { return draw(e.Prior.All, order.Hash(e.Random, uint64(p))) }
	case "zero":
		h.fresh = func(graph.Page) float64 { return 0 }
	}
	return h
}

// draw returns the value that a random number chooses, or 0 if there are none.
func draw(all []float64, n uint64) float64 {
	if len(all) == 0 {
		return 0
	}
	return all[n%uint64(len(all))]
}

func (h *historical) Known(p, _ graph.Page) {
	v, old := h.prior.Value(p)
	if !old {
		v = h.fresh(p)
	}
	h.board.Set(p, v)
}

// Done sets the values of the pages that p made known.
func (h *historical) Done(_ time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	if !h.parent || !order.Brought(o) {
		return
	}
	part := h.board.Value(p) / float64(len(links))
	for _, q := range links {
		if q < o.First {
			continue
		}
		if _, old := h.prior.Value(q); !old {
			h.board.Set(q, part)
		}
	}
}

func (h *historical) Columns(func(graph.AnyColumn)) {}
