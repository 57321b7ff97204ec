package papers

import (
	"fmt"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

const castillo04Paper = "C. Castillo, Effective Web Crawling, PhD thesis, University of Chile, 2004, chapter 4"

// castillo04 is the experiments of that thesis.
func castillo04() []Experiment {
	entry := func(name, section, what string, run func(*Bench) (*show.Report, error)) Experiment {
		return Experiment{
			Name: "castillo04-" + name, Paper: castillo04Paper + ", " + section, What: what,
			Run: func(b *Bench) (*show.Report, error) {
				r, err := run(b)
				if err != nil {
					return nil, fmt.Errorf("castillo04-%s: %w", name, err)
				}
				r.Title = "castillo04-" + name
				return r, nil
			},
		}
	}
	return []Experiment{
		entry("fig4.2", "4.2.1", "how long downloads take in the model of time", castilloTimes),
		entry("fig4.3", "4.3.4", "distribution of PageRank: the most that any order can gather", castilloDistribution),
		entry("fig4.4", "4.3.4 (figures 4.4 and 4.5)", "cumulative PageRank of the strategies without history", castilloOrders),
		entry("fig4.6", "4.3.4", "cumulative PageRank of the historical strategies", castilloHistory),
		entry("table1", "4.3.4, table 4.1", "average cumulative PageRank and tau of eleven strategies", castilloTable1),
		entry("fig4.7", "4.3.5", "ordering with 1, 64 and 256 fetchers", castilloFetchers),
		entry("table2", "4.3.5, table 4.2 and figure 4.8", "speed-up by fetchers and bandwidth", castilloSpeedUp),
		entry("fig4.9", "4.4", "pages per site in a batch from the middle of a crawl", castilloBatchSites),
		entry("fig4.10", "4.4", "active fetchers during one batch, one page per connection", castilloActive),
		entry("fig4.11", "4.4", "active fetchers during one batch, 100 pages per connection", castilloKeepAlive),
		entry("batch-ends", "4.4, last paragraph", "batches that stop early, and batches chosen ahead", castilloBatchEnds),
		entry("equivalence", "4.4", "c pages per connection against a delay of w/c", castilloEquivalence),
		entry("partial-rank", "4.3.1, after Boldi et al. 2004", "PageRank of the part crawled so far against the true one", castilloPartialRank),
	}
}

// The parameters of the thesis' simulations.
const (
	thesisTimes   = "thesis2004"     // the model of time
	thesisDelay   = 15 * time.Second // w
	thesisBatches = 30               // 30 to 40 solves in a crawl with K = 100,000 (4.3.1)
)

// thesisBatch is K for a crawl of T pages: as large a part of it as in the thesis. What
// K does depends on how often it solves, not on the pages in between.
func thesisBatch(reachable int) int { return max(1, (reachable+thesisBatches-1)/thesisBatches) }

// polite makes a setting that of the thesis: its model of time, w = 15 s, c = 1.
func polite(s lab.Setting, fetchers int) (lab.Setting, error) {
	times, err := sim.Preset(thesisTimes, s.Random)
	s.Times, s.Fetchers = times, fetchers
	s.Frontier.Delay, s.Frontier.PerConnection = thesisDelay, 1
	return s, err
}

// placesWithSites is the places where politeness and sites mean something: sites are
// known and there are at least so many. The others are told about in sentences.
func placesWithSites(b *Bench, least int) (kept []*Place, skipped []string, err error) {
	for _, p := range b.Places {
		switch {
		case p.World.Sim.SiteOf == nil:
			skipped = append(skipped, fmt.Sprintf("%s is left out: its sites are not known, so nothing can be said per site.", p.World.Name))
		case p.World.Sites() < least:
			skipped = append(skipped, fmt.Sprintf("%s is left out: it has %d site, and this is about several.", p.World.Name, p.World.Sites()))
		default:
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return nil, nil, fmt.Errorf("no graph is left: %s", strings.Join(skipped, " "))
	}
	return kept, skipped, nil
}

// castilloHeader is what every report of these is a function of.
func castilloHeader(b *Bench, places []*Place, more ...show.Field) []show.Field {
	var h []show.Field
	for _, p := range places {
		h = append(h, show.Field{Name: "world", Value: fmt.Sprintf("%s; seeds: %s (%d)", p.describe(), p.SeedsName, len(p.Seeds))})
	}
	h = append(h, more...)
	return append(h, show.Field{Name: "random seed", Value: fmt.Sprint(b.Random)})
}

// timeField is the header's line about time and politeness.
func timeField(fetchers string) show.Field {
	return show.Field{Name: "options", Value: fmt.Sprintf("times %s, w = %v, c = 1, r = %s unless said otherwise", thesisTimes, thesisDelay, fetchers)}
}

// shareSeries draws a curve over the share of T, in percent.
func shareSeries(name string, c measure.Curve, baseline bool) plot.Series {
	s := plot.Series{Name: name, Baseline: baseline}
	for _, p := range c.Thin(castilloPoints) {
		s.X = append(s.X, 100*measure.Share(p.Pages, c.Reachable))
		s.Y = append(s.Y, p.Value)
	}
	return s
}

// castilloPoints is how many points of a curve are drawn.
const castilloPoints = 200

// shareChart is the form of figures 4.3 to 4.7.
func shareChart(title string, series []plot.Series) *plot.Chart {
	return &plot.Chart{Title: title, XLabel: "pages fetched, % of those that can be reached", YLabel: "share of PageRank", Series: series}
}

// baselines are the ideal order and the diagonal, which is what pages drawn at random
// from all give (P8, P9).
func baselines(j *measure.Judge) []plot.Series {
	n := j.Reachable()
	return []plot.Series{shareSeries("ideal", j.Ideal(n), true), shareSeries("diagonal", measure.Random(n, n), true)}
}

// pct writes a share in percent.
func pct(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// pctOf is pct of a measure that may be missing.
func pctOf(x *float64) string {
	if x == nil {
		return "-"
	}
	return pct(*x)
}

// pctCell is a share in percent with one digit, a dash when it is missing.
func pctCell(x *float64) show.Cell {
	if x == nil {
		return show.None()
	}
	return show.Num(100**x, 1)
}

// head is a table's columns by their names; ", " in a name sets its unit apart.
func head(names ...string) []show.Column {
	columns := make([]show.Column, len(names))
	for i, n := range names {
		name, unit, _ := strings.Cut(n, ", ")
		columns[i] = show.Column{Name: name, Unit: unit}
	}
	return columns
}

// prepare makes a setting ready unless the bench was told to stop: short crawls do not
// ask themselves.
func (b *Bench) prepare(s lab.Setting) (*lab.Comparison, error) {
	if err := b.Context.Err(); err != nil {
		return nil, err
	}
	return s.Prepare()
}

// stop lets a crawl end when the bench was told to.
func (b *Bench) stop(int) error { return b.Context.Err() }

// inParallel does n things, as many at a time as the bench has threads, and returns the
// first error in their order.
func (b *Bench) inParallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	graph.Parallel(min(b.threads(), n), n, func(i int) { errs[i] = do(i) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
