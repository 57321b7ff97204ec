package frontier

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// Columns calls each for every column: of the pages, the sites, the boards, the policies.
func (f *Frontier) Columns(each func(graph.AnyColumn)) { f.columns.Columns(each) }

// Save writes the whole state, in the order of its pages and sites: heaps are not among
// it, so that equal states are equal bytes, whatever their history.
func (f *Frontier) Save(w io.Writer) error {
	layout, rest := f.layoutColumn(), f.rest()
	defer layout.Free()
	defer rest.Free()
	err := layout.Save(w)
	if err == nil {
		f.unheld(func() { err = f.columns.Save(w) })
	}
	if err == nil {
		err = rest.Save(w)
	}
	return err
}

// rest is what is in no column: the time, counters, hops, due pages, the batch.
func (f *Frontier) rest() *graph.Column[uint64] {
	hops, paces, due := f.hopList(), f.paceList(), f.allDue()
	c := graph.NewColumn[uint64]("frontier rest", restNumbers+len(hops)+len(paces)+2*len(due)+len(f.batch.pages))
	for _, v := range []int{int(f.now), f.queued, f.flying, f.batch.left, f.batch.whole, len(due), len(hops), f.revisits, len(paces), int(f.times)} {
		c.Append(uint64(v))
	}
	for _, h := range hops {
		c.Append(h)
	}
	for _, v := range paces {
		c.Append(v)
	}
	for _, d := range slices.SortedFunc(slices.Values(due), instant.compare) {
		c.Append(uint64(d.at))
		c.Append(uint64(d.id))
	}
	for _, p := range f.batch.pages {
		c.Append(uint64(p))
	}
	return c
}

// Load replaces the state of a frontier by one that was saved with the same Layout.
// After an error it must not be used.
func (f *Frontier) Load(r io.Reader) error {
	if err := f.loadLayout(r); err != nil {
		return err
	}
	if err := f.columns.Load(r); err != nil {
		return err
	}
	rest := graph.NewColumn[uint64]("frontier rest", restNumbers+(1+paceNumbers)*f.o.MaxSites+3*f.o.MaxPages)
	defer rest.Free()
	if err := rest.Load(r); err != nil {
		return err
	}
	if err := f.setRest(rest.Slice()); err != nil {
		return err
	}
	clear(f.unsettled)
	f.reviseDiscounts()
	f.recountPages()
	f.rebuild()
	for _, p := range f.policies {
		if l, ok := p.(policy.Loader); ok {
			l.Loaded()
		}
	}
	return nil
}

// restNumbers is how many numbers of the rest stand before its lists.
const restNumbers = 10

func (f *Frontier) setRest(v []uint64) error {
	if n := uint64(len(v)); n < restNumbers || v[5] > n/2 || v[6] > n || v[8] > n || restNumbers+2*v[5]+v[6]+v[8] > n {
		return fmt.Errorf("load frontier: its last column has %d numbers, which is too few: it was saved with other options", len(v))
	}
	f.now, f.queued, f.flying, f.differs = time.Duration(v[0]), int(v[1]), int(v[2]), 0
	f.batch.left, f.batch.whole = int(v[3]), int(v[4])
	n, hops, paces := int(v[5]), int(v[6]), int(v[8])
	f.revisits, f.times = int(v[7]), p95(v[9])
	v = v[restNumbers:]
	f.setHops(v[:hops])
	f.setPaces(v[hops:][:paces])
	f.unyield()
	f.due = f.due[:0]
	for v = v[hops+paces:]; n > 0; n, v = n-1, v[2:] {
		f.due.push(time.Duration(v[0]), uint32(v[1]))
	}
	f.batch.pages = f.batch.pages[:0]
	for _, p := range v {
		f.batch.pages = append(f.batch.pages, graph.Page(p))
	}
	return nil
}

// rebuild makes the heaps.
func (f *Frontier) rebuild() {
	for _, b := range f.boards {
		b.active.Rebuild(f.Sites())
		if b.pool != nil {
			b.pool.Rebuild(f.Sites())
		}
	}
	f.waits, f.wants, f.filesLeft, f.slowSites = f.waits[:0], [places]int{}, 0, 0
	f.rebuildHops()
	f.rebuildAddresses()
	for i, at := range f.place.Slice() {
		f.rebuildSite(graph.Site(i), at)
	}
}

func (f *Frontier) rebuildSite(s graph.Site, at place) {
	for _, b := range f.boards {
		if b.pool != nil {
			b.pool.Offer(s)
		}
	}
	if f.wanting(s) {
		f.wants[at]++
	}
	f.filesLeft += f.files(s)
	if f.isSlow(s) {
		f.slowSites++
	}
	switch at {
	case ready:
		f.offer(s)
	case waiting:
		f.waits.push(time.Duration(f.next.At(int(s))), uint32(s))
	}
}

// Memory calls each with the name and the size of everything that pages, sites and
// policies take: all columns, those of the queues that are not saved, and the heaps.
func (f *Frontier) Memory(each func(name string, bytes int64)) {
	f.columns.Memory(each)
	each("site instants", 16*int64(cap(f.waits)+cap(f.clocks)))
	each("page instants", 16*int64(cap(f.due)+f.yielding.pages))
	each("site paces", 64*int64(len(f.paces)))
}

// HeapBytes is the part of the memory that is on the Go heap: heaps of sites and instants.
func (f *Frontier) HeapBytes() (n int64) {
	for _, b := range f.boards {
		n += b.active.HeapBytes()
		if b.pool != nil {
			n += b.pool.HeapBytes()
		}
	}
	return n + 16*int64(cap(f.waits)+cap(f.clocks)+cap(f.due)+f.yielding.pages)
}

// Bytes is the memory that pages and sites take, policies included.
func (f *Frontier) Bytes() (n int64) {
	f.Memory(func(_ string, bytes int64) { n += bytes })
	return n
}

// Free releases the memory.
func (f *Frontier) Free() { f.columns.Free() }
