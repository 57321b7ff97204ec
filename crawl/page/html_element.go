package page

import "bytes"

// readStartTag reads the start tag at pos and handles its element.
func (s *Scanner) readStartTag() {
	from := s.pos + len("<")
	e, to := s.readName(from)
	keep := e.props&wanted != 0 || s.opt.Anchors && (s.section.reads(e) || s.opt.Main && e.props&parts != 0)
	next, selfClosing := s.readAttributes(to, keep || s.needs != nil)
	if next < 0 {
		s.examined += len(s.html) - s.pos
		s.pos = len(s.html)
		return
	}
	s.examined += next - s.pos
	s.pos = next
	if s.needs != nil {
		s.findNeeds(from, to, keep)
	}
	if e.key == 0 && e.tag == tagOther && e.props == 0 {
		return
	}
	if s.foreign > 0 {
		s.startForeign(e)
	}
	s.startElement(e, selfClosing)
	if e.props&raw != 0 && s.foreign == 0 {
		s.readRaw(e, from, to)
	}
}

// startForeign keeps track of being inside svg or math, as far as a scanner without
// a tree can: HTML inside foreignObject, and elements that never occur in svg and
// so show that its end tag is missing.
func (s *Scanner) startForeign(e element) {
	switch {
	case e.props&breakout != 0:
		s.foreign = 0
	case e.tag == tagForeignObject:
		s.outside, s.foreign = s.foreign, 0
	}
}

// startElement acts on a start tag whose attributes have been read.
func (s *Scanner) startElement(e element, selfClosing bool) {
	if e.props&block != 0 {
		s.breakLine()
	}
	if e.props&parts != 0 && s.opt.Anchors {
		s.startPart(e)
	}
	if e.props&mark != 0 && e.tag != tagA {
		s.struc.mark(e.key)
	}
	switch e.tag {
	case tagA:
		s.startAnchor(e)
	case tagArea:
		s.addLink(KindArea, s.rel(), attrHref, attrAlt)
	case tagBase:
		s.keepBase()
	case tagBody:
		s.endHead()
	case tagFrame, tagIframe:
		s.addSource(KindFrame, s.value(attrSrc))
	case tagImg:
		s.startImage()
	case tagSource:
		s.notePictures()
	case tagLink:
		s.startLink()
	case tagMath, tagSVG:
		if !selfClosing {
			s.foreign++
		}
	case tagMeta:
		s.startMeta()
	}
}

// readEndTag reads the end tag at pos; "</" before anything but a letter begins a
// bogus comment. End tags may have attributes, which mean nothing.
func (s *Scanner) readEndTag() {
	from := s.pos + len("</")
	if class[s.html[from]]&letter == 0 {
		s.skipBogus(from)
		return
	}
	e, to := s.readName(from)
	next := to + 1
	if to == len(s.html) || s.html[to] != '>' {
		next, _ = s.readAttributes(to, false)
	}
	if next < 0 {
		next, e = len(s.html), element{}
	}
	s.examined += next - s.pos
	s.pos = next
	s.endElement(e)
}

func (s *Scanner) endElement(e element) {
	if e.props&block != 0 {
		s.breakLine()
	}
	if e.props&parts != 0 {
		s.section.end(e)
		s.endPart(e)
	}
	switch e.tag {
	case tagA:
		s.closeAnchor()
	case tagHead:
		s.endHead()
	case tagMath, tagSVG:
		s.foreign = max(s.foreign-1, 0)
	case tagForeignObject:
		s.foreign, s.outside = max(s.foreign, s.outside), 0
	}
}

// startAnchor opens an anchor. An a without href is a place and no link.
func (s *Scanner) startAnchor(e element) {
	s.closeAnchor()
	href := attrHref
	if s.foreign > 0 && !s.has(attrHref) {
		href = attrXlinkHref
	}
	if !s.has(href) {
		return
	}
	s.struc.mark(e.key)
	s.linked = true
	if s.addLink(KindAnchor, s.rel(), href, attrOther) {
		s.anchor = len(s.page.Links) - 1
		s.page.Links[s.anchor].text = Span{Start: uint32(len(s.page.Text))}
		s.title = Span{}
		if s.has(attrTitle) {
			s.title = s.attrs.value[attrTitle]
		}
	}
}

func (s *Scanner) closeAnchor() {
	s.linked = false
	if s.anchor < 0 {
		return
	}
	l := &s.page.Links[s.anchor]
	var cut bool
	if l.text, cut = s.spanFrom(l.text.Start, s.opt.Anchor); cut {
		s.page.Cut |= CutAnchor
	}
	if s.opt.Anchors && l.text.Start == l.text.End && s.title.Start < s.title.End {
		title := s.html[s.title.Start:s.title.End]
		s.scratch = s.unescapeValue(s.scratch[:0], title)
		s.examined += len(title)
		l.title = s.keep(s.scratch, s.opt.Anchor)
	}
	s.anchor = -1
}

