package topic

import (
	"unicode"
	"unicode/utf8"
)

// A sieve finds the places of a text at which terms may begin: by the first two bytes of words, or
// four if they begin with a letter that is not ASCII: two bytes are a part of such a letter, or one
// letter of a script that all words of a text are in. By place in the topic there is a bit in first
// for the first byte of a term, in second for the next one, and so on, in all cases of letters.
type sieve struct {
	first, second, third, fourth [256]uint64
}

// newSieve returns the sieve of a topic, nil if there is none: in some languages a stem can begin
// otherwise than its words.
func newSieve(t *Topic) *sieve {
	if t.Rule.Stem != "" && t.Rule.Stem != "english" && t.Rule.Stem != "porter" {
		return nil
	}
	s := &sieve{}
	for i, word := range t.words {
		s.add(word, 1<<i)
	}
	return s
}

// add adds a term.
func (s *sieve) add(word string, bit uint64) {
	r, n := utf8.DecodeRuneInString(word)
	for _, v := range cases(r) {
		b := string(v)
		if s.first[b[0]] |= bit; len(b) > 1 {
			s.second[b[1]] |= bit
			s.addWide(b, word[n:], bit)
			continue
		}
		anything(&s.third, bit)
		anything(&s.fourth, bit)
		if len(word) == n {
			anything(&s.second, bit)
			continue
		}
		next, _ := utf8.DecodeRuneInString(word[n:])
		more := cases(next)
		if next == 'i' {
			more = append(more, 'y', 'Y') // dying, lying and tying have the stems die, lie and tie
		}
		for _, v := range more {
			s.second[string(v)[0]] |= bit
		}
	}
}

// addWide adds the third and the fourth byte of a term that begins with b, which is not ASCII. What
// follows counts only if it is not ASCII either: a stem may end otherwise than its words.
func (s *sieve) addWide(b, rest string, bit uint64) {
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case len(b) > 2:
		s.third[b[2]] |= bit
		anything(&s.fourth, bit)
	case next < utf8.RuneSelf || rest == "":
		anything(&s.third, bit)
		anything(&s.fourth, bit)
	default:
		for _, v := range cases(next) {
			c := string(v)
			if s.third[c[0]] |= bit; len(c) > 1 {
				s.fourth[c[1]] |= bit
			} else {
				anything(&s.fourth, bit)
			}
		}
	}
}

// anything lets all bytes pass for a term.
func anything(of *[256]uint64, bit uint64) {
	for c := range of {
		of[c] |= bit
	}
}

// cases returns the characters that may be written in place of one in lower case.
func cases(r rune) []rune {
	list := []rune{r}
	for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
		list = append(list, v)
	}
	if r == 'i' {
		list = append(list, 'İ')
	}
	return list
}

// keeps reports whether the word at a place may be a term.
func (s *sieve) keeps(text []byte, at int) bool {
	terms := s.begin(text, at)
	return terms != 0 && s.keepsMore(terms, text, at)
}

// begin returns the terms that the word at a place may be, by its first two bytes.
func (s *sieve) begin(text []byte, at int) uint64 {
	return s.first[text[at]] & s.second[after(text, at)]
}

// keepsMore reports whether the word may be one of some terms, by its third and fourth byte.
func (s *sieve) keepsMore(terms uint64, text []byte, at int) bool {
	return terms&s.third[after(text, at+1)]&s.fourth[after(text, at+2)] != 0
}

// after returns the byte after a place, a space at the end.
func after(text []byte, at int) byte {
	if at+1 < len(text) {
		return text[at+1]
	}
	return ' '
}
