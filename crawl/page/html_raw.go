package page

import "bytes"

// find returns the place of the next c at or after i, or -1.
func (s *Scanner) find(i int, c byte) int {
	n := bytes.IndexByte(s.html[i:], c)
	if n < 0 {
		s.examined += len(s.html) - i
		return -1
	}
	s.examined += n + 1
	return i + n
}

// skipBogus skips a bogus comment or a doctype: everything up to the next '>'.
func (s *Scanner) skipBogus(i int) {
	if s.pos = s.find(i, '>') + 1; s.pos == 0 {
		s.pos = len(s.html)
	}
}

// readDeclaration reads what begins with "<!".
func (s *Scanner) readDeclaration() {
	rest := s.html[s.pos+2:]
	switch {
	case bytes.HasPrefix(rest, []byte("--")):
		s.skipComment(s.pos + len("<!--"))
	case s.foreign > 0 && bytes.HasPrefix(rest, []byte("[CDATA[")):
		s.readCDATA(s.pos + len("<![CDATA["))
	default:
		s.skipBogus(s.pos + 2)
	}
}

// skipComment skips a comment whose contents begin at start. It ends at "-->", at
// "--!>", and at ">" or "->" right at the start (WHATWG 13.2.5.43 to 52).
func (s *Scanner) skipComment(start int) {
	for i := start; ; i++ {
		if i = s.find(i, '>'); i < 0 {
			s.pos = len(s.html)
			return
		}
		in := s.html[start:i]
		if len(in) == 0 || len(in) == 1 && in[0] == '-' ||
			bytes.HasSuffix(in, []byte("--")) || bytes.HasSuffix(in, []byte("--!")) {
			s.pos = i + 1
			return
		}
	}
}

// readCDATA reads the text of a CDATA section that begins at start.
func (s *Scanner) readCDATA(start int) {
	for i := start; ; i++ {
		if i = s.find(i, '>'); i < 0 {
			s.showRaw(start, len(s.html), 0)
			s.pos = len(s.html)
			return
		}
		if in := s.html[start:i]; bytes.HasSuffix(in, []byte("]]")) {
			s.showRaw(start, i-len("]]"), 0)
			s.pos = i + 1
			return
		}
	}
}

// readRaw reads the contents of a raw text element whose start tag ended at pos and
// whose name was html[from:to].
func (s *Scanner) readRaw(e element, from, to int) {
	start := s.pos
	switch e.tag {
	case tagPlaintext:
		s.pos = len(s.html)
	case tagScript:
		s.pos = s.scriptEnd(start)
		s.page.Scripts++
	default:
		s.pos = s.rawEnd(start, s.html[from:to])
	}
	ref := byte(0)
	if e.props&entities != 0 {
		ref = '&'
	}
	switch e.tag {
	case tagTitle:
		s.keepTitle(start, s.pos)
	case tagText, tagPlaintext:
		s.showRaw(start, s.pos, ref)
	case tagHidden:
		if s.needs != nil && equalFold(s.html[from:to], "style") {
			s.needStyles(s.html[start:s.pos])
		}
	}
}

// showRaw writes raw text, with character references if ref is '&'.
func (s *Scanner) showRaw(start, end int, ref byte) {
	for start < end {
		start += s.writeText(s.html[start:end], ref, 0)
	}
}

// rawEnd returns the place of the end tag that closes a raw text element, or the end
// of the page.
func (s *Scanner) rawEnd(i int, name []byte) int {
	for {
		if i = s.find(i, '<'); i < 0 {
			return len(s.html)
		}
		if s.closes(i, name) {
			return i
		}
		i++
	}
}

// closes reports whether the '<' at i begins an end tag of that name. The byte after
// the name must be there: an end tag that the page ends in is text.
func (s *Scanner) closes(i int, name []byte) bool {
	end := i + len("</") + len(name)
	return end < len(s.html) && s.html[i+1] == '/' && class[s.html[end]]&nameEnd != 0 &&
		asciiEqual(s.html[i+2:end], name)
}

// asciiEqual compares two names of equal length without regard to case.
func asciiEqual(a, b []byte) bool {
	for i, c := range a {
		if c != b[i] && (class[c]&letter == 0 || c^0x20 != b[i]) {
			return false
		}
	}
	return true
}

// scriptEnd returns the place of the end tag of a script that begins at i, or the end
// of the page. Inside "<!--" and "-->" a script may name scripts: "<script" there
// begins a stretch in which "</script>" ends only that stretch (WHATWG 13.2.5.4 and
// 15 to 31, escaped and double escaped states).
//
// golang.org/x/net leaves the escaped state at every '<' that begins neither a tag
// nor an end tag; the standard stays in it, and so do we.
func (s *Scanner) scriptEnd(i int) int {
	name := []byte("script")
	for {
		if i = s.find(i, '<'); i < 0 {
			return len(s.html)
		}
		switch {
		case s.closes(i, name):
			return i
		case bytes.HasPrefix(s.html[i:], []byte("<!--")):
			end, closed := s.escapedEnd(i+len("<!--"), name)
			if closed {
				return end
			}
			i = end
		default:
			i++
		}
	}
}

// escapedEnd reads the escaped part of a script from i on: up to an end tag that
// closes the script (closed), or to the place after "-->" or the end of the page.
// The dashes of the opening "<!--" count: "<!-->" is already over.
func (s *Scanner) escapedEnd(i int, name []byte) (end int, closed bool) {
	dashes, double, begin := 2, false, i
	for ; i < len(s.html); i++ {
		switch c := s.html[i]; {
		case c == '-':
			dashes++
			continue
		case c == '>' && dashes >= 2:
			s.examined += i + 1 - begin
			return i + 1, false
		case c == '<' && s.closes(i, name):
			if !double {
				s.examined += i - begin
				return i, true
			}
			double = false
			i += len("</script")
		case c == '<' && !double && s.opens(i, name):
			double = true
			i += len("<script")
		}
		dashes = 0
	}
	s.examined += i - begin
	return i, false
}

// opens reports whether the '<' at i begins a start tag of that name.
func (s *Scanner) opens(i int, name []byte) bool {
	end := i + len("<") + len(name)
	return end < len(s.html) && class[s.html[end]]&nameEnd != 0 && asciiEqual(s.html[i+1:end], name)
}
