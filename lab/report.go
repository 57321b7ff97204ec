// Package lab compares policies: it crawls a world virtually under each of them and
// shows how fast each gathers important pages.
//
// A World is a graph made ready for crawls. A Setting adds what the policies of a
// comparison share: the seeds, the truth they are measured by, delays, fetchers,
// batches, the random seed. Prepare finds what can be reached and the oracle, Crawl runs
// one policy, and Versus runs several beside the baselines random, horn and omniscient.
// Report shows them side by side; StartSets repeats a comparison from other seeds.
//
// The laboratory is the only owner of an oracle: it hands the truth to policies that
// were declared omniscient, and to no other.
package lab

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// Report shows the runs of a comparison side by side, the baselines dashed: measures,
// curves and, with a model of time, what happened when. b may be nil.
func (c *Comparison) Report(title string, runs []*Run, b *Baselines) *show.Report {
	r := &show.Report{Title: title, Header: c.Header(runs)}
	table := show.Section{Title: "Measures", Table: c.Table(runs, b)}
	if c.Judge != nil {
		table.Text = c.tableText(b)
	}
	r.Sections = append(r.Sections, table)
	if c.Judge != nil {
		r.Sections = append(r.Sections, c.curveSections(runs, b)...)
		r.Sections = append(r.Sections, topSection(runs), c.precisionSection(runs))
	}
	if c.KeepPages > 0 {
		r.Sections = append(r.Sections, c.KeptTable(runs))
	}
	if c.Times != nil {
		r.Sections = append(r.Sections, c.timeSections(runs)...)
	}
	if c.Changes != nil {
		r.Sections = append(r.Sections, c.freshnessSections(runs)...)
	}
	return r
}

// Header returns the five things that runs are a function of: world, seeds, policies,
// options and random seed.
func (c *Comparison) Header(runs []*Run) []show.Field {
	var names []string
	for _, r := range runs {
		names = append(names, r.Policy)
	}
	policies := strings.Join(names, ", ")
	if c.SitePolicy != "" {
		policies += "; sites by " + c.SitePolicy
	}
	sites := "sites not known: every page is one"
	if c.World.Sim.SiteOf != nil {
		sites = show.Counted(c.World.Sites(), "site")
	}
	links := "self-links left out"
	if c.World.Sim.SelfLinks {
		links = "self-links kept"
	}
	pages, reached := c.World.Pages(), len(c.Tree.Order)
	h := []show.Field{
		{Name: "world", Value: fmt.Sprintf("%s: %s, %s (%s), %s", c.World.Name, show.Counted(pages, "page"), show.Counted(int(c.World.Sim.Out.Links()), "link"), links, sites)},
		{Name: "seeds", Value: fmt.Sprintf("%s: %s, from which %s can be reached (%.1f %%)", c.SeedsName, show.Grouped(len(c.Seeds)), show.Counted(reached, "page"), 100*measure.Share(reached, pages))},
		{Name: "policies", Value: policies},
		{Name: "options", Value: c.optionsText()},
		{Name: "random seed", Value: strconv.FormatUint(c.Random, 10)},
	}
	if c.Score != nil {
		h = append(h, show.Field{Name: "score", Value: c.Score.String()})
	}
	if c.Times != nil {
		h = append(h, show.Field{Name: "times", Value: c.Times.String()})
	}
	if c.Changes != nil {
		h = append(h, show.Field{Name: "changes", Value: c.changesText()}, show.Field{Name: "visits", Value: c.visitsText()})
	}
	return h
}

