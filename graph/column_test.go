package graph

import (
	"bytes"
	"testing"
)

func TestColumnGrowsInPlace(t *testing.T) {
	c := NewColumn[uint32]("test", 10_000_000)
	defer c.Free()
	c.Grow(10)
	first := c.Slice()
	first[3] = 42
	for i := 10; i < 3_000_000; i++ {
		c.Append(uint32(i))
	}
	first[4] = 43
	if c.At(3) != 42 || c.At(4) != 43 || c.At(2_999_999) != 2_999_999 || c.At(9) != 0 {
		t.Fatalf("column moved or lost elements: %d %d %d", c.At(3), c.At(4), c.At(2_999_999))
	}
	if c.Bytes() < 12_000_000 || c.Bytes() > 16_000_000 {
		t.Errorf("3 M uint32 account for %d bytes", c.Bytes())
	}
}

// TestColumnPrepare: a column that was prepared is as long as before, and grows in the memory that
// it has.
func TestColumnPrepare(t *testing.T) {
	c := NewColumn[uint64]("test", 1_000_000)
	defer c.Free()
	c.Append(7)
	c.Prepare(900_000)
	if c.Len() != 1 || c.Bytes() < 7_200_000 {
		t.Fatalf("%d elements in %d bytes", c.Len(), c.Bytes())
	}
	before := c.Bytes()
	c.Grow(900_000)
	if c.Bytes() != before || c.At(0) != 7 || c.At(899_999) != 0 {
		t.Errorf("%d bytes, %d before; elements %d and %d", c.Bytes(), before, c.At(0), c.At(899_999))
	}
}

func TestColumnPanicsBeyondItsReservation(t *testing.T) {
	c := NewColumn[uint64]("small", 100)
	defer c.Free()
	defer func() {
		if recover() == nil {
			t.Error("growth beyond the reservation went unnoticed")
		}
	}()
	c.Grow(101)
}

func TestColumnSaveLoad(t *testing.T) {
	a, b := NewColumn[float64]("rank", 1000), NewColumn[float64]("rank", 1000)
	defer a.Free()
	defer b.Free()
	for i := range 777 {
		a.Append(float64(i) / 3)
	}
	var saved bytes.Buffer
	if err := a.Save(&saved); err != nil {
		t.Fatal(err)
	}
	b.Grow(900)
	b.Set(800, 1)
	if err := b.Load(bytes.NewReader(saved.Bytes())); err != nil {
		t.Fatal(err)
	}
	if b.Len() != 777 || b.At(776) != 776.0/3 {
		t.Fatalf("loaded %d elements, last %v", b.Len(), b.At(b.Len()-1))
	}
	if b.Grow(900); b.At(800) != 0 {
		t.Error("an element of before Load came back")
	}
}

// TestColumnSaveAs: what is loaded is what was made of the elements, which stay, also
// when there are more of them than are made at a time.
func TestColumnSaveAs(t *testing.T) {
	for _, n := range []int{0, 1, 4095, 4096, 4097, 10_000} {
		a, b := NewColumn[uint32]("numbers", 10_000), NewColumn[uint32]("numbers", 10_000)
		for i := range n {
			a.Append(uint32(i))
		}
		var saved bytes.Buffer
		if err := a.SaveAs(&saved, func(v uint32) uint32 { return v*3 + 1 }); err != nil {
			t.Fatal(err)
		}
		if err := b.Load(&saved); err != nil {
			t.Fatal(err)
		}
		if a.Len() != n || b.Len() != n {
			t.Fatalf("%d elements, loaded %d, want %d", a.Len(), b.Len(), n)
		}
		for i := range n {
			if a.At(i) != uint32(i) || b.At(i) != uint32(i)*3+1 {
				t.Fatalf("%d: element %d is %d, loaded as %d", n, i, a.At(i), b.At(i))
			}
		}
		a.Free()
		b.Free()
	}
}

func TestColumnLoadRefusesDamage(t *testing.T) {
	a := NewColumn[uint16]("x", 100)
	defer a.Free()
	a.Grow(50)
	var saved bytes.Buffer
	if err := a.Save(&saved); err != nil {
		t.Fatal(err)
	}
	for i := range saved.Len() * 8 {
		bad := bytes.Clone(saved.Bytes())
		bad[i/8] ^= 1 << (i % 8)
		if err := a.Load(bytes.NewReader(bad)); err == nil {
			t.Fatalf("bit %d flipped and not noticed", i)
		}
		if a.Len() != 0 {
			t.Fatal("a failed Load left elements behind")
		}
	}
}

// FuzzColumnLoad gives arbitrary bytes: an error and an empty column, or one that
// is saved as the same bytes again.
func FuzzColumnLoad(f *testing.F) {
	c := NewColumn[uint32]("x", 100)
	defer c.Free()
	for range 3 {
		var saved bytes.Buffer
		if err := c.Save(&saved); err != nil {
			f.Fatal(err)
		}
		f.Add(saved.Bytes())
		c.Append(7)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := NewColumn[uint32]("x", 100)
		defer c.Free()
		if err := c.Load(bytes.NewReader(b)); err != nil {
			if c.Len() != 0 {
				t.Fatalf("%d elements after %v", c.Len(), err)
			}
			return
		}
		var saved bytes.Buffer
		if err := c.Save(&saved); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(b, saved.Bytes()) {
			t.Fatalf("%x was loaded and is saved as %x", b, saved.Bytes())
		}
	})
}
