package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
)

// rankLine is the value of one page in JSON.
type rankLine struct {
	ID    uint32  `json:"id"`
	URL   string  `json:"url,omitempty"` // with --urls
	Value float64 `json:"value"`
}

// write prints the values: all in id order, or the highest. With --json they are
// objects on standard output; a file always gets lines.
func (o *rankOptions) write(ctx context.Context, u *ui, g *graph.Graph, out *result.File, res *rank.Result) error {
	absent := func(p graph.Page) bool { return o.uncrawled == "absent" && !g.Fetched(p) }
	line := o.text(g, out)
	if u.asJSON && out.Standard() {
		line = o.object(g, out)
	}
	if o.top > 0 {
		for _, p := range highest(res.Score, o.top, absent) {
			if err := line(p, res.Score[p]); err != nil {
				return out.Wrap(err)
			}
		}
		return nil
	}
	for p, v := range res.Score {
		if p%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if absent(graph.Page(p)) {
			continue
		}
		if err := line(graph.Page(p), v); err != nil {
			return out.Wrap(err)
		}
	}
	return nil
}

// text writes lines "id TAB value"; the value has as many digits as it takes to read
// it back exactly.
func (o *rankOptions) text(g *graph.Graph, out *result.File) func(graph.Page, float64) error {
	var b []byte
	return func(p graph.Page, v float64) error {
		if b = b[:0]; o.urls {
			b = g.AppendURL(b, p)
		} else {
			b = strconv.AppendUint(b, uint64(g.ID(p)), 10)
		}
		b = append(strconv.AppendFloat(append(b, '\t'), v, 'g', -1, 64), '\n')
		_, err := out.Write(b)
		return err
	}
}

// object writes one object a page.
func (o *rankOptions) object(g *graph.Graph, out *result.File) func(graph.Page, float64) error {
	return func(p graph.Page, v float64) error {
		line := rankLine{ID: g.ID(p), Value: v}
		if o.urls {
			line.URL = g.URL(p)
		}
		return show.JSON(out, line, "")
	}
}

// highest returns the n pages with the highest values, the smallest id first among equals.
func highest(score []float64, n int, absent func(graph.Page) bool) []graph.Page {
	var pages []graph.Page
	for p := range score {
		if !absent(graph.Page(p)) {
			pages = append(pages, graph.Page(p))
		}
	}
	slices.SortFunc(pages, func(p, q graph.Page) int {
		return cmp.Or(cmp.Compare(score[q], score[p]), cmp.Compare(p, q))
	})
	return pages[:min(n, len(pages))]
}

// report describes the quality of a result.
func (o *rankOptions) report(m metric, res *rank.Result, took time.Duration) *rankReport {
	r := &rankReport{Metric: m.name, Pages: res.Pages, Sweeps: res.Sweeps, Seconds: took.Seconds(), Output: o.output}
	if m.takes("follow") {
		r.Follow = o.followed()
	}
	if m.takes("tolerance") {
		r.Tolerance, r.Residual = o.tolerance, &res.Residual
	}
	if m.takes("follow") && !math.IsNaN(res.Bound) {
		r.Bound = &res.Bound
	}
	return r
}

// finish completes the output and prints the report.
func (r *rankReport) finish(u *ui, out *result.File) error {
	if u.asJSON && out.Standard() {
		if err := show.JSON(out, r, ""); err != nil {
			return err
		}
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if u.asJSON && !out.Standard() {
		return u.json(r)
	}
	text := fmt.Sprintf("%s of %s pages in %s", r.Metric, show.Grouped(int64(r.Pages)), show.Duration(time.Duration(r.Seconds*float64(time.Second))))
	if r.Residual != nil {
		text += fmt.Sprintf("; sweeps %d, residual %.2g", r.Sweeps, *r.Residual)
	}
	if r.Bound != nil {
		text += fmt.Sprintf(", error at most %.2g", *r.Bound)
	}
	u.notef("%s", text)
	return nil
}

// readTeleport reads the weights of pages that jumps lead to. A page that is not in
// the graph is an error; weights of pages that share a URL add up.
func readTeleport(g *graph.Graph, name string) ([]float64, error) {
	values := make([]float64, g.Pages())
	seen := make([]bool, g.Pages())
	err := readValues(g, name, values, func(key []byte, p graph.Page, err error) (bool, error) {
		if err == nil && seen[p] && g.Card().RepeatedURLs == 0 {
			err = fmt.Errorf("page %s for the second time", key)
		}
		if err == nil {
			seen[p] = true
		}
		return true, err
	})
	return values, err
}

// readStart reads values to begin with, those of an earlier crawl for instance: pages
// that are no more are skipped, and so are all but the first of a page.
func readStart(u *ui, g *graph.Graph, name string) ([]float64, error) {
	values := make([]float64, g.Pages())
	seen := make([]bool, g.Pages())
	gone := int64(0)
	err := readValues(g, name, values, func(_ []byte, p graph.Page, err error) (bool, error) {
		if err != nil {
			gone++
			return false, nil
		}
		first := !seen[p]
		seen[p] = true
		return first, nil
	})
	if err == nil && gone > 0 {
		u.notef("%s: %s pages are not in %s and were skipped", name, show.Grouped(gone), g.Path())
	}
	return values, err
}

// readValues reads a file of "id TAB value" or "URL TAB value" and adds what take
// wants to the values of pages. They are scaled to a maximum of 1: only their
// proportions count, and sums of huge or tiny ones would not be numbers.
func readValues(g *graph.Graph, name string, values []float64, take func(key []byte, p graph.Page, err error) (bool, error)) error {
	f, err := input.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	err = input.Values(f, func(key []byte, v float64) error {
		p, err := pageOf(g, key)
		use, err := take(key, p, err)
		switch {
		case err != nil || !use:
			return err
		case v < 0:
			return fmt.Errorf("value %g is below 0", v)
		}
		values[p] = min(values[p]+v, math.MaxFloat64)
		return nil
	})
	if err != nil || len(values) == 0 {
		return err
	}
	most := slices.Max(values)
	if most == 0 {
		return fmt.Errorf("%s: no value above 0 for a page of %s", f.Name(), g.Path())
	}
	for p := range values {
		values[p] /= most
	}
	return nil
}
