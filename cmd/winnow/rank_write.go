package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/pagelist"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/console"
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
func (o *rankOptions) write(ctx context.Context, u *console.UI, g *graph.Graph, out *result.File, res *rank.Result) error {
	absent := func(p graph.Page) bool { return o.uncrawled == "absent" && !g.Fetched(p) }
	line := o.text(g, out)
	if u.AsJSON && out.Standard() {
		line = o.object(g, out)
	}
	if o.top > 0 {
		for _, p := range pagelist.Highest(res.Score, o.top, absent) {
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

// report describes the quality of a result.
func (o *rankOptions) report(m *rank.Metric, res *rank.Result, took time.Duration) *rankReport {
	r := &rankReport{Metric: m.Name, Pages: res.Pages, Sweeps: res.Sweeps, Seconds: took.Seconds(), Output: o.output}
	if takes(m, "follow") {
		r.Follow = o.followed()
	}
	if takes(m, "tolerance") {
		r.Tolerance, r.Residual = o.tolerance, &res.Residual
	}
	if takes(m, "follow") && !math.IsNaN(res.Bound) {
		r.Bound = &res.Bound
	}
	return r
}

// finish completes the output and prints the report.
func (r *rankReport) finish(u *console.UI, out *result.File) error {
	if u.AsJSON && out.Standard() {
		if err := show.JSON(out, r, ""); err != nil {
			return err
		}
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if u.AsJSON && !out.Standard() {
		return u.JSON(r)
	}
	text := fmt.Sprintf("%s of %s pages in %s", r.Metric, show.Grouped(int64(r.Pages)), show.Duration(time.Duration(r.Seconds*float64(time.Second))))
	if r.Residual != nil {
		text += fmt.Sprintf("; sweeps %d, residual %.2g", r.Sweeps, *r.Residual)
	}
	if r.Bound != nil {
		text += fmt.Sprintf(", error at most %.2g", *r.Bound)
	}
	u.Notef("%s", text)
	if r.Knowledge != nil {
		u.Notef("%s", r.Knowledge)
	}
	return nil
}
