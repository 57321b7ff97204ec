//go:build unix

package graph

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20

// A reservation is a stretch of address space of which the first committed bytes
// may be used. bytes starts on a huge-page boundary.
type reservation struct {
	whole     []byte // as mapped
	bytes     []byte // from the first huge-page boundary on
	size      int    // usable bytes, at most len(bytes)
	committed int
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

// commit makes the first n bytes usable. Small columns take 64 KiB at a time,
// large ones whole huge pages.
func (m *reservation) commit(name string, n int) {
	if n > m.size {
		panic(fmt.Sprintf("graph: column %q grows to %d bytes, %d were reserved", name, n, m.size))
	}
	if n <= m.committed {
		return
	}
	step := 64 << 10
	if n > hugePage {
		step = hugePage
	}
	to := (n + step - 1) / step * step
	if err := unix.Mprotect(m.bytes[:to], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		panic(fmt.Sprintf("graph: no memory for column %q (%d bytes): %v", name, to, err))
	}
	if step == hugePage {
		adviseHuge(m.bytes[:to])
	}
	m.committed = to
}

func (m *reservation) release() {
	if m.whole == nil {
		return
	}
	if err := unix.Munmap(m.whole); err != nil {
		panic(fmt.Sprintf("graph: release a column: %v", err))
	}
	*m = reservation{}
}
