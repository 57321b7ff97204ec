package page

import (
	"bytes"
	"encoding/binary"
)

// class holds for each byte what the scanner wants to know about it.
var class = byteClasses()

const (
	space   uint8 = 1 << iota // white space of HTML: tab, line feed, form feed, return, space
	nameEnd                   // ends a tag name: white space, '/', '>'
	keyEnd                    // ends an attribute name: the same and '='
	bareEnd                   // ends an unquoted value: white space, '>'
	letter                    // a-z, A-Z
	digit
	opener // may follow '<', in addition to letters: '/', '!', '?'
)

func byteClasses() (t [256]uint8) {
	for _, c := range "\t\n\f\r " {
		t[c] |= space | nameEnd | keyEnd | bareEnd
	}
	t['>'] |= nameEnd | keyEnd | bareEnd
	t['/'] |= nameEnd | keyEnd | opener
	t['='] |= keyEnd
	t['!'] |= opener
	t['?'] |= opener
	for c := 'a'; c <= 'z'; c++ {
		t[c] |= letter
		t[c-'a'+'A'] |= letter
	}
	for c := '0'; c <= '9'; c++ {
		t[c] |= digit
	}
	return t
}

// tag is an element that the scanner acts on; all others are tagOther.
type tag uint8

const (
	tagOther tag = iota
	tagA
	tagArea
	tagArticle // article, section
	tagBase
	tagBody
	tagFooter
	tagForeignObject
	tagFrame
	tagHead
	tagHeader
	tagIframe
	tagImg
	tagLink
	tagMain
	tagMath
	tagMeta
	tagNav // nav, aside, menu
	tagPlaintext
	tagScript
	tagSource
	tagSVG
	tagText // textarea, xmp: raw text that is shown
	tagTitle
	tagHidden // style, noembed, noframes: raw text that is not shown
)

// Properties of elements.
const (
	block    uint8 = 1 << iota // text before, inside and after are on lines of their own
	mark                       // a structural tag: part of the digest
	wanted                     // its attributes matter
	raw                        // its contents are text up to its end tag
	entities                   // and hold character references (RCDATA)
	breakout                   // its start tag ends svg and math (WHATWG 13.2.6.5)
	parts                      // may begin a region: see section
)

// element is one row of the table of elements. key is the name as pack gives it,
// 0 in an empty row.
type element struct {
	key   uint64
	size  uint8 // bytes of the name: "p" and "p\x00" have one key and are not one element
	tag   tag
	props uint8
}

// elements finds an element by its packed name. Names longer than 8 bytes are
// looked up by longElement.
var elements = elementTable()

// tableBits makes the table four times as large as the list of names, so that a
// probe seldom finds a stranger.
const tableBits = 9

type nameTable [1 << tableBits]element

func slot(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> (64 - tableBits) }

func (t *nameTable) add(names []string, e element) {
	for _, name := range names {
		e.key, e.size = pack([]byte(name)), uint8(len(name))
		i := slot(e.key)
		for t[i].key != 0 {
			i = (i + 1) % (1 << tableBits)
		}
		t[i] = e
	}
}

func (t *nameTable) find(key uint64, size int) element {
	i := slot(key)
	for t[i].key != key && t[i].key != 0 {
		i = (i + 1) % (1 << tableBits)
	}
	if int(t[i].size) != size {
		return element{}
	}
	return t[i]
}

