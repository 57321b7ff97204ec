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
			if h%2 == 0 {
				all.add([]counted{{hash: h}})
			} else {
				all.addMany(h, 1)
			}
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

// wordByWord reads a page as PageWithLinks does, word by word.
func (r *Reader) wordByWord(text []byte, edges []uint32) (to event.Reading) {
	clear(r.found[:])
	r.hits = r.hits[:0]
	r.all.reset()
	x := pass{edges: edges}
	for r.words.begin(text); r.words.next(); x.words++ {
		x.reach(r.words.from)
		r.note(x.words)
		if r.counts {
			r.count()
		}
	}
	for ; x.next < len(edges); x.next++ {
		edges[x.next] = x.words
	}
	to.Words, to.Norm = max(1, x.words), r.norm(text)
	r.matches(&to)
	return to
}

// checkBlocks compares reading by the block with reading word by word: terms, numbers of words,
// edges and norms.
func checkBlocks(t *testing.T, topic *Topic, text []byte, from, to uint32) {
	t.Helper()
	var got event.Reading
	fast, slow := topic.NewReader(), topic.NewReader()
	slow.sieve = nil
	a, b := []uint32{from, to}, []uint32{from, to}
	fast.PageWithLinks(nil, text, a, &got)
	want := slow.wordByWord(text, b)
	if !reflect.DeepEqual(got, want) || !slices.Equal(fast.hits, slow.hits) || !slices.Equal(a, b) {
		t.Fatalf("%q for %q by %+v: %+v %v %v, want %+v %v %v", text, topic.Terms(), topic.Rule, got, fast.hits, a, want, slow.hits, b)
	}
}

// rules are those that pages are read by in different ways.
func rules() []Rule {
	return []Rule{{}, {Stem: "english"}, {Stem: "russian"}, {Measure: Cosine}, {Measure: Cosine, Stem: "porter"}}
}

// Blocks and the sieve lose nothing.
func FuzzBlocks(f *testing.F) {
	f.Add("The web crawler's order; e.g. 3.14 naïve—web dying.", "web crawler die naïve 3.14 _x", uint8(1), uint8(3), uint8(20))
	f.Add("it's a_b a.b 1,2 x:y “web” \tлес web", "it's a_b x лес", uint8(0), uint8(0), uint8(9))
	f.Add("“web”—crawler…web\u00a0web web’s —\u0301web «web»", "web crawler", uint8(3), uint8(5), uint8(15))
	f.Add("web\u0301 a.\u0301b web web.é skies sky", "web sky", uint8(4), uint8(5), uint8(5))
	f.Add("Лес лесов ЛЕСА カタカナ_x 漢字かな カ\u3099\u3099ナ a\u200db \u200dℹ א\"א א'1", "лес 漢", uint8(2), uint8(9), uint8(40))
	f.Fuzz(func(t *testing.T, text, query string, rule, from, to uint8) {
		by := rules()[int(rule)%len(rules())]
		q, err := Parse("q", query, by)
		if err != nil || !utf8.ValidString(text) {
			return
		}
		topic, err := New([]Query{q}, by, Hot{})
		if err != nil {
			return
		}
		checkBlocks(t, topic, []byte(text), uint32(min(from, to)), uint32(max(from, to)))
	})
}

// Texts of all blocks of Unicode are read by the block as they are word by word, wherever blocks of
// bytes end in them.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	common := strings.Fields("web Web Лес лес crawler's e.g. 3.14 naïve don’t l'été 漢字 カタカナ ひらがな الكتاب हिन्दी ไทย 한국어 カ\u3099_x א\"א ελληνικά É Ⅷ _ ‿ x\u202fy א'א ℹ 🚀 \u200d")
	for n := range 3000 {
		near := rune(rng.IntN(0x3000))
		var text []byte
		for range rng.IntN(60) {
			switch rng.IntN(8) {
			case 0, 1:
				text = utf8.AppendRune(text, near+rune(rng.IntN(64)))
			case 2:
				text = append(text, common[rng.IntN(len(common))]...)
			case 3:
				text = append(text, ".,:;'\"_-"[rng.IntN(8)])
			default:
				text = append(append(text, common[rng.IntN(12)]...), ' ')
			}
		}
		edges := [2]uint32{rng.Uint32N(uint32(len(text) + 1)), rng.Uint32N(uint32(len(text) + 1))}
		topic := made(t, "web лес 漢 naïve カタカナ ไ", rules()[n%len(rules())], Hot{})
		checkBlocks(t, topic, text, min(edges[0], edges[1]), max(edges[0], edges[1]))
	}
}
