package experiment

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/stats"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
)

// builtInWebs is the number of synthetic webs for experiments without a graph.
const builtInWebs = 2

// Sizes of a built-in web. An earlier crawl knew some of its pages, chosen by a hash.
const (
	builtInPages = 20_000
	builtInSites = 200
	builtInLinks = 200_000
	builtInOld   = 55 // percent
)

// writeBuiltIn writes the built-in web with the given seed as a graph.
func writeBuiltIn(ctx context.Context, o graph.WriteOptions, seed uint64) error {
	web, err := fakeweb.New(fakeweb.Spec{Pages: builtInPages, Sites: builtInSites, Links: builtInLinks, Seed: seed})
	if err != nil {
		return err
	}
	return graph.Write(ctx, graph.Source{Pages: builtInPages, Lists: web.Each, URLs: web.EachURL}, o)
}

// EachBuiltIn writes the built-in webs into a directory, makes a place of each by its path and
// name, and gives it its history.
func EachBuiltIn(ctx context.Context, dir string, progress func(stage string, done, total int64) error, o measure.TruthOptions,
	place func(ctx context.Context, path, name string) (*Place, error)) error {
	for i := range uint64(builtInWebs) {
		name := fmt.Sprintf("built-in web %d", i+1)
		path := filepath.Join(dir, fmt.Sprintf("web%d.wg", i+1))
		if err := writeBuiltIn(ctx, graph.WriteOptions{Path: path, Progress: progress}, i+1); err != nil {
			return fmt.Errorf("make %s: %w", name, err)
		}
		p, err := place(ctx, path, name)
		if err != nil {
			return err
		}
		if p.History, err = builtInHistory(p.World, i+1, o); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// builtInHistory returns what an earlier crawl knew of a built-in web: the PageRank of its
// old pages and the links among them.
func builtInHistory(w *lab.World, seed uint64, o measure.TruthOptions) (*lab.History, error) {
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

// OlderHistory returns the PageRank of an older snapshot of a place, read from path, as a crawl
// of it would know it.
func OlderHistory(ctx context.Context, p *Place, old *graph.Graph, path string, o measure.TruthOptions) (*lab.History, error) {
	if old.Pages() == 0 {
		return nil, fmt.Errorf("%s has no pages", path)
	}
	g := p.World.Graph
	to, by, err := stats.Match(ctx, old, g)
	if err != nil {
		return nil, err
	}
	w := lab.NewWorld(path, old, o.SelfLinks, o.Threads)
	defer w.Free()
	truth, err := measure.PageRankTruth(w.Web(), o)
	if err != nil {
		return nil, err
	}
	values, gone := lab.OldValues(truth.Value, to, g.Pages())
	h, err := lab.NewHistory(values, gone)
	if err == nil && h.Old == 0 {
		err = fmt.Errorf("no page of %s is in %s, by %s", path, g.Path(), by)
	}
	return h, err
}
