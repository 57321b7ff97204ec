package graph

import "golang.org/x/sys/unix"

const mapNoReserve = unix.MAP_NORESERVE

// adviseHuge asks for huge pages. It is advice: where they are not to be had the
// column works all the same.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
