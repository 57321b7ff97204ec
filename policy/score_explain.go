package policy

import (
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/score"
)

// Note reports evaluations that had no finite result.
func (s *scored) Note() string {
	bad, all := s.numbers.At(scoreUnsound), s.numbers.At(scoreEvaluated)
	if bad == 0 {
		return ""
	}
	return fmt.Sprintf("score %s: %d of %d evaluations had no finite result, such as a division by 0; those pages count as 0", s.f, bad, all)
}

// Worth returns the score of a page: from 0 to 1.
func (s *scored) Worth(p graph.Page) float64 { return score.Clamp(s.eval(p)) }

// Appraise returns the score of a page with the terms of the function.
func (s *scored) Appraise(p graph.Page) *Appraisal {
	v, _ := s.f.Eval(s.values(p), s.places)
	a := &Appraisal{Expression: s.f.String(), Score: score.Clamp(v)}
	for t := range score.Terms {
		if !s.f.Uses(t) {
			continue
		}
		x := TermValue{Name: t.String()}
		if v := s.at[t]; !math.IsNaN(v) {
			x.Value = &v
			if s.f.UsesQuantile(t) {
				place := s.places.Of(t, v)
				x.Quantile = &place
			}
		}
		a.Terms = append(a.Terms, x)
	}
	return a
}

// Explain returns the summands of the expression with their shares.
func (s *scored) Explain(p graph.Page) (list []Factor) {
	values := s.values(p)
	whole, ok := s.f.Eval(values, s.places)
	for _, part := range s.f.Parts(values, s.places) {
		x := Factor{Name: part.Text, Value: part.Value}
		if ok && whole != 0 {
			x.Share = part.Value / whole
		}
		list = append(list, x)
	}
	return list
}
