package extsort

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkSort: links among 2^24 pages (48 bits that vary), all in memory or with
// a budget of an eighth, which makes about 16 runs; in random order, transposed (in
// order of the low half), and in order already.
func BenchmarkSort(b *testing.B) {
	const n = 1 << 23
	inputs := map[string]func(r *rand.Rand, i uint64) uint64{
		"random":     func(r *rand.Rand, i uint64) uint64 { return r.Uint64() & links },
		"transposed": func(r *rand.Rand, i uint64) uint64 { return r.Uint64()&links&^0xffffffff | i<<1 },
		"ascending":  func(r *rand.Rand, i uint64) uint64 { return i << 25 },
	}
	for _, name := range []string{"random", "transposed", "ascending"} {
		for _, memory := range []int64{16*n + 1<<20, 2 * n} {
			place := "/memory"
			if memory < 16*n {
				place = "/spilled"
			}
			b.Run(name+place, func(b *testing.B) {
				opts := Options{Memory: memory, Dir: b.TempDir(), LowSorted: name == "transposed"}
				keys := make([]uint64, n)
				r := rand.New(rand.NewPCG(1, 1))
				for i := range keys {
					keys[i] = inputs[name](r, uint64(i))
				}
				for b.Loop() {
					benchmarkOnce(b, opts, keys)
				}
				perKey := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / n
				b.ReportMetric(perKey, "ns/key")
				b.ReportMetric(1e3/perKey, "Mkeys/s")
			})
		}
	}
}

func benchmarkOnce(b *testing.B, opts Options, keys []uint64) {
	s := New(opts)
	defer s.Close()
	addAll(b, s, keys)
	it, err := s.Sort()
	if err != nil {
		b.Fatal(err)
	}
	n := int64(0)
	for _, ok := it.Next(); ok; _, ok = it.Next() {
		n++
	}
	if n+it.Duplicates() != int64(len(keys)) || it.Err() != nil {
		b.Fatalf("%d keys of %d, %v", n, len(keys), it.Err())
	}
}
