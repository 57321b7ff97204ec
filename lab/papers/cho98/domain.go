package cho98

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// graph5 shows P_ST in small domains.
func graph5(r *experiment.Run, p *experiment.Place) error {
	domains := domains(p)
	if domains == nil {
		r.Lacks(p.World.Name, "its sites are unknown")
	}
	return eachDomain(domains, func(d *domain) error {
		if n := d.Place.Reach(d.Seeds); n < smallest {
			r.Lacks(d.World.Name, fmt.Sprintf("%d of %d pages can be reached, and fewer than %d show nothing", n, d.World.Pages(), smallest))
			return nil
		}
		c, err := r.Course(&d.Place, experiment.ByBacklinks, "breadth-first", "backlink-count", rankedOrder(r.Once(), &d.Place))
		if err != nil {
			return err
		}
		rule := scaled(c.Judge, 5, 0.10)
		rows := foundRows([]*experiment.Course{c}, rule)
		chart := &plot.Chart{Title: d.World.Name + ": P_ST", XLabel: "pages crawled, %", YLabel: "P_ST, %"}
		for _, row := range rows {
			chart.Series = append(chart.Series, r.Percents(row.name, 0, row.curves...))
		}
		chart.Series = append(chart.Series, experiment.Baseline(r.Percents("ideal", 0, rule.ideal(c.Judge))), experiment.Diagonal())
		f, t := graph5Finding(rows, rule.of(c.Judge).Pages)
		r.Find(d.World.Name, f)
		r.Show(show.Section{Title: d.World.Name, Chart: chart, Table: t,
			Text: fmt.Sprintf("%d of %d pages can be reached. ", c.Judge.Reachable(), d.World.Pages()) + ruleText(c.Judge, rule, 5)})
		return nil
	})
}

// graph5Finding lists for each order where it is worse than random.
func graph5Finding(rows []orderRow, hot int) (experiment.Finding, *show.Table) {
	t := &show.Table{Columns: []show.Column{{Name: "order"}, {Name: "mean P_ST", Key: "mean"}, {Name: "below random for", Unit: "% of the crawl", Key: "below_share"},
		{Name: "most behind by", Unit: "points", Key: "behind"}, {Name: "at", Unit: "% crawled", Key: "behind_at"}, {Name: "chance, 1 in 100", Unit: "points", Key: "chance"}}}
	var parts []string
	for _, r := range rows {
		w := worseThanRandom(r.curves[0], hot)
		if w.behind > w.chance {
			parts = append(parts, fmt.Sprintf("%s behind by %.1f points at %.0f %%", r.name, 100*w.behind, 100*w.at))
		}
		t.Add(r.name, show.Num(r.means[0], 4), show.Num(100*w.share, 1), show.Num(100*w.behind, 1), show.Num(100*w.at, 1), show.Num(100*w.chance, 1))
	}
	if parts == nil {
		return experiment.Found(false, "none of the three is, beyond chance"), t
	}
	return experiment.Found(true, "%s", strings.Join(parts, ", ")), t
}

// A worse describes where a crawl is behind a random one.
type worse struct {
	share  float64 // of the crawl, in which it is below the line k/T
	behind float64 // the most it is below the line, 0 if never
	at     float64 // share crawled there
	chance float64 // by how much one random order in a hundred is behind somewhere
}

// worseThanRandom compares P_ST with the line k/T. In a random order the places of the
// H hot pages are a sample of even places, of which P_ST is the empirical distribution,
// so that the most it is behind is the one-sided Kolmogorov-Smirnov distance:
//
//	P(behind > d) <= exp(-2 H d²)
//
// (Massart 1990; drawing without replacement only makes it smaller).
func worseThanRandom(c measure.Curve, hot int) (w worse) {
	if hot == 0 || len(c.Y) == 0 {
		return w
	}
	below := 0
	for i, y := range c.Y {
		line := measure.Share(i+1, c.Reachable)
		if line-y > 1e-9 {
			below++
		}
		if line-y > w.behind {
			w.behind, w.at = line-y, line
		}
	}
	w.share = measure.Share(below, len(c.Y))
	w.chance = math.Sqrt(math.Log(100) / (2 * float64(hot)))
	return w
}

