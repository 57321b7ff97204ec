package lab

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// A Buffer holds the B pages with the highest estimated importance I' among those
// stored so far (Limited Buffer Crawl, P3). Whoever estimates anew while the crawl
// goes on tells it by Update. Of equal estimates the page stored first stays.
type Buffer struct {
	room  int
	heap  []stored // the next to be evicted first
	at    []uint32 // by page: its place in the heap and 1, 0 if it is not there
	count uint64   // pages stored so far
}

type stored struct {
	estimate float64
	number   uint64 // 1 for the first page stored
	page     graph.Page
}

// NewBuffer makes an empty buffer for room pages of a world of pages.
func NewBuffer(room, pages int) *Buffer {
	return &Buffer{room: room, at: make([]uint32, pages)}
}

// Store puts a page that is not in the buffer into it and returns the page that had
// to go, which may be the same; NoPage while there is room.
func (b *Buffer) Store(p graph.Page, estimate float64) (evicted graph.Page) {
	b.count++
	s := stored{estimate, b.count, p}
	switch {
	case len(b.heap) < b.room:
		b.heap = append(b.heap, s)
		b.put(len(b.heap)-1, s)
		b.up(len(b.heap) - 1)
		return graph.NoPage
	case b.room == 0 || s.worse(b.heap[0]):
		return p
	}
	evicted = b.heap[0].page
	b.at[evicted] = 0
	b.put(0, s)
	b.down(0)
	return evicted
}

// Update changes the estimate of a page; one that is not in the buffer stays out.
func (b *Buffer) Update(p graph.Page, estimate float64) {
	if b.at[p] == 0 {
		return
	}
	i := int(b.at[p] - 1)
	b.heap[i].estimate = estimate
	b.up(i)
	b.down(int(b.at[p] - 1))
}

// Holds says whether page p is in the buffer.
func (b *Buffer) Holds(p graph.Page) bool { return b.at[p] != 0 }

// Pages is the pages in the buffer, ascending.
func (b *Buffer) Pages() []graph.Page {
	pages := make([]graph.Page, len(b.heap))
	for i, s := range b.heap {
		pages[i] = s.page
	}
	slices.Sort(pages)
	return pages
}

// worse says whether s goes before t.
func (s stored) worse(t stored) bool {
	return s.estimate < t.estimate || s.estimate == t.estimate && s.number > t.number
}

func (b *Buffer) put(i int, s stored) { b.heap[i], b.at[s.page] = s, uint32(i+1) }

func (b *Buffer) up(i int) {
	s := b.heap[i]
	for i > 0 && s.worse(b.heap[(i-1)/2]) {
		b.put(i, b.heap[(i-1)/2])
		i = (i - 1) / 2
	}
	b.put(i, s)
}

func (b *Buffer) down(i int) {
	s := b.heap[i]
	for {
		child := 2*i + 1
		if child >= len(b.heap) {
			break
		}
		if child+1 < len(b.heap) && b.heap[child+1].worse(b.heap[child]) {
			child++
		}
		if !b.heap[child].worse(s) {
			break
		}
		b.put(i, b.heap[child])
		i = child
	}
	b.put(i, s)
}

// BufferCrawl is P_BC(k), the share of a buffer of room pages that is hot after k
// fetches, where hot is as important as the room-th best page of E or more (P3); the
// last value is the P_BC of the paper. estimate[i] is I' of the i-th fetched page
// when it was stored. For estimates that change later, fill a Buffer and ask
// HotInBuffer.
func (t *Trial) BufferCrawl(estimate []float64, room int) (Curve, error) {
	if len(estimate) != len(t.order) {
		return Curve{}, fmt.Errorf("estimates of %d pages for %d fetches", len(estimate), len(t.order))
	}
	if room < 1 {
		return Curve{}, fmt.Errorf("a buffer of %d pages", room)
	}
	j := t.judge
	room = min(room, len(j.pages))
	b, limit, hot := NewBuffer(room, len(j.class)), j.HotBest(room).limit, 0
	c := Curve{make([]float64, len(t.order)), len(j.pages)}
	for k, p := range t.order {
		if j.class[p] < limit {
			hot++
		}
		if gone := b.Store(p, estimate[k]); gone != graph.NoPage && j.class[gone] < limit {
			hot--
		}
		c.Y[k] = share(hot, room)
	}
	return c, nil
}

// HotInBuffer is P_BC of a buffer as it is now.
func (j *Judge) HotInBuffer(b *Buffer) float64 {
	room := min(b.room, len(j.pages))
	limit, hot := j.HotBest(room).limit, 0
	for _, s := range b.heap {
		if j.class[s.page] < limit {
			hot++
		}
	}
	return share(hot, room)
}
