package topic

import (
	"unicode"
	"unicode/utf8"
)

// A sieve finds the places of a text at which terms may begin: by the first two bytes of words. By
// place in the topic there is a bit in first for the first byte of a term and in second for the
// next one, in all cases of letters.
type sieve struct {
	first, second [256]uint64
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
			continue
		}
		if len(word) == n {
			for c := range s.second {
				s.second[c] |= bit
			}
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
	return s.first[text[at]]&s.second[after(text, at)] != 0
}

// after returns the byte after a place, a space at the end.
func after(text []byte, at int) byte {
	if at+1 < len(text) {
		return text[at+1]
	}
	return ' '
}
