package lab

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// comparisonOf is the pure ordering experiment on a random web, five pages a site.
func comparisonOf(t *testing.T, seed uint64, pages int, change func(*Setting)) *Comparison {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	out := webOf(t, randomLinks(r, pages, 5))
	sites := make([]graph.Site, pages)
	for p := range sites {
		sites[p] = graph.Site(p / 5)
	}
	w := &World{Name: "random web", Sim: sim.World{Out: out, SiteOf: sites, Sites: pages / 5}}
	truth, err := measure.PageRankTruth(w.Web(), measure.TruthOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := Setting{Setup: sim.Setup{Seeds: []graph.Page{0, 1, 2}, Random: seed, Batch: 20}, World: w, SeedsName: "three", Truth: truth}
	if change != nil {
		change(&s)
	}
	c, err := s.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func versusAll(t *testing.T, c *Comparison, names ...string) ([]*Run, *Baselines) {
	t.Helper()
	runs, base, err := c.Versus(names, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	return runs, base
}

// TestVersus: a baseline that is also requested runs once, and regret follows its
// definition.
func TestVersus(t *testing.T) {
	c := comparisonOf(t, 1, 200, nil)
	runs, base := versusAll(t, c, "opic", "random")
	if runs[1] != base.Random {
		t.Error("random ran twice")
	}
	ceiling := max(base.Horn.Measures.Average, base.Omniscient.Measures.Average)
	floor := base.Random.Measures.Average
	want := (ceiling - runs[0].Measures.Average) / (ceiling - floor)
	if got, ok := base.Regret(runs[0].Measures.Average); !ok || got != want || !(want > 0 && want < 1) {
		t.Errorf("regret of opic is %v, %v, want %v", got, ok, want)
	}
	if got, ok := base.Regret(floor); !ok || got != 1 {
		t.Errorf("regret of random is %v, %v", got, ok)
	}
	if _, ok := (*Baselines)(nil).Regret(0.5); ok {
		t.Error("a regret without baselines")
	}
}

// TestVersusSites: a site policy changes the runs and leaves the baselines alone.
func TestVersusSites(t *testing.T) {
	plain, plainBase := versusAll(t, comparisonOf(t, 2, 200, nil), "breadth-first")
	c := comparisonOf(t, 2, 200, func(s *Setting) { s.SitePolicy = "larger-sites-first" })
	sites, base := versusAll(t, c, "breadth-first")
	if slices.Equal(plain[0].Result.Order, sites[0].Result.Order) {
		t.Error("the site policy has no effect")
	}
	for i, pair := range [][2]*Run{{plainBase.Horn, base.Horn}, {plainBase.Omniscient, base.Omniscient}, {plainBase.Random, base.Random}} {
		if !slices.Equal(pair[0].Result.Order, pair[1].Result.Order) {
			t.Errorf("baseline %d depends on the site policy", i)
		}
	}
}

// TestVersusStops: the error of progress, which is told every few thousand pages, ends the
// runs.
func TestVersusStops(t *testing.T) {
	stop := errors.New("stop")
	for _, site := range []string{"", "opic"} {
		c := comparisonOf(t, 3, 6000, func(s *Setting) { s.SitePolicy = site })
		if _, _, err := c.Versus([]string{"opic"}, 2, func(int) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("site policy %q: %v", site, err)
		}
	}
}

// TestComparisonTable: the cells are the measures, the requested runs first, baselines after.
func TestComparisonTable(t *testing.T) {
	c := comparisonOf(t, 4, 200, func(s *Setting) { s.Hot = []float64{2} })
	runs, base := versusAll(t, c, "opic", "horn")
	table := c.Table(runs, base)
	var names []string
	for _, row := range table.Rows {
		names = append(names, row[0].String())
	}
	if want := []string{"opic", "horn", "omniscient (baseline)", "random (baseline)", "ideal (baseline)"}; !slices.Equal(names, want) {
		t.Errorf("rows %q, want %q", names, want)
	}
	at := func(row int, key string) float64 {
		i := slices.IndexFunc(table.Columns, func(c show.Column) bool { return cmp.Or(c.Key, c.Name) == key })
		if i < 0 {
			t.Fatalf("no column %q in %v", key, table.Columns)
		}
		return table.Rows[row][i].Value()
	}
	m := runs[0].Measures
	for key, want := range map[string]float64{
		"pages": float64(m.Pages), "avg_cumulative_pagerank": m.Average, "kendall_tau": m.Tau, "p_cs": m.CrawlStop,
		"p_st_2": m.Threshold[0].Mean, "pages_for_50": *m.PagesFor50, "pages_for_90": *m.PagesFor90,
	} {
		if got := at(0, key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	if got := at(1, "regret"); got != 0 && base.Horn.Measures.Average >= base.Omniscient.Measures.Average {
		t.Errorf("regret of horn is %v", got)
	}
	if ideal := at(4, "avg_cumulative_pagerank"); ideal < base.Horn.Measures.Average || ideal < base.Omniscient.Measures.Average {
		t.Errorf("ideal %v is below a crawl", ideal)
	}
}

// reportFiles is the three files of a report.
func reportFiles(t *testing.T, r *show.Report) (html, csv, json string) {
	t.Helper()
	var b [3]bytes.Buffer
	if err := errors.Join(r.WriteHTML(&b[0]), r.WriteCSV(&b[1]), r.WriteJSON(&b[2])); err != nil {
		t.Fatal(err)
	}
	return b[0].String(), b[1].String(), b[2].String()
}

// TestComparisonReport: the five things that a run is a function of stand in the header,
// the charts have ideal, horn and random (P5, P6), curves are thinned, and a second run
// gives the same bytes.
func TestComparisonReport(t *testing.T) {
	timed := func(s *Setting) {
		times, err := sim.Preset("thesis2004", 1)
		if err != nil {
			t.Fatal(err)
		}
		s.Times, s.Fetchers, s.Frontier.Delay, s.Frontier.Robots, s.Frontier.Resolve = times, 4, 2*time.Second, true, true
	}
	var first [3]string
	for i := range 2 {
		c := comparisonOf(t, 5, 200, timed)
		runs, base := versusAll(t, c, "opic", "breadth-first")
		r := c.Report("sim: random web", runs, base)
		html, csv, json := reportFiles(t, r)
		if i == 0 {
			first = [3]string{html, csv, json}
			checkComparisonReport(t, r, csv)
		} else if first != [3]string{html, csv, json} {
			t.Error("two runs differ")
		}
	}
}

func checkComparisonReport(t *testing.T, r *show.Report, csv string) {
	t.Helper()
	header := ""
	for _, f := range r.Header {
		header += f.Name + "=" + f.Value + "\n"
	}
	for _, want := range []string{"world=random web: 200 pages", "seeds=three: 3,", "policies=opic, breadth-first", "options=fetchers 4, delay 2s", "random seed=5", "times=thesis2004"} {
		if !strings.Contains(header, want) {
			t.Errorf("no %q in the header:\n%s", want, header)
		}
	}
	lines := strings.Split(csv, "\n")
	for _, curve := range []string{
		"Cumulative importance,opic,", "Cumulative importance,ideal,", "Cumulative importance,horn,", "Cumulative importance,random,",
		"P_CS: crawl and stop,opic,", "P_CS: crawl and stop,ideal,", "P_CS: crawl and stop,random,",
		"P_ST: pages with importance at least 1,opic,", "P_ST: pages with importance at least 1,ideal,", "P_ST: pages with importance at least 1,random,",
		"Importance over bytes,opic,", "Active fetchers,opic,",
		"Pages and importance over time,opic,", `Pages and importance over time,"opic, pages",`, "Fetchers of opic,active,", "Fetchers of opic,idle: polite,",
	} {
		n := 0
		for _, l := range lines {
			if strings.HasPrefix(l, curve) {
				n++
			}
		}
		if n < 2 || n > 512 {
			t.Errorf("%d points of %q", n, curve)
		}
	}
}

// TestTimeFor: the time for all of the importance is that of the last page which has
// any, and no level is reached later than a higher one.
func TestTimeFor(t *testing.T) {
	c := comparisonOf(t, 6, 200, func(s *Setting) {
		times, err := sim.Preset("modern", 1)
		if err != nil {
			t.Fatal(err)
		}
		s.Times = times
	})
	runs, _ := versusAll(t, c, "opic")
	curve, last := runs[0].Trial.Cumulative(), 0.0
	for _, level := range []float64{0.01, 0.5, 0.8, 0.9, 1} {
		k := 0
		for k < len(curve.Y) && curve.Y[k] < level-1e-12 {
			k++
		}
		got := runs[0].timeFor(curve, level)
		if want := runs[0].Result.End[k].Seconds(); got.Value() != want || want < last {
			t.Errorf("time for %v is %v, want %v", level, got.Value(), want)
		}
		last = got.Value()
	}
	if cut := runs[0].timeFor(measure.Curve{Y: curve.Y[:3], Reachable: curve.Reachable}, 1); !math.IsNaN(cut.Value()) {
		t.Errorf("a level that was not reached has the time %v", cut.Value())
	}
}

// TestStartSets: means and paired differences are those of the comparisons, set by set.
func TestStartSets(t *testing.T) {
	sets := map[int]*Comparison{}
	prepare := func(set int) (*Comparison, error) {
		sets[set] = comparisonOf(t, 7, 200, func(s *Setting) { s.Seeds = RandomSeeds(200, 5, 7, uint64(set)) })
		return sets[set], nil
	}
	names := []string{"breadth-first", "opic"}
	s, err := RunStartSets(names, 4, 2, prepare, nil)
	if err != nil {
		t.Fatal(err)
	}
	var lead float64
	for set := 1; set <= 4; set++ {
		runs, _ := versusAll(t, sets[set], names...)
		for i := range names {
			if s.Average[i][set-1] != runs[i].Measures.Average {
				t.Errorf("set %d: %s has %v, want %v", set, names[i], s.Average[i][set-1], runs[i].Measures.Average)
			}
		}
		lead += (runs[1].Measures.Average - runs[0].Measures.Average) / 4
	}
	if got := s.Lead(1); math.Abs(got.Mean-lead) > 1e-12 || got.N != 4 || got.Low > got.Mean || got.High < got.Mean {
		t.Errorf("lead %+v, want a mean of %v", got, lead)
	}
	if got := s.Lead(0); got.Mean != 0 || got.SD != 0 {
		t.Errorf("the first policy is ahead of itself by %+v", got)
	}
	sections := s.Sections()
	band := sections[0].Chart.Series[1]
	if n := len(band.X); n != startGrid || len(band.Low) != n || len(band.High) != n || band.Y[n-1] < 1-1e-12 {
		t.Errorf("a band of %d places that ends at %v", n, band.Y[len(band.Y)-1])
	}
	if rows := sections[1].Table.Rows; len(rows) != 2 || rows[1][9].String() != Differs(s.Lead(1)) {
		t.Errorf("rows %v", rows)
	}
}

// TestStartSetsFail: what goes wrong in a set is told with its number.
func TestStartSetsFail(t *testing.T) {
	broken := errors.New("broken")
	_, err := RunStartSets([]string{"opic"}, 2, 1, func(set int) (*Comparison, error) {
		if set == 2 {
			return nil, broken
		}
		return comparisonOf(t, 8, 200, nil), nil
	}, nil)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "start set 2") {
		t.Errorf("%v", err)
	}
}

// TestStartSetsEnd: an error of progress ends the sets, and the intervals after them.
func TestStartSetsEnd(t *testing.T) {
	stop := errors.New("stop")
	prepare := func(set int) (*Comparison, error) {
		return comparisonOf(t, 9, 50, func(s *Setting) { s.Seeds = RandomSeeds(50, 5, 9, uint64(set)) }), nil
	}
	for _, at := range []string{"set 1 of 3", "set 3 of 3", "interval 0 of 114", "interval 50 of 114"} {
		after := 0
		_, err := RunStartSets([]string{"breadth-first", "opic"}, 3, 1, prepare, func(what string) error {
			if what == at || after > 0 {
				after++
				return stop
			}
			return nil
		})
		if !errors.Is(err, stop) || after > 1 {
			t.Errorf("stop at %q: %v, %d calls", at, err, after)
		}
	}
}

// TestDiagonal (P6): charts over the pages have what pages drawn at random give, k/T.
func TestDiagonal(t *testing.T) {
	c := comparisonOf(t, 9, 50, func(s *Setting) { s.Seeds = RandomSeeds(50, 5, 9, 1) })
	runs, base, err := c.Versus([]string{"breadth-first"}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.curveSections(runs, base) {
		line := s.Chart.Series[len(s.Chart.Series)-1]
		if line.Name != "diagonal" || !line.Baseline || len(line.X) != len(c.Tree.Order) {
			t.Fatalf("%s ends with %s, %d points", s.Title, line.Name, len(line.X))
		}
		for i := range line.X {
			if want := float64(i+1) / float64(len(c.Tree.Order)); line.X[i] != want || line.Y[i] != want {
				t.Errorf("%s: the diagonal has (%v, %v), want %v", s.Title, line.X[i], line.Y[i], want)
			}
		}
	}
}
