package boards

import (
	"context"
	"testing"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
	"github.com/winnow-crawler/winnow/lab/forecast"
)

// adviseWorlds crawls generated webs as the experiment does.
func adviseWorlds(t *testing.T) (worlds []*forecast.World) {
	t.Helper()
	b := &experiment.Bench{Context: context.Background(), Random: 5, Threads: 2, Starts: 3}
	for _, s := range []fakeweb.Spec{
		{Pages: 2000, Sites: 30, Links: 16_000, Seed: 21}, {Pages: 3000, Sites: 150, Links: 18_000, Seed: 22}, {Pages: 2500, Sites: 6, Links: 40_000, Seed: 23},
	} {
		w, err := advised(b, experimenttest.Fake(t, s), "web", "foresight", "opic", "breadth-first")
		if err != nil {
			t.Fatal(err)
		}
		worlds = append(worlds, w)
	}
	return worlds
}

// leastShort is how many intervals must hold the truth in crawls as short as those below: about
// 70 of 100 do in crawls of less than a thousand pages (docs/advise.md), and there are 81.
const leastShort = 0.65

// On generated webs the intervals hold the truth often enough, and are narrower than those
// around the last tenth and its trend; on real graphs winnow lab run advise measures the same
// (S22). The certain share is never above the truth.
func TestAdvise(t *testing.T) {
	worlds := adviseWorlds(t)
	for b := range advise.Budgets {
		s := forecast.Sum(worlds, b)
		if s.Cases < 70 {
			t.Fatalf("%d cases by %s", s.Cases, b)
		}
		if s.Covered < leastShort {
			t.Errorf("by %s %.1f %% of the intervals hold the truth", b, 100*s.Covered)
		}
		if s.Width >= s.Trend {
			t.Errorf("by %s intervals have the width %.2f, those around the trend %.2f", b, s.Width, s.Trend)
		}
	}
	for _, w := range worlds {
		if least, above := w.Certain(); above > 0 || least < 0.05 {
			t.Errorf("the certain share is %v at least, and above the truth in %d cases", least, above)
		}
	}
}

// On webs with topics the intervals of the number of pages about one hold it often enough, and
// are narrower than the best ones around what the last tenth brought.
func TestAdviseTopics(t *testing.T) {
	b := &experiment.Bench{Context: context.Background(), Random: 5, Threads: 2, Starts: 3}
	var worlds []*forecast.World
	for i := range uint64(3) {
		p, _, err := b.TextWorld(fakeweb.Spec{Seed: 31 + i, Pages: 3000, Topics: adviseTopic(i)}, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer p.World.Free()
		w, err := advised(b, p, p.World.Name, "topical", "breadth-first")
		if err != nil {
			t.Fatal(err)
		}
		worlds = append(worlds, w)
	}
	for k := range advise.Budgets {
		s := forecast.SumHot(worlds, k)
		if s.Cases < 50 {
			t.Fatalf("%d cases by %s", s.Cases, k)
		}
		if s.Covered < 0.7 || s.Covered > 0.95 || s.Width >= s.Last {
			t.Errorf("by %s %.1f %% of the intervals hold the truth, width %.2f, around the last tenth %.2f", k, 100*s.Covered, s.Width, s.Last)
		}
	}
}

// The experiment shows its tables, and leaves hours out where sites are unknown.
func TestAdviseReport(t *testing.T) {
	b := boardBench(t)
	b.TextPages = 1200
	r, err := experimenttest.Named(t, Experiments(), "advise").Run(b)
	if err != nil {
		t.Fatal(err)
	}
	rows := experimenttest.Section(t, r, "Forecasts by graph").Table.Rows
	if len(rows) != 2 || r.Verdict == "" {
		t.Fatalf("%d rows, verdict %q", len(rows), r.Verdict)
	}
	if rows := experimenttest.Section(t, r, "Forecasts of pages about a topic").Table.Rows; len(rows) != adviseTopics+1 {
		t.Errorf("%d rows of webs with topics", len(rows))
	}
}
