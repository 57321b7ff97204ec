package leaderboard

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/internal/show"
)

// small returns a board of three graphs with one start each but the first, which has two. The
// ceiling is 0.8 and random 0.4 everywhere, so that regret is (0.8 - average)/0.4.
//
//	regret      a1    a2    b     c
//	ours       .25   .25   .5    .75
//	opic       .50   .50   .75   .25
//	bfs        .75  1.00   .5    .75
//	location    1     1    1     -
func small() *Board {
	b := &Board{Policies: []Policy{{"ours", Own}, {"opic", Published}, {"bfs", Published}, {"location", Published}, {random, Baseline}, {horn, Baseline}, {omniscient, Baseline}}}
	for _, name := range []string{"a", "b", "c"} {
		b.Graphs = append(b.Graphs, NewGraph(name, len(b.Policies)))
	}
	add := func(g int, name string, regrets ...float64) {
		s := &Start{Graph: g, Name: name, Pages: 100}
		for _, r := range append(regrets, 1, 0, 0.5) {
			s.Average = append(s.Average, 0.8-0.4*r)
		}
		b.Starts = append(b.Starts, s)
	}
	add(0, "one", .25, .5, .75, 1)
	add(0, "two", .25, .5, 1, 1)
	add(1, "one", .5, .75, .5, 1)
	add(2, "one", .75, .25, .75, math.NaN())
	return b
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 || math.IsNaN(a) && math.IsNaN(b) }) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// A graph counts once, a policy that cannot run somewhere is no rival, and the published
// policy of a graph is chosen on the others.
func TestBoard(t *testing.T) {
	b := small()
	near(t, "ours", b.regrets(of(0)), []float64{.25, .5, .75})
	near(t, "bfs", b.regrets(of(2)), []float64{.875, .5, .75})
	near(t, "location", b.regrets(of(3)), []float64{1, 1, math.NaN()})
	near(t, "hindsight", b.regrets(b.hindsight()), []float64{.5, .5, .25})
	b.Starts[2].Average[3] = 0.7 // location is good on b, and does not run on c
	near(t, "hindsight with location", b.regrets(b.hindsight()), []float64{.5, .25, .25})
	if i, _ := b.bestOn(1); i != 3 {
		t.Errorf("the best on b is %s", b.Policies[i].Name)
	}
	if r := b.rivals(); !slices.Equal(r, []int{1, 2}) {
		t.Errorf("rivals %v", r)
	}
	if i := b.best(-1); i != 1 {
		t.Errorf("the best single is %s", b.Policies[i].Name)
	}
	rivals := b.leftOut() // without c, opic has .625 and bfs .6875; without b, .375 and .8125
	if !slices.Equal(rivals, []int{1, 1, 1}) {
		t.Errorf("chosen on the others: %v", rivals)
	}
	near(t, "left out", b.regrets(b.chosen()), []float64{.5, .75, .25})
	b.Starts[0].Average[1], b.Starts[1].Average[1] = 0.2, 0.2 // opic bad on a: without c it is bfs
	if rivals = b.leftOut(); !slices.Equal(rivals, []int{1, 2, 2}) {
		t.Errorf("chosen on the others: %v", rivals)
	}
}

// cells returns the row of a table that begins with a name.
func cells(t *testing.T, s show.Section, name string) []show.Cell {
	t.Helper()
	for _, row := range s.Table.Rows {
		if row[0].String() == name {
			return row
		}
	}
	t.Fatalf("%s has no row %s", s.Title, name)
	return nil
}

