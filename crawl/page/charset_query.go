package page

import (
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// QueryEncoder gives what Resolver.EncodeQuery wants for the links of a page in a
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
