package extsort

import (
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The names below are what one test after the other needs: keys in, keys out.

func addAll(t testing.TB, s *Sorter, keys []uint64) {
	t.Helper()
	for _, k := range keys {
		if err := s.Add(k); err != nil {
			t.Fatal(err)
		}
	}
}

func drain(t testing.TB, it *Iterator) []uint64 {
	t.Helper()
	var keys []uint64
	for k, ok := it.Next(); ok; k, ok = it.Next() {
		keys = append(keys, k)
	}
	if err := it.Err(); err != nil {
		t.Fatal(err)
	}
	return keys
}

// want is the answer by other means.
func want(keys []uint64) []uint64 {
	keys = slices.Clone(keys)
	slices.Sort(keys)
	return slices.Compact(keys)
}

// check sorts keys and compares keys, duplicates, and a second reading.
func check(t testing.TB, opts Options, keys []uint64) Stats {
	t.Helper()
	s := New(opts)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	addAll(t, s, keys)
	it, err := s.Sort()
	if err != nil {
		t.Fatal(err)
	}
	w := want(keys)
	for pass := range 2 {
		if got := drain(t, it); !slices.Equal(got, w) {
			t.Fatalf("reading %d: %d keys; want %d", pass, len(got), len(w))
		}
		if d := it.Duplicates(); d != int64(len(keys)-len(w)) {
			t.Fatalf("reading %d: %d duplicates; want %d", pass, d, len(keys)-len(w))
		}
		it.Rewind()
	}
	if s.Stats().Keys != int64(len(keys)) {
		t.Fatalf("%d keys counted; want %d", s.Stats().Keys, len(keys))
	}
	return s.Stats()
}

func random(n int, mask uint64) []uint64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = r.Uint64() & mask
	}
	return keys
}

func ascending(n int) []uint64 {
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = uint64(i) * 3 / 2 // some twice
	}
	return keys
}

func reversed(keys []uint64) []uint64 {
	slices.Reverse(keys)
	return keys
}

const links = 1<<56 - 1&^0xff000000 // 24 bits in each half

// shapes of input; with the least memory a run is 7,168 keys and five runs are
// merged at once.
func shapes() map[string][]uint64 {
	tail := append(ascending(30000), random(3000, 1<<20-1)...)
	return map[string][]uint64{
		"empty":               nil,
		"one":                 {7},
		"zero":                {0},
		"zero twice":          {0, 0},
		"largest":             {^uint64(0), 0, ^uint64(0)},
		"few":                 random(100, links),
		"one run":             random(7168, links),
		"one run and a key":   random(7169, links),
		"three runs":          random(20000, links),
		"two passes":          random(60000, links),
		"three passes":        random(250000, links),
		"all bits":            random(60000, ^uint64(0)),
		"many duplicates":     random(60000, 0xfff),
		"all equal":           make([]uint64, 60000),
		"all largest":         slices.Repeat([]uint64{^uint64(0)}, 60000),
		"ascending":           ascending(60000),
		"descending":          reversed(ascending(60000)),
		"ascending, then not": tail,
		"high half only":      random(60000, 0xfffff<<32),
	}
}

func TestSort(t *testing.T) {
	for name, keys := range shapes() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			check(t, Options{Memory: 1, Dir: dir}, keys)
			check(t, Options{Memory: 1 << 20, Dir: dir}, keys)
			nothingIn(t, dir)
		})
	}
}

func nothingIn(t testing.TB, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// rapid tries odd sizes, memories and key ranges.
func TestSortAgainstModel(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		mask := rapid.Uint64().Draw(rt, "mask")
		n := rapid.IntRange(0, 40000).Draw(rt, "n")
		memory := rapid.Int64Range(0, 1<<20).Draw(rt, "memory") + 1
		keys := random(n, mask)
		sorted := rapid.IntRange(0, n).Draw(rt, "sorted")
		slices.Sort(keys[:sorted])
		check(t, Options{Memory: memory, Dir: dir}, keys)
	})
}

// What fits is not written, what is in order makes one run, and the budget decides
// how many runs there are otherwise.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		name   string
		memory int64
		keys   []uint64
		runs   int
	}{
		{"fits", 2 << 20, random(60000, links), 0},
		{"ascending", 1, ascending(60000), 1},
		{"all equal", 1, make([]uint64, 60000), 1},
		{"does not fit", 1, random(20000, links), 3},
		{"more than can be merged at once", 1, random(60000, links), 5},
	} {
		st := check(t, Options{Memory: c.memory, Dir: t.TempDir()}, c.keys)
		if st.Runs != c.runs || st.Written > 0 != (c.runs > 0) {
			t.Errorf("%s: %+v; want %d runs", c.name, st, c.runs)
		}
	}
}

// Ascending keys are close: a gap takes a byte or two, and equal ones are dropped
// before they are written.
func TestRunsAreSmall(t *testing.T) {
	if st := check(t, Options{Memory: 1, Dir: t.TempDir()}, ascending(60000)); st.Written > 2*60000 {
		t.Errorf("%d bytes for 60,000 neighbouring keys", st.Written)
	}
	if st := check(t, Options{Memory: 1, Dir: t.TempDir()}, make([]uint64, 60000)); st.Written > 100 {
		t.Errorf("%d bytes for one key 60,000 times", st.Written)
	}
}

// transposed gives the links of n pages in order of their source, packed as
// target<<32|source: what LowSorted is for.
func transposed(n int) []uint64 {
	r := rand.New(rand.NewPCG(2, 2))
	var keys []uint64
	for src := range uint64(n) {
		for range r.IntN(10) {
			keys = append(keys, r.Uint64N(uint64(n))<<32|src)
		}
	}
	return keys
}

func TestLowSorted(t *testing.T) {
	for _, pages := range []int{0, 1, 50, 1000, 20000} {
		for _, memory := range []int64{1, 1 << 20, 8 << 20} {
			check(t, Options{Memory: memory, LowSorted: true, Dir: t.TempDir()}, transposed(pages))
		}
	}
}

func TestLowSortedPromiseBroken(t *testing.T) {
	for _, memory := range []int64{1, 8 << 20} {
		s := New(Options{Memory: memory, LowSorted: true, Dir: t.TempDir()})
		keys := make([]uint64, 20000)
		for i := range keys {
			keys[i] = uint64(i%100)<<32 | uint64(i)
		}
		keys[1010], keys[1110] = keys[1110], keys[1010] // two links to one page
		var err error
		for i := 0; i < len(keys) && err == nil; i++ {
			err = s.Add(keys[i])
		}
		if err == nil {
			_, err = s.Sort()
		}
		if err == nil {
			t.Errorf("memory %d: no error", memory)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A thousand keys under a large budget must not take that much memory. The Go heap
// is looked at here; the stretch outside it is only taken where it is written to.
func TestSmallSortIsSmall(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	check(t, Options{Memory: 8 << 30}, ascending(1000))
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes of heap for 1,000 keys", n)
	}
}

func TestOrderOfCalls(t *testing.T) {
	s := New(Options{})
	if err := s.Add(1); err != nil {
		t.Fatal(err)
	}
	it, err := s.Sort()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(2); err == nil {
		t.Error("Add after Sort")
	}
	if _, err := s.Sort(); err == nil {
		t.Error("Sort after Sort")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, ok := it.Next(); ok || !errors.Is(it.Err(), errClosed) {
		t.Errorf("Next after Close: %v", it.Err())
	}
	it.Rewind()
	if _, ok := it.Next(); ok {
		t.Error("Rewind after Close")
	}
	if err := s.Add(3); err == nil {
		t.Error("Add after Close")
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close after Close: %v", err)
	}
}
