package topic

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// A term is sought in all cases that words have it in.
func TestCases(t *testing.T) {
	for v := rune(0); v <= unicode.MaxRune; v++ {
		if r := unicode.ToLower(v); utf8.ValidRune(v) && !slices.Contains(cases(r), v) {
			t.Errorf("%c (%U) is no case of %c", v, v, r)
		}
	}
}

// inflected returns a word as English makes them, and some that it does not.
func inflected(rng *rand.Rand) string {
	parts := strings.Fields("a e i o u y b c d f g h k l m n p r s t v w x z qu sk th ch st ll tt ss ng ion ful ous ive ize abl ibl al at ent anc ic ee é ß ж")
	ends := strings.Fields("s es ies ied ed edly ing ingly eed y ly ily ational tional ization ation ator alism iveness fulness ousness aliti iviti biliti ability ibility logi ful ness ment ement ent ive ize ant ance ence able ible er al ic ical icate ative e l ll 's ' s' sses us is é")
	var b strings.Builder
	for range 1 + rng.IntN(5) {
		b.WriteString(parts[rng.IntN(len(parts))])
	}
	for range rng.IntN(3) {
		b.WriteString(ends[rng.IntN(len(ends))])
	}
	return b.String()
}

// The sieve keeps all words whose stem is a term, and words that end in a letter that is not ASCII are
// their own stems.
func TestSieve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	known := strings.Fields("skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos bias andes inning outing canning herring earring proceed exceed succeed ties dies is was generously communism arsenal yes days kinesis knights")
	for _, stem := range []string{"", "english", "porter"} {
		words := NewWords(stem)
		for i := range 10_000 {
			word := inflected(rng)
			if i < len(known) {
				word = known[i]
			}
			for w := range words.All([]byte(word)) {
				term := string(w)
				topic, err := New([]Query{{Terms: []Term{{Word: term, Weight: 1}}}}, Rule{Stem: stem}, Hot{})
				if err != nil {
					break
				}
				for _, form := range []string{word, strings.ToUpper(word), "K" + word[1:], strings.ReplaceAll(word, "i", "İ")} {
					if stemOf(words, form) == term && !newSieve(topic).keeps([]byte(form), 0) {
						t.Fatalf("the stem %q of %q by %q is not found", term, form, stem)
					}
				}
				if last, _ := utf8.DecodeLastRuneInString(word); last >= utf8.RuneSelf && term != word {
					t.Fatalf("%q has the stem %q by %q", word, term, stem)
				}
				break // the first word of a form
			}
		}
	}
}

// stemOf returns the stem of the first word of a text.
func stemOf(words *Words, text string) string {
	for w := range words.All([]byte(text)) {
		return string(w)
	}
	return ""
}