// elementTable lists what the scanner knows. Formatting elements (b, i, font, span,
// tt, big...) are not in it at all or only because they end svg: neither the text
// nor the digest sees them.
func elementTable() *nameTable {
	t := new(nameTable)
	for _, row := range []struct {
		tag   tag
		props uint8
		names []string
	}{
		{tagA, mark | wanted, []string{"a"}},
		{tagArea, wanted, []string{"area"}},
		{tagBase, wanted, []string{"base"}},
		{tagFrame, wanted, []string{"frame"}},
		{tagIframe, wanted | raw, []string{"iframe"}},
		{tagImg, mark | wanted | breakout, []string{"img"}},
		{tagLink, wanted, []string{"link"}},
		{tagMath, 0, []string{"math"}},
		{tagMeta, wanted | breakout, []string{"meta"}},
		{tagScript, raw, []string{"script"}},
		{tagSource, wanted, []string{"source"}},
		{tagSVG, 0, []string{"svg"}},
		{tagText, block | raw | entities, []string{"textarea"}},
		{tagText, block | raw, []string{"xmp"}},
		{tagTitle, raw | entities, []string{"title"}},
		{tagHidden, raw, []string{"style", "noembed", "noframes"}},
		{tagOther, block | mark | breakout, []string{"h1", "h2", "h3", "h4", "h5", "h6", "p", "li", "dt", "dd", "pre", "hr"}},
		{tagOther, block | mark | breakout | parts, []string{"ul", "ol", "dl", "table"}},
		{tagNav, block | mark | breakout | parts, []string{"menu"}},
		{tagOther, block | mark, []string{"tr", "th", "caption", "form", "fieldset"}},
		{tagOther, block | mark | parts, []string{"td"}},
		{tagNav, block | mark | parts, []string{"aside", "nav"}},
		{tagArticle, block | mark | parts, []string{"article", "section"}},
		{tagBody, block | breakout, []string{"body"}},
		{tagHead, block | breakout, []string{"head"}},
		{tagOther, block | breakout, []string{"br", "center", "listing"}},
		{tagOther, block | breakout | parts, []string{"div"}},
		{tagHeader, block | parts, []string{"header"}},
		{tagFooter, block | parts, []string{"footer"}},
		{tagMain, block | parts, []string{"main"}},
		{tagOther, block, []string{
			"address", "details", "dialog", "dir", "figure", "frameset", "hgroup", "legend",
			"option", "optgroup", "search", "select", "summary", "tbody", "tfoot", "thead",
		}},
		{tagOther, breakout, []string{
			"b", "big", "code", "em", "embed", "i", "nobr", "ruby", "s", "small", "span", "strong", "strike",
			"sub", "sup", "tt", "u", "var",
		}},
	} {
		t.add(row.names, element{tag: row.tag, props: row.props})
	}
	return t
}

// longElement returns the element with a name of more than 8 bytes.
func longElement(name []byte) element {
	var low [13]byte
	if len(name) > len(low) {
		return element{}
	}
	for i, c := range name {
		low[i] = c | c&0x40>>1
	}
	switch string(low[:len(name)]) {
	case "blockquote":
		return element{key: pack(low[:8]), props: block | mark | breakout}
	case "figcaption":
		return element{props: block}
	case "foreignobject":
		return element{tag: tagForeignObject}
	case "plaintext":
		return element{tag: tagPlaintext, props: block | raw}
	}
	return element{}
}

// lowered makes the ASCII letters in a word of 8 bytes lower case. Bit 0x20 is set
// only where bit 0x40 is, so that no byte but a letter can become a letter and no
// byte but a digit a digit.
func lowered(x uint64) uint64 { return x | x&0x4040404040404040>>1 }

// pack returns the first 8 bytes of a name as a number, lower case.
func pack(name []byte) uint64 {
	var b [8]byte
	copy(b[:], name)
	return lowered(binary.LittleEndian.Uint64(b[:]))
}

// packAt returns pack(html[start:end]) for names of at most 8 bytes, by one load
// where the input is long enough.
func packAt(html []byte, start, end int) uint64 {
	if start+8 > len(html) {
		return pack(html[start:end])
	}
	x := binary.LittleEndian.Uint64(html[start:])
	return lowered(x & (1<<(8*uint(end-start)) - 1))
}

// readName reads a tag name that begins at start: which element it is and where
// the name ends.
func (s *Scanner) readName(start int) (element, int) {
	html, i := s.html, start
	for i < len(html) && class[html[i]]&nameEnd == 0 {
		i++
	}
	if i-start > 8 {
		return longElement(html[start:i]), i
	}
	return elements.find(packAt(html, start, i), i-start), i
}

// attr is an attribute that the scanner reads.
type attr uint8

const (
	attrAlt attr = iota
	attrCharset
	attrClass
	attrContent
	attrHref
	attrHTTPEquiv
	attrID
	attrName
	attrRel
	attrRole
	attrSrc
	attrSrcset
	attrTitle
	attrType
	attrXlinkHref
	attrOther // and how many there are
)

// attributes holds the values of one start tag, as written. Of equal names the first wins.
type attributes struct {
	value [attrOther]Span
	have  uint16 // bit 1<<attr: it is there
}

