package graph

import (
	"fmt"

	"github.com/winnow-crawler/winnow/internal/extsort"
	"github.com/winnow-crawler/winnow/internal/input"
)

// source returns the sorted links as a Source, without the pages that were not fetched
// and have too few in-links.
func (m *importer) source(links *extsort.Iterator) (Source, error) {
	src := Source{Lists: func(emit func(Page, []Page) error) error { return eachList(links, emit) }}
	if m.o.Fetched == "" && m.o.Feed == nil {
		return m.counted(src, links), nil
	}
	fetched, err := m.readFetched()
	if err != nil {
		return src, err
	}
	keep, err := m.keep(links, fetched)
	if err != nil {
		return src, err
	}
	links.Rewind()
	src.Lists = func(emit func(Page, []Page) error) error { return keep.lists(links, emit) }
	src.Fetched = keep.fetched
	return m.counted(src, links), nil
}

// counted returns src with lists that, after the last one, count the duplicates and
// release the memory of the sorter.
func (m *importer) counted(src Source, links *extsort.Iterator) Source {
	lists := src.Lists
	src.Lists = func(emit func(Page, []Page) error) error {
		if err := lists(emit); err != nil {
			return err
		}
		m.card.DuplicateLinks = links.Duplicates()
		m.report.SpilledBytes += m.sorter.Stats().Written
		return m.sorter.Close()
	}
	return src
}

// readFetched returns one bit for each page: whether it was fetched.
func (m *importer) readFetched() ([]uint64, error) {
	if m.o.Feed != nil {
		return m.o.Feed.Fetched(), nil
	}
	ids, err := m.readIDs(m.o.Fetched)
	if err != nil {
		return nil, err
	}
	bits := make([]uint64, (m.pages+63)/64)
	for _, id := range ids {
		p := Page(id)
		if m.world != nil {
			p = m.world.page(id)
		}
		if int64(p) >= int64(m.pages) {
			return nil, m.badID(m.o.Fetched, id, 1, " is not a page of this graph")
		}
		bits[p/64] |= 1 << (p % 64)
	}
	return bits, nil
}

// keptMemory is the number of bytes that pruning takes for each page: in-links, new
// numbers, original ids.
const keptMemory = 12

// kept is a renumbering of the pages that remain.
type kept struct {
	page    []Page // new number, or NoPage
	fetched []uint64
}

// keep decides which pages remain, and renumbers them. If all pages remain, the numbers
// do not change. The result has bits only if a page remains that was not fetched.
func (m *importer) keep(links *extsort.Iterator, fetched []uint64) (*kept, error) {
	in, err := m.countIn(links, fetched)
	if err != nil {
		return nil, err
	}
	k := &kept{page: make([]Page, m.pages)}
	n := Page(0)
	for p := range Page(m.pages) {
		if !bit(fetched, p) {
			m.report.UncrawledPages++
			if int64(in[p]) < int64(m.o.FrontierMinInLinks) {
				m.card.DroppedPages++
				k.page[p] = NoPage
				continue
			}
		}
		k.page[p] = n
		n++
	}
	if m.report.UncrawledPages > m.card.DroppedPages {
		k.fetched = k.bits(fetched, int(n))
	}
	if m.card.DroppedPages > 0 {
		m.ids, m.pages = m.keptIDs(k, int(n)), int(n)
	}
	return k, nil
}

// countIn counts the in-links of every page. Only fetched pages have links of their
// own.
func (m *importer) countIn(links *extsort.Iterator, fetched []uint64) ([]uint32, error) {
	in, n := make([]uint32, m.pages), 0
	for key, ok := links.Next(); ok; key, ok = links.Next() {
		if n++; n%(1<<16) == 0 && m.ctx.Err() != nil {
			return nil, m.ctx.Err()
		}
		if src := Page(key >> 32); !bit(fetched, src) {
			return nil, m.badSource(m.id(src))
		}
		in[Page(key)]++
	}
	return in, links.Err()
}

// badSource returns an error that names the first line with links of a page that was
// not fetched.
func (m *importer) badSource(id uint32) error {
	if m.o.Feed != nil {
		return fmt.Errorf("%s: page %d has links but was not fetched", m.o.Feed.Name, id)
	}
	err := fmt.Errorf("page %d has links but is not in %s", id, m.o.Fetched)
	return m.locate(m.o.Edges, err, func(f *input.File) error {
		return input.Edges(f, func(src, dst uint32) error {
			if src == id {
				return err
			}
			return nil
		})
	})
}

func bit(bits []uint64, p Page) bool { return bits[p/64]>>(p%64)&1 != 0 }

// bits returns the bits of the n pages that remain.
func (k *kept) bits(of []uint64, n int) []uint64 {
	bits := make([]uint64, (n+63)/64)
	for p, q := range k.page {
		if q != NoPage && bit(of, Page(p)) {
			bits[q/64] |= 1 << (q % 64)
		}
	}
	return bits
}

// keptIDs returns the original ids of the n pages that remain.
func (m *importer) keptIDs(k *kept, n int) []uint32 {
	ids := make([]uint32, 0, n)
	for p, q := range k.page {
		if q != NoPage {
			ids = append(ids, m.id(Page(p)))
		}
	}
	return ids
}

// id returns the id of a page in the input.
func (m *importer) id(p Page) uint32 {
	if m.ids == nil {
		return uint32(p)
	}
	return m.ids[p]
}

// lists calls emit for the lists of the pages that remain, renumbered.
func (k *kept) lists(links *extsort.Iterator, emit func(Page, []Page) error) error {
	var out []Page
	return eachList(links, func(p Page, list []Page) error {
		out = out[:0]
		for _, q := range list {
			if k.page[q] != NoPage {
				out = append(out, k.page[q])
			}
		}
		return emit(k.page[p], out)
	})
}
