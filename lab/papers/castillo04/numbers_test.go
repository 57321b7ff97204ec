package castillo04

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/stats"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// madeUp is a course with given averages, for what is said about it.
func madeUp(place *experiment.Place, averages map[string]float64) *experiment.Course {
	o := &experiment.Course{Place: place}
	for _, r := range thesisRows() {
		if a, ok := averages[r.policy]; ok {
			half := 1 - a
			o.Runs = append(o.Runs, &lab.Run{Policy: r.policy, Measures: measure.Measures{Average: a, TauSample: a, PagesFor50: &half}})
		}
	}
	return o
}

// thesisAverages is what a course like that of the thesis would have.
func thesisAverages() map[string]float64 {
	all := map[string]float64{}
	for _, r := range thesisRows() {
		all[r.policy] = r.average
	}
	return all
}

func bareplace(sites int) *experiment.Place {
	return &experiment.Place{World: &lab.World{Name: "here", Sim: sim.World{SiteOf: []graph.Site{0}, Sites: sites}}}
}

// A ranking like theirs has a correlation of 1; one strategy moved to the other end
// changes the finding and is named.
func TestCastilloRankingFinding(t *testing.T) {
	same := madeUp(bareplace(9), thesisAverages())
	k := rankingOf(same, orderOnly, groupOrders)
	if f := k.finding(nil); len(k.rows) != 7 || !f.Holds || kendall(k.rows, byAverage) != 1 || len(k.swaps()) != 0 {
		t.Errorf("their own ranking: %v, %+v", kendall(k.rows, byAverage), f)
	}
	moved := thesisAverages()
	moved["larger-sites-first"], moved["backlink-count"] = 0.3, 0.71
	k = rankingOf(madeUp(bareplace(9), moved), orderOnly, groupOrders)
	f := k.finding(nil)
	if f.Holds || !regexp.MustCompile(`backlink-count above larger-sites-first \(0\.710 to 0\.300, .*0\.495 to 0\.675\)`).MatchString(k.explain()) {
		t.Errorf("%+v: %s", f, k.explain())
	}
	// 21 pairs; backlink-count passes five, larger-sites-first is passed by five, and
	// one pair is both.
	if n := len(k.swaps()); n != 9 {
		t.Errorf("%d swaps", n)
	}
	if want := (21.0 - 2*9) / 21; math.Abs(kendall(k.rows, byAverage)-want) > 1e-12 {
		t.Errorf("correlation %v, want %v", kendall(k.rows, byAverage), want)
	}
	// With one site larger-sites-first is no strategy of its own.
	if k := rankingOf(madeUp(bareplace(1), moved), orderOnly, groupOrders); len(k.rows) != 6 {
		t.Errorf("%d strategies with one site", len(k.rows))
	}
}

func TestCastilloOrderFindings(t *testing.T) {
	all := thesisAverages()
	all["batch-pagerank"], all["larger-sites-first"], all["opic/cash=seeds"] = 0.75, 0.71, 0.72
	if f := halfFinding(madeUp(bareplace(9), all)); !f.Holds {
		t.Errorf("half after 25, 29 and 28 %%: %+v", f)
	}
	all["larger-sites-first"] = 0.69
	if f := halfFinding(madeUp(bareplace(9), all)); f.Holds || !strings.Contains(f.Numbers, "larger-sites-first 31.0 %") {
		t.Errorf("half after 31 %%: %+v", f)
	}
	history := map[string]float64{"opic/cash=all": 0.6, "opic/cash=seeds": 0.65}
	for _, name := range historicalPolicies(true) {
		history[name] = 0.66
	}
	o := &experiment.Course{Place: bareplace(9)}
	for _, name := range append(historicalPolicies(true), "opic/cash=all", "opic/cash=seeds") {
		o.Runs = append(o.Runs, &lab.Run{Policy: name, Measures: measure.Measures{Average: history[name]}})
	}
	if f := historyFinding(o); !f.Holds {
		t.Errorf("%+v", f)
	}
	o.Runs[0].Measures.Average = 0.64
	if f := historyFinding(o); f.Holds || !strings.Contains(f.Numbers, "zero 0.6400") {
		t.Errorf("%+v", f)
	}
}

