// Package oracle finds the true importance of the pages of a world, by which virtual crawls are
// measured: a metric of the graph, the values of a file, an expression over terms, or what pages
// have to do with a topic. What takes long to compute is kept in a Store.
package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/pagelist"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/score"
)

// A Source is where importance comes from.
type Source struct {
	// Name is a metric of rank, a metric of a topic, or the file of values.
	Name string
	// Function, if not nil, is the expression that counts.
	Function *score.Function
	Store    *Store // nil: nothing is kept
	// Note, if not nil, is called with what a user should know.
	Note func(format string, args ...any)
}

// Names returns the names that are not files.
func Names() []string { return append(rank.MetricNames(), lab.TopicMetrics()...) }

// IsName reports whether a name is that of a metric.
func IsName(name string) bool { return slices.Contains(Names(), name) }

// Metrics returns the names of metrics that every world has.
func Metrics() []string { return rank.MetricNames() }

// Of returns the importance of the pages of a world.
func (s *Source) Of(w *lab.World, o measure.TruthOptions) (*measure.Truth, error) {
	switch {
	case s.Function != nil:
		t, unsound, err := measure.ScoreTruth(w.Web(), s.Function, w.Sim.URL, o)
		if err == nil && unsound > 0 {
			s.note("--oracle %s: %s without a finite result, such as a division by 0, count as 0", s.Name, show.Counted(int64(unsound), "page"))
		}
		return t, err
	case slices.Contains(lab.TopicMetrics(), s.Name):
		if w.Readings == nil {
			return nil, fmt.Errorf("%s has no topic", w.Name)
		}
		return w.Readings.Truth(s.Name, w.In, w.Sim.Out), nil
	}
	if m, ok := rank.Named(s.Name); ok {
		return s.Store.Truth(w, m.Name, o, func() (*measure.Truth, error) { return measure.MetricTruth(w.Web(), m, o) })
	}
	return s.Read(w.Graph)
}

// Read reads the file of values for the pages of a graph. Pages without one have 0.
func (s *Source) Read(g *graph.Graph) (*measure.Truth, error) {
	v, err := pagelist.ReadValues(g, s.Name)
	if err != nil {
		return nil, err
	}
	if v.Known() == 0 {
		return nil, fmt.Errorf("%s: no page of %s has a value in it", s.Name, g.Path())
	}
	s.note("%s: values of %s of the %s pages of %s, and of %s that are not in it", s.Name,
		show.Grouped(v.Known()), show.Grouped(int64(g.Pages())), g.Path(), show.Grouped(int64(len(v.Gone))))
	if v.Again > 0 {
		s.note("%s: skipped %s about pages that already had a value", s.Name, show.Counted(v.Again, "further line"))
	}
	for p, x := range v.Of {
		if math.IsNaN(x) {
			v.Of[p] = 0
		}
	}
	return measure.ValuesTruth(s.Name, v.Of)
}

func (s *Source) note(format string, args ...any) {
	if s.Note != nil {
		s.Note(format, args...)
	}
}
