package topic

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/event"
)

func TestReader(t *testing.T) {
	for _, stem := range []string{"", "english"} {
		rule := Rule{Measure: Cosine, Stem: stem}
		topic := made(t, "web crawler straße", rule, Hot{})
		r, got := topic.NewReader(), event.Reading{}
		for range 2 { // the second time with buffers
			r.Page([]byte("Web crawler"), []byte("A CRAWLER reads the web, the Web; STRASSE or Straße."), &got)
		}
		// a crawler reads the(2) web(2) strasse or straße
		norm := float32(math.Sqrt(6 + 2*Tame(2)*Tame(2)))
		want := event.Reading{Words: 10, Norm: norm, Matches: []event.Match{{Term: 0, Title: 1, Body: 2}, {Term: 1, Title: 1, Body: 1}, {Term: 2, Body: 1}}}
		got.Hits = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("stem %q: read %+v, want %+v", stem, got, want)
		}
	}
}

// Terms of links are those of their words, and of the ten before and after.
func TestLinks(t *testing.T) {
	text := "far web one two three four five six seven eight nine ten here is crawler end " +
		"a b c d e f g h web far"
	topic := made(t, "web crawler", Rule{}, Hot{})
	at := strings.Index(text, "here")
	edges := []uint32{0, 0, uint32(at), uint32(at + len("here is crawler")), uint32(len(text)), uint32(len(text))}
	r, to := topic.NewReader(), event.Reading{}
	r.PageWithLinks(nil, []byte(text), edges, &to)
	for i, want := range [][2]uint64{{0, 1}, {2, 1}, {0, 1}} {
		if a, n := r.Link(edges, i); a != want[0] || n != want[1] {
			t.Errorf("link %d has %b, around it %b, want %b", i, a, n, want)
		}
	}
	edges = []uint32{uint32(len("far web ")), uint32(len("far web one two"))}
	if r.PageWithLinks(nil, []byte(text), edges, &to); to.Words != 26 {
		t.Errorf("%d words", to.Words)
	}
	if a, n := r.Link(edges, 0); a != 0 || n != 1 {
		t.Errorf("a link has %b, around it %b", a, n)
	}
}

func TestURLTerms(t *testing.T) {
	topic := made(t, "computer go", Rule{}, Hot{})
	for url, want := range map[string]uint64{
		"http://a.example/ComputerScience/": 1, "http://a.example/go/": 2, "http://a.example/good": 0,
		"http://go.example/x?computers": 3, "http://cargo.example/": 0,
	} {
		if got := topic.URL([]byte(url)); got != want {
			t.Errorf("%s has %b, want %b", url, got, want)
		}
	}
}

// A tally counts as a map does.
func TestTally(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all tally
	for range 20 {
		all.reset()
		counts := map[uint64]int{}
		for range rng.IntN(5000) {
			h := rng.Uint64N(3000) * rng.Uint64N(3) << 7
			all.add(h)
			counts[h]++
		}
		square := 0.0
		for _, n := range counts {
			square += Tame(float64(n)) * Tame(float64(n))
		}
		if got, want := float64(all.norm()), math.Sqrt(square); math.Abs(got-want) > 1e-5*want {
			t.Fatalf("norm %v, want %v", got, want)
		}
	}
}

// Occurrences beyond the room for them count as so many.
func TestManyOccurrences(t *testing.T) {
	topic, r := made(t, "x", Rule{}, Hot{}), event.Reading{}
	topic.NewReader().Page(nil, bytes.Repeat([]byte("x "), 70_000), &r)
	if r.Matches[0].Body != math.MaxUint16 || r.Words != 70_000 {
		t.Errorf("%d of %d", r.Matches[0].Body, r.Words)
	}
}

// BenchmarkReader reads a page of 7,500 bytes by each rule.
func BenchmarkReader(b *testing.B) {
	text := bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog, and 3.14 times again it's so. "), 100)
	for _, rule := range []Rule{{}, {Stem: "english"}, {Measure: Cosine}} {
		b.Run(fmt.Sprintf("%v%s", rule.Measure, rule.Stem), func(b *testing.B) {
			r, to := made(b, "crawler ordering importance focused pages", rule, Hot{}).NewReader(), event.Reading{}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				r.Page([]byte("A title"), text, &to)
			}
		})
	}
}

// The sieve loses nothing: terms, numbers of words and edges are those of a reader that looks at
// every word.
func FuzzSieve(f *testing.F) {
	f.Add("The web crawler's order; e.g. 3.14 naïve—web dying.", "web crawler die naïve 3.14 _x", "english", uint8(3), uint8(20))
	f.Add("it's a_b a.b 1,2 x:y “web” \tлес web", "it's a_b x лес", "", uint8(0), uint8(9))
	f.Add("“web”—crawler…web\u00a0web web’s —\u0301web «web»", "web crawler", "", uint8(5), uint8(15))
	f.Add("web\u0301 a.\u0301b web web.é skies sky", "web sky", "porter", uint8(5), uint8(5))
	f.Fuzz(func(t *testing.T, text, query, stem string, from, to uint8) {
		if stem != "english" && stem != "porter" {
			stem = ""
		}
		q, err := Parse("q", query, Rule{Stem: stem})
		if err != nil || !utf8.ValidString(text) {
			return
		}
		topic, err := New([]Query{q}, Rule{Stem: stem}, Hot{})
		if err != nil {
			return
		}
		edges := func() []uint32 { return []uint32{uint32(min(from, to)), uint32(max(from, to))} }
		var got, want event.Reading
		fast, slow := topic.NewReader(), topic.NewReader()
		slow.sieve = nil
		a, b := edges(), edges()
		fast.PageWithLinks(nil, []byte(text), a, &got)
		slow.PageWithLinks(nil, []byte(text), b, &want)
		if !reflect.DeepEqual(got, want) || !slices.Equal(fast.hits, slow.hits) || !slices.Equal(a, b) {
			t.Errorf("%q for %q by %q: %+v %v %v, want %+v %v %v", text, query, stem, got, fast.hits, a, want, slow.hits, b)
		}
	})
}
