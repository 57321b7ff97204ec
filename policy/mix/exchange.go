package mix

import (
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
	"github.com/winnow-crawler/winnow/queue"
)

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

// Foretell lets each member know its own.
func (m *Mix) Foretell(amounts []float64) {
	for _, x := range m.exchangers {
		if t, ok := x.(order.Foreteller); ok {
			t.Foretell(amounts[:x.Amounts()])
		}
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

// Shares returns by board the part of the turns that its member has, by its weight. A member with
// several boards divides its part.
func (m *Mix) Shares() []float64 {
	m.shares = m.shares[:0]
	for i, member := range m.Members {
		first, w := len(m.shares), m.weights.At(i)
		m.shares = append(m.shares, make([]float64, member.Boards)...)
		s, ok := member.Policy.(order.Sharer)
		if !ok {
			m.shares[first] = w
			continue
		}
		for b, share := range s.Shares() {
			m.shares[first+b] = w * share
		}
	}
	return m.shares
}

// Level returns what the member that has a board says, or else the value there.
func (m *Mix) Level(p graph.Page, board int) float64 {
	i := m.Owner(board)
	if l, ok := m.Members[i].Policy.(order.Leveler); ok {
		for _, before := range m.Members[:i] {
			board -= before.Boards
		}
		return l.Level(p, board)
	}
	v := m.boards[board].Value(p)
	if m.boards[board].Discounted(p) {
		v = queue.Lower(v)
	}
	return v
}
