//go:build unix

package extsort

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve maps n bytes; the system allocates a page when it is first written to. It is not
// on the Go heap: the collector would allow as much garbage in addition, and would return
// it late.
func reserve(n int) (memory, error) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|mapNoReserve)
	if err != nil {
		return memory{}, err
	}
	adviseHuge(b)
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
	return memory{words: words, free: func() { _ = unix.Munmap(b) }}, nil
}
