package move

// A mark is a message that a group of a journal sends or applies.
type mark struct {
	group   int // number of the group, from 0 on
	peer    int // the other partition
	number  uint64
	applied bool
}

// A trail is what the journal of a partition says about messages.
type trail struct {
	groups int
	marks  []mark // in the order of the journal
}

// consistent returns how many groups of each journal to keep, so that no message is applied that was not
// sent.
func consistent(trails []trail) []int {
	keep := make([]int, len(trails))
	for i := range trails {
		keep[i] = trails[i].groups
	}
	for changed := true; changed; {
		changed = false
		sent := sentUpTo(trails, keep)
		for i := range trails {
			for _, m := range trails[i].marks {
				if m.applied && m.group < keep[i] && m.number > sent[m.peer][i] {
					keep[i], changed = m.group, true
					break
				}
			}
		}
	}
	return keep
}

// sentUpTo returns the numbers of the last messages that each partition has sent to each other one, in
// the groups that are kept.
func sentUpTo(trails []trail, keep []int) [][]uint64 {
	sent := make([][]uint64, len(trails))
	for i := range trails {
		sent[i] = make([]uint64, len(trails))
		for _, m := range trails[i].marks {
			if !m.applied && m.group < keep[i] {
				sent[i][m.peer] = max(sent[i][m.peer], m.number)
			}
		}
	}
	return sent
}
