package cho98

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// Graphs 7 to 10 are about pages of a topic. They need a world whose text is known.

// A similarity is one of these graphs.
type similarity struct {
	graph int
	topic int // of the synthetic web
	near  int // of the two-queue crawler
	links int // backlinks that a hot page has at least
	judge func(*similarCourses) []experiment.Finding
}

// aboutTopics lists the experiments of section 7.
func aboutTopics() []experiment.Experiment {
	faster := "the two-queue crawler gathers hot pages faster than breadth-first and random order without queues"
	early := "PageRank and breadth-first order inside the two queues have more than 80 % of the hot pages after 40 % of the pages, and most of them (90 %) after 60 %"
	list := []struct {
		similarity
		what   string
		claims []string
	}{
		{similarity{graph: 7, judge: graph7}, "pages of a topic, by the two-queue crawler",
			[]string{"breadth-first order inside the two queues is the best of the four", "backlink and PageRank order inside them are no better than a random crawler (mean 0.5)"}},
		{similarity{graph: 8, near: 3, judge: graph8}, "the same, with pages near hot ones in the hot queue",
			[]string{"all orders find hot pages faster than in graph 7", "breadth-first order is still the best of the four, by less than in graph 7",
				"more than a third of the hot pages have one backlink", faster, "the classifier is at least as fast as the two-queue crawler"}},
		{similarity{graph: 9, near: 3, links: 5, judge: graph9}, "pages of a topic with five backlinks", []string{early, faster}},
		{similarity{graph: 10, topic: 1, near: 3, links: 5, judge: graph9}, "the same for another topic", []string{early, faster}},
	}
	var out []experiment.Experiment
	for _, e := range list {
		out = append(out, experiment.Experiment{Name: fmt.Sprintf("graph%d", e.graph), Paper: fmt.Sprintf("section 7, graph %d", e.graph), What: e.what,
			Header: e.header, All: e.run, Claims: e.claims, Own: "what pages have to do with the topic"})
	}
	return out
}

func (x *similarity) header(b *experiment.Bench) []show.Field {
	worlds := []string{}
	for _, p := range b.Places {
		if p.World.Readings != nil {
			worlds = append(worlds, p.Describe())
		}
	}
	if len(worlds) == 0 {
		worlds = []string{fmt.Sprintf("generated: %d synthetic webs with topics, each %s, %s, %s", experiment.TextWorlds, show.Counted(b.TextSize(), "page"), show.Counted(b.TextSize()*experiment.LinksPerText, "link"), show.Counted(b.TextSize()/experiment.PagesPerText, "site"))}
	}
	hot := "hot: the query once in the title or ten times in the text"
	if x.links > 0 {
		hot += fmt.Sprintf(", and %d backlinks", x.links)
	}
	return []show.Field{experiment.Field("worlds", "%s", strings.Join(worlds, "; ")), experiment.Field("policies", "%s", strings.Join(x.policies(b.TextSize()), ", ")),
		experiment.Field("options", "one fetcher, no time model, %s; %d start sets", hot, startSets(b)), experiment.Field("random seed", "%d", b.Random)}
}

// startSets returns the number of start sets, the seeds of the place among them: ten unless
// another number was given.
func startSets(b *experiment.Bench) int {
	if b.Starts == 0 {
		return 10
	}
	return b.Starts + 1
}

// Places of the orders in policies.
const (
	queueBreadth = iota
	queueBacklinks
	queuePageRank
	queueRandom
	plainBreadth
	plainRandom
	classifier
)

// policies returns the orders that are compared: four inside the two queues, two without, and
// three that came later.
func (x *similarity) policies(pages int) []string {
	in := fmt.Sprintf("two-queue/near=%d", x.near)
	return []string{in, in + "/by=backlinks", fmt.Sprintf("%s/by=pagerank/k=%d", in, max(1, pages/solvesForBands)), in + "/by=random",
		"breadth-first", "random", "topical", "best-first", "shark-search"}
}

// run runs the experiment on the worlds whose text is known, or else on the synthetic one.
func (x *similarity) run(r *experiment.Run) error {
	some := false
	for _, p := range r.Places {
		if p.World.Readings == nil {
			continue
		}
		some = true
		if err := x.at(r, p, nil); err != nil {
			return fmt.Errorf("%s: %w", p.World.Name, err)
		}
	}
	if some {
		return nil
	}
	for seed := range uint64(experiment.TextWorlds) {
		if err := x.synthetic(r, seed+1, r.TextSize()); err != nil {
			return err
		}
	}
	return nil
}

