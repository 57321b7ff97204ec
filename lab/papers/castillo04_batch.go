package papers

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A middleBatch is the batch in which a crawl in batches fetches the page in the middle
// of all, under the thesis' barrier: it is fetched whole before the next is chosen, so
// its pages are a stretch of the crawl.
type middleBatch struct {
	place  *Place
	pages  []graph.Page
	spans  [][2]time.Duration // start and end of each fetch, since the batch was chosen; nil without times
	took   time.Duration
	number int // of the batch, from 1
	k      int
	tree   *measure.Tree
}

// middle crawls breadth-first in batches of T/30 pages up to the middle.
func (b *Bench) middle(p *Place, s lab.Setting) (*middleBatch, error) {
	c, err := b.prepare(s)
	if err != nil {
		return nil, err
	}
	n := len(c.Tree.Order)
	m := &middleBatch{place: p, k: thesisBatch(n), tree: c.Tree}
	var begins []time.Duration
	var ends []int // fetches up to the end of each batch
	c.Frontier.Mode, c.Frontier.Batch = frontier.Thesis, m.k
	c.Frontier.Batched = func(now time.Duration, pages []graph.Page) {
		begins = append(begins, now)
		ends = append(ends, len(pages))
		if len(ends) > 1 {
			ends[len(ends)-1] += ends[len(ends)-2]
		}
	}
	c.MaxPages = min(n, n/2+m.k)
	run, err := c.Crawl("breadth-first", b.stop)
	if err != nil {
		return nil, err
	}
	i := sort.SearchInts(ends, n/2+1)
	from := 0
	if i > 0 {
		from = ends[i-1]
	}
	m.number = i + 1
	m.take(run, from, min(ends[i], len(run.Result.Order)), begins[i])
	return m, nil
}

// take keeps what fetches from..to of a crawl did.
func (m *middleBatch) take(run *lab.Run, from, to int, begin time.Duration) {
	r := run.Result
	m.pages = r.Order[from:to]
	if r.Start == nil {
		return
	}
	for i := from; i < to; i++ {
		m.spans = append(m.spans, [2]time.Duration{r.Start[i] - begin, r.End[i] - begin})
		m.took = max(m.took, r.End[i]-begin)
	}
}

// sites is the number of sites that the batch has pages of.
func (m *middleBatch) sites() int { return len(sitesOf(m.place.World, m.pages)) }

// castilloBatchSites is figure 4.9 (X27, S12).
func castilloBatchSites(b *Bench) (*show.Report, error) {
	places, skipped, err := placesWithSites(b, 2)
	if err != nil {
		return nil, err
	}
	rep := &show.Report{Header: castilloHeader(b, places, show.Field{Name: "options", Value: fmt.Sprintf("order only, breadth-first in batches of K = T/%d pages", thesisBatches)})}
	rep.Intro = append([]string{"Thesis: a batch from the middle of a breadth-first crawl is slightly less skewed over the sites than the whole web, since small sites are complete by then, but still very skewed. Gini is 0 when all sites have as many pages, near 1 when one has nearly all."}, skipped...)
	var found []finding
	for i, p := range places {
		b.say(i, len(places), "%s", p.World.Name)
		s, f, err := b.batchSitesAt(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
		rep.Sections, found = append(rep.Sections, s), append(found, f)
	}
	rep.Verdict = verdict("the pages of a batch are very skewed over the sites (Gini of at least 0.5), but less than those of the web", found)
	return rep, nil
}

// siteShare is the share of a batch that one site may have in the second crawl of
// figure 4.9: the constraint of S12.
const siteShare = 0.1

func (b *Bench) batchSitesAt(p *Place) (s show.Section, f finding, err error) {
	plain, err := b.middle(p, p.Setting(b, nil))
	if err != nil {
		return s, f, err
	}
	set := p.Setting(b, nil)
	set.Frontier.SiteShare = siteShare
	even, err := b.middle(p, set)
	if err != nil {
		return s, f, err
	}
	web, batch := sitesOf(p.World, plain.tree.Order), sitesOf(p.World, plain.pages)
	t := &show.Table{Columns: head("pages", "pages in all", "sites", "largest site, % of pages", "sites with one page, %", "Gini")}
	t.Rows = [][]show.Cell{
		skewRow("all that can be reached", web),
		skewRow(fmt.Sprintf("batch %d", plain.number), batch),
		skewRow(fmt.Sprintf("batch %d, no site above %s", even.number, pct(siteShare)), sitesOf(p.World, even.pages)),
	}
	c := &plot.Chart{Title: "Pages per site, " + p.World.Name, XLabel: "pages of a site", YLabel: "sites with so many", LogX: true, LogY: true, Points: true,
		Series: []plot.Series{sizeSeries("batch", batch), sizeSeries("all that can be reached", web)}}
	s = show.Section{Title: p.World.Name, Text: fmt.Sprintf("K = %d, the batch with the page in the middle of T = %d. Where few sites have pages left, a limit of %s for each makes batches smaller.", plain.k, len(plain.tree.Order), pct(siteShare)), Chart: c, Table: t}
	return s, skewFinding(p.World.Name, batch, web), nil
}

// skewFinding compares a batch with the web by their Gini coefficients.
func skewFinding(place string, batch, web []int) finding {
	g, all := gini(batch), gini(web)
	f := finding{place: place, holds: g >= 0.5 && g < all}
	if f.numbers = fmt.Sprintf("Gini %.2f on %s, of all pages %.2f on %d", g, show.Counted(len(batch), "site"), all, len(web)); len(batch) == 1 {
		f.numbers = fmt.Sprintf("the whole batch is on one site, of %d", len(web))
	}
	return f
}

func skewRow(name string, sites []int) []show.Cell {
	pages, most, single := 0, 0, 0
	for _, n := range sites {
		pages += n
		most = max(most, n)
		if n == 1 {
			single++
		}
	}
	return []show.Cell{show.Words(name), show.Count(pages), show.Count(len(sites)), show.Num(100*measure.Share(most, pages), 1), show.Num(100*measure.Share(single, len(sites)), 1), show.Num(gini(sites), 3)}
}

// gini is the Gini coefficient of the pages of the sites: with n ascending,
//
//	G = (2 sum of i x_i) / (n sum of x_i) - (n + 1)/n,  i = 1..n
func gini(sites []int) float64 {
	x := slices.Sorted(slices.Values(sites))
	var sum, weighted float64
	for i, v := range x {
		sum += float64(v)
		weighted += float64(float64(i+1) * float64(v))
	}
	if sum == 0 {
		return 0
	}
	n := float64(len(x))
	return 2*weighted/(n*sum) - (n+1)/n
}

// sizeSeries is how many sites have so many pages.
func sizeSeries(name string, sites []int) plot.Series {
	s := plot.Series{Name: name}
	x := slices.Sorted(slices.Values(sites))
	for i := 0; i < len(x); {
		k := i
		for k < len(x) && x[k] == x[i] {
			k++
		}
		s.X, s.Y = append(s.X, float64(x[i])), append(s.Y, float64(k-i))
		i = k
	}
	return s
}
