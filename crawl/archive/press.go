package archive

import (
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// level compresses text. Measured on pages of documentation of 28 KB, against level 1:
// 4 to 5 % fewer bytes for a sixth more time; level 5 has 12 % fewer for 1.6 times the
// time.
const level = 3

// press makes gzip members. Its writers hold some hundred kilobytes of tables and are
// used again. Members have no time stamp and no name: equal records are equal bytes.
type press struct {
	text *gzip.Writer  // for whole members
	head *flate.Writer // for the compressed part of stored ones
	out  sink
}

// sink is a byte slice to write to.
type sink struct{ b []byte }

func (s *sink) Write(p []byte) (int, error) {
	s.b = append(s.b, p...)
	return len(p), nil
}

var ending = []byte("\r\n\r\n")

// member appends one gzip member to dst: header, body and the two line ends that close a
// record. Writing to a slice does not fail.
func (p *press) member(dst, header, body []byte, coded bool) []byte {
	if coded && len(body) > 0 {
		return p.stored(dst, header, body)
	}
	p.out.b = dst
	if p.text == nil {
		p.text, _ = gzip.NewWriterLevel(&p.out, level) // fails for unknown levels only
	}
	p.text.Reset(&p.out)
	p.text.Write(header)
	if len(body) > 0 {
		p.text.Write(body)
	}
	p.text.Write(ending)
	p.text.Close()
	return p.out.take()
}

func (s *sink) take() []byte {
	b := s.b
	s.b = nil
	return b
}

// stored is a member whose body is compressed already: its header is compressed, its body
// copied. A compressor would look for matches in the body in vain, and then store the
// header with it: more time and more bytes. The format is RFC 1951 and 1952: a flush
// ends on a byte, and blocks of type 0 follow, of at most 65535 bytes each.
func (p *press) stored(dst, header, body []byte) []byte {
	p.out.b = append(dst, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)
	if p.head == nil {
		p.head, _ = flate.NewWriter(&p.out, level)
	}
	p.head.Reset(&p.out)
	p.head.Write(header)
	p.head.Flush()
	b := p.out.take()
	sum, size := crc32.ChecksumIEEE(header), len(header)+len(body)+len(ending)
	sum = crc32.Update(crc32.Update(sum, crc32.IEEETable, body), crc32.IEEETable, ending)
	for len(body) > 0 {
		n := min(len(body), 65535)
		b = appendStored(b, 0, body[:n])
		body = body[n:]
	}
	b = appendStored(b, 1, ending)
	b = binary.LittleEndian.AppendUint32(b, sum)
	return binary.LittleEndian.AppendUint32(b, uint32(size))
}

// appendStored writes one block as it is; final is 1 for the last.
func appendStored(b []byte, final byte, data []byte) []byte {
	b = append(b, final)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(data)))
	b = binary.LittleEndian.AppendUint16(b, ^uint16(len(data)))
	return append(b, data...)
}

// coded says by the header of a response whether its body is compressed already.
func coded(h map[string][]string) bool {
	for _, v := range h["Content-Encoding"] {
		if v = strings.TrimSpace(v); v != "" && !strings.EqualFold(v, "identity") {
			return true
		}
	}
	for _, v := range h["Content-Type"] {
		if dense(strings.ToLower(v)) {
			return true
		}
	}
	return false
}

// dense lists media types that are compressed by nature.
func dense(media string) bool {
	if strings.HasPrefix(media, "image/") {
		return !strings.HasPrefix(media, "image/svg") && !strings.HasPrefix(media, "image/bmp")
	}
	for _, p := range [...]string{"video/", "audio/", "font/woff", "application/zip", "application/gzip", "application/x-gzip"} {
		if strings.HasPrefix(media, p) {
			return true
		}
	}
	return false
}
