package lab

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// StartSets is a comparison repeated from several start sets: what is left of the
// differences between policies when the luck of the start is taken out.
type StartSets struct {
	Policies []string
	Seeds    int   // pages of a set
	Reached  []int // pages that each set reaches
	// Average and Regret by policy and set; a regret that is not known is not a number.
	Average, Regret [][]float64
	random          uint64
	grid            []float64     // shares of the reachable pages
	curves          [][][]float64 // cumulative importance by policy, set and place of the grid
	shown           []startSummary
}

// startSummary is what is said about one policy. It is made once: an interval takes
// 10,000 times as many draws as there are sets.
type startSummary struct {
	mean, regret, lead measure.Interval
	band               plot.Series
}

// startGrid is the number of places at which curves of start sets are compared.
const startGrid = 50

// RunStartSets runs the policies from n start sets. prepare makes the comparison of set
// 1, 2...; all of them have a truth. progress, if not nil, is told what is being done,
// also between the sets, and its error ends the work.
func RunStartSets(names []string, n, threads int, prepare func(set int) (*Comparison, error), progress func(what string) error) (*StartSets, error) {
	if progress == nil {
		progress = func(string) error { return nil }
	}
	s := &StartSets{Policies: names}
	for i := range startGrid {
		s.grid = append(s.grid, float64(i+1)/startGrid)
	}
	s.Average, s.Regret, s.curves = make([][]float64, len(names)), make([][]float64, len(names)), make([][][]float64, len(names))
	for set := 1; set <= n; set++ {
		what := fmt.Sprintf("set %d of %d", set, n)
		if err := s.run(set, threads, prepare, what, progress); err != nil {
			return nil, fmt.Errorf("start set %d: %w", set, err)
		}
	}
	return s, s.summarise(threads, progress)
}

// run adds one set.
func (s *StartSets) run(set, threads int, prepare func(int) (*Comparison, error), what string, progress func(string) error) error {
	if err := progress(what); err != nil {
		return err
	}
	c, err := prepare(set)
	if err != nil {
		return err
	}
	runs, base, err := c.Versus(s.Policies, threads, func(fetched int) error {
		return progress(what + ", " + show.Counted(fetched, "page") + " fetched")
	})
	if err != nil {
		return err
	}
	s.random, s.Seeds = c.Random, len(c.Seeds)
	s.add(c, runs, base)
	return nil
}

// summarise makes the intervals, some policies at a time.
func (s *StartSets) summarise(threads int, progress func(string) error) error {
	const own = 3 // intervals of a policy besides those of its curve
	s.shown = make([]startSummary, len(s.Policies))
	sum := newTotal(len(s.Policies), func(done int) error {
		return progress(fmt.Sprintf("interval %d of %d", done, (own+len(s.grid))*len(s.Policies)))
	})
	errs := make([]error, len(s.Policies))
	graph.Parallel(min(threads, len(s.Policies)), len(s.Policies), func(i int) {
		one := &s.shown[i]
		if errs[i] = sum.set(i, 0); errs[i] != nil {
			return
		}
		one.mean, one.regret, one.lead = s.meanOf(i), s.regretOf(i), s.leadOf(i)
		one.band, errs[i] = s.bandOf(i, func(k int) error { return sum.set(i, own+k) })
	})
	return errors.Join(errs...)
}

// add keeps what is wanted of one set.
func (s *StartSets) add(c *Comparison, runs []*Run, base *Baselines) {
	s.Reached = append(s.Reached, len(c.Tree.Order))
	for i, r := range runs {
		regret, ok := base.Regret(r.Measures.Average)
		if !ok {
			regret = math.NaN()
		}
		s.Average[i] = append(s.Average[i], r.Measures.Average)
		s.Regret[i] = append(s.Regret[i], regret)
		curve, y := r.Trial.Cumulative(), make([]float64, len(s.grid))
		for k, of := range s.grid {
			v, ok := curve.At(of)
			if !ok {
				v = math.NaN()
			}
			y[k] = v
		}
		s.curves[i] = append(s.curves[i], y)
	}
}

