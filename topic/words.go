package topic

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/porter"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
	"github.com/clipperhouse/uax29/v2/words"
)

// A stemmer reduces the word in its environment to its stem.
type stemmer func(*snowballstem.Env) bool

// stemmers returns the stemmers by language.
func stemmers() map[string]stemmer {
	return map[string]stemmer{
		"arabic": arabic.Stem, "danish": danish.Stem, "dutch": dutch.Stem, "english": english.Stem,
		"finnish": finnish.Stem, "french": french.Stem, "german": german.Stem, "hungarian": hungarian.Stem,
		"irish": irish.Stem, "italian": italian.Stem, "norwegian": norwegian.Stem, "porter": porter.Stem,
		"portuguese": portuguese.Stem, "romanian": romanian.Stem, "russian": russian.Stem, "spanish": spanish.Stem,
		"swedish": swedish.Stem, "tamil": tamil.Stem, "turkish": turkish.Stem,
	}
}

// Languages returns the languages whose words can be reduced to their stems, in their order.
func Languages() []string { return slices.Sorted(maps.Keys(stemmers())) }

// CheckLanguage returns an error if words of a language cannot be reduced to their stems.
func CheckLanguage(language string) error {
	if language != "" && stemmers()[language] == nil {
		return fmt.Errorf("no stems of the language %q: there are %v", language, Languages())
	}
	return nil
}

// Words finds the words of texts. It keeps a buffer and has one user at a time.
type Words struct {
	stem stemmer
	low  []byte

	text     []byte
	from, to int // the word is text[from:to]
	wide     int // text[to:wide] has characters that are not ASCII, and is left to the library
}

// NewWords returns a finder of words that reduces them to their stems in a language; "" leaves
// them as they are.
func NewWords(stem string) *Words { return &Words{stem: stemmers()[stem]} }

// maxWord is the largest number of bytes of a word. What is longer was not written to be read.
const maxWord = 128

// All returns the words of a text one after the other: what is between two word boundaries of
// UAX 29 and has a letter, a digit or an underscore, in lower case. Very long ones are left out. A
// word is valid until the next one.
func (w *Words) All(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		w.begin(text)
		for w.next() {
			if w.to-w.from <= maxWord && !yield(w.reduce(w.fold())) {
				return
			}
		}
	}
}

// begin begins a text.
func (w *Words) begin(text []byte) { w.text, w.from, w.to, w.wide = text, 0, 0, 0 }

// What a byte means at the boundaries of words.
const (
	letter    uint8 = 1 << iota // ALetter
	digit                       // Numeric
	line                        // ExtendNumLet: an underscore
	midLetter                   // joins two letters
	midNumber                   // joins two digits
	wide                        // not ASCII
	blank                       // ends what is left to the library

	inWord = letter | digit | line
)

var kinds = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = wide
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			t[c] = letter
		case c >= '0' && c <= '9':
			t[c] = digit
		}
	}
	t['_'] = line
	t['.'], t['\''] = midLetter|midNumber, midLetter|midNumber
	t[':'] = midLetter
	t[','], t[';'] = midNumber, midNumber
	t[' '], t['\n'], t['\t'] = blank, blank, blank
	return t
}()

// next finds the next word. ASCII, which most text is, is split here by the rules WB5 to WB13b
// of UAX 29; a stretch with other characters by the library. The tests compare the two.
func (w *Words) next() bool {
	text := w.text
	for {
		if w.to < w.wide {
			if w.nextWide() {
				return true
			}
			continue
		}
		i := w.to
		for i < len(text) && kinds[text[i]]&(inWord|wide) == 0 {
			i++
		}
		if i == len(text) {
			w.to = i
			return false
		}
		end, all := run(text, i)
		if all&wide != 0 {
			w.to, w.wide = i, stretch(text, end)
			continue
		}
		w.from, w.to = i, end
		return true
	}
}

// run returns where the word ends that begins at i, and what it has. If it may go on with
// characters that are not ASCII, it has them.
func run(text []byte, i int) (end int, all uint8) {
	last := uint8(0)
	for ; i < len(text); i++ {
		k := kinds[text[i]]
		if k&inWord != 0 {
			all, last = all|k, k
			continue
		}
		if k&wide != 0 {
			if !isLetter(text[i:]) {
				return i, all | wide
			}
			all, last = all|letter, letter
			i++
			continue
		}
		if k&(midLetter|midNumber) == 0 || i+1 == len(text) {
			break
		}
		after := kinds[text[i+1]]
		if after&wide != 0 && isLetter(text[i+1:]) {
			after = letter
		}
		if after&wide != 0 {
			return i + 1, all | wide
		}
		if !(k&midLetter != 0 && last&after&letter != 0) && !(k&midNumber != 0 && last&after&digit != 0) {
			break
		}
	}
	return i, all
}

// isLetter reports whether a text begins with a letter of two bytes of the Latin, Greek or Cyrillic
// alphabet (ALetter). There are others.
func isLetter(text []byte) bool {
	if len(text) < 2 || text[1]&0xc0 != 0x80 {
		return false
	}
	switch a, b := text[0], text[1]; a {
	case 0xc3:
		return b != 0x97 && b != 0xb7 // times, divided by
	case 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xcf, 0xd0, 0xd1, 0xd3:
		return a != 0xcf || b < 0xb6
	case 0xce:
		return b >= 0xa3 || b >= 0x91 && b <= 0xa1
	}
	return false
}

// stretch returns where the stretch at i ends that is left to the library: after a space, at
// which every word ends.
func stretch(text []byte, i int) int {
	for i < len(text) && kinds[text[i]]&blank == 0 {
		i++
	}
	return min(i+1, len(text))
}

// nextWide finds the next word of a stretch. It reports whether there was one at w.to.
func (w *Words) nextWide() bool {
	n, token, _ := words.SplitFunc(w.text[w.to:w.wide], true)
	if n <= 0 {
		w.to = w.wide
		return false
	}
	w.from, w.to = w.to, w.to+n
	return hasLetter(token)
}

// hasLetter reports whether a token has a letter, a digit or an underscore.
func hasLetter(token []byte) bool {
	for len(token) > 0 {
		r, n := utf8.DecodeRune(token)
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return true
		}
		token = token[n:]
	}
	return false
}

// fold returns the word in lower case.
func (w *Words) fold() []byte {
	w.low = w.low[:0]
	for i := w.from; i < w.to; {
		c := w.text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			w.low = append(w.low, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(w.text[i:w.to])
		w.low = utf8.AppendRune(w.low, unicode.ToLower(r))
		i += n
	}
	return w.low
}

// reduce returns the stem of a word.
func (w *Words) reduce(word []byte) []byte {
	if w.stem == nil {
		return word
	}
	env := snowballstem.NewEnv(string(word))
	w.stem(env)
	w.low = append(w.low[:0], env.Current()...)
	return w.low
}
