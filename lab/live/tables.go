package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// Full returns everything, for report.html.
func (r *Report) Full() *show.Report {
	rep := &show.Report{Title: "crawl: " + r.world.Name, Verdict: r.verdict(), Header: r.header()}
	rep.Sections = []show.Section{r.figures(), r.orders()}
	rep.Sections = append(rep.Sections, r.c.CourseSections(r.all())...)
	rep.Sections = append(rep.Sections, r.tradeoff()...)
	if len(r.Runs) > 0 {
		rep.Sections = append(rep.Sections, lab.SideBySide(r.Real, r.Runs[0]))
	}
	rep.Sections = append(rep.Sections, r.byDepth()...)
	rep.Sections = append(rep.Sections, r.outcomes(), r.refusals())
	rep.Sections = append(rep.Sections, r.left()...)
	rep.Sections = append(rep.Sections, r.statuses(), r.media(), r.sizes(), r.sites(), r.sessions())
	if s, ok := r.latencies(); ok {
		rep.Sections = append(rep.Sections, s)
	}
	return rep
}

// factorText returns how the delay depends on the time of a download.
func factorText(c *config.Config) string {
	if c.DelayFactor == 0 {
		return "whatever the download time"
	}
	return fmt.Sprintf("at least %g times the download time, up to %s", c.DelayFactor, c.DelayMax)
}

// header returns the settings of the crawl.
func (r *Report) header() []show.Field {
	c := r.config
	h := []show.Field{
		{Name: "policy", Value: policyText(c.Policy, c.SitePolicy)},
		{Name: "seeds", Value: r.c.SeedsName},
		{Name: "politeness", Value: fmt.Sprintf("delay %s, %s, %s per connection, robots.txt %s",
			c.Delay, factorText(c), show.Counted(c.PerConnection, "page"), obeyed(c.Robots))},
		{Name: "fetchers", Value: strconv.Itoa(c.Fetchers)},
		{Name: "scope", Value: fmt.Sprintf("%s, depth %s (%s of dynamic pages), pages of a site %s, of a domain %s", c.Scope,
			depthText(c.MaxDepth), depthText(c.MaxDepthDynamic), atMost(c.SitePages), atMost(c.DomainPages))},
		{Name: "random seed", Value: strconv.FormatUint(c.RandomSeed, 10)},
		{Name: "importance", Value: fmt.Sprintf("PageRank, follow 0.9, of the %s and the links among them; refused, failed and other pages have none", show.Counted(len(r.w.Trail.Visits), "fetched page"))},
	}
	if x := r.state.Scores; x != nil {
		h = slices.Insert(h, 1, show.Field{Name: "score", Value: x.Text()})
	}
	if r.c.Times != nil {
		h = append(h, show.Field{Name: "times", Value: r.c.Times.String()})
	}
	return h
}

// depthText returns a limit of depth in words.
func depthText(d config.Depth) string {
	if d < 0 {
		return "any"
	}
	return "at most " + show.Grouped(int64(d))
}

// atMost returns a limit in words; 0 is none.
func atMost(n int) string {
	if n == 0 {
		return "any"
	}
	return "at most " + show.Grouped(int64(n))
}

func policyText(pages, sites string) string {
	if sites == "" {
		return pages
	}
	return pages + "; sites by " + sites
}

func obeyed(yes bool) string {
	if yes {
		return "obeyed"
	}
	return "ignored"
}

