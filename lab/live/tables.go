package live

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
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

// Full returns everything, for report.html: what readers want to know first, then the rest, folded.
func (r *Report) Full() *show.Report {
	rep := r.page()
	rep.Key = r.key()
	if r.Real == nil {
		rep.Sections = slices.Concat(group("What did not come", r.notFetched()), group("The crawl", r.itself()))
		return rep
	}
	rep.Header = r.header()
	rep.Sections = []show.Section{r.gatheredByPages(), r.rates(), r.topSection(), r.failedSection()}
	rep.Sections = slices.Concat(rep.Sections,
		group("Was the order good?", r.order()),
		group("Freshness", r.tradeoff()),
		group("How the crawl went", r.course()),
		group("What was gathered", r.content()),
		group("What was not", append([]show.Section{r.otherMissed()}, r.notFetched()...)),
		group("The crawl", r.itself()))
	return rep
}

// group gives the first of some sections a heading, and folds all of them.
func group(title string, list []show.Section) []show.Section {
	for i := range list {
		list[i].Half = false
		if list[i].Fold == "" {
			list[i].Fold = rowsText(&list[i])
		}
	}
	if len(list) > 0 {
		list[0].Group = title
	}
	return list
}

// rowsText describes what is in a section that has no better description.
func rowsText(s *show.Section) string {
	switch {
	case s.Chart != nil && s.Table != nil:
		return "chart and table"
	case s.Chart != nil:
		return "chart"
	case s.Table != nil:
		return show.Counted(len(s.Table.Rows), "row")
	}
	return "text"
}

// gatheredByPages shows the importance that was gathered over the crawl, with what other
// policies would have done.
func (r *Report) gatheredByPages() show.Section {
	runs := append([]*lab.Run{r.Real}, r.others()...)
	if hot := r.hotPages(); hot > 0 {
		c := &plot.Chart{XLabel: "share of the pages", YLabel: fmt.Sprintf("share of the %s about the topic", show.Counted(hot, "page"))}
		for _, run := range runs {
			c.Series = append(c.Series, r.hotCurve(run))
		}
		return show.Section{Title: "Pages about the topic gathered", Half: true, Chart: c}
	}
	s := r.c.CourseSections(runs)[0]
	s.Title, s.Half = "Importance gathered", true
	s.Chart.YLabel = "share of the importance"
	s.Chart.Series = slices.DeleteFunc(s.Chart.Series, func(x plot.Series) bool { return x.Name == "random, expected" })
	return s
}

// order returns what compares the order of the crawl with others.
func (r *Report) order() []show.Section {
	list := []show.Section{r.orders(), r.arrivals()}
	if s, ok := r.byBatch(); ok {
		list = append(list, s)
	}
	for i, s := range r.c.CourseSections(r.all()) {
		if i == 0 && r.hotPages() == 0 {
			continue // it comes first in the report
		}
		s.Chart.Tight = true
		s.Fold = []string{"how much was there after how many pages", "how much was there when", "how much was there after how many bytes", "whether the first pages were the best"}[i]
		list = append(list, s)
	}
	if len(r.Runs) > 0 && len(r.others()) < len(r.Runs) {
		s := lab.SideBySide(r.Real, r.Runs[0])
		s.Fold = "whether the simulation can be trusted"
		list = append(list, s)
	}
	for i, s := range r.byDepth() {
		s.Fold = []string{"whether pages near the seeds are the best", "Kendall's tau-b"}[i]
		list = append(list, s)
	}
	bySite, err := r.bySiteDepth()
	if err != nil {
		r.Failed = errors.Join(r.Failed, err)
	}
	for i, s := range bySite {
		s.Title += ", from the home page of each site"
		s.Fold = []string{"whether pages near the home pages are the best", "Kendall's tau-b"}[i]
		list = append(list, s)
	}
	return list
}

// course returns what happened over time.
func (r *Report) course() []show.Section {
	list := []show.Section{r.queue(), r.connections()}
	if s, ok := r.idle(); ok {
		list = append(list, s)
	}
	list = append(list, r.yieldOverTime(), r.throughput())
	if s, ok := r.failures(); ok {
		list = append(list, s)
	}
	if s, ok := r.latencies(); ok {
		list = append(list, s)
	}
	return list
}

