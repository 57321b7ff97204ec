package papers

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A startsRow is one policy over start sets.
type startsRow struct {
	policy  string
	average []float64   // by start set
	curve   [][]float64 // by start set: C at the shares of startsGrid
}

// startsGrid is the shares of T, in percent, at which curves of several start sets are
// put together.
func startsGrid() []float64 {
	g := make([]float64, 50)
	for i := range g {
		g[i] = float64(2 * (i + 1))
	}
	return g
}

// addStarts adds a section with confidence bands over b.Starts start sets and paired
// differences to breadth-first; none when no start sets were asked for.
func (b *Bench) addStarts(rep *show.Report, p *Place, t *measure.Truth, policies []string) error {
	if b.Starts == 0 {
		return nil
	}
	sets := b.furtherStarts(p)
	if len(sets) == 0 {
		rep.Intro = append(rep.Intro, fmt.Sprintf("%s has no confidence bands: no start set reaches half as many pages as its seeds.", p.World.Name))
		return nil
	}
	var rows []startsRow
	for i, seeds := range sets {
		b.say(i, len(sets), "%s, start sets", p.World.Name)
		s := p.Setting(b, t)
		s.Seeds = seeds
		o, err := b.order(p, s, policies)
		if err != nil {
			return err
		}
		rows = o.collect(rows)
	}
	b.say(0, 0, "%s, intervals over start sets", p.World.Name)
	sec, err := b.startsSection(rows)
	sec.Title = fmt.Sprintf("%s, %d start sets", p.World.Name, len(sets))
	sec.Text = fmt.Sprintf("Means over %d start sets of %d random pages with 95 %% bootstrap intervals; a set that reaches less than half as many pages as the given seeds was drawn again. Differences are paired: both strategies from the same start, so two strategies differ where the interval leaves out 0.",
		len(sets), len(p.Seeds))
	rep.Sections = append(rep.Sections, sec)
	return err
}

// collect adds the runs of one start set.
func (o *ordering) collect(rows []startsRow) []startsRow {
	if rows == nil {
		for _, r := range o.runs {
			rows = append(rows, startsRow{policy: r.Policy})
		}
	}
	for i, r := range o.runs {
		var y []float64
		c := r.Trial.Cumulative()
		for _, x := range startsGrid() {
			v, _ := c.At(x / 100)
			y = append(y, v)
		}
		rows[i].average = append(rows[i].average, r.Measures.Average)
		rows[i].curve = append(rows[i].curve, y)
	}
	return rows
}

// startsSection is the bands and the paired differences.
func (b *Bench) startsSection(rows []startsRow) (show.Section, error) {
	t := &show.Table{Columns: head("strategy", "average", "low", "high", "minus breadth-first", "low", "high", "differs")}
	t.Columns[5].Key, t.Columns[6].Key = "difference_low", "difference_high"
	base := slices.IndexFunc(rows, func(r startsRow) bool { return r.policy == "breadth-first" })
	var series []plot.Series
	for i, r := range rows {
		if err := b.Context.Err(); err != nil {
			return show.Section{}, err
		}
		a := b.summarise(r.average)
		d, err := measure.Paired(r.average, rows[base].average, b.Random)
		if err != nil {
			return show.Section{}, err
		}
		row := []show.Cell{show.Words(r.policy), show.Num(a.Mean, 4), show.Num(a.Low, 4), show.Num(a.High, 4)}
		if i != base {
			row = append(row, show.Num(d.Mean, 4), show.Num(d.Low, 4), show.Num(d.High, 4), differsCell(d))
		}
		t.Rows = append(t.Rows, row)
		series = append(series, b.band(&r))
	}
	return show.Section{Chart: shareChart("Cumulative PageRank over start sets", series), Table: t}, nil
}

// differsCell says whether the interval of a difference leaves out 0.
func differsCell(d measure.Interval) show.Cell {
	if d.Low > 0 || d.High < 0 {
		return show.Words("yes")
	}
	return show.Words("no")
}

// band is the mean curve with its interval.
func (b *Bench) band(r *startsRow) plot.Series {
	s := plot.Series{Name: r.policy, X: startsGrid(), Baseline: r.policy == "horn" || r.policy == "random"}
	for i := range s.X {
		at := make([]float64, len(r.curve))
		for k, y := range r.curve {
			at[k] = y[i]
		}
		v := b.summarise(at)
		s.Y, s.Low, s.High = append(s.Y, v.Mean), append(s.Low, v.Low), append(s.High, v.High)
	}
	return s
}
