package graph

import (
	"encoding/binary"
	"fmt"
	"io"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// Value is the type of an element of a column: fixed-size numbers, never pointers, so that
// the garbage collector can skip them and a column can be written to disk as it lies in
// memory. Several numbers that are read together may be one element.
type Value interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int32 | ~int64 | ~float32 | ~float64 | ~[3]uint32 | ~[4]uint32 | ~[5]uint32 | ~[8]uint32
}

// A Column is a flat array of numbers indexed by page, site or link. It reserves
// address space for its largest size when it is made and takes memory only as it
// grows, so it never moves: a slice of it stays valid until Free. It lives outside
// the Go heap and, once it is large, on huge pages (a random read in 50 M float64
// falls from 41 to 13.5 ns with them).
//
// A Column has one owner and no lock.
type Column[T Value] struct {
	name string
	mem  reservation
	data []T // the elements in use; always backed by mem
}

// AnyColumn is a column of any type, as snapshots, recovery and the memory account use it.
type AnyColumn interface {
	Part
	Name() string
	Len() int
	Bytes() int64
}

// NewColumn returns a column with room for max elements. Its name appears in snapshots and
// in the account of memory. NewColumn panics when the address space itself is exhausted, as
// the Go heap does.
func NewColumn[T Value](name string, max int) *Column[T] {
	c := &Column[T]{name: name}
	c.mem = reserve(name, max*c.width())
	return c
}

func (c *Column[T]) width() int { var v T; return int(unsafe.Sizeof(v)) }

// Name returns the name given to NewColumn.
func (c *Column[T]) Name() string { return c.name }

// Len returns the number of elements in use.
func (c *Column[T]) Len() int { return len(c.data) }

// Bytes returns the memory in use, without address space that is only reserved.
func (c *Column[T]) Bytes() int64 { return int64(c.mem.backed) }

// Columns calls each for the column itself, which is a Part.
func (c *Column[T]) Columns(each func(AnyColumn)) { each(c) }

// Memory calls each with the name and the size of the column.
func (c *Column[T]) Memory(each func(name string, bytes int64)) { each(c.name, c.Bytes()) }

// Slice returns the elements in use. It stays valid until Free, also while the column
// grows, but does not include new elements.
func (c *Column[T]) Slice() []T { return c.data }

// At returns element i.
func (c *Column[T]) At(i int) T { return c.data[i] }

// Set changes element i.
func (c *Column[T]) Set(i int, v T) { c.data[i] = v }

// Grow makes the column n elements long; new elements are zero. It never shrinks. It panics
// if n exceeds the size that was reserved.
func (c *Column[T]) Grow(n int) {
	if n <= len(c.data) {
		return
	}
	c.Prepare(n)
	c.data = c.data[:n]
}

// Prepare takes the memory for n elements, so that the column can grow to them at any time
// without delay. Its length stays.
func (c *Column[T]) Prepare(n int) {
	if n <= cap(c.data) {
		return
	}
	c.mem.commit(c.name, n*c.width())
	room := min(c.mem.committed, c.mem.size) / c.width()
	c.data = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(c.mem.bytes))), room)[:len(c.data)]
}

// Append adds one element.
func (c *Column[T]) Append(v T) {
	if n := len(c.data); n < cap(c.data) {
		c.data = c.data[:n+1]
	} else {
		c.Grow(n + 1)
	}
	c.data[len(c.data)-1] = v
}

// Truncate removes all elements from n on.
func (c *Column[T]) Truncate(n int) {
	clear(c.data[n:]) // Grow relies on zeros beyond the length
	c.data = c.data[:n]
}

// Free releases the memory. Slices of the column must not be used afterwards.
func (c *Column[T]) Free() {
	c.mem.release()
	c.data = nil
}

func (c *Column[T]) raw() []byte { return rawBytes(c.data) }

// columnVersion is the format of a saved column.
//
//	1: magic, version, element width, element count, elements (little-endian), xxh3-64 of all before
const columnVersion = 1

var columnMagic = [4]byte{'W', 'C', 'O', 'L'}

// Save writes the column with a checksum.
func (c *Column[T]) Save(w io.Writer) error {
	return c.save(w, func(out io.Writer) error {
		_, err := out.Write(c.raw())
		return err
	})
}

