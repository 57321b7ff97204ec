package page

import "bytes"

// With ScanOptions.Needs the scanner also finds what a page needs to be shown: pictures, styles,
// scripts, fonts, sounds, films and frames. It finds what browsers request by themselves when they
// show the page, on any screen. It does not run scripts, so what these request is not found, nor
// what modules import.

// needs finds the requisites of a page.
type needs struct {
	value [needOther]Span
	have  uint8 // bit 1<<needAttr: it is there
}

// needAttr is an attribute that only requisites have.
type needAttr uint8

const (
	needBackground needAttr = iota
	needData
	needImageSrcset
	needPoster
	needStyle
	needOther // and how many there are
)

var needAttrs = [needOther]string{"background", "data", "imagesrcset", "poster", "style"}

// keep keeps an attribute whose name is name. Of equal names the first wins.
func (n *needs) keep(name []byte, value Span) {
	for a, word := range needAttrs {
		if len(name) == len(word) && n.have&(1<<a) == 0 && equalFold(name, word) {
			n.have |= 1 << a
			n.value[a] = value
			return
		}
	}
}

// needValue returns the unescaped value of an attribute of the current tag, nil if there is none.
func (s *Scanner) needValue(a needAttr) []byte {
	if s.needs.have&(1<<a) == 0 {
		return nil
	}
	return s.unescaped(s.needs.value[a])
}

// EachNeed calls each with what the page needs to be shown, as it is written, unescaped but neither
// trimmed nor resolved, in the order of the page.
func (p *Page) EachNeed(each func(href []byte)) {
	for _, n := range p.needs {
		each(p.store[n.Start:n.End])
	}
}

// need adds a requisite, if there is room.
func (s *Scanner) need(href []byte) {
	p := s.page
	href = bytes.TrimFunc(href, func(r rune) bool { return r < 0x80 && class[r]&space != 0 })
	switch {
	case len(href) == 0 || href[0] == '#' || len(href) > s.opt.Href:
	case len(p.needs) >= s.opt.Needs:
		p.NeedsDropped++
	default:
		start := uint32(len(p.store))
		p.store = append(p.store, href...)
		p.needs = append(p.needs, Span{start, uint32(len(p.store))})
	}
}

// needSet adds all pictures of a srcset (WHATWG 4.8.4.3.10): which one is shown depends on the
// screen.
func (s *Scanner) needSet(set []byte) {
	for len(set) > 0 {
		n := 0
		for n < len(set) && (class[set[n]]&space != 0 || set[n] == ',') {
			n++
		}
		set = set[n:]
		for n = 0; n < len(set) && class[set[n]]&space == 0; {
			n++
		}
		url := bytes.TrimRight(set[:n], ",")
		s.need(url)
		if set = set[n:]; len(url) < n { // it has no descriptors
			continue
		}
		depth := 0
		for n = 0; n < len(set) && (depth > 0 || set[n] != ','); n++ {
			switch set[n] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		set = set[n:]
	}
}

// needStyles adds what a style names.
func (s *Scanner) needStyles(css []byte) {
	s.examined += len(css)
	EachCSSURL(css, s.need)
}

// findNeeds adds what the tag whose name is html[from:to] needs. Attributes that are kept for
// nothing else are forgotten.
func (s *Scanner) findNeeds(from, to int, keep bool) {
	if s.attrs.have != 0 {
		s.needsOf(from, to)
	}
	if s.needs.have != 0 {
		s.moreNeedsOf(from, to)
	}
	if !keep {
		s.attrs.have = 0
	}
	if s.foreign > 0 && equalFold(s.html[from:to], "style") { // it is text there
		end := len(s.html)
		if n := bytes.IndexByte(s.html[s.pos:], '<'); n >= 0 {
			end = s.pos + n
		}
		s.needStyles(s.html[s.pos:end])
	}
}

// needsOf adds what the usual attributes of a tag name.
func (s *Scanner) needsOf(from, to int) {
	if to-from > 8 {
		return
	}
	var name [8]byte
	for i, c := range s.html[from:to] {
		name[i] = c | c&0x40>>1
	}
	switch string(name[:to-from]) {
	case "img", "source":
		s.need(s.value(attrSrc))
		s.needSet(s.value(attrSrcset))
	case "video", "audio", "track", "script", "embed", "iframe", "frame":
		s.need(s.value(attrSrc))
	case "input":
		if equalFold(s.value(attrType), "image") {
			s.need(s.value(attrSrc))
		}
	case "use", "image", "feimage":
		if href := attrHref; s.foreign > 0 {
			if !s.has(href) {
				href = attrXlinkHref
			}
			s.need(s.value(href))
		}
	case "link":
		if needsRel(s.value(attrRel)) {
			s.need(s.value(attrHref))
		}
	}
}

// moreNeedsOf adds what attributes name that only requisites have.
func (s *Scanner) moreNeedsOf(from, to int) {
	s.needStyles(s.needValue(needStyle))
	switch name := s.html[from:to]; {
	case equalFold(name, "video"):
		s.need(s.needValue(needPoster))
	case equalFold(name, "object"):
		s.need(s.needValue(needData))
	case equalFold(name, "link"):
		s.needSet(s.needValue(needImageSrcset))
	case equalFold(name, "body") || equalFold(name, "table") || equalFold(name, "td") || equalFold(name, "th"):
		s.need(s.needValue(needBackground))
	}
}

// needWords are the words of rel of which the target is requested with the page.
var needWords = [...]string{"stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "preload", "modulepreload", "manifest"}

// needsRel reports whether the target of a link element is requested with the page.
func needsRel(rel []byte) (yes bool) {
	eachWord(rel, func(word []byte) {
		for _, w := range needWords {
			yes = yes || equalFold(word, w)
		}
	})
	return yes
}
