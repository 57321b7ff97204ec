package page

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// encodeQuery writes the characters of a link's query that are not ASCII in the
// charset of the document, percent-encoded, into scratch. Characters that the
// charset does not have become character references, "&#1234;" with its signs
// escaped, as browsers send them. Nothing else is touched.
func (r *Resolver) encodeQuery(ref []byte) []byte {
	at := bytes.IndexByte(ref, '?') + 1
	if at == 0 || !queryHigh(ref[at:]) {
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
// ASCII letter, in Shift_JIS say, and is sent as one.
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

// queryHigh says that text is not all ASCII.
func queryHigh(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return true
		}
	}
	return false
}