// synthetic runs the experiment on a synthetic web.
func (x *similarity) synthetic(r *experiment.Run, seed uint64, pages int) error {
	p, w, err := r.TextWorld(fakeweb.Spec{Seed: seed, Pages: pages, Topics: fakeweb.SomeTopics()}, x.topic)
	if err != nil {
		return err
	}
	defer p.World.Free()
	return x.at(r, p, w.OnTopic(x.topic))
}

// similarCourses are the crawls of one place.
type similarCourses struct {
	*similarity
	run     *experiment.Run
	place   *experiment.Place
	hot     []bool               // pages that are hot
	on      []bool               // pages that are on the topic by the truth; nil if it is not known
	courses []*experiment.Course // by start set
	rows    []orderRow
	before  []orderRow // of graph 7, where it is compared with
}

// at runs the experiment at one place.
func (x *similarity) at(r *experiment.Run, p *experiment.Place, on []bool) error {
	_, hot := p.World.Readings.Similarities()
	c := &similarCourses{similarity: x, run: r, place: p, on: on, hot: measure.HotAndLinked(hot, p.World.In, x.links)}
	if !slices.Contains(c.hot, true) {
		r.Lacks(p.World.Name, "no page is hot")
		return nil
	}
	var err error
	if c.courses, c.rows, err = c.crawl(x.policies(p.World.Pages())); err != nil {
		return err
	}
	if x.graph == 8 {
		first := similarity{}
		if _, c.before, err = c.crawl(first.policies(p.World.Pages())[:queueRandom+1]); err != nil {
			return err
		}
	}
	r.Show(c.curves(), c.measures())
	r.Find(p.World.Name, x.judge(c)...)
	return nil
}

// crawl crawls from all start sets and measures P_ST.
func (c *similarCourses) crawl(policies []string) ([]*experiment.Course, []orderRow, error) {
	b := *c.run.Bench
	b.Starts = startSets(&b) - 1
	courses, err := b.Courses(c.place, func(*experiment.Bench, *experiment.Place, []graph.Page) (*measure.Truth, error) {
		return c.truth(), nil
	}, policies...)
	if err != nil {
		return nil, nil, err
	}
	return courses, foundRows(courses, hotRule{g: 1}), nil
}

// truth returns which pages are hot, as importance.
func (c *similarCourses) truth() *measure.Truth {
	t := measure.HotTruth(c.hot)
	t.Estimate = func() measure.Estimate {
		if c.links > 0 {
			_, hot := c.place.World.Readings.Similarities()
			return measure.KnownBoth(hot, c.place.World.Sim.Out)
		}
		return measure.KnownValues(t.Value)
	}
	return t
}

// name returns the short name of an order.
func (c *similarCourses) name(i int) string {
	switch i {
	case queueBreadth:
		return "two-queue, breadth-first"
	case queueBacklinks:
		return "two-queue, backlinks"
	case queuePageRank:
		return "two-queue, PageRank"
	case queueRandom:
		return "two-queue, random"
	}
	return c.rows[i].name
}

// curves draws P_ST.
func (c *similarCourses) curves() show.Section {
	name := c.place.World.Name
	chart := &plot.Chart{Title: name + ": P_ST", XLabel: "pages crawled, %", YLabel: "hot pages found, %"}
	for i, row := range c.rows {
		chart.Series = append(chart.Series, c.run.Percents(c.name(i), 0, row.curves...))
	}
	judge := c.courses[0].Judge
	chart.Series = append(chart.Series, experiment.Baseline(c.run.Percents("ideal", 0, hotRule{g: 1}.ideal(judge))), experiment.Diagonal())
	return show.Section{Title: name, Chart: chart, Text: c.about() + experiment.BandText(len(c.courses))}
}

// about describes the hot pages.
func (c *similarCourses) about() string {
	judge := c.courses[0].Judge
	hot := judge.HotAbove(1)
	s := fmt.Sprintf("Hot are %s of %s pages (%.1f %%).", show.Grouped(hot.Pages), show.Grouped(judge.Reachable()), 100*measure.Share(hot.Pages, judge.Reachable()))
	if c.links == 0 {
		s += fmt.Sprintf(" %.1f %% of them have one backlink (theirs: more than a third).", 100*c.single())
	}
	if c.on == nil {
		return s
	}
	on, both := 0, 0
	for p, is := range c.on {
		if is {
			on++
		}
		if is && c.hot[p] {
			both++
		}
	}
	return s + fmt.Sprintf(" By the truth %s pages are on the topic; %.0f %% of them are hot, and %.0f %% of the hot pages are on the topic.", show.Grouped(on), 100*measure.Share(both, on), 100*measure.Share(both, hot.Pages))
}

// single returns the share of hot pages with one backlink.
func (c *similarCourses) single() float64 {
	judge := c.courses[0].Judge
	return measure.WithBacklinks(judge.HotPages(judge.HotAbove(1)), c.place.World.In, 1)
}
