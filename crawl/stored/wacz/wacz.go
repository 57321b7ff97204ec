// Package wacz writes the archive of a crawl as one file that replayers open: Web Archive
// Collection Zipped, version 1.1.1.
//
//	archive/*.warc.gz            the WARC files as they are, not compressed again
//	indexes/index.cdx.gz, .idx   their indexes merged into blocks of lines, and where these begin
//	pages/pages.jsonl            the seeds with title and text
//	pages/extraPages.jsonl       all other pages with title and text
//	datapackage.json             sizes and SHA-256 of all these
//	datapackage-digest.json      SHA-256 of datapackage.json and, with a key, a signature
//
// The file is written in one pass and needs no room elsewhere. Of a crawl that runs it has what
// was committed when it began.
package wacz

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/stored"
	"github.com/winnow-crawler/winnow/crawl/stored/text"
)

// Options describes the file.
type Options struct {
	Title, Description string
	Software           string            // name and version
	Seeds              []string          // in their normal form; the pages that readers see first
	NoText             bool              // leave the texts of pages out
	Key                *ecdsa.PrivateKey // nil: no signature
	Now                time.Time         // when it is made
	Progress           func(done, total int64)
}

// A Sum describes what was written.
type Sum struct {
	Files   int    `json:"files"` // WARC files
	Bytes   int64  `json:"bytes"` // of them
	Records int64  `json:"records"`
	Pages   int64  `json:"pages"`
	Hash    string `json:"hash"` // of datapackage.json
	Signed  bool   `json:"signed"`
	Key     string `json:"public_key,omitempty"`
}

// Write writes an archive to out.
func Write(ctx context.Context, a *stored.Archive, out io.Writer, o Options) (sum Sum, err error) {
	if a, err = a.Freeze(); err != nil {
		return sum, err
	}
	w := &writer{ctx: ctx, a: a, o: &o, zip: zip.NewWriter(out), sum: &sum}
	for _, step := range []func() error{w.archive, w.index, w.pages, w.manifest, w.zip.Close} {
		if err = step(); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// A writer writes the parts of a file.
type writer struct {
	ctx       context.Context
	a         *stored.Archive
	o         *Options
	zip       *zip.Writer
	resources []resource
	main      *page // the first of the seeds
	sum       *Sum
}

// A resource describes a part in datapackage.json.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// A part counts and hashes what is written into it.
type part struct {
	to  io.Writer
	sum hash.Hash
	n   int64
}

func (p *part) Write(b []byte) (int, error) {
	n, err := p.to.Write(b)
	p.sum.Write(b[:n])
	p.n += int64(n)
	return n, err
}

func (p *part) hash() string { return "sha256:" + hex.EncodeToString(p.sum.Sum(nil)) }

// add writes a part. Stored parts are not compressed.
func (w *writer) add(name string, method uint16, fn func(*part) error) error {
	to, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: w.o.Now})
	if err != nil {
		return err
	}
	p := &part{to: to, sum: sha256.New()}
	if err := fn(p); err != nil {
		return err
	}
	// The names of resources in a data package have no capital letters.
	w.resources = append(w.resources, resource{strings.ToLower(path.Base(name)), name, p.hash(), p.n})
	return nil
}

