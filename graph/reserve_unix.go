//go:build unix

package graph

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const (
	hugePage = 2 << 20
	ahead    = hugePage / 4 // bytes before the end of a huge page at which the next one is made ready
)

// A reservation is a stretch of address space of which the first committed bytes
// may be used. bytes starts on a huge-page boundary.
type reservation struct {
	whole     []byte // as mapped
	bytes     []byte // from the first huge-page boundary on
	size      int    // usable bytes, at most len(bytes)
	committed int
	backed    int        // bytes that may be touched, committed or not
	ready     chan error // receives when the next huge page is ready; nil if it is not in the making
}

func reserve(name string, size int) reservation {
	if size <= 0 {
		size = 1
	}
	whole, err := unix.Mmap(-1, 0, size+2*hugePage, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|mapNoReserve)
	if err != nil {
		panic(fmt.Sprintf("graph: reserve %d bytes of address space for column %q: %v", size, name, err))
	}
	skip := int(-addressOf(whole) & (hugePage - 1))
	return reservation{whole: whole, bytes: whole[skip:], size: size}
}

// commit makes the first n bytes usable. Small columns take 64 KiB at a time. Large ones take
// whole huge pages. The system clears a huge page when it is touched first, which can take
// milliseconds. So the next one is made ready beside the owner while the last quarter of the
// present one is in use.
func (m *reservation) commit(name string, n int) {
	if n > m.size {
		panic(fmt.Sprintf("graph: column %q grows to %d bytes, %d were reserved", name, n, m.size))
	}
	if n <= m.committed {
		return
	}
	step, large := 64<<10, n > hugePage-ahead
	if large {
		step = ahead
	}
	m.committed = roundUp(n, step)
	if m.committed > m.backed {
		m.back(name, large)
	}
	if large && m.ready == nil && m.backed-m.committed < ahead && m.backed < m.size {
		ready, b, from := make(chan error, 1), m.bytes[:m.backed+hugePage], m.backed
		m.ready = ready
		go func() { ready <- makeReady(b, from) }()
	}
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }

// back lets the committed bytes be touched.
func (m *reservation) back(name string, large bool) {
	err := m.wait()
	if err == nil && m.committed > m.backed {
		if m.backed = m.committed; large {
			m.backed = roundUp(m.committed, hugePage)
		}
		err = allow(m.bytes[:m.backed], large)
	}
	if err != nil {
		panic(fmt.Sprintf("graph: no memory for column %q (%d bytes): %v", name, m.committed, err))
	}
}

// wait waits until the next huge page is ready, if it is being made so.
func (m *reservation) wait() (err error) {
	if m.ready != nil {
		err = <-m.ready
		m.ready = nil
		m.backed += hugePage
	}
	return err
}

// makeReady lets b be touched, and touches it from a place on.
func makeReady(b []byte, from int) error {
	if err := allow(b, true); err != nil {
		return err
	}
	populate(b[from:])
	return nil
}

// allow lets b be touched.
func allow(b []byte, large bool) error {
	if err := unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return err
	}
	if large {
		adviseHuge(b)
	}
	return nil
}

func (m *reservation) release() {
	if m.whole == nil {
		return
	}
	_ = m.wait() // it is of no importance any more
	if err := unix.Munmap(m.whole); err != nil {
		panic(fmt.Sprintf("graph: release a column: %v", err))
	}
	*m = reservation{}
}
