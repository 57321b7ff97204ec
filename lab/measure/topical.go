package measure

import "github.com/winnow-crawler/winnow/graph"

// HotMetric is the truth in which pages are important or not.
const HotMetric = "hot"

// HotTruth returns the truth in which hot pages have the importance 1 and others 0: P_ST with the
// threshold 1 is the recall of hot pages.
func HotTruth(hot []bool) *Truth {
	t := &Truth{Metric: HotMetric, Value: make([]float64, len(hot)), Pages: len(hot)}
	for p, is := range hot {
		if is {
			t.Value[p] = 1
		}
	}
	return t
}

// Harvest returns the share of hot pages among the first k fetches, the harvest rate of focused
// crawls.
func (t *Trial) Harvest(h Hot) Curve {
	c := t.Found(h)
	for k := range c.Y {
		c.Y[k] = c.Y[k] * float64(h.Pages) / float64(k+1)
	}
	return c
}

// IdealHarvest returns the harvest rate of a crawler that fetches the H hot pages first.
func IdealHarvest(hot, reachable, pages int) Curve {
	c := Curve{make([]float64, pages), reachable}
	for k := range c.Y {
		c.Y[k] = min(1, float64(hot)/float64(k+1))
	}
	return c
}

// HotPages returns the hot pages of E, best first. They must not be changed.
func (j *Judge) HotPages(h Hot) []graph.Page { return j.ranked[:h.Pages] }

// WithBacklinks returns the share of some pages that have a number of backlinks, one a linking
// page, without those of pages to themselves.
func WithBacklinks(pages []graph.Page, in *graph.Lists, number int) float64 {
	n := 0
	for _, p := range pages {
		if backlinks(in, p) == number {
			n++
		}
	}
	return Share(n, len(pages))
}

// backlinks returns the number of other pages that link to a page.
func backlinks(in *graph.Lists, p graph.Page) int {
	n := in.Degree(p)
	for _, q := range in.List(p) {
		if q == p {
			n--
		}
	}
	return n
}

// HotAndLinked returns which pages are hot and have at least a number of backlinks: the combined
// importance of Cho, Garcia-Molina and Page, section 7.
func HotAndLinked(hot []bool, in *graph.Lists, least int) []bool {
	both := make([]bool, len(hot))
	for p := range both {
		both[p] = hot[p] && backlinks(in, graph.Page(p)) >= least
	}
	return both
}
