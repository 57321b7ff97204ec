package page

import (
	"bytes"
	"slices"
)

// metaCharset searches the start of a page for a meta element that declares its
// charset (WHATWG 13.2.3.2, prescan a byte stream): the charset attribute, or the
// content of http-equiv=content-type. It uses the same reading of tags as the
// scanner, on at most 1,024 bytes. A page that declares UTF-16 in ASCII letters is not
// UTF-16: UTF-8 is meant.
func metaCharset(head []byte) string {
	s := Scanner{html: head}
	for {
		if s.pos = s.find(s.pos, '<'); s.pos < 0 {
			return ""
		}
		if name := s.prescanMarkup(); name != "" {
			return name
		}
	}
}

// prescanMarkup moves past the '<' at pos and what begins there; it returns the charset
// if that was a meta element with one.
func (s *Scanner) prescanMarkup() string {
	rest := s.html[s.pos+1:]
	switch {
	case bytes.HasPrefix(rest, []byte("!--")):
		// The prescan knows "-->" only, and its dashes may be those of "<!--".
		n := bytes.Index(rest[1:], []byte("-->"))
		if n < 0 {
			s.pos = len(s.html)
			return ""
		}
		s.pos += 2 + n + len("-->")
	case len(rest) > 0 && class[rest[0]]&letter != 0:
		return s.prescanTag(s.pos+1, true)
	case len(rest) > 1 && rest[0] == '/' && class[rest[1]]&letter != 0:
		return s.prescanTag(s.pos+2, false)
	case len(rest) > 0 && class[rest[0]]&opener != 0:
		s.skipBogus(s.pos + 1)
	default:
		s.pos++
	}
	return ""
}

// prescanTag reads a tag whose name begins at i.
func (s *Scanner) prescanTag(i int, start bool) string {
	e, end := s.readName(i)
	next, _ := s.readAttributes(end, true)
	if next < 0 {
		s.pos = len(s.html)
		return ""
	}
	s.pos = next
	if !start || e.tag != tagMeta {
		return ""
	}
	label := s.written(attrCharset)
	if !s.has(attrCharset) && equalFold(s.written(attrHTTPEquiv), "content-type") {
		label = charsetIn(s.written(attrContent))
	}
	switch name := charsetName(bytes.TrimSpace(label)); name {
	case "utf-16be", "utf-16le":
		return utf8Name
	case "x-user-defined":
		return defaultName
	default:
		return name
	}
}

// written returns the value of an attribute as written.
func (s *Scanner) written(a attr) []byte {
	if !s.has(a) {
		return nil
	}
	return s.html[s.attrs.value[a].Start:s.attrs.value[a].End]
}

// headTags lists the elements of a head. Any other ends it.
var headTags = []string{"html", "head", "meta", "link", "title", "base", "style", "script", "noscript", "template", "object"}

// lateCharset searches the head of a page for a meta element that declares its charset
// and comes too late for the prescan. Browsers then begin with a guess, and begin again
// when they meet it (WHATWG 13.2.3.4, change the encoding). Chrome does that in the head
// alone, and so do we: a declaration in a body is often quoted. Unlike the prescan this
// knows raw text, as a parser does.
func lateCharset(page []byte) string {
	s := Scanner{html: page}
	for s.pos = s.find(0, '<'); s.pos >= 0; s.pos = s.find(s.pos, '<') {
		rest := s.html[s.pos+1:]
		switch {
		case bytes.HasPrefix(rest, []byte("!--")):
			s.skipComment(s.pos + len("<!--"))
		case len(rest) > 0 && class[rest[0]]&letter != 0:
			name, more := s.lateTag()
			if name != "" || !more {
				return name
			}
		case len(rest) > 1 && rest[0] == '/' && class[rest[1]]&letter != 0:
			from := s.pos + len("</")
			_, to := s.readName(from)
			if equalFold(s.html[from:to], "head") {
				return ""
			}
			s.skipBogus(to)
		case len(rest) > 0 && class[rest[0]]&opener != 0:
			s.skipBogus(s.pos + 1)
		default:
			s.pos++
		}
	}
	return ""
}

// lateTag reads the start tag at pos and, of an element of raw text, its content. It
// returns a charset if the tag declares one, and whether the head continues.
func (s *Scanner) lateTag() (charset string, more bool) {
	from := s.pos + len("<")
	e, to := s.readName(from)
	name := s.html[from:to]
	if !slices.ContainsFunc(headTags, func(tag string) bool { return equalFold(name, tag) }) {
		return "", false
	}
	if charset = s.prescanTag(from, true); charset != "" || e.props&raw == 0 {
		return charset, true
	}
	if e.tag == tagScript {
		s.pos = s.scriptEnd(s.pos)
	} else {
		s.pos = s.rawEnd(s.pos, name)
	}
	return "", true
}
