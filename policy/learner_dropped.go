package policy

import "github.com/winnow-crawler/winnow/graph"

// Dropped counts p, which will not be fetched, as a page that is worth nothing. Otherwise a
// trap whose pages are refused would look like a place of which much is still to come. p has
// no label: there may be more refused pages than others, out of scope.
func (l *learner) Dropped(p graph.Page) {
	state := &l.state.Slice()[p]
	if *state&(gotBit|pickedBit) != 0 || l.far(p, state) {
		return
	}
	*state |= gotBit | lostBit
	if l.numbers.At(learnStage) != learnIdle && *state&lateBit == 0 {
		*state |= lateBit
		l.late.Append(uint32(p))
	}
}

// Admitted lets p, if it was dropped, be fetched after all.
func (l *learner) Admitted(p graph.Page) {
	if state := &l.state.Slice()[p]; *state&pickedBit == 0 {
		*state &^= gotBit | lostBit
	}
}
