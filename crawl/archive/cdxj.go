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
)

// entry is the JSON part of an index line. All values are strings, as in the indexes of
// other tools.
type entry struct {
	URL      string `json:"url"`
	Mime     string `json:"mime"`
	Status   string `json:"status,omitempty"`
	Digest   string `json:"digest,omitempty"`
	Length   string `json:"length"`
	Offset   string `json:"offset"`
	Filename string `json:"filename"`
}

// Index returns the CDXJ lines of a file, sorted by bytes: of its responses, revisits and
// resources,
//
//	org,example)/a 20260131235959 {"url":"https://example.org/a","mime":"text/html",...}
//
// SHA-1, the usual one, has no label there, as other tools write it. The index
// is a function of the file and its name. The lines are held in memory, about 300
// bytes for each page of the file.
func Index(r *Reader, filename string) ([]byte, error) {
	var lines [][]byte
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		line, err := indexLine(rec, filename)
		if err != nil {
			return nil, err
		}
		if line != nil {
			lines = append(lines, line)
		}
	}
	slices.SortFunc(lines, bytes.Compare)
	return bytes.Join(lines, nil), nil
}

// indexLine returns the line of one record, or nil for one that no reader looks up by URL.
func indexLine(r *Record, filename string) ([]byte, error) {
	if r.URL == "" || r.Type != "response" && r.Type != "revisit" && r.Type != "resource" {
		return nil, nil
	}
	e := entry{URL: r.URL, Filename: filename, Digest: strings.TrimPrefix(r.Get("WARC-Payload-Digest"), "sha1:")}
	if err := e.describe(r); err != nil {
		return nil, err
	}
	if err := r.Skip(); err != nil { // the length is known only after it
		return nil, err
	}
	e.Offset, e.Length = strconv.FormatInt(r.Offset, 10), strconv.FormatInt(r.Length, 10)
	var b bytes.Buffer
	b.WriteString(surt(r.URL) + " " + r.Time.Format("20060102150405") + " ")
	enc := json.NewEncoder(&b) // ends the line too
	enc.SetEscapeHTML(false)
	err := enc.Encode(e)
	return b.Bytes(), err
}

// describe fills in media type and status.
func (e *entry) describe(r *Record) error {
	media := r.Get("Content-Type")
	if !strings.HasPrefix(media, "application/http") {
		e.Mime, _, _ = strings.Cut(media, ";")
		if r.Type == "revisit" {
			e.Mime = "warc/revisit"
		}
		return nil
	}
	h, _, err := r.Response()
	if err != nil {
		return err
	}
	if e.Mime = h.Media(); r.Type == "revisit" {
		e.Mime = "warc/revisit"
	}
	if h.Status != 0 {
		e.Status = strconv.Itoa(h.Status)
	}
	return nil
}

// WriteIndexThrough does what WriteIndex does, but reads the file through wrap.
func WriteIndexThrough(path string, wrap func(io.Reader) io.Reader) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("archive: index: %w", err)
	}
	defer f.Close()
	lines, err := Index(NewReader(wrap(f), path), filepath.Base(path))
	if err != nil {
		return fmt.Errorf("archive: index: %w", err)
	}
	to := IndexName(path)
	_ = os.Remove(to + ".tmp") // an old link there is not followed
	if err := os.WriteFile(to+".tmp", lines, 0o600); err != nil {
		return fmt.Errorf("archive: index: %w", err)
	}
	if err := os.Rename(to+".tmp", to); err != nil {
		return fmt.Errorf("archive: index: %w", err)
	}
	return nil
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
