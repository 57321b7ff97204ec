package papers

import (
	"fmt"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// najorkFig2 is the average day of the top N (X14, P16, P18).
func najorkFig2(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "najork01-fig2", Header: b.najorkHeader([]string{"breadth-first"}, "PageRank"),
		Intro: []string{"Average day on which the N pages of highest PageRank were crawled. The paper: all of the top 10 and 91 of the top 100 on the first day, a curve that from N = 400 on rises steadily to 24.5, the mean day of the crawl. Their first day had more than five million pages; the day of a small web has few, which bounds how many of the top 100 can be among them. " + dayText}}
	all, err := b.eachCrawl58(r, fig2At)
	if err != nil {
		return nil, err
	}
	r.Verdict = verdict("the higher the PageRank of pages, the earlier they are crawled", all)
	return r, nil
}

func fig2At(c *crawl58) (f finding, s show.Section, err error) {
	when := make([]float64, len(c.days))
	for k, d := range c.days {
		when[k] = float64(d)
	}
	top, err := c.runs[0].Trial.AverageWhen(when)
	if err != nil {
		return f, s, err
	}
	line := plot.Series{Name: "breadth-first"}
	for _, n := range measure.LogGrid(len(top), 10) {
		line.X, line.Y = append(line.X, float64(n)), append(line.Y, top[n-1].Mean)
	}
	mean, median := measure.Arrival(when)
	chart := &plot.Chart{Title: c.place.World.Name + ": average day of the top N", XLabel: "N", YLabel: "average day", LogX: true,
		Series: []plot.Series{line, {Name: "mean day of all", X: []float64{1, float64(len(top))}, Y: []float64{mean, mean}, Baseline: true}}}
	s = show.Section{Title: c.place.World.Name, Chart: chart, Table: fig2Table(c, top),
		Text: fmt.Sprintf("%d pages, %d of them on the first day; mean day %.1f, median %.0f (theirs: 24.5 and 22).", len(top), c.firstDay(), mean, median)}
	return fig2Finding(c, top, mean), s, nil
}

// onFirstDay is how many of the best n pages came on the first day.
func (c *crawl58) onFirstDay(n int) int {
	first := map[graph.Page]bool{}
	for k, p := range c.runs[0].Result.Order {
		if c.days[k] == 1 {
			first[p] = true
		}
	}
	count := 0
	for _, p := range c.Judge.Ranked()[:n] {
		if first[p] {
			count++
		}
	}
	return count
}

// fig2Table has the top 10, 100 and so on, and shares of all pages.
func fig2Table(c *crawl58, top []measure.TopWhen) *show.Table {
	t := &show.Table{Columns: []show.Column{{Name: "top"}, {Name: "N", Key: "n"}, {Name: "on the first day, theirs", Key: "first_theirs"}, {Name: "ours", Key: "first"}, {Name: "at most", Key: "first_possible"}, {Name: "average day, theirs", Key: "day_theirs"}, {Name: "ours", Key: "day"}}}
	add := func(name string, n int, first, day show.Cell) {
		if n >= 1 && n <= len(top) {
			t.Rows = append(t.Rows, []show.Cell{show.Words(name), show.Count(n), first, show.Count(c.onFirstDay(n)), show.Count(min(n, c.firstDay())), day, show.Num(top[n-1].Mean, 2)})
		}
	}
	add("10", 10, show.Count(10), show.Num(1, 2))
	add("100", 100, show.Count(91), show.None())
	add("300", 300, show.None(), show.Words("2 to 3"))
	for _, of := range []float64{0.001, 0.01, 0.1, 0.5} {
		add(plot.Number(100*of)+" %", measure.PagesAt(of, len(top)), show.None(), show.None())
	}
	add("all", len(top), show.None(), show.Num(24.5, 2))
	return t
}

// fig2Finding asks whether the average day rises from the top 10 over the best
// hundredth and tenth to all.
func fig2Finding(c *crawl58, top []measure.TopWhen, mean float64) finding {
	n := len(top)
	at := []float64{top[min(10, n)-1].Mean, top[measure.PagesAt(0.01, n)-1].Mean, top[measure.PagesAt(0.1, n)-1].Mean, mean}
	f := finding{place: c.place.World.Name, holds: true}
	for i := 1; i < len(at); i++ {
		f.holds = f.holds && at[i] >= at[i-1]
	}
	f.holds = f.holds && at[0] < mean
	f.numbers = fmt.Sprintf("average day %.1f of the top 10, %.1f of the best 1 %%, %.1f of 10 %%, %.1f of all; %d of the top 10 and %d of the top 100 on the first day", at[0], at[1], at[2], at[3], c.onFirstDay(min(10, n)), c.onFirstDay(min(100, n)))
	return f
}
