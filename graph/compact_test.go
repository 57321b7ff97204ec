package graph

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
)

// compactOf writes a source both ways and opens the two files.
func compactOf(t testing.TB, src func() Source) (plain, compact *Graph) {
	t.Helper()
	var both [2]*Graph
	for i := range both {
		path := filepath.Join(t.TempDir(), "g.wg")
		if err := Write(context.Background(), src(), WriteOptions{Path: path, Compact: i == 1}); err != nil {
			t.Fatal(err)
		}
		if names := leftovers(t, filepath.Dir(path), "g.wg"); names != nil {
			t.Errorf("left behind: %v", names)
		}
		g, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { g.Close() })
		both[i] = g
	}
	return both[0], both[1]
}

// TestCompact: a compact file has the same contents as another in fewer bytes, and all ways
// to read it give the same.
func TestCompact(t *testing.T) {
	links := webLike(rand.New(rand.NewPCG(31, 32)), 20_000, 8)
	plain, compact := compactOf(t, func() Source { return sourceOf(links) })
	for i, l := range []*Links{compact.Forward(), compact.Backward()} {
		want := links
		if i == 1 {
			want = transpose(links)
		}
		checkLists(t, l, want)
		z, a, b := make([]float64, len(links)), make([]float64, 500), make([]float64, 500)
		for p := range z {
			z[p] = math.Sqrt(float64(p))
		}
		l.Sum(a, z, 777)
		[]*Links{plain.Forward(), plain.Backward()}[i].Sum(b, z, 777)
		if !slices.Equal(a, b) {
			t.Error("sums over lists differ")
		}
	}
	if edgesOf(t, plain) != edgesOf(t, compact) {
		t.Error("the exports differ")
	}
	p, c := plain.Info(), compact.Info()
	before, after := p.BytesForward+p.BytesBackward, c.BytesForward+c.BytesBackward
	if 100*after > 90*before || c.BytesCompact != after || p.BytesCompact != 0 {
		t.Errorf("links take %d bytes and %d before; compact %d and %d", after, before, c.BytesCompact, p.BytesCompact)
	}
	if got := compact.Forward().Bytes() + compact.Backward().Bytes(); got != after {
		t.Errorf("the lists take %d bytes, the header says %d", got, after)
	}
}

// checkLists reads lists at random, in order from any page, and all at once.
func checkLists(t *testing.T, l *Links, want [][]Page) {
	t.Helper()
	raw, rd := l.Raw(2), l.Reader()
	defer raw.Free()
	for p, list := range want {
		if !slices.Equal(raw.List(Page(p)), list) {
			t.Fatalf("raw list %d: %v, want %v", p, raw.List(Page(p)), list)
		}
		if p%7 == 0 && (!slices.Equal(rd.List(Page(p)), list) || rd.Degree(Page(p)) != len(list)) {
			t.Fatalf("list %d: %v, want %v", p, rd.List(Page(p)), list)
		}
	}
	for _, lo := range []int{0, 1, 16384, len(want) - 3} {
		at := lo
		for c := l.Scan(Page(lo), Page(len(want))); c.Next(); at++ {
			if int(c.Page()) != at || !slices.Equal(c.List(), want[at]) {
				t.Fatalf("scan from %d: list %d: %v, want %v", lo, at, c.List(), want[at])
			}
		}
		if at != len(want) {
			t.Fatalf("the scan from %d ends at %d", lo, at)
		}
	}
}

// TestCompactColumns: ids, names and all else are as in other files.
func TestCompactColumns(t *testing.T) {
	plain, compact := compactOf(t, fullSource)
	for _, s := range plain.h.sections {
		switch s.name {
		case secForward, secForwardIndex, secBackward, secBackwardIndex:
			continue
		}
		if !bytes.Equal(plain.bytes(s.name), compact.bytes(s.name)) {
			t.Errorf("section %q differs", s.name)
		}
	}
	if err := readAll(compact); err != nil {
		t.Error(err)
	}
	if edgesOf(t, plain) != edgesOf(t, compact) {
		t.Error("the exports differ")
	}
	empty, none := compactOf(t, func() Source { return sourceOf(nil) })
	if edgesOf(t, empty) != "" || edgesOf(t, none) != "" || none.Pages() != 0 {
		t.Error("an empty graph has links")
	}
}

