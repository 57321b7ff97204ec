package archive

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http/httputil"
	"strconv"
	"strings"
)

// Head is the status line and header of an archived response.
type Head struct {
	Status int    // 0 where the line could not be read
	Reason string // what follows it
	Fields []Field
}

// Get returns the value of the first field of that name, in any case.
func (h *Head) Get(name string) string { return find(h.Fields, name) }

// Media returns the type and subtype of the body in lower case, or empty.
func (h *Head) Media() string {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// Response parses the head of an HTTP response at the beginning of the block and returns
// the payload that follows, with its content coding and without transfer coding. It is
// lenient, because errors of servers are no errors of the file. A head longer than 256 KiB
// is still an error of the file.
func (r *Record) Response() (Head, io.Reader, error) {
	h, in, err := readHead(r, r)
	if err != nil {
		return h, nil, err
	}
	return h, unchunk(&h, in), nil
}

// readHead reads the head from the block of r, or from a copy of it on its way.
func readHead(r *Record, from io.Reader) (Head, *bufio.Reader, error) {
	in := r.from.head
	if in == nil {
		in = bufio.NewReader(from)
		r.from.head = in
	}
	in.Reset(from)
	var h Head
	left := maxHead
	for first := true; ; first = false {
		line, err := r.from.lenientLine(in, &left)
		if left < 0 {
			return h, nil, r.from.fail(formatf("HTTP head of more than %d bytes", maxHead))
		}
		if err != nil && err != io.EOF {
			return h, nil, err
		}
		if first {
			h.Status, h.Reason = status(line)
		} else if name, value, ok := strings.Cut(string(line), ":"); ok && len(name) > 0 {
			h.Fields = append(h.Fields, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
		if err == io.EOF || len(line) == 0 {
			return h, in, nil
		}
	}
}

// lenientLine ends at LF, with or without CR.
func (r *Reader) lenientLine(in *bufio.Reader, left *int) ([]byte, error) {
	r.line = r.line[:0]
	for {
		part, err := in.ReadSlice('\n')
		*left -= len(part)
		r.line = append(r.line, part...)
		if err != bufio.ErrBufferFull || *left < 0 {
			return bytes.TrimRight(r.line, "\r\n"), err
		}
	}
}

// status returns the number and the reason of a status line HTTP/x 200 reason.
func status(line []byte) (int, string) {
	f := bytes.Fields(line)
	if len(f) < 2 || !bytes.HasPrefix(f[0], []byte("HTTP/")) || len(f[1]) != 3 {
		return 0, ""
	}
	n, err := strconv.Atoi(string(f[1]))
	if err != nil || n < 100 {
		return 0, ""
	}
	_, after, _ := bytes.Cut(line, f[1])
	return n, string(bytes.TrimSpace(after))
}

// unchunk removes a chunked coding. Some writers keep the chunks, some the header alone; a
// size in hexadecimal at the start shows which.
func unchunk(h *Head, in *bufio.Reader) io.Reader {
	if !strings.EqualFold(strings.TrimSpace(h.Get("Transfer-Encoding")), "chunked") || !chunked(in) {
		return in
	}
	return httputil.NewChunkedReader(in)
}

func chunked(in *bufio.Reader) bool {
	start, _ := in.Peek(18) // a size has 16 digits at most
	size, _, ok := bytes.Cut(start, []byte("\r\n"))
	size, _, _ = bytes.Cut(size, []byte(";"))
	_, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 64)
	return ok && err == nil
}

// Field is one line of a header or of an application/warc-fields block.
type Field struct{ Name, Value string }

// appendField writes one line. A name that is no token gets underscores, a value loses
// its control characters: neither can end the line.
func appendField(b []byte, name, value string) []byte {
	b = appendName(b, name)
	b = append(b, ": "...)
	return append(appendValue(b, value), "\r\n"...)
}

func appendName(b []byte, name string) []byte {
	if name == "" {
		return append(b, '_')
	}
	for i := range len(name) {
		if c := name[i]; token(c) {
			b = append(b, c)
		} else {
			b = append(b, '_')
		}
	}
	return b
}

// appendValue turns control characters into spaces, except the tab; bytes above 127 stay
// as they are.
func appendValue(b []byte, s string) []byte {
	start := len(b)
	b = append(b, s...)
	for i, c := range b[start:] {
		if (c < ' ' && c != '\t') || c == 0x7f {
			b[start+i] = ' '
		}
	}
	return b
}

// token reports whether c is allowed in a field name (RFC 9110, 5.6.2).
func token(c byte) bool { return tokens[c] }

var tokens = func() (t [256]bool) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		t[c] = true
	}
	return t
}()

// checkURL returns an error for what is not allowed as a target in a record header:
// anything but visible ASCII, and the brackets that surround ids there. Normal forms of
// pages never have these; this is only the last check.
func checkURL(url string) error {
	if !strings.Contains(url, ":") {
		return fmt.Errorf("target %.80q: not an absolute URL", url)
	}
	for i := range len(url) {
		if c := url[i]; c <= ' ' || c >= 0x7f || c == '<' || c == '>' {
			return fmt.Errorf("target %.80q: byte %#02x at %d is not allowed in a record", url, c, i)
		}
	}
	return nil
}

// find returns the value of the first field of that name, in any case.
func find(fields []Field, name string) string {
	for i := range fields {
		if sameName(fields[i].Name, name) {
			return fields[i].Value
		}
	}
	return ""
}

// sameName reports whether two field names are equal but for case. Names are ASCII.
func sameName(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }
