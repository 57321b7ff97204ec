package topic

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
)

// sieveSize is the number of bytes of a word that the sieve looks at.
const sieveSize = 8

// A sieve finds the places of a text at which terms may begin, by the first bytes of words: for each
// of them and each of its values it has the terms that words with it may be, a bit for each place in
// the topic, in all cases of letters.
type sieve [sieveSize][256]uint64

// newSieve returns the sieve of a topic, nil if there is none: in some languages a stem can begin
// otherwise than its words.
func newSieve(t *Topic) *sieve {
	if t.Rule.Stem != "" && !suffixes(t.Rule.Stem) {
		return nil
	}
	s := &sieve{}
	for i, word := range t.words {
		s.add([]rune(word), t.Rule.Stem != "", 1<<i)
	}
	return s
}

// suffixes reports whether the stems of a language are made of words by changes of their ends in
// ASCII: these reach the third last letter of the stem at most, as in dying, whose stem is die, and
// others are left as they are.
func suffixes(language string) bool { return language == "english" || language == "porter" }

// add adds a term, which may be a stem.
func (s *sieve) add(word []rune, stem bool, bit uint64) {
	sure := len(word)
	for stem && sure > 0 && word[sure-1] < utf8.RuneSelf && len(word)-sure < 2 {
		sure--
	}
	sure = max(sure, min(2, len(word)))
	ends := []int{0} // where the letters before may end: cases of one letter can have different lengths
	for i, r := range word[:sure] {
		list := cases(r)
		if stem && i == 1 && r == 'i' {
			list = append(list, 'y', 'Y') // dying, lying and tying have the stems die, lie and tie
		}
		ends = s.addLetter(list, ends, bit)
	}
	for i := ends[0]; i < sieveSize; i++ {
		for c := range s[i] {
			s[i][c] |= bit
		}
	}
}

// addLetter adds a letter of a term in its cases, at some places. It returns where they end, in
// ascending order.
func (s *sieve) addLetter(list []rune, places []int, bit uint64) (ends []int) {
	var reached [sieveSize + utf8.UTFMax + 1]bool
	for _, from := range places {
		for _, r := range list {
			b := string(r)
			for i := 0; i < len(b) && from+i < sieveSize; i++ {
				s[from+i][b[i]] |= bit
			}
			reached[min(from, sieveSize)+len(b)] = true
		}
	}
	for i, ok := range reached {
		if ok {
			ends = append(ends, i)
		}
	}
	return ends
}

// cases returns the characters whose lower case is that of r, which is in lower case.
func cases(r rune) []rune {
	list := []rune{r}
	for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
		if unicode.ToLower(v) == r {
			list = append(list, v)
		}
	}
	if r == 'i' {
		list = append(list, 'İ')
	}
	return list
}

// keeps reports whether the word at a place may be a term.
func (s *sieve) keeps(text []byte, at int) bool {
	terms := s.begin(text, at)
	return terms != 0 && s.keepsMore(terms, eightAt(text, at))
}

// begin returns the terms that the word at a place may be, by its first two bytes.
func (s *sieve) begin(text []byte, at int) uint64 {
	if at+1 < len(text) {
		return s[0][text[at]] & s[1][text[at+1]]
	}
	return s[0][text[at]] & s[1][' ']
}

// keepsMore reports whether a word may be one of some terms, by the bytes after these.
func (s *sieve) keepsMore(terms, v uint64) bool {
	terms &= s[2][byte(v>>16)] & s[3][byte(v>>24)] & s[4][byte(v>>32)]
	return terms&s[5][byte(v>>40)]&s[6][byte(v>>48)]&s[7][byte(v>>56)] != 0
}

// eightAt returns the eight bytes at a place of a text as a number. Spaces follow its end.
func eightAt(text []byte, at int) uint64 {
	if at+8 <= len(text) {
		return binary.LittleEndian.Uint64(text[at:])
	}
	var p [8]byte
	for i := copy(p[:], text[at:]); i < len(p); i++ {
		p[i] = ' '
	}
	return binary.LittleEndian.Uint64(p[:])
}