func TestCastilloFetchersFinding(t *testing.T) {
	cells := func(averages ...float64) []*lab.Run {
		var all []*lab.Run
		for _, a := range averages {
			all = append(all, &lab.Run{Measures: measure.Measures{Average: a}, Result: &sim.Result{Trace: sim.NewTrace(1)}})
		}
		return all
	}
	for _, c := range []struct {
		averages []float64
		holds    bool
	}{
		{[]float64{0.6, 0.62, 0.63, 0.67, 0.67, 0.675}, true},
		{[]float64{0.6, 0.6, 0.601, 0.67, 0.67, 0.67}, false},  // breadth-first stays
		{[]float64{0.6, 0.62, 0.63, 0.6, 0.65, 0.67}, false},   // larger-sites-first moves
		{[]float64{0.63, 0.62, 0.60, 0.67, 0.67, 0.67}, false}, // breadth-first falls
	} {
		if f := fetchersFinding(cells(c.averages...)); f.Holds != c.holds {
			t.Errorf("%v: %+v", c.averages, f)
		}
	}
}

func TestCastilloSpeedUpFinding(t *testing.T) {
	made := func(change func(h [][]float64)) experiment.Finding {
		s := &speedUps{place: bareplace(9), pages: 100, largest: 5, peak: 200}
		for _, r := range thesisSpeedUps() {
			s.hours = append(s.hours, []float64{1, 1, 1}) // what one slow answer at the end makes of it
			s.most = append(s.most, []float64{100 / r.theirs[0], 100 / r.theirs[1], 100 / r.theirs[2]})
			s.bytes = append(s.bytes, []float64{1, 1, 1}) // no line is full
		}
		change(s.most)
		return s.finding()
	}
	if f := made(func([][]float64) {}); !f.Holds || !strings.Contains(f.Numbers, "54.6 for r = 64 and 220.1 for r = 256") {
		t.Errorf("their own numbers: %+v", f)
	}
	for what, change := range map[string]func(h [][]float64){
		"more than linear": func(h [][]float64) { h[5][1] = 1 },
		"falls with r":     func(h [][]float64) { h[3][2] = 3 },
		"grows little":     func(h [][]float64) { h[4][1], h[4][2], h[5][1], h[5][2] = 60, 60, 60, 60 },
		"not saturated":    func(h [][]float64) { h[5][2] /= 1.15; h[4][2] *= 1.1 },
	} {
		if f := made(change); f.Holds {
			t.Errorf("%s: %+v", what, f)
		}
	}
}

// Gini by its definition: half of the mean absolute difference over the mean.
func TestGini(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		x := make([]int, 1+r.IntN(30))
		sum, differences := 0.0, 0.0
		for i := range x {
			x[i] = 1 + r.IntN(20)
			sum += float64(x[i])
		}
		for _, a := range x {
			for _, c := range x {
				differences += math.Abs(float64(a - c))
			}
		}
		want := differences / (2 * float64(len(x)) * sum)
		if g := stats.Gini(x); math.Abs(g-want) > 1e-12 {
			t.Fatalf("gini(%v) = %v, want %v", x, g, want)
		}
	}
	if f := skewFinding([]int{1, 1, 20}, []int{1, 1, 1, 1, 1, 80}); !f.Holds {
		t.Errorf("%+v", f)
	}
	if f := skewFinding([]int{1, 1, 1, 1, 1, 80}, []int{1, 1, 20}); f.Holds {
		t.Errorf("a batch more skewed than the web: %+v", f)
	}
	if f := skewFinding([]int{7}, []int{7, 1}); f.Holds || !strings.Contains(f.Numbers, "on one site") {
		t.Errorf("%+v", f)
	}
}

