package disk

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Kill gives what kill -9 leaves: all that was written, on a disk without faults. A
// later power loss may still take what was never synced. This directory and its open
// files go on by themselves.
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

// Crash gives what a power loss may leave, one possibility for each number: all that was
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