// Sets is the number of start sets.
func (s *StartSets) Sets() int { return len(s.Reached) }

// Mean is the average cumulative importance of policy i over the sets.
func (s *StartSets) Mean(i int) measure.Interval { return s.shown[i].mean }

// MeanRegret is the regret of policy i over the sets in which it is known.
func (s *StartSets) MeanRegret(i int) measure.Interval { return s.shown[i].regret }

// Lead is by how much policy i is ahead of the first, set by set.
func (s *StartSets) Lead(i int) measure.Interval { return s.shown[i].lead }

func (s *StartSets) meanOf(i int) measure.Interval { return measure.Summarise(s.Average[i], s.random) }

func (s *StartSets) regretOf(i int) measure.Interval {
	return measure.Summarise(slices.DeleteFunc(slices.Clone(s.Regret[i]), math.IsNaN), s.random)
}

func (s *StartSets) leadOf(i int) measure.Interval {
	d, err := measure.Paired(s.Average[i], s.Average[0], s.random)
	if err != nil {
		panic(err) // add gives every policy one value a set
	}
	return d
}

// Sections show the sets: curves with bands, means and paired differences.
func (s *StartSets) Sections() []show.Section {
	about := fmt.Sprintf("%d start sets of %d pages each, drawn at random; they reach %s to %s pages. Intervals are 95 %% bootstrap intervals of the mean.",
		s.Sets(), s.Seeds, show.Grouped(slices.Min(s.Reached)), show.Grouped(slices.Max(s.Reached)))
	chart := &plot.Chart{XLabel: "share of the reachable pages fetched", YLabel: "share of the importance, mean over the start sets"}
	for i := range s.Policies {
		chart.Series = append(chart.Series, s.shown[i].band)
	}
	return []show.Section{
		{Title: "Cumulative importance over start sets", Text: about, Chart: chart},
		{Title: "Averages over start sets", Text: "Differences are taken set by set, so that what a start has in common cancels: two policies differ where 0 is outside the interval.", Table: s.table()},
	}
}

// bandOf is the mean curve of policy i and its interval, as far as all sets went. An
// error of progress, which is told the place of the grid, ends it.
func (s *StartSets) bandOf(i int, progress func(k int) error) (plot.Series, error) {
	line := plot.Series{Name: s.Policies[i]}
	at := make([]float64, s.Sets())
	for k, of := range s.grid {
		if err := progress(k); err != nil {
			return line, err
		}
		for set := range at {
			at[set] = s.curves[i][set][k]
		}
		if slices.ContainsFunc(at, math.IsNaN) {
			break
		}
		v := measure.Summarise(at, s.random)
		line.X, line.Y = append(line.X, of), append(line.Y, v.Mean)
		line.Low, line.High = append(line.Low, v.Low), append(line.High, v.High)
	}
	return line, nil
}

func (s *StartSets) table() *show.Table {
	t := &show.Table{Columns: []show.Column{
		{Name: "policy"}, {Name: "average", Key: "mean"}, {Name: "sd"}, {Name: "from", Key: "low"}, {Name: "to", Key: "high"}, {Name: "regret"},
		{Name: "ahead of " + s.Policies[0], Key: "lead"}, {Name: "from", Key: "lead_low"}, {Name: "to", Key: "lead_high"}, {Name: "differs"},
	}}
	for i, name := range s.Policies {
		m := s.Mean(i)
		row := []show.Cell{show.Words(name), show.Num(m.Mean, 4), show.Num(m.SD, 4), show.Num(m.Low, 4), show.Num(m.High, 4), show.None()}
		if r := s.MeanRegret(i); r.N > 0 {
			row[5] = show.Num(r.Mean, 3)
		}
		if i > 0 {
			d := s.Lead(i)
			row = append(row, show.Num(d.Mean, 4), show.Num(d.Low, 4), show.Num(d.High, 4), show.Words(leadWord(d)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func leadWord(d measure.Interval) string {
	if d.Low > 0 || d.High < 0 {
		return "yes"
	}
	return "no"
}
