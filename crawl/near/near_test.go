package near

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnow-crawler/winnow/graph"
)

// naive keeps the last contents in a list and compares with all of them.
type naive struct {
	size   int
	hashes []uint64
	pages  []graph.Page
}

func (x *naive) add(hash uint64, p graph.Page) {
	if hash == 0 || x.size == 0 {
		return
	}
	x.hashes, x.pages = append(x.hashes, hash), append(x.pages, p)
	if len(x.hashes) > x.size {
		x.hashes, x.pages = x.hashes[1:], x.pages[1:]
	}
}

func (x *naive) find(hash uint64) (graph.Page, bool) {
	best, p := Distance+1, graph.NoPage
	for i, h := range x.hashes {
		if d := bits.OnesCount64(h ^ hash); hash != 0 && d < best {
			best, p = d, x.pages[i]
		}
	}
	return p, best <= Distance
}

// check compares the answers for one hash.
func check(t interface{ Fatalf(string, ...any) }, x *Index, ref *naive, hash uint64) {
	p, ok := x.Find(hash)
	if q, found := ref.find(hash); p != q || ok != found {
		t.Fatalf("hash %016x among %d: page %d, %v; want %d, %v", hash, len(ref.hashes), p, ok, q, found)
	}
	if x.Len() != len(ref.hashes) {
		t.Fatalf("%d contents, want %d", x.Len(), len(ref.hashes))
	}
}

// With fewer contents than a look-up compares, the answer is that of a comparison with
// all of them (W20): the nearest, the oldest of equals, none that was overwritten.
func TestFindsWhatIsNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(0, probes).Draw(t, "size")
		x, ref := New(size), &naive{size: size}
		defer x.Free()
		centres := []uint64{0, 1<<64 - 1, 0x123456789abcdef0}
		for i := range rapid.IntRange(0, 3*probes).Draw(t, "n") {
			hash := centres[rapid.IntRange(0, 2).Draw(t, "centre")]
			for range rapid.IntRange(0, 5).Draw(t, "bits") {
				hash ^= 1 << rapid.IntRange(0, 63).Draw(t, "bit")
			}
			check(t, x, ref, hash)
			x.Add(hash, graph.Page(i))
			ref.add(hash, graph.Page(i))
		}
	})
}

// A large ring that is overwritten several times finds what the naive one does: with
// hashes spread evenly no chain is longer than a look-up.
func TestRingAgainstAll(t *testing.T) {
	const size = 20_000
	x, ref := New(size), &naive{size: size}
	defer x.Free()
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for i := range 3*size + 7 {
		hash := r.Uint64()
		if k := len(ref.hashes); k > 0 && i%3 == 0 { // a neighbour of one that is kept
			hash = ref.hashes[r.IntN(k)]
			for range r.IntN(6) {
				hash ^= 1 << r.IntN(64)
			}
		}
		if i%97 == 0 {
			check(t, x, ref, hash)
			if _, ok := x.Find(hash); ok {
				found++
			}
		}
		x.Add(hash, graph.Page(i))
		ref.add(hash, graph.Page(i))
	}
	if found < 100 {
		t.Fatalf("%d look-ups found anything: the test compares nothing", found)
	}
}

// Every pair of hashes at a distance of 3 shares a block, of 4 it need not: the first
// are all found, the second never.
func TestDistance(t *testing.T) {
	const hash = 0x0f1e2d3c4b5a6978
	x := New(1)
	defer x.Free()
	x.Add(hash, 7)
	for a := range 64 {
		for b := range a {
			for c := range b {
				near := uint64(hash) ^ 1<<a ^ 1<<b ^ 1<<c
				if p, ok := x.Find(near); !ok || p != 7 {
					t.Fatalf("%016x is not found", near)
				}
				if d := (a + 1) % 64; d != b && d != c {
					if _, ok := x.Find(near ^ 1<<d); ok {
						t.Fatalf("%016x is found", near^1<<d)
					}
				}
			}
		}
	}
}

// A page without words is near to nothing, not to hashes with three bits either.
func TestNoWords(t *testing.T) {
	x := New(10)
	defer x.Free()
	x.Add(0, 1)
	if x.Len() != 0 {
		t.Fatal("a page without words was added")
	}
	x.Add(7, 2)
	if _, ok := x.Find(0); ok {
		t.Fatal("a page without words has a near content")
	}
	if _, ok := x.Find(3); !ok {
		t.Fatal("hash 3 is not found, which is near to 7")
	}
}

// What the limit of probes costs: an entry behind probes newer ones in each chain that
// it shares with the hash is not found, one before that is.
func TestProbes(t *testing.T) {
	const hash = 0xaaaa_bbbb_cccc_dddd
	far := func(i int) uint64 { return hash ^ 0x0000_ffff_ffff_0000 ^ uint64(i)<<16 } // shares the outer blocks
	for _, newer := range []int{probes - 1, probes} {
		x := New(10 * probes)
		x.Add(hash^0x0000_0001_0001_0000, 1) // shares the outer blocks alone
		for i := range newer {
			x.Add(far(i), 2)
		}
		if _, ok := x.Find(hash); ok != (newer < probes) {
			t.Errorf("behind %d others: found is %v", newer, ok)
		}
		x.Free()
	}
}

