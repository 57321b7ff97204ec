package papers

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/forecast"
	"github.com/winnow-crawler/winnow/sim"
)

// advices lists the experiment on what winnow advise says.
func advices() []Experiment {
	return []Experiment{{
		Name: "advise", Paper: "winnow", What: "how often the forecasts of winnow advise hold, and whether its certain share is certain",
		header: adviseHeader, all: runAdvise,
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

func adviseHeader(b *Bench) (h []show.Field) {
	for _, p := range b.Places {
		h = append(h, p.boardWorld())
	}
	return append(h, field("starts", "%d for each graph", b.adviseStarts()), b.seedField())
}

func (b *Bench) adviseStarts() int {
	if b.Starts > 0 {
		return b.Starts
	}
	return adviseStarts
}

// runAdvise stops crawls of each place, asks for advice, and lets them go on. Then it does the
// same on webs with topics, for the pages about them.
func runAdvise(r *run) error {
	var worlds, topics []*forecast.World
	names := boardNames(r.Places)
	for i, p := range r.Places {
		w, err := r.advised(p, names[i], "foresight", "opic", "breadth-first")
		if err != nil {
			return err
		}
		worlds = append(worlds, w)
	}
	for i := range uint64(adviseTopics) {
		p, _, err := r.textWorld(fakeweb.Spec{Seed: 201 + i, Pages: r.textPages() >> (i % 3), Topics: adviseTopic(i)}, int(i%2))
		if err != nil {
			return err
		}
		w, err := r.advised(p, p.World.Name, "topical", "two-queue/near=3", "breadth-first")
		p.World.Free()
		if err != nil {
			return err
		}
		topics = append(topics, w)
	}
	r.report.Verdict = forecast.Verdict(worlds, topics)
	r.show(forecast.Sections(worlds, text("advise-totals"), text("advise-shares"))...)
	r.show(forecast.HotSections(topics, text("advise-topics"))...)
	return nil
}

// adviseTopic returns topics of different size, whose pages link to each other more or less.
func adviseTopic(i uint64) fakeweb.Topics {
	t := fakeweb.SomeTopics()
	t.Share, t.Preference = []float64{0.05, 0.02, 0.1, 0.15}[i%4], []float64{0.5, 0.3, 0.7}[i/3%3]
	return t
}

// advised crawls a place under policies.
func (b *Bench) advised(p *Place, name string, policies ...string) (*forecast.World, error) {
	t := &adviseRun{Bench: b, place: p, policies: policies, world: &forecast.World{Name: name}}
	if err := t.run(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.World.Name, err)
	}
	return t.world, nil
}

// An adviseRun crawls one place.
type adviseRun struct {
	*Bench
	place    *Place
	policies []string
	world    *forecast.World
}

func (t *adviseRun) run() error {
	ranks, err := byPageRank(t.Bench, t.place, nil)
	if err != nil {
		return err
	}
	truth := forecast.Truth{Importance: ranks.Value}
	if r := t.place.World.Readings; r != nil {
		_, truth.Hot = r.Similarities()
	}
	starts := t.starts()
	for i, seeds := range starts {
		t.say(i, len(starts), "%s: start %d", t.world.Name, i+1)
		w, o := t.place.World, t.truthOptions(t.place)
		if truth.Personal, err = forecast.Personal(w.Web(), w.Pages(), seeds, rank.Options{SelfLinks: w.Sim.SelfLinks, Threads: t.Threads, Progress: o.Progress}); err != nil {
			return err
		}
		found := make([]forecast.World, len(t.policies))
		if err := t.inParallel(len(found), func(k int) error { return t.crawl(&found[k], i, k, seeds, &truth) }); err != nil {
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
	list, all := [][]graph.Page{t.place.Seeds}, t.place.reach(t.place.Seeds)
	for n := 1; n < t.adviseStarts(); n++ {
		size := 1 + (boardPages-1)*(1-n%2)
		for draw := range draws {
			seeds := lab.RandomSeeds(t.place.World.Pages(), size, t.Random, uint64(n*draws+draw))
			if t.Context.Err() != nil || 2*t.place.reach(seeds) >= all {
				list = append(list, seeds)
				break
			}
		}
	}
	return list
}

// crawl crawls from a start under a policy, and stops at several places.
func (t *adviseRun) crawl(found *forecast.World, start, k int, seeds []graph.Page, truth *forecast.Truth) error {
	s := t.setting(t.place, nil)
	var err error
	if s.Times, err = sim.Preset("modern", t.Random+uint64(start)); err != nil {
		return err
	}
	s.Seeds, s.MaxPages, s.Fetchers, s.Frontier.Delay = seeds, advisePages, adviseFetchers, adviseDelay
	c, err := t.prepare(t.place, s)
	if err != nil {
		return err
	}
	run, err := c.Simulate(t.policies[k], t.stop)
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
