package disk

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// inode is a file of a Memory, without its name. Bytes that were written are never changed
// in place: a write over some of them makes another array. So now, kept, the operations and
// the copies of a file share theirs.
type inode struct {
	now  []byte // what a program reads
	kept []byte // what lasts in any case
	ops  []fileOp
}

// fileOp is a write of data at an offset, or (cut) a change of the size to it.
//
//	pending   no sync has been requested yet
//	settled   it lasts, but an earlier one that is in doubt keeps it in the list
//	doubtful  a sync that should have made it last failed: no later one will do
type fileOp struct {
	at    int64
	data  []byte
	cut   bool
	state opState
}

type opState uint8

const (
	pending opState = iota
	settled
	doubtful
)

func (n *inode) change(op fileOp) {
	n.now = op.apply(n.now)
	end := op.at + int64(len(op.data))
	op.data = n.now[op.at:end:end] // the caller may use its own again
	n.ops = append(n.ops, op)
}

// apply returns the file after the operation. Bytes that were never written are 0.
func (op *fileOp) apply(b []byte) []byte {
	size := int64(len(b))
	end := op.at + int64(len(op.data))
	if op.cut && end <= size {
		return b[:end:end]
	}
	if op.at < size {
		b = slices.Clone(b)
	}
	if end > size {
		b = slices.Grow(b, int(end-size))[:end]
		clear(b[size:])
	}
	copy(b[op.at:], op.data)
	return b
}

// settle records a sync that succeeded.
func (n *inode) settle() {
	done := 0
	for i := range n.ops {
		if n.ops[i].state == pending {
			n.ops[i].state = settled
		}
		if n.ops[i].state == settled && done == i {
			done++
		}
	}
	if done == len(n.ops) {
		n.kept = slices.Clip(n.now)
	} else {
		for i := range done {
			n.kept = n.ops[i].apply(n.kept)
		}
	}
	n.ops = slices.Delete(n.ops, 0, done)
}

// doubt records a sync that failed.
func (n *inode) doubt() {
	for i := range n.ops {
		if n.ops[i].state == pending {
			n.ops[i].state = doubtful
		}
	}
}

// clone copies the file with its pending operations.
func (n *inode) clone() *inode {
	return &inode{slices.Clip(n.now), slices.Clip(n.kept), slices.Clone(n.ops)}
}

// crash returns what a power loss leaves: of the operations that do not last in any case
// each whole, torn or not at all.
func (n *inode) crash(rng *rand.Rand) *inode {
	b := slices.Clip(n.kept)
	for _, op := range n.ops {
		if op.state != settled && !op.tear(rng) {
			continue
		}
		b = op.apply(b)
	}
	return &inode{now: b, kept: slices.Clip(b)}
}

// tear decides which part of an operation remains: nothing, a part without its beginning or
// its end, or all of it.
func (op *fileOp) tear(rng *rand.Rand) bool {
	fate, n := rng.IntN(4), len(op.data)
	switch {
	case fate == 0:
		return false
	case fate == 1 && n > 0:
		from := rng.IntN(n)
		to := from + 1 + rng.IntN(n-from)
		op.at, op.data = op.at+int64(from), op.data[from:to]
	case fate == 2 && n > 0:
		op.data = op.data[:rng.IntN(n)+1]
	}
	return true
}

// Kill returns what kill -9 leaves: all that was written, on a disk without faults. A later
// power loss may still take what was never synced. This directory and its open files stay
// usable.
func (m *Memory) Kill() *Memory {
	defer m.lock()()
	return m.copyTo(&memoryDisk{faults: newFaults()}, map[*inode]*inode{})
}

func (m *Memory) copyTo(d *memoryDisk, files map[*inode]*inode) *Memory {
	file := func(n *inode) *inode {
		if n != nil && files[n] == nil {
			files[n] = n.clone()
		}
		return files[n]
	}
	c := newMemory(d)
	for name, n := range m.now {
		c.now[name] = file(n)
	}
	for name, n := range m.kept {
		c.kept[name] = file(n)
	}
	for _, op := range m.ops {
		c.ops = append(c.ops, nameOp{file(op.file), op.from, op.to})
	}
	for name, s := range m.subs {
		c.subs[name] = s.copyTo(d, files)
	}
	return c
}

// Crash returns what a power loss may leave, one possibility for each number: all that was
// synced; of the writes and cuts of each file since its last sync any that chance
// takes, torn too, with zeros where a later one is there and an earlier one is not; of
// the creations, renames and removals since the last sync of the directory any that
// chance takes, but none without those before it that had to do with the same names. The
// new disk has no faults, and all that is on it lasts.
func (m *Memory) Crash(random uint64) *Memory {
	defer m.lock()()
	return m.crashTo(&memoryDisk{faults: newFaults()}, rand.New(rand.NewPCG(random, 0)))
}

func (m *Memory) crashTo(d *memoryDisk, rng *rand.Rand) *Memory {
	names := m.survivingNames(rng)
	c := newMemory(d)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		n := names[name].crash(rng)
		c.now[name], c.kept[name] = n, n
	}
	for _, name := range slices.Sorted(maps.Keys(m.subs)) {
		c.subs[name] = m.subs[name].crashTo(d, rng)
	}
	return c
}

// survivingNames applies to the names that last some of the operations after.
func (m *Memory) survivingNames(rng *rand.Rand) map[string]*inode {
	names, barred := maps.Clone(m.kept), map[string]bool{}
	for _, op := range m.ops {
		if rng.IntN(2) == 0 || barred[op.from] || barred[op.to] {
			barred[op.from], barred[op.to] = true, true
			barred[""] = false // no name
			continue
		}
		op.apply(names)
	}
	return names
}
