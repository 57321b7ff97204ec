package move

import (
	"fmt"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A place is a file of the archive of a partition, as its journal knows it.
type place struct {
	number int
	size   int64  // committed bytes
	node   string // that has written it; "": it is from before there were nodes
	gone   bool   // what was kept of it was copied to another file, and it was removed
}

// A survey is what a journal says about messages and the archive.
type survey struct {
	commits []journal.Commit // of its groups
	trail   trail
	places  []place // in the order of their numbers
	epoch   uint64  // of the last session of a node
	node    string  // of the last session
	wrong   []string
}

// records returns the number of records.
func (s *survey) records() uint64 { return s.commits[len(s.commits)-1].Next }

// readSurvey reads a journal.
func readSurvey(dir disk.Dir, h journal.Header) (s survey, err error) {
	err = journal.Groups(dir, h, func(c *journal.Commit, _ []byte) error {
		s.commits = append(s.commits, *c)
		return nil
	})
	if err != nil {
		return s, err
	}
	s.trail.groups = len(s.commits)
	group, next, node := 0, uint64(0), ""
	ends := func() { // all groups that have ended
		for ; group < len(s.commits) && s.commits[group].Next <= next; group++ {
			w := s.commits[group].Warc
			s.grow(int(w.File), w.Size, node)
		}
	}
	_, err = journal.Read(dir, 0, func(r *journal.Record) error {
		ends()
		if r.Event.Kind == event.Session {
			node = r.Facts.Node
			s.begin(node, r.Facts.Epoch, next)
		}
		s.take(r, group, node, int(h.Partitions))
		next++
		return nil
	})
	ends()
	return s, err
}

// begin notes a session. Those of nodes have growing epochs: otherwise two owned the partition at a
// time.
func (s *survey) begin(node string, epoch, record uint64) {
	if node != "" && epoch <= s.epoch {
		s.wrong = append(s.wrong, fmt.Sprintf("record %d: node %s begins epoch %d after epoch %d", record, node, epoch, s.epoch))
	}
	s.epoch, s.node = max(s.epoch, epoch), node
}

// take notes what a record says.
func (s *survey) take(r *journal.Record, group int, node string, of int) {
	switch e := &r.Event; e.Kind {
	case event.Sent, event.Linked:
		if int(e.Part) < of {
			s.trail.marks = append(s.trail.marks, mark{group, int(e.Part), e.Message, e.Kind == event.Linked})
		}
	case event.Moved:
		if m := r.Facts.Moves; m != nil {
			m.Places(func(_ int, p journal.Place) { s.grow(int(p.File), p.Offset+p.Length, node) })
			s.drop(int(m.From), m.Last)
		}
	default:
		if p := r.Facts.Place; p.Length > 0 {
			s.grow(int(p.File), p.Offset+p.Length, node)
		}
	}
}

// grow notes that a file has so many bytes. The commit that ends a file does not say it: it has
// the beginning of the next one.
func (s *survey) grow(number int, size int64, node string) {
	last := len(s.places) - 1
	switch {
	case size == 0:
	case last < 0 || number > s.places[last].number:
		s.places = append(s.places, place{number: number, size: size, node: node})
	case number == s.places[last].number && size > s.places[last].size:
		s.places[last].size, s.places[last].node = size, node
	}
}

// drop notes that a file was removed, if that is so.
func (s *survey) drop(number int, gone bool) {
	for i := range s.places {
		if gone && s.places[i].number == number {
			s.places[i].gone = true
		}
	}
}
