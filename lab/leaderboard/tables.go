package leaderboard

import (
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
)

// curves shows how fast each policy gathers the PageRank of a graph.
func (b *Board) curves(g int) show.Section {
	graph := b.Graphs[g]
	chart := &plot.Chart{Title: "PageRank gathered, " + graph.Name, XLabel: "share of the reachable pages fetched, %", YLabel: "share of their PageRank, %"}
	t := &show.Table{Columns: []show.Column{{Name: "policy"}}}
	for _, s := range Shares() {
		t.Columns = append(t.Columns, show.Column{Name: fmt.Sprintf("%g %%", 100*s), Key: curveKey(s)})
	}
	for i, p := range b.Policies {
		curve := graph.Curves[i]
		if curve == nil {
			continue
		}
		line := plot.Series{Name: p.Name, X: []float64{0}, Y: []float64{0}, Baseline: p.Kind == Baseline}
		cells := []any{p.Name}
		for k, s := range Shares() {
			line.Add(100*s, curve[k])
			cells = append(cells, show.Num(curve[k], 1))
		}
		line.Add(100, 100)
		chart.Series = append(chart.Series, line)
		t.Add(cells...)
	}
	return show.Section{Title: curvesTitle(graph.Name), Chart: chart, Table: t,
		Text: "The share of the PageRank of all reachable pages, in percent, after so many percent of them were fetched: mean over the starts."}
}

func curveKey(share float64) string { return fmt.Sprintf("at_%g", 100*share) }

// byGraph returns a table with a row for each policy and a column for each graph.
func (b *Board) byGraph(decimals int, value func(g *Graph, i int) float64) *show.Table {
	t := &show.Table{Columns: []show.Column{{Name: "policy"}}}
	for _, g := range b.Graphs {
		t.Columns = append(t.Columns, show.Column{Name: g.Name, Key: g.Name})
	}
	for i, p := range b.Policies {
		cells, some := []any{p.Name}, false
		for _, g := range b.Graphs {
			v := value(g, i)
			some = some || !math.IsNaN(v)
			cells = append(cells, show.Num(v, decimals))
		}
		if some {
			t.Add(cells...)
		}
	}
	return t
}

// hours shows the time under politeness with fetcher number r of Fetchers; ok is false if no
// graph has sites.
func (b *Board) hours(r int) (s show.Section, ok bool) {
	t := b.byGraph(3, func(g *Graph, i int) float64 {
		if g.Hours == nil {
			return math.NaN()
		}
		return g.Hours[r][i]
	})
	if len(t.Rows) > 0 {
		b.addRatios(t, r)
	}
	fetchers := Fetchers()[r]
	return show.Section{Title: hoursTitle(fetchers), Table: t,
		Text: fmt.Sprintf("Hours until a page was there, mean over the pages weighted by PageRank: less is better. Virtual time with the model thesis2004, 15 s between two requests to a site, %s, from the first start. Only graphs that have several sites. The last column is the mean over these graphs of the time as a multiple of that of the published policy that is fastest there.", show.Counted(fetchers, "fetcher"))}, len(t.Rows) > 0
}

// addRatios adds a column to a table of hours: each against the fastest rival of the graph, mean
// over the graphs.
func (b *Board) addRatios(t *show.Table, r int) {
	t.Columns = append(t.Columns, show.Column{Name: "against the fastest published", Key: "ratio"})
	for k, row := range t.Rows {
		i, ratios := b.index(row[0].String()), []float64{}
		for _, g := range b.Graphs {
			if g.Hours == nil {
				continue
			}
			_, fastest := b.bestOf(func(rival int) float64 { return -g.Hours[r][rival] })
			ratios = append(ratios, -g.Hours[r][i]/fastest)
		}
		t.Rows[k] = append(row, show.Num(mean(ratios), 3))
	}
}

func (b *Board) links() show.Section {
	return show.Section{Title: linksTitle, Table: b.byGraph(3, func(g *Graph, i int) float64 { return g.Micros[i] }),
		Text: "Microseconds of a whole virtual crawl, frontier and graph included, for each link of the fetched pages: processor time (by the clock on systems other than Linux), the least over the starts. This table depends on the machine and on what else it did; all others are a function of graphs, policies and random seed. What a policy itself takes is the difference to breadth-first."}
}

func (b *Board) bytes() show.Section {
	return show.Section{Title: bytesTitle, Table: b.byGraph(0, func(g *Graph, i int) float64 { return g.Bytes[i] }),
		Text: "Bytes of frontier and policy at the end of a crawl for each known page: the most over the starts. Small graphs pay for tables of a fixed size."}
}

// starts shows every average.
func (b *Board) starts() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "graph"}, {Name: "start"}, {Name: "pages"}}}
	for _, p := range b.Policies {
		t.Columns = append(t.Columns, show.Column{Name: p.Name, Key: p.Name})
	}
	for _, s := range b.Starts {
		cells := []any{b.Graphs[s.Graph].Name, s.Name, s.Pages}
		for _, v := range s.Average {
			cells = append(cells, show.Num(v, 4))
		}
		t.Add(cells...)
	}
	return show.Section{Title: startsTitle, Table: t, Text: "Average cumulative PageRank over the crawl, from each start."}
}
