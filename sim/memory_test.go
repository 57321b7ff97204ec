package sim

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// memory is the journal of a simulation: its records, encoded, one after the other.
type memory struct {
	b     []byte
	next  uint64     // number of the next record
	pages graph.Page // id of the next page that becomes known
}

// Append adds an event that was applied, or is about to be, at now.
func (m *memory) Append(now time.Duration, e *event.Event) {
	m.b = journal.Encode(m.b, &journal.Record{Seq: m.next, Now: now, First: m.pages, Event: *e})
	m.next++
	m.pages += graph.Page(len(e.New))
}

// Each decodes the records in order. Records and pages must be numbered without gaps.
func (m *memory) Each(fn func(now time.Duration, e *event.Event)) error {
	var r journal.Record
	seq, pages := uint64(0), graph.Page(0)
	for b := m.b; len(b) > 0; seq++ {
		n, err := journal.Decode(b, &r)
		if err != nil {
			return err
		}
		if r.Seq != seq || len(r.Event.New) > 0 && r.First != pages {
			return fmt.Errorf("record %d has number %d and first page %d, want page %d", seq, r.Seq, r.First, pages)
		}
		pages += graph.Page(len(r.Event.New))
		fn(r.Now, &r.Event)
		b = b[n:]
	}
	if seq != m.next {
		return fmt.Errorf("%d records, want %d", seq, m.next)
	}
	return nil
}
