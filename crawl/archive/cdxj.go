package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// Index returns the CDXJ lines of a file, sorted by bytes: of its responses, revisits and
// resources,
//
//	org,example)/a 20260131235959 {"url":"https://example.org/a","mime":"text/html",...}
//
// SHA-1, the usual one, has no label there, as other tools write it. The index
// is a function of the file and its name. The lines are held in memory, about 300
// bytes for each page of the file.
func Index(r *Reader, filename string) ([]byte, error) {
	lines, err := indexLines(r, filename)
	if err != nil {
		return nil, err
	}
	return sortLines(lines), nil
}

// indexLines returns the lines of the records that are left in a file, in their order there.
func indexLines(r *Reader, filename string) (lines []byte, err error) {
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		line, err := indexLine(rec, filename)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line...)
	}
}

// LinesBetween returns the index lines of the records between two offsets of a WARC file, at
// both of which a record begins or the file ends. They are in the order of the file.
func LinesBetween(file io.ReaderAt, from, to int64, filename string) ([]byte, error) {
	return indexLines(newReader(io.NewSectionReader(file, from, to-from), filename, from), filename)
}

// A Moved is a record that is copied from one WARC file to another.
type Moved struct {
	From, To int64 // its offsets
	Length   int64 // compressed
}

// AppendMoved appends the index lines of records that are copied from a file to one with a name.
// It reads no more than their heads: their lengths are known.
func AppendMoved(lines []byte, from io.ReaderAt, moved []Moved, filename string) ([]byte, error) {
	r := newReader(nil, filename, 0)
	for _, m := range moved {
		r.seek(io.NewSectionReader(from, m.From, m.Length), m.From)
		rec, err := r.Next()
		if err != nil {
			return lines, err
		}
		entry, err := entryOf(rec)
		if err != nil {
			return lines, err
		}
		if entry != nil {
			lines = AppendLine(lines, entry, m.To, m.Length, filename)
		}
	}
	return lines, nil
}

// A Line is a line of an index, parsed.
type Line struct {
	Key    string    // by which indexes sort: see Key
	Time   time.Time // to the second
	URL    string
	Media  string // of the response; empty for a revisit
	Status int    // 0: none
	Digest string // of the payload; SHA-1 has no label
	File   string
	Offset int64
	Length int64
	// Revisit reports whether the record has no body and refers to one that has it.
	Revisit bool
}

// ParseLine parses a line of an index.
func ParseLine(text []byte) (l Line, err error) {
	key, rest, _ := bytes.Cut(text, []byte(" "))
	stamp, rest, _ := bytes.Cut(rest, []byte(" "))
	var x struct{ URL, Mime, Status, Digest, Length, Offset, Filename string }
	err = json.Unmarshal(rest, &x)
	l = Line{Key: string(key), URL: x.URL, Media: x.Mime, Digest: x.Digest, File: x.Filename, Revisit: x.Mime == revisitMime}
	if l.Revisit {
		l.Media = ""
	}
	if err == nil {
		l.Time, err = time.Parse(stampFormat, string(stamp))
	}
	for _, n := range []struct {
		text string
		to   *int64
	}{{x.Offset, &l.Offset}, {x.Length, &l.Length}} {
		if err == nil {
			*n.to, err = strconv.ParseInt(n.text, 10, 64)
		}
	}
	if l.Status, _ = strconv.Atoi(x.Status); err != nil {
		return l, fmt.Errorf("archive: index line %.80q: %w", text, err)
	}
	return l, nil
}

// LinePlace returns the place of the record of a line that AppendLine has made, without reading the
// rest of the line. It reports whether the line is whole.
func LinePlace(line []byte) (offset, length int64, ok bool) {
	_, rest, ok := cutLast(line, `,"length":"`)
	first, rest, ok2 := bytes.Cut(rest, []byte(`","offset":"`))
	second, rest, ok3 := bytes.Cut(rest, []byte(`","filename":"`))
	length, err := strconv.ParseInt(string(first), 10, 64)
	offset, err2 := strconv.ParseInt(string(second), 10, 64)
	return offset, length, ok && ok2 && ok3 && err == nil && err2 == nil && bytes.HasSuffix(rest, []byte("\"}\n"))
}

// cutLast cuts a text at the last of some words.
func cutLast(text []byte, words string) (before, after []byte, ok bool) {
	i := bytes.LastIndex(text, []byte(words))
	if i < 0 {
		return text, nil, false
	}
	return text[:i], text[i+len(words):], true
}

// stampFormat is the form of dates in an index.
const stampFormat = "20060102150405"

// Key returns what an index sorts a URL by. URLs that differ only in their scheme, in www, in
// capital letters or in the order of their parameters have the same key.
func Key(url string) string { return surt(url) }

// indexLine returns the line of one record, or nil for one that no reader looks up by URL.
func indexLine(r *Record, filename string) ([]byte, error) {
	entry, err := entryOf(r)
	if err == nil && entry != nil {
		err = r.Skip() // the length is known only after it
	}
	if err != nil || entry == nil {
		return nil, err
	}
	return AppendLine(nil, entry, r.Offset, r.Length, filename), nil
}

// entryOf returns the line of one record without its place, or nil.
func entryOf(r *Record) ([]byte, error) {
	if r.URL == "" || r.Type != "response" && r.Type != "revisit" && r.Type != "resource" {
		return nil, nil
	}
	status, mime, err := describe(r)
	if err != nil {
		return nil, err
	}
	return appendEntry(nil, r.URL, r.Time, status, mime, r.Get("WARC-Payload-Digest")), nil
}

