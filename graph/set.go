package graph

import "io"

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

// A Set is the columns of a component. The component adds every column where it makes
// it, in the order in which columns are saved, and can then save, load, count and free
// them all. The zero Set is empty.
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
