package papers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// smallDomain is up to how many pages a web counts as small here. The paper's, the
// pages of its database group, had 1,100.
const smallDomain = 10_000

// A domain is a small web: a place, or one site of it as a closed world, in which
// links to and from outside do not count (P7).
type domain struct {
	Place
	title string
	made  []*graph.Lists // to be freed
}

func (d *domain) free() {
	for _, l := range d.made {
		l.Free()
	}
}

// smallest is how many pages a site must have to be looked at, and mostDomains how
// many sites of a place are.
const (
	smallest    = 200
	mostDomains = 4
)

// domains is the place itself if it has no more than 2,000 pages or is one site, else
// its largest sites of up to 10,000 pages, or the smallest if all are larger; none
// where sites are unknown.
func (p *Place) domains() []*domain {
	w := p.World
	if w.Pages() <= smallDomain/5 || w.Sim.SiteOf != nil && w.Sites() == 1 {
		return []*domain{{Place: *p, title: w.Name}}
	}
	if !w.HasSites() {
		return nil
	}
	var all []*domain
	for _, s := range smallSites(w) {
		all = append(all, p.closed(s))
	}
	return all
}

// eachDomain calls fn with each small domain of each place, or with nil if it has none.
func (b *Bench) eachDomain(fn func(*Place, *domain) error) error {
	for _, p := range b.Places {
		domains := p.domains()
		if domains == nil {
			domains = []*domain{nil}
		}
		for _, d := range domains {
			err := fn(p, d)
			if d != nil {
				d.free()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", p.World.Name, err)
			}
		}
	}
	return nil
}

// smallSites is the sites to look at, the largest first.
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

// closed is one site as a world of its own, crawled from the page among its seeds and
// its 16 pages with most links that reaches most.
func (p *Place) closed(s graph.Site) *domain {
	w := p.World
	id := make([]uint32, w.Pages()) // the page in the domain and 1
	var pages []graph.Page
	for q := range graph.Page(w.Pages()) {
		if w.Sim.SiteOf[q] == s {
			pages = append(pages, q)
			id[q] = uint32(len(pages))
		}
	}
	out := listsWithin(w.Sim.Out, pages, id)
	d := &domain{title: w.Name + ", " + w.SiteName(s), made: []*graph.Lists{out, rank.Transpose(out)}}
	d.World = &lab.World{Name: d.title, In: d.made[1], Sim: sim.World{Out: out, SelfLinks: w.Sim.SelfLinks}}
	if url := w.Sim.URL; url != nil {
		d.World.Sim.URL = func(b []byte, q graph.Page) []byte { return url(b, pages[q]) }
	}
	d.Seeds, d.SeedsName = []graph.Page{widestReach(out, p.Seeds, id)}, "widest reach"
	return d
}

// listsWithin is the links among some pages, by their new numbers less 1.
func listsWithin(out *graph.Lists, pages []graph.Page, id []uint32) *graph.Lists {
	links := int64(0)
	for _, p := range pages {
		for _, q := range out.List(p) {
			if id[q] > 0 {
				links++
			}
		}
	}
	l := graph.NewLists(len(pages), links)
	off, to, i := l.Off.Slice(), l.To.Slice(), uint64(0)
	for k, p := range pages {
		for _, q := range out.List(p) {
			if id[q] > 0 {
				to[i] = graph.Page(id[q] - 1)
				i++
			}
		}
		off[k+1] = i
	}
	return l
}

// widestReach is the page that reaches most, the first among equals: of the seeds that
// are in the domain, then of its 16 pages with most links.
func widestReach(out *graph.Lists, seeds []graph.Page, id []uint32) graph.Page {
	var try []graph.Page
	for _, p := range seeds {
		if id[p] > 0 {
			try = append(try, graph.Page(id[p]-1))
		}
	}
	try = try[:min(16, len(try))]
	by := make([]graph.Page, out.Pages())
	for p := range by {
		by[p] = graph.Page(p)
	}
	slices.SortStableFunc(by, func(a, b graph.Page) int { return cmp.Compare(out.Degree(b), out.Degree(a)) })
	try = append(try, by[:min(16, len(by))]...)
	best, most := try[0], 0
	for _, p := range try {
		if n := len(measure.Reach(out, []graph.Page{p}).Order); n > most {
			best, most = p, n
		}
	}
	return best
}