// figures returns the main numbers.
func (r *Report) figures() show.Section {
	t, s := r.w.Trail, r.status
	pages, _, _ := r.state.Frontier.Census()
	took := r.Real.Result.Took
	rows := [][]show.Cell{
		{show.Words("pages known"), show.Count(s.Known)},
		{show.Words("pages fetched"), show.Count(len(t.Visits))},
		{show.Words("of these redirects"), show.Count(s.Redirects)},
		{show.Words("pages that failed"), show.Count(s.Failed)},
		{show.Words("pages refused"), show.Count(s.Refused)},
		{show.Words("pages waiting"), show.Count(s.Waiting - pages[frontier.Lost])},
		{show.Words("sites"), show.Count(len(t.Sites))},
		{show.Words("links found"), show.Count(t.Links)},
	}
	for r := event.LastRegion; r > event.Elsewhere; r-- {
		if n := t.Regions[r]; n > 0 {
			rows = append(rows, []show.Cell{show.Words("of these in the " + r.String() + " of pages"), show.Count(n)})
		}
	}
	rows = append(rows, [][]show.Cell{
		{show.Words("requests"), show.Count(s.Requests)},
		{show.Words("of these robots.txt"), show.Count(r.state.Requests[event.Robots])},
		{show.Words("of these sitemaps"), show.Count(r.state.Requests[event.Sitemap])},
		{show.Words("megabytes received"), show.Num(float64(s.Bytes)/1e6, 1)},
		{show.Words("seconds at work"), show.Num(took.Seconds(), 1)},
		{show.Words("pages a second"), show.Brief(float64(len(t.Visits)) / max(took.Seconds(), 1e-9))},
	}...)
	if x := s.Topic; x != nil {
		rows = append(rows, []show.Cell{show.Words("pages about the topic"), show.Count(x.Hot)}, []show.Cell{show.Words("harvest rate"), show.Num(x.Harvest, 3)})
	}
	if lost := pages[frontier.Lost]; lost > 0 {
		rows = append(rows, []show.Cell{show.Words("pages whose record is damaged"), show.Count(lost)})
	}
	if s.Kept+s.Dropped > 0 {
		rows = append(rows, [][]show.Cell{
			{show.Words("pages kept in the archive"), show.Count(s.Kept)},
			{show.Words("pages dropped to make room"), show.Count(s.Dropped)},
		}...)
	}
	if t.Revisits > 0 {
		rows = append(rows, [][]show.Cell{
			{show.Words("revisits"), show.Count(t.Revisits)},
			{show.Words("of these not modified (304)"), show.Count(s.NotModified)},
			{show.Words("megabytes not transferred for that"), show.Num(float64(s.NotTransferred)/1e6, 3)},
			{show.Words("of these unchanged (200)"), show.Count(s.Unchanged)},
			{show.Words("megabytes not stored for that"), show.Num(float64(s.NotStored)/1e6, 3)},
		}...)
	}
	return show.Section{Title: "Figures", Table: &show.Table{Columns: []show.Column{{Name: "what"}, {Name: "number"}}, Rows: rows}}
}

