package graph

import (
	"fmt"
	"os"

	"github.com/winnow-crawler/winnow/graph/bv"
	"golang.org/x/sys/unix"
)

// runBV reads a WebGraph file and writes the graph.
func (m *importer) runBV() error {
	name := m.o.BV + ".properties"
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	props, err := bv.ParseProperties(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if m.pages >= 0 && int64(m.pages) != props.Nodes {
		return fmt.Errorf("%s has %d lines, %s says %d nodes", m.listed(), m.pages, name, props.Nodes)
	}
	m.pages = int(props.Nodes)
	if _, err := m.o.sortMemory(m.pages, 1); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	file := m.o.BV + ".graph"
	bits, done, err := mapPadded(file)
	if err != nil {
		return err
	}
	defer done()
	return m.write(Source{Lists: func(emit func(Page, []Page) error) error {
		return m.readBV(file, props, bits, emit)
	}})
}

// readBV decodes the lists. A file that does not fit its properties has invalid lists,
// another number of links, or bits left over.
func (m *importer) readBV(file string, props bv.Properties, bits []byte, emit func(Page, []Page) error) error {
	end := uint64(len(bits)-bv.Padding) * 8
	s, err := bv.NewStream(props.Params, m.pages, bits, end)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	arcs := int64(0)
	c := s.Scan()
	for c.Next() {
		list := pagesOf(c.List())
		if i := firstFall(list); i >= 0 {
			return fmt.Errorf("%s: page %d, bit %d (byte %d): link %d follows link %d; are the properties those of this file?",
				file, c.Page(), c.Start(), c.Start()/8, list[i], list[i-1])
		}
		arcs += int64(len(list))
		if c.Page()%4096 == 0 {
			if err := m.tell(int64(c.Bit()/8), int64(end/8)); err != nil {
				return err
			}
		}
		if err := emit(Page(c.Page()), list); err != nil {
			return err
		}
	}
	switch {
	case c.Err() != nil:
		return fmt.Errorf("%s: %w; are the properties those of this file?", file, c.Err())
	case arcs != props.Arcs:
		return fmt.Errorf("%s: %d links, its properties say %d", file, arcs, props.Arcs)
	case end-c.Bit() >= 8:
		return fmt.Errorf("%s: the lists end at byte %d, the file at byte %d", file, (c.Bit()+7)/8, end/8)
	}
	return nil
}

// mapPadded maps a file with room behind it for the decoder's loads: the rest of
// its last page, which reads as zeros.
func mapPadded(name string) (b []byte, done func(), err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	size := int(st.Size())
	if size == 0 || !st.Mode().IsRegular() {
		b, err := os.ReadFile(name)
		return append(b, make([]byte, bv.Padding)...), func() {}, err
	}
	page := os.Getpagesize()
	if tail := size % page; tail == 0 || tail > page-bv.Padding {
		return readPadded(f, size)
	}
	m, err := unix.Mmap(int(f.Fd()), 0, size+bv.Padding, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return readPadded(f, size)
	}
	return m, func() { _ = unix.Munmap(m) }, nil
}

// readPadded reads the file into memory: for sizes that leave no room in the last
// page of a mapping.
func readPadded(f *os.File, size int) ([]byte, func(), error) {
	b := make([]byte, size+bv.Padding)
	if n, err := f.ReadAt(b[:size], 0); n < size {
		return nil, nil, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	return b, func() {}, nil
}
