package mix

import "github.com/winnow-crawler/winnow/graph"

// Amounts returns those of all members.
func (m *Mix) Amounts() (n int) {
	for _, x := range m.exchangers {
		n += x.Amounts()
	}
	return n
}

// Give lets each member give its own.
func (m *Mix) Give(p graph.Page, amounts []float64) {
	for _, x := range m.exchangers {
		x.Give(p, amounts[:x.Amounts()])
		amounts = amounts[x.Amounts():]
	}
}

// Take lets each member take its own.
func (m *Mix) Take(p graph.Page, links int, amounts []float64) {
	for _, x := range m.exchangers {
		x.Take(p, links, amounts[:x.Amounts()])
		amounts = amounts[x.Amounts():]
	}
}
