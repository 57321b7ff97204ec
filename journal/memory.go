package journal

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// header is what stands before the first record: magic and version.
const (
	magic  = "WJNL"
	header = len(magic) + 4
)

// Memory is a journal in memory: that of a simulation. The zero value is an empty one.
type Memory struct {
	b     []byte
	next  uint64     // number of the next record
	pages graph.Page // id of the next page that becomes known
	r     Record
}

// Append adds an event that was applied, or is about to be, at now.
func (m *Memory) Append(now time.Duration, e *event.Event) {
	if len(m.b) == 0 {
		m.b = binary.LittleEndian.AppendUint32([]byte(magic), Version)
	}
	m.r = Record{Seq: m.next, Now: now, First: m.pages, Event: *e}
	m.b = Encode(m.b, &m.r)
	m.next++
	m.pages += graph.Page(len(e.New))
}

// Len is the number of records.
func (m *Memory) Len() int { return int(m.next) }

// Bytes is the whole journal: magic, version and records, without groups, which only a
// disk needs. It is valid until the next Append.
func (m *Memory) Bytes() []byte { return m.b }

// Each decodes every record in order. The event is used again for the next. An error
// of fn ends it and is returned as it is.
func (m *Memory) Each(fn func(seq uint64, now time.Duration, e *event.Event) error) error {
	if len(m.b) == 0 {
		return nil
	}
	return Each(m.b, fn)
}

// Each decodes the records of a whole journal, as Bytes gives it, and calls fn for each
// in order. The event is used again for the next. Records must be numbered without
// gaps, and pages too. An error of fn ends it and is returned as it is.
func Each(b []byte, fn func(seq uint64, now time.Duration, e *event.Event) error) error {
	if len(b) < header || string(b[:len(magic)]) != magic {
		return fmt.Errorf("journal: it does not begin with %q", magic)
	}
	if v := binary.LittleEndian.Uint32(b[len(magic):]); v != Version {
		return fmt.Errorf("journal: version %d, this program reads %d", v, Version)
	}
	var r Record
	seq, pages := uint64(0), graph.Page(0)
	for at := header; at < len(b); seq++ {
		n, err := Decode(b[at:], &r)
		if err != nil {
			return fmt.Errorf("journal: record %d at byte %d: %w", seq, at, err)
		}
		if err := r.follows(seq, pages); err != nil {
			return fmt.Errorf("journal: record %d at byte %d: %w", seq, at, err)
		}
		pages += graph.Page(len(r.Event.New))
		if err := fn(seq, r.Now, &r.Event); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// follows checks that r is record seq of a journal that has made so many pages known.
func (r *Record) follows(seq uint64, pages graph.Page) error {
	if r.Seq != seq {
		return fmt.Errorf("it has number %d: records are missing", r.Seq)
	}
	if len(r.Event.New) > 0 && r.First != pages {
		return fmt.Errorf("its first page is %d, but %d are known: records are missing", r.First, pages)
	}
	return nil
}
