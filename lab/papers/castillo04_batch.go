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
	reach  []graph.Page // all pages that can be reached
}

// middle crawls breadth-first in batches of T/30 pages up to the middle.
func (b *Bench) middle(p *Place, s lab.Setting) (*middleBatch, error) {
	c, err := b.prepare(p, s)
	if err != nil {
		return nil, err
	}
	n := len(c.Tree.Order)
	m := &middleBatch{place: p, k: thesisBatch(n), reach: c.Tree.Order}
	var begins []time.Duration
	ends := []int{0} // fetches up to the beginning of each batch, then to the end of the last
	c.Frontier.Mode, c.Frontier.Batch = frontier.Thesis, m.k
	c.Frontier.Batched = func(now time.Duration, pages []graph.Page) {
		begins = append(begins, now)
		ends = append(ends, ends[len(ends)-1]+len(pages))
	}
	c.MaxPages = min(n, n/2+m.k)
	run, err := c.Crawl("breadth-first", b.stop)
	if err != nil {
		return nil, err
	}
	r := run.Result
	m.number = sort.SearchInts(ends, n/2+1)
	from, to, begin := ends[m.number-1], min(ends[m.number], len(r.Order)), begins[m.number-1]
	m.pages = r.Order[from:to]
	for i := from; i < to && r.Start != nil; i++ {
		m.spans = append(m.spans, [2]time.Duration{r.Start[i] - begin, r.End[i] - begin})
		m.took = max(m.took, r.End[i]-begin)
	}
	return m, nil
}

// sites returns the number of sites that the batch has pages of.
func (m *middleBatch) sites() int { return len(m.place.sitesOf(m.pages)) }

// siteShare is the share of a batch that one site may have in the second crawl of figure
// 4.9.
const siteShare = 0.1

// batchSites is figure 4.9.
func batchSites(r *run, p *Place) error {
	set := r.setting(p, nil)
	plain, err := r.middle(p, set)
	if err != nil {
		return err
	}
	set.Frontier.SiteShare = siteShare
	even, err := r.middle(p, set)
	if err != nil {
		return err
	}
	web, batch := p.sitesOf(plain.reach), p.sitesOf(plain.pages)
	t := &show.Table{Columns: head("pages", "pages in all", "sites", "largest site, % of pages", "sites with one page, %", "Gini")}
	addSkew(t, "all that can be reached", web)
	addSkew(t, fmt.Sprintf("batch %d", plain.number), batch)
	addSkew(t, fmt.Sprintf("batch %d, no site above %s", even.number, pct(siteShare)), p.sitesOf(even.pages))
	c := &plot.Chart{Title: "Pages per site, " + p.World.Name, XLabel: "pages of a site", YLabel: "sites with so many", LogX: true, LogY: true, Points: true,
		Series: []plot.Series{sizeSeries("batch", batch), sizeSeries("all that can be reached", web)}}
	r.show(show.Section{Title: p.World.Name, Chart: c, Table: t,
		Text: fmt.Sprintf("K = %d, the batch with the page in the middle of T = %d. Where few sites have pages left, a limit of %s for each makes batches smaller.", plain.k, len(plain.reach), pct(siteShare))})
	r.find(p.World.Name, skewFinding(batch, web))
	return nil
}

// skewFinding compares a batch with the web by their Gini coefficients.
func skewFinding(batch, web []int) finding {
	g, all := gini(batch), gini(web)
	f := found(g >= 0.5 && g < all, "Gini %.2f on %s, of all pages %.2f on %d", g, show.Counted(len(batch), "site"), all, len(web))
	if len(batch) == 1 {
		f.numbers = fmt.Sprintf("the whole batch is on one site, of %d", len(web))
	}
	return f
}

func addSkew(t *show.Table, name string, sites []int) {
	pages, single := 0, 0
	for _, n := range sites {
		pages += n
		if n == 1 {
			single++
		}
	}
	t.Add(name, pages, len(sites), show.Num(100*measure.Share(slices.Max(sites), pages), 1), show.Num(100*measure.Share(single, len(sites)), 1), show.Num(gini(sites), 3))
}

// gini returns the Gini coefficient of the pages of the sites: with n ascending,
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

// sizeSeries returns how many sites have so many pages.
func sizeSeries(name string, sites []int) plot.Series {
	s, count := plot.Series{Name: name}, make([]int, slices.Max(sites)+1)
	for _, n := range sites {
		count[n]++
	}
	for n, k := range count {
		if k > 0 {
			s.Add(float64(n), float64(k))
		}
	}
	return s
}
