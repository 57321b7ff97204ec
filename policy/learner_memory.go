package policy

import "github.com/winnow-crawler/winnow/graph"

// memory keeps what was known of pages when they were handed out, of some of them: when there
// are too many, every second one is forgotten, and from then on fewer are kept.
type memory struct {
	boards int
	page   *graph.Column[uint32]
	board  *graph.Column[uint8] // that chose the page
	x      *graph.Column[float32]
	every  *graph.Column[uint64] // one page of how many is kept, and pages since the last one
}

const (
	smallFitted = 2000   // most examples of a fit in a small crawl
	fitted      = 6000   // and in others
	kept        = 12_000 // most pages of a memory
)

func newMemory(s *graph.Set, boards int) memory {
	m := memory{
		boards: boards,
		page:   graph.NewColumnIn[uint32](s, "foresight memory pages", kept),
		board:  graph.NewColumnIn[uint8](s, "foresight memory boards", kept),
		x:      graph.NewColumnIn[float32](s, "foresight memory features", kept*features),
		every:  graph.NewColumnIn[uint64](s, "foresight memory steps", 2),
	}
	m.every.Append(1)
	m.every.Append(0)
	return m
}

// wants reports whether the page that is handed out now is one to keep.
func (m *memory) wants() bool {
	every := m.every.Slice()
	if every[1]++; every[1] < every[0] {
		return false
	}
	every[1] = 0
	return true
}

// keep keeps a page, the board that chose it, and its features.
func (m *memory) keep(p graph.Page, board int, x []float32) {
	m.page.Append(uint32(p))
	m.board.Append(uint8(board))
	n := m.x.Len()
	m.x.Grow(n + features)
	copy(m.x.Slice()[n:], x)
	if m.page.Len() < kept {
		return
	}
	m.every.Slice()[0] *= 2
	pages, boards, all := m.page.Slice(), m.board.Slice(), m.x.Slice()
	for i := range kept / 2 {
		pages[i], boards[i] = pages[2*i], boards[2*i]
		copy(all[i*features:(i+1)*features], all[2*i*features:])
	}
	m.page.Truncate(kept / 2)
	m.board.Truncate(kept / 2)
	m.x.Truncate(kept / 2 * features)
}

// features returns those of the i-th page.
func (m *memory) features(i int) []float32 { return m.x.Slice()[i*features : (i+1)*features] }