// orders compares the crawl with its simulations by single numbers.
func (r *Report) orders() show.Section {
	parts := []float64{0.1, 0.25, 0.5}
	t := &show.Table{Columns: []show.Column{{Name: "order"}, {Name: "pages"}, {Name: "average", Key: "avg_cumulative_pagerank"}}}
	for _, p := range parts {
		t.Columns = append(t.Columns, show.Column{Name: fmt.Sprintf("at %g %%", 100*p), Unit: "%", Key: fmt.Sprintf("importance_at_%g", 100*p)})
	}
	timed := r.c.Times != nil
	if timed {
		t.Columns = append(t.Columns, show.Column{Name: "half of it", Unit: "s", Key: "seconds_for_50"}, show.Column{Name: "90 % of it", Unit: "s", Key: "seconds_for_90"})
	}
	for _, run := range r.all() {
		c := run.Trial.Cumulative()
		row := orderRow(run.Policy, c, parts)
		if timed {
			row = append(row, show.NumOf(secondsFor(run, c, 0.5), 1, 1), show.NumOf(secondsFor(run, c, 0.9), 1, 1))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, orderRow("ideal", r.c.Judge.Ideal(len(r.Real.Result.Order)), parts))
	return show.Section{
		Title: "Orders", Table: t,
		Text: "average: mean of the cumulative importance over the crawl. at 10 %: importance of the first tenth of the pages, and so on. half of it: when half of the importance was there. ideal is all pages sorted by importance, which no crawler can do.",
	}
}

func orderRow(name string, c measure.Curve, parts []float64) []show.Cell {
	row := []show.Cell{show.Words(name), show.Count(len(c.Y)), show.Num(c.Mean(), 4)}
	for _, p := range parts {
		if v, ok := c.At(p); ok {
			row = append(row, show.Num(100*v, 1))
		} else {
			row = append(row, show.None())
		}
	}
	return row
}

// byDepth returns the importance by depth.
func (r *Report) byDepth() []show.Section {
	depth := make([]uint32, r.world.Pages())
	for i, d := range r.c.Tree.Depths() {
		depth[r.c.Tree.Order[i]] = d
	}
	return lab.DepthSections(r.c.Truth, r.Real.Result.Order, func(p graph.Page) int { return int(depth[p]) })
}

func (r *Report) outcomes() show.Section {
	chart := &plot.BarChart{Log: true}
	for c := event.OK; c <= event.LastClass; c++ {
		if n := r.status.Outcomes[c.String()]; n > 0 {
			chart.Bars = append(chart.Bars, bar(c.String(), n))
		}
	}
	return show.Section{Title: "Outcomes", Bars: chart, Text: fmt.Sprintf("Ends of attempts at pages, by class; attempts that were repeated: %s.", show.Grouped(r.w.Trail.Retries))}
}

func bar(label string, n int64) plot.Bar {
	return plot.Bar{Label: label, Value: float64(n), Note: show.Grouped(n)}
}

func (r *Report) refusals() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "reason"}, {Name: "pages"}}}
	for b := range event.Bar(event.Bars()) {
		if n := r.status.RefusedBy[b.String()]; n > 0 {
			t.Rows = append(t.Rows, []show.Cell{show.Words(b.String()), show.Count(n)})
		}
	}
	return show.Section{Title: "Refused pages", Table: t}
}

func (r *Report) statuses() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "status"}, {Name: "answers"}}}
	for _, s := range slices.Sorted(maps.Keys(r.w.Trail.Statuses)) {
		name := strconv.Itoa(int(s))
		if s == 0 {
			name = "none"
		}
		t.Rows = append(t.Rows, []show.Cell{show.Words(name), show.Count(r.w.Trail.Statuses[s])})
	}
	return show.Section{Title: "HTTP statuses", Table: t, Text: "Of attempts at pages."}
}

// mostListed is the number of rows in a table of the largest.
const mostListed = 20

func (r *Report) media() show.Section {
	m := r.w.Trail.Media
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(cmp.Compare(m[b], m[a]), strings.Compare(a, b)) })
	t := &show.Table{Columns: []show.Column{{Name: "type"}, {Name: "pages"}}}
	for _, n := range names[:min(len(names), mostListed)] {
		t.Rows = append(t.Rows, []show.Cell{show.Words(cmp.Or(n, "unknown")), show.Count(m[n])})
	}
	return show.Section{Title: "Media types", Table: t, Text: "Of the fetched pages."}
}

// quantiles returns the points of a distribution for a table.
func quantiles() []float64 { return []float64{0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1} }

