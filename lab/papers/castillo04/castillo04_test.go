package castillo04

import (
	"context"
	"errors"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
)

// withEarlier gives a place an earlier crawl that had two pages of three, with values
// near those of today.
func withEarlier(t testing.TB, b *experiment.Bench, p *experiment.Place) *experiment.Place {
	t.Helper()
	truth, err := experiment.ByPageRank(b, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	old := make([]float64, p.World.Pages())
	for i, v := range truth.Value {
		old[i] = math.NaN()
		if i%3 != 1 {
			old[i] = v * float64(10+i%5)
		}
	}
	if p.History, err = lab.NewHistory(old, []float64{0.01, 0.02}); err != nil {
		t.Fatal(err)
	}
	return p
}

// castilloBench has a web of many sites with a history, one of a few sites and one
// without sites.
func castilloBench(t testing.TB) *experiment.Bench {
	pages := 900
	if testing.Short() {
		pages = 450
	}
	b := experimenttest.BenchOf()
	b.Places = []*experiment.Place{
		withEarlier(t, b, experimenttest.Small(t, "many", pages, 60, true)),
		experimenttest.Small(t, "few", 400, 5, true),
		experimenttest.Small(t, "siteless", 300, 1, false),
	}
	return b
}

// runCastillo runs one experiment.
func runCastillo(t testing.TB, b *experiment.Bench, name string) *show.Report {
	t.Helper()
	r, err := experimenttest.Named(t, Experiments(), "castillo04-"+name).Run(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every experiment runs, says what it found in a sentence, has a chart and a table, and
// is the same with another number of threads (L6).
func TestCastilloExperiments(t *testing.T) {
	b, one := castilloBench(t), castilloBench(t)
	one.Threads = 1
	if !testing.Short() { // the intervals cost more than the crawls
		b.Starts, one.Starts = 2, 2
	}
	for _, e := range Experiments() {
		t.Run(e.Name, func(t *testing.T) {
			b, one := *b, *one
			if os.Getenv("WINNOW_TORTURE") == "" && e.Name == "castillo04-partial-rank" { // it solves hundreds of times at each place
				b.Places, one.Places = b.Places[1:2], one.Places[1:2]
			}
			r, err := e.Run(&b)
			if err != nil {
				t.Fatal(err)
			}
			if r.Title != e.Name || !strings.HasSuffix(r.Verdict, ".") || len(r.Intro) == 0 {
				t.Errorf("title %q, verdict %q, %d paragraphs", r.Title, r.Verdict, len(r.Intro))
			}
			charts, tables := 0, 0
			for _, s := range r.Sections {
				if s.Chart != nil && len(s.Chart.Series) > 0 {
					charts++
				}
				if s.Table != nil && len(s.Table.Rows) > 0 {
					tables++
				}
			}
			if charts == 0 || tables == 0 {
				t.Errorf("%d charts, %d tables", charts, tables)
			}
			experimenttest.Baselines(t, r)
			again, err := e.Run(&one)
			if err != nil {
				t.Fatal(err)
			}
			if experimenttest.Everything(t, r) != experimenttest.Everything(t, again) {
				t.Error("another run with one thread is another report")
			}
		})
	}
}

// needSites are the experiments about sites and politeness: they have nothing to say
// about a graph without sites, and say so.
func TestCastilloWithoutSites(t *testing.T) {
	siteless := experimenttest.Small(t, "siteless", 300, 1, false)
	few := experimenttest.Small(t, "few", 300, 5, true)
	for _, name := range []string{"fig4.7", "table2", "fig4.9", "fig4.10", "fig4.11", "batch-ends", "equivalence"} {
		e := experimenttest.Named(t, Experiments(), "castillo04-"+name)
		if _, err := e.Run(experimenttest.BenchOf(siteless)); err == nil || !regexp.MustCompile("sites.* not known").MatchString(err.Error()) {
			t.Errorf("%s without sites: %v", name, err)
		}
		r, err := e.Run(experimenttest.BenchOf(siteless, few))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(r.Intro, "\n"), "siteless is left out") {
			t.Errorf("%s does not tell that it left a graph out: %q", name, r.Intro)
		}
		for _, s := range r.Sections {
			if strings.Contains(s.Title, "siteless") {
				t.Errorf("%s has a section %q", name, s.Title)
			}
		}
	}
}

func TestCastilloNeedsHistory(t *testing.T) {
	e := experimenttest.Named(t, Experiments(), "castillo04-fig4.6")
	if _, err := e.Run(experimenttest.BenchOf(experimenttest.Small(t, "few", 300, 5, true))); err == nil || !strings.Contains(err.Error(), "history") {
		t.Errorf("without history: %v", err)
	}
}

func TestCastilloStops(t *testing.T) {
	for _, e := range Experiments() {
		if e.Name == "castillo04-fig4.2" { // crawls nothing
			continue
		}
		b := castilloBench(t)
		for _, p := range b.Places {
			if _, err := experiment.ByPageRank(b, p, nil); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(b.Context)
		cancel()
		b.Context = ctx
		if _, err := e.Run(b); !errors.Is(err, context.Canceled) {
			t.Errorf("%s goes on after it was told to stop: %v", e.Name, err)
		}
	}
}

// column is the cells of a column by its name.
func column(t testing.TB, table *show.Table, name string) []show.Cell {
	t.Helper()
	for i, c := range table.Columns {
		if c.Name != name {
			continue
		}
		var cells []show.Cell
		for _, row := range table.Rows {
			cells = append(cells, append(row, make([]show.Cell, len(table.Columns))...)[i])
		}
		return cells
	}
	t.Fatalf("no column %q in %v", name, table.Columns)
	return nil
}

// Table 4.1 has all of its rows, with dashes where a strategy has no ground (X24).
func TestCastilloTable1(t *testing.T) {
	r := runCastillo(t, castilloBench(t), "table1")
	table := r.Sections[0].Table
	if len(table.Rows) != 12 {
		t.Fatalf("%d rows, want the eleven and OPIC in its other reading", len(table.Rows))
	}
	names := column(t, table, "strategy")
	for i, row := range thesisRows() {
		history := row.group == groupHistory
		for graph, want := range map[string]bool{
			"many average": true, "few average": !history,
			"siteless average": !history && row.policy != "larger-sites-first",
		} {
			if c := column(t, table, graph)[i]; math.IsNaN(c.Value()) == want {
				t.Errorf("%s of %s: %q", graph, names[i].String(), c.String())
			}
		}
		if c := column(t, table, "average (theirs)")[i]; c.Value() != row.average {
			t.Errorf("theirs of %s: %v", row.name, c.Value())
		}
	}
	// The mean of larger-sites-first is over the two graphs with sites.
	many, few := column(t, table, "many average")[6].Value(), column(t, table, "few average")[6].Value()
	if mean := column(t, table, "mean average")[6].Value(); math.Abs(mean-(many+few)/2) > 1e-15 {
		t.Errorf("mean %v of %v and %v", mean, many, few)
	}
}

// Rows of different collections are in different rankings: seven strategies, or six
// where there are no sites, and the four historical ones.
func TestCastilloRankings(t *testing.T) {
	r := runCastillo(t, castilloBench(t), "table1")
	var table *show.Table
	for _, s := range r.Sections {
		if s.Title == "The rankings compared" {
			table = s.Table
		}
	}
	var got []string
	for _, row := range table.Rows {
		got = append(got, strings.Join([]string{row[0].String(), row[2].String(), row[3].String()}, " "))
	}
	want := "many without history 7,many historical 4,few without history 7,siteless without history 6," +
		"many without history 7,many historical 4,few without history 7," +
		"mean of 2 graphs without history 7,mean of 2 graphs without history 7"
	if strings.Join(got, ",") != want {
		t.Errorf("rankings %q", got)
	}
}

// Table 4.2 has its 18 cells and the unit where the thesis has it (X26).
func TestCastilloTable2(t *testing.T) {
	r := runCastillo(t, experimenttest.BenchOf(experimenttest.Small(t, "many", 900, 60, true)), "table2")
	table := r.Sections[1].Table
	if len(table.Rows) != 6 {
		t.Fatalf("%d bandwidths", len(table.Rows))
	}
	for _, fetchers := range []string{"r = 1", "r = 64", "r = 256"} {
		for i, c := range column(t, table, fetchers) {
			if !(c.Value() > 0) {
				t.Errorf("%s, bandwidth %d: %q", fetchers, i, c.String())
			}
		}
	}
	if unit := column(t, table, "r = 1")[5].Value(); unit != 1 {
		t.Errorf("the unit is %v", unit)
	}
	if c := column(t, table, "r = 256"); c[0].Value() >= c[5].Value() {
		t.Errorf("200 B/s are as fast as 20 MB/s: %v, %v", c[0].Value(), c[5].Value())
	}
	// A line that conserves bytes: no cell moves more than the bandwidth.
	for i, c := range column(t, table, "line in use with r = 256") {
		if c.Value() > 100.1 {
			t.Errorf("row %d uses %v %% of its line", i, c.Value())
		}
	}
	if text := r.Sections[0].Text; !strings.Contains(text, "at least 0.75") || !strings.Contains(text, "12.0 kB") {
		t.Errorf("the check of their table: %s", text)
	}
}

// fig 4.6 prints the shares of old pages and of their PageRank (X23, L10).
func TestCastilloHistory(t *testing.T) {
	b := castilloBench(t)
	r := runCastillo(t, b, "fig4.6")
	if len(r.Sections) != 1 || !regexp.MustCompile(`66\.7 % .* 55 %\)`).MatchString(r.Sections[0].Text) {
		t.Errorf("%d sections, %s", len(r.Sections), r.Sections[0].Text)
	}
	if len(r.Sections[0].Table.Rows) != 14 {
		t.Errorf("%d strategies", len(r.Sections[0].Table.Rows))
	}
}