// choGraph5 is P_ST in a small domain (X5).
func choGraph5(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "cho98-graph5", Header: b.paperHeader([]string{"breadth-first", "backlink-count", "pagerank"}, "I = backlinks", "closed worlds of one site each"),
		Intro: []string{"P_ST in a small domain, where hot are pages with 5 or more backlinks. The paper, on 1,100 pages of one server: at times all orders are worse than random. Small here is a web of up to 2,000 pages, or the sites of a larger one (its four largest of 200 to 10,000 pages), each without the links to and from outside. A random crawl is below its line half of the time, so an order counts as worse than random when it falls farther behind the line, anywhere, than one random crawl in a hundred does (one-sided Kolmogorov-Smirnov bound, by the number of hot pages)."}}
	var all []finding
	err := b.eachDomain(func(p *Place, d *domain) error {
		if d == nil {
			all = append(all, finding{place: p.World.Name, lacks: "its sites are unknown"})
			return nil
		}
		f, s, err := b.graph5At(d)
		all, r.Sections = append(all, f), append(r.Sections, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Verdict = verdict("at least one order is worse than random for a stretch of the crawl (in the paper all three are)", all)
	return r, nil
}

func (b *Bench) graph5At(d *domain) (f finding, s show.Section, err error) {
	one := *b
	one.Starts = 0
	t, err := d.Backlinks(&one)
	if err != nil {
		return f, s, err
	}
	names := []string{"breadth-first", "backlink-count", one.rankedOrder(&d.Place)}
	c, err := one.courses(&d.Place, t, names)
	if err != nil {
		return f, s, err
	}
	j := c[0].Judge
	rule := scaled(j, 5, 0.10)
	rows := orderRows(c, names, func(c *course, t *measure.Trial) measure.Curve { return t.Found(rule.of(c.Judge)) })
	chart := &plot.Chart{Title: d.title + ": P_ST", XLabel: "pages crawled, %", YLabel: "P_ST, %"}
	for _, row := range rows {
		chart.Series = append(chart.Series, one.percentSeries(row.name, row.curves, 0, 100))
	}
	ideal := one.percentSeries("ideal", []measure.Curve{idealFor(j, rule)}, 0, 100)
	ideal.Baseline = true
	chart.Series = append(chart.Series, ideal, diagonal(100))
	s = show.Section{Title: d.title, Text: fmt.Sprintf("%d of %d pages can be reached. ", j.Reachable(), d.World.Pages()) + ruleText(j, rule, 5), Chart: chart}
	f, s.Table = graph5Finding(d.title, rows, rule.of(j).Pages)
	return f, s, nil
}

// graph5Finding lists for each order where it is worse than random.
func graph5Finding(place string, rows []orderRow, hot int) (finding, *show.Table) {
	f := finding{place: place}
	t := &show.Table{Columns: []show.Column{{Name: "order"}, {Name: "mean P_ST", Key: "mean"}, {Name: "below random for", Unit: "% of the crawl", Key: "below_share"},
		{Name: "most behind by", Unit: "points", Key: "behind"}, {Name: "at", Unit: "% crawled", Key: "behind_at"}, {Name: "chance, 1 in 100", Unit: "points", Key: "chance"}}}
	var parts []string
	for _, r := range rows {
		w := worseThanRandom(r.curves[0], hot)
		if w.behind > w.chance {
			f.holds = true
			parts = append(parts, fmt.Sprintf("%s behind by %.1f points at %.0f %%", r.name, 100*w.behind, 100*w.at))
		}
		t.Rows = append(t.Rows, []show.Cell{show.Words(r.name), show.Num(r.means[0], 4), show.Num(100*w.share, 1), show.Num(100*w.behind, 1), show.Num(100*w.at, 1), show.Num(100*w.chance, 1)})
	}
	f.numbers = "none of the three is, beyond chance"
	if f.holds {
		f.numbers = strings.Join(parts, ", ")
	}
	return f, t
}

// A worse says where a crawl is behind a random one.
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
