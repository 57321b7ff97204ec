package leaderboard

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// behindBy is from which difference in the average on a start is listed as lost.
const behindBy = 0.01

// Titles of the sections that Earlier reads.
const (
	startsTitle = "Every start"
	linksTitle  = "Time per link, measured"
	bytesTitle  = "Memory per known page"
)

func curvesTitle(graph string) string { return "PageRank gathered: " + graph }
func hoursTitle(fetchers int) string {
	return fmt.Sprintf("Time under politeness, r = %d", fetchers)
}

// Sections returns all that the board shows.
func (b *Board) Sections() []show.Section {
	out := []show.Section{b.table(), b.differences(), b.graphByGraph(), b.behind()}
	for g := range b.Graphs {
		out = append(out, b.curves(g))
	}
	for r := range Fetchers() {
		if s, ok := b.hours(r); ok {
			out = append(out, s)
		}
	}
	return append(out, b.links(), b.bytes(), b.starts())
}

// Verdict returns one sentence on the subject.
func (b *Board) Verdict() string {
	mine, single := b.regrets(of(0)), b.best(-1)
	theirs := b.regrets(of(single))
	d := measure.OverGraphs(known(minus(mine, theirs)))
	s := fmt.Sprintf("%s has a mean regret of %.3f over %s, the best single published policy (%s) %.3f: %.2f of it", b.Subject(), mean(mine), show.Counted(len(b.Graphs), "graph"), b.Policies[single].Name, mean(theirs), mean(mine)/mean(theirs))
	if len(b.Graphs) > 1 {
		left := b.regrets(b.chosen())
		s += fmt.Sprintf(" (difference %.3f, 95 %% interval over graphs %.3f to %.3f); if the published policy is chosen on the other graphs it has %.3f: %.2f of it", d.Mean, d.Low, d.High, mean(left), mean(mine)/mean(left))
	}
	lost := b.lost()
	return s + fmt.Sprintf("; from %d of %s it is behind the best published policy of the start by more than %g of the average.", len(lost), show.Counted(len(b.Starts), "start"), behindBy)
}

// Names of choices among the published policies.
const (
	hindsightName = "best published of each start"
	chosenName    = "best published on the other graphs"
)

// row is a line of the table of regrets.
type row struct {
	name, kind string
	regrets    []float64
}

// rows returns the policies by mean regret, with the choices among published ones.
func (b *Board) rows() []row {
	var rows []row
	for i, p := range b.Policies {
		if p.Name != random {
			rows = append(rows, row{p.Name, p.Kind.String(), b.regrets(of(i))})
		}
	}
	rows = append(rows, row{hindsightName, "hindsight", b.regrets(b.hindsight())})
	if len(b.Graphs) > 1 {
		rows = append(rows, row{chosenName, "left out", b.regrets(b.chosen())})
	}
	slices.SortStableFunc(rows, func(x, y row) int {
		switch a, c := mean(x.regrets), mean(y.regrets); {
		case a < c:
			return -1
		case a > c:
			return 1
		}
		return 0
	})
	return rows
}

// table shows the regret by graph.
func (b *Board) table() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "policy"}, {Name: "kind"}}}
	for _, g := range b.Graphs {
		t.Columns = append(t.Columns, show.Column{Name: g.Name})
	}
	t.Columns = append(t.Columns, show.Column{Name: "mean"}, show.Column{Name: "from", Key: "low"}, show.Column{Name: "to", Key: "high"})
	bars := &plot.BarChart{Title: "Mean regret over " + show.Counted(len(b.Graphs), "graph") + ": shorter is better"}
	for _, r := range b.rows() {
		cells := []any{r.name, r.kind}
		for _, v := range r.regrets {
			cells = append(cells, show.Num(v, 3))
		}
		m := measure.OverGraphs(known(r.regrets))
		t.Add(append(cells, show.Num(m.Mean, 3), show.Num(m.Low, 3), show.Num(m.High, 3))...)
		bars.Bars = append(bars.Bars, plot.Bar{Label: r.name, Value: m.Mean, Note: fmt.Sprintf("%.3f", m.Mean), Low: max(0, m.Low), High: m.High, Kind: b.colour(r.name)})
	}
	return show.Section{Title: "Regret by graph", Bars: bars, Table: t,
		Text: "Mean over the starts of each graph, then over the graphs; from and to are the 95 % interval of that mean, by Student's distribution with one value for each graph. A dash: the policy cannot run there, and its mean is over the other graphs. Two rows are choices among the published policies: anew for each start after seeing the result, which no crawl can do, and for each graph by the results on the others."}
}

// colour returns 1 for the subject, 0 for its rivals, 7 for what is neither.
func (b *Board) colour(name string) int {
	switch i := b.index(name); {
	case i == 0:
		return 1
	case i > 0 && b.Policies[i].Kind == Published:
		return 0
	case i > 0 && b.Policies[i].Kind == Own:
		return 2
	}
	return 7
}

