package disk

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Memory is a directory in memory that keeps track of what a power loss would leave. Its
// faults (see Stop, FailWrite, FailSync and Limit) and counts are those of its disk, which
// it shares with the directories below it. It is safe for several goroutines.
type Memory struct {
	disk *memoryDisk
	now  map[string]*inode // what a program sees
	kept map[string]*inode // names that last
	ops  []nameOp          // that made now from kept, in order
	subs map[string]*Memory
}

// A memoryDisk holds what the directories of one disk share.
type memoryDisk struct {
	mu sync.Mutex // of the disk and all that is on it
	faults
}

// nameOp is a creation (file), a rename (from and to) or a removal (from) that was not
// synced.
type nameOp struct {
	file     *inode
	from, to string
}

// NewMemory returns an empty directory on a disk of its own.
func NewMemory() *Memory { return newMemory(&memoryDisk{faults: newFaults()}) }

func newMemory(d *memoryDisk) *Memory {
	return &Memory{disk: d, now: map[string]*inode{}, kept: map[string]*inode{}, subs: map[string]*Memory{}}
}

// Sub returns the directory below this one, which exists, and lasts, from the first call
// on. List does not show it, as that of OS does not.
func (m *Memory) Sub(name string) *Memory {
	defer m.lock()()
	s := m.subs[name]
	if s == nil {
		s = newMemory(m.disk)
		m.subs[name] = s
	}
	return s
}

func (m *Memory) lock() (unlock func()) {
	m.disk.mu.Lock()
	return m.disk.mu.Unlock
}

// Open implements [Dir].
func (m *Memory) Open(name string, how How) (File, error) {
	defer m.lock()()
	n := m.now[name]
	switch {
	case how == Create && n != nil:
		return nil, fmt.Errorf("create %s: %w", name, fs.ErrExist)
	case how != Create && n == nil:
		return nil, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
	case how == Create:
		if err := m.disk.step(); err != nil {
			return nil, fmt.Errorf("create %s: %w", name, err)
		}
		n = &inode{}
		m.now[name] = n
		m.ops = append(m.ops, nameOp{file: n, to: name})
	}
	return &memoryFile{inode: n, disk: m.disk, name: name, how: how}, nil
}

// List implements [Dir].
func (m *Memory) List() ([]Entry, error) {
	defer m.lock()()
	all := make([]Entry, 0, len(m.now))
	for name, n := range m.now {
		all = append(all, Entry{name, int64(len(n.now))})
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Rename implements [Dir].
func (m *Memory) Rename(from, to string) error {
	defer m.lock()()
	if m.now[from] == nil {
		return fmt.Errorf("rename %s: %w", from, fs.ErrNotExist)
	}
	if err := m.disk.step(); err != nil {
		return fmt.Errorf("rename %s: %w", from, err)
	}
	if from != to {
		m.change(nameOp{from: from, to: to})
	}
	return nil
}

// Remove implements [Dir].
func (m *Memory) Remove(name string) error {
	defer m.lock()()
	if m.now[name] == nil {
		return nil
	}
	if err := m.disk.step(); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	m.change(nameOp{from: name})
	return nil
}

func (m *Memory) change(op nameOp) {
	op.apply(m.now)
	m.ops = append(m.ops, op)
}

func (op *nameOp) apply(names map[string]*inode) {
	n := op.file
	if op.from != "" {
		n = names[op.from]
		delete(names, op.from)
	}
	if op.to != "" {
		names[op.to] = n
	}
}

// Sync implements [Dir].
func (m *Memory) Sync() error {
	defer m.lock()()
	if err := m.disk.syncs(); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	for _, op := range m.ops {
		op.apply(m.kept)
	}
	m.ops = nil
	return nil
}

// memoryFile is one open file. Its name is of use for messages only: the file may be
// renamed, and removed, while it is open.
type memoryFile struct {
	*inode
	disk   *memoryDisk
	name   string
	how    How
	closed bool
}

func (f *memoryFile) lock() (unlock func()) {
	f.disk.mu.Lock()
	return f.disk.mu.Unlock
}

// ready returns an error if an operation is not possible.
func (f *memoryFile) ready(op string, write bool) error {
	switch {
	case f.closed:
		return fmt.Errorf("%s %s: %w", op, f.name, fs.ErrClosed)
	case write && f.how == Read:
		return fmt.Errorf("%s %s: %w", op, f.name, fs.ErrPermission)
	}
	return nil
}

func (f *memoryFile) ReadAt(b []byte, at int64) (int, error) {
	defer f.lock()()
	if err := f.ready("read", false); err != nil {
		return 0, err
	}
	if at >= int64(len(f.now)) {
		return 0, io.EOF
	}
	n := copy(b, f.now[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes b at an offset. If it fails, a part of b may be written, as on a full
// disk.
func (f *memoryFile) WriteAt(b []byte, at int64) (int, error) {
	defer f.lock()()
	if err := f.ready("write", true); err != nil {
		return 0, err
	}
	n, err := f.disk.writes(len(b))
	if n > 0 {
		f.change(fileOp{at: at, data: b[:n]})
	}
	if err != nil {
		return n, fmt.Errorf("write %s: %w", f.name, err)
	}
	return n, nil
}

func (f *memoryFile) Truncate(size int64) error {
	defer f.lock()()
	if err := f.ready("truncate", true); err != nil {
		return err
	}
	if _, err := f.disk.writes(0); err != nil {
		return fmt.Errorf("truncate %s: %w", f.name, err)
	}
	f.change(fileOp{at: size, cut: true})
	return nil
}

func (f *memoryFile) Sync() error {
	defer f.lock()()
	if err := f.ready("sync", false); err != nil {
		return err
	}
	if err := f.disk.syncs(); err != nil {
		if err != ErrStopped { // a disk that has stopped made no attempt
			f.doubt()
		}
		return fmt.Errorf("sync %s: %w", f.name, err)
	}
	f.settle()
	return nil
}

func (f *memoryFile) Size() (int64, error) {
	defer f.lock()()
	if err := f.ready("size of", false); err != nil {
		return 0, err
	}
	return int64(len(f.now)), nil
}

func (f *memoryFile) Close() error {
	defer f.lock()()
	if err := f.ready("close", false); err != nil {
		return err
	}
	f.closed = true
	return nil
}
