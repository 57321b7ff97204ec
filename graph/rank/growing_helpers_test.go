package rank

import "math"

// Refresh brings Bound below bound, as Work does in slices.
func (g *Growing) Refresh(bound float64) {
	for g.Work(bound, math.MaxInt) {
	}
}

// Visited is the number of links that pushes have followed so far: what the work has
// cost, whatever the machine.
func (g *Growing) Visited() int64 { return int64(g.numbers.At(visited)) }

// Scores appends the PageRank of every page up to the highest that is known to v.
// Pages that are not known have 0.
func (g *Growing) Scores(v []float64) []float64 {
	sum, level, open := g.sum(), g.level(), g.open.Slice()
	for p, y := range g.settled.Slice() {
		score := 0.0
		if y != 0 || open[p] != 0 {
			score = (y + math.Abs(open[p]) - level) / sum
		}
		v = append(v, score)
	}
	return v
}
