package topic

import (
	"bytes"
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/clipperhouse/uax29/v2/words"
)

// Words finds the words of texts. It keeps a buffer and has one user at a time.
type Words struct {
	stem func(*snowballstem.Env) bool
	low  []byte
}

// NewWords returns a finder of words that reduces them to their stems in a language; "" leaves
// them as they are.
func NewWords(stem string) *Words {
	w := &Words{}
	if stem == "english" {
		w.stem = english.Stem
	}
	return w
}

// All returns the words of a text one after the other: what is between two word boundaries of
// UAX 29 and has a letter or a digit, in lower case. A word is valid until the next one.
func (w *Words) All(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for it := words.FromBytes(text); it.Next(); {
			if word := w.fold(it.Value()); word != nil && !yield(word) {
				return
			}
		}
	}
}

// fold returns a token as a word, nil if it is none.
func (w *Words) fold(token []byte) []byte {
	if bytes.IndexFunc(token, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return nil
	}
	w.low = w.low[:0]
	for len(token) > 0 {
		r, n := utf8.DecodeRune(token)
		w.low = utf8.AppendRune(w.low, unicode.ToLower(r))
		token = token[n:]
	}
	if w.stem == nil {
		return w.low
	}
	env := snowballstem.NewEnv(string(w.low))
	w.stem(env)
	w.low = append(w.low[:0], env.Current()...)
	return w.low
}
