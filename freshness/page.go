package freshness

import (
	"io"

	"github.com/winnow-crawler/winnow/graph"
)

// A page is what is kept of a fetched page, in 20 bytes: five words, so that it lies in a
// graph.Column.
type page [5]uint32

// What the words of a page hold.
const (
	wordVisit  = iota // second of the last visit, plus 1; 0: the page was never fetched
	wordTimes         // codes of Evidence.Unchanged and, above it, of Evidence.Changed; of adaptive, the interval
	wordRate          // code of the rate; above it 8 bits of Evidence.Changes in quarters, and 8 of the digest
	wordWeight        // code of the weight; above it, marks
	wordPlace         // number of its place; above it, 8 bits of the digest
)

// Parts of the words.
const (
	ratePart     = 1<<16 - 1 // the rate
	changesShift = 16        // Evidence.Changes, which is less than forget, in wordRate
	changesPart  = 0xff << changesShift
	placePart    = MaxPlaces - 1
	digestShift  = 24 // the digest, in wordRate and in wordPlace
	digestPart   = 0xff << digestShift
)

// MaxPlaces is the number of places that pages can be in. A page of another place counts as one
// of the place above that.
const MaxPlaces = 1 << 24

// Marks of a page, in the upper half of wordWeight.
const (
	markGone = 0xf << 16 // visits in a row that found no page, 15 at most
	unitGone = 1 << 16
	markWake = 0xff << 24 // the round, modulo 256, at which the page is to be looked at again
	unitWake = 1 << 24
)

// A pageColumn is the column of the pages, which is saved without the rounds at which pages
// are looked at: they are not what the plan has learned.
type pageColumn struct{ *graph.Column[page] }

// Columns calls each for c, and not for the column in it.
func (c pageColumn) Columns(each func(graph.AnyColumn)) { each(c) }

// Save writes the pages.
func (c pageColumn) Save(w io.Writer) error {
	return c.SaveAs(w, func(p page) page {
		p[wordWeight] &^= markWake
		return p
	})
}

// forget is the number of changes from which on the evidence of a page counts half as much
// when one more is found: a page that changes often may change its habits.
const forget = 64

func (p *page) fetched() bool  { return p[wordVisit] != 0 }
func (p *page) visit() float64 { return float64(p[wordVisit]) - 1 }
func (p *page) rate() code     { return code(p[wordRate]) }
func (p *page) weight() code   { return code(p[wordWeight]) }
func (p *page) gone() int      { return int(p[wordWeight] & markGone / unitGone) }
func (p *page) place() int     { return int(p[wordPlace] & placePart) }

// digest returns 16 bits of the digest of the content at the last visit with some, 0 if there was
// none. Of 65,536 changes one is not seen.
func (p *page) digest() uint16 {
	return uint16(p[wordRate]>>digestShift)<<8 | uint16(p[wordPlace]>>digestShift)
}

// short returns the part of a digest that is kept. That of a content is not 0.
func short(digest uint64) uint16 {
	if digest != 0 && uint16(digest) == 0 {
		return 1
	}
	return uint16(digest)
}

func (p *page) setDigest(d uint16) {
	p[wordRate] = p[wordRate]&^digestPart | uint32(d>>8)<<digestShift
	p[wordPlace] = p[wordPlace]&^digestPart | uint32(d&0xff)<<digestShift
}

func (p *page) setRate(r float64)   { p[wordRate] = p[wordRate]&^ratePart | uint32(encode(r)) }
func (p *page) setWeight(w float64) { p[wordWeight] = p[wordWeight]&^0xffff | uint32(encode(w)) }

// evidence returns what visits of the page have shown.
func (d *decoder) evidence(p *page) Evidence {
	return Evidence{
		Changes:   float64(p[wordRate]&changesPart>>changesShift) / 4,
		Changed:   d.of(code(p[wordTimes] >> 16)),
		Unchanged: d.of(code(p[wordTimes])),
	}
}

// setEvidence keeps what visits have shown, if it was another before. A sum grows by less than a
// step of its code when a page was visited often, so it is rounded up or down by chance: up the
// more often the nearer it is. The chance is a function of the page.
func (p *page) setEvidence(e, before Evidence) {
	if e.Changes >= forget {
		e.Changes, e.Changed, e.Unchanged = e.Changes/2, e.Changed/2, e.Unchanged/2
	}
	h := p.chance()
	if e.Unchanged != before.Unchanged {
		p[wordTimes] = p[wordTimes]&^0xffff | uint32(encodeBy(e.Unchanged, float64(h&0xffff)/(1<<16)))
	}
	if e.Changes != before.Changes {
		p[wordRate] = p[wordRate]&^changesPart | uint32(e.Changes*4)<<changesShift
		p[wordTimes] = p[wordTimes]&0xffff | uint32(encodeBy(e.Changed, float64(h>>16)/(1<<16)))<<16
	}
}

// chance returns a number that looks random, and is the same whenever the page is the same.
func (p *page) chance() uint32 {
	h := uint64(p[wordVisit])<<32 | uint64(p[wordTimes])
	h = (h ^ uint64(p.digest())<<16 ^ h>>29) * 0xbf58476d1ce4e5b9
	return uint32((h ^ h>>32) * 0x94d049bb133111eb >> 32)
}

// interval returns the interval of adaptive, in seconds.
func (d *decoder) interval(p *page) float64 { return d.of(code(p[wordTimes])) }

func (p *page) setInterval(s float64) { p[wordTimes] = uint32(encode(s)) }

// changed reports whether a visit found another page than the one before did, and keeps the
// digest of what it found.
func (p *page) changed(v Visit) bool {
	was := p.gone() > 0
	switch {
	case v.Gone || was:
		if !v.Gone && !v.Same {
			p.setDigest(short(v.Digest))
		}
		return v.Gone != was
	case v.Same || short(v.Digest) == p.digest():
		return false
	}
	p.setDigest(short(v.Digest))
	return true
}

// setGone counts the visits in a row that found no page.
func (p *page) setGone(gone bool) {
	n := uint32(0)
	if gone {
		n = min(uint32(p.gone())+1, 15)
	}
	p[wordWeight] = p[wordWeight]&^markGone | n*unitGone
}

// sleep lets the page be looked at again in n rounds, 127 at most.
func (p *page) sleep(round, n int) {
	p[wordWeight] = p[wordWeight]&^markWake | uint32(round+n)*unitWake
}

// sleeps reports whether the page is not to be looked at in a round. The
// round is known modulo 256, so a page that was put to sleep long ago, or never, may be left out
// of 8 rounds of 256.
func (p *page) sleeps(round int) bool {
	n := uint8(p[wordWeight]/unitWake) - uint8(round)
	return n > 0 && n <= longest
}
