package lab

import (
	"math"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// An order from elsewhere is measured as one of ours: the order of a simulation gives the
// numbers of that simulation, and the two lie side by side without a difference.
func TestMeasureElsewhere(t *testing.T) {
	truth := &measure.Truth{Metric: measure.PageRankMetric, Value: []float64{4, 3, 2, 1, 0, 0, 0, 0, 0, 0}, Pages: 10, MeanScale: true}
	e := []graph.Page{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	j, err := measure.NewJudge(truth, e, measure.JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := &Comparison{Setting: Setting{Truth: truth}, Judge: j}
	r, err := c.Measure("elsewhere", &sim.Result{Order: []graph.Page{1, 0, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	at := r.Tenths()
	for i, want := range []float64{0.3, 0.7, 0.9, 1, math.NaN()} {
		if got := at[i]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("after %d0 %%: %g, want %g", i+1, got, want)
		}
	}
	best, err := c.Measure("best", &sim.Result{Order: e})
	if err != nil {
		t.Fatal(err)
	}
	s := SideBySide(r, best)
	if len(s.Table.Rows) != 10 || s.Table.Rows[0][3].String() != "-10.0" || s.Table.Rows[1][3].String() != "0.0" || s.Table.Rows[9][3].String() != "-" {
		t.Errorf("%v", s.Table.Rows)
	}
	if !strings.Contains(s.Text, " 10.0 points") {
		t.Error(s.Text)
	}
	if _, err := c.Measure("twice", &sim.Result{Order: []graph.Page{1, 1}}); err == nil {
		t.Error("a page that comes twice is no order")
	}
	if _, err := new(Comparison).Measure("x", &sim.Result{}); err == nil {
		t.Error("without a truth nothing can be measured")
	}
}

// Importance that falls with the depth is correlated with it.
func TestDepthSections(t *testing.T) {
	truth := &measure.Truth{Value: []float64{8, 4, 4, 1, 1, 1, 1}, Pages: 7, MeanScale: true}
	depth := func(p graph.Page) int { return []int{0, 1, 1, 7, 7, 7, 7}[p] }
	list := DepthSections(truth, []graph.Page{0, 1, 2, 3, 4, 5, 6}, "the nearest seed", depth)
	rows := list[0].Table.Rows
	if len(rows) != 3 || rows[0][2].Value() != 8*7/20.0 || rows[2][0].Value() != 7 || rows[2][1].Value() != 4 || rows[1][3].Value() != 40 {
		t.Errorf("%+v", rows)
	}
	bands := list[1].Table.Rows
	if len(bands) != 4 || bands[0][2].String() != "-1.000" || bands[2][2].String() != "0.000" || bands[3][2].String() != "-1.000" {
		t.Errorf("%+v", bands)
	}
}
