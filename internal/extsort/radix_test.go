package extsort

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"testing"
)

func never() error { return nil }

// Digits cover the bits that vary, none twice, and are few.
func TestDigits(t *testing.T) {
	for _, c := range []struct {
		varying uint64
		passes  int
	}{
		{0, 0},
		{1, 1},
		{1 << 63, 1},
		{1<<63 | 1, 2},
		{0xff << 56, 1},
		{0x7ff, 1},
		{0xfff, 2},
		{0xfffff<<32 | 0xfffff, 4},   // a million pages
		{0xffffff<<32 | 0xffffff, 6}, // 16 million
		{0xffffff << 32, 3},
		{^uint64(0), 6},
	} {
		var seen uint64
		ds := digits(c.varying)
		for _, d := range ds {
			if d.bits < 1 || d.bits > maxDigit || d.shift+d.bits > 64 || seen&d.mask() != 0 {
				t.Errorf("%x: digit %+v", c.varying, d)
			}
			seen |= d.mask()
		}
		if c.varying&^seen != 0 || len(ds) != c.passes {
			t.Errorf("%x: %d digits, %x left", c.varying, len(ds), c.varying&^seen)
		}
	}
}

// Keys are sorted by the given bits and nothing else: a stable sort by
// comparison of just these must give the same, in few keys, in one stretch and in
// buckets, and where nearly all keys fall into one bucket.
func TestRadixSort(t *testing.T) {
	for _, n := range []int{smallSort, 5000, 2 * bucketSort, 5*bucketSort + 17} {
		for _, varying := range []uint64{^uint64(0), links, links &^ 0xffffffff, 0xfff, 0x7 << 61, 0xfffff<<32 | 1, 1 << 40} {
			below := varying&-varying - 1 // bits that must not matter
			keys := random(n, varying|below)
			for i := range keys {
				if i%1000 != 0 {
					keys[i] &^= 0x3ff << 50
				}
			}
			want := slices.Clone(keys)
			slices.SortStableFunc(want, func(a, b uint64) int { return cmp.Compare(a&varying, b&varying) })
			got, err := radixSort(keys, make([]uint64, n), varying, never)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d keys by %x: wrong order, %v", n, varying, err)
			}
		}
	}
}

func TestRadixSortStops(t *testing.T) {
	enough := errors.New("enough")
	for after := range 40 {
		asked := 0
		_, err := radixSort(random(5*bucketSort, links), make([]uint64, 5*bucketSort), links, func() error {
			if asked++; asked > after {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) {
			t.Fatalf("not stopped by question %d of %d", after+1, asked)
		}
	}
}

func TestReserveTakesLess(t *testing.T) {
	m, err := reserveMost(math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	defer m.release()
	if len(m.words) < MinMemory/8 {
		t.Errorf("%d words", len(m.words))
	}
	m.words[0], m.words[len(m.words)-1] = 1, 2
}
