package papers

import (
	"testing"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// TestImportanceOfExperiments runs experiments with forward links as importance (M13): each says so,
// asks for them once a place, and shows other numbers than with its own.
func TestImportanceOfExperiments(t *testing.T) {
	asked := map[string]int{}
	outlinks, _ := rank.Named("outlinks")
	given := func(b *experiment.Bench) {
		b.ImportanceName = "outlinks"
		b.Importance = func(p *experiment.Place) (*measure.Truth, error) {
			asked[p.World.Name]++
			return measure.MetricTruth(p.World.Web(), outlinks, b.TruthOptions(p))
		}
	}
	for _, name := range []string{"cho98-graph2", "cho98-graph5", "cho98-graph6", "cho98-buffer", "najork01-fig1", "najork01-weights", "castillo04-fig4.4", "castillo04-last", "castillo04-partial-rank"} {
		found := Named(name)
		if len(found) != 1 {
			t.Fatal(name)
		}
		e := found[0]
		spec := fakeweb.Spec{Pages: 400, Sites: 12, Links: 1600, Seed: 4}
		if name == "castillo04-partial-rank" { // it solves hundreds of times
			spec.Pages, spec.Links = 100, 400
		}
		small := func() *experiment.Bench { return experimenttest.BenchOf(experimenttest.Fake(t, spec)) }
		plain, other := small(), small()
		clear(asked)
		given(other)
		own, err := e.Run(plain)
		if err != nil {
			t.Fatal(name, err)
		}
		rep, err := e.Run(other)
		if err != nil {
			t.Fatal(name, err)
		}
		if last := rep.Header[len(rep.Header)-1]; last.Name != "importance" {
			t.Errorf("%s does not say by which importance: %v", name, rep.Header)
		}
		for place, n := range asked {
			if n != 1 {
				t.Errorf("%s asked %d times for the importance of %s", name, n, place)
			}
		}
		text := func(r *show.Report) string { return (&show.Report{Sections: r.Sections}).Text(show.TextOptions{}) }
		if same := text(own) == text(rep); same != (e.Own != "") {
			t.Errorf("%s: the same numbers with another importance: %t", name, same)
		}
	}
}
