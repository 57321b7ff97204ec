package page

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// benchPages are the pages of testdata, or all .html files under the directory
// named by WINNOW_PAGES: documentation packages are good ones to measure with.
func benchPages(b *testing.B) (pages [][]byte) {
	dir := os.Getenv("WINNOW_PAGES")
	if dir == "" {
		dir = "testdata"
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".html") {
			return err
		}
		page, err := os.ReadFile(name)
		pages = append(pages, page)
		return err
	})
	if err != nil || len(pages) == 0 {
		b.Fatalf("no pages in %s: %v", dir, err)
	}
	return pages
}

// eachPage measures f; one operation is one pass over all pages.
func eachPage(b *testing.B, f func(page []byte)) {
	pages := benchPages(b)
	total := 0
	for _, p := range pages {
		total += len(p)
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		for _, page := range pages {
			f(page)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	s, p := NewScanner(ScanOptions{}), new(Page)
	eachPage(b, func(page []byte) { s.Scan(page, p) })
}

func BenchmarkScanSimHash(b *testing.B) {
	s, p := NewScanner(ScanOptions{SimHash: true}), new(Page)
	eachPage(b, func(page []byte) { s.Scan(page, p) })
}

// BenchmarkDecodeAndScan adds what a page that says nothing about its charset costs.
func BenchmarkDecodeAndScan(b *testing.B) {
	s, p, d := NewScanner(ScanOptions{}), new(Page), new(Decoder)
	eachPage(b, func(page []byte) {
		text, _ := d.Decode(page, "text/html")
		s.Scan(text, p)
	})
}

// BenchmarkReference is the yardstick: links with their anchors, title
// and text by the raw interface of the tokenizer of golang.org/x/net, without a
// digest.
func BenchmarkReference(b *testing.B) {
	r := new(rawReference)
	eachPage(b, r.read)
}

// rawReference reads pages as one would with the tokenizer's raw interface, with
// buffers that are used again.
type rawReference struct {
	text, title, hrefs []byte
	links              []Link
	inAnchor, inTitle  bool
	hidden             bool
}

func (r *rawReference) read(page []byte) {
	*r = rawReference{text: r.text[:0], title: r.title[:0], hrefs: r.hrefs[:0], links: r.links[:0]}
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.TextToken:
			r.addText(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			r.start(z)
		case html.EndTagToken:
			name, _ := z.TagName()
			r.inAnchor = r.inAnchor && string(name) != "a"
			r.inTitle, r.hidden = false, false
			if r.inAnchor {
				r.links[len(r.links)-1].text.End = uint32(len(r.text))
			}
		}
	}
}

func (r *rawReference) addText(text []byte) {
	switch {
	case r.inTitle:
		r.title = appendFolded(r.title, text)
	case !r.hidden:
		r.text = appendFolded(r.text, text)
	}
}

func appendFolded(dst, text []byte) []byte {
	for _, c := range text {
		if class[c]&space != 0 {
			dst = appendSpace(dst)
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

func (r *rawReference) start(z *html.Tokenizer) {
	name, more := z.TagName()
	r.inTitle = string(name) == "title"
	r.hidden = string(name) == "script" || string(name) == "style"
	if n := string(name); n != "a" && n != "link" && n != "area" && n != "iframe" {
		return
	}
	r.inAnchor = string(name) == "a"
	for more {
		var k, v []byte
		k, v, more = z.TagAttr()
		if string(k) == "href" || string(k) == "src" {
			start := uint32(len(r.hrefs))
			r.hrefs = append(r.hrefs, v...)
			r.links = append(r.links, Link{href: Span{start, uint32(len(r.hrefs))}, text: Span{Start: uint32(len(r.text))}})
			return
		}
	}
	r.inAnchor = false
}