// optionsText names the options that the runs share, those that have no effect left
// out.
func (c *Comparison) optionsText() string {
	f := &c.Frontier
	o := []string{fmt.Sprintf("fetchers %d", max(1, c.Fetchers)), "delay " + f.Delay.String(), fmt.Sprintf("pages per connection %d", max(1, f.PerConnection))}
	if f.KeepAlive > 0 && c.Times != nil {
		o = append(o, "connections kept for "+f.KeepAlive.String())
	}
	if c.Bandwidth > 0 {
		o = append(o, fmt.Sprintf("bandwidth %s B/s", show.Brief(float64(c.Bandwidth))))
	}
	o = append(o, fmt.Sprintf("batch %d (%s)", c.Batch, f.Mode))
	if f.MinActive > 0 {
		o = append(o, fmt.Sprintf("batches end below %d active fetchers", f.MinActive))
	}
	if f.SiteShare > 0 {
		o = append(o, fmt.Sprintf("a site has at most %g of a batch", f.SiteShare))
	}
	if c.MaxPages > 0 {
		o = append(o, fmt.Sprintf("at most %d pages", c.MaxPages))
	}
	if c.MaxPages > 0 && f.WaitForBetter > 0 {
		o = append(o, fmt.Sprintf("up to %v idle for better pages", f.WaitForBetter))
	}
	if c.Stop != nil {
		o = append(o, "until "+c.Stop.String())
	}
	if c.Duration > 0 {
		o = append(o, fmt.Sprintf("for %.6g days", c.Duration.Hours()/24))
	}
	if f.Factor > 0 && c.Times != nil {
		o = append(o, fmt.Sprintf("delay at least %g times the time of the last page", f.Factor))
		if f.FactorMax > 0 {
			o = append(o, "by this rule at most "+f.FactorMax.String())
		}
	}
	if c.Patience != (sim.Patience{}) && c.Times != nil {
		o = append(o, c.Patience.String())
	}
	if c.Times == nil {
		o = append(o, "no model of time")
	}
	return strings.Join(o, ", ")
}

func (c *Comparison) tableText(b *Baselines) string {
	var hot []string
	for _, h := range c.Judge.Hot() {
		hot = append(hot, fmt.Sprintf("%s for G = %g", show.Grouped(h.Pages), h.G))
	}
	text := fmt.Sprintf("average: mean of the cumulative importance (%s) over the crawl. tau: Kendall's tau-b against descending importance, of all pages and of a sample. "+
		"P_CS: mean share of hot pages among those fetched so far. P_ST: mean share of the pages with importance at least G that were found; there are %s. "+
		"50 %% and 90 %%: share of the reachable pages after which so much of the importance was there.",
		c.Truth.Metric, strings.Join(hot, ", "))
	if b != nil {
		text += "\n\nRegret: 0 at the ceiling, which is the better of horn and omniscient, 1 at random. ideal is all pages sorted by importance, which no crawler can do."
	}
	return text
}

// Table returns the single numbers of all runs, then of the baselines that are not among
// them. Column keys are the names of the same numbers in the JSON of `winnow sim`.
func (c *Comparison) Table(runs []*Run, b *Baselines) *show.Table {
	t := &show.Table{Columns: []show.Column{{Name: "policy"}, {Name: "pages"}}}
	if c.Judge == nil {
		t.Columns = append(t.Columns, show.Column{Name: "known"}, show.Column{Name: "sites"})
	} else {
		t.Columns = append(t.Columns, c.measureColumns()...)
	}
	timed := c.Times != nil || c.Frontier.Delay > 0 || c.Duration > 0
	if timed {
		t.Columns = append(t.Columns, show.Column{Name: "virtual time", Unit: "s", Key: "virtual_seconds"})
	}
	add := func(name string, r *Run) {
		row := append([]any{name}, c.cells(r, b)...)
		if timed {
			row = append(row, show.Num(r.Result.Took.Seconds(), 1))
		}
		t.Add(row...)
	}
	for _, r := range runs {
		add(r.Policy, r)
	}
	if b != nil {
		for _, r := range b.others(runs) {
			add(r.Policy+" (baseline)", r)
		}
		t.Add(c.idealRow(runs, b)...)
	}
	return t
}

// others returns the baselines that are not among the runs.
func (b *Baselines) others(runs []*Run) []*Run {
	var out []*Run
	for _, r := range []*Run{b.Omniscient, b.Horn, b.Random} {
		if r != nil && !slices.Contains(runs, r) {
			out = append(out, r)
		}
	}
	return out
}