// describe returns the status, 0 for none, and the media type of a record.
func describe(r *Record) (status int, mime string, err error) {
	media := r.Get("Content-Type")
	mime, _, _ = strings.Cut(media, ";")
	if strings.HasPrefix(media, "application/http") {
		h, _, err := r.Response()
		if err != nil {
			return 0, "", err
		}
		status, mime = h.Status, h.Media()
	}
	if r.Type == "revisit" {
		mime = revisitMime
	}
	return status, mime, nil
}

const revisitMime = "warc/revisit"

// appendEntry appends an index line as far as it does not depend on the place of the record.
// All values are strings, as in the indexes of other tools.
func appendEntry(b []byte, url string, at time.Time, status int, mime, digest string) []byte {
	b = append(append(b, surt(url)...), ' ')
	b = at.UTC().AppendFormat(b, stampFormat)
	b = appendString(append(b, ` {"url":`...), url)
	b = appendString(append(b, `,"mime":`...), mime)
	if status != 0 {
		b = append(strconv.AppendInt(append(b, `,"status":"`...), int64(status), 10), '"')
	}
	if digest = strings.TrimPrefix(digest, "sha1:"); digest != "" {
		b = appendString(append(b, `,"digest":`...), digest)
	}
	return b
}

// AppendLine appends an index line: an entry (see Records) with the place of its record.
func AppendLine(b, entry []byte, offset, length int64, filename string) []byte {
	b = strconv.AppendInt(append(append(b, entry...), `,"length":"`...), length, 10)
	b = strconv.AppendInt(append(b, `","offset":"`...), offset, 10)
	b = appendString(append(b, `","filename":`...), filename)
	return append(b, "}\n"...)
}

// appendString appends a string in JSON.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			var out bytes.Buffer
			enc := json.NewEncoder(&out)
			enc.SetEscapeHTML(false)
			_ = enc.Encode(s) // a string can be encoded
			return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// OfPart returns the name of the WARC file of what PartName names.
func OfPart(name string) string { return strings.TrimSuffix(name, indexSuffix+".part") + Suffix }

// LinesName returns the name of a file with all lines of the index of a WARC file, not
// sorted: see WriteIndexThrough.
func LinesName(name string) string { return IndexName(name) + ".lines" }

// PartName returns the name of a file with the first lines of the index of a WARC file that is
// being written, not sorted.
func PartName(name string) string { return IndexName(name) + ".part" }

// WriteIndexThrough writes the index of a WARC file. Its lines are those that were gathered
// while it was written, which are removed then. If there are none, it reads the file, through
// wrap.
func WriteIndexThrough(path string, wrap func(io.Reader) io.Reader) error {
	lines, err := os.ReadFile(LinesName(path))
	if err == nil {
		lines = sortLines(lines)
	} else if lines, err = readIndex(path, wrap); err != nil {
		return fmt.Errorf("archive: index: %w", err)
	}
	name := filepath.Base(IndexName(path))
	err = disk.Replace(disk.OS(filepath.Dir(path)), name, name+".tmp", true, func(f disk.File) error {
		_, err := f.WriteAt(lines, 0)
		return err
	})
	if err != nil {
		return fmt.Errorf("archive: index: %w", err)
	}
	_ = os.Remove(LinesName(path))
	return nil
}

func readIndex(path string, wrap func(io.Reader) io.Reader) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Index(NewReader(wrap(f), path), filepath.Base(path))
}

// sortLines returns the lines of a text in their order.
func sortLines(text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	slices.SortFunc(lines, bytes.Compare)
	return bytes.Join(lines, nil)
}

// surt returns the key by which an index sorts: the host turned round, so that the pages of a
// domain are together, then path and query,
//
//	https://www.example.org:8080/a?y=1&x=2  ->  org,example:8080)/a?x=2&y=1
//
// all in lower case, without www and default ports, the parts of the query sorted: URLs
// that differ in this alone are usually one page. Other schemes are their own key.
func surt(url string) string {
	lower := strings.ToLower(url)
	scheme, rest, ok := strings.Cut(lower, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return visible(lower)
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority, target := splitURL("://" + rest)
	host, port := splitPort(authority)
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	key := turned(withoutWWW(host))
	if port != "" {
		key += ":" + port
	}
	return visible(key + ")" + sortQuery(target))
}

func splitPort(authority string) (host, port string) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || i < strings.LastIndexByte(authority, ']') {
		return authority, ""
	}
	return authority[:i], authority[i+1:]
}

// withoutWWW removes www. and www2. from the front, if something is left.
func withoutWWW(host string) string {
	first, rest, ok := strings.Cut(host, ".")
	n, isWWW := strings.CutPrefix(first, "www")
	if ok && isWWW && (n == "" || digits(n)) && strings.Contains(rest, ".") {
		return rest
	}
	return host
}

// turned writes the labels of a host from right to left; an IPv6 address stays.
func turned(host string) string {
	if strings.HasPrefix(host, "[") {
		return host
	}
	labels := strings.Split(strings.Trim(host, "."), ".")
	slices.Reverse(labels)
	return strings.Join(labels, ",")
}

func sortQuery(target string) string {
	path, query, ok := strings.Cut(target, "?")
	if !ok || query == "" {
		return path
	}
	parts := strings.Split(query, "&")
	slices.Sort(parts)
	return path + "?" + strings.Join(parts, "&")
}

// visible escapes what would break a line of an index: spaces, control characters, and
// bytes that are not ASCII.
func visible(s string) string {
	const hexDigits = "0123456789abcdef"
	var b []byte
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}