// addLink adds a link with the target in attribute href and, if it has one, the
// anchor text in attribute text. It reports whether there was room.
func (s *Scanner) addLink(k Kind, rel Rel, href, text attr) bool {
	if !s.has(href) || !s.addTarget(k, rel, s.value(href)) {
		return false
	}
	if text != attrOther {
		s.page.Links[len(s.page.Links)-1].text = s.keep(s.value(text), s.opt.Anchor)
	}
	return true
}

// addTarget adds a link and reports whether there was room.
func (s *Scanner) addTarget(k Kind, rel Rel, href []byte) bool {
	p := s.page
	switch {
	case len(p.Links) >= s.opt.Links:
		p.Cut |= CutLinks
	case len(href) > s.opt.Href:
		p.Cut |= CutHref
	default:
		start := uint32(len(p.store))
		p.store = append(p.store, href...)
		p.Links = append(p.Links, Link{Kind: k, Region: s.region(k), Rel: rel, href: Span{start, uint32(len(p.store))}})
		return true
	}
	p.Dropped++
	return false
}

// addSource adds what a page embeds; an empty source means nothing, other than an
// empty href, which means the page itself.
func (s *Scanner) addSource(k Kind, src []byte) {
	if len(src) > 0 {
		s.addTarget(k, 0, src)
	}
}

// keep stores a value with its white space folded, cut to limit bytes.
func (s *Scanner) keep(v []byte, limit int) Span {
	return s.keepFolded(v, limit, 0)
}

// keepFolded does what keep does, for text with character references if ref is '&'. It
// writes to the end of the store, as a text of its own.
func (s *Scanner) keepFolded(v []byte, limit int, ref byte) Span {
	p := s.page
	start := len(p.store)
	// One byte more than the limit shows whether something must be cut.
	out, n := s.fold(p.store[start:], v, limit+1, ref, 0)
	s.examined += n
	if len(out) > limit {
		out = out[:cutBefore(out, 0, limit)]
	}
	out = bytes.TrimRight(out, " ")
	p.store = append(p.store, out...)
	return Span{uint32(start), uint32(len(p.store))}
}

// keepBase stores the target of the first base element that has one.
func (s *Scanner) keepBase() {
	if s.page.Base != nil || !s.has(attrHref) {
		return
	}
	if v := s.value(attrHref); len(v) <= s.opt.Href {
		s.page.Base = s.copyOf(v)
	}
}

// copyOf stores a value. The result stays valid when the store grows and moves: the
// old bytes remain.
func (s *Scanner) copyOf(v []byte) []byte {
	p := s.page
	start := len(p.store)
	p.store = append(p.store, v...)
	return p.store[start:len(p.store):len(p.store)]
}

// keepTitle stores the title, which is html[start:end]. Titles of drawings are
// not met here: svg has no raw text.
func (s *Scanner) keepTitle(start, end int) {
	if len(s.page.Title) > 0 {
		return
	}
	sp := s.keepFolded(s.html[start:end], s.opt.Title, '&')
	s.page.Title = s.page.store[sp.Start:sp.End:sp.End]
}

// startImage shows the alt text of an image inside an anchor as words of the text:
// it is all the anchor text that such a link has.
func (s *Scanner) startImage() {
	if s.linked {
		if alt := s.value(attrAlt); len(alt) > 0 {
			s.page.Text = appendSpace(s.page.Text)
			for n := 0; n < len(alt); {
				n += s.writeText(alt[n:], 0, 0)
			}
			s.page.Text = appendSpace(s.page.Text)
		}
	}
	s.notePictures()
}

// endHead notes which links are of the head. What people write on a page is not among them.
func (s *Scanner) endHead() {
	if !s.body {
		s.body, s.page.Head = true, len(s.page.Links)
	}
}

// startLink adds the target of a link element. An alternate of another type than HTML
// is a feed, or the data behind the page.
func (s *Scanner) startLink() {
	if len(s.page.Text) > 0 {
		s.endHead()
	}
	rel := s.rel()
	if rel&RelAlternate != 0 {
		rel |= alternate(s.value(attrType))
	}
	if href := s.value(attrHref); len(href) > 0 {
		s.addTarget(KindLink, rel, href)
	}
}

// alternate returns what the type attribute of an alternate promises: nothing more for HTML, or
// without one.
func alternate(media []byte) Rel {
	media, _, _ = bytes.Cut(media, []byte(";"))
	media = bytes.TrimSpace(media)
	switch {
	case len(media) == 0 || equalFold(media, "text/html") || equalFold(media, "application/xhtml+xml"):
		return 0
	case equalFold(media, "application/rss+xml") || equalFold(media, "application/atom+xml") || equalFold(media, "application/rdf+xml"):
		return RelResource | RelFeed
	}
	return RelResource
}
