package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"unsafe"

	"github.com/winnow-crawler/winnow/graph/bv"
)

// views makes the sections usable. Checksums find accidents. The checks here ensure that a
// malicious file cannot lead a reader out of its memory either: they cover every count,
// every place and every id that code follows blindly. Lists and texts are checked where
// they are decoded; a bad one is a CorruptError.
func (g *Graph) views() (err error) {
	if g.forward, err = g.links(forwardSections); err != nil {
		return err
	}
	if g.back, err = g.links(backwardSections); err != nil {
		return err
	}
	if g.names, err = g.texts(secSiteNames, secSiteIndex, g.h.sites); err != nil {
		return err
	}
	if g.urls, err = g.texts(secURLs, secURLIndex, g.h.pages); err != nil {
		return err
	}
	if err := g.pageViews(int(g.h.pages)); err != nil {
		return err
	}
	if err := g.siteViews(int(g.h.pages)); err != nil {
		return err
	}
	if b := g.bytes(secCard); b != nil {
		if err := json.Unmarshal(b, &g.card); err != nil {
			return g.damaged(secCard, "%w", err)
		}
	}
	return g.tableView(int(g.h.pages))
}

func (g *Graph) pageViews(n int) (err error) {
	if g.ids, err = column[uint32](g, secIDs, n); err != nil {
		return err
	}
	if i := firstFall(g.ids); i >= 0 {
		return g.damaged(secIDs, "id %d after id %d", g.ids[i], g.ids[i-1])
	}
	if g.fetched, err = column[uint64](g, secFetched, (n+63)/64); err != nil {
		return err
	}
	g.sizes, err = column[uint32](g, secSizes, n)
	return err
}

func (g *Graph) siteViews(n int) (err error) {
	if g.siteOf, err = column[Site](g, secSiteOf, n); err != nil {
		return err
	}
	if g.siteOf == nil {
		if g.h.sites != g.h.pages {
			return fmt.Errorf("damaged: the header (offset 0) counts %d sites of %d pages, and there are none", g.h.sites, n)
		}
		return nil
	}
	if g.starts, err = column[uint32](g, secSiteStarts, int(g.h.sites)+1); err != nil {
		return err
	}
	if g.bySite, err = column[Page](g, secSitePages, n); err != nil {
		return err
	}
	switch {
	case g.starts == nil || g.bySite == nil:
		return g.damaged(secSiteOf, "the pages by site are missing")
	case g.starts[0] != 0 || !slices.IsSorted(g.starts) || int(g.starts[len(g.starts)-1]) != n:
		return g.damaged(secSiteStarts, "places that are not in order")
	case n > 0 && uint64(slices.Max(g.siteOf)) >= g.h.sites:
		return g.damaged(secSiteOf, "site %d of %d", slices.Max(g.siteOf), g.h.sites)
	case n > 0 && int(slices.Max(g.bySite)) >= n:
		return g.damaged(secSitePages, "page %d of %d", slices.Max(g.bySite), n)
	}
	return nil
}

func (g *Graph) tableView(n int) error {
	b := g.bytes(secURLTable)
	if b == nil {
		return nil
	}
	slots := tableSlots(n)
	if len(b) != slots*5 || g.urls == nil {
		return g.damaged(secURLTable, "%d bytes, not %d", len(b), slots*5)
	}
	g.table = &urlTable{pages: cast[Page](b[:slots*4]), tags: b[slots*4:]}
	return nil
}

func (g *Graph) links(name linkSections) (*Links, error) {
	s, ok := g.h.section(name.lists)
	if !ok {
		return nil, fmt.Errorf("damaged: by the header (offset 0) there is no section %q", name.lists)
	}
	if s.extra > s.length*8 { // so that adding to it does not overflow below
		return nil, g.damaged(name.lists, "%d bits in %d bytes", s.extra, s.length)
	}
	step := g.h.indexStep()
	x, size, err := g.index(name.index, (g.h.pages+step-1)/step+1)
	if err != nil {
		return nil, err
	}
	if end := x.At(x.Len() - 1); end != s.extra {
		return nil, g.damaged(name.index, "the lists end at bit %d, not at bit %d", end, s.extra)
	}
	l := &Links{path: g.path, pages: int(g.h.pages), index: x, links: int64(g.h.links), bytes: int64(s.length) + size}
	p := bv.Params{Window: int(g.h.window), MaxRef: int(g.h.maxRef), MinInterval: int(g.h.minInterval), ZetaK: int(g.h.k)}
	if !g.h.compact {
		l.stream, err = bv.NewStream(p, l.pages, g.bytes(name.lists), s.extra)
	} else if err = g.fitted(l, name, p, s.extra); err == nil {
		l.bytes += int64(len(g.bytes(name.codes)))
	}
	if err != nil {
		return nil, g.damaged(name.lists, "%w", err)
	}
	return l, nil
}

// index returns a section as an index of n numbers, with its size in bytes.
func (g *Graph) index(name string, n uint64) (*bv.Index, int64, error) {
	words, err := column[uint64](g, name, -1)
	if err != nil {
		return nil, 0, err
	}
	x, err := bv.OpenIndex(words)
	if err == nil {
		err = x.Verify()
	}
	if err != nil {
		return nil, 0, g.damaged(name, "%w", err)
	}
	if uint64(x.Len()) != n {
		return nil, 0, g.damaged(name, "%d places, not %d", x.Len(), n)
	}
	return x, int64(len(words)) * 8, nil
}

func (g *Graph) texts(name, index string, n uint64) (*texts, error) {
	b := g.bytes(name)
	if b == nil {
		return nil, nil
	}
	x, _, err := g.index(index, textPlaces(n))
	if err != nil {
		return nil, err
	}
	if end := x.At(x.Len() - 1); end != uint64(len(b)) {
		return nil, g.damaged(index, "the texts end at byte %d, not at byte %d", end, len(b))
	}
	return &texts{n: int(n), bytes: b, blocks: x}, nil
}

// damaged returns the error about a section.
func (g *Graph) damaged(name, format string, args ...any) error {
	s, _ := g.h.section(name)
	return fmt.Errorf("damaged: section %q (offset %d to %d): %w", name, s.offset, s.offset+s.length, fmt.Errorf(format, args...))
}

// bytes returns a section as it lies in the file, nil if there is none.
func (g *Graph) bytes(name string) []byte {
	s, ok := g.h.section(name)
	if !ok {
		return nil
	}
	return g.mapped[s.offset : s.offset+s.length : s.offset+s.length]
}

// column returns a section as n numbers (any count if n < 0), nil if there is none.
func column[T Value](g *Graph, name string, n int) ([]T, error) {
	b := g.bytes(name)
	if b == nil {
		return nil, nil
	}
	var one T
	size := int(unsafe.Sizeof(one))
	if len(b)%size != 0 || n >= 0 && len(b) != n*size {
		return nil, g.damaged(name, "%d bytes for %d elements of %d", len(b), n, size)
	}
	return cast[T](b), nil
}
