package bv

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// encode writes lists in chunks of the given number of pages.
func encode(t testing.TB, p Params, lists [][]uint32, pages int, chunk int) (*Stream, *Index) {
	t.Helper()
	var j Joiner
	for lo := 0; lo < len(lists); lo += chunk {
		e := NewEncoder(p, uint32(lo))
		for _, l := range lists[lo:min(lo+chunk, len(lists))] {
			e.Add(l)
		}
		j.Add(e.Chunk())
	}
	var out bytes.Buffer
	if err := j.Finish(&out); err != nil {
		t.Fatal(err)
	}
	out.Write(make([]byte, Padding))
	s, err := NewStream(p, pages, out.Bytes(), j.Bits())
	if err != nil {
		t.Fatal(err)
	}
	words, err := BuildIndex(j.Starts())
	if err != nil {
		t.Fatal(err)
	}
	x, err := OpenIndex(words)
	if err != nil {
		t.Fatal(err)
	}
	return s, x
}

// webby returns lists that look like those of a web: near ids, runs, and lists
// that resemble the one before.
func webby(r *rand.Rand, pages int) [][]uint32 {
	lists := make([][]uint32, pages)
	for x := range lists {
		set := map[uint32]bool{}
		if x > 0 && r.IntN(3) > 0 {
			for _, v := range lists[x-1-r.IntN(min(x, 9))] {
				if r.IntN(8) > 0 {
					set[v] = true
				}
			}
		}
		for range r.IntN(6) {
			set[uint32(r.IntN(pages))] = true
			near := min(pages-1, max(0, x+r.IntN(21)-10))
			for i := range r.IntN(7) {
				if near+i < pages {
					set[uint32(near+i)] = true
				}
			}
		}
		for v := range set {
			lists[x] = append(lists[x], v)
		}
		slices.Sort(lists[x])
	}
	return lists
}

var allParams = []Params{Default, {7, 3, 3, 3}, {0, 0, 0, 1}, {1, 1, 2, 5}, {31, 1000, 4, 2}, {7, 0, 4, 3}, {3, 2, 0, 11}}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range allParams {
		for _, pages := range []int{1, 2, 63, 64, 65, 1000} {
			lists := webby(r, pages)
			s, x := encode(t, p, lists, pages, 300)
			checkScan(t, s, x, lists)
			checkRandom(t, r, s, x, lists)
		}
	}
}

func checkScan(t *testing.T, s *Stream, x *Index, lists [][]uint32) {
	t.Helper()
	for _, lo := range []int{0, 1, len(lists) / 2, len(lists)} {
		c, p := s.ScanFrom(x, uint32(lo), uint32(len(lists))), lo
		for ; c.Next(); p++ {
			if int(c.Page()) != p || !slices.Equal(c.List(), lists[p]) {
				t.Fatalf("%+v: scan from %d: page %d: got %v, want %v", s.Params, lo, p, c.List(), lists[p])
			}
			if c.Bit() != x.At(p+1) {
				t.Fatalf("page %d ends at bit %d, index says %d", p, c.Bit(), x.At(p+1))
			}
		}
		if c.Err() != nil || p != len(lists) {
			t.Fatalf("scan ended at %d: %v", p, c.Err())
		}
	}
}

func checkRandom(t *testing.T, r *rand.Rand, s *Stream, x *Index, lists [][]uint32) {
	t.Helper()
	rd := s.Reader(x)
	for range 200 {
		p := uint32(r.IntN(len(lists)))
		got, err := rd.List(p)
		if err != nil || !slices.Equal(got, lists[p]) {
			t.Fatalf("%+v: page %d: got %v, %v, want %v", s.Params, p, got, err, lists[p])
		}
		if d, err := rd.Degree(p); err != nil || d != len(lists[p]) {
			t.Fatalf("degree of %d: %d, %v, want %d", p, d, err, len(lists[p]))
		}
	}
}

// TestLongLists has lists of many lanes, which share long and short stretches, so
// that the space of a scan must grow and lists be moved in it.
func TestLongLists(t *testing.T) {
	const pages = 200_000
	r := rand.New(rand.NewPCG(11, 12))
	lists := make([][]uint32, 60)
	for x := range lists {
		step := 1 + r.IntN(400)
		for v := r.IntN(step); v < pages; v += 1 + r.IntN(step) {
			lists[x] = append(lists[x], uint32(v))
		}
		if x%4 > 0 { // most of the list before, and a few more
			kept := slices.DeleteFunc(slices.Clone(lists[x-1]), func(v uint32) bool { return v/997%5 == uint32(x%5) })
			lists[x] = append(kept, lists[x][:len(lists[x])/50]...)
			slices.Sort(lists[x])
			lists[x] = slices.Compact(lists[x])
		}
	}
	for _, p := range allParams {
		s, x := encode(t, p, lists, pages, len(lists))
		s.Pages = pages
		checkScan(t, s, x, lists)
		checkRandom(t, r, s, x, lists)
	}
}

