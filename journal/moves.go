package journal

import (
	"fmt"
	"math"
)

// Moves describes copies of answers from a file of the archive, one after the other in the
// order of the pages.
type Moves struct {
	From  uint32   // the file in which they were
	Last  bool     // nothing that is kept is left in it: it is removed
	To    Position // where the first copy begins
	Spans []Span   // by page
}

// A Span is the length of an answer in the archive: of all its records, and of the main one,
// which is the first.
type Span struct{ Whole, Main uint32 }

// Places calls each with the new places of the answers, in their order.
func (m *Moves) Places(each func(i int, at Place)) {
	at := m.To.Size
	for i, s := range m.Spans {
		each(i, Place{m.To.File, at, int64(s.Main)})
		at += int64(s.Whole)
	}
}

func (w *writer) moves(r *Record) {
	m := r.Facts.Moves
	if len(m.Spans) != len(r.Event.Admit) {
		panic(fmt.Sprintf("journal: %d places of %d pages", len(m.Spans), len(r.Event.Admit)))
	}
	last := uint64(0)
	if m.Last {
		last = 1
	}
	w.uint(uint64(m.From)<<1 | last)
	w.uint(uint64(m.To.File))
	w.int(m.To.Size)
	for _, s := range m.Spans {
		w.uint(uint64(s.Whole))
		w.uint(uint64(s.Main))
	}
}

func (d *reader) moves(r *Record) {
	from := d.uint()
	if from>>1 > math.MaxUint32 {
		d.fail(fmt.Errorf("file %d", from>>1))
	}
	m := &Moves{From: uint32(from >> 1), Last: from&1 != 0, To: Position{File: d.uint32(), Size: d.int()}}
	for range r.Event.Admit {
		m.Spans = append(m.Spans, Span{d.uint32(), d.uint32()})
	}
	r.Facts.Moves = m
}
