package najork01

import (
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
	"github.com/winnow-crawler/winnow/sim"
)

// formulaPlace is the web of scripts/outside.py.
func formulaPlace(t *testing.T) *experiment.Place {
	const n = 60
	links, site := make([][]graph.Page, n), make([]graph.Site, n)
	for p := range links {
		site[p] = graph.Site(p / 10)
		for q := range n {
			if q != p && (q == (7*p+1)%n || q == (p*p+3)%n || p%4 != 0 && q == (p+1)%n) {
				links[p] = append(links[p], graph.Page(q))
			}
		}
	}
	w := &lab.World{Name: "formula", Sim: sim.World{Out: experimenttest.Web(t, links), SiteOf: site, Sites: 6}}
	w.In = rank.Transpose(w.Sim.Out)
	t.Cleanup(w.In.Free)
	return &experiment.Place{World: w, Seeds: []graph.Page{0}, SeedsName: "page 0"}
}

// TestWeightsOutside has the numbers of scripts/outside.py.
func TestWeightsOutside(t *testing.T) {
	r := &experiment.Run{Bench: experimenttest.BenchOf(formulaPlace(t)), Report: &show.Report{}, Findings: make([][]experiment.Finding, 2)}
	if err := weights(r, r.Places[0]); err != nil {
		t.Fatal(err)
	}
	rows := map[string][2]float64{"share 0.8": {0.648336, 0.469140}, "factor 4": {0.742449, 0.506505}, "factor 1": {0.401774, 0.375353}, "share 0.0": {-0.017071, 0.119891}}
	for _, row := range r.Report.Sections[0].Table.Rows {
		want, ok := rows[row[0].String()]
		if !ok {
			continue
		}
		delete(rows, row[0].String())
		for i := range want {
			if got := row[i+1].Value(); math.Abs(got-want[i]) > 1e-4 {
				t.Errorf("%v: tau %v, want %v", row[0], got, want[i])
			}
		}
	}
	if len(rows) > 0 {
		t.Errorf("not in the table: %v", rows)
	}
	flaw := r.Report.Sections[2].Table.Rows
	for i, want := range []float64{60, 14, 14} {
		if got := flaw[i][1].Value(); got != want {
			t.Errorf("%v: %v, want %v", flaw[i][0], got, want)
		}
	}
}

// TestParallel lets more pages at a time be faster where there are as many sites.
func TestParallel(t *testing.T) {
	p := experimenttest.Small(t, "many sites", 2000, 700, true)
	r := &experiment.Run{Bench: experimenttest.BenchOf(p), Report: &show.Report{}, Findings: make([][]experiment.Finding, 1)}
	if err := parallel(r, p); err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for _, row := range r.Report.Sections[0].Table.Rows {
		speed := row[2].Value()
		if speed < last {
			t.Errorf("%v at a time are %v times as fast, fewer %v", row[0], speed, last)
		}
		last = speed
	}
	if last < 10 {
		t.Errorf("500 at a time are %v times as fast", last)
	}
}
