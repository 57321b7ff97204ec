package page

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// A CharsetSource describes how the charset of a page became known.
type CharsetSource uint8

const (
	CharsetDefault CharsetSource = iota // nothing fitted: windows-1252, as browsers do
	CharsetBOM                          // a byte order mark
	CharsetHTTP                         // the Content-Type header
	CharsetMeta                         // a meta element in the first 1,024 bytes, or later in the head
	CharsetValid                        // the bytes are valid UTF-8
	CharsetGuess                        // the statistics of the bytes
)

// Charset is the encoding of a page: a name of the WHATWG encoding standard
// and the evidence for it.
type Charset struct {
	Name   string
	Source CharsetSource
}

const (
	utf8Name    = "utf-8"
	defaultName = "windows-1252"
	prescanned  = 1024 // bytes searched for a meta element (WHATWG 13.2.3.2)
	guessed     = 4096 // bytes given to the statistics, which need about 0.4 ms per KB
	maxCharset  = 64   // bytes of a charset label; the longest real one has 19
)

// DetectCharset finds the charset of a page by the first evidence there is: byte
// order mark, HTTP header, meta element (within 1,024 bytes, then anywhere in the head),
// validity as UTF-8, statistics. Unknown
// labels are no evidence. contentType is the value of the HTTP header.
func DetectCharset(body []byte, contentType string) Charset {
	if name, _ := bom(body); name != "" {
		return Charset{name, CharsetBOM}
	}
	if name := charsetName(charsetIn([]byte(contentType))); name != "" {
		return Charset{name, CharsetHTTP}
	}
	if name := metaCharset(body[:min(len(body), prescanned)]); name != "" {
		return Charset{name, CharsetMeta}
	}
	if len(body) > prescanned {
		if name := lateCharset(body); name != "" {
			return Charset{name, CharsetMeta}
		}
	}
	if utf8.Valid(wholeRunes(body)) {
		return Charset{utf8Name, CharsetValid}
	}
	return guessCharset(body)
}

// bom recognises a byte order mark and returns its length.
func bom(body []byte) (name string, n int) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return utf8Name, 3
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return "utf-16be", 2
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return "utf-16le", 2
	}
	return "", 0
}

// charsetName returns the standard name for a label, "" if there is none.
func charsetName(label []byte) string {
	if len(label) == 0 || len(label) > maxCharset {
		return ""
	}
	e, err := htmlindex.Get(string(label))
	if err != nil {
		return ""
	}
	name, err := htmlindex.Name(e)
	if err != nil {
		return ""
	}
	return name
}

// charsetIn finds the label in a value such as "text/html; charset=utf-8" (WHATWG
// 2.6.5): after the first "charset" with "=" behind it, in quotes or up to white
// space or a semicolon. Servers send values that a parser of media types refuses.
func charsetIn(v []byte) []byte {
	for {
		n := indexFold(v, "charset")
		if n < 0 {
			return nil
		}
		v = bytes.TrimLeft(v[n+len("charset"):], "\t\n\f\r ")
		if len(v) > 0 && v[0] == '=' {
			return label(bytes.TrimLeft(v[1:], "\t\n\f\r "))
		}
	}
}

// label cuts a charset label out of what follows "charset=".
func label(v []byte) []byte {
	if len(v) > 0 && (v[0] == '"' || v[0] == '\'') {
		n := bytes.IndexByte(v[1:], v[0])
		if n < 0 {
			return nil
		}
		return v[1 : 1+n]
	}
	if n := bytes.IndexAny(v, "\t\n\f\r ;"); n >= 0 {
		v = v[:n]
	}
	return v
}

