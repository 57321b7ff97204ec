package topic

import (
	"bytes"
	"math"

	"github.com/winnow-crawler/winnow/event"
)

// A Reader finds the terms of a topic in pages and links. It keeps buffers and has one user at
// a time.
type Reader struct {
	t      *Topic
	words  *Words
	places map[string]uint8
	counts map[string]uint32 // scratch: occurrences of all words, only for the cosine
}

// NewReader returns a reader.
func (t *Topic) NewReader() *Reader {
	r := &Reader{t: t, words: NewWords(t.Rule.Stem), places: map[string]uint8{}}
	for i, word := range t.words {
		r.places[word] = uint8(i)
	}
	return r
}

// Page reads a page into to, apart from its links.
func (r *Reader) Page(title, text []byte, to *event.Reading) {
	to.Reset()
	var found [MaxTerms]event.Match
	clear(r.counts)
	for word := range r.words.All(text) {
		to.Words++
		if i, ok := r.places[string(word)]; ok {
			found[i].Body = more(found[i].Body)
		}
		r.count(word)
	}
	for word := range r.words.All(title) {
		if i, ok := r.places[string(word)]; ok {
			found[i].Title = more(found[i].Title)
		}
	}
	to.Words = max(1, to.Words)
	for i := range r.t.words {
		if m := found[i]; m.Title > 0 || m.Body > 0 {
			m.Term = uint8(i)
			to.Matches = append(to.Matches, m)
		}
	}
	to.Norm = r.norm()
}

// more returns a number plus 1, if there is room for it.
func more(n uint16) uint16 { return max(n, n+1) }

// count counts a word for the norm of the page.
func (r *Reader) count(word []byte) {
	if r.t.Rule.Measure != Cosine {
		return
	}
	if r.counts == nil {
		r.counts = map[string]uint32{}
	}
	r.counts[string(word)]++
}

// norm returns the length of the vector of the words that were counted, 0 if they were not.
func (r *Reader) norm() float32 {
	square := 0.0 // of integers and few others, in no order: see below
	by := map[uint32]uint32{}
	for _, n := range r.counts {
		by[n]++
	}
	for n := uint32(1); len(by) > 0; n++ {
		if k, ok := by[n]; ok {
			w := Tame(float64(n))
			square += float64(k) * float64(w*w)
			delete(by, n)
		}
	}
	return float32(math.Sqrt(square))
}

// Mask returns the terms in a text, as bits.
func (r *Reader) Mask(text []byte) (mask uint64) {
	for word := range r.words.All(text) {
		if i, ok := r.places[string(word)]; ok {
			mask |= 1 << i
		}
	}
	return mask
}

// longTerm is the number of bytes from which on a term counts wherever it is in a URL, as
// "computer" does in "/computerscience".
const longTerm = 4

// URL returns the terms in a URL, as bits: long ones wherever they are, short ones as words.
func (t *Topic) URL(url []byte) (mask uint64) {
	for i, word := range t.words {
		for rest, from := url, 0; ; {
			at := indexFold(rest[from:], word)
			if at < 0 {
				break
			}
			at += from
			if end := at + len(word); len(word) >= longTerm || edge(url, at-1) && edge(url, end) {
				mask |= 1 << i
				break
			}
			from = at + 1
		}
	}
	return mask
}

// indexFold returns where b has a word in lower case, whatever the case of its ASCII letters.
func indexFold(b []byte, word string) int {
	for i := 0; i+len(word) <= len(b); i++ {
		if equalFold(b[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

func equalFold(b []byte, word string) bool {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// edge reports whether a URL has no letter and no digit at a place.
func edge(url []byte, at int) bool {
	return at < 0 || at >= len(url) || !bytes.ContainsAny(url[at:at+1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
}
