package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/stats"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/lab"
)

// setLanguages counts the languages that some of the fetched pages declare.
func (r *Report) setLanguages(pages []history.PageCourse) {
	var places []journal.Place
	for i := range pages {
		if pages[i].Place.Length > 0 && !pages[i].Dropped {
			places = append(places, pages[i].Place)
		}
	}
	r.languages = r.w.Crawl.Languages(places)
}

// languagesSection shows the languages of the pages.
func (r *Report) languagesSection() show.Section {
	s := show.Section{Title: "Languages"}
	read := show.Total(r.languages)
	if read == 0 {
		s.Fold, s.Text = "not known: no page is in the archive", "The languages come from the archive, and it has none of the pages."
		return s
	}
	names := slices.SortedFunc(maps.Keys(r.languages), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.languages[b], r.languages[a]), strings.Compare(a, b))
	})
	s.Bars = &plot.BarChart{}
	for _, n := range names[:min(len(names), mostListed)] {
		s.Bars.Bars = append(s.Bars.Bars, shareBar(cmp.Or(n, "not declared"), r.languages[n], read))
	}
	of := "all stored pages were read"
	if read < int64(len(r.w.Trail.Visits)) && read >= sampled/2 {
		of = fmt.Sprintf("a sample of %s was read, at equal distances in the order of the crawl", show.Counted(read, "stored page"))
	}
	s.Fold = fmt.Sprintf("%s, %s of those read", cmp.Or(names[0], "not declared"), show.Percent(r.languages[names[0]], read))
	s.Text = "The language that pages declare, in the attribute lang of the page or else in the header Content-Language; " + of + "."
	return s
}

// shareBar returns a bar with its number and its share.
func shareBar(label string, n, of int64) plot.Bar {
	return plot.Bar{Label: label, Value: float64(n), Note: show.Grouped(n) + " (" + show.Percent(n, of) + ")"}
}

// distribution counts values.
func distribution(values []int) (d stats.Distribution) {
	slices.Sort(values)
	for _, v := range values {
		if n := len(d); n == 0 || d[n-1].Value != uint64(v) {
			d = append(d, stats.Count{Value: uint64(v)})
		}
		d[len(d)-1].Pages++
	}
	return d
}

// spread returns a distribution as points of a chart with logarithmic axes.
func spread(name string, d stats.Distribution) plot.Series {
	s := plot.Series{Name: name}
	for _, b := range d.Log(5) {
		if b.Lo > 0 && b.Pages > 0 {
			s.Add(b.Centre(), b.Density())
		}
	}
	return s
}

// spreadRow returns a distribution as a row of a table.
func spreadRow(name string, d stats.Distribution, sorted []int) []any {
	law := show.None()
	if fit, ok := d.PowerLaw(); ok {
		law = show.Num(fit.Exponent, 2)
	}
	return []any{name, len(sorted), show.Digits(d.Mean()), sorted[len(sorted)/2], int64(d.Max()), d.Below(1), law}
}

// degrees shows the links of the pages.
func (r *Report) degrees() show.Section {
	g := r.w.Graph
	var out, in []int
	for p := range graph.Page(g.Pages()) {
		in = append(in, len(r.world.In.List(p)))
		if g.Fetched(p) {
			out = append(out, len(r.world.Sim.Out.List(p)))
		}
	}
	from, to := distribution(out), distribution(in)
	t := &show.Table{Columns: []show.Column{{Name: "links"}, {Name: "pages"}, {Name: "mean"}, {Name: "median"}, {Name: "most"}, {Name: "pages with none", Key: "none"}, {Name: "exponent of the power law", Key: "exponent"}}}
	t.Add(spreadRow("from a fetched page", from, out)...)
	t.Add(spreadRow("to a known page", to, in)...)
	return show.Section{Title: "Links of pages", Table: t,
		Chart: &plot.Chart{XLabel: "links", YLabel: "pages with so many links", LogX: true, LogY: true, Points: true, Series: []plot.Series{spread("from a fetched page", from), spread("to a known page", to)}},
		Fold:  fmt.Sprintf("%s from a fetched page and %s to a known one on average", show.Digits(from.Mean()), show.Digits(to.Mean())),
		Text:  "Distinct pages that a fetched page links to, and fetched pages that link to a known page. Where both are straight lines, few pages have most of the links."}
}

