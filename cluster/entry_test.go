package cluster

import (
	"bytes"
	"errors"
	"testing"
)

func sample(first, next uint64, size int) Group {
	return Group{first, next, 0, bytes.Repeat([]byte{byte(first), 7}, size/2)}
}

func TestEntries(t *testing.T) {
	var at point
	var r reader
	seq := uint64(0)
	for i, size := range []int{10, 0, pieceSize, pieceSize + 2, 3*pieceSize + 100} {
		g := sample(uint64(3*i), uint64(3*i+3), size)
		g.Epoch = uint64(i)
		list := entries(at, &g)
		if want := max(1, (size+pieceSize-1)/pieceSize); len(list) != want {
			t.Errorf("%d bytes: %d entries, want %d", size, len(list), want)
		}
		for k, data := range list {
			seq++
			got, whole, err := r.take(seq, data)
			if err != nil || whole != (k == len(list)-1) {
				t.Fatalf("%d bytes, piece %d: whole %v, %v", size, k, whole, err)
			}
			if whole && (!bytes.Equal(got.Bytes, g.Bytes) || got.First != g.First || got.Next != g.Next || got.Epoch != g.Epoch) {
				t.Errorf("%d bytes: another group", size)
			}
		}
		at = at.after(&g)
		if r.at != at || r.seq != seq || r.strays != 0 {
			t.Errorf("%d bytes: at %+v, want %+v; %d strays", size, r.at, at, r.strays)
		}
	}
}

// What an owner left that was fenced between two pieces does not count, nor what follows other
// groups.
func TestStrays(t *testing.T) {
	large, small := sample(0, 4, 2*pieceSize), sample(0, 2, 8)
	left, s := entries(point{}, &large), entries(point{}, &small)
	after := point{}.after(&small)
	next, alien := sample(2, 3, 8), sample(2, 3, 10)
	n, a := entries(after, &next), entries(point{next: 2, chain: 99}, &alien)
	var r reader
	var found []uint64
	for i, data := range [][]byte{left[0], s[0], left[1], a[0], n[0]} {
		g, whole, err := r.take(uint64(i+1), data)
		if err != nil {
			t.Fatal(err)
		}
		if whole {
			found = append(found, g.First)
		}
	}
	if len(found) != 2 || r.at.next != 3 || r.strays != 3 {
		t.Errorf("groups %v up to record %d, %d strays", found, r.at.next, r.strays)
	}
}

func TestDamagedEntry(t *testing.T) {
	g := sample(0, 4, 100)
	good := entries(point{}, &g)[0]
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 4
		if _, err := decode(bad); !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	for n := range good {
		if _, err := decode(good[:n]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	g := sample(0, 4, 100)
	f.Add(entries(point{}, &g)[0])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := decode(b)
		if err == nil && !bytes.Equal(e.encode(), b) {
			t.Error("it is encoded in another way")
		}
	})
}
