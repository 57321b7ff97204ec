package graph

import (
	"fmt"

	"github.com/winnow-crawler/winnow/internal/extsort"
)

// source is the sorted links as a Source, pages that were not fetched and have too
// few in-links left out.
func (m *importer) source(links *extsort.Iterator) (Source, error) {
	src := Source{Lists: func(emit func(Page, []Page) error) error { return eachList(links, emit) }}
	if m.o.Fetched == "" {
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

// counted notes the duplicates, which are known once all links have been read.
func (m *importer) counted(src Source, links *extsort.Iterator) Source {
	lists := src.Lists
	src.Lists = func(emit func(Page, []Page) error) error {
		err := lists(emit)
		m.card.DuplicateLinks = links.Duplicates()
		m.report.SpilledBytes = m.sorter.Stats().Written
		return err
	}
	return src
}

// readFetched reads the ids of the fetched pages as one bit a page.
func (m *importer) readFetched() ([]uint64, error) {
	ids, err := readIDs(m.o.Fetched)
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
			return nil, fmt.Errorf("%s: id %d is not a page of this graph", m.o.Fetched, id)
		}
		bits[p/64] |= 1 << (p % 64)
	}
	return bits, nil
}

// kept is a renumbering of the pages that stay.
type kept struct {
	page    []Page // new number, or NoPage
	fetched []uint64
}

// keep decides which pages stay (W32) and renumbers them.
func (m *importer) keep(links *extsort.Iterator, fetched []uint64) (*kept, error) {
	was := func(p Page) bool { return fetched[p/64]>>(p%64)&1 != 0 }
	in := make([]uint32, m.pages)
	for key, ok := links.Next(); ok; key, ok = links.Next() {
		src, dst := Page(key>>32), Page(key)
		if !was(src) {
			return nil, fmt.Errorf("%s: page %d has links but is not in %s", m.o.Edges, m.id(src), m.o.Fetched)
		}
		in[dst]++
	}
	if err := links.Err(); err != nil {
		return nil, err
	}
	k := &kept{page: make([]Page, m.pages)}
	var ids []uint32
	for p := range Page(m.pages) {
		k.page[p] = NoPage
		if !was(p) {
			m.report.UncrawledPages++
			if int64(in[p]) < int64(m.o.FrontierMinInLinks) {
				m.card.DroppedPages++
				continue
			}
		}
		n := len(ids)
		k.page[p] = Page(n)
		ids = append(ids, m.id(p))
		if n%64 == 0 {
			k.fetched = append(k.fetched, 0)
		}
		if was(p) {
			k.fetched[n/64] |= 1 << (n % 64)
		}
	}
	if m.card.DroppedPages > 0 {
		m.ids, m.pages = ids, len(ids)
	}
	return k, nil
}

// id is the id that a page has in the input.
func (m *importer) id(p Page) uint32 {
	if m.ids == nil {
		return uint32(p)
	}
	return m.ids[p]
}

// lists hands over the lists of the pages that stay, renumbered.
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
