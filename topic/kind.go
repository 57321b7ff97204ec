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
	classes [1 << 16]class  // the same for blocks
	far     map[rune]kind   // of those of four bytes
}

// A class says as bits what is easy to say about a character of two or three bytes.
type class uint8

const (
	isIn    class = 1 << iota // is in words
	isAlone                   // is a word
	isKana                    // is katakana
	isEasy                    // there is nothing else about it than this
	isUpper                   // has another form in lower case
)

// classOf returns the class of a character whose kind is known.
func classOf(r rune, k kind) class {
	wide3 := utf8.RuneLen(r) == 3
	c := class(0)
	switch k &^ (upper | wide) {
	case letter | word, digit | word:
		c = isEasy | isIn
	case alone | word:
		c = isEasy | isIn | isAlone
	case katakana | word:
		c = isEasy | isIn | isKana
	case 0:
		c = isEasy
	}
	if c&(isAlone|isKana) != 0 && !wide3 {
		return 0
	}
	if k&upper != 0 {
		c |= isUpper
	}
	return c
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
			t.kinds[r], t.lower[r] = kindOf(r), uint16(unicode.ToLower(r))
			t.classes[r] = classOf(r, t.kinds[r])
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