// archive copies the WARC files.
func (w *writer) archive() error {
	files, err := w.a.Files()
	if err != nil {
		return err
	}
	total, done := int64(0), int64(0)
	for _, f := range files {
		total += f.Size
	}
	for _, f := range files {
		err := w.add("archive/"+f.Name, zip.Store, func(p *part) error {
			in, err := f.Open()
			if err != nil {
				return fmt.Errorf("%w (a crawl with --keep-pages removes files while it runs)", err)
			}
			defer in.Close()
			for p.n < f.Size {
				if _, err := io.CopyN(p, in, min(1<<20, f.Size-p.n)); err != nil {
					return fmt.Errorf("copy %s: %w", f.Name, err)
				}
				if w.o.Progress != nil {
					w.o.Progress(done+p.n, total)
				}
				if err := w.ctx.Err(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		w.sum.Files++
		done += f.Size
	}
	w.sum.Bytes = total
	return nil
}

// blockLines is the number of lines in a block of the index.
const blockLines = 3000

// index writes the merged index as gzip members of some lines each, and then a list of the first
// lines of these with their places, by which replayers find a block without reading the others.
func (w *writer) index() error {
	const name = "index.cdx.gz"
	var idx bytes.Buffer
	fmt.Fprintf(&idx, "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": %q}\n", name)
	err := w.add("indexes/"+name, zip.Store, func(p *part) error {
		lines, err := w.a.Lines()
		if err != nil {
			return err
		}
		defer lines.Close()
		b := block{to: p, idx: &idx}
		for {
			line, err := lines.Next()
			if err != nil {
				return err
			}
			if line == nil {
				return b.end()
			}
			if err := b.add(line); err != nil {
				return err
			}
			w.sum.Records++
		}
	})
	if err != nil {
		return err
	}
	return w.add("indexes/index.idx", zip.Deflate, func(p *part) error {
		_, err := p.Write(idx.Bytes())
		return err
	})
}

// A block is a gzip member with lines of the index.
type block struct {
	to    *part
	idx   *bytes.Buffer
	first string // key and date of its first line
	lines []byte
	n     int
}

func (b *block) add(line []byte) error {
	if b.n == 0 {
		b.first, _, _ = cutJSON(line)
	}
	b.lines = append(b.lines, line...)
	if b.n++; b.n == blockLines {
		return b.end()
	}
	return nil
}

// cutJSON splits a line where its object begins.
func cutJSON(line []byte) (before string, object []byte, ok bool) {
	head, object, ok := bytes.Cut(line, []byte(" {"))
	return string(head), object, ok
}

// end writes the block.
func (b *block) end() error {
	if b.n == 0 {
		return nil
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(b.lines) // into memory
	if err := z.Close(); err != nil {
		return err
	}
	sum := sha256.Sum256(packed.Bytes())
	fmt.Fprintf(b.idx, "%s {\"offset\": %d, \"length\": %d, \"digest\": \"sha256:%x\", \"filename\": \"index.cdx.gz\"}\n", b.first, b.to.n, packed.Len(), sum)
	b.lines, b.n = b.lines[:0], 0
	_, err := b.to.Write(packed.Bytes())
	return err
}

// A page is a line of a list of pages.
type page struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Time  string `json:"ts"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
}

func pageOf(r *text.Row, withText bool) *page {
	sum := sha256.Sum256([]byte(r.URL + " " + r.Date.UTC().Format(time.RFC3339)))
	p := &page{ID: hex.EncodeToString(sum[:8]), URL: r.URL, Time: r.Date.UTC().Format(time.RFC3339), Title: r.Title}
	if withText {
		p.Text = r.Text
	}
	return p
}

// pages writes the seeds, and then all other pages.
func (w *writer) pages() error {
	seeds := map[string]bool{}
	err := w.list("pages", "Seeds", func(add func(*text.Row) error) error {
		reader := text.NewReader()
		for _, url := range w.o.Seeds {
			c := w.a.Follow(url)
			if c == nil || seeds[c.URL] {
				continue
			}
			row, ok := reader.Row(c)
			if !ok {
				continue
			}
			if seeds[c.URL] = true; w.main == nil {
				w.main = pageOf(&row, false)
			}
			if err := add(&row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.list("extraPages", "Pages", func(add func(*text.Row) error) error {
		_, err := text.Each(w.ctx, w.a, text.Options{Duplicates: true}, func(r *text.Row) error {
			if seeds[r.URL] {
				return nil
			}
			if w.main == nil {
				w.main = pageOf(r, false)
			}
			return add(r)
		})
		return err
	})
}

// list writes a list of pages.
func (w *writer) list(id, title string, fill func(add func(*text.Row) error) error) error {
	return w.add("pages/"+id+".jsonl", zip.Deflate, func(p *part) error {
		out := bufio.NewWriterSize(p, 1<<16)
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		head := map[string]any{"format": "json-pages-1.0", "id": id, "title": title, "hasText": !w.o.NoText}
		if err := e.Encode(head); err != nil {
			return err
		}
		err := fill(func(r *text.Row) error {
			w.sum.Pages++
			return e.Encode(pageOf(r, !w.o.NoText))
		})
		if err != nil {
			return err
		}
		return out.Flush()
	})
}

// manifest writes datapackage.json and its digest.
func (w *writer) manifest() error {
	data := struct {
		Profile     string     `json:"profile"`
		Version     string     `json:"wacz_version"`
		Title       string     `json:"title,omitempty"`
		Description string     `json:"description,omitempty"`
		Created     string     `json:"created"`
		Software    string     `json:"software"`
		MainURL     string     `json:"mainPageUrl,omitempty"`
		MainDate    string     `json:"mainPageDate,omitempty"`
		Resources   []resource `json:"resources"`
	}{
		Profile: "data-package", Version: "1.1.1", Title: w.o.Title, Description: w.o.Description,
		Created: w.o.Now.UTC().Format(time.RFC3339), Software: w.o.Software, Resources: w.resources,
	}
	if w.main != nil {
		data.MainURL, data.MainDate = w.main.URL, w.main.Time
	}
	err := w.add("datapackage.json", zip.Deflate, func(p *part) error {
		if err := writeJSON(p, data); err != nil {
			return err
		}
		w.sum.Hash = p.hash()
		return nil
	})
	if err != nil {
		return err
	}
	digest := digestFile{Path: "datapackage.json", Hash: w.sum.Hash}
	if w.o.Key != nil {
		if digest.Signed, err = sign(w.o, w.sum.Hash); err != nil {
			return err
		}
		w.sum.Signed, w.sum.Key = true, digest.Signed.PublicKey
	}
	return w.add("datapackage-digest.json", zip.Deflate, func(p *part) error { return writeJSON(p, digest) })
}

func writeJSON(to io.Writer, v any) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
