package bv

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fit writes fitted lists in chunks of the given number of pages.
func fit(t testing.TB, p Params, lists [][]uint32, pages, chunk, step int) *Fitted {
	t.Helper()
	count := NewFittedEncoder(p, nil, 0)
	fitChunks(count, lists, chunk, func(*Chunk) {})
	book, err := OpenCodebook(count.Tally().Fit().Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var j Joiner
	fitChunks(NewFittedEncoder(p, book, 0), lists, chunk, j.Add)
	var out bytes.Buffer
	if err := j.Finish(&out); err != nil {
		t.Fatal(err)
	}
	out.Write(bytes.Repeat([]byte{0xff}, Padding))
	s, err := NewFitted(p, pages, out.Bytes(), j.Bits(), book, indexOf(t, Every(step, j.Starts())), step)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fitChunks(e *FittedEncoder, lists [][]uint32, chunk int, add func(*Chunk)) {
	for lo := 0; lo < len(lists); lo += chunk {
		e.Reset(uint32(lo))
		for _, l := range lists[lo:min(lo+chunk, len(lists))] {
			e.Add(l)
		}
		add(e.Chunk())
	}
}

func indexOf(t testing.TB, starts []uint64) *Index {
	t.Helper()
	words, err := BuildIndex(starts)
	if err != nil {
		t.Fatal(err)
	}
	x, err := OpenIndex(words)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestFittedRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for i, p := range append(allParams, Compact) {
		for _, pages := range []int{1, 2, 63, 300} {
			lists := webby(r, pages)
			s := fit(t, p, lists, pages, 100, 1+i%5)
			checkFitted(t, r, s, lists)
		}
	}
}

// checkFitted reads lists at random, and stretches of them in order with one scan.
func checkFitted(t *testing.T, r *rand.Rand, s *Fitted, lists [][]uint32) {
	t.Helper()
	rd, c := s.Reader(), s.Scan(0, 0)
	for range 60 {
		p := uint32(r.IntN(len(lists)))
		got, err := rd.List(p)
		if err != nil || !slices.Equal(got, lists[p]) {
			t.Fatalf("%+v: page %d: got %v, %v, want %v", s.Params, p, got, err, lists[p])
		}
		if d, err := rd.Degree(p); err != nil || d != len(lists[p]) {
			t.Fatalf("degree of %d: %d, %v, want %d", p, d, err, len(lists[p]))
		}
		lo := r.IntN(len(lists))
		at, hi := lo, lo+r.IntN(len(lists)-lo+1)
		for c.Restart(uint32(lo), uint32(hi)); c.Next(); at++ {
			if int(c.Page()) != at || !slices.Equal(c.List(), lists[at]) {
				t.Fatalf("%+v: scan from %d to %d: page %d: got %v, want %v", s.Params, lo, hi, at, c.List(), lists[at])
			}
		}
		if c.Err() != nil || at != hi {
			t.Fatalf("scan from %d to %d ended at %d: %v", lo, hi, at, c.Err())
		}
	}
}

// TestTokens: every number is its token's least one and the bits behind it.
func TestTokens(t *testing.T) {
	check := func(v uint32) {
		tok := tokenOf(v)
		if base, n := tokenBase(tok), tokenBits(tok); v < base || uint64(v-base) >= 1<<n || tok >= anyNumber {
			t.Fatalf("%d has token %d: %d and %d bits", v, tok, base, n)
		}
	}
	for i := range 32 {
		for d := range uint32(20) {
			check(1<<i + d)
			check(1<<i - d)
		}
	}
	check(math.MaxUint32)
}

// TestCodeLengths: the codes are complete, no longer than allowed, and take hardly more
// than the entropy, also for counts that differ as much as the numbers of Fibonacci, whose
// Huffman code is as long as it can be.
func TestCodeLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for round := range 40 {
		var tally Tally
		sum, a, b := 0.0, int64(1), int64(1)
		for tok := range 2 + r.IntN(60) {
			n := 1 + r.Int64N(1000)
			if round%2 == 0 {
				n, a, b = a, b, min(a+b, 1<<40)
			}
			tally[kindGap][tok] = n
			sum += float64(n)
		}
		book, err := OpenCodebook(tally.Fit().Bytes())
		if err != nil {
			t.Fatal(err)
		}
		bits, entropy := 0.0, 0.0
		for tok, n := range tally[kindGap] {
			if n > 0 {
				bits += float64(n) * float64(book.lengths[kindGap][tok])
				entropy -= float64(n) * math.Log2(float64(n)/sum)
			}
		}
		if bits > 1.06*entropy+0.1*sum+4 {
			t.Errorf("round %d: %.0f bits, the entropy is %.0f", round, bits, entropy)
		}
	}
}

// TestFittedUnknown writes numbers that were not counted.
func TestFittedUnknown(t *testing.T) {
	const pages = 1 << 20
	book := new(Tally).Fit()
	lists := [][]uint32{{1, 2, 3, 4, 5, 6, 70000}, {1, 3, 4, pages - 1}, nil, {0}}
	e := NewFittedEncoder(Compact, book, 0)
	for _, l := range lists {
		e.Add(l)
	}
	c := e.Chunk()
	s, err := NewFitted(Compact, 4, append(c.Bytes, make([]byte, Padding)...), c.Bits, book, indexOf(t, Every(3, append(c.Starts, c.Bits))), 3)
	if err != nil {
		t.Fatal(err)
	}
	s.Pages = pages
	for p, want := range lists {
		if got, err := s.Reader().List(uint32(p)); err != nil || !slices.Equal(got, want) {
			t.Errorf("page %d: %v, %v; want %v", p, got, err, want)
		}
	}
}

// TestCodebookDamage changes every length of a codebook: what is still opened is read
// without a panic.
func TestCodebookDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	lists := webby(r, 40)
	s := fit(t, Compact, lists, 40, 40, 4)
	sound, refused := s.book.Bytes(), 0
	for i := range sound {
		b := bytes.Clone(sound)
		b[i] = []byte{0, 1, b[i] + 1, b[i] - 1, 0xff, b[i] ^ 16}[i%6]
		if bytes.Equal(b, sound) {
			continue
		}
		book, err := OpenCodebook(b)
		if err != nil {
			refused++
			continue
		}
		readFitted(t, &Fitted{s.Params, s.Pages, s.Bits, s.Step, s.bytes, book, s.index})
	}
	if refused == 0 {
		t.Error("no codebook was refused")
	}
	if _, err := OpenCodebook(sound[1:]); err == nil {
		t.Error("a codebook of a byte less was opened")
	}
}

