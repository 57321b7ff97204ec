package main

import (
	"context"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/stats"
	"github.com/winnow-crawler/winnow/internal/show"
)

// An againstResult compares two snapshots of a web, and their shapes: a sample represents
// the whole if the exponents agree.
type againstResult struct {
	Graph string `json:"graph"`
	By    string `json:"by"` // what makes two pages the same: url or id
	stats.Overlap
	Old *stats.Report `json:"old"`
}

// compare measures the older snapshot and what both have in common.
func (o *statsOptions) compare(ctx context.Context, u *ui, g *graph.Graph, shown *show.Stages) (*againstResult, error) {
	old, err := openGraph(u, o.against)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	to, by, err := stats.Match(ctx, old, g)
	if err != nil {
		return nil, err
	}
	links := graph.Watch(old.Forward(), shown.Of("compare links"))
	r := &againstResult{Graph: o.against, By: by, Overlap: stats.Compare(links, to, g.Pages(), g.Forward().Reader())}
	if err := links.Err(); err != nil {
		return nil, err
	}
	r.Old, err = stats.Measure(old, !o.noRank, shown)
	return r, err
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
	t.Add("in-degree exponent", now.InDegrees.Exponent(), r.Old.InDegrees.Exponent())
	t.Add("out-degree exponent", now.OutDegrees.Exponent(), r.Old.OutDegrees.Exponent())
	if now.PageRank != nil && r.Old.PageRank != nil {
		t.Add("PageRank exponent", now.PageRank.Exponent(), r.Old.PageRank.Exponent())
	}
	return t.Print(u.stdout)
}