func (c *Comparison) measureColumns() []show.Column {
	cols := []show.Column{
		{Name: "average", Key: "avg_cumulative_pagerank"}, {Name: "regret"},
		{Name: "tau", Key: "kendall_tau"}, {Name: "tau sample", Key: "kendall_tau_sample"}, {Name: "P_CS", Key: "p_cs"},
	}
	for _, h := range c.Judge.Hot() {
		cols = append(cols, show.Column{Name: fmt.Sprintf("P_ST G=%g", h.G), Key: fmt.Sprintf("p_st_%g", h.G)})
	}
	return append(cols, show.Column{Name: "50 %", Key: "pages_for_50"}, show.Column{Name: "90 %", Key: "pages_for_90"})
}

// cells returns the numbers of a run after its name.
func (c *Comparison) cells(r *Run, b *Baselines) []any {
	if c.Judge == nil {
		return []any{len(r.Result.Order), r.Result.Known, r.Result.Sites}
	}
	m := &r.Measures
	row := []any{len(r.Result.Order), show.Num(m.Average, 4), b.regretCell(m.Average), show.Num(m.Tau, 4), show.Num(m.TauSample, 4), show.Num(m.CrawlStop, 4)}
	for _, h := range m.Threshold {
		row = append(row, show.Num(h.Mean, 4))
	}
	return append(row, show.NumOf(m.PagesFor50, 1, 4), show.NumOf(m.PagesFor90, 1, 4))
}

func (b *Baselines) regretCell(average float64) show.Cell {
	if v, ok := b.Regret(average); ok {
		return show.Num(v, 3)
	}
	return show.None()
}

// idealRow returns the measures of the pages sorted by importance, without a crawl.
func (c *Comparison) idealRow(runs []*Run, b *Baselines) []any {
	n := mostFetches(runs)
	ideal := c.Judge.Ideal(n)
	row := []any{"ideal (baseline)", n, show.Num(ideal.Mean(), 4), b.regretCell(ideal.Mean()), show.None(), show.None(), show.Num(1, 4)}
	for _, h := range c.Judge.Hot() {
		row = append(row, show.Num(measure.IdealFound(h.Pages, len(c.Tree.Order), n).Mean(), 4))
	}
	for _, level := range []float64{0.5, 0.9} {
		cell := show.None()
		if of, ok := ideal.PagesFor(level); ok {
			cell = show.Num(of, 4)
		}
		row = append(row, cell)
	}
	return row
}

// mostFetches returns the number of fetches of the longest run.
func mostFetches(runs []*Run) (n int) {
	for _, r := range runs {
		n = max(n, len(r.Result.Order))
	}
	return n
}

// curvePoints is how many points of a curve a report keeps.
const curvePoints = 300

// runSeries returns a curve over the share of the reachable pages, thinned.
func runSeries(name string, c measure.Curve) plot.Series {
	s := plot.Series{Name: name}
	for _, p := range c.Thin(curvePoints) {
		s.Add(measure.Share(p.Pages, c.Reachable), p.Value)
	}
	return s
}

// runBaseline returns runSeries for what the others are measured against.
func runBaseline(name string, c measure.Curve) plot.Series {
	s := runSeries(name, c)
	s.Baseline = true
	return s
}

// curveSections returns the curves over the pages fetched: cumulative importance, P_CS
// and P_ST, with ideal and random.
func (c *Comparison) curveSections(runs []*Run, b *Baselines) []show.Section {
	n := mostFetches(runs)
	sections := []show.Section{
		c.Cumulative(runs, b),
		c.curves("P_CS: crawl and stop", "share of the pages fetched so far that are as important as as many of the best", runs, b,
			func(r *Run) measure.Curve { return r.Trial.CrawlStop() }, measure.IdealFound(1, len(c.Tree.Order), n)),
	}
	for _, h := range c.Judge.Hot() {
		if h.Pages == 0 {
			continue
		}
		sections = append(sections, c.curves(fmt.Sprintf("P_ST: pages with importance at least %g", h.G),
			fmt.Sprintf("share of the %s such pages that were found", show.Grouped(h.Pages)), runs, b,
			func(r *Run) measure.Curve { return r.Trial.Found(h) }, measure.IdealFound(h.Pages, len(c.Tree.Order), n)))
	}
	return sections
}

