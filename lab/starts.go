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

// StartSets is a comparison repeated from several start sets: it shows the differences
// between policies without the luck of the start. Name the policies, Add the runs of each
// set, then Summarise.
type StartSets struct {
	Policies []string
	Base     int // the policy that Lead compares with
	Seeds    int // pages of a set
	Reached  []int
	// Average and Regret by policy and set; an unknown regret is NaN.
	Average, Regret [][]float64
	// Top is the share of the pages needed for each of measure.TopParts of the best tenth, by
	// policy, part and set; NaN where a crawl stopped before.
	Top    [][][]float64
	random uint64
	curves [][][]float64 // cumulative importance by policy, set and place of the grid
	shown  []startSummary
}

// A startSummary holds what a report shows of one policy. It is made once: an interval takes
// 10,000 times as many draws as there are sets.
type startSummary struct {
	mean, regret, lead measure.Interval
	top                []measure.Interval // by measure.TopParts, over the sets that got so far
	band               plot.Series
}

// startGrid is the number of places, evenly spaced, at which curves of start sets are
// compared.
const startGrid = 50

// RunStartSets runs the policies from n start sets. prepare makes the comparison of set
// 1, 2...; all of them have a truth. progress, if not nil, is called with the
// current step, also between the sets, and its error ends the run.
func RunStartSets(names []string, n, threads int, prepare func(set int) (*Comparison, error), progress func(what string) error) (*StartSets, error) {
	if progress == nil {
		progress = func(string) error { return nil }
	}
	s := &StartSets{Policies: names}
	for set := 1; set <= n; set++ {
		what := fmt.Sprintf("set %d of %d", set, n)
		if err := s.run(set, threads, prepare, what, progress); err != nil {
			return nil, fmt.Errorf("start set %d: %w", set, err)
		}
	}
	return s, s.Summarise(threads, progress)
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
	if err == nil {
		s.Add(c, runs, base)
	}
	return err
}

// Add adds the runs of one set, one for each policy. Without baselines their regret is
// unknown.
func (s *StartSets) Add(c *Comparison, runs []*Run, base *Baselines) {
	if s.curves == nil {
		n := len(runs)
		s.Average, s.Regret, s.curves, s.Top = make([][]float64, n), make([][]float64, n), make([][][]float64, n), make([][][]float64, n)
	}
	s.random, s.Seeds, s.Reached = c.Random, len(c.Seeds), append(s.Reached, len(c.Tree.Order))
	for i, r := range runs {
		regret, ok := base.Regret(r.Measures.Average)
		if !ok {
			regret = math.NaN()
		}
		s.Average[i], s.Regret[i] = append(s.Average[i], r.Measures.Average), append(s.Regret[i], regret)
		s.curves[i] = append(s.curves[i], r.at(startGrid))
		s.addTop(i, r.Measures.TopTenth)
	}
}

// addTop adds what policy i needed for the top tenth.
func (s *StartSets) addTop(i int, needed []*float64) {
	if s.Top[i] == nil {
		s.Top[i] = make([][]float64, len(needed))
	}
	for k, v := range needed {
		at := math.NaN()
		if v != nil {
			at = *v
		}
		s.Top[i][k] = append(s.Top[i][k], at)
	}
}

// Summarise computes the intervals, some policies at a time.
func (s *StartSets) Summarise(threads int, progress func(what string) error) error {
	const own = 7 // intervals of a policy, without those of its curve
	s.shown = make([]startSummary, len(s.Policies))
	sum := newTotal(len(s.Policies), func(done int) error {
		return progress(fmt.Sprintf("interval %d of %d", done, (own+startGrid)*len(s.Policies)))
	})
	errs := make([]error, len(s.Policies))
	graph.Parallel(min(threads, len(s.Policies)), len(s.Policies), func(i int) {
		one := &s.shown[i]
		if errs[i] = sum.set(i, 0); errs[i] != nil {
			return
		}
		one.mean = measure.Summarise(s.Average[i], s.random)
		one.regret = measure.Summarise(slices.DeleteFunc(slices.Clone(s.Regret[i]), math.IsNaN), s.random)
		for _, v := range s.Top[i] {
			one.top = append(one.top, measure.Summarise(slices.DeleteFunc(slices.Clone(v), math.IsNaN), s.random))
		}
		one.lead, errs[i] = measure.Paired(s.Average[i], s.Average[s.Base], s.random)
		if errs[i] == nil {
			one.band, errs[i] = s.bandOf(i, func(k int) error { return sum.set(i, own+k) })
		}
	})
	return errors.Join(errs...)
}