// graph6 shows the histogram of backlink counts.
func graph6(r *experiment.Run, p *experiment.Place) error {
	whole, err := experiment.Backlinks(r.Bench, p)
	if err != nil {
		return err
	}
	domains := domains(p)
	if domains == nil {
		domains = []*domain{{Place: *p}}
	}
	return eachDomain(domains, func(d *domain) error {
		small, err := experiment.Backlinks(r.Bench, &d.Place)
		if err != nil {
			return err
		}
		name := d.World.Name
		chart := &plot.Chart{Title: name + ": histogram of backlinks", XLabel: "backlinks", YLabel: "pages", LogX: true, LogY: true, Points: true,
			Series: []plot.Series{histogram(name, small)}}
		t := &show.Table{Columns: []show.Column{{Name: "web"}, {Name: "pages"}, {Name: "none", Unit: "%"}, {Name: "1", Unit: "%", Key: "one"}, {Name: "fewer than 5", Unit: "%"}, {Name: "fewer than 10", Unit: "%"}, {Name: "100 or more", Unit: "%"}, {Name: "most"}}}
		addHistogram(t, name, small)
		if d.World != p.World {
			chart.Series = append(chart.Series, histogram(p.World.Name, whole))
			addHistogram(t, p.World.Name, whole)
		}
		below := fewerThan(small, 10)
		r.Find(name, experiment.Found(below > 0.5, "%.1f %% of %d pages", 100*below, d.World.Pages()))
		r.Show(show.Section{Title: name, Chart: chart, Table: t})
		return nil
	})
}

// histogram returns the number of pages for each count of backlinks but 0, which has no
// place on a logarithmic axis.
func histogram(name string, t *measure.Truth) plot.Series {
	counts := make([]int, len(t.Value))
	for p, v := range t.Value {
		counts[p] = int(v)
	}
	return experiment.Sizes(name, counts)
}

func addHistogram(t *show.Table, name string, counts *measure.Truth) {
	percent := func(share float64, decimals int) show.Cell { return show.Num(100*share, decimals) }
	none, ten := fewerThan(counts, 1), fewerThan(counts, 10)
	t.Add(name, len(counts.Value), percent(none, 1), percent(fewerThan(counts, 2)-none, 1), percent(fewerThan(counts, 5), 1), percent(ten, 1),
		percent(1-fewerThan(counts, 100), 2), int(slices.Max(counts.Value)))
}

// fewerThan returns the share of pages with fewer than n backlinks.
func fewerThan(t *measure.Truth, n float64) float64 {
	k := 0
	for _, v := range t.Value {
		if v < n {
			k++
		}
	}
	return measure.Share(k, len(t.Value))
}

// The small domain of graphs 5 and 6, the pages of the authors' database group, had
// 1,100 pages. Here small is a web of up to a fifth of smallDomain pages, or the sites of
// a larger one: at most mostDomains, of at least smallest pages.
const (
	smallDomain = 10_000
	smallest    = 200
	mostDomains = 4
)

// A domain is a small web: a place, or one site of it as a closed world, in which links
// to and from outside do not count.
type domain struct {
	experiment.Place
	made []*graph.Lists // to be freed
}

// newDomain returns the world of some links. Its seeds are still to be chosen.
func newDomain(name string, links [][]graph.Page) *domain {
	out := graph.ListsOf(links)
	in := rank.Transpose(out)
	return &domain{Place: experiment.Place{World: &lab.World{Name: name, In: in, Sim: sim.World{Out: out}}}, made: []*graph.Lists{out, in}}
}

func (d *domain) free() {
	for _, l := range d.made {
		l.Free()
	}
}

