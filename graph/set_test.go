package graph

import (
	"bytes"
	"slices"
	"testing"
)

// newTestSet is a set of two columns, one of them in a set of its own.
func newTestSet() (*Set, *Column[uint32], *Column[uint64]) {
	outer, inner := new(Set), new(Set)
	a := NewColumnIn[uint32](outer, "a", 10)
	b := NewColumnIn[uint64](inner, "b", 10)
	AddTo(outer, inner)
	return outer, a, b
}

// TestSet saves columns in the order in which they were added, as they save themselves.
func TestSet(t *testing.T) {
	s, a, b := newTestSet()
	defer s.Free()
	a.Append(1)
	b.Append(2)
	var names []string
	var whole, single bytes.Buffer
	s.Columns(func(c AnyColumn) {
		names = append(names, c.Name())
		if err := c.Save(&single); err != nil {
			t.Fatal(err)
		}
	})
	if err := s.Save(&whole); err != nil || !bytes.Equal(whole.Bytes(), single.Bytes()) {
		t.Errorf("saved %d bytes, the columns %d (error %v)", whole.Len(), single.Len(), err)
	}
	if !slices.Equal(names, []string{"a", "b"}) || s.Bytes() != a.Bytes()+b.Bytes() {
		t.Errorf("columns %q of %d bytes", names, s.Bytes())
	}
	r, c, d := newTestSet()
	defer r.Free()
	if err := r.Load(&whole); err != nil || c.Len() != 1 || c.At(0) != 1 || d.Len() != 1 || d.At(0) != 2 {
		t.Errorf("loaded %v and %v (error %v)", c.Slice(), d.Slice(), err)
	}
	if err := r.Load(bytes.NewReader(single.Bytes()[:single.Len()-1])); err == nil {
		t.Error("a set that is cut off was accepted")
	}
	s.Free()
	if n := s.Bytes(); n != 0 {
		t.Errorf("%d bytes after Free", n)
	}
}