// attrOf finds an attribute by its name.
func attrOf(html []byte, start, end int) attr {
	if end-start > 8 {
		switch name := html[start:end]; {
		case equalFold(name, "http-equiv"):
			return attrHTTPEquiv
		case equalFold(name, "xlink:href"):
			return attrXlinkHref
		}
		return attrOther
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], packAt(html, start, end))
	switch string(b[:end-start]) {
	case "alt":
		return attrAlt
	case "charset":
		return attrCharset
	case "class":
		return attrClass
	case "content":
		return attrContent
	case "href":
		return attrHref
	case "id":
		return attrID
	case "name":
		return attrName
	case "rel":
		return attrRel
	case "role":
		return attrRole
	case "src":
		return attrSrc
	case "srcset":
		return attrSrcset
	case "title":
		return attrTitle
	case "type":
		return attrType
	}
	return attrOther
}

// equalFold compares b with a word in lower case, by ASCII letters only.
func equalFold(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i, c := range b {
		if class[c]&letter != 0 {
			c |= 0x20
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// readAttributes reads the rest of a tag from i on (WHATWG 13.2.5.32 to 40), keeps
// values if keep, and returns the place after its '>' and whether it closes itself.
// A tag that the page ends in is no tag: next is then -1.
func (s *Scanner) readAttributes(i int, keep bool) (next int, selfClosing bool) {
	html := s.html
	s.attrs.have = 0
	if s.needs != nil {
		s.needs.have = 0
	}
	for i < len(html) {
		switch c := html[i]; {
		case c == '>':
			return i + 1, selfClosing
		case class[c]&space != 0:
			i++
		case c == '/':
			i++
			selfClosing = i < len(html) && html[i] == '>'
		default:
			i = s.readAttribute(i, keep)
		}
	}
	return -1, false
}

// readAttribute reads one attribute whose name begins at start: a '=' there is part
// of the name. It returns the place after the value.
func (s *Scanner) readAttribute(start int, keep bool) int {
	html, i := s.html, start+1
	for i < len(html) && class[html[i]]&keyEnd == 0 {
		i++
	}
	end := i
	for i < len(html) && class[html[i]]&space != 0 {
		i++
	}
	from, to := end, end
	if i < len(html) && html[i] == '=' {
		i++
		for i < len(html) && class[html[i]]&space != 0 {
			i++
		}
		from, to, i = s.readValue(i)
	}
	if keep {
		s.keepAttribute(start, end, from, to)
	}
	return i
}

// readValue finds the value that begins at i and the place after it.
func (s *Scanner) readValue(i int) (from, to, next int) {
	html := s.html
	if i == len(html) {
		return i, i, i
	}
	if q := html[i]; q == '"' || q == '\'' {
		n := bytes.IndexByte(html[i+1:], q)
		if n < 0 {
			return i + 1, len(html), len(html)
		}
		return i + 1, i + 1 + n, i + 2 + n
	}
	from = i
	for i < len(html) && class[html[i]]&bareEnd == 0 {
		i++
	}
	return from, i, i
}

func (s *Scanner) keepAttribute(start, end, from, to int) {
	a := attrOf(s.html, start, end)
	if a == attrOther || s.attrs.have&(1<<a) != 0 {
		if a == attrOther && s.needs != nil {
			s.needs.keep(s.html[start:end], Span{uint32(from), uint32(to)})
		}
		return
	}
	s.attrs.have |= 1 << a
	s.attrs.value[a] = Span{uint32(from), uint32(to)}
}

// has reports whether the current tag has an attribute.
func (s *Scanner) has(a attr) bool { return s.attrs.have&(1<<a) != 0 }

// value returns the unescaped value of an attribute of the current tag, nil if there
// is none. It is valid until the next value that needs unescaping.
func (s *Scanner) value(a attr) []byte {
	if !s.has(a) {
		return nil
	}
	return s.unescaped(s.attrs.value[a])
}

// unescaped returns the unescaped value of an attribute.
func (s *Scanner) unescaped(at Span) []byte {
	v := s.html[at.Start:at.End]
	s.examined += len(v)
	if plainValue(v) {
		return v
	}
	s.scratch = s.unescapeValue(s.scratch[:0], v)
	s.examined += len(v)
	return s.scratch
}
