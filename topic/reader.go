package topic

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/event"
)

// A Reader finds the terms of a topic in pages and links. It keeps buffers and has one user at
// a time.
type Reader struct {
	t      *Topic
	words  *Words
	places map[string]uint8
	sieve  *sieve    // tells most words from terms; nil: all words are looked at
	stems  []stemmed // by hash of the word; nil if words are left as they are
	narrow bool      // stems change only the ends of words that are ASCII
	counts bool      // whether all words count, for the cosine
	all    tally     // their occurrences
	moved  []move    // scratch
	list   [blockSize]counted
	open   uint64 // capitals of the word that goes on in the next block
	found  [MaxTerms]event.Match
	hits   []hit // terms in the text of the page, in their order
}

// A stemmed word is known by hashes: by that of the word, in whose lowest bits is the place of the stem
// in the topic, plus 1, and by that of the stem.
type stemmed struct{ word, hash uint64 }

// placeBits are the bits of the place. Those of the hash say where in the list the word is.
const placeBits = 0x7f

// is reports whether it is the word with a hash.
func (s *stemmed) is(word uint64) bool {
	return s.word&^placeBits == word&^placeBits && s.word&placeBits != 0
}

// place returns the place of the stem in the topic, noPlace if it is no term.
func (s stemmed) place() uint8 { return uint8(s.word&placeBits) - 1 }

// A move is a number of words that count as their stem.
type move struct {
	hash uint64
	n    uint32
}

// A hit is a term in a text.
type hit struct {
	word  uint32 // the number of the word in the text
	place uint8
}

const (
	noPlace = MaxTerms
	// keptStems is the number of words whose stems are kept: most of those of a site.
	keptStems = 1 << 15
	stemWays  = 4 // places in which a word may be
)

// NewReader returns a reader.
func (t *Topic) NewReader() *Reader {
	r := &Reader{t: t, words: NewWords(t.Rule.Stem), places: map[string]uint8{}, sieve: newSieve(t), counts: t.Rule.Measure == Cosine}
	for i, word := range t.words {
		r.places[word] = uint8(i)
	}
	if r.words.stem != nil {
		r.stems, r.narrow = make([]stemmed, keptStems), suffixes(t.Rule.Stem)
	}
	return r
}

// Page reads a page into to, apart from its links.
func (r *Reader) Page(title, text []byte, to *event.Reading) { r.PageWithLinks(title, text, nil, to) }

// PageWithLinks reads a page into to, apart from its hits. edges are the places in the text at
// which links begin and end, two for each, in ascending order; they become the numbers of the
// words there. After it, Link returns the terms at links.
func (r *Reader) PageWithLinks(title, text []byte, edges []uint32, to *event.Reading) {
	to.Reset()
	clear(r.found[:len(r.t.words)])
	r.hits = r.hits[:0]
	if r.counts {
		r.all.reset()
	}
	x := pass{edges: edges}
	r.read(text, &x)
	for ; x.next < len(edges); x.next++ {
		edges[x.next] = x.words
	}
	norm, w := r.norm(text), r.words
	for w.begin(title); w.next(); {
		if place := r.place(); place != noPlace {
			r.found[place].Title = more(r.found[place].Title)
		}
	}
	to.Words, to.Norm = max(1, x.words), norm
	r.matches(to)
	if cap(r.hits) > maxHits {
		r.hits = slices.Clone(r.hits)
	}
}

// maxHits is the largest number of hits whose memory is kept for the next page.
const maxHits = 1 << 13

// matches adds the terms that were found.
func (r *Reader) matches(to *event.Reading) {
	for i := range r.t.words {
		if m := r.found[i]; m.Title > 0 || m.Body > 0 {
			m.Term = uint8(i)
			to.Matches = append(to.Matches, m)
		}
	}
}

// more returns a number plus 1, if there is room for it.
func more(n uint16) uint16 { return max(n, n+1) }

// place returns the place of the term that the present word is, noPlace if it is none.
func (r *Reader) place() uint8 {
	w := r.words
	if w.to-w.from > maxWord || r.sieve != nil && !r.sieve.keeps(w.text, w.from) {
		return noPlace
	}
	if r.stems != nil {
		return r.stem(w.hash()).place()
	}
	return r.placeOf(w.fold())
}

// placeOf returns the place of a term, noPlace if the word is none.
func (r *Reader) placeOf(word []byte) uint8 {
	if i, ok := r.places[string(word)]; ok {
		return i
	}
	return noPlace
}

// count counts the present word in the norm of the page.
func (r *Reader) count() {
	if w := r.words; w.to-w.from <= maxWord {
		r.list[0] = counted{w.hash(), uint32(w.from), uint32(w.to)}
		r.all.add(r.list[:1])
	}
}

// norm returns the norm of the page, 0 if words do not count. Each of its words is reduced to its stem
// only once, and then counts as that.
func (r *Reader) norm(text []byte) float32 {
	if r.stems == nil || !r.counts {
		return r.all.norm()
	}
	w, all := r.words, &r.all
	w.begin(text)
	all.reserve(all.n)
	r.moved = r.moved[:0]
	for _, u := range all.used[:all.n] {
		if r.narrow && text[u.to-1] >= utf8.RuneSelf {
			continue
		}
		s := &all.slots[u.slot]
		w.from, w.to = int(u.from), int(u.to)
		if stem := r.stem(s.hash); stem.hash != s.hash {
			r.moved = append(r.moved, move{stem.hash, s.n})
			s.n = 0
		}
	}
	for _, m := range r.moved {
		all.addMany(m.hash, m.n)
	}
	return all.norm()
}

// stem returns the stem of the present word. hash is that of the word.
func (r *Reader) stem(hash uint64) stemmed {
	i := hash % (keptStems / stemWays)
	set := (*[stemWays]stemmed)(r.stems[stemWays*i:])
	if set[0].is(hash) {
		return set[0]
	}
	at := 1
	for at < stemWays-1 && !set[at].is(hash) {
		at++
	}
	s := set[at]
	if !s.is(hash) {
		w := r.words
		place := r.placeOf(w.reduce(w.fold()))
		s = stemmed{word: hash&^placeBits | uint64(place) + 1, hash: w.hashLow()}
	}
	copy(set[1:], set[:at]) // the one that was used last is the first
	set[0] = s
	return s
}

// around is the number of words before and after a link in which terms count for it.
const around = 10

// Link returns the terms in link i of the edges that PageWithLinks read, and in the words around
// it, as bits.
func (r *Reader) Link(edges []uint32, i int) (anchor, near uint64) {
	from, to := edges[2*i], edges[2*i+1]
	at, _ := slices.BinarySearchFunc(r.hits, max(from, around)-around, func(h hit, word uint32) int { return cmp.Compare(h.word, word) })
	for _, h := range r.hits[at:] {
		switch {
		case h.word < from || h.word >= to && h.word < to+around:
			near |= 1 << h.place
		case h.word < to:
			anchor |= 1 << h.place
		default:
			return anchor, near
		}
	}
	return anchor, near
}

// Mask returns the terms in a text, as bits.
func (r *Reader) Mask(text []byte) (mask uint64) {
	for r.words.begin(text); r.words.next(); {
		if place := r.place(); place != noPlace {
			mask |= 1 << place
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
