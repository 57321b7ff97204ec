package graph

import (
	"math/rand/v2"
	"testing"
)

// TestSumFromCompressedLists compares with a plain loop over the same lists.
func TestSumFromCompressedLists(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	z := make([]float64, 100)
	for i := range z {
		z[i] = float64(r.IntN(1000)) // sums of these are exact in any order
	}
	for n := range 40 {
		list := make([]uint32, n)
		want := 0.0
		for i := range list {
			list[i] = uint32(r.IntN(len(z)))
			want += z[list[i]]
		}
		if got := sumOf(list, z); got != want {
			t.Fatalf("%d links: %v, want %v", n, got, want)
		}
	}
}
