package papers

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// fig2 shows the average day of the top N.
func fig2(r *run, c *crawl58) error {
	when := make([]float64, len(c.days))
	for k, d := range c.days {
		when[k] = float64(d)
	}
	top, err := c.runs[0].Trial.AverageWhen(when)
	if err != nil {
		return err
	}
	line := plot.Series{Name: "breadth-first"}
	for _, n := range measure.LogGrid(len(top), 10) {
		line.Add(float64(n), top[n-1].Mean)
	}
	mean, median := measure.Arrival(when)
	name := c.place.World.Name
	chart := &plot.Chart{Title: name + ": average day of the top N", XLabel: "N", YLabel: "average day", LogX: true,
		Series: []plot.Series{line, {Name: "mean day of all", X: []float64{1, float64(len(top))}, Y: []float64{mean, mean}, Baseline: true}}}
	r.show(show.Section{Title: name, Chart: chart, Table: fig2Table(c, top),
		Text: fmt.Sprintf("%d pages, %d of them on the first day; mean day %.1f, median %.0f (theirs: 24.5 and 22).", len(top), c.firstDay(), mean, median)})
	r.find(name, fig2Finding(c, top, mean))
	return nil
}

// onFirstDay returns how many of the best n pages came on the first day.
func (c *crawl58) onFirstDay(n int) int {
	first, count := make([]bool, c.World.Pages()), 0
	for _, p := range c.runs[0].Result.Order[:c.firstDay()] {
		first[p] = true
	}
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
	add := func(name string, n int, first, day any) {
		if n >= 1 && n <= len(top) {
			t.Add(name, n, first, c.onFirstDay(n), min(n, c.firstDay()), day, show.Num(top[n-1].Mean, 2))
		}
	}
	add("10", 10, 10, show.Num(1, 2))
	add("100", 100, 91, show.None())
	add("300", 300, show.None(), "2 to 3")
	for _, of := range []float64{0.001, 0.01, 0.1, 0.5} {
		add(plot.Number(100*of)+" %", measure.PagesAt(of, len(top)), show.None(), show.None())
	}
	add("all", len(top), show.None(), show.Num(24.5, 2))
	return t
}

// fig2Finding states whether the average day rises from the top 10 over the best
// hundredth and tenth to all.
func fig2Finding(c *crawl58, top []measure.TopWhen, mean float64) finding {
	n := len(top)
	at := []float64{top[min(10, n)-1].Mean, top[measure.PagesAt(0.01, n)-1].Mean, top[measure.PagesAt(0.1, n)-1].Mean, mean}
	return found(slices.IsSorted(at) && at[0] < mean,
		"average day %.1f of the top 10, %.1f of the best 1 %%, %.1f of 10 %%, %.1f of all; %d of the top 10 and %d of the top 100 on the first day",
		at[0], at[1], at[2], at[3], c.onFirstDay(min(10, n)), c.onFirstDay(min(100, n)))
}