// Three fetches over ten seconds: one all the time, two for a part of it.
func TestMiddleBatchActive(t *testing.T) {
	m := &fetchedBatch{took: 10 * time.Second, spans: [][2]time.Duration{
		{0, 10 * time.Second}, {2 * time.Second, 4 * time.Second}, {3 * time.Second, 6 * time.Second},
	}}
	if got := m.mean(); got != 1.5 {
		t.Errorf("mean %v", got)
	}
	for n, want := range map[float64]float64{1: 0, 2: 0.6, 3: 0.9, 4: 1} {
		if got := m.below(n); math.Abs(got-want) > 1e-12 {
			t.Errorf("below %v for %v of the time, want %v", n, got, want)
		}
	}
	s, all := m.series("x"), 0.0
	for _, y := range s.Y {
		all += y / activePoints
	}
	if math.Abs(all-1.5) > 1e-9 || s.Y[0] != 1 || math.Abs(s.Y[3*activePoints/10+1]-3) > 1e-9 {
		t.Errorf("mean of the curve %v, %v", all, s.Y)
	}
}

// The batch in the middle has K pages, and fetching it fetches just these.
func TestMiddleBatch(t *testing.T) {
	p := experimenttest.Small(t, "many", 900, 60, true)
	b := experimenttest.BenchOf(p)
	m, err := middle(b, p, b.Setting(p, nil))
	if err != nil {
		t.Fatal(err)
	}
	if m.k != 30 || len(m.pages) != 30 {
		t.Fatalf("K %d, %d pages", m.k, len(m.pages))
	}
	all, err := batchesAt(b, p, 1, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range all {
		for _, f := range line {
			if !slices.Equal(f.pages, m.pages) || len(f.spans)+f.lost != 30 || f.took <= 0 || len(f.tail) == 0 {
				t.Errorf("%d pages, %d fetched, %d lost, in %v", len(f.pages), len(f.spans), f.lost, f.took)
			}
			for i, s := range f.spans {
				if s[0] < 0 || s[1] <= s[0] || s[1] > f.took {
					t.Errorf("fetch %d from %v to %v of %v", i, s[0], s[1], f.took)
				}
			}
		}
	}
	if small, large, free := all[0][0].took, all[1][0].took, all[2][0].took; small < large || large < free {
		t.Errorf("the same pages take %v, %v and %v over larger and larger lines", small, large, free)
	}
	few := experimenttest.Small(t, "few", 20, 4, true)
	if m, err = middle(b, few, b.Setting(few, nil)); err != nil || m.k != 1 || len(m.pages) != 1 {
		t.Errorf("20 pages: %+v, %v", m, err)
	}
}

func TestCastilloBatchFindings(t *testing.T) {
	batch := func(hours float64) *fetchedBatch {
		return &fetchedBatch{middleBatch: &middleBatch{pages: make([]graph.Page, 10)}, took: time.Duration(hours * float64(time.Hour))}
	}
	lines := func(h ...float64) [][]*fetchedBatch {
		return [][]*fetchedBatch{{batch(h[0]), batch(h[1])}, {batch(h[2]), batch(h[3])}, {batch(1), batch(1)}}
	}
	if f := ratioFinding(lines(33, 29, 9, 3)); !f.Holds || !strings.Contains(f.Numbers, "0.33 at 20 kB/s") {
		t.Errorf("their own hours: %+v", f)
	}
	if f := ratioFinding(lines(33, 10, 9, 8)); f.Holds {
		t.Errorf("more so with the smaller bandwidth: %+v", f)
	}
	took := func(hours ...float64) []*sim.Result {
		var all []*sim.Result
		for _, h := range hours {
			all = append(all, &sim.Result{Took: time.Duration(h * float64(time.Hour)), Start: []time.Duration{0}, End: []time.Duration{1}})
		}
		return all
	}
	if f := paceFinding(took(10, 1, 1.05, 0.2, 0.21)); !f.Holds {
		t.Errorf("%+v", f)
	}
	if f := paceFinding(took(10, 1, 1.05, 0.2, 0.3)); f.Holds || !strings.Contains(f.Numbers, "-33.3 % with c = 100") {
		t.Errorf("%+v", f)
	}
}

func TestCastilloTimeFinding(t *testing.T) {
	draws := func(fast, middle int) []download {
		var d []download
		for i := range 100 {
			switch {
			case i < fast:
				d = append(d, download{total: 1})
			case i < middle:
				d = append(d, download{total: 2})
			default:
				d = append(d, download{total: 9})
			}
		}
		return d
	}
	if f := timeFinding(draws(90, 95)); !f.Holds || f.Numbers != "90.0 % and 95.0 %" {
		t.Errorf("%+v", f)
	}
	for _, d := range [][]download{draws(80, 95), draws(90, 99)} {
		if f := timeFinding(d); f.Holds {
			t.Errorf("%+v", f)
		}
	}
}

func TestDistributionVerdict(t *testing.T) {
	place := func(name string) *experiment.Place { return &experiment.Place{World: &lab.World{Name: name}} }
	places := []*experiment.Place{place("a"), place("b")}
	flat, steep := measure.Random(100, 100), measure.IdealFound(50, 100, 100)
	if v := distributionVerdict(places, []measure.Curve{flat, flat}); !strings.HasPrefix(v, "Holds") {
		t.Error(v)
	}
	if v := distributionVerdict(places, []measure.Curve{flat, steep}); !regexp.MustCompile(` 50\.0 % .* 50 % .*\(b `).MatchString(v) {
		t.Error(v)
	}
	if v := distributionVerdict(places[:1], []measure.Curve{steep}); !strings.Contains(v, "25.0 %") {
		t.Error(v)
	}
}

// An order above the ideal one is an error of ours (P9).
func TestCheckBound(t *testing.T) {
	e := []graph.Page{0, 1, 2}
	low, err := measure.NewJudge(&measure.Truth{Value: []float64{1, 1, 1}}, e, measure.JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	high, err := measure.NewJudge(&measure.Truth{Value: []float64{4, 1, 1}}, e, measure.JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for judge, fails := range map[*measure.Judge]bool{low: false, high: true} {
		trial, err := judge.Try(e)
		if err != nil {
			t.Fatal(err)
		}
		o := &experiment.Course{Place: bareplace(1), Comparison: &lab.Comparison{Judge: low}, Runs: []*lab.Run{{Policy: "x", Trial: trial}}}
		if err := checkBound(o); (err != nil) != fails {
			t.Errorf("%v, want an error: %v", err, fails)
		}
	}
}

// Of a part, absent is PageRank of the web of the fetched pages; of the whole, both are
// the truth (L13).
func TestPartialTau(t *testing.T) {
	p := experimenttest.Small(t, "many", 400, 20, true)
	b := experimenttest.BenchOf(p)
	truth, err := experiment.ByPageRank(b, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := ordered(b, p, []string{"breadth-first"})
	if err != nil {
		t.Fatal(err)
	}
	order := o.Runs[0].Result.Order
	part := order[:len(order)/5]
	within, err := measure.PageRankTruth(p.World.Web(), measure.TruthOptions{Within: part})
	if err != nil {
		t.Fatal(err)
	}
	var x, y []float64
	for _, q := range part {
		x, y = append(x, within.Value[q]), append(y, truth.Value[q])
	}
	want, _ := measure.TauB(x, y)
	if got, err := partialTau(b, o, part, true); err != nil || math.Abs(got-want) > 1e-3 {
		t.Errorf("tau of a fifth %v, want %v (%v)", got, want, err)
	}
	dangling, err := partialTau(b, o, part, false)
	if err != nil || dangling == want {
		t.Errorf("pages that are known make no difference: %v (%v)", dangling, err)
	}
	for _, absent := range []bool{false, true} {
		if got, err := partialTau(b, o, order, absent); err != nil || got < 0.999 {
			t.Errorf("tau of the whole %v (%v)", got, err)
		}
	}
}
