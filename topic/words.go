package topic

import (
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math/bits"
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

// Words finds the words of texts. It keeps buffers and has one user at a time.
type Words struct {
	stem  stemmer
	low   []byte
	kinds *table

	text     []byte
	from, to int  // the word is text[from:to]
	seen     kind // of all its characters
	left     int  // text[to:left] is left to the library
}

// NewWords returns a finder of words that reduces them to their stems in a language; "" leaves
// them as they are.
func NewWords(stem string) *Words { return &Words{stem: stemmers()[stem], kinds: newTable()} }

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
func (w *Words) begin(text []byte) { w.text, w.from, w.to, w.left = text, 0, 0, 0 }

// next finds the next word, by the rules WB4 to WB13b of UAX 29. What has characters that other
// rules are about is left to the library. The tests compare the two.
func (w *Words) next() bool {
	for w.to < len(w.text) {
		if w.to < w.left {
			if w.nextLeft() {
				return true
			}
			continue
		}
		if w.scan() {
			return true
		}
	}
	return false
}

// scan looks for the next word from w.to on. Without one, it goes to the end of the text or leaves a
// stretch of it to the library.
func (w *Words) scan() bool {
	const none = -1
	text, token, from := w.text, w.to, none
	var seen, last kind
	after := inWord // what begins a word, or goes on with it
	for i := w.to; i < len(text); {
		k, n := w.kinds.at(text, i)
		if k&after != 0 {
			if from == none {
				from = i
			}
			seen, last, after, i = seen|k, k, follows[k&inWord], i+n
			continue
		}
		want := kind(0)
		if from != none {
			want = w.joins(last, k, i, n)
		}
		switch {
		case k&strange != 0:
			if from == none {
				from = token
			}
			w.to, w.left = from, stretch(text, i)
			return false
		case k&extends != 0:
			i, seen = i+n, seen|k
			continue
		case from == none:
			token, i = i, i+n
			continue
		case want != 0:
			seen, last, after, i = seen|k, 0, want, i+n
			continue
		case seen&word != 0:
			w.from, w.to, w.seen = from, i, seen
			return true
		}
		token, from, seen, after = i, none, 0, inWord
	}
	w.from, w.to, w.seen = max(from, 0), len(text), seen
	return from != none && seen&word != 0
}

// joins returns what the character of n bytes at i, which goes on with no word by itself, joins to
// one whose last character is given (WB6, WB7, WB7a to WB7c, WB11, WB12); 0: it ends the word.
func (w *Words) joins(last, k kind, i, n int) (want kind) {
	switch {
	case last&hebrew != 0 && w.text[i] == '\'':
		return letter
	case last&hebrew != 0 && w.text[i] == '"':
		want = hebrew
	case last&letter != 0 && k&midLetter != 0:
		want = letter
	case last&digit != 0 && k&midNumber != 0:
		want = digit
	default:
		return 0
	}
	for i += n; i < len(w.text); i += n {
		if k, n = w.kinds.at(w.text, i); k&strange != 0 {
			return want // the library decides
		} else if k&extends == 0 {
			return want & k
		}
	}
	return 0
}

// stretch returns where the stretch at i ends that is left to the library: after a space, at
// which every word ends.
func stretch(text []byte, i int) int {
	for ; i < len(text); i++ {
		c := text[i]
		if (c == ' ' || c == '\n' || c == '\t') && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
			return i + 1
		}
	}
	return i
}

// nextLeft finds the next word of a stretch. It reports whether there was one at w.to.
func (w *Words) nextLeft() bool {
	n, token, _ := words.SplitFunc(w.text[w.to:w.left], true)
	if n <= 0 {
		w.to = w.left
		return false
	}
	w.from, w.to, w.seen = w.to, w.to+n, wide|upper
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
		if r < rune(len(w.kinds.kinds)) && w.kinds.kinds[r] != 0 {
			r = rune(w.kinds.lower[r])
		} else {
			r = unicode.ToLower(r)
		}
		w.low = utf8.AppendRune(w.low, r)
		i += n
	}
	return w.low
}

// hash returns the hash of the word in lower case.
func (w *Words) hash() uint64 {
	if w.seen&upper != 0 {
		w.fold()
		return w.hashLow()
	}
	return hashOf(w.text, w.from, w.to)
}

// hashLow returns the hash of the word that was folded or reduced last.
func (w *Words) hashLow() uint64 {
	n := len(w.low)
	w.low = append(w.low, make([]byte, 16)...) // so that all can be read at once
	return hashOf(w.low, 0, n)
}

// hashOf hashes the word text[from:to] by sixteen bytes, with those of ASCII in lower case. In a word
// all of these have bit 5 set, or are letters or an underscore.
func hashOf(text []byte, from, to int) uint64 {
	h := uint64(0)
	for ; to-from > 16; from += 16 {
		p := text[from : from+16]
		h = mixed(h^lowered(binary.LittleEndian.Uint64(p)), lowered(binary.LittleEndian.Uint64(p[8:])))
	}
	n := to - from
	if from+16 > len(text) {
		return mixed(h^eight(text, from, min(n, 8)), eight(text, from+8, max(0, n-8)))
	}
	p, keep := text[from:from+16], &kept[n]
	x, y := lowered(binary.LittleEndian.Uint64(p)), lowered(binary.LittleEndian.Uint64(p[8:]))
	return mixed(h^x&keep[0], y&keep[1])
}

// kept has the bits of the first bytes of sixteen, by their number.
var kept = func() (k [17][2]uint64) {
	for n := range k {
		k[n] = [2]uint64{1<<(8*n) - 1, 1<<(8*max(0, n-8)) - 1}
	}
	return k
}()

// eight returns at most eight bytes of a text as a number.
func eight(text []byte, from, n int) (v uint64) {
	for i := range n {
		v |= uint64(text[from+i]) << (8 * i)
	}
	return lowered(v) & (1<<(8*n) - 1)
}

// lowered sets bit 5 of the bytes below 128.
func lowered(v uint64) uint64 { return v | ^v>>2&(0x20*ones) }

// mixed mixes two numbers as wyhash does.
func mixed(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x^0xa0761d6478bd642f, y^0xe7037ed1a0b428db)
	return hi ^ lo
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
