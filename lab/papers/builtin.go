package papers

import (
	"context"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
)

// BuiltInWebs is the number of synthetic webs for experiments without a graph.
const BuiltInWebs = 2

// Sizes of a built-in web. An earlier crawl knew some of its pages, chosen by a hash.
const (
	builtInPages = 20_000
	builtInSites = 200
	builtInLinks = 200_000
	builtInOld   = 55 // percent
)

// WriteBuiltIn writes the built-in web with the given seed as a graph.
func WriteBuiltIn(ctx context.Context, o graph.WriteOptions, seed uint64) error {
	web, err := fakeweb.New(fakeweb.Spec{Pages: builtInPages, Sites: builtInSites, Links: builtInLinks, Seed: seed})
	if err != nil {
		return err
	}
	return graph.Write(ctx, graph.Source{Pages: builtInPages, Lists: web.Each, URLs: web.EachURL}, o)
}

// BuiltInHistory returns what an earlier crawl knew of a built-in web: the PageRank of its
// old pages and the links among them.
func BuiltInHistory(w *lab.World, seed uint64, o measure.TruthOptions) (*lab.History, error) {
	for p := range graph.Page(w.Pages()) {
		if policy.Hash(seed, uint64(p))%100 < builtInOld {
			o.Within = append(o.Within, p)
		}
	}
	truth, err := measure.PageRankTruth(w.Web(), o)
	if err != nil {
		return nil, err
	}
	to := make([]graph.Page, w.Pages())
	for p := range to {
		to[p] = graph.NoPage
	}
	for _, p := range o.Within {
		to[p] = p
	}
	values, _ := lab.OldValues(truth.Value, to, w.Pages())
	return lab.NewHistory(values, nil)
}
