package gather

import (
	"bytes"
	"math/bits"
)

// targets hashes where the links of a page lead, in their order, repeats and the page
// itself included: exact as it is, alike with what looks like an id left out.
type targets struct{ exact, alike uint64 }

// The multiplier of splitmix64, and that of FNV-1a.
const (
	spread = 0x9e3779b97f4a7c15
	prime  = 0x100000001b3
)

func step(h, x uint64) uint64 { return (bits.RotateLeft64(h, 27) ^ x) * spread }

// add takes the target of a link: the hash and the bytes of its normal form.
func (t *targets) add(hash uint64, url []byte) {
	t.exact = step(t.exact, hash)
	t.alike = step(t.alike, alikeHash(url))
}

// idLength is the number of letters and digits from which a word with digits counts as
// an id: the name of a session, a hash, an instant.
const idLength = 10

// alikeHash is a hash of a URL without its ids.
func alikeHash(url []byte) uint64 {
	h := uint64(0)
	for i := 0; i < len(url); {
		start, w, digits := i, uint64(0), 0
		for ; i < len(url) && alnum[url[i]] != 0; i++ {
			w = (w ^ uint64(url[i])) * prime
			digits += int(alnum[url[i]] & 1)
		}
		if n := i - start; n >= idLength && digits > 1 {
			w = prime
		}
		if i < len(url) {
			w ^= uint64(url[i])
			i++
		}
		h = step(h, w)
	}
	return h
}

// alnum is 1 for a digit, 2 for a letter.
var alnum = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = 1
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			t[c] = 2
		}
	}
	return t
}()

// pictures adds the pictures of the page to the targets of its links. Where one of them is
// relative to the page, it matters in which directory the page lies.
func (g *Gatherer) pictures(f *Found) {
	p, t := &g.page, g.targets
	if p.Pictures != 0 {
		t.exact, t.alike = step(t.exact, p.Pictures), step(t.alike, p.Pictures)
		shown := p.Pictures
		if p.Beside {
			dir := g.doc.url[:bytes.LastIndexByte(g.doc.url, '/')+1]
			if p.Base != nil {
				dir = p.Base
			}
			t.exact, t.alike = step(t.exact, g.opt.Key.Page(0, dir)), step(t.alike, alikeHash(dir))
			shown = step(shown, alikeHash(dir))
		}
		f.Pictures = uint32(shown>>32) | 1
	}
	f.Targets = t.exact&^(1<<32-1) | t.alike>>32
}
