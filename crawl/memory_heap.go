package crawl

import "runtime/metrics"

// A Heap is what the Go runtime has from the machine, in bytes.
type Heap struct {
	Resident int64 // all of it that was not given back, and the program itself
	Live     int64 // what the collector could not do without
}

// programBytes is what of the program itself is in memory while it crawls.
const programBytes = 16 << 20

// MeasureHeap is what the Go runtime of this process has from the machine. What is live is
// taken with the stacks and the tables of the runtime, and with what the collector needs to
// keep up.
func MeasureHeap() Heap {
	x := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(x)
	is := func(i int) int64 { return int64(x[i].Value.Uint64()) }
	resident := is(0) - is(1) + programBytes
	live := is(5) + is(5)/8
	return Heap{Resident: resident, Live: min(resident, resident-is(2)-is(3)-is(4)+live)}
}