// domains returns the place itself if it has no more than 2,000 pages or is one site,
// else its largest sites of up to 10,000 pages, or the smallest if all are larger; none
// where sites are unknown.
func domains(p *experiment.Place) (all []*domain) {
	w := p.World
	if w.Pages() <= smallDomain/5 || w.Sim.SiteOf != nil && w.Sites() == 1 {
		return []*domain{{Place: *p}}
	}
	if !w.HasSites() {
		return nil
	}
	for _, s := range smallSites(w) {
		all = append(all, closed(p, s))
	}
	return all
}

// eachDomain calls fn with each domain and frees it afterwards.
func eachDomain(domains []*domain, fn func(*domain) error) (err error) {
	for _, d := range domains {
		if err == nil {
			err = fn(d)
		}
		d.free()
	}
	return err
}

// smallSites returns the sites to look at, the largest first.
func smallSites(w *lab.World) []graph.Site {
	sizes, by := make([]int, w.Sites()), make([]graph.Site, w.Sites())
	for _, s := range w.Sim.SiteOf {
		sizes[s]++
	}
	for s := range by {
		by[s] = graph.Site(s)
	}
	slices.SortStableFunc(by, func(a, b graph.Site) int { return cmp.Compare(sizes[b], sizes[a]) })
	var chosen []graph.Site
	for _, s := range by {
		if sizes[s] <= smallDomain && len(chosen) < mostDomains && (sizes[s] >= smallest || len(chosen) == 0) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		chosen = by[len(by)-1:]
	}
	return chosen
}

// closed returns one site as a world of its own, crawled from the page that reaches most
// among its starts.
func closed(p *experiment.Place, s graph.Site) *domain {
	w := p.World
	var pages []graph.Page
	id := make([]graph.Page, w.Pages()) // the page in the domain, NoPage outside
	for q := range id {
		id[q] = graph.NoPage
		if w.Sim.SiteOf[q] == s {
			id[q] = graph.Page(len(pages))
			pages = append(pages, graph.Page(q))
		}
	}
	inside := func(list []graph.Page) (out []graph.Page) {
		for _, q := range list {
			if id[q] != graph.NoPage {
				out = append(out, id[q])
			}
		}
		return out
	}
	links := make([][]graph.Page, len(pages))
	for k, q := range pages {
		links[k] = inside(w.Sim.Out.List(q))
	}
	d := newDomain(w.Name+", "+w.SiteName(s), links)
	d.Whole, d.Within = p, pages
	d.World.Sim.SelfLinks = w.Sim.SelfLinks
	if url := w.Sim.URL; url != nil {
		d.World.Sim.URL = func(b []byte, q graph.Page) []byte { return url(b, pages[q]) }
	}
	seed, _ := lab.Widest(context.Background(), d.World.Sim.Out, len(pages), d.starts(inside(p.Seeds))) // ends in time: no error
	d.Seeds, d.SeedsName = []graph.Page{seed}, "widest reach"
	return d
}

// starts returns the pages that a crawl of the domain may start from: of the given ones
// at most 16, then the 16 with most links.
func (d *domain) starts(given []graph.Page) []graph.Page {
	const most = 16
	out := d.World.Sim.Out
	by := make([]graph.Page, out.Pages())
	for p := range by {
		by[p] = graph.Page(p)
	}
	slices.SortStableFunc(by, func(a, b graph.Page) int { return cmp.Compare(out.Degree(b), out.Degree(a)) })
	return slices.Concat(given[:min(most, len(given))], by[:min(most, len(by))])
}

// The web fragment of figure 3, made larger: page 1 links to two pages that lead into
// the cluster A, and to page 2. The pages of A link to each other. All other pages lie
// behind page 2 and link back to it, so that it has more backlinks than any of A.
const (
	figurePage1 = graph.Page(0) // pages 1 and 2 of the world lead into A
	figurePage2 = graph.Page(3)
	figureA     = graph.Page(4) // and those after it
)

