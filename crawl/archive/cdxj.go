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

// Index gives the CDXJ lines of a file, sorted by bytes: of its responses, revisits and
// resources,
//
//	org,example)/a 20260131235959 {"url":"https://example.org/a","mime":"text/html",...}
//
// SHA-1, the usual one, stands without its label there, as other tools write it. The index
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

// indexLine is the line of one record, or nil for one that no reader looks up by URL.
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

// WriteIndex writes the index of a WARC file beside it, whole or not at all. It is derived:
// no sync, and one that is lost is made again.
func WriteIndex(path string) error {
	return WriteIndexThrough(path, func(r io.Reader) io.Reader { return r })
}

// WriteIndexThrough is WriteIndex, and reads the file through what wrap makes of it.
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
	_ = os.Remove(to + ".tmp") // a link that somebody left there is not followed
	if err := os.WriteFile(to+".tmp", lines, 0o600); err != nil {
		return fmt.Errorf("archive: index: %w", err)
	}
	if err := os.Rename(to+".tmp", to); err != nil {
		return fmt.Errorf("archive: index: %w", err)
	}
	return nil
}