// pagesPerSite shows how the pages are spread over the sites.
func (r *Report) pagesPerSite() show.Section {
	var fetched, known []int
	for i := range r.w.Trail.Sites {
		known = append(known, int(r.w.Trail.Sites[i].Known))
		if n := int(r.w.Trail.Sites[i].Fetched); n > 0 {
			fetched = append(fetched, n)
		}
	}
	a, b := distribution(fetched), distribution(known)
	t := &show.Table{Columns: []show.Column{{Name: "pages of a site"}, {Name: "sites"}, {Name: "mean"}, {Name: "median"}, {Name: "most"}, {Name: "sites with none", Key: "none"}, {Name: "exponent of the power law", Key: "exponent"}}}
	if len(fetched) > 0 {
		t.Add(spreadRow("fetched", a, fetched)...)
	}
	t.Add(spreadRow("known", b, known)...)
	gini := stats.Gini(slices.Clone(known))
	return show.Section{Title: "Pages per site", Table: t,
		Chart: &plot.Chart{XLabel: "pages of a site", YLabel: "sites with so many pages", LogX: true, LogY: true, Points: true, Series: []plot.Series{spread("fetched", a), spread("known", b)}},
		Fold:  fmt.Sprintf("%s known on a site on average; Gini coefficient %.2f", show.Digits(b.Mean()), gini),
		Text:  fmt.Sprintf("The Gini coefficient of the known pages per site is %.2f: 0 if all sites have as many, near 1 if one site has nearly all.", gini)}
}

// arrivalSizes are the numbers of best pages for which the report says when they came.
func (r *Report) arrivalSizes() (list []int) {
	n := len(r.ranked())
	for _, k := range []int{10, 100, 1000, 10000, 100000} {
		if k < n {
			list = append(list, k)
		}
	}
	return append(list, n)
}

// arrivals shows when the best pages came: figure 2 of Najork and Wiener.
func (r *Report) arrivals() show.Section {
	sizes := r.arrivalSizes()
	t := &show.Table{Columns: []show.Column{{Name: "order"}}}
	for _, n := range sizes {
		name := "top " + show.Grouped(int64(n))
		if n == len(r.ranked()) {
			name = "all"
		}
		t.Columns = append(t.Columns, show.Column{Name: name, Key: fmt.Sprintf("mean_place_%d", n)})
	}
	unit, size := "place in the order", 1.0
	if r.c.Times != nil {
		unit, size = timeUnit(r)
	}
	chart := &plot.Chart{XLabel: "best N pages", YLabel: "mean " + unit, LogX: true, FromZero: true}
	for _, run := range r.all() {
		when, places := make([]float64, len(run.Result.Order)), make([]float64, len(run.Result.Order))
		for i := range places {
			places[i] = float64(i + 1)
			when[i] = places[i]
			if r.c.Times != nil {
				when[i] = run.Result.End[i].Seconds() / size
			}
		}
		byPlace, err := run.Trial.AverageWhen(places)
		byTime, err2 := run.Trial.AverageWhen(when)
		if err != nil || err2 != nil {
			continue
		}
		row := []any{run.Policy}
		for _, n := range sizes {
			row = append(row, show.Count(int(byPlace[n-1].Mean+0.5)))
		}
		t.Add(row...)
		s := plot.Series{Name: run.Policy}
		for n := 1; n <= len(byTime); n = max(n+1, n*5/4) {
			s.Add(float64(byTime[n-1].N), byTime[n-1].Mean)
		}
		chart.Series = append(chart.Series, s)
	}
	fold := ""
	if len(t.Rows) > 0 {
		fold = fmt.Sprintf("the top %s came at place %s on average", show.Grouped(int64(sizes[0])), t.Rows[0][1])
	}
	return show.Section{Title: "When the best pages came", Table: t, Chart: chart, Fold: cmp.Or(fold, "unknown"),
		Text: "The chart has the mean time at which the best N pages were fetched, for each N; the table has their mean place in the order of the fetches. Lower is better."}
}

// timeUnit returns the unit of the times of fetches.
func timeUnit(r *Report) (name string, size float64) {
	name, size = lab.TimeUnit(r.took().Seconds())
	return "time, " + name, size
}
