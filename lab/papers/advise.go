package papers

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/forecast"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
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
	adviseStops    = 3 // of each crawl
	advisePages    = 20_000
	adviseFetchers = 16
	adviseDelay    = 2 * time.Second
	adviseFrom     = 0.08 // share of a crawl after which it may be stopped
	adviseTo       = 0.88
)

func advisePolicies() []string { return []string{"foresight", "opic", "breadth-first"} }

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

// runAdvise stops crawls of each place, asks for advice, and lets them go on.
func runAdvise(r *run) error {
	var worlds []*forecast.World
	names := boardNames(r.Places)
	for i, p := range r.Places {
		t := &adviseRun{Bench: r.Bench, place: p, world: &forecast.World{Name: names[i]}}
		if err := t.run(); err != nil {
			return fmt.Errorf("%s: %w", p.World.Name, err)
		}
		worlds = append(worlds, t.world)
	}
	r.report.Verdict = forecast.Verdict(worlds)
	r.show(forecast.Sections(worlds, text("advise-totals"), text("advise-shares"))...)
	return nil
}

// An adviseRun crawls one place.
type adviseRun struct {
	*Bench
	place *Place
	world *forecast.World
	truth *measure.Truth
}

func (t *adviseRun) run() (err error) {
	if t.truth, err = byPageRank(t.Bench, t.place, nil); err != nil {
		return err
	}
	starts := t.starts()
	policies := advisePolicies()
	for i, seeds := range starts {
		t.say(i, len(starts), "%s: start %d", t.world.Name, i+1)
		personal, err := t.personal(seeds)
		if err != nil {
			return err
		}
		found := make([]forecast.World, len(policies))
		err = t.inParallel(len(policies), func(k int) error { return t.crawl(&found[k], i, k, seeds, personal) })
		if err != nil {
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

// personal returns PageRank with jumps to the seeds, also from pages without links.
func (t *adviseRun) personal(seeds []graph.Page) ([]float64, error) {
	jump := make([]float64, t.place.World.Pages())
	for _, p := range seeds {
		jump[p] = 1
	}
	o := rank.Options{Teleport: jump, DanglingToTeleport: true, SelfLinks: t.place.World.Sim.SelfLinks, Threads: t.Threads,
		Progress: func(int, float64) error { return t.Context.Err() }}
	res, err := rank.PageRank(t.place.World.Web(), o)
	if err != nil {
		return nil, err
	}
	return res.Score, nil
}

// crawl crawls from a start under a policy, and stops at several places.
func (t *adviseRun) crawl(found *forecast.World, start, k int, seeds []graph.Page, personal []float64) error {
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
	run, err := c.Simulate(advisePolicies()[k], t.stop)
	if err != nil {
		return err
	}
	for i := range adviseStops {
		u := float64(policy.Hash(t.Random, uint64(start), uint64(k), uint64(i))%1000) / 1000
		share := adviseFrom + (adviseTo-adviseFrom)*(float64(i)+u)/adviseStops
		if n := int(share * float64(len(run.Result.Order))); n >= advise.MinPages {
			if err := found.Ask(&t.place.World.Sim, run.Result, n, seeds, t.truth.Value, personal); err != nil {
				return err
			}
		}
	}
	return nil
}