// TestCompactSame: the bytes depend on neither memory nor threads, and a program that reads
// format 1 only refuses the file.
func TestCompactSame(t *testing.T) {
	links := webLike(rand.New(rand.NewPCG(33, 34)), 17_000, 6)
	one := fileBytes(t, sourceOf(links), WriteOptions{Compact: true, Threads: 1, MaxMemory: 32 << 20})
	two := fileBytes(t, sourceOf(links), WriteOptions{Compact: true, Threads: 4})
	if !bytes.Equal(one, two) {
		t.Error("two files of one graph differ")
	}
	if v := binary.LittleEndian.Uint32(one[16:]); v == formatVersion {
		t.Errorf("format %d", v)
	}
}

// TestCompactBack: a compact graph written again is the graph that it was made of.
func TestCompactBack(t *testing.T) {
	plain, compact := compactOf(t, fullSource)
	path := filepath.Join(t.TempDir(), "g.wg")
	all := compact.Extract(func(Page) bool { return true })
	if err := Write(context.Background(), all.Source("", ""), WriteOptions{Path: path}); err != nil {
		t.Fatal(err)
	}
	back, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	if err := sameGraph(plain, back); err != nil {
		t.Error(err)
	}
	if back.Card().Origin != plain.Card().Origin {
		t.Errorf("origin %q, was %q", back.Card().Origin, plain.Card().Origin)
	}
}

// TestCompactInterrupted ends the work in each of its stages: nothing is left behind.
func TestCompactInterrupted(t *testing.T) {
	stop := errors.New("stop")
	for _, stage := range []string{StageForward, StageCompact, StageBackward} {
		dir := t.TempDir()
		err := Write(context.Background(), sourceOf(webLike(rand.New(rand.NewPCG(35, 36)), 100, 5)), WriteOptions{
			Path: filepath.Join(dir, "g.wg"), Compact: true,
			Progress: func(s string, _, _ int64) error {
				if s == stage {
					return stop
				}
				return nil
			},
		})
		if !errors.Is(err, stop) || leftovers(t, dir) != nil {
			t.Errorf("%s: error %v, left behind: %v", stage, err, leftovers(t, dir))
		}
	}
}

// TestCompactForged overwrites lists, indexes and codes of a compact file.
func TestCompactForged(t *testing.T) {
	sound := fileBytes(t, fullSource(), WriteOptions{Compact: true})
	h, err := decodeHeader(sound[:headerSize], uint64(len(sound)))
	if err != nil {
		t.Fatal(err)
	}
	dir, next := t.TempDir(), 0
	values := []uint64{0, 1, 70, 1 << 31, 1<<63 - 1, ^uint64(0), 70<<32 | 70}
	for _, name := range []string{secForward, secForwardIndex, secForwardCodes, secBackward, secBackwardIndex, secBackwardCodes} {
		s, _ := h.section(name)
		noticed := 0
		for at := s.offset; at+8 <= s.offset+s.length; at += max(8, s.length/40/8*8) {
			b := bytes.Clone(sound)
			word(int(at), values[next%len(values)])(b)
			next++
			if openForged(t, dir, reseal(b)) != nil {
				noticed++
			}
		}
		if noticed == 0 {
			t.Errorf("section %q: nothing was noticed", name)
		}
	}
	for _, step := range []byte{0, 1, 3, 5, 255} {
		b := bytes.Clone(sound)
		b[23] = step
		if openForged(t, dir, reseal(b)) == nil {
			t.Errorf("an index of every %dth list was believed", step)
		}
	}
}

// TestCompactReal: links of real graphs take at most 0.70 byte in both directions, index and
// codes included, and are the same as in other files (W34).
func TestCompactReal(t *testing.T) {
	if testing.Short() {
		t.Skip("eight million links")
	}
	for _, rg := range realGraphs()[:2] {
		o := rg.options(t)
		plain, _ := importReal(t, o)
		o.Path, o.Compact = filepath.Join(t.TempDir(), "c.wg"), true
		compact, _ := importReal(t, o)
		checkSize(t, compact, 0.70)
		if edgesOf(t, plain) != edgesOf(t, compact) {
			t.Errorf("%s: the exports differ", rg.edges)
		}
		if err := transposed(compact); err != nil {
			t.Error(err)
		}
	}
}
