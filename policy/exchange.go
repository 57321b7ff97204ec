package policy

import "github.com/winnow-crawler/winnow/graph"

// Amounts: cash goes to pages of other partitions, too. The cash of all partitions, with what is on
// its way between them, sums to 1.
func (o *opic) Amounts() int { return 1 }

// Give takes the cash of p.
func (o *opic) Give(p graph.Page, amounts []float64) {
	amounts[0] = o.board.Value(p)
	o.board.Set(p, 0)
}

// Take adds cash.
func (o *opic) Take(p graph.Page, _ int, amounts []float64) { o.board.Add(p, max(0, amounts[0])) }

// Amounts: the number of links says it all.
func (b *backlinkCount) Amounts() int { return 0 }

// Give has nothing to give.
func (b *backlinkCount) Give(graph.Page, []float64) {}

// Take counts links.
func (b *backlinkCount) Take(p graph.Page, links int, _ []float64) { b.board.Add(p, float64(links)) }

// Amounts: what XIM adds up for a page.
func (x *xim) Amounts() int { return 1 }

// Give takes what p has received.
func (x *xim) Give(p graph.Page, amounts []float64) {
	amounts[0] = x.pages.Value(p)
	x.pages.Set(p, 0)
}

// Take adds what p has received elsewhere.
func (x *xim) Take(p graph.Page, _ int, amounts []float64) {
	x.hand(max(0, amounts[0]), []graph.Page{p})
}
