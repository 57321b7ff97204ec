package graph

import "golang.org/x/sys/unix"

const mapNoReserve = unix.MAP_NORESERVE

// adviseHuge requests huge pages. It is only advice: without them the column works, too.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

// populate makes the system back b with memory now. Systems before Linux 5.14 do it at the
// first touch.
func populate(b []byte) { _ = unix.Madvise(b, unix.MADV_POPULATE_WRITE) }
