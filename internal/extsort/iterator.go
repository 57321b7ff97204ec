package extsort

// An Iterator returns the keys of a Sorter in ascending order, each once. It ends
// when the Sorter is closed.
type Iterator struct {
	s     *Sorter
	batch []uint64 // in memory: all keys; else: those merged last
	pos   int
	m     *merge // nil when all is in memory
	err   error
}

// Next returns the next key; ok is false at the end and after an error, which Err
// then returns.
func (it *Iterator) Next() (key uint64, ok bool) {
	if it.pos < len(it.batch) {
		key = it.batch[it.pos]
		it.pos++
		return key, true
	}
	return it.more()
}

func (it *Iterator) more() (uint64, bool) {
	if it.m == nil || it.err != nil {
		return 0, false
	}
	space := it.s.mem.batch()
	it.batch, it.pos = space[:it.m.fill(space)], 0
	if it.err = it.m.err; it.err != nil || len(it.batch) == 0 {
		it.batch = nil
		return 0, false
	}
	it.pos = 1
	return it.batch[0], true
}

// Err returns the error that ended the iteration, or nil.
func (it *Iterator) Err() error { return it.err }

// Rewind goes back to the first key. Runs on disk are read and merged again.
func (it *Iterator) Rewind() {
	it.pos = 0
	if it.err != nil || len(it.s.runs) == 0 {
		return
	}
	it.batch = nil
	it.m, it.err = newMerge(it.s.spill, it.s.runs, &it.s.mem)
}

// Duplicates returns the number of keys dropped because they were there already. It is
// complete once Next has returned the last key.
func (it *Iterator) Duplicates() int64 {
	if it.m == nil {
		return it.s.dups
	}
	return it.s.dups + it.m.dups
}

func (it *Iterator) end(err error) {
	it.batch, it.pos, it.m = nil, 0, nil
	if it.err == nil {
		it.err = err
	}
}