// TestLargeIds has gaps that need the long forms of the codes.
func TestLargeIds(t *testing.T) {
	const top = 1<<32 - 2
	lists := [][]uint32{{0, 1 << 20, 1 << 29, top}, {top - 5, top - 4, top - 3, top - 2, top - 1, top}, {}, {top}, {0}, {0, top}}
	for _, p := range allParams {
		s, x := encode(t, p, lists, 1<<32-1, 100)
		s.Pages = len(lists)
		c := s.Scan()
		s.Pages = 1<<32 - 1
		for i := 0; i < len(lists); i++ {
			if !c.Next() || !slices.Equal(c.List(), lists[i]) {
				t.Fatalf("%+v: page %d: got %v, %v, want %v", p, i, c.List(), c.Err(), lists[i])
			}
		}
		checkRandom(t, rand.New(rand.NewPCG(3, 4)), s, x, lists)
	}
}

func TestCodes(t *testing.T) {
	values := []uint64{0, 1, 2, 3, 5, 6, 7, 8, 62, 63, 64, 510, 511, 512, 1<<20 - 1, 1 << 28, 1<<29 + 3, 1<<33 + 1}
	for k := uint(1); k <= 11; k++ {
		var w bitWriter
		want := 0
		for _, v := range values {
			w.gamma(v)
			w.zeta(v, k)
			w.unary(v % 30)
			want += gammaLen(v) + zetaLen(v, int(k)) + unaryLen(v%30)
		}
		if w.bits != uint64(want) {
			t.Errorf("k=%d: %d bits written, lengths say %d", k, w.bits, want)
		}
		b := append(w.flush(), make([]byte, Padding)...)
		st, err := NewStream(Params{ZetaK: int(k)}, 1, b, w.bits)
		if err != nil {
			t.Fatal(err)
		}
		l := st.lists()
		r := l.at(0)
		for _, v := range values {
			var g, z, u uint64
			g, r = l.readGamma(l.at(r.pos))
			if n := uint64(l.codes.zeta[l.at(r.pos).w>>(64-zetaBits)]); n != 0 {
				if short := l.at(r.pos).first(n) - l.codes.less[n]; int(n) != zetaLen(v, int(k)) || short != v {
					t.Fatalf("k=%d: the tables have %d of %d bits for %d of %d", k, short, n, v, zetaLen(v, int(k)))
				}
			}
			z, r = l.longZeta(r.pos)
			u, r = l.longUnary(r.pos)
			if g != v || z != v || u != v%30 {
				t.Fatalf("k=%d: wrote %d, read gamma %d, zeta %d, unary %d", k, v, g, z, u)
			}
		}
	}
}

func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, step := range []int{1, 2, 17, 300, 100_000} {
		for _, n := range []int{1, 2, 64, 65, 127, 128, 129, 5000} {
			starts := make([]uint64, n)
			for i := 1; i < n; i++ {
				starts[i] = starts[i-1] + uint64(r.IntN(step))
			}
			words, err := BuildIndex(starts)
			if err != nil {
				t.Fatal(err)
			}
			x, err := OpenIndex(words)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range starts {
				if got := x.At(k); got != v {
					t.Fatalf("step %d, n %d: number %d is %d, want %d", step, n, k, got, v)
				}
			}
		}
	}
}

// TestGarbageBehind has a code that begins where eight bytes can still be read and
// whose end is further on, in whatever lies behind the stream: it is no number.
func TestGarbageBehind(t *testing.T) {
	b := bytes.Repeat([]byte{0xff}, 1+Padding)
	b[0], b[1] = 0, 0
	s, err := NewStream(Default, 100, b, 8)
	if err != nil {
		t.Fatal(err)
	}
	l := s.lists()
	for _, pos := range []uint64{8, 9, 16, 1 << 40} {
		if v, r := l.longGamma(pos); v > 1<<40 || r.pos <= s.Bits {
			t.Errorf("gamma code at %d: %d, ends at %d", pos, v, r.pos)
		}
		if v, r := l.longZeta(pos); v > 1<<40 || r.pos <= s.Bits {
			t.Errorf("zeta code at %d: %d, ends at %d", pos, v, r.pos)
		}
	}
}