func TestSections(t *testing.T) {
	b := small()
	if s := b.Verdict(); !strings.Contains(s, "0.500 over 3 graphs") || !strings.Contains(s, "(opic) 0.500") || !strings.Contains(s, "1 of 4 starts") {
		t.Error(s)
	}
	row := cells(t, b.differences(), "opic")
	// by graph -.25, -.25, .5: mean 0, sd .4330, t = 4.303, so the interval is 1.0757 to both sides
	near(t, "difference", []float64{row[1].Value(), row[2].Value(), row[3].Value()}, []float64{0, -4.303 * math.Sqrt(0.1875) / math.Sqrt(3), 4.303 * math.Sqrt(0.1875) / math.Sqrt(3)})
	if row[7].String() != "3 of 4" || math.Abs(row[8].Value()+0.2) > 1e-12 {
		t.Errorf("ahead in %s, worst %s", row[7], row[8])
	}
	if row = cells(t, b.behind(), "c"); row[4].String() != "opic" || math.Abs(row[6].Value()-0.2) > 1e-12 {
		t.Errorf("lost: %v", row)
	}
	if row = cells(t, b.graphByGraph(), "c"); row[5].String() != "opic" || math.Abs(row[7].Value()+0.2) > 1e-12 {
		t.Errorf("graph c: %v", row)
	}
	if row = cells(t, b.differences(), chosenName); math.Abs(row[1].Value()) > 1e-12 {
		t.Errorf("against the choice on the other graphs, which is opic everywhere: %v", row)
	}
	if row = cells(t, b.table(), "location"); row[4].String() != "-" || row[5].Value() != 1 {
		t.Errorf("a policy that cannot run on a graph: %v", row)
	}
	if err := b.Check(); err != nil {
		t.Error(err)
	}
	b.Graphs[0].Hours, b.Graphs[2].Hours = [][]float64{{3, 2, 4, 1, 9, 9, 9}}, [][]float64{{3, 4, 3, math.NaN(), 9, 9, 9}}
	hours, ok := b.hours(0)
	if row = cells(t, hours, "ours"); !ok || row[4].Value() != 2 { // 3/1 by location and 3/3: it has no time on c
		t.Errorf("time against the fastest published: %v", row)
	}
	b.Policies = b.Policies[3:]
	if b.Check() == nil {
		t.Error("a board without rivals is accepted")
	}
}

// What a report has can be read back.
func TestEarlier(t *testing.T) {
	b := small()
	for k := range Shares() {
		b.Graphs[1].Curves[1] = append(b.Graphs[1].Curves[1], 1/float64(k+3))
	}
	b.Graphs[1].Micros[1], b.Graphs[1].Bytes[1] = 0.1+0.2, 12.5
	b.Graphs[1].Hours = [][]float64{{1, 2, 3, 4, math.NaN(), 5, 6}, make([]float64, 7), make([]float64, 7)}
	rep := show.Report{Title: "leaderboard", Sections: b.Sections(), Header: []show.Field{{Name: "world", Value: "x"}, {Name: "world", Value: "b: 3 pages"}, {Name: "random seed", Value: "7"}}}
	var file bytes.Buffer
	if err := rep.WriteJSON(&file); err != nil {
		t.Fatal(err)
	}
	whole := file.String()
	for _, text := range []string{whole, `{"experiment":"leaderboard","report":` + whole + "}"} {
		e, err := ReadEarlier(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		seed := show.Field{Name: "random seed", Value: "7"}
		if !e.Covers(seed, show.Field{Name: "world", Value: "b: 3 pages"}) || e.Covers(seed, show.Field{Name: "world", Value: "b: 4 pages"}) || e.Covers(show.Field{Name: "random seed", Value: "x"}) {
			t.Error("the worlds are not recognised")
		}
		if v, ok := e.Average("a", b.Starts[1], "bfs"); !ok || v != b.Starts[1].Average[2] {
			t.Errorf("average %v, %v", v, ok)
		}
		if _, ok := e.Average("c", b.Starts[3], "location"); ok {
			t.Error("an average that is not there")
		}
		g := NewGraph("b", 1)
		if !e.Fill(g, 0, "opic") || e.Fill(g, 0, "bfs") {
			t.Error("not those curves are there that should be")
		}
		near(t, "curve", g.Curves[0], b.Graphs[1].Curves[1])
		near(t, "cost", []float64{g.Micros[0], g.Bytes[0]}, []float64{0.1 + 0.2, 12.5})
		if v, ok := e.Hours("b", 0, "bfs"); !ok || v != 3 {
			t.Errorf("hours %v, %v", v, ok)
		}
	}
	for _, text := range []string{"", "{}", "x"} {
		if _, err := ReadEarlier(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
