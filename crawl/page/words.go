package page

import (
	"unicode"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/event"
)

// Place returns where the text of an anchor begins and ends in Text. Other links have none.
func (p *Page) Place(l *Link) (s Span, ok bool) {
	if l.Kind != KindAnchor {
		return Span{}, false
	}
	return l.text, true
}

// Aside returns the text of a link that is not in Text: the title of an anchor without text, or
// the alternative text of an area.
func (p *Page) Aside(l *Link) []byte {
	at := l.title
	if l.Kind != KindAnchor && at.Start == at.End {
		at = l.text
	}
	return p.store[at.Start:at.End]
}

// Words returns the words of a link: of its text, in which images stand with their alternative
// texts, or else of its title.
func (p *Page) Words(l *Link) event.Words {
	from, at := p.store, l.text
	switch {
	case at.Start == at.End:
		at = l.title
	case l.Kind == KindAnchor:
		from = p.Text
	}
	return Words(from[at.Start:at.End])
}

// maxWords is the largest number of bytes of a text that Words reads.
const maxWords = 256

// Words returns the first words of a text: runs of letters, marks and digits of at least two
// characters. The hash of a word is FNV-1a of 32 bits over its UTF-8 in lower case, its
// halves combined by exclusive or, and 1 instead of 0. It has no seed: a word has the same
// hash in all crawls. A word that the limit cuts does not count.
func Words(text []byte) (all event.Words) {
	cut := len(text) > maxWords
	text = text[:cutBefore(text, 0, min(len(text), maxWords))]
	w := emptyWord
	for i, n := 0, 1; i < len(text); i += n {
		var r rune
		if r, n = rune(text[i]), 1; r < utf8.RuneSelf {
			if class[r]&(letter|digit) != 0 {
				w.add(text[i] | text[i]&0x40>>1)
				w.size++
				continue
			}
		} else if r, n = utf8.DecodeRune(text[i:]); w.addRune(r) {
			continue
		}
		if w.size > 0 && !w.end(&all) {
			return all
		}
	}
	if !cut {
		w.end(&all)
	}
	return all
}

// A word is a word that is being read.
type word struct {
	hash uint32
	size int // in characters
}

// emptyWord is the offset of FNV-1a.
var emptyWord = word{hash: 2166136261}

func (w *word) add(c byte) { w.hash = (w.hash ^ uint32(c)) * 16777619 }

// addRune adds a character in lower case, and reports whether it is one of a word.
func (w *word) addRune(r rune) bool {
	if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
		return false
	}
	var b [utf8.UTFMax]byte
	for _, c := range b[:utf8.EncodeRune(b[:], unicode.ToLower(r))] {
		w.add(c)
	}
	w.size++
	return true
}

// end adds the word to others, and begins the next. It reports whether there is room for more.
func (w *word) end(all *event.Words) bool {
	h, size := uint16(w.hash>>16)^uint16(w.hash), w.size
	*w = emptyWord
	return size < 2 || all.Add(max(h, 1))
}