// indexFold finds a word in lower case inside b, in any case.
func indexFold(b []byte, word string) int {
	for i := 0; i+len(word) <= len(b); i++ {
		if equalFold(b[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

// wholeRunes leaves out an incomplete character at the end, where a body may have
// been cut by a limit.
func wholeRunes(b []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}

// guessCharset guesses by the statistics of bytes, from shortly before the first byte that
// is not ASCII: the bytes before it are the same in all charsets.
func guessCharset(body []byte) Charset {
	first := 0
	for first < len(body) && body[first] < utf8.RuneSelf {
		first++
	}
	start := max(0, first-prescanned)
	best, err := chardet.NewHtmlDetector().DetectBest(body[start:min(len(body), start+guessed)])
	if err != nil {
		return Charset{defaultName, CharsetDefault}
	}
	name := charsetName([]byte(strings.Replace(best.Charset, "GB-18030", "gb18030", 1)))
	if name == "" || name == utf8Name {
		// UTF-32 is no charset of the Web, and UTF-8 has been ruled out.
		return Charset{defaultName, CharsetDefault}
	}
	return Charset{name, CharsetGuess}
}

// Decoder turns pages into UTF-8. It belongs to one goroutine.
type Decoder struct {
	// Max is the maximum number of bytes that Decode returns; 0 means 16 MiB. UTF-8 can be
	// three times as long as what it was made from.
	Max int

	buf []byte
}

// Decode returns a page in UTF-8 and what it was decoded from. Pages that are UTF-8 or
// pure ASCII are not copied: the result is then part of body, without a byte order
// mark, with invalid bytes where body has them. Otherwise it is the decoder's own
// memory, valid until the next call, with U+FFFD for bytes that mean nothing.
func (d *Decoder) Decode(body []byte, contentType string) ([]byte, Charset) {
	c := DetectCharset(body, contentType)
	_, n := bom(body)
	body = body[n:]
	limit := d.Max
	if limit <= 0 {
		limit = 16 << 20
	}
	if c.Name == utf8Name || asciiSuperset(c.Name) && isASCII(body) {
		return body[:cutBefore(body, 0, min(len(body), limit))], c
	}
	e, err := htmlindex.Get(c.Name)
	if err != nil {
		return body[:min(len(body), limit)], c // not reached: names come from htmlindex
	}
	d.decode(e.NewDecoder(), body, limit)
	return d.buf, c
}

// decode fills buf with at most limit bytes.
func (d *Decoder) decode(t *encoding.Decoder, src []byte, limit int) {
	d.buf = d.buf[:0]
	for {
		if free := cap(d.buf) - len(d.buf); free < 64 {
			d.buf = append(d.buf, make([]byte, min(len(src)+len(src)/4, limit)+64)...)[:len(d.buf)]
		}
		out, in, err := t.Transform(d.buf[len(d.buf):cap(d.buf)], src, true)
		d.buf, src = d.buf[:len(d.buf)+out], src[in:]
		if len(d.buf) > limit {
			d.buf = d.buf[:cutBefore(d.buf, 0, limit)]
			return
		}
		if err != transform.ErrShortDst {
			return
		}
	}
}

// asciiSuperset reports whether ASCII bytes mean ASCII in a charset, always.
func asciiSuperset(name string) bool {
	switch name {
	case "utf-16be", "utf-16le", "iso-2022-jp", "replacement":
		return false
	}
	return true
}

func isASCII(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if (uint64(b[0])|uint64(b[1])|uint64(b[2])|uint64(b[3])|uint64(b[4])|uint64(b[5])|uint64(b[6])|uint64(b[7]))&0x80 != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// QueryEncoder returns what Resolver.EncodeQuery wants for the links of a page in a
// charset, by the name that Decode gave it. It is nil, for UTF-8, where the standard has
// queries in UTF-8: in pages of UTF-8 and UTF-16, and where the charset is unknown. The
// function keeps scratch memory and belongs to one goroutine; make one per charset and
// use it again.
func QueryEncoder(charset string) func(dst []byte, char rune) ([]byte, bool) {
	switch charset {
	case utf8Name, "utf-16be", "utf-16le", "replacement":
		return nil
	}
	e, err := htmlindex.Get(charset)
	if err != nil {
		return nil
	}
	q := &queryEncoder{encoder: e.NewEncoder()}
	return q.append
}

// queryEncoder encodes one character at a time.
type queryEncoder struct {
	encoder *encoding.Encoder
	in      [utf8.UTFMax]byte
	out     [32]byte // ISO-2022-JP writes its escapes around each character
}

func (q *queryEncoder) append(dst []byte, char rune) ([]byte, bool) {
	q.encoder.Reset()
	n := utf8.EncodeRune(q.in[:], char)
	out, _, err := q.encoder.Transform(q.out[:], q.in[:n], true)
	if err != nil {
		return dst, false
	}
	return append(dst, q.out[:out]...), true
}

// encodeQuery writes the characters of a link's query that are not ASCII in the
// charset of the document, percent-encoded, into scratch. Characters that the
// charset does not have become character references, "&#1234;" with its signs
// escaped, as browsers send them. Nothing else is touched.
func (r *Resolver) encodeQuery(ref []byte) []byte {
	at := bytes.IndexByte(ref, '?') + 1
	if at == 0 || isASCII(ref[at:]) {
		return ref
	}
	out := append(r.scratch[:0], ref[:at]...)
	var buf [8]byte
	for query := ref[at:]; len(query) > 0; {
		char, n := utf8.DecodeRune(query)
		query = query[n:]
		if char < utf8.RuneSelf {
			out = append(out, byte(char))
			continue
		}
		coded, ok := r.EncodeQuery(buf[:0], char)
		if !ok {
			out = append(out, "%26%23"...)
			out = strconv.AppendInt(out, int64(char), 10)
			out = append(out, "%3B"...)
			continue
		}
		out = appendCoded(out, coded)
	}
	r.scratch = out
	return out
}

// appendCoded appends the bytes of one character. The second byte of a pair may be an
// ASCII letter, for example in Shift_JIS, and is sent as one.
func appendCoded(dst, coded []byte) []byte {
	for _, c := range coded {
		if queryBytes[c] == urlPlain {
			dst = append(dst, c)
		} else {
			dst = appendEncoded(dst, c)
		}
	}
	return dst
}

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