// readFitted reads all lists in both ways: errors or links among the pages.
func readFitted(t *testing.T, s *Fitted) {
	t.Helper()
	for c := s.Scan(0, uint32(s.Pages)); c.Next(); {
		checkLinks(t, c.List(), s.Pages)
	}
	r := s.Reader()
	for p := range min(uint32(s.Pages), 500) {
		if list, err := r.List(p); err == nil {
			checkLinks(t, list, s.Pages)
		}
	}
}

// FuzzFittedDecode feeds bits that no encoder wrote: an error or a list, never a panic.
func FuzzFittedDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(27, 28))
	s := fit(f, Compact, webby(r, 40), 40, 40, 4)
	f.Add(s.bytes, uint8(15), uint8(4), uint16(40))
	f.Add(make([]byte, 100), uint8(31), uint8(0), uint16(900))
	f.Fuzz(func(t *testing.T, b []byte, window, least uint8, pages uint16) {
		if len(b) < Padding {
			return
		}
		bits := uint64(len(b)-Padding) * 8
		starts := make([]uint64, int(pages)+1)
		for i := range starts {
			starts[i] = bits * uint64(i) / uint64(len(starts))
		}
		starts[pages] = bits
		p := Params{Window: int(window), MaxRef: 3, MinInterval: int(least), ZetaK: 3}
		if d, err := NewFitted(p, int(pages), b, bits, s.book, indexOf(t, Every(4, starts)), 4); err == nil {
			readFitted(t, d)
		}
	})
}

// FuzzFittedRoundTrip writes whatever lists the bytes describe.
func FuzzFittedRoundTrip(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0, 1, 2, 4, 0, 9}, uint8(7), uint8(3), uint8(4), uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, window, ref, least, step uint8) {
		p := Params{Window: int(window), MaxRef: int(ref), MinInterval: int(least), ZetaK: 3}
		if p.Check() != nil || len(b) > 1<<12 || step == 0 {
			return
		}
		lists := listsOf(b)
		s := fit(t, p, lists, len(lists), 7, int(step))
		s.Pages = 1 << 16
		rd, c := s.Reader(), s.Scan(0, uint32(len(lists)))
		for i := range lists {
			got, err := rd.List(uint32(i))
			if err != nil || !slices.Equal(got, lists[i]) || !c.Next() || !slices.Equal(c.List(), lists[i]) {
				t.Fatalf("%+v page %d: %v %v, scan %v, want %v", p, i, got, err, c.Err(), lists[i])
			}
		}
	})
}