// TestCorruptNamesPlace: an error says where the list begins, not where reading ended.
func TestCorruptNamesPlace(t *testing.T) {
	s, x := encode(t, Default, [][]uint32{{1}, {2, 5, 9}, {0}}, 10, 10)
	clear(s.bytes)
	want := fmt.Sprintf("page 1, near bit %d (byte %d)", x.At(1), x.At(1)/8)
	if _, err := s.Reader(x).List(1); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), want) {
		t.Errorf("single list: error %v, want %s", err, want)
	}
	if c := s.ScanFrom(x, 0, 3); c.Next() || !errors.Is(c.Err(), ErrCorrupt) || !strings.Contains(c.Err().Error(), "page 0, near bit 0 ") {
		t.Errorf("scan: error %v", c.Err())
	}
}

// FuzzDecode feeds bits that no encoder wrote: an error or a list, never a panic,
// and never more links than pages or an id that is none. Single lists are read
// from wherever it strikes the index.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, p := range allParams {
		s, _ := encode(f, p, webby(r, 40), 40, 40)
		f.Add(s.bytes, uint8(p.Window), uint8(p.MinInterval), uint8(p.ZetaK), uint16(40))
	}
	f.Fuzz(func(t *testing.T, b []byte, window, least, k uint8, pages uint16) {
		p := Params{Window: int(window), MaxRef: 3, MinInterval: int(least), ZetaK: int(k)}
		if len(b) < Padding {
			return
		}
		bits := uint64(len(b)-Padding) * 8
		s, err := NewStream(p, int(pages), b, bits)
		if err != nil {
			return
		}
		c := s.Scan()
		for c.Next() {
			checkLinks(t, c.List(), int(pages))
		}
		starts := make([]uint64, int(pages)+1)
		for i := range starts {
			starts[i] = bits * uint64(i) / uint64(len(starts))
		}
		words, err := BuildIndex(starts)
		if err != nil {
			t.Fatal(err)
		}
		x, err := OpenIndex(words)
		if err != nil {
			t.Fatal(err)
		}
		r := s.Reader(x)
		for p := range min(uint32(pages), 1000) {
			if list, err := r.List(p); err == nil {
				checkLinks(t, list, int(pages))
			}
		}
	})
}

func checkLinks(t *testing.T, list []uint32, pages int) {
	t.Helper()
	if len(list) > pages {
		t.Fatalf("list of %d links among %d pages", len(list), pages)
	}
	for _, v := range list {
		if int(v) >= pages {
			t.Fatalf("link to %d among %d pages: %v", v, pages, list)
		}
	}
}

// FuzzRoundTrip writes whatever lists the bytes describe.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0, 1, 2, 4, 0, 9}, uint8(7), uint8(3), uint8(4), uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, window, ref, least, k uint8) {
		p := Params{Window: int(window), MaxRef: int(ref), MinInterval: int(least), ZetaK: int(k)}
		if p.Check() != nil || len(b) > 1<<12 {
			return
		}
		lists := listsOf(b)
		s, x := encode(t, p, lists, 1<<16, 7)
		rd := s.Reader(x)
		s.Pages = len(lists)
		c := s.Scan()
		s.Pages = 1 << 16
		for i := range lists {
			got, err := rd.List(uint32(i))
			if err != nil || !slices.Equal(got, lists[i]) || !c.Next() || !slices.Equal(c.List(), lists[i]) {
				t.Fatalf("%+v page %d: %v %v, scan %v %v, want %v", p, i, got, err, c.List(), c.Err(), lists[i])
			}
		}
	})
}

// listsOf reads lists as gaps; a zero ends a list.
func listsOf(b []byte) [][]uint32 {
	lists := [][]uint32{nil}
	v := uint32(0)
	for _, g := range b {
		last := len(lists) - 1
		if g == 0 || v+uint32(g) >= 1<<16 {
			lists, v = append(lists, nil), 0
			continue
		}
		v += uint32(g)
		lists[last] = append(lists[last], v-1)
	}
	return lists
}

// TestRestart uses one scan for many stretches, some of which begin behind lists that
// they refer to.
func TestRestart(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, p := range allParams {
		lists := webby(r, 700)
		s, x := encode(t, p, lists, len(lists), 300)
		c := s.ScanFrom(x, 0, 0)
		for range 200 {
			lo := r.IntN(len(lists))
			hi := lo + r.IntN(len(lists)-lo+1)
			c.Restart(uint32(lo), uint32(hi))
			at := lo
			for ; c.Next(); at++ {
				if int(c.Page()) != at || !slices.Equal(c.List(), lists[at]) {
					t.Fatalf("%+v: scan from %d to %d: page %d: got %v, want %v", p, lo, hi, at, c.List(), lists[at])
				}
			}
			if c.Err() != nil || at != hi {
				t.Fatalf("scan from %d to %d ended at %d: %v", lo, hi, at, c.Err())
			}
		}
	}
}