// content returns what the pages are like.
func (r *Report) content() []show.Section {
	list := []show.Section{r.degrees(), r.pagesPerSite(), r.languagesSection(), r.media(), r.sizes()}
	return append(list, r.statuses())
}

// notFetched returns why pages were not fetched.
func (r *Report) notFetched() []show.Section {
	return append([]show.Section{r.outcomes(), r.reasons()}, r.left()...)
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
		{Name: "importance", Value: fmt.Sprintf("PageRank, follow 0.9, of the %s and the links among them; skipped, failed and other pages have none", show.Counted(len(r.w.Trail.Visits), "fetched page"))},
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

// figures returns the main numbers. Those of pages are the ones of winnow status.
func (r *Report) figures() show.Section {
	t, s := r.w.Trail, r.status
	table := &show.Table{Columns: []show.Column{{Name: "what"}, {Name: "number"}}}
	add := func(name string, c show.Cell) { table.Add(name, c) }
	add("pages known", show.Count(s.Known))
	add("pages fetched", show.Count(s.Fetched))
	add("of these redirects", show.Count(s.Redirects))
	if s.Withheld > 0 {
		add("of these not stored (noindex, noarchive)", show.Count(s.Withheld))
	}
	add("pages that failed", show.Count(s.Failed))
	add("pages skipped", show.Count(s.Refused))
	add("pages waiting", show.Count(s.Waiting))
	if lost := r.lost(); lost > 0 {
		add("of these with a damaged record", show.Count(lost))
	}
	add("sites", show.Count(s.Sites))
	add("links found", show.Count(t.Links))
	for r := event.LastRegion; r > event.Elsewhere; r-- {
		if n := t.Regions[r]; n > 0 {
			add("of these in the "+r.String()+" of pages", show.Count(n))
		}
	}
	add("attempts at pages", show.Count(show.Total(s.Outcomes)))
	if y, ok := r.yield(); ok {
		add("pages per attempt", show.Num(y, 3))
	}
	add("requests", show.Count(s.Requests))
	add("of these robots.txt", show.Count(r.state.Requests[event.Robots]))
	add("of these sitemaps", show.Count(r.state.Requests[event.Sitemap]))
	if x := s.Rendering; x != nil {
		add("pages that a browser has shown", show.Count(x.Rendered))
		add("pages that a browser could not show", show.Count(x.Failed))
		add("pages that wait for a browser", show.Count(x.Waiting))
	}
	if x := s.Requisites; x != nil {
		add("of these requisites of pages", show.Count(r.state.Requests[event.Requisite]))
		add("requisites fetched", show.Count(x.Fetched))
		add("requisites failed", show.Count(x.Failed))
		add("requisites skipped or left out", show.Count(x.Refused+x.Crowded+x.LeftOut))
		add("megabytes of requisites", show.Num(float64(x.Bytes)/1e6, 1))
	}
	add("megabytes received", show.Num(float64(s.Bytes)/1e6, 1))
	r.addTimes(add)
	if x := s.Topic; x != nil {
		add("pages about the topic", show.Count(x.Hot))
		add("harvest rate", show.Num(x.Harvest, 3))
	}
	if s.Kept+s.Dropped > 0 {
		add("pages kept in the archive", show.Count(s.Kept))
		add("pages dropped to make room", show.Count(s.Dropped))
	}
	if x := s.Remote; x != nil {
		add("WARC files in a store", show.Count(x.Files))
		add("megabytes of these", show.Num(float64(x.Bytes)/1e6, 1))
		add("WARC files that wait to be sent there", show.Count(x.Waiting))
	}
	if t.Revisits > 0 {
		add("revisits", show.Count(t.Revisits))
		add("of these not modified (304)", show.Count(s.NotModified))
		add("megabytes not transferred for that", show.Num(float64(s.NotTransferred)/1e6, 3))
		add("of these unchanged (200)", show.Count(s.Unchanged))
		add("megabytes not stored for that", show.Num(float64(s.NotStored)/1e6, 3))
	}
	return show.Section{Title: "Figures", Table: table, Fold: fmt.Sprintf("%s known, %s fetched, %s", show.Grouped(s.Known), show.Grouped(s.Fetched), show.Counted(s.Requests, "request"))}
}

// addTimes adds how long the crawl took, and when its pages came.
func (r *Report) addTimes(add func(string, show.Cell)) {
	add("seconds of work", show.Num(r.took().Seconds(), 1))
	if n := len(r.w.Trail.Visits); n > 0 {
		add("pages per second", show.Digits(float64(n)/max(r.took().Seconds(), 1e-9)))
		add("mean page after, s of work", show.Num(r.status.Mean, 1))
		add("half of the pages by, s of work", show.Num(r.status.Median, 1))
	}
}

// lost returns the number of pages whose record is damaged.
func (r *Report) lost() int64 {
	pages, _, _ := r.state.Frontier.Census()
	return pages[frontier.Lost]
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
		Title: "Orders", Table: t, Fold: show.Counted(len(t.Rows), "order") + " of the same pages compared",
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
	return lab.DepthSections(r.c.Truth, r.Real.Result.Order, "the nearest seed", func(p graph.Page) int { return int(depth[p]) })
}

func (r *Report) outcomes() show.Section {
	chart := &plot.BarChart{}
	total := show.Total(r.status.Outcomes)
	for c := event.OK; c <= event.LastClass; c++ {
		if n := r.status.Outcomes[c.String()]; n > 0 {
			chart.Bars = append(chart.Bars, shareBar(c.String(), n, total))
		}
	}
	repeated := fmt.Sprintf("%s repeated", show.Counted(r.w.Trail.Retries, "attempt"))
	return show.Section{Title: "Outcomes", Bars: chart, Fold: fmt.Sprintf("%s at pages, %s", show.Counted(total, "attempt"), repeated),
		Text: "How attempts at pages ended, by class. " + strings.Replace(repeated, " repeated", " "+was(r.w.Trail.Retries)+" repeated later.", 1)}
}

func (r *Report) reasons() show.Section {
	s := show.Section{Title: "Skipped pages", Fold: show.Counted(r.status.Refused, "page") + ", by reason"}
	t := &show.Table{Columns: []show.Column{{Name: "reason"}, {Name: "pages"}, {Name: "meaning"}}}
	for b := range event.Bar(event.Bars()) {
		if n := r.status.RefusedBy[b.String()]; n > 0 {
			t.Add(b.String(), show.Count(n), b.Meaning())
		}
	}
	if s.Table = t; len(t.Rows) == 0 {
		s.Table, s.Fold, s.Text = nil, "none", "No page was skipped."
	}
	return s
}

func (r *Report) statuses() show.Section {
	chart, total := &plot.BarChart{}, int64(0)
	for _, n := range r.w.Trail.Statuses {
		total += n
	}
	for _, s := range slices.Sorted(maps.Keys(r.w.Trail.Statuses)) {
		name := strings.TrimSpace(fmt.Sprintf("%d %s", s, http.StatusText(int(s))))
		if s == 0 {
			name = "no answer"
		}
		chart.Bars = append(chart.Bars, shareBar(name, r.w.Trail.Statuses[s], total))
	}
	return show.Section{Title: "HTTP statuses", Bars: chart, Text: "Of attempts at pages.", Fold: fmt.Sprintf("%s of %s", show.Counted(len(chart.Bars), "kind"), show.Counted(total, "answer"))}
}

// mostListed is the number of rows in a table of the largest.
const mostListed = 20

func (r *Report) media() show.Section {
	m := r.w.Trail.Media
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(cmp.Compare(m[b], m[a]), strings.Compare(a, b)) })
	chart := &plot.BarChart{}
	total := show.Total(m)
	for _, n := range names[:min(len(names), mostListed)] {
		chart.Bars = append(chart.Bars, shareBar(cmp.Or(n, "unknown"), m[n], total))
	}
	fold := "none"
	if len(names) > 0 {
		fold = fmt.Sprintf("%s, %s", cmp.Or(names[0], "unknown"), show.Percent(m[names[0]], total))
	}
	return show.Section{Title: "Media types", Bars: chart, Text: "Of the fetched pages.", Fold: fold}
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
			row = append(row, show.Digits(quantile(x, q)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// quantile returns a point of a distribution; x is sorted and not empty.
func quantile(x []float64, q float64) float64 { return x[min(int(q*float64(len(x))), len(x)-1)] }

func (r *Report) sizes() show.Section {
	lists := map[string][]float64{}
	for _, v := range r.w.Trail.Visits {
		lists["received"] = append(lists["received"], float64(v.Bytes))
		lists["decoded"] = append(lists["decoded"], float64(v.Size))
	}
	table := quantileTable("bytes of pages", "B", lists, []string{"received", "decoded"}) // which sorts them
	return show.Section{Title: "Sizes", Table: table, Fold: "median " + show.Bytes(int64(quantile(lists["decoded"], 0.5))) + " decoded",
		Text: "Bytes of pages as received, with headers, and as decoded, without headers and content coding."}
}

// latencies returns the distribution of the times of answers, if there are any.
func (r *Report) latencies() (show.Section, bool) {
	lists := map[string][]float64{}
	for i := range r.w.Trail.Timings {
		t := &r.w.Trail.Timings[i]
		add := func(name string, d time.Duration) { lists[name] = append(lists[name], 1e3*d.Seconds()) }
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
	table := quantileTable("milliseconds", "ms", lists, []string{"DNS", "connect", "first byte", "body", "whole page"})
	s := plot.Series{Name: "pages"}
	const points = 200
	for i := range points + 1 {
		s.X, s.Y = append(s.X, whole[i*(len(whole)-1)/points]), append(s.Y, float64(i)/points)
	}
	chart := &plot.Chart{XLabel: "milliseconds from request to end", YLabel: "share of the pages", LogX: whole[0] > 0, Series: []plot.Series{s}}
	return show.Section{Title: "Download times", Table: table, Chart: chart,
		Fold: fmt.Sprintf("median %s, 99 %% within %s", milliseconds(quantile(whole, 0.5)), milliseconds(quantile(whole, 0.99)))}, true
}

// milliseconds writes a time.
func milliseconds(ms float64) string {
	if ms < 10 {
		return show.Digits(ms).String() + "ms"
	}
	return show.Duration(secondsOf(ms / 1e3))
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
	table := &show.Table{Columns: []show.Column{{Name: "site"}, {Name: "known"}, {Name: "of all", Unit: "%", Key: "share"}, {Name: "fetched", Key: "came"}, {Name: "failed"}, {Name: "skipped", Key: "refused"},
		{Name: "requests"}, {Name: "megabytes"}, {Name: "mean answer", Unit: "s", Key: "mean_seconds"}}}
	for _, i := range order[:min(len(order), mostListed)] {
		s := &t.Sites[i]
		table.Rows = append(table.Rows, []show.Cell{show.Words(names[i]), show.Count(s.Known), show.Num(100*float64(s.Known)/float64(max(r.w.Crawl.Known(), 1)), 1),
			show.Count(s.Fetched), show.Count(s.Failed), show.Count(s.Refused), show.Count(s.Requests),
			show.Num(float64(s.Bytes)/1e6, 1), show.Num(s.Busy.Seconds()/float64(max(s.Requests, 1)), 3)})
	}
	return show.Section{Title: "Largest sites", Table: table, Text: "By known pages.", Fold: fmt.Sprintf("%d of %s", len(table.Rows), show.Counted(len(t.Sites), "site"))}
}

func (r *Report) sessions() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "session"}, {Name: "began"}, {Name: "after", Key: "seconds"}, {Name: "version"}, {Name: "policy"}, {Name: "options that differ from the session before", Key: "changed"}}}
	list, err := r.w.Crawl.Sessions()
	if err != nil {
		return show.Section{Title: "Sessions", Text: err.Error()}
	}
	for i, s := range list {
		changed := ""
		if i > 0 {
			changed = cmp.Or(strings.Join(s.Config.Diff(&list[i-1].Config), "; "), "none")
		}
		t.Add(i+1, s.Wall.Format(time.RFC3339), show.Span(s.At), cmp.Or(s.Version, "unknown"), policyText(s.Policy, s.SitePolicy), changed)
	}
	return show.Section{Title: "Sessions", Table: t, Text: "Each run of the program, with the time since the start of the crawl.", Fold: show.Counted(len(list), "run") + " of the program"}
}
