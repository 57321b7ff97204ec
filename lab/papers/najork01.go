package papers

import (
	"fmt"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// Experiments of Najork and Wiener, "Breadth-first crawling yields high-quality pages"
// (WWW10, 2001), section 4: a breadth-first crawl of 328 million pages in 58 days,
// measured by PageRank with a jump probability of 1/7, scaled to a mean of 1.
//
// A day is one of 58 equal parts of the crawl, by pages: the pure ordering experiment
// has no clock. Their days were not equal: the rate fell, the median page came on day
// 22 and the mean on 24.5, so that their first days are longer than ours.

// najork01 is the experiments of that paper.
func najork01() []Experiment {
	const paper = "Najork, Wiener 2001, "
	return []Experiment{
		{"najork01-fig1", paper + "section 4, figure 1", "average PageRank of the pages of each day", najorkFig1},
		{"najork01-fig2", paper + "section 4, figure 2", "average day on which the top N pages were crawled", najorkFig2},
		{"najork01-fig3", paper + "section 4, figure 3", "overlap of the top N after 28 and after all 58 days", najorkFig3},
		{"najork01-fig4", paper + "section 4, figure 4", "average PageRank by remote links only of each day", najorkFig4},
		{"najork01-late", paper + "section 4, anomalies of figure 2", "top pages that come late, and who links to them", najorkLate},
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
	// najorkLinks is how many links a page needs that was not crawled to be in their
	// database (W32).
	najorkLinks = 5
)

// dayOf is the day, from 1, of each of n fetches.
func dayOf(n int) []int {
	days := make([]int, n)
	for k := range days {
		days[k] = 1 + k*najorkDays/n
	}
	return days
}

// A crawl58 is a crawl with the ranks of what it reaches.
type crawl58 struct {
	course
	place *Place
	days  []int // of each fetch
}

// crawls58 crawls a place breadth-first, and under further policies, from its seeds
// and the further start sets. Its importance is PageRank of what can be reached and
// the links there, as their database held what they had crawled.
func (b *Bench) crawls58(p *Place, remote bool, policies ...string) ([]crawl58, error) {
	var all []crawl58
	sets := append([][]graph.Page{p.Seeds}, b.furtherStarts(p)...)
	for i, seeds := range sets {
		b.say(i, len(sets), "%s: %d days", p.World.Name, najorkDays)
		within := measure.Reach(p.World.Sim.Out, seeds).Order
		t, err := b.truth58(p, within, remote)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
		s := p.Setting(b, t)
		s.Seeds = seeds
		c, err := s.Prepare()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
		runs, err := c.All(append([]string{"breadth-first"}, policies...), b.threads(), func(int) error { return b.Context.Err() })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
		all = append(all, crawl58{course{c, runs}, p, dayOf(len(within))})
	}
	return all, nil
}

// eachCrawl58 crawls every place from its own seeds alone, adds what section makes of
// the crawl to the report, and collects the findings. Places with too few pages for 58
// days are findings without a section.
func (b *Bench) eachCrawl58(r *show.Report, section func(*crawl58) (finding, show.Section, error)) ([]finding, error) {
	one := *b
	one.Starts = 0
	var all []finding
	for _, p := range b.Places {
		crawls, err := one.crawls58(p, false)
		if err != nil {
			return nil, err
		}
		if len(crawls[0].days) < najorkFew {
			all = append(all, tooFew(p.World.Name))
			continue
		}
		f, s, err := section(&crawls[0])
		if err != nil {
			return nil, err
		}
		all, r.Sections = append(all, f), append(r.Sections, s)
	}
	return all, nil
}

// truth58 is their PageRank, of some pages and the links among them; by remote links
// only if asked.
func (b *Bench) truth58(p *Place, within []graph.Page, remote bool) (*measure.Truth, error) {
	return measure.PageRankTruth(p.World.Web(), measure.TruthOptions{Follow: najorkFollow, SelfLinks: p.World.Sim.SelfLinks, Remote: remote, Within: within, Threads: b.Threads,
		Progress: func(int, float64) error { return b.Context.Err() }})
}

// dayMeans is the average importance of the pages of each day of a run.
func (c *crawl58) dayMeans(run int) ([]float64, error) {
	buckets := make([]int, len(c.days))
	for k, d := range c.days {
		buckets[k] = d - 1
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

// firstDay is how many pages come on the first day.
func (c *crawl58) firstDay() int {
	n := 0
	for _, d := range c.days {
		if d == 1 {
			n++
		}
	}
	return n
}

// najorkHeader is the header of these experiments.
func (b *Bench) najorkHeader(policies []string, metric string) []show.Field {
	return b.paperHeader(policies, "I = "+metric+" of the reachable pages, jump 1/7, mean 1", "a day is a 58th of the pages")
}

// najorkFew is from how many reachable pages on 58 days are told apart.
const najorkFew = 58 * 5

func tooFew(place string) finding {
	return finding{place: place, lacks: fmt.Sprintf("fewer than %d pages can be reached", najorkFew)}
}
