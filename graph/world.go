package graph

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/winnow-crawler/winnow/internal/input"
)

// readIDs reads a list of ids and returns it sorted.
func (m *importer) readIDs(name string) ([]uint32, error) {
	var ids []uint32
	err := m.readFile(name, func(f *input.File) error {
		return input.IDs(f, func(id uint32) error {
			if ids = append(ids, id); len(ids)%4096 == 0 {
				return halted(m.ctx.Err())
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	if i := firstFall(ids); i >= 0 {
		return nil, m.badID(name, ids[i], 2, " occurs twice")
	}
	return ids, nil
}

// badID returns the error about an id of a list, at the line where it occurs for the
// nth time.
func (m *importer) badID(name string, id uint32, nth int, what string) error {
	err := fmt.Errorf("id %d%s", id, what)
	return m.locate(name, err, func(f *input.File) error {
		return input.IDs(f, func(v uint32) error {
			if v == id {
				if nth--; nth == 0 {
					return err
				}
			}
			return nil
		})
	})
}

// locate adds the line to an error that was found after all lines had been read: find reads
// the file again and returns err at the line where it belongs. If the file cannot be read
// twice, the line is missing.
func (m *importer) locate(name string, err error, find func(*input.File) error) error {
	if st, serr := os.Stat(name); serr == nil && st.Mode().IsRegular() {
		if at := m.readFile(name, find); errors.Is(at, err) {
			return at
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// An idWorld turns ids of the input into pages.
type idWorld struct {
	ids    []uint32
	direct *Column[Page] // page of each id, where ids are dense enough
}

func newIDWorld(ids []uint32) *idWorld {
	w := &idWorld{ids: ids}
	if n := len(ids); n > 0 && int64(ids[n-1]) < 8*int64(n)+1<<16 {
		w.direct = NewColumn[Page]("page of id", int(ids[n-1])+1)
		w.direct.Grow(int(ids[n-1]) + 1)
		d := w.direct.Slice()
		for i := range d {
			d[i] = NoPage
		}
		for p, id := range ids {
			d[id] = Page(p)
		}
	}
	return w
}

// page returns the page of an id, or NoPage.
func (w *idWorld) page(id uint32) Page {
	if w.direct != nil {
		if int64(id) < int64(w.direct.Len()) {
			return w.direct.Slice()[id]
		}
		return NoPage
	}
	if i, ok := slices.BinarySearch(w.ids, id); ok {
		return Page(i)
	}
	return NoPage
}

// bytes returns the memory of the world.
func (w *idWorld) bytes() int64 {
	n := int64(len(w.ids)) * 4
	if w.direct != nil {
		n += w.direct.Bytes()
	}
	return n
}

func (w *idWorld) free() {
	if w.direct != nil {
		w.direct.Free()
	}
}
