package najork01

import (
	"math"
	"slices"
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
		if speed < 0.8*last {
			t.Errorf("%v at a time are %v times as fast, fewer %v", row[0], speed, last)
		}
		last = speed
	}
	if last < 20 {
		t.Errorf("500 at a time are %v times as fast", last)
	}
}

// TestParallelOutside compares the pages a day of the experiment with those of a few lines that have
// nothing of package sim but the times and sizes of its pages: fetchers take the first page whose
// site is ready, and a site is ready ten times as long after a page as the page took.
func TestParallelOutside(t *testing.T) {
	const n, sites = 400, 25
	site := make([]graph.Site, n)
	p := &experiment.Place{SeedsName: "all"}
	for i := range site {
		site[i] = graph.Site(i * i % sites)
		p.Seeds = append(p.Seeds, graph.Page(i))
	}
	p.World = &lab.World{Name: "seeds", Sim: sim.World{Out: experimenttest.Web(t, make([][]graph.Page, n)), SiteOf: site, Sites: sites}}
	b := experimenttest.BenchOf(p)
	times, err := sim.Preset(experiment.ThesisTimes, b.Random)
	if err != nil {
		t.Fatal(err)
	}
	for _, fetchers := range []int{1, 10, mercatorFetchers} {
		s := b.Setting(p, nil)
		if err := (way{"", fetchers, mercatorFactor}).set(b, &s); err != nil {
			t.Fatal(err)
		}
		got, err := dailyRate(b, p, s)
		if err != nil {
			t.Fatal(err)
		}
		var ends []float64
		free, ready, done := make([]float64, fetchers), make([]float64, sites), make([]bool, n)
		for range n {
			slices.Sort(free)
			best, at := -1, math.Inf(1)
			for q := range done {
				if when := max(free[0], ready[site[q]]); !done[q] && when < at {
					best, at = q, when
				}
			}
			q, its := graph.Page(best), site[best]
			took := times.Connect(its, uint32(q)).Seconds() + times.FirstByte(its, q, 0).Seconds() + float64(times.Size(q))/times.Speed(its)
			done[best] = true
			free[0] = at + took + times.Close(its, uint32(q)).Seconds()
			ready[its] = at + took + max(mercatorFactor*took, free[0]-at-took)
			ends = append(ends, at+took)
		}
		slices.Sort(ends)
		k := int(math.Ceil(parallelMost * n))
		if want := float64(k) / ends[k-1] * 86400; math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%d at a time: %.1f pages a day, want %.1f", fetchers, got, want)
		}
	}
}
