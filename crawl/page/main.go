package page

import (
	"bytes"
	"slices"

	"github.com/winnow-crawler/winnow/event"
)

// An aside is a stretch of the text in navigation or footer.
type aside struct {
	Span
	region event.Region
}

// noteMain notes where the text of a region begins or ends, at a start tag.
func (s *Scanner) noteMain(e element) {
	if !s.opt.Main {
		return
	}
	switch x := &s.content; {
	case x.region != 0 && e.key == x.nested:
		x.depth++
	case x.region == 0 && s.page.content == Span{} && s.isMain(e):
		x.begin(e, event.Content)
		at := uint32(len(s.page.Text))
		s.page.content, s.section.region = Span{at, at}, 0
	}
	s.noteAside()
}

// isMain reports whether an element holds the main content of the page.
func (s *Scanner) isMain(e element) bool {
	return e.tag == tagMain || s.attrs.have != 0 && equalFold(s.asWritten(attrRole), "main")
}

// endPart notes where the text of a region ends, at an end tag.
func (s *Scanner) endPart(e element) {
	if !s.opt.Main {
		return
	}
	s.noteAside()
	if s.content.region == 0 {
		return
	}
	if s.content.end(e); s.content.region == 0 {
		s.page.content.End = uint32(len(s.page.Text))
	}
}

// noteAside notes that the text has entered or left navigation and footer.
func (s *Scanner) noteAside() {
	in := s.section.region != 0
	if in == s.aside {
		return
	}
	s.aside = in
	at, p := uint32(len(s.page.Text)), s.page
	if in {
		p.asides = append(p.asides, aside{Span{at, at}, s.section.region})
	} else {
		p.asides[len(p.asides)-1].End = at
	}
}

// endMain ends the regions that are open at the end of the page.
func (s *Scanner) endMain() {
	p, at := s.page, uint32(len(s.page.Text))
	if s.aside {
		p.asides[len(p.asides)-1].End = at
	}
	if s.content.region != 0 {
		p.content.End = at
	}
}

// AppendMain appends the main text of the page: that of its main element or, if it has none with
// words, all of it, in both cases without navigation and footers. If next to nothing is left then,
// the longest of these holds the page: an element that is not closed, or a list of contents. It needs ScanOptions.Main.
func (p *Page) AppendMain(dst []byte) []byte {
	from, asides, all := len(dst), p.realAsides(), Span{0, uint32(len(p.Text))}
	for _, sp := range []Span{p.content, all} {
		if dst = p.appendWithout(dst[:from], sp, asides); len(bytes.Fields(dst[from:])) >= leastMain {
			return dst
		}
	}
	longest := 0
	for i, a := range asides {
		if a.End-a.Start > asides[longest].End-asides[longest].Start {
			longest = i
		}
	}
	if len(asides) == 0 || int(asides[longest].End-asides[longest].Start) < holdsPage*(len(dst)-from) {
		return dst
	}
	return p.appendWithout(dst[:from], all, slices.Delete(asides, longest, longest+1))
}

const (
	// leastMain is the number of words from which on a main element has the main text: some pages
	// fill it by a script, or have only their title in it.
	leastMain = 10
	// holdsPage is how many times the text of an aside is longer than the rest if it holds the page.
	holdsPage = 4
	// A box at the side with more than boxText bytes, less than a boxLinks-th of them in links, is
	// no navigation: books have such boxes, called sidebars, for what leads too far.
	boxText, boxLinks = 150, 3
)

// realAsides returns the asides without those that are boxes with text.
func (p *Page) realAsides() []aside {
	kept, next := p.asides[:0:0], 0
	for _, a := range p.asides {
		linked := 0
		for ; next < len(p.Links) && (p.Links[next].Kind != KindAnchor || p.Links[next].text.Start < a.End); next++ {
			if l := &p.Links[next]; l.Kind == KindAnchor && l.text.Start >= a.Start {
				linked += int(l.text.End - l.text.Start)
			}
		}
		if size := int(a.End - a.Start); a.region == event.Footer || size < boxText || linked*boxLinks > size {
			kept = append(kept, a)
		}
	}
	return kept
}

// appendWithout appends a stretch of the text without some asides.
func (p *Page) appendWithout(dst []byte, sp Span, asides []aside) []byte {
	n := uint32(len(p.Text))
	at, end := min(sp.Start, n), min(sp.End, n)
	for _, a := range asides {
		if a.End <= at || a.Start >= end {
			continue
		}
		if a.Start > at {
			dst = append(dst, p.Text[at:a.Start]...)
		}
		at = max(at, a.End)
	}
	if at < end {
		dst = append(dst, p.Text[at:end]...)
	}
	return dst
}