// Cumulative returns the curves of the importance over the pages fetched. It needs a Judge.
func (c *Comparison) Cumulative(runs []*Run, b *Baselines) show.Section {
	return c.curves("Cumulative importance", "share of the importance of all reachable pages", runs, b,
		func(r *Run) measure.Curve { return r.Trial.Cumulative() }, c.Judge.Ideal(mostFetches(runs)))
}

// curves returns one chart of all runs; the baselines are ideal, horn and random, the diagonal
// k/T of pages drawn at random from all, and omniscient only if it is among the runs.
func (c *Comparison) curves(title, label string, runs []*Run, b *Baselines, of func(*Run) measure.Curve, ideal measure.Curve) show.Section {
	chart := &plot.Chart{XLabel: "share of the reachable pages fetched", YLabel: label}
	for _, r := range runs {
		chart.Series = append(chart.Series, runSeries(r.Policy, of(r)))
	}
	if b != nil {
		for _, r := range b.others(runs) {
			if r != b.Omniscient {
				chart.Series = append(chart.Series, runBaseline(r.Policy, of(r)))
			}
		}
	}
	chart.Series = append(chart.Series, runBaseline("ideal", ideal), runBaseline("diagonal", measure.Random(len(c.Tree.Order), mostFetches(runs))))
	return show.Section{Title: title, Chart: chart}
}

// precisionResamples is enough to see how far an interval reaches, and little enough
// for a web of a million pages.
const precisionResamples = 40

// topName returns the name of a part of the top pages, for columns.
func topName(part float64) string {
	if part == 1 {
		return "all"
	}
	return fmt.Sprintf("%g %%", 100*part)
}

// topKey returns the name of the same in JSON and CSV.
func topKey(part float64) string { return strings.ReplaceAll(topName(part), " %", "") }

// topSection returns how much of a crawl is needed for the best tenth of the pages.
func topSection(runs []*Run) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "policy"}}}
	for _, part := range measure.TopParts() {
		t.Columns = append(t.Columns, show.Column{Name: topName(part), Unit: "% of the pages", Key: "pages_for_top_10_" + topKey(part)})
	}
	for _, r := range runs {
		row := []any{r.Policy}
		for _, v := range r.Measures.TopTenth {
			row = append(row, show.NumOf(v, 100, 2))
		}
		t.Add(row...)
	}
	return show.Section{Title: "Downloads for the top tenth", Table: t,
		Text: "Pages that had to be fetched until all, 99, 95 and 90 % of the best tenth of the pages were there. The thesis gave this measure up as unstable: one good page may come last."}
}

// precisionSection returns precision at 1, 5 and 10 % of the crawl.
func (c *Comparison) precisionSection(runs []*Run) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "policy"}}}
	parts := []float64{0.01, 0.05, 0.1}
	for _, of := range parts {
		name, key := fmt.Sprintf("%g %%", 100*of), fmt.Sprintf("precision_%g", 100*of)
		t.Columns = append(t.Columns, show.Column{Name: name, Key: key}, show.Column{Name: "from", Key: key + "_low"}, show.Column{Name: "to", Key: key + "_high"})
	}
	for _, r := range runs {
		row := []any{r.Policy}
		for _, of := range parts {
			i, ok := r.Trial.Precision(of, precisionResamples, c.Random)
			if !ok {
				i.Mean, i.Low, i.High = math.NaN(), math.NaN(), math.NaN()
			}
			row = append(row, show.Num(i.Mean, 4), show.Num(i.Low, 4), show.Num(i.High, 4))
		}
		t.Add(row...)
	}
	return show.Section{
		Title: "Precision", Table: t,
		Text: "Share of the first 1, 5 and 10 % of the crawl that belong to as many of the best pages, with the middle 95 % of resamples of the pages.",
	}
}
