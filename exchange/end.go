package exchange

import "slices"

// A Report says how far a partition is.
type Report struct {
	// Idle: nothing is under way, nothing waits to be fetched, told or sent, and what was applied is
	// on disk.
	Idle          bool
	Sent, Applied uint64 // see Port.Counters
}

// An End finds out whether a crawl is at its end.
type End struct{ last []Report }

// Round takes the reports of all partitions, which were asked after the last round was complete. It
// reports whether the crawl is at its end: all are idle, as many messages were applied as were
// made, and nothing of this has changed since the round before. Reports of one round may be of
// different times. A partition that does not answer is not idle.
func (e *End) Round(reports []Report) bool {
	sent, applied, idle := uint64(0), uint64(0), true
	for _, r := range reports {
		sent, applied, idle = sent+r.Sent, applied+r.Applied, idle && r.Idle
	}
	same := slices.Equal(e.last, reports)
	e.last = append(e.last[:0], reports...)
	return idle && sent == applied && same
}
