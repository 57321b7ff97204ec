package recut

import (
	"iter"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
)

// A merge reads the journals of several partitions in the order of time. A message comes after the
// record that made it, also where clocks are of another opinion.
type merge struct {
	heads []*head
	sent  [][]uint64 // by partition: numbers of the last messages to the others that were read
}

// A head is where the reading of a journal stands.
type head struct {
	next func() (item, bool)
	stop func()
	item item
	ok   bool // there is an item
	now  time.Duration
	err  error
}

// An item is a record, or nil for the end of a group.
type item struct{ r *journal.Record }

// newMerge reads the journals of some crawls whose instants are later by some times.
func newMerge(crawls []*history.Crawl, later []time.Duration) *merge {
	m := &merge{}
	for i, c := range crawls {
		h := &head{}
		h.next, h.stop = iter.Pull(func(yield func(item) bool) {
			h.err = c.EachGroup(func(r *journal.Record) error {
				if !yield(item{r}) {
					return errEnough
				}
				return nil
			}, func() { yield(item{}) })
		})
		m.heads, m.sent = append(m.heads, h), append(m.sent, make([]uint64, len(crawls)))
		m.advance(i, later[i])
	}
	return m
}

// advance reads the next item of a journal.
func (m *merge) advance(i int, later time.Duration) {
	h := m.heads[i]
	if h.item, h.ok = h.next(); h.ok && h.item.r != nil {
		h.now = h.item.r.Now + later
	}
}

// close ends the reading.
func (m *merge) close() {
	for _, h := range m.heads {
		h.stop()
	}
}

// first returns the partition whose item comes next, -1 at the end.
func (m *merge) first() int {
	best, blocked := -1, -1
	for i, h := range m.heads {
		switch {
		case !h.ok:
		case m.blocked(i):
			if blocked < 0 || h.before(m.heads[blocked]) {
				blocked = i
			}
		case best < 0 || h.before(m.heads[best]):
			best = i
		}
	}
	if best < 0 {
		return blocked // records are lost
	}
	return best
}

// before reports whether the item of h comes before another. At the same instant a session begins
// last: what others did belongs to the session before.
func (h *head) before(o *head) bool {
	if h.now != o.now {
		return h.now < o.now
	}
	return !h.begins() && o.begins()
}

// begins reports whether the item of h is the beginning of a session.
func (h *head) begins() bool { return h.item.r != nil && h.item.r.Event.Kind == event.Session }

// blocked reports whether the next item of a journal is a message that was not read yet as one that
// is made.
func (m *merge) blocked(i int) bool {
	r := m.heads[i].item.r
	if r == nil || r.Event.Kind != event.Linked || int(r.Event.Part) >= len(m.heads) {
		return false
	}
	from := int(r.Event.Part)
	return m.heads[from].ok && m.sent[from][i] < r.Event.Message
}

// each calls fn for all records in order, and for the ends of groups with nil. No record of a
// partition is read before fn has returned for the one before it.
func (m *merge) each(later []time.Duration, fn func(i int, r *journal.Record) error) error {
	for i := m.first(); i >= 0; i = m.first() {
		r := m.heads[i].item.r
		if r != nil && r.Event.Kind == event.Sent && int(r.Event.Part) < len(m.heads) {
			m.sent[i][r.Event.Part] = r.Event.Message
		}
		if err := fn(i, r); err != nil {
			return err
		}
		if m.advance(i, later[i]); !m.heads[i].ok && m.heads[i].err != nil {
			return m.heads[i].err
		}
	}
	return nil
}