// trap returns the out-links of the fragment with a pages in the cluster and three times
// as many behind page 2.
func trap(a int) [][]graph.Page {
	out := make([][]graph.Page, int(figureA)+a+3*a)
	var cluster, behind []graph.Page
	for p := figureA; int(p) < len(out); p++ {
		if int(p-figureA) < a {
			cluster = append(cluster, p)
		} else {
			behind = append(behind, p)
			out[p] = []graph.Page{figurePage1, figurePage2}
		}
	}
	out[figurePage1] = []graph.Page{1, 2, figurePage2}
	out[1], out[2], out[figurePage2] = cluster, cluster, behind
	for i, p := range cluster {
		out[p] = slices.Delete(slices.Clone(cluster), i, i+1)
	}
	return out
}

// clusterBefore returns how many pages of A an order fetches before page 2.
func clusterBefore(order []graph.Page, a int) int {
	n := 0
	for _, p := range order[:slices.Index(order, figurePage2)] {
		if p >= figureA && p < figureA+graph.Page(a) {
			n++
		}
	}
	return n
}

// figure3Header returns the header of generated worlds; the places are not used.
func figure3Header(b *experiment.Bench) []show.Field {
	return []show.Field{experiment.Field("worlds", "generated: figure 3 with clusters of 8 to 64 pages"), experiment.Field("seeds", "page 1"),
		experiment.Field("policies", "breadth-first, backlink-count, pagerank, opic"), experiment.Field("options", "one fetcher, no time model"), experiment.Field("random seed", "%d", b.Random)}
}

// figure3 shows the trap on generated webs.
func figure3(r *experiment.Run) error {
	policies := []string{"breadth-first", "backlink-count", "pagerank", "opic"}
	t := &show.Table{Columns: []show.Column{{Name: "pages in A", Key: "cluster"}, {Name: "backlinks of page 2"}, {Name: "of a page of A"}}}
	chart := &plot.Chart{Title: "Pages of A visited before page 2", XLabel: "pages in A", YLabel: "pages of A before page 2"}
	for _, p := range policies {
		t.Columns = append(t.Columns, show.Column{Name: "of A before page 2: " + p, Key: p})
		chart.Series = append(chart.Series, plot.Series{Name: p})
	}
	worstBacklink, worstRank := 1.0, 0
	for _, a := range []int{8, 16, 32, 64} {
		before, err := trapAt(r.Bench, a, policies)
		if err != nil {
			return err
		}
		row := []any{a, 3*a + 1, a + 1}
		for i, n := range before {
			row = append(row, n)
			chart.Series[i].Add(float64(a), float64(n))
		}
		t.Add(row...)
		worstBacklink, worstRank = min(worstBacklink, measure.Share(before[1], a)), max(worstRank, before[2])
	}
	r.Show(show.Section{Title: "Who is trapped", Chart: chart, Table: t})
	r.Report.Verdict = figure3Verdict(worstBacklink, worstRank)
	return nil
}

// trapAt returns clusterBefore of each policy.
func trapAt(b *experiment.Bench, a int, policies []string) ([]int, error) {
	d := newDomain(fmt.Sprintf("figure 3, %d pages in A", a), trap(a))
	defer d.free()
	d.Seeds, d.SeedsName = []graph.Page{figurePage1}, "page 1"
	counted := func(b *experiment.Bench, p *experiment.Place, _ []graph.Page) (*measure.Truth, error) {
		return experiment.Backlinks(b, p)
	}
	c, err := b.Course(&d.Place, counted, policies...)
	if err != nil {
		return nil, err
	}
	before := make([]int, len(policies))
	for i, r := range c.Runs {
		before[i] = clusterBefore(r.Result.Order, a)
	}
	return before, nil
}

func figure3Verdict(backlink float64, pagerank int) string {
	switch {
	case backlink == 1 && pagerank == 0:
		return "Holds on every size generated: backlink order visits all of A before page 2, PageRank order none of it."
	case backlink > 0 && pagerank == 0:
		return fmt.Sprintf("Holds: backlink order visits at least %.0f %% of A before page 2, PageRank order none of it.", 100*backlink)
	}
	return fmt.Sprintf("Does not hold: before page 2 backlink order visits as little as %.0f %% of A, and PageRank order up to %d pages of it.", 100*backlink, pagerank)
}
