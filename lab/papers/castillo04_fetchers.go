package papers

import (
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// thesisFetchers is the r of figure 4.7 and table 4.2.
func thesisFetchers() []int { return []int{1, 64, 256} }

// fetchersLimit is the most pages of one crawl of figure 4.7.
const fetchersLimit = 200_000

// A timed is one crawl with a model of time.
type timed struct {
	policy   string
	fetchers int
	run      *lab.Run
}

// castilloFetchers is figure 4.7 (X25): what several fetchers do to the order.
func castilloFetchers(b *Bench) (*show.Report, error) {
	places, skipped, err := placesWithSites(b, 2)
	if err != nil {
		return nil, err
	}
	rep := &show.Report{Header: castilloHeader(b, places, timeField("1, 64, 256"), show.Field{Name: "limit", Value: fmt.Sprintf("%d pages of each crawl", fetchersLimit)})}
	rep.Intro = append([]string{"Thesis: larger-sites-first does not depend on the number of fetchers; breadth-first improves with it, because pages of low depth are found earlier when many sites are asked at once. A site has one connection at a time, so no more fetchers can be active than sites have pages left."}, skipped...)
	var found []finding
	for i, p := range places {
		b.say(i, len(places), "%s", p.World.Name)
		s, f, err := b.fetchersAt(p)
		if err != nil {
			return nil, err
		}
		rep.Sections, found = append(rep.Sections, s), append(found, f)
	}
	rep.Verdict = verdict("breadth-first improves with r by half a point or more and larger-sites-first stays within a point", found)
	return rep, nil
}

func (b *Bench) fetchersAt(p *Place) (s show.Section, f finding, err error) {
	t, err := p.PageRank(b)
	if err != nil {
		return s, f, err
	}
	var cells []timed
	for _, name := range []string{"breadth-first", "larger-sites-first"} {
		for _, r := range thesisFetchers() {
			cells = append(cells, timed{policy: name, fetchers: r})
		}
	}
	err = b.inParallel(len(cells), func(i int) error {
		set, err := polite(p.Setting(b, t), cells[i].fetchers)
		if err != nil {
			return err
		}
		set.MaxPages = fetchersLimit
		cells[i].run, err = b.crawl(set, cells[i].policy)
		return err
	})
	if err != nil {
		return s, f, fmt.Errorf("%s: %w", p.World.Name, err)
	}
	return fetchersSection(p, cells), fetchersFinding(p.World.Name, cells), nil
}

// crawl runs one policy in one setting.
func (b *Bench) crawl(s lab.Setting, policy string) (*lab.Run, error) {
	c, err := b.prepare(s)
	if err != nil {
		return nil, err
	}
	return c.Crawl(policy, b.stop)
}

func fetchersSection(p *Place, cells []timed) show.Section {
	t := &show.Table{Columns: head("strategy", "r", "average", "difference to r = 1, points", "half of PageRank after, % of pages", "time, h", "most active at once")}
	var series []plot.Series
	for i, c := range cells {
		m := c.run.Measures
		first := cells[i-i%len(thesisFetchers())].run.Measures
		t.Rows = append(t.Rows, []show.Cell{
			show.Words(c.policy), show.Count(c.fetchers), show.Num(m.Average, 4), show.Num(100*(m.Average-first.Average), 2),
			pctCell(m.PagesFor50), show.Num(c.run.Result.Took.Hours(), 2), show.Count(c.run.Result.Trace.Peak()),
		})
		series = append(series, shareSeries(fmt.Sprintf("%s, r = %d", c.policy, c.fetchers), c.run.Trial.Cumulative(), false))
	}
	n := cells[0].run.Measures.Reachable
	series = append(series, shareSeries("diagonal", measure.Random(n, n), true))
	return show.Section{
		Title: p.World.Name,
		Text:  fmt.Sprintf("T = %s on %s.", show.Counted(n, "page"), show.Counted(p.World.Sites(), "site")),
		Chart: shareChart("Cumulative PageRank, "+p.World.Name, series), Table: t,
	}
}

// improves is by how much an average has to rise to be called better: half a point.
const improves = 0.005

// fetchersFinding compares the averages with most fetchers and with one. Where delays
// and not fetchers are the limit, r = 1 takes as long and fetches in much the same order.
func fetchersFinding(place string, cells []timed) finding {
	n := len(thesisFetchers())
	one, most := cells[0].run, cells[n-1].run
	bfs := most.Measures.Average - one.Measures.Average
	lsf := cells[2*n-1].run.Measures.Average - cells[n].run.Measures.Average
	return finding{place: place, holds: bfs >= improves && math.Abs(lsf) <= 0.01,
		numbers: fmt.Sprintf("from r = 1 to 256 breadth-first %+.1f and larger-sites-first %+.1f points, at most %d fetchers active, time from %.1f to %.1f h",
			100*bfs, 100*lsf, most.Result.Trace.Peak(), one.Result.Took.Hours(), most.Result.Took.Hours())}
}
