package extsort

import "golang.org/x/sys/unix"

const mapNoReserve = unix.MAP_NORESERVE

// adviseHuge requests huge pages: a pass of the radix sort writes to as many places
// as a digit has values, more than the processor knows small pages.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
