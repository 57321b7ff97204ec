package frontier

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// Columns calls each for every column, as it is saved: of the pages, the sites, the boards, the
// policies.
func (f *Frontier) Columns(each func(graph.AnyColumn)) {
	f.sites.unheld(func() { f.columns.Columns(each) })
}

// Save writes the whole state, in the order of its pages and sites. Heaps are left out, so
// that equal states give equal bytes, no matter how they arose.
func (f *Frontier) Save(w io.Writer) error {
	layout, rest := columnOf("frontier layout", []uint8(f.layout)), f.rest()
	defer layout.Free()
	defer rest.Free()
	err := layout.Save(w)
	if err == nil {
		f.sites.unheld(func() { err = f.columns.Save(w) })
	}
	if err == nil {
		err = rest.Save(w)
	}
	return err
}

// rest returns what is in no column: the time, counters, hops, paces, due pages, the
// batch.
func (f *Frontier) rest() *graph.Column[uint64] {
	p, batch := f.pages, &f.tasks.batches
	hops, paces, due := f.sites.hops.list(), f.sites.clocks.paceList(), p.allDue()
	list := make([]uint64, 0, restNumbers+len(hops)+len(paces)+2*len(due)+len(batch.list))
	for _, v := range []int{int(f.sites.now), p.queued, f.tasks.flying, p.inBatch, batch.whole, len(due), len(hops), p.revisits, len(paces), int(f.sites.clocks.times), f.sites.requisites.since, f.sites.requisites.flying} {
		list = append(list, uint64(v))
	}
	list = append(append(list, hops...), paces...)
	for len(due) > 0 {
		d := due.pop()
		list = append(list, uint64(d.at), uint64(d.id))
	}
	for _, p := range batch.list {
		list = append(list, uint64(p))
	}
	return columnOf("frontier rest", list)
}

// columnOf returns a column with the elements of a list.
func columnOf[T graph.Value](name string, list []T) *graph.Column[T] {
	c := graph.NewColumn[T](name, len(list))
	c.Grow(len(list))
	copy(c.Slice(), list)
	return c
}

// Load replaces the state by one that was saved with the same Layout. After an error the
// frontier must not be used.
func (f *Frontier) Load(r io.Reader) error {
	if err := loadLayout(r, f.layout); err != nil {
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
	f.orders.calmAll()
	f.orders.rebuildDiscounts()
	f.pages.recount()
	f.orders.rebuild(f.Sites())
	f.sites.rebuild()
	for _, l := range f.policies.loaders {
		l.Loaded()
	}
	return nil
}

// restNumbers is the number of numbers of the rest that precede its lists.
const restNumbers = 12

// setRest restores what rest returned.
func (f *Frontier) setRest(v []uint64) error {
	if n := uint64(len(v)); n < restNumbers || v[5] > n/2 || v[6] > n || v[8] > n || restNumbers+2*v[5]+v[6]+v[8] > n {
		return fmt.Errorf("load frontier: its last column has %d numbers, which is too few: it was saved with other options", len(v))
	}
	p, batch := f.pages, &f.tasks.batches
	f.sites.now, p.queued, f.tasks.flying, f.tasks.differs = time.Duration(v[0]), int(v[1]), int(v[2]), 0
	p.inBatch, batch.whole = int(v[3]), int(v[4])
	due, hops, paces := v[5], v[6], v[8]
	p.revisits, f.sites.clocks.times = int(v[7]), p95(v[9])
	f.sites.requisites.since, f.sites.requisites.flying = int(v[10]), int(v[11])
	v = v[restNumbers:]
	f.sites.hops.set(v[:hops])
	f.sites.clocks.setPaces(v[hops:][:paces])
	p.setDue(nil)
	for v = v[hops+paces:]; due > 0; due, v = due-1, v[2:] {
		p.due.push(time.Duration(v[0]), uint32(v[1]))
	}
	batch.list = batch.list[:0]
	for _, p := range v {
		batch.list = append(batch.list, graph.Page(p))
	}
	return nil
}

// Memory calls each with the name and the size of everything that pages, sites and
// policies take: all columns, also those that are not saved, and the heaps.
func (f *Frontier) Memory(each func(name string, bytes int64)) {
	sites, pages := f.instantBytes()
	f.columns.Memory(each)
	each("site instants", sites)
	each("page instants", pages)
	each("site paces", 64*int64(len(f.sites.clocks.paces)))
}

// instantBytes returns the sizes of the heaps of instants.
func (f *parts) instantBytes() (sites, pages int64) {
	return 16 * int64(cap(f.sites.waits)+cap(f.sites.addresses.waits)), 16 * int64(cap(f.pages.due)+f.pages.yielding.pages)
}

// HeapBytes returns the part of the memory that is on the Go heap: heaps of sites and
// instants.
func (f *Frontier) HeapBytes() int64 {
	sites, pages := f.instantBytes()
	return f.orders.heapBytes() + sites + pages
}

// Bytes returns the memory that pages and sites take, policies included.
func (f *Frontier) Bytes() (n int64) {
	f.Memory(func(_ string, bytes int64) { n += bytes })
	return n
}

// Free releases the memory.
func (f *Frontier) Free() { f.columns.Free() }

// layoutVersion is the format of what Save writes.
//
//	1: the frontier of the laboratory
//	2: hops, twins, sitemaps, bars, revisits, rates
//	3: discounts; of sites only values of their own, of places only whether there is one
//	4: how pages failed, learned paces
//	5: depths of 16 bits
//	6: paces that remember which delay was enough
//	7: what pages have to do with a topic
//	8: a smaller model of foresight
//	9: requisites of pages
//	10: features of foresight without logarithms, the number of its checkpoints
//	11: what partitions tell each other for foresight
//	12: the work of foresight
//	13: heaps and classes of foresight that take less time
const layoutVersion = 13

// maxLayout is the most bytes that a layout may have.
const maxLayout = 1 << 12

// Layout describes what the columns of a saved state depend on: the policies with their
// parameters, the mode, and whether links are kept, depths are exact, sites have twins and
// pages scores.
// It leaves out limits and delays, which may change between Save and Load.
func (f *Frontier) Layout() string { return f.layout }

func layoutOf(o *Options, links bool, choices []*policy.Choice) string {
	parts := []string{fmt.Sprintf("frontier %d", layoutVersion), o.Mode.String()}
	for _, c := range choices {
		name := c.Spec.Name
		for _, p := range c.Spec.Params {
			if v, ok := c.Params[p.Name]; ok {
				name += "/" + p.Name + "=" + v
			}
		}
		parts = append(parts, name)
	}
	if links {
		parts = append(parts, "links")
	}
	if o.Depths {
		parts = append(parts, "depths")
	}
	if o.Twin != nil {
		parts = append(parts, "twins")
	}
	if o.Scores {
		parts = append(parts, "scores")
	}
	if o.Partitions > 0 {
		parts = append(parts, fmt.Sprintf("partition %d of %d", o.Self, o.Partitions))
	}
	if o.Topic != nil {
		text := fmt.Sprintf("topic of %d terms", len(o.Topic.Terms()))
		if len(o.Topic.Terms()) == 1 {
			text = "topic of 1 term"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// loadLayout returns an error if the saved layout is another one.
func loadLayout(r io.Reader, layout string) error {
	c := graph.NewColumn[uint8]("frontier layout", maxLayout)
	defer c.Free()
	if err := c.Load(r); err != nil {
		return fmt.Errorf("load frontier: %w", err)
	}
	if saved := string(c.Slice()); saved != layout {
		return fmt.Errorf("load frontier: it was saved as %q, this one is %q", saved, layout)
	}
	return nil
}
