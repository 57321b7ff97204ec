package page

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// tailBytes is the number of bytes of text beyond ScanOptions.Text that are gathered before
// they are added to the digest and dropped.
const tailBytes = 4096

// writeText appends src to the text of the page with white space folded, up to the
// byte stop or the end of src, and returns the number of bytes that it read. It may
// read less when the text is full; then the caller continues. Character references
// begin with ref; 0 for ref or stop means that there are none.
func (s *Scanner) writeText(src []byte, ref, stop byte) int {
	t, n := s.fold(s.page.Text, src, s.opt.Text+tailBytes, ref, stop)
	s.page.Text = t
	s.examined += n
	if len(t) >= s.opt.Text+tailBytes {
		s.spill()
	}
	return n
}

// spill adds the text beyond the limit to the digest and drops it, except for its
// last byte, with which folding continues.
func (s *Scanner) spill() {
	t, limit := s.page.Text, s.opt.Text
	s.page.Cut |= CutText
	s.struc.spill(t, limit)
	t[limit] = t[len(t)-1]
	s.page.Text = t[:limit+1]
}

// fold appends src to dst, every run of white space as one space and none at the
// start of a line. It ends before the byte stop, at the end of src, or when dst has
// full bytes (a few more if they are from one step), and returns the number of bytes
// that it read.
func (s *Scanner) fold(dst, src []byte, full int, ref, stop byte) ([]byte, int) {
	i := 0
	for i < len(src) && len(dst) < full {
		var k int
		dst, k = copyPlain(dst, src[i:], full, ref, stop)
		if i += k; i == len(src) {
			break
		}
		switch c := src[i]; {
		case class[c]&space != 0:
			dst = appendSpace(dst)
			for i++; i < len(src) && class[src[i]]&space != 0; i++ {
			}
		case c == 0: // the standard drops it (13.2.6.4.7); also no text when ref or stop are 0
			i++
		case c == stop:
			return dst, i
		case c == ref:
			dst, k = s.foldReference(dst, src[i:])
			i += k
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst, i
}

// foldReference appends a character reference; one that denotes white space is
// folded, too.
func (s *Scanner) foldReference(dst, src []byte) ([]byte, int) {
	before := len(dst)
	dst, n := s.reference(dst, src, false)
	if len(dst) == before+1 && class[dst[before]]&space != 0 {
		dst = appendSpace(dst[:before])
	}
	return dst, n
}

// appendSpace appends a space unless white space is already there.
func appendSpace(dst []byte) []byte {
	if n := len(dst); n > 0 && class[dst[n-1]]&space == 0 {
		return append(dst, ' ')
	}
	return dst
}

// copyPlain appends src to dst up to the first byte that needs attention: a control
// byte, ref, stop, or a space after a space. It handles 8 bytes at once: all 8 are
// stored, and dst grows by those before the first special one. The last bytes of
// src are left to the caller, which takes them one by one.
func copyPlain(dst, src []byte, full int, ref, stop byte) ([]byte, int) {
	refs, stops := ones*uint64(ref), ones*uint64(stop)
	after := uint64(highs & 0xff) // the byte before is white space
	if n := len(dst); n > 0 && class[dst[n-1]]&space == 0 {
		after = 0
	}
	i := 0
	for ; i+8 <= len(src) && len(dst) < full; i += 8 {
		x := binary.LittleEndian.Uint64(src[i:])
		a, b, blank := x^refs, x^stops, x^ones*' '
		// spaces marks the spaces exactly, without borrows, because it is shifted.
		spaces := ^((blank&^uint64(highs) + (ones * 0x7f)) | blank) & highs
		special := ((x-ones*' ')&^x|(a-ones)&^a|(b-ones)&^b)&highs | spaces&(spaces<<8|after)
		if cap(dst)-len(dst) < 8 {
			dst = append(dst, make([]byte, 8)...)[:len(dst)]
		}
		n := len(dst)
		dst = dst[:n+8]
		binary.LittleEndian.PutUint64(dst[n:], x)
		if special != 0 {
			k := bits.TrailingZeros64(special) >> 3
			return dst[:n+k], i + k
		}
		after = spaces >> 56
	}
	return dst, i
}

// breakLine ends a line of text where a block begins or ends.
func (s *Scanner) breakLine() {
	t := s.page.Text
	if n := len(t); n > 0 && t[n-1] == ' ' {
		t[n-1] = '\n'
	} else if n > 0 && t[n-1] != '\n' {
		s.page.Text = append(t, '\n')
	}
}

// trimText takes the white space from the end of the text.
func (s *Scanner) trimText() {
	t := s.page.Text
	if n := len(t); n > 0 && class[t[n-1]]&space != 0 {
		s.page.Text = t[:n-1]
	}
}

// spanFrom returns the text from start to its end without white space around it, cut
// to limit bytes between two characters.
func (s *Scanner) spanFrom(start uint32, limit int) (sp Span, cut bool) {
	t := s.page.Text[:min(len(s.page.Text), s.opt.Text)]
	from, to := min(int(start), len(t)), len(t)
	for from < to && class[t[from]]&space != 0 {
		from++
	}
	if cut = to > from+limit; cut {
		to = cutBefore(t, from, from+limit)
	}
	for from < to && class[t[to-1]]&space != 0 {
		to--
	}
	return Span{uint32(from), uint32(to)}, cut
}

// cutBefore moves end back so that no character of b[start:end] is cut in two.
func cutBefore(b []byte, start, end int) int {
	if end >= len(b) || utf8.RuneStart(b[end]) {
		return end
	}
	for i := end - 1; i >= start && i > end-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			return i
		}
	}
	return end
}
