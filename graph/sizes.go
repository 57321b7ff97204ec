package graph

import (
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/internal/input"
)

// Sizes of pages in bytes are a column of a graph file, 0 where a size is not known. They come
// from a list, or from the crawl that the graph is made of.

// HasSizes reports whether the sizes of pages are known, of some at least.
func (g *Graph) HasSizes() bool { return g.sizes != nil }

// Size returns the number of bytes of a page, 0 if it is not known.
func (g *Graph) Size(p Page) int64 {
	if g.sizes == nil {
		return 0
	}
	return int64(g.sizes[p])
}

// SizedPages returns the number of pages whose sizes are known.
func (g *Graph) SizedPages() (n int) {
	for _, s := range g.sizes {
		if s > 0 {
			n++
		}
	}
	return n
}

// sizeMemory is the number of bytes that the sizes take for each page while they are read.
const sizeMemory = 4

// readSizes returns the sizes of the pages: line i of the list is that of id i. A page beyond
// the end of the list, and one whose line is empty, has none.
func (m *importer) readSizes() ([]uint32, error) {
	switch {
	case m.o.Feed != nil && m.o.Feed.Sizes != nil:
		return m.keptSizes(m.o.Feed.Sizes()), nil
	case m.o.Sizes == "":
		return nil, nil
	}
	sizes, next := make([]uint32, m.pages), 0
	err := m.readFile(m.o.Sizes, func(f *input.File) error {
		return input.Lines(f, func(line int, text []byte) error {
			for next < m.pages && int64(m.id(Page(next))) < int64(line-1) {
				next++
			}
			if len(text) == 0 || next == m.pages || int64(m.id(Page(next))) != int64(line-1) {
				return nil
			}
			n, err := input.ParseID(text)
			if err != nil {
				return fmt.Errorf("a number of bytes: %w", err)
			}
			sizes[next] = n
			return nil
		})
	})
	return sizes, err
}

// keptSizes returns the sizes of the pages that remain, by their ids.
func (m *importer) keptSizes(all []uint32) []uint32 {
	sizes := make([]uint32, m.pages)
	for p := range sizes {
		if id := m.id(Page(p)); int64(id) < int64(len(all)) {
			sizes[p] = all[id]
		}
	}
	return sizes
}

// sizes returns the sizes of a subgraph, nil if there are none.
func (c *Subgraph) sizes() []uint32 {
	if !c.g.HasSizes() {
		return nil
	}
	sizes := make([]uint32, len(c.pages))
	for i, p := range c.pages {
		sizes[i] = c.g.sizes[p]
	}
	return sizes
}

// SizeOf returns a size as the column holds it.
func SizeOf(bytes int64) uint32 { return uint32(min(max(bytes, 0), math.MaxUint32)) }
