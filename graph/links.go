package graph

import (
	"fmt"
	"sync"

	"github.com/winnow-crawler/winnow/graph/bv"
)

// Sequential reads one direction of a link graph in page order, which is the cheaper way to
// read everything. Solvers, exporters and statistics need no more.
type Sequential interface {
	Scan(lo, hi Page) Cursor // the lists of pages lo..hi-1
}

// A Cursor goes from list to list. It has one owner.
type Cursor interface {
	Next() bool   // false at the end
	Page() Page   // whose list it is
	List() []Page // ascending; valid until Next
}

// A Reader reads the list of any page. It has one owner.
type Reader interface {
	List(p Page) []Page // ascending; valid until the next call
	Degree(p Page) int
}

// Links is one direction of a graph file, compressed.
type Links struct {
	path   string
	pages  int
	stream *bv.Stream // nil in a compact file
	index  *bv.Index
	fitted *bv.Fitted // the lists of a compact file
	links  int64
	bytes  int64
	scans  sync.Pool // of listScan that have ended: their memory is used again
}

// Pages returns the number of lists.
func (l *Links) Pages() int { return l.pages }

// Bytes returns what the lists take, the index for random access included.
func (l *Links) Bytes() int64 { return l.bytes }

// Scan reads the lists of pages lo to hi-1 in order.
func (l *Links) Scan(lo, hi Page) Cursor { return l.scan(lo, hi) }

func (l *Links) scan(lo, hi Page) *linkScan {
	return &linkScan{s: l.decoder(lo, hi), path: l.path}
}

// A listScan decodes stored lists in order.
type listScan interface {
	Restart(lo, hi uint32)
	Next() bool
	Page() uint32
	List() []uint32
	Err() error
}

func (l *Links) decoder(lo, hi Page) listScan {
	if l.fitted != nil {
		return l.fitted.Scan(uint32(lo), uint32(hi))
	}
	return l.stream.ScanFrom(l.index, uint32(lo), uint32(hi))
}

// A listReader decodes single stored lists.
type listReader interface {
	List(x uint32) ([]uint32, error)
	Degree(x uint32) (int, error)
}

// Reader reads single lists. In a compact file Degree takes as long as List.
func (l *Links) Reader() Reader {
	if l.fitted != nil {
		return &linkReader{r: l.fitted.Reader(), path: l.path}
	}
	return &linkReader{r: l.stream.Reader(l.index), path: l.path}
}

// Raw decodes all lists, on threads goroutines: four bytes a link and eight a page.
func (l *Links) Raw(threads int) *Lists {
	raw := &Lists{Off: NewColumn[uint64]("offsets", l.Pages()+1)}
	done := false
	defer func() {
		if done {
			return
		}
		raw.Off.Free() // a list was corrupt
		if raw.To != nil {
			raw.To.Free()
		}
	}()
	raw.Off.Grow(l.Pages() + 1)
	l.measure(threads, raw.Off.Slice())
	raw.To = NewColumn[Page]("links", int(l.links))
	raw.To.Grow(int(l.links))
	l.fill(threads, raw.Off.Slice(), raw.To.Slice())
	done = true
	return raw
}

// measure adds up the lengths of all lists before memory is allocated for the links,
// because their number in the header may be wrong.
func (l *Links) measure(threads int, off []uint64) {
	l.parts(threads, func(lo, hi Page) {
		if l.fitted != nil { // which has no degrees
			for c := l.scan(lo, hi); c.Next(); {
				off[c.Page()+1] = uint64(len(c.List()))
			}
			return
		}
		r := l.Reader()
		for p := lo; p < hi; p++ {
			off[p+1] = uint64(r.Degree(p))
		}
	})
	for p := range l.Pages() {
		off[p+1] += off[p]
	}
	if sum := off[l.Pages()]; sum != uint64(l.links) {
		panic(l.corrupt("%d links where the header counts %d", sum, l.links))
	}
}

// fill decodes all lists to their places.
func (l *Links) fill(threads int, off []uint64, to []Page) {
	l.parts(threads, func(lo, hi Page) {
		for c := l.scan(lo, hi); c.Next(); {
			p, list := c.Page(), c.List()
			if uint64(len(list)) != off[p+1]-off[p] {
				panic(l.corrupt("page %d has %d links in sequence and %d at random", p, len(list), off[p+1]-off[p]))
			}
			copy(to[off[p]:], list)
		}
	})
}

func (l *Links) corrupt(format string, args ...any) *CorruptError {
	return &CorruptError{l.path, fmt.Errorf("%w: "+format, append([]any{bv.ErrCorrupt}, args...)...)}
}

// parts calls fn for ranges that cover all pages, concurrently.
func (l *Links) parts(threads int, fn func(lo, hi Page)) {
	const pages = 1 << 14
	n := l.Pages()
	Parallel(threads, (n+pages-1)/pages, func(i int) {
		fn(Page(i*pages), Page(min((i+1)*pages, n)))
	})
}

type linkScan struct {
	s    listScan
	path string
}

func (c *linkScan) Next() bool {
	if c.s.Next() {
		return true
	}
	if err := c.s.Err(); err != nil {
		panic(&CorruptError{c.path, err})
	}
	return false
}

func (c *linkScan) Page() Page   { return Page(c.s.Page()) }
func (c *linkScan) List() []Page { return pagesOf(c.s.List()) }

type linkReader struct {
	r    listReader
	path string
}

func (r *linkReader) List(p Page) []Page {
	list, err := r.r.List(uint32(p))
	if err != nil {
		panic(&CorruptError{r.path, err})
	}
	return pagesOf(list)
}

func (r *linkReader) Degree(p Page) int {
	d, err := r.r.Degree(uint32(p))
	if err != nil {
		panic(&CorruptError{r.path, err})
	}
	return d
}

// Scan reads raw lists in order.
func (l *Lists) Scan(lo, hi Page) Cursor { return &rawScan{l: l, next: lo, hi: hi} }

type rawScan struct {
	l        *Lists
	next, hi Page
}

func (c *rawScan) Next() bool {
	if c.next >= c.hi {
		return false
	}
	c.next++
	return true
}

func (c *rawScan) Page() Page   { return c.next - 1 }
func (c *rawScan) List() []Page { return c.l.List(c.next - 1) }

// Remote is a view of links without those inside a site.
type Remote struct {
	Reader
	Site func(Page) Site
	buf  []Page
}

// List returns the remote part of the list of p.
func (r *Remote) List(p Page) []Page {
	r.buf = r.buf[:0]
	own := r.Site(p)
	for _, q := range r.Reader.List(p) {
		if r.Site(q) != own {
			r.buf = append(r.buf, q)
		}
	}
	return r.buf
}

// Degree returns the length of that list.
func (r *Remote) Degree(p Page) int { return len(r.List(p)) }
