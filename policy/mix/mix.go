package mix

import (
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
	"github.com/winnow-crawler/winnow/score"
)

// Mix: any policies side by side. Each orders all pages on boards of its own, and they hand
// out pages in turn.
//
//	mix:opic*2+xim: two pages of three by opic, one by xim
//
// The turns are a smooth round robin. For every page each part gains its weight, and the part
// that then has most hands out the page, and pays the sum of all weights; of equal parts it is
// the one named first. A page that one part hands out is gone for all, and every part learns
// from every page.
//
// It knows what its parts know. Cost per link: that of all parts together; per page: a place
// in the heaps of all boards.
//
// Where it fails: a part that is bad on this web still has its turns. With batches, the part
// whose turn it is chooses the whole batch.

// Spec returns the entry of mix in the table of policies.
func Spec() *order.Spec {
	return &order.Spec{
		Name: "mix",
		What: "several policies in turn, with weights: mix:opic*2+xim",
		Of:   "opic+xim",
		NewOf: func(e *order.Env, _ order.Params, members []order.Member) (order.Policy, error) {
			return New(e, members), nil
		},
	}
}

// A Mix holds policies that have turns. The lists hold those that implement an optional interface.
type Mix struct {
	graph.Set
	Members    []order.Member
	boards     []*order.Board         // of all members
	weights    *graph.Column[float64] // by member
	credit     *graph.Column[float64] // by member: weights gained, less what was paid
	before     *graph.Column[float64] // credit before the last hand-out
	last       *graph.Column[uint32]  // 1 + the page of the last hand-out
	seeders    []order.Seeder
	listeners  []order.Listener
	droppers   []order.Dropper
	admitters  []order.Admitter
	revisiters []order.Revisiter
	workers    []order.Worker
	loaders    []order.Loader
	valuers    []order.Valuer
	exchangers []order.Exchanger
	shares     []float64 // reused
}

// New returns a mix of members, which have the boards of e in their order.
func New(e *order.Env, members []order.Member) *Mix {
	m := &Mix{Members: members, boards: e.Boards}
	m.credit = graph.NewColumnIn[float64](&m.Set, "mix credit", len(members))
	m.credit.Grow(len(members))
	m.before = graph.NewColumnIn[float64](&m.Set, "mix credit before", len(members))
	m.before.Grow(len(members))
	m.last = graph.NewColumnIn[uint32](&m.Set, "mix last", 1)
	m.last.Grow(1)
	m.weights = graph.NewColumnIn[float64](&m.Set, "mix weights", len(members))
	for _, member := range members {
		p := member.Policy
		order.Adopt(&m.Set, p)
		m.weights.Append(member.Weight)
		m.seeders = appendIf(m.seeders, p)
		m.listeners = appendIf(m.listeners, p)
		m.droppers = appendIf(m.droppers, p)
		m.admitters = appendIf(m.admitters, p)
		m.revisiters = appendIf(m.revisiters, p)
		m.workers = appendIf(m.workers, p)
		m.loaders = appendIf(m.loaders, p)
		m.exchangers = appendIf(m.exchangers, p)
		if v, ok := p.(order.Valuer); ok && v.Scores() {
			m.valuers = append(m.valuers, v)
		}
	}
	return m
}

// appendIf appends p to the list if it implements T.
func appendIf[T any](list []T, p order.Policy) []T {
	if t, ok := p.(T); ok {
		list = append(list, t)
	}
	return list
}

// Weights returns the weights of the members, which may be changed.
func (m *Mix) Weights() []float64 { return m.weights.Slice() }

// Turn returns the board of the member whose turn it is.
func (m *Mix) Turn() (board int) {
	best, first := 0, 0
	for i, member := range m.Members {
		if m.credit.At(i)+m.weights.At(i) > m.credit.At(best)+m.weights.At(best) {
			best, board = i, first
		}
		first += member.Boards
	}
	if mixer, ok := m.Members[best].Policy.(order.Mixer); ok {
		board += mixer.Turn()
	}
	return board
}

// Owner returns the member that has a board.
func (m *Mix) Owner(board int) (i int) {
	for board >= m.Members[i].Boards {
		board -= m.Members[i].Boards
		i++
	}
	return i
}

// Taken charges the member whose board chose the page, unless the board is of another policy
// beside this mix.
func (m *Mix) Taken(now time.Duration, p graph.Page, board int) {
	if board >= 0 && board < len(m.boards) {
		m.charge(p, m.Owner(board))
	}
	for _, member := range m.Members {
		if t, ok := member.Policy.(order.Taker); ok {
			t.Taken(now, p, board)
		}
		board -= member.Boards
	}
}