// differences shows the subject against every other policy.
func (b *Board) differences() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "rival"}, {Name: "regret", Key: "regret"}, {Name: "from", Key: "regret_low"}, {Name: "to", Key: "regret_high"},
		{Name: "average", Key: "average"}, {Name: "from", Key: "average_low"}, {Name: "to", Key: "average_high"}, {Name: "ahead in"}, {Name: "worst start"}}}
	add := func(name string, rival averageOf) {
		subject := of(0)
		regret := measure.OverGraphs(known(b.means(func(s *Start) float64 { return b.regret(s, subject(s)) - b.regret(s, rival(s)) })))
		average := measure.OverGraphs(known(b.means(func(s *Start) float64 { return subject(s) - rival(s) })))
		ahead, n, worst := 0, 0, math.Inf(1)
		for _, s := range b.Starts {
			if d := subject(s) - rival(s); !math.IsNaN(d) {
				n++
				worst = min(worst, d)
				if d > 0 {
					ahead++
				}
			}
		}
		t.Add(name, show.Num(regret.Mean, 3), show.Num(regret.Low, 3), show.Num(regret.High, 3),
			show.Num(average.Mean, 4), show.Num(average.Low, 4), show.Num(average.High, 4), fmt.Sprintf("%d of %d", ahead, n), show.Num(worst, 4))
	}
	for i, p := range b.Policies {
		if i > 0 && p.Name != random && p.Name != horn {
			add(p.Name, of(i))
		}
	}
	if len(b.Graphs) > 1 {
		add(chosenName, b.chosen())
	}
	add(hindsightName, b.hindsight())
	return show.Section{Title: b.Subject() + " against the others", Table: t,
		Text: "Differences from the same start, " + b.Subject() + " minus rival: a negative regret and a positive average are better. Means over the graphs with 95 % intervals; where 0 is outside, the difference is not the luck of these graphs. Ahead in: starts."}
}

// graphByGraph shows the subject against the published policy that is best on the other
// graphs, and against the one that is best on this.
func (b *Board) graphByGraph() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "graph"}, {Name: "starts"}, {Name: "regret of " + b.Subject(), Key: "regret"}, {Name: "chosen on the others"}, {Name: "its regret", Key: "chosen_regret"},
		{Name: "best here"}, {Name: "its regret", Key: "best_regret"}, {Name: "average ahead of the best here", Key: "ahead"}, {Name: "worst start"}}}
	mine, behind := b.regrets(of(0)), []string{}
	for g, graph := range b.Graphs {
		best, ahead := b.bestOn(g)
		chosen, regret := show.Words("-"), show.None()
		if len(b.Graphs) > 1 {
			chosen, regret = show.Words(b.Policies[b.best(g)].Name), show.Num(b.regrets(b.chosen())[g], 3)
		}
		if ahead < -behindBy {
			behind = append(behind, graph.Name)
		}
		n, worst := 0, math.Inf(1)
		for _, s := range b.Starts {
			if s.Graph == g {
				n++
				worst = min(worst, s.Average[0]-b.hindsight()(s))
			}
		}
		t.Add(graph.Name, n, show.Num(mine[g], 3), chosen, regret, b.Policies[best].Name, show.Num(b.regrets(of(best))[g], 3), show.Num(ahead, 4), show.Num(worst, 4))
	}
	text := fmt.Sprintf("Chosen on the others: the published policy with the smallest mean regret on all graphs but this one, of those that run everywhere. Best here: the one with the largest mean average on this graph, which nobody knows beforehand. Worst start: against the best published policy of each start. %s is behind the best published policy by more than %g of the average, over the starts of a graph, on %s.",
		b.Subject(), behindBy, orNone(behind, "no graph"))
	return show.Section{Title: "Graph by graph", Text: text, Table: t}
}

func orNone(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}

// bestOn returns the published policy with the largest mean average on a graph, and by how much the
// subject is ahead of it.
func (b *Board) bestOn(g int) (rival int, ahead float64) {
	rival, most := b.bestOf(func(i int) float64 { return b.means(of(i))[g] })
	return rival, b.means(of(0))[g] - most
}

// lost returns the starts from which the subject is behind.
func (b *Board) lost() (list []*Start) {
	best := b.hindsight()
	for _, s := range b.Starts {
		if s.Average[0] < best(s)-behindBy {
			list = append(list, s)
		}
	}
	return list
}

// behind lists the starts from which the subject is behind the best published policy.
func (b *Board) behind() show.Section {
	lost := b.lost()
	s := show.Section{Title: "Starts that " + b.Subject() + " loses",
		Text: fmt.Sprintf("Starts from which it is behind the best published policy of that start by more than %g of the average: %d of %d.", behindBy, len(lost), len(b.Starts))}
	if len(lost) == 0 {
		return s
	}
	s.Table = &show.Table{Columns: []show.Column{{Name: "graph"}, {Name: "start"}, {Name: "pages"}, {Name: b.Subject(), Key: "subject"}, {Name: "best published"}, {Name: "its average"}, {Name: "behind by"}}}
	for _, start := range lost {
		i, most := b.bestOf(func(i int) float64 { return start.Average[i] })
		s.Table.Add(b.Graphs[start.Graph].Name, start.Name, start.Pages, show.Num(start.Average[0], 4), b.Policies[i].Name, show.Num(most, 4), show.Num(most-start.Average[0], 4))
	}
	return s
}
