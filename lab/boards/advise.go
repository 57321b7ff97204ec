package boards

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/forecast"
	"github.com/winnow-crawler/winnow/sim"
)

// advices lists the experiment on what winnow advise says.
func advices() []experiment.Experiment {
	return []experiment.Experiment{{
		Name: "advise", Paper: "winnow", What: "how often the forecasts of winnow advise hold, and whether its certain share is certain",
		Header: adviseHeader, All: runAdvise,
	}}
}

// Numbers of the experiment.
const (
	adviseStarts   = 7
	advisePages    = 20_000
	adviseFetchers = 16
	adviseDelay    = 2 * time.Second
	adviseTopics   = 10 // synthetic webs with topics
)

func adviseHeader(b *experiment.Bench) (h []show.Field) {
	for _, p := range b.Places {
		h = append(h, boardWorld(p))
	}
	return append(h, experiment.Field("starts", "%d for each graph", startsOr(b, adviseStarts)), b.SeedField())
}

// runAdvise stops crawls of each place, asks for advice, and lets them go on. Then it does the
// same on webs with topics, for the pages about them.
func runAdvise(r *experiment.Run) error {
	var worlds, topics []*forecast.World
	names := boardNames(r.Places)
	for i, p := range r.Places {
		w, err := advised(r.Bench, p, names[i], "foresight", "opic", "breadth-first")
		if err != nil {
			return err
		}
		worlds = append(worlds, w)
	}
	for i := range uint64(adviseTopics) {
		p, _, err := r.TextWorld(fakeweb.Spec{Seed: 201 + i, Pages: r.TextSize() >> (i % 3), Topics: adviseTopic(i)}, int(i%2))
		if err != nil {
			return err
		}
		w, err := advised(r.Bench, p, p.World.Name, "topical", "two-queue/near=3", "breadth-first")
		p.World.Free()
		if err != nil {
			return err
		}
		topics = append(topics, w)
	}
	r.Report.Verdict = forecast.Verdict(worlds, topics)
	r.Show(forecast.Sections(worlds, text("advise-totals"), text("advise-shares"))...)
	r.Show(forecast.HotSections(topics, text("advise-topics"))...)
	return nil
}

// adviseTopic returns topics of different size, whose pages link to each other more or less.
func adviseTopic(i uint64) fakeweb.Topics {
	t := fakeweb.SomeTopics()
	t.Share, t.Preference = []float64{0.05, 0.02, 0.1, 0.15}[i%4], []float64{0.5, 0.3, 0.7}[i/3%3]
	return t
}

// advised crawls a place under policies.
func advised(b *experiment.Bench, p *experiment.Place, name string, policies ...string) (*forecast.World, error) {
	t := &adviseRun{Bench: b, place: p, policies: policies, world: &forecast.World{Name: name}}
	if err := t.run(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.World.Name, err)
	}
	return t.world, nil
}

// An adviseRun crawls one place.
type adviseRun struct {
	*experiment.Bench
	place    *experiment.Place
	policies []string
	world    *forecast.World
}

func (t *adviseRun) run() error {
	ranks, err := experiment.ByPageRank(t.Bench, t.place, nil)
	if err != nil {
		return err
	}
	truth := forecast.Truth{Importance: ranks.Value}
	if r := t.place.World.Readings; r != nil {
		_, truth.Hot = r.Similarities()
	}
	starts := t.starts()
	for i, seeds := range starts {
		t.Say(i, len(starts), "%s: start %d", t.world.Name, i+1)
		w, o := t.place.World, t.TruthOptions(t.place)
		if truth.Personal, err = forecast.Personal(w.Web(), w.Pages(), seeds, rank.Options{SelfLinks: w.Sim.SelfLinks, Threads: t.Threads, Progress: o.Progress}); err != nil {
			return err
		}
		found := make([]forecast.World, len(t.policies))
		if err := t.InParallel(len(found), func(k int) error { return t.crawl(&found[k], i, k, seeds, &truth) }); err != nil {
			return err
		}
		for k := range found {
			t.world.Add(&found[k])
		}
	}
	return nil
}

// starts returns the seeds of the place, then by turns one page and twenty: see
// boardGraph.starts.
func (t *adviseRun) starts() [][]graph.Page {
	list, all := [][]graph.Page{t.place.Seeds}, t.place.Reach(t.place.Seeds)
	for n := 1; n < startsOr(t.Bench, adviseStarts); n++ {
		size := 1 + (boardPages-1)*(1-n%2)
		for draw := range experiment.Draws {
			seeds := lab.RandomSeeds(t.place.World.Pages(), size, t.Random, uint64(n*experiment.Draws+draw))
			if t.Context.Err() != nil || 2*t.place.Reach(seeds) >= all {
				list = append(list, seeds)
				break
			}
		}
	}
	return list
}

// crawl crawls from a start under a policy, and stops at several places.
func (t *adviseRun) crawl(found *forecast.World, start, k int, seeds []graph.Page, truth *forecast.Truth) error {
	s := t.Setting(t.place, nil)
	var err error
	if s.Times, err = sim.Preset("modern", t.Random+uint64(start)); err != nil {
		return err
	}
	s.Seeds, s.MaxPages, s.Fetchers, s.Frontier.Delay = seeds, advisePages, adviseFetchers, adviseDelay
	c, err := t.Prepare(t.place, s)
	if err != nil {
		return err
	}
	run, err := c.Simulate(t.policies[k], t.Stop)
	if err != nil {
		return err
	}
	for _, n := range forecast.Stops(len(run.Result.Order), t.Random, uint64(start), uint64(k)) {
		if err := found.Ask(&t.place.World.Sim, run.Result, n, seeds, truth); err != nil {
			return err
		}
	}
	return nil
}
