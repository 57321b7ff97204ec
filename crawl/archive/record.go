package archive

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"io"
	"strconv"
	"strings"
	"time"
)

// Bounds of a record header and of the head of an HTTP message, in bytes.
const (
	maxHeader = 1 << 16
	maxHead   = 1 << 18
)

// A Record is one record of a file. Read reads its block.
type Record struct {
	Version string // 1.0 or 1.1
	Type    string // response, request, revisit, ...
	ID      string // URI, without brackets
	URL     string // target; empty where there is none
	Time    time.Time
	Fields  []Field // all of the header, in order
	Offset  int64   // in the file
	Length  int64   // in the file; 0 before the whole block was read or skipped

	length int64 // of the block
	zipped bool
	from   *Reader
}

// Get returns the value of the first field of that name, in any case.
func (r *Record) Get(name string) string { return find(r.Fields, name) }

// Size returns the length of the block, in bytes.
func (r *Record) Size() int64 { return r.length }

// Read reads the block. At its end it checks that the record ends there too.
func (r *Record) Read(p []byte) (int, error) {
	z := r.from
	if r.Length > 0 {
		return 0, io.EOF
	}
	if z.err != nil {
		return 0, z.err
	}
	n, err := 0, error(nil)
	if z.body.N > 0 {
		n, err = z.body.Read(p)
	}
	if err == io.EOF && z.body.N > 0 || err != nil && err != io.EOF {
		return n, z.fail(err)
	}
	if z.body.N > 0 {
		return n, nil
	}
	if err := z.finish(); err != nil {
		return n, z.fail(err)
	}
	r.Length = z.offset() - r.Offset
	return n, io.EOF
}

// Skip reads the rest of the block.
func (r *Record) Skip() error {
	_, err := io.Copy(io.Discard, onlyReader{r})
	return err
}

// onlyReader hides everything but Read.
type onlyReader struct{ io.Reader }

// readHeader parses version and fields, to the empty line.
func (r *Record) readHeader(in *bufio.Reader) error {
	z := r.from
	left := maxHeader
	line, err := z.readLine(in, &left)
	if err != nil {
		return err
	}
	version, ok := bytes.CutPrefix(line, []byte("WARC/"))
	if !ok || len(version) != 3 || version[1] != '.' || !digits(string(version[:1])) || !digits(string(version[2:])) {
		return formatf("begins with %.40q", line)
	}
	r.Version = string(version)
	for {
		line, err := z.readLine(in, &left)
		if err != nil {
			return err
		}
		if len(line) == 0 {
			return r.check()
		}
		if r.Fields, err = addField(r.Fields, line); err != nil {
			return err
		}
	}
}

// addField parses one line. One that begins with space or tab continues the line before.
func addField(fields []Field, line []byte) ([]Field, error) {
	if line[0] == ' ' || line[0] == '\t' {
		if len(fields) == 0 {
			return nil, formatf("the first field begins with a space")
		}
		last := &fields[len(fields)-1]
		last.Value = strings.TrimSpace(last.Value + " " + string(bytes.TrimSpace(line)))
		return fields, nil
	}
	name, value, ok := strings.Cut(string(line), ":")
	if !ok || len(name) == 0 {
		return nil, formatf("field %.40q has no name", line)
	}
	for i := range len(name) {
		if !token(name[i]) {
			return nil, formatf("field %.40q: byte %#02x in the name", line, name[i])
		}
	}
	return append(fields, Field{name, strings.TrimSpace(value)}), nil
}

// readLine reads to CR LF, which it removes, and subtracts the length from left.
func (r *Reader) readLine(in *bufio.Reader, left *int) ([]byte, error) {
	r.line = r.line[:0]
	for {
		part, err := in.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return nil, formatf("header of more than %d bytes", maxHeader)
		}
		r.line = append(r.line, part...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return nil, unexpected(err)
		}
		break
	}
	line, ok := bytes.CutSuffix(r.line, []byte("\r\n"))
	if !ok || bytes.IndexByte(line, '\r') >= 0 || bytes.IndexByte(line, 0) >= 0 {
		return nil, formatf("line %.40q does not end in CR LF, or has more of it inside", r.line)
	}
	return line, nil
}

// single lists the fields that this package uses; each occurs at most once.
var single = [...]string{"WARC-Type", "WARC-Record-ID", "WARC-Date", "Content-Length", "WARC-Target-URI",
	"WARC-Payload-Digest", "WARC-Block-Digest", "Content-Type"}

// check reads the fields that every record must have.
func (r *Record) check() error {
	for _, name := range single {
		n := 0
		for _, f := range r.Fields {
			if sameName(f.Name, name) {
				n++
			}
		}
		if n > 1 {
			return formatf("%d fields %s", n, name)
		}
	}
	r.Type = r.Get("WARC-Type")
	r.ID = unbracket(r.Get("WARC-Record-ID"))
	r.URL = unbracket(r.Get("WARC-Target-URI"))
	if r.Type == "" || r.ID == "" {
		return formatf("no type or no id")
	}
	var err error
	if r.Time, err = parseDate(r.Get("WARC-Date")); err != nil {
		return err
	}
	length := r.Get("Content-Length")
	if !digits(length) || len(length) > 18 {
		return formatf("length %.40q", length)
	}
	r.length, err = strconv.ParseInt(length, 10, 64)
	return err
}

// unbracket removes the angle brackets around ids, and those around targets that some
// writers of version 1.0 added.
func unbracket(s string) string {
	if len(s) > 1 && s[0] == '<' && s[len(s)-1] == '>' {
		return s[1 : len(s)-1]
	}
	return s
}

// parseDate reads the profile of ISO 8601 in UTC that the standard allows: from a year
// alone to nanoseconds.
func parseDate(s string) (time.Time, error) {
	for _, layout := range [...]string{"2006-01-02T15:04:05Z", "2006-01-02T15:04Z", "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, formatf("date %.40q", s)
}

// ID names a crawl or a record: a UUID. The zero value is none.
type ID [16]byte

// nameID returns the UUID of version 5 (RFC 9562) of a name within a space: the same name
// gives the same id in every run.
func nameID(space ID, name []byte) ID {
	var room [320]byte
	sum := sha1.Sum(append(append(room[:0], space[:]...), name...))
	var id ID
	copy(id[:], sum[:])
	id[6] = id[6]&0x0f | 0x50 // version 5
	id[8] = id[8]&0x3f | 0x80 // variant of RFC 9562
	return id
}

// recordID returns the id of one record: a function of the crawl, the kind of record, the URL,
// the date in milliseconds and the serial number of the exchange. One connection to a site at
// a time makes the dates of one URL differ; if a virtual clock stops, the serial number
// distinguishes them. Who knows URL and date of a record knows its id.
func recordID(space ID, kind string, url string, at time.Time, serial uint64, room []byte) (ID, []byte) {
	room = append(append(room[:0], kind...), 0)
	room = binary.BigEndian.AppendUint64(room, uint64(at.UnixMilli()))
	room = binary.BigEndian.AppendUint64(room, serial)
	room = append(room, url...)
	return nameID(space, room), room
}

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id == ID{} }

// String returns the URN of the id, without the angle brackets of a record header.
func (id ID) String() string { return string(id.append(nil)) }

func (id ID) append(b []byte) []byte {
	b = append(b, "urn:uuid:"...)
	for i, part := range [][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:]} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, part)
	}
	return b
}
