package lab

import (
	"fmt"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/internal/plot"
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
}

// startGrid is the number of places at which curves of start sets are compared.
const startGrid = 50

// RunStartSets runs the policies from n start sets. prepare makes the comparison of set
// 1, 2...; all of them have a truth.
func RunStartSets(names []string, n, threads int, prepare func(set int) (*Comparison, error), progress func(fetched int) error) (*StartSets, error) {
	s := &StartSets{Policies: names}
	for i := range startGrid {
		s.grid = append(s.grid, float64(i+1)/startGrid)
	}
	s.Average, s.Regret, s.curves = make([][]float64, len(names)), make([][]float64, len(names)), make([][][]float64, len(names))
	done := 0
	for set := 1; set <= n; set++ {
		c, err := prepare(set)
		if err != nil {
			return nil, fmt.Errorf("start set %d: %w", set, err)
		}
		runs, base, err := c.Versus(names, threads, func(k int) error {
			if progress == nil {
				return nil
			}
			return progress(done + k)
		})
		if err != nil {
			return nil, fmt.Errorf("start set %d: %w", set, err)
		}
		s.random, s.Seeds = c.Random, len(c.Seeds)
		s.add(c, runs, base)
		done += len(runs) * mostFetches(runs)
	}
	return s, nil
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
func (s *StartSets) Mean(i int) Interval { return Summarise(s.Average[i], s.random) }

// MeanRegret is the regret of policy i over the sets in which it is known.
func (s *StartSets) MeanRegret(i int) Interval {
	return Summarise(slices.DeleteFunc(slices.Clone(s.Regret[i]), math.IsNaN), s.random)
}

// Lead is by how much policy i is ahead of the first, set by set.
func (s *StartSets) Lead(i int) Interval {
	d, err := Paired(s.Average[i], s.Average[0], s.random)
	if err != nil {
		panic(err) // add gives every policy one value a set
	}
	return d
}

// Sections show the sets: curves with bands, means and paired differences.
func (s *StartSets) Sections() []Section {
	about := fmt.Sprintf("%d start sets of %d pages each, drawn at random; they reach %s to %s pages. Intervals are 95 %% bootstrap intervals of the mean.",
		s.Sets(), s.Seeds, Count(slices.Min(s.Reached)).shown, Count(slices.Max(s.Reached)).shown)
	chart := &plot.Chart{XLabel: "share of the reachable pages fetched", YLabel: "share of the importance, mean over the start sets"}
	for i, name := range s.Policies {
		chart.Series = append(chart.Series, s.band(i, name))
	}
	return []Section{
		{Title: "Cumulative importance over start sets", Text: about, Chart: chart},
		{Title: "Averages over start sets", Text: "Differences are taken set by set, so that what a start has in common cancels: two policies differ where 0 is outside the interval.", Table: s.table()},
	}
}

// band is the mean curve of policy i and its interval, as far as all sets went.
func (s *StartSets) band(i int, name string) plot.Series {
	line := plot.Series{Name: name}
	at := make([]float64, s.Sets())
	for k, of := range s.grid {
		for set := range at {
			at[set] = s.curves[i][set][k]
		}
		if slices.ContainsFunc(at, math.IsNaN) {
			break
		}
		v := Summarise(at, s.random)
		line.X, line.Y = append(line.X, of), append(line.Y, v.Mean)
		line.Low, line.High = append(line.Low, v.Low), append(line.High, v.High)
	}
	return line
}

func (s *StartSets) table() *Table {
	t := &Table{Columns: []Column{
		{Name: "policy"}, {Name: "average", Key: "mean"}, {Name: "sd"}, {Name: "from", Key: "low"}, {Name: "to", Key: "high"}, {Name: "regret"},
		{Name: "ahead of " + s.Policies[0], Key: "lead"}, {Name: "from", Key: "lead_low"}, {Name: "to", Key: "lead_high"}, {Name: "differs"},
	}}
	for i, name := range s.Policies {
		m := s.Mean(i)
		row := []Cell{Words(name), Num(m.Mean, 4), Num(m.SD, 4), Num(m.Low, 4), Num(m.High, 4), None()}
		if r := s.MeanRegret(i); r.N > 0 {
			row[5] = Num(r.Mean, 3)
		}
		if i > 0 {
			d := s.Lead(i)
			row = append(row, Num(d.Mean, 4), Num(d.Low, 4), Num(d.High, 4), Words(leadWord(d)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func leadWord(d Interval) string {
	if d.Low > 0 || d.High < 0 {
		return "yes"
	}
	return "no"
}
