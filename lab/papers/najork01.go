package papers

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// najork01 lists the experiments of Najork and Wiener, "Breadth-first crawling yields
// high-quality pages" (WWW10, 2001), section 4: a breadth-first crawl of 328 million pages
// in 58 days, measured by PageRank with a jump probability of 1/7, scaled to a mean of 1.
//
// A day is one of 58 equal parts of the crawl, by pages: the pure ordering experiment
// has no clock. Their days were not equal: the rate fell, the median page came on day
// 22 and the mean on 24.5, so that their first days are longer than ours.
func najork01() []Experiment {
	return []Experiment{
		{Name: "fig1", Paper: "section 4, figure 1", What: "average PageRank of the pages of each day",
			header: daysHeader("PageRank", "random", "site-at-a-time where sites are known"), at: enoughDays(fig1),
			claims: []string{"average PageRank falls from the first quarter of the crawl over the second to the second half",
				"the first day is the highest and has at least three times the average of the second (theirs 7.04 and 2.07)"}},
		{Name: "fig2", Paper: "section 4, figure 2", What: "average day on which the top N pages were crawled",
			header: daysHeader("PageRank"), at: inDays(fig2),
			claims: []string{"the higher the PageRank of pages, the earlier they are crawled"}},
		{Name: "fig3", Paper: "section 4, figure 3", What: "overlap of the top N after 28 and after all 58 days",
			header: daysHeader("PageRank"), at: inDays(fig3),
			claims: []string{"after 28 of 58 days at least 60 % of the top N, from N = 20 on, are known to be the top N"}},
		{Name: "fig4", Paper: "section 4, figure 4", What: "average PageRank by remote links only of each day",
			header: daysHeader("PageRank by links between sites"), at: severalSites(enoughDays(fig4)),
			claims: []string{"by remote links the first day is higher than by all links and the fall to the second steeper"}},
		{Name: "late", Paper: "section 4, anomalies of figure 2", What: "top pages that come late, and who links to them",
			header: daysHeader("PageRank"), at: inDays(late),
			claims: []string{"few of the top pages come late, up to twice the 8 % of the paper",
				"late top pages have a larger share of links from their own site than the others"}},
	}
}

// Numbers of the paper.
const (
	najorkDays   = 58
	najorkCut    = 28        // days of the shorter crawl
	najorkFollow = 6.0 / 7.0 // 1 minus their jump probability
	// najorkPart is the share of the URLs that the graph of 28 days had: 217 of 351
	// million.
	najorkPart = 217.0 / 351.0
	// najorkTop is their top million as a share of the URLs.
	najorkTop = 1.0 / 351.0
	// najorkLinks is how many links a page that was not crawled needs to be in their
	// database.
	najorkLinks = 5
)

// daysHeader returns the header of these experiments.
func daysHeader(metric string, besides ...string) func(*Bench) []show.Field {
	return orderHeader(append([]string{"breadth-first"}, besides...), "I = "+metric+" of the reachable pages, jump 1/7, mean 1", "a day is a 58th of the pages")
}

// dayOf returns the day, from 1, of each of n fetches.
func dayOf(n int) []int {
	days := make([]int, n)
	for k := range days {
		days[k] = 1 + k*najorkDays/n
	}
	return days
}

// A crawl58 is a course of 58 days; its first crawl is breadth-first.
type crawl58 struct {
	*course
	days []int // of each fetch
}

// crawls58 crawls a place breadth-first, and under further policies. Importance is
// PageRank of what can be reached and the links there, as their database held what they
// had crawled; by remote links only if asked.
func (b *Bench) crawls58(p *Place, remote bool, policies ...string) ([]crawl58, error) {
	ranks := func(b *Bench, p *Place, seeds []graph.Page) (*measure.Truth, error) {
		o := b.truthOptions(p)
		o.Follow, o.Remote, o.Within = najorkFollow, remote, measure.Reach(p.World.Sim.Out, seeds).Order
		return measure.PageRankTruth(p.World.Web(), o)
	}
	courses, err := b.courses(p, ranks, append([]string{"breadth-first"}, policies...)...)
	all := make([]crawl58, len(courses))
	for i, c := range courses {
		all[i] = crawl58{c, dayOf(c.Judge.Reachable())}
	}
	return all, err
}

// najorkFew is the number of reachable pages from which 58 days are told apart.
const najorkFew = 58 * 5

// enoughDays runs an experiment at places where 58 days have enough pages.
func enoughDays(at func(*run, *Place) error) func(*run, *Place) error {
	return func(r *run, p *Place) error {
		if p.reach(p.Seeds) < najorkFew {
			r.lacks(p.World.Name, fmt.Sprintf("fewer than %d pages can be reached", najorkFew))
			return nil
		}
		return at(r, p)
	}
}

// severalSites runs an experiment at places with several sites.
func severalSites(at func(*run, *Place) error) func(*run, *Place) error {
	return func(r *run, p *Place) error {
		if !p.World.HasSites() {
			r.lacks(p.World.Name, noSites)
			return nil
		}
		return at(r, p)
	}
}

// noSites is why nothing can be said about links between sites.
const noSites = "it has no sites or one"

// inDays runs an experiment on the crawl of a place from its own seeds alone.
func inDays(at func(*run, *crawl58) error) func(*run, *Place) error {
	return enoughDays(func(r *run, p *Place) error {
		crawls, err := r.once().crawls58(p, false)
		if err != nil {
			return err
		}
		return at(r, &crawls[0])
	})
}

// dayMeans returns the average importance of the pages of each day of a run.
func (c *crawl58) dayMeans(run int) ([]float64, error) {
	buckets := slices.Clone(c.days)
	for k := range buckets {
		buckets[k]--
	}
	by, err := c.runs[run].Trial.PerBucket(buckets)
	if err != nil {
		return nil, err
	}
	means := make([]float64, najorkDays)
	for i, x := range by {
		means[i] = x.Mean
	}
	return means, nil
}

// firstDay returns how many pages come on the first day.
func (c *crawl58) firstDay() int { return slices.Index(c.days, 2) }
