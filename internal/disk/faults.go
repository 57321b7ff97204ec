package disk

import "errors"

// ErrStopped is returned by every operation of a stopped Memory.
var ErrStopped = errors.New("the disk has stopped")

// faults lists the faults that a disk must produce, and its counts.
type faults struct {
	stop                     int   // operations that are left; negative: no limit
	stepIn, writeIn, syncIn  int   // the n-th from now on fails; 0: none
	room                     int64 // bytes that can be written; negative: no limit
	stepErr, writeErr        error
	syncErr, roomErr         error
	stepped, written, synced int
}

func newFaults() faults { return faults{stop: -1, room: -1} }

// Stop lets n more operations that change or sync something succeed; all after them
// fail with ErrStopped, for ever. A negative number removes the limit.
func (m *Memory) Stop(n int) {
	defer m.lock()()
	m.disk.stop = n
}

// FailStep makes the n-th operation from now on that changes or syncs something fail, once;
// n = 1 is the next. The failed operation does nothing.
func (m *Memory) FailStep(n int, err error) {
	defer m.lock()()
	m.disk.stepIn, m.disk.stepErr = n, err
}

// FailWrite makes the n-th write or truncation from now on fail, once. Half of what it
// should have written is there.
func (m *Memory) FailWrite(n int, err error) {
	defer m.lock()()
	m.disk.writeIn, m.disk.writeErr = n, err
}

// FailSync makes the n-th sync of a file or a directory from now on fail, once. The bytes
// that it should have made last can be read, but are in doubt for good, even when a later
// sync succeeds and after Kill, as with a kernel that takes pages for clean which it could
// not write. They last only if they are written again.
func (m *Memory) FailSync(n int, err error) {
	defer m.lock()()
	m.disk.syncIn, m.disk.syncErr = n, err
}

// Limit makes all writes fail after a number of further bytes. A write that exceeds the
// limit writes only the bytes up to it. A negative number removes the limit.
func (m *Memory) Limit(bytes int64, err error) {
	defer m.lock()()
	m.disk.room, m.disk.roomErr = bytes, err
}

// Steps, Writes and Syncs return the numbers of operations that succeeded: all that change
// or sync something, writes and truncations, syncs of files and directories.
func (m *Memory) Steps() int  { defer m.lock()(); return m.disk.stepped }
func (m *Memory) Writes() int { defer m.lock()(); return m.disk.written }
func (m *Memory) Syncs() int  { defer m.lock()(); return m.disk.synced }

// step counts an operation, unless the disk has stopped.
func (d *faults) step() error {
	if d.stop == 0 {
		return ErrStopped
	}
	if due(&d.stepIn) {
		return d.stepErr
	}
	if d.stop > 0 {
		d.stop--
	}
	d.stepped++
	return nil
}

// writes returns the number of bytes, of n, that are written.
func (d *faults) writes(n int) (int, error) {
	if due(&d.writeIn) {
		return n / 2, d.writeErr
	}
	if d.room >= 0 && int64(n) > d.room {
		n = int(d.room)
		d.room = 0
		return n, d.roomErr
	}
	if err := d.step(); err != nil {
		return 0, err
	}
	if d.room >= 0 {
		d.room -= int64(n)
	}
	d.written++
	return n, nil
}

func (d *faults) syncs() error {
	if due(&d.syncIn) {
		return d.syncErr
	}
	if err := d.step(); err != nil {
		return err
	}
	d.synced++
	return nil
}

// due counts down to a fault.
func due(n *int) bool {
	if *n == 0 {
		return false
	}
	*n--
	return *n == 0
}
