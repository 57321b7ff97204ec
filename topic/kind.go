package topic

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// A kind says what a character means at the boundaries of words, as bits.
type kind uint16

const (
	letter   kind = 1 << iota // ALetter and Hebrew_Letter
	digit                     // Numeric
	line                      // ExtendNumLet, as an underscore
	katakana                  // Katakana
	alone                     // a letter that is a word of its own, as in Chinese and Thai

	extends   // belongs to the character before it
	midLetter // joins two letters
	midNumber // joins two digits
	hebrew    // is joined to quotation marks
	word      // makes a word of what it is in: a letter, a digit or an underscore
	upper     // has another form in lower case; only of what is not ASCII
	wide      // not ASCII
	strange   // left to the library

	inWord = letter | digit | line | katakana | alone
)

// follows says by kind what goes on with a word after such a character (WB5, WB8 to WB10, WB13
// to WB13b).
var follows = [inWord + 1]kind{
	letter: letter | digit | line, digit: letter | digit | line,
	line: letter | digit | line | katakana, katakana: line | katakana,
}

// narrow has the kinds of ASCII.
var narrow = func() (t [utf8.RuneSelf]kind) {
	for c := range t {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			t[c] = letter | word
		case c >= '0' && c <= '9':
			t[c] = digit | word
		}
	}
	t['_'] = line | word
	t['.'], t['\''] = midLetter|midNumber, midLetter|midNumber
	t[':'] = midLetter
	t[','], t[';'] = midNumber, midNumber
	return t
}()

// A table has what is known of characters that are not ASCII. The library does not tell their kinds,
// so these are found by trying when they are first used: a text has few of them.
type table struct {
	kinds   [1 << 16]kind   // of those of two and three bytes; 0: not known yet
	lower   [1 << 16]uint16 // where the kind is known
	classes [1 << 16]class  // the same of those of three bytes, for blocks
	pairs   [1 << 16]class  // of those of two bytes, by these; isLong for the beginning of three
	far     map[rune]kind   // of those of four bytes
}

// A class says all about a character that is easy to read.
type class uint8

const (
	notEasy class = 0 // or not known yet
	isIn    class = 1 // is in words
	isOther class = 2 // is in none
	isUpper class = 3 // is in words, of two bytes, and has another form in lower case
	isAlone class = 3 // is a word, of three bytes
	isKana  class = 5 // is katakana, of three bytes
	isLong  class = 0xff
)

// newTable returns a table that knows nothing.
func newTable() *table {
	t := &table{}
	for lead := 0xe0; lead < 0xf0; lead++ {
		for c := 0x80; c < 0xc0; c++ {
			if r := lead&0xf<<12 | c&0x3f<<6; r >= 0x800 {
				t.pairs[c<<8|lead] = isLong
			}
		}
	}
	return t
}

// long returns the class of the character that begins with the lowest byte of v, if the first two are
// those of one of three bytes.
func (t *table) long(v uint32) class {
	if v&0xc00000 != 0x800000 {
		return notEasy
	}
	return t.classes[v&0xf<<12|v>>8&0x3f<<6|v>>16&0x3f]
}

// learn notes the kind of a character of two or three bytes.
func (t *table) learn(r rune) {
	k, c, long := kindOf(r), notEasy, r >= 0x800
	t.kinds[r], t.lower[r] = k, uint16(unicode.ToLower(r))
	switch k &^ wide {
	case letter | word, digit | word:
		c = isIn
	case alone | word:
		c = isAlone
	case katakana | word:
		c = isKana
	case 0:
		c = isOther
	}
	switch {
	case long:
		t.classes[r] = c
		return
	case k&^wide == letter|word|upper:
		c = isUpper
	case c != isIn && c != isOther:
		return
	}
	t.pairs[r&0x3f<<8|0x8000|r>>6|0xc0] = c
}

// at returns the kind and the length of the character at a place of a text.
func (t *table) at(text []byte, i int) (kind, int) {
	c := text[i]
	if c < utf8.RuneSelf {
		return narrow[c], 1
	}
	if i+2 < len(text) {
		a, b := text[i+1]^0x80, text[i+2]^0x80 // below 64 in UTF-8
		if r := uint(c&0x1f)<<6 | uint(a); c >= 0xc2 && c < 0xe0 && a < 64 && t.kinds[r] != 0 {
			return t.kinds[r], 2
		}
		if r := uint(c&0xf)<<12 | uint(a&63)<<6 | uint(b&63); c >= 0xe0 && c < 0xf0 && a|b < 64 && r >= 0x800 && t.kinds[r] != 0 {
			return t.kinds[r], 3
		}
	}
	return t.find(text[i:])
}

// find returns the kind and the length of the character that a text begins with, which is not ASCII.
// A byte that is not UTF-8 is between words.
func (t *table) find(text []byte) (kind, int) {
	r, n := utf8.DecodeRune(text)
	if n == 1 {
		return wide, 1
	}
	if n < utf8.UTFMax {
		if t.kinds[r] == 0 {
			t.learn(r)
		}
		return t.kinds[r], n
	}
	k, ok := t.far[r]
	if !ok {
		if len(t.far) >= maxFar || t.far == nil {
			t.far = map[rune]kind{}
		}
		k = kindOf(r)
		t.far[r] = k
	}
	return k, n
}

// maxFar is the largest number of characters of four bytes whose kinds are kept.
const maxFar = 1 << 12

// kindOf finds the kind of a character that is not ASCII by what the library does with it.
func kindOf(r rune) (k kind) {
	s := string(r)
	if k = wide; unicode.IsLetter(r) || unicode.IsDigit(r) {
		k |= word
	}
	if unicode.ToLower(r) != r {
		k |= upper
	}
	switch {
	case r == '\u200d' || together("-"+s) && k&word != 0:
		k |= strange // joins emoji; is a letter and yet belongs to what is before it
	case together("-" + s):
		k |= extends
	case together("a"+s) && together("ア"+s):
		k |= line
	case together("ア" + s):
		k |= katakana
	case together("1," + s):
		k |= digit
	case together("a" + s):
		k |= letter
		if together(s + `"` + s) {
			k |= hebrew
		}
	case k&word != 0:
		k |= alone
	default:
		if together("a" + s + "a") {
			k |= midLetter
		}
		if together("1" + s + "1") {
			k |= midNumber
		}
	}
	return k
}

// together reports whether no boundary of words is in a text.
func together(text string) bool {
	n, _, _ := words.SplitFunc([]byte(text), true)
	return n == len(text)
}