// bandOf returns the mean curve of policy i and its interval, as far as all sets went. An
// error of progress, which is called with the place of the grid, ends it.
func (s *StartSets) bandOf(i int, progress func(k int) error) (plot.Series, error) {
	line := plot.Series{Name: s.Policies[i]}
	at := make([]float64, s.Sets())
	for k := range startGrid {
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
		line.Add(float64(k+1)/startGrid, v.Mean)
		line.Low, line.High = append(line.Low, v.Low), append(line.High, v.High)
	}
	return line, nil
}

// Sets returns the number of start sets.
func (s *StartSets) Sets() int { return len(s.Reached) }

// Mean returns the average cumulative importance of policy i over the sets.
func (s *StartSets) Mean(i int) measure.Interval { return s.shown[i].mean }

// MeanRegret returns the regret of policy i over the sets in which it is known.
func (s *StartSets) MeanRegret(i int) measure.Interval { return s.shown[i].regret }

// MeanTop returns the share of the pages that policy i needs for each of measure.TopParts of
// the best tenth, over the sets that got so far.
func (s *StartSets) MeanTop(i int) []measure.Interval { return s.shown[i].top }

// Lead returns by how much policy i is ahead of the base, set by set.
func (s *StartSets) Lead(i int) measure.Interval { return s.shown[i].lead }

// Band returns the mean curve of policy i over the share of the reachable pages, with its
// interval.
func (s *StartSets) Band(i int) plot.Series { return s.shown[i].band }

// Sections shows the sets: curves with bands, means and paired differences.
func (s *StartSets) Sections() []show.Section {
	about := fmt.Sprintf("%d start sets of %d pages each, drawn at random; they reach %s to %s pages. Intervals are 95 %% bootstrap intervals of the mean.",
		s.Sets(), s.Seeds, show.Grouped(slices.Min(s.Reached)), show.Grouped(slices.Max(s.Reached)))
	chart := &plot.Chart{XLabel: "share of the reachable pages fetched", YLabel: "share of the importance, mean over the start sets"}
	for i := range s.Policies {
		chart.Series = append(chart.Series, s.Band(i))
	}
	return []show.Section{{Title: "Cumulative importance over start sets", Text: about, Chart: chart}, s.Averages(), s.tops()}
}

// Averages shows the means and the paired differences.
func (s *StartSets) Averages() show.Section {
	t := &show.Table{Columns: []show.Column{
		{Name: "policy"}, {Name: "average", Key: "mean"}, {Name: "sd"}, {Name: "from", Key: "low"}, {Name: "to", Key: "high"}, {Name: "regret"},
		{Name: "ahead of " + s.Policies[s.Base], Key: "lead"}, {Name: "from", Key: "lead_low"}, {Name: "to", Key: "lead_high"}, {Name: "differs"},
	}}
	for i, name := range s.Policies {
		m, regret := s.Mean(i), show.None()
		if r := s.MeanRegret(i); r.N > 0 {
			regret = show.Num(r.Mean, 3)
		}
		row := []any{name, show.Num(m.Mean, 4), show.Num(m.SD, 4), show.Num(m.Low, 4), show.Num(m.High, 4), regret}
		if i != s.Base {
			d := s.Lead(i)
			row = append(row, show.Num(d.Mean, 4), show.Num(d.Low, 4), show.Num(d.High, 4), Differs(d))
		}
		t.Add(row...)
	}
	return show.Section{
		Title: "Averages over start sets", Table: t,
		Text: "Differences are taken set by set, so that what a start has in common cancels: two policies differ where 0 is outside the interval.",
	}
}

// tops shows what is needed for the top tenth, and how much that depends on the start.
func (s *StartSets) tops() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "policy"}}}
	for _, part := range measure.TopParts() {
		key := "pages_for_top_10_" + topKey(part)
		t.Columns = append(t.Columns, show.Column{Name: topName(part), Unit: "% of the pages", Key: key}, show.Column{Name: "sd", Key: key + "_sd"}, show.Column{Name: "from", Key: key + "_low"}, show.Column{Name: "to", Key: key + "_high"})
	}
	for i, name := range s.Policies {
		row := []any{name}
		for _, v := range s.MeanTop(i) {
			if v.N == 0 {
				row = append(row, show.None(), show.None(), show.None(), show.None())
				continue
			}
			row = append(row, show.Num(100*v.Mean, 2), show.Num(100*v.SD, 2), show.Num(100*v.Low, 2), show.Num(100*v.High, 2))
		}
		t.Add(row...)
	}
	return show.Section{Title: "Downloads for the top tenth over start sets", Table: t,
		Text: "Pages that had to be fetched until all, 99, 95 and 90 % of the best tenth of the pages were there, means with 95 % bootstrap intervals."}
}

// Differs returns "yes" if the interval of a difference leaves out 0, else "no".
func Differs(d measure.Interval) string {
	if d.Low > 0 || d.High < 0 {
		return "yes"
	}
	return "no"
}
