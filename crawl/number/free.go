package number

import "slices"

// freeNumbers holds numbers that are no longer used, the largest first. The smallest is
// used first, so that a number depends on the records alone, and not on what was saved and
// loaded in between.
type freeNumbers []uint32

// put adds a number.
func (f *freeNumbers) put(n uint32) {
	i, _ := slices.BinarySearchFunc(*f, n, func(a, b uint32) int { return int(int64(b) - int64(a)) })
	*f = slices.Insert(*f, i, n)
}

// take removes and returns the smallest number, if there is one.
func (f *freeNumbers) take() (n uint32, ok bool) {
	last := len(*f) - 1
	if last < 0 {
		return 0, false
	}
	n, *f = (*f)[last], (*f)[:last]
	return n, true
}

// unused returns the numbers from 1 on that are not used, the largest first.
func unused(uses []uint32) (free freeNumbers) {
	for n := len(uses) - 1; n > 0; n-- {
		if uses[n] == 0 {
			free = append(free, uint32(n))
		}
	}
	return free
}
