// Package keep decides which fetched pages a crawl of limited storage keeps: the Limited
// Buffer Crawl of Cho, Garcia-Molina and Page (1998, section 3). A crawler and a simulator
// use the same [Buffer].
//
// A page has a value, which is its predicted importance, and a buffer knows the page that
// goes next: the one with the lowest value, and of equal ones the one that was stored last.
// The owner says what pages are worth, when a page is stored, and when the value of one
// changes. A buffer has no size of its own; its owner takes out what is too much.
//
// The package is passive, and the same calls give the same buffer.
package keep

import (
	"cmp"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// A Buffer holds pages. It takes 4 bytes for each page that the owner knows, up to the last
// one that was stored, and 28 bytes for each page that is kept.
//
// A kept page has a slot, a number below Len, under which the owner may have columns of its
// own. When a page is removed, the last slot takes the place of its slot.
type Buffer struct {
	slot  *graph.Column[uint32]  // by page: 1 + its slot; 0: it is not kept
	page  *graph.Column[uint32]  // by slot
	value *graph.Column[float64] // by slot
	since *graph.Column[uint64]  // by slot: its number among all that were ever stored
	at    *graph.Column[uint32]  // by slot: place in the heap
	heap  *graph.Column[uint32]  // slots, the next to go first

	Stored uint64 // pages that were ever stored: it must be saved with the columns
}

// NewBuffer returns an empty buffer for pages below a limit. Its columns belong to set.
func NewBuffer(set *graph.Set, pages int) *Buffer {
	return &Buffer{
		slot:  graph.NewColumnIn[uint32](set, "page slots", pages),
		page:  graph.NewColumnIn[uint32](set, "kept pages", pages),
		value: graph.NewColumnIn[float64](set, "kept values", pages),
		since: graph.NewColumnIn[uint64](set, "kept since", pages),
		at:    graph.NewColumnIn[uint32](set, "kept places", pages),
		heap:  graph.NewColumnIn[uint32](set, "kept order", pages),
	}
}

// Len returns the number of pages in the buffer.
func (b *Buffer) Len() int { return b.heap.Len() }

// Slot returns the slot of a page, if it is in the buffer.
func (b *Buffer) Slot(p graph.Page) (slot int, ok bool) {
	if int(p) >= b.slot.Len() {
		return 0, false
	}
	x := b.slot.At(int(p))
	return int(x) - 1, x != 0
}

// Page returns the page of a slot.
func (b *Buffer) Page(slot int) graph.Page { return graph.Page(b.page.At(slot)) }

// Value returns the value of the page of a slot.
func (b *Buffer) Value(slot int) float64 { return b.value.At(slot) }

// Store puts a page into the buffer and returns its slot. A page that is there gets the
// value, and counts as stored when it was.
func (b *Buffer) Store(p graph.Page, value float64) (slot int) {
	if slot, ok := b.Slot(p); ok {
		b.Change(p, value)
		return slot
	}
	b.slot.Grow(int(p) + 1)
	slot = b.page.Len()
	b.page.Append(uint32(p))
	b.value.Append(value)
	b.since.Append(b.Stored)
	b.at.Append(0)
	b.Stored++
	b.slot.Set(int(p), uint32(slot)+1)
	b.heap.Append(uint32(slot))
	b.up(b.heap.Len()-1, uint32(slot))
	return slot
}

// Change sets the value of a page. A page that is not in the buffer stays out.
func (b *Buffer) Change(p graph.Page, value float64) {
	slot, ok := b.Slot(p)
	if !ok || b.value.At(slot) == value {
		return
	}
	b.value.Set(slot, value)
	at := int(b.at.At(slot))
	if b.up(at, uint32(slot)) == at {
		b.down(at, uint32(slot))
	}
}

// Revalue sets the values of all pages.
func (b *Buffer) Revalue(value func(graph.Page) float64) {
	for slot := range b.Len() {
		b.value.Set(slot, value(b.Page(slot)))
	}
	for i := b.Len()/2 - 1; i >= 0; i-- {
		b.down(i, b.heap.At(i))
	}
}

// Remove takes a page out. Its slot is free then, and the page of the slot last has it, which
// may be the same.
func (b *Buffer) Remove(p graph.Page) (slot, last int, ok bool) {
	if slot, ok = b.Slot(p); !ok {
		return 0, 0, false
	}
	last = b.Len() - 1
	hole, end := int(b.at.At(slot)), b.heap.At(last)
	b.heap.Truncate(last)
	if hole < last {
		if b.up(hole, end) == hole {
			b.down(hole, end)
		}
	}
	b.slot.Set(int(p), 0)
	if slot < last {
		b.page.Set(slot, b.page.At(last))
		b.value.Set(slot, b.value.At(last))
		b.since.Set(slot, b.since.At(last))
		b.at.Set(slot, b.at.At(last))
		b.slot.Set(int(b.page.At(slot)), uint32(slot)+1)
		b.heap.Set(int(b.at.At(slot)), uint32(slot))
	}
	b.page.Truncate(last)
	b.value.Truncate(last)
	b.since.Truncate(last)
	b.at.Truncate(last)
	return slot, last, true
}

// Worst returns the page that goes next. The buffer must not be empty.
func (b *Buffer) Worst() graph.Page { return b.Page(int(b.heap.At(0))) }

// WorstOf appends the n pages that go next to list, in their order. It sorts all pages.
func (b *Buffer) WorstOf(list []graph.Page, n int) []graph.Page {
	if n == 1 {
		return append(list, b.Worst())
	}
	slots := slices.Clone(b.heap.Slice())
	slices.SortFunc(slots, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(b.value.At(int(x)), b.value.At(int(y))), cmp.Compare(b.since.At(int(y)), b.since.At(int(x))))
	})
	for _, s := range slots[:min(n, len(slots))] {
		list = append(list, b.Page(int(s)))
	}
	return list
}

// before reports whether slot x goes before slot y.
func (b *Buffer) before(x, y uint32) bool {
	if v, w := b.value.At(int(x)), b.value.At(int(y)); v != w {
		return v < w
	}
	return b.since.At(int(x)) > b.since.At(int(y))
}

func (b *Buffer) put(i int, slot uint32) {
	b.heap.Set(i, slot)
	b.at.Set(int(slot), uint32(i))
}

// up puts a slot at place i of the heap or above, and returns where.
func (b *Buffer) up(i int, slot uint32) int {
	for i > 0 && b.before(slot, b.heap.At((i-1)/2)) {
		b.put(i, b.heap.At((i-1)/2))
		i = (i - 1) / 2
	}
	b.put(i, slot)
	return i
}

// down puts a slot at place i of the heap or below.
func (b *Buffer) down(i int, slot uint32) {
	for n := b.heap.Len(); ; {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && b.before(b.heap.At(child+1), b.heap.At(child)) {
			child++
		}
		if !b.before(b.heap.At(child), slot) {
			break
		}
		b.put(i, b.heap.At(child))
		i = child
	}
	b.put(i, slot)
}