// Memory comes with the entries and ends with the ring.
func TestMemory(t *testing.T) {
	x := New(50_000)
	defer x.Free()
	if n := x.Bytes(); n != 0 {
		t.Errorf("an empty index takes %d bytes", n)
	}
	for i := range 100 {
		x.Add(uint64(i+1), graph.Page(i))
	}
	if n := x.Bytes(); n > 3<<20/2 {
		t.Errorf("100 contents take %d bytes", n)
	}
	for i := range 200_000 {
		x.Add(uint64(i+1)*0x9e3779b97f4a7c15, graph.Page(i))
	}
	if n := x.Bytes(); x.Len() != 50_000 || n > 28*50_000+1<<20+2<<20 {
		t.Errorf("%d contents take %d bytes", x.Len(), n)
	}
}

// save writes the state.
func save(t *testing.T, x *Index) *bytes.Buffer {
	var w bytes.Buffer
	if err := x.Save(&w); err != nil {
		t.Fatal(err)
	}
	return &w
}

// An index that was saved and loaded continues as if nothing had happened, whether it is
// empty, half full or has gone round.
func TestSaveLoad(t *testing.T) {
	for _, n := range []int{0, 300, 2500} {
		x, y := New(1000), New(1000)
		r := rand.New(rand.NewPCG(uint64(n), 1))
		draw := func() uint64 { return r.Uint64() & 0x1f1f_1f1f }
		for i := range n {
			x.Add(draw(), graph.Page(i))
		}
		y.Add(1, 1) // what was there before is replaced
		if err := y.Load(save(t, x)); err != nil {
			t.Fatal(err)
		}
		for i := range 1500 {
			hash := draw()
			p, ok := x.Find(hash)
			if q, found := y.Find(hash); p != q || ok != found || x.Len() != y.Len() {
				t.Fatalf("after %d and %d: page %d, %v; the loaded one says %d, %v", n, i, p, ok, q, found)
			}
			x.Add(hash, graph.Page(i))
			y.Add(hash, graph.Page(i))
		}
		if !bytes.Equal(save(t, x).Bytes(), save(t, y).Bytes()) {
			t.Errorf("after %d: the states differ", n)
		}
		x.Free()
		y.Free()
	}
}

func TestLoadOtherSize(t *testing.T) {
	x, y := New(10), New(20)
	defer x.Free()
	defer y.Free()
	x.Add(5, 5)
	if err := y.Load(save(t, x)); err == nil || !strings.Contains(err.Error(), "another size than 20") {
		t.Errorf("the state of a smaller index was loaded: %v", err)
	}
}

// Numbers of entries are kept in 32 bits; an index that has seen more contents than that
// continues.
func TestNumbersWrap(t *testing.T) {
	x, ref := New(100), &naive{size: 100}
	defer x.Free()
	r := rand.New(rand.NewPCG(3, 4))
	draw := func() uint64 { return 1<<60 | r.Uint64()&0x3030_3030 }
	for i := range 100 { // the ring is full, then 2^32 - 400 pass without a trace
		x.Add(draw(), graph.Page(i))
	}
	x.added.Set(0, 1<<32-400)
	clear(x.heads.Slice())
	for i := range 1000 {
		hash := draw()
		if i >= 100 {
			check(t, x, ref, hash)
		}
		x.Add(hash, graph.Page(i))
		ref.add(hash, graph.Page(i))
	}
}

var counts = []struct {
	name string
	n    int
}{{"10k", 10_000}, {"1M", 1_000_000}, {"4M", 4_000_000}}

// hashOf is the hash of content i: spread evenly, as that of unlike texts is.
func hashOf(i int) uint64 {
	h := uint64(i+1) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return h ^ h>>29
}

func BenchmarkFind(b *testing.B) {
	for _, c := range counts {
		b.Run(c.name, func(b *testing.B) {
			x := New(c.n)
			defer x.Free()
			for i := range c.n {
				x.Add(hashOf(i), graph.Page(i))
			}
			i := c.n
			for b.Loop() {
				x.Find(hashOf(i))
				i++
			}
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	for _, c := range counts {
		b.Run(c.name, func(b *testing.B) {
			x := New(c.n)
			defer x.Free()
			for i := range c.n {
				x.Add(hashOf(i), graph.Page(i))
			}
			i := c.n
			for b.Loop() { // each overwrites the oldest
				x.Add(hashOf(i), graph.Page(i))
				i++
			}
		})
	}
}

// BenchmarkFindWorst looks among contents that all share every block with the hash.
func BenchmarkFindWorst(b *testing.B) {
	x := New(1_000_000)
	defer x.Free()
	for i := range 1_000_000 {
		x.Add(0xaaaa_bbbb_cccc_dddd, graph.Page(i))
	}
	for b.Loop() {
		x.Find(0xaaaa_bbbb_cccc_dddd)
	}
}

// Has finds the content of one page among nearer ones of others.
func TestHas(t *testing.T) {
	x := New(100)
	if x.Has(1, 0) {
		t.Error("an empty index has a page")
	}
	const hash = uint64(0x1234_5678_9abc_def0)
	x.Add(hash^7, 1)
	x.Add(hash, 2)
	x.Add(hash^15, 3)
	for p, want := range []bool{false, true, true, false} {
		if got := x.Has(hash, graph.Page(p)); got != want {
			t.Errorf("page %d: %v", p, got)
		}
	}
}