// quantileTable returns a table with a row for each list of numbers. It sorts them.
func quantileTable(what, unit string, lists map[string][]float64, names []string) *show.Table {
	t := &show.Table{Columns: []show.Column{{Name: what}, {Name: "number"}}}
	for _, q := range quantiles() {
		t.Columns = append(t.Columns, show.Column{Name: fmt.Sprintf("%g %%", 100*q), Unit: unit, Key: fmt.Sprintf("quantile_%g", 100*q)})
	}
	for _, name := range names {
		x := lists[name]
		if len(x) == 0 {
			continue
		}
		slices.Sort(x)
		row := []show.Cell{show.Words(name), show.Count(len(x))}
		for _, q := range quantiles() {
			row = append(row, show.Brief(x[min(int(q*float64(len(x))), len(x)-1)]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (r *Report) sizes() show.Section {
	lists := map[string][]float64{}
	for _, v := range r.w.Trail.Visits {
		lists["received"] = append(lists["received"], float64(v.Bytes))
		lists["decoded"] = append(lists["decoded"], float64(v.Size))
	}
	return show.Section{Title: "Sizes", Table: quantileTable("bytes of pages", "B", lists, []string{"received", "decoded"}),
		Text: "Bytes of pages as received, with headers, and as decoded, without headers and content coding."}
}

// latencies returns the distribution of the times of answers, if there are any.
func (r *Report) latencies() (show.Section, bool) {
	lists := map[string][]float64{}
	for i := range r.w.Trail.Timings {
		t := &r.w.Trail.Timings[i]
		add := func(name string, d time.Duration) { lists[name] = append(lists[name], d.Seconds()) }
		switch {
		case t.Kind == event.Resolve:
			add("DNS", t.Took)
			continue
		case t.Connect > 0:
			add("connect", t.Connect)
		}
		add("first byte", t.FirstByte)
		add("body", t.Body)
		if t.Kind == event.Fetch {
			add("whole page", t.Took)
		}
	}
	whole := lists["whole page"]
	if len(whole) == 0 {
		return show.Section{}, false
	}
	table := quantileTable("seconds", "s", lists, []string{"DNS", "connect", "first byte", "body", "whole page"})
	s := plot.Series{Name: "pages"}
	const points = 200
	for i := range points + 1 {
		s.X, s.Y = append(s.X, whole[i*(len(whole)-1)/points]), append(s.Y, float64(i)/points)
	}
	chart := &plot.Chart{XLabel: "seconds from request to end", YLabel: "share of the pages", LogX: whole[0] > 0, Series: []plot.Series{s}}
	return show.Section{Title: "Download times", Table: table, Chart: chart}, true
}

// sites returns the sites with most known pages.
func (r *Report) sites() show.Section {
	names, err := r.w.Crawl.SiteNames()
	if err != nil {
		return show.Section{Title: "Largest sites", Text: err.Error()}
	}
	t := r.w.Trail
	order := make([]int, len(t.Sites))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(t.Sites[b].Known, t.Sites[a].Known), a-b) })
	table := &show.Table{Columns: []show.Column{{Name: "site"}, {Name: "known"}, {Name: "of all", Unit: "%", Key: "share"}, {Name: "fetched", Key: "came"}, {Name: "failed"}, {Name: "refused"},
		{Name: "requests"}, {Name: "megabytes"}, {Name: "mean answer", Unit: "s", Key: "mean_seconds"}}}
	for _, i := range order[:min(len(order), mostListed)] {
		s := &t.Sites[i]
		table.Rows = append(table.Rows, []show.Cell{show.Words(names[i]), show.Count(s.Known), show.Num(100*float64(s.Known)/float64(max(r.w.Crawl.Known(), 1)), 1),
			show.Count(s.Fetched), show.Count(s.Failed), show.Count(s.Refused), show.Count(s.Requests),
			show.Num(float64(s.Bytes)/1e6, 1), show.Num(s.Busy.Seconds()/float64(max(s.Requests, 1)), 3)})
	}
	return show.Section{Title: "Largest sites", Table: table, Text: "By known pages."}
}

func (r *Report) sessions() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "began"}, {Name: "after", Unit: "s", Key: "seconds"}, {Name: "version"}, {Name: "policy"}}}
	list, err := r.w.Crawl.Sessions()
	if err != nil {
		return show.Section{Title: "Sessions", Text: err.Error()}
	}
	for _, s := range list {
		t.Rows = append(t.Rows, []show.Cell{show.Words(s.Wall.Format(time.RFC3339)), show.Num(s.At.Seconds(), 1),
			show.Words(cmp.Or(s.Version, "unknown")), show.Words(policyText(s.Policy, s.SitePolicy))})
	}
	return show.Section{Title: "Sessions", Table: t, Text: "Each run of the program, with the time since the start of the crawl."}
}
