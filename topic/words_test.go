package topic

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// wordsOf returns the words of a text.
func wordsOf(text, stem string) (list []string) {
	for w := range NewWords(stem).All([]byte(text)) {
		list = append(list, string(w))
	}
	return list
}

// oracle returns them as the library finds them.
func oracle(text string) (list []string) {
	for it := words.FromString(text); it.Next(); {
		v := it.Value()
		if strings.IndexFunc(v, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }) >= 0 && len(v) <= maxWord {
			list = append(list, strings.Map(unicode.ToLower, v))
		}
	}
	return list
}

func TestWords(t *testing.T) {
	for _, test := range []struct{ text, stem, want string }{
		{"", "", ""},
		{" -- ... ", "", ""},
		{"Don't panic, it's 3.14 or 1,000;2", "", "don't|panic|it's|3.14|or|1,000;2"},
		{"a.b a. .b 1.a a_b _a a:b", "", "a.b|a|b|1|a|a_b|_a|a:b"},
		{"Straße ÜBER naïve-café", "", "straße|über|naïve|café"},
		{"Web-Crawler: поиск СТРАНИЦ", "", "web|crawler|поиск|страниц"},
		{"網頁crawler爬蟲", "", "網|頁|crawler|爬|蟲"},
		{"don’t “quote”", "", "don’t|quote"},
		{"computers Computing computed", "english", "comput|comput|comput"},
		{"Häuser Haus", "german", "haus|haus"},
		{"страницы страницу", "russian", "страниц|страниц"},
		{strings.Repeat("x", maxWord+1) + " y", "", "y"},
	} {
		if got := strings.Join(wordsOf(test.text, test.stem), "|"); got != test.want {
			t.Errorf("words of %q by %q are %q, want %q", test.text, test.stem, got, test.want)
		}
	}
}

func TestLanguages(t *testing.T) {
	if list := Languages(); len(list) != 19 || !slices.IsSorted(list) || !slices.Contains(list, "german") {
		t.Errorf("languages are %v", list)
	}
	if err := CheckLanguage("klingon"); err == nil || !strings.Contains(err.Error(), "english") {
		t.Errorf("error %v, want one that lists the languages", err)
	}
}

// The fast way and the library find the same words. Of what is not UTF-8 the library takes more
// or less into a word, by where the text ends; nobody reads such words.
func FuzzWords(f *testing.F) {
	for _, s := range []string{
		"plain words, and 3.5 or 1,000.00;", "e.g. i.e. a'b' 'c a:b:c x_1 _ __ 1_.2", "é.a a.é a\u0301.b .\u0301a 1,\u0301" + "2",
		"א\"א א'א x\"א", "カタカナ ひらがな 漢字kanji", "a\u200db \u200dc -\u0301d", "🇩🇪🇫🇷 👩\u200d🚀x", "a\xffb \xc3 \xe2\x80",
		"a\tb\r\nc\vd\u00a0e\u2028f", "don’t l’été O’Neill’s", "ไทย ภาษา", "x\u00adyz",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, want := wordsOf(text, ""), oracle(text)
		if utf8.ValidString(text) && !slices.Equal(got, want) {
			t.Errorf("words of %q are %q, the library has %q", text, got, want)
		}
	})
}

// Finding words allocates nothing.
func TestWordsAllocate(t *testing.T) {
	w := NewWords("")
	text := bytes.Repeat([]byte("Plain words, and Straßen of others; 3.14 times. "), 50)
	n := testing.AllocsPerRun(10, func() {
		w.begin(text)
		for w.next() {
			w.fold()
		}
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkWords(b *testing.B) {
	text := bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog, and 3.14 times again it's so. "), 100)
	w := NewWords("")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		w.begin(text)
		for w.next() {
		}
	}
}

// Every character is split as the library does, alone and next to all that joins words.
func TestAllCharacters(t *testing.T) {
	failed, words := 0, NewWords("")
	for r := rune(0x80); r <= unicode.MaxRune && failed < 20; r++ {
		if r == 0x30000 {
			r = 0xe0000 // nothing is assigned between these but planes of ideographs
		}
		s := string(r)
		text := "x" + s + "y " + s + "." + s + " " + s + "'s 1" + s + "_ a:" + s + " " + s + "\u0301" + s + "," + s +
			" ア" + s + "カ " + s + "\"" + s + "3," + s + " -" + s + "\u200d" + s + "字" + s + "א'" + s + s
		var got []string
		for w := range words.All([]byte(text)) {
			got = append(got, string(w))
		}
		if want := oracle(text); !slices.Equal(got, want) {
			failed++
			t.Errorf("%U: words of %q are %q, the library has %q", r, text, got, want)
		}
	}
}

// Texts of characters of all blocks that meet by chance are split as the library does.
func TestRandomTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	joiners := []rune(" \n.,:;'\"_-’‘·\u00ad\u0301\u200c\u200d\u3099\ufe0f‿ℹ🚀🇩1aA٣אアー字あกक्ل한Ⅷ")
	words := NewWords("")
	for range 20_000 {
		near := rune(rng.IntN(0x3000))
		if rng.IntN(3) == 0 {
			near = rune(rng.IntN(0x20000))
		}
		var text []rune
		for range rng.IntN(40) {
			if rng.IntN(2) == 0 {
				text = append(text, joiners[rng.IntN(len(joiners))])
			} else if r := near + rune(rng.IntN(64)); utf8.ValidRune(r) {
				text = append(text, r)
			}
		}
		var got []string
		for w := range words.All([]byte(string(text))) {
			got = append(got, string(w))
		}
		if want := oracle(string(text)); !slices.Equal(got, want) {
			t.Fatalf("words of %q are %q, the library has %q", string(text), got, want)
		}
	}
}
