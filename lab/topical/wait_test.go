package topical

import (
	"os"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/sim"
)

// Under politeness, and with a tenth of the pages, orders about a topic have at least twice the
// harvest rate of breadth-first if sites are left idle for better pages, and hardly more if they are
// not. With WINNOW_WEBS=10 it prints the figures of docs/focus.md.
func TestWaitForBetter(t *testing.T) {
	webs := uint64(2)
	if os.Getenv("WINNOW_WEBS") == "10" {
		webs = 10
	}
	var worlds []*World
	for seed := uint64(1); seed <= webs; seed++ {
		spec := fakeweb.Spec{Pages: 4000, Sites: 200, Links: 40_000, Seed: seed, Topics: fakeweb.SomeTopics()}
		w, err := Searched("text", spec, answer.Options{MinSize: 2000, MaxSize: 20_000}, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		if w.Sim.Times, err = sim.Preset("modern", seed); err != nil {
			t.Fatal(err)
		}
		worlds = append(worlds, w)
	}
	plain, _ := politeHarvest(t, worlds, "breadth-first", 0)
	for _, name := range []string{"topical", "best-first", "shark-search", "two-queue/near=0", "two-queue", "score"} {
		before, short := politeHarvest(t, worlds, name, 0)
		after, long := politeHarvest(t, worlds, name, time.Minute)
		t.Logf("%-16s harvest rate %.2f (%.0f s) -> %.2f (%.0f s); breadth-first %.2f", name, before, short, after, long, plain)
		least := 2 * plain
		if name == "two-queue/near=0" {
			least = before // most pages that wait are alike to it
		}
		if after < least {
			t.Errorf("%s: the harvest rate is %.3f, want %.3f", name, after, least)
		}
	}
}

// politeHarvest returns the harvest rate of a tenth of the pages of some worlds, by the truth, and
// the mean time of a crawl in seconds.
func politeHarvest(t *testing.T, worlds []*World, name string, wait time.Duration) (rate, seconds float64) {
	t.Helper()
	choice, err := policy.Choose(name)
	if err != nil {
		t.Fatal(err)
	}
	about, err := Query(0)
	if err != nil {
		t.Fatal(err)
	}
	worth, err := score.Compile(score.TopicExpression)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range worlds {
		o := sim.Options{Policy: choice, Setup: sim.Setup{
			Seeds: []graph.Page{0}, Random: uint64(i + 1), Batch: 1000, Fetchers: 500, MaxPages: w.Pages() / 10, Score: worth,
		}}
		f := &o.Frontier
		f.Delay, f.Resolve, f.Robots, f.Topic, f.WaitForBetter = 2*time.Second, true, true, about, wait
		res, err := sim.Run(&w.Sim, o)
		if err != nil {
			t.Fatal(err)
		}
		on, found := w.OnTopic(0), 0
		for _, p := range res.Order {
			if on[p] {
				found++
			}
		}
		n := float64(len(worlds))
		rate += float64(found) / float64(len(res.Order)) / n
		seconds += res.Took.Seconds() / n
	}
	return rate, seconds
}
