package graph

import "golang.org/x/sys/unix"

const mapNoReserve = unix.MAP_NORESERVE

// adviseHuge requests huge pages. It is only advice: without them the column works, too.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