// charge lets a member pay for its turn, in which it chose p. If turns are not taken as Turn has it,
// because partitions share them, no member is more than two turns ahead or behind.
func (m *Mix) charge(p graph.Page, member int) {
	credit, total := m.credit.Slice(), 0.0
	copy(m.before.Slice(), credit)
	m.last.Set(0, uint32(p)+1)
	for i, w := range m.weights.Slice() {
		credit[i] += w
		total += w
	}
	credit[member] -= total
	for i, c := range credit {
		credit[i] = max(-2*total, min(2*total, c))
	}
}

// TakeBack gives the member its turn again if p was handed out last and a new session voids
// that.
func (m *Mix) TakeBack(p graph.Page, o *event.Outcome) {
	if order.Void(o) && m.last.At(0) == uint32(p)+1 {
		copy(m.credit.Slice(), m.before.Slice())
		m.last.Set(0, 0)
	}
}

func (m *Mix) Known(p, from graph.Page) {
	for _, member := range m.Members {
		member.Policy.Known(p, from)
	}
}

func (m *Mix) Seeded(first, end graph.Page) {
	for _, s := range m.seeders {
		s.Seeded(first, end)
	}
}

func (m *Mix) Done(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	m.TakeBack(p, o)
	for _, member := range m.Members {
		member.Policy.Done(now, p, o, links)
	}
}

func (m *Mix) Revisited(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	m.TakeBack(p, o)
	for _, r := range m.revisiters {
		r.Revisited(now, p, o, links)
	}
}

func (m *Mix) Heard(hints []event.Hint) {
	for _, l := range m.listeners {
		l.Heard(hints)
	}
}

func (m *Mix) Dropped(p graph.Page) {
	for _, d := range m.droppers {
		d.Dropped(p)
	}
}

func (m *Mix) Admitted(p graph.Page) {
	for _, a := range m.admitters {
		a.Admitted(p)
	}
}

// Work lets one member after the other work.
func (m *Mix) Work(links int) (more bool) {
	for _, w := range m.workers {
		more = w.Work(links) || more
	}
	return more
}

func (m *Mix) Loaded() {
	for _, l := range m.loaders {
		l.Loaded()
	}
}

// UseScore replaces the function of the members that have one.
func (m *Mix) UseScore(f *score.Function) {
	for _, v := range m.valuers {
		v.UseScore(f)
	}
}

// Rerank gives pages their values by the functions of the members.
func (m *Mix) Rerank(atOnce bool) {
	for _, v := range m.valuers {
		v.Rerank(atOnce)
	}
}

// Scores reports whether a member knows scores.
func (m *Mix) Scores() bool { return len(m.valuers) > 0 }

// Worth returns the score of a page by the first member that knows it.
func (m *Mix) Worth(p graph.Page) float64 { return m.valuers[0].Worth(p) }

// Appraise explains what Worth returns.
func (m *Mix) Appraise(p graph.Page) *order.Appraisal { return m.valuers[0].Appraise(p) }

// Score returns what p is worth on a board of a member.
func (m *Mix) Score(p graph.Page, board int) float64 {
	first := 0
	for _, member := range m.Members {
		if s, ok := member.Policy.(order.Scorer); ok && board < first+member.Boards {
			return s.Score(p, board-first)
		}
		if first += member.Boards; board < first {
			break
		}
	}
	return m.boards[board].Value(p)
}

// Note returns the notes of the members.
func (m *Mix) Note() string {
	var notes []string
	for _, member := range m.Members {
		if n, ok := member.Policy.(order.Noter); ok && n.Note() != "" {
			notes = append(notes, n.Note())
		}
	}
	return strings.Join(notes, "; ")
}

// Explain returns for each member its share of the turns, and the factors of its own.
func (m *Mix) Explain(p graph.Page) (list []order.Factor) {
	total := 0.0
	for _, w := range m.weights.Slice() {
		total += w
	}
	for i, member := range m.Members {
		list = append(list, order.Factor{Name: "share of the turns", Value: m.weights.At(i) / total, Of: member.Name})
		if x, ok := member.Policy.(order.Explainer); ok {
			for _, f := range x.Explain(p) {
				f.Of = member.Name
				list = append(list, f)
			}
		}
	}
	return list
}
