package main

import (
	"context"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/stats"
	"github.com/winnow-crawler/winnow/internal/show"
)

// againstResult compares two snapshots of a web (L10), and their shapes (L11: a
// sample is fit to stand for the whole if the exponents agree).
type againstResult struct {
	Graph string `json:"graph"`
	By    string `json:"by"` // what makes two pages the same: url or id
	stats.Overlap
	Old *statsResult `json:"old"` // without its reach
}

// compare measures the older snapshot and what both have in common.
func (o *statsOptions) compare(ctx context.Context, u *ui, g *graph.Graph, shown *show.Stages) (*againstResult, error) {
	old, err := openGraph(u, o.against)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	r := &againstResult{Graph: o.against, By: "id"}
	if old.HasURLs() && g.HasURLs() {
		r.By = "url"
	}
	to, err := match(ctx, old, g, r.By)
	if err != nil {
		return nil, err
	}
	r.Overlap = stats.Compare(watch(ctx, old.Forward(), shown, "compare links"), to, g.Pages(), g.Forward().Reader())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.Old, err = o.measure(ctx, old, shown)
	return r, err
}

// match says which page of the new snapshot each page of the old one has become. Of
// pages that share a URL the first stands for all, in both.
func match(ctx context.Context, old, g *graph.Graph, by string) ([]graph.Page, error) {
	to := make([]graph.Page, old.Pages())
	var url []byte
	for p := range graph.Page(old.Pages()) {
		if p%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		q, ok := graph.NoPage, false
		if by == "id" {
			q, ok = g.ByID(old.ID(p))
		} else {
			url = old.AppendURL(url[:0], p)
			if first, _ := old.Lookup(string(url)); first == p {
				q, ok = g.Lookup(string(url))
			}
		}
		if !ok {
			q = graph.NoPage
		}
		to[p] = q
	}
	return to, nil
}

// print writes the comparison.
func (r *againstResult) print(u *ui, now *statsResult) error {
	u.printf("\nagainst %s, pages matched by %s\n", r.Graph, r.By)
	t := show.NewList()
	t.AddFields(r.Overlap)
	if err := t.Print(u.stdout); err != nil {
		return err
	}
	u.printf("\n")
	t = show.NewList("", "new", "old")
	t.Add("pages", show.Grouped(int64(now.Pages)), show.Grouped(int64(r.Old.Pages)))
	t.Add("of them kept", percent(r.PagesKept, int64(now.Pages)), percent(r.PagesKept, int64(r.Old.Pages)))
	t.Add("links", show.Grouped(now.Links), show.Grouped(r.Old.Links))
	t.Add("dangling", percent(now.Dangling, int64(now.Pages)), percent(r.Old.Dangling, int64(r.Old.Pages)))
	t.Add("in-degree exponent", now.InDegrees.exponent(), r.Old.InDegrees.exponent())
	t.Add("out-degree exponent", now.OutDegrees.exponent(), r.Old.OutDegrees.exponent())
	if now.PageRank != nil && r.Old.PageRank != nil {
		t.Add("PageRank exponent", now.PageRank.exponent(), r.Old.PageRank.exponent())
	}
	return t.Print(u.stdout)
}