// SaveAs saves the results of f for all elements, as Save does. The column does not change.
func (c *Column[T]) SaveAs(w io.Writer, f func(T) T) error {
	return c.save(w, func(out io.Writer) error {
		part := make([]T, 0, 4096)
		for from := 0; from < len(c.data); from += len(part) {
			part = append(part[:0], c.data[from:min(from+cap(part), len(c.data))]...)
			for i, v := range part {
				part[i] = f(v)
			}
			if _, err := out.Write(rawBytes(part)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *Column[T]) save(w io.Writer, elements func(io.Writer) error) error {
	h := xxh3.New()
	out := io.MultiWriter(w, h)
	_, err := out.Write(c.header())
	if err == nil {
		err = elements(out)
	}
	if err == nil {
		err = binary.Write(w, binary.LittleEndian, h.Sum64())
	}
	if err != nil {
		return fmt.Errorf("save column %q: %w", c.name, err)
	}
	return nil
}

func (c *Column[T]) header() []byte {
	b := append(make([]byte, 0, 20), columnMagic[:]...)
	b = binary.LittleEndian.AppendUint32(b, columnVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.width()))
	return binary.LittleEndian.AppendUint64(b, uint64(len(c.data)))
}

// Load replaces the column's elements by saved ones. On an error the column is
// empty.
func (c *Column[T]) Load(r io.Reader) (err error) {
	defer func() {
		if err != nil {
			c.Truncate(0)
			err = fmt.Errorf("load column %q: %w", c.name, err)
		}
	}()
	n, h, err := c.readHeader(r)
	if err != nil {
		return err
	}
	c.Truncate(0)
	c.Grow(n)
	if _, err := io.ReadFull(r, c.raw()); err != nil {
		return err
	}
	h.Write(c.raw())
	var sum [8]byte
	if _, err := io.ReadFull(r, sum[:]); err != nil {
		return err
	}
	if binary.LittleEndian.Uint64(sum[:]) != h.Sum64() {
		return fmt.Errorf("checksum differs: the saved column is damaged")
	}
	return nil
}

func (c *Column[T]) readHeader(r io.Reader) (n int, h *xxh3.Hasher, err error) {
	var b [20]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, nil, err
	}
	version, width := binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
	count := binary.LittleEndian.Uint64(b[12:])
	switch {
	case [4]byte(b[:4]) != columnMagic:
		return 0, nil, fmt.Errorf("not a saved column")
	case version != columnVersion:
		return 0, nil, fmt.Errorf("version %d, this program reads %d", version, columnVersion)
	case int(width) != c.width():
		return 0, nil, fmt.Errorf("elements of %d bytes, want %d", width, c.width())
	case count > uint64(c.mem.size/c.width()):
		return 0, nil, fmt.Errorf("%d elements, room for %d", count, c.mem.size/c.width())
	}
	h = xxh3.New()
	h.Write(b[:])
	return int(count), h, nil
}

// A Part holds columns: a single one, a [Set], or a component that embeds a Set.
type Part interface {
	// Columns calls each for every column that is saved.
	Columns(each func(AnyColumn))
	// Memory calls each with the name and the size of everything that takes memory.
	Memory(each func(name string, bytes int64))
	Save(w io.Writer) error
	Load(r io.Reader) error
	Free()
}

// A Set holds the columns of a component. The component adds every column where it makes
// it, in the order in which columns are saved, and can then save, load, count and free them
// all. The zero Set is empty.
//
// The functions that add to a Set are not methods, so that a component which embeds a
// Set does not offer them.
type Set struct{ parts []Part }

// NewColumnIn returns a new column, as NewColumn does, and adds it to a set.
func NewColumnIn[T Value](s *Set, name string, max int) *Column[T] {
	c := NewColumn[T](name, max)
	AddTo(s, c)
	return c
}

// AddTo adds parts to a set.
func AddTo(s *Set, parts ...Part) { s.parts = append(s.parts, parts...) }

// Columns calls each for every column, in the order in which they are saved.
func (s *Set) Columns(each func(AnyColumn)) {
	for _, p := range s.parts {
		p.Columns(each)
	}
}

// Memory calls each with the name and the size of every column.
func (s *Set) Memory(each func(name string, bytes int64)) {
	for _, p := range s.parts {
		p.Memory(each)
	}
}

// Bytes returns the memory in use.
func (s *Set) Bytes() (n int64) {
	s.Memory(func(_ string, bytes int64) { n += bytes })
	return n
}

// Save writes all columns with their checksums.
func (s *Set) Save(w io.Writer) error {
	for _, p := range s.parts {
		if err := p.Save(w); err != nil {
			return err
		}
	}
	return nil
}

// Load reads what Save wrote.
func (s *Set) Load(r io.Reader) error {
	for _, p := range s.parts {
		if err := p.Load(r); err != nil {
			return err
		}
	}
	return nil
}

// Free releases the memory.
func (s *Set) Free() {
	for _, p := range s.parts {
		p.Free()
	}
}
