package policy

import "github.com/winnow-crawler/winnow/graph"

// Score returns what p is worth, on the board of XIM also if it is not the first of its
// directory.
func (f *foresight) Score(p graph.Page, board int) float64 {
	if board == 1 {
		return f.xim.Score(p, 0)
	}
	return f.board.Value(p)
}
