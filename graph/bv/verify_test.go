package bv

import (
	"math/rand/v2"
	"testing"
)

// TestVerifyIndex damages an index in every bit: what Verify lets pass must answer
// for every number without a panic.
func TestVerifyIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{1, 64, 65, 200} {
		starts := make([]uint64, n)
		for i := 1; i < n; i++ {
			starts[i] = starts[i-1] + uint64(r.IntN(40))
		}
		words, err := BuildIndex(starts)
		if err != nil {
			t.Fatal(err)
		}
		x, err := OpenIndex(words)
		if err != nil || x.Verify() != nil {
			t.Fatalf("a sound index of %d: %v, %v", n, err, x.Verify())
		}
		passed := 0
		for bit := range len(words) * 64 {
			words[bit/64] ^= 1 << (bit % 64)
			if x, err := OpenIndex(words); err == nil && x.Verify() == nil {
				passed++
				for k := range x.Len() {
					x.At(k)
				}
			}
			words[bit/64] ^= 1 << (bit % 64)
		}
		if lower := int(words[2]) * 64; passed > lower+64 {
			t.Errorf("n %d: %d of %d flipped bits unnoticed; %d are in the lower part, which Verify leaves alone",
				n, passed, len(words)*64, lower)
		}
	}
}
