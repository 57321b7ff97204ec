package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
)

// A warcFeed reads pages from WARC files. URLs are in memory: some 80 bytes each.
type warcFeed struct {
	files   []string
	total   int64 // bytes of all of them
	seen    *urltable.Table
	g       *gather.Gatherer
	found   gather.Found
	fetched []uint64
	names   []string     // by site
	site    []graph.Site // by page
	rest    []byte       // of all URLs, one after the other
	end     []uint64     // by page: where its rest ends
	body    bytes.Buffer
}

// WARCFeed returns the graph of the pages in WARC files, of this crawler or of others: the
// fetched pages (HTML, and redirects), by the normal form of their URLs, and the pages that
// they link to, in the order of discovery. A page with several versions has the links of
// all. Revisits, which have no body, add nothing, nor do images, style sheets and sitemaps.
// Robots directives are ignored: the pages were fetched.
func WARCFeed(files []string) (*graph.Feed, error) {
	f := &warcFeed{files: files}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		f.total += info.Size()
	}
	name := filepath.Base(files[0])
	if n := len(files) - 1; n > 0 {
		name = fmt.Sprintf("%s and %d more", name, n)
	}
	return &graph.Feed{
		Name: name, Links: f.links, URLs: f.urls,
		Pages:   func() int { return len(f.end) },
		Fetched: func() []uint64 { return f.fetched },
	}, nil
}

// warcPages is the largest number of known pages. Address space is reserved, not memory.
const warcPages = 1 << 30

func (f *warcFeed) links(add func(from, to graph.Page) error, tell func(done, total int64) error) error {
	f.seen = urltable.New("", [16]byte{}, warcPages, warcPages/2)
	defer f.seen.Free()
	f.g = gather.New(&gather.Options{Key: f.seen.Key()})
	done := int64(0)
	for _, name := range f.files {
		err := f.file(name, add, func(at int64) error { return tell(done+at, f.total) })
		if err != nil {
			return err
		}
		if info, err := os.Stat(name); err == nil {
			done += info.Size()
		}
	}
	return nil
}

// file reads the responses of a file.
func (f *warcFeed) file(name string, add func(from, to graph.Page) error, tell func(int64) error) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return eachResponse(in, name, tell, func(rec *archive.Record) error { return f.response(rec, add) })
}

// eachResponse calls fn with the responses of a file. tell is called with the place of each record.
func eachResponse(in io.Reader, name string, tell func(int64) error, fn func(*archive.Record) error) error {
	r := archive.NewReader(in, name)
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := tell(rec.Offset); err != nil {
			return err
		}
		if rec.Type != "response" {
			continue
		}
		if err := fn(rec); err != nil {
			return err
		}
	}
}

// maxArchived is the largest number of bytes that are read of a body.
const maxArchived = 16 << 20

// answer returns an archived response as a client would have received it, nil if its URL has no
// normal form.
func (f *warcFeed) answer(rec *archive.Record) (url string, a *fetch.Answer, err error) {
	url, ok := normalForm(rec.URL)
	if !ok {
		return "", nil, nil
	}
	head, body, err := rec.Response()
	if err != nil {
		return "", nil, err
	}
	a = answerOf(&head)
	if a.Class.Failed() {
		return url, a, nil
	}
	f.body.Reset()
	var bad *archive.Error
	if _, err := f.body.ReadFrom(io.LimitReader(body, maxArchived)); errors.As(err, &bad) {
		return "", nil, err // of a body that is broken otherwise, the beginning counts
	}
	a.Body = f.body.Bytes()
	return url, a, nil
}

// response adds a fetched page and its links.
func (f *warcFeed) response(rec *archive.Record, add func(from, to graph.Page) error) error {
	url, a, err := f.answer(rec)
	if err != nil || a == nil || a.Class.Failed() || strings.HasSuffix(url, "/robots.txt") {
		return err
	}
	if f.g.Page(url, a, time.Time{}, &f.found); f.found.Class != event.OK && f.found.Class != event.Redirect {
		return nil
	}
	site, rest := page.Site([]byte(url))
	key := f.seen.Key()
	from := f.page(key.Site(site), site, key.Page(key.Site(site), rest), rest)
	if from == graph.NoPage {
		return nil
	}
	f.fetched[from/64] |= 1 << (from % 64)
	l := &f.found.Links
	for i := range l.Len() {
		x := l.At(i)
		to := f.page(x.SiteHash, l.Site(i), x.Hash, l.Rest(i))
		if to == graph.NoPage {
			continue
		}
		if err := add(from, to); err != nil {
			return err
		}
	}
	return nil
}

// normalForm returns the normal form of a URL.
func normalForm(url string) (string, bool) {
	var r page.Resolver
	if !r.Document([]byte(url)).Usable() {
		return "", false
	}
	to, v := r.Resolve(nil, []byte(url))
	return string(to), v.Usable()
}

// answerOf returns an archived response as a client would have received it.
func answerOf(h *archive.Head) *fetch.Answer {
	a := &fetch.Answer{Status: h.Status, Class: event.HTTPError, Header: http.Header{}}
	for _, x := range h.Fields {
		a.Header.Add(x.Name, x.Value)
	}
	switch location := a.Header.Get("Location"); {
	case h.Status >= 200 && h.Status < 300:
		a.Class = event.OK
	case h.Status >= 300 && h.Status < 400 && location != "":
		a.Class, a.Location = event.Redirect, location
	}
	return a
}

// page returns the id of a page, which it adds if it is new. It returns NoPage if the name
// of the site is too long for the table.
func (f *warcFeed) page(siteHash uint64, site []byte, hash uint64, rest []byte) graph.Page {
	if p, ok := f.seen.LookupPage(hash); ok {
		return p
	}
	id, fresh := f.seen.Site(siteHash, site)
	switch {
	case id == graph.NoSite:
		return graph.NoPage
	case fresh:
		f.names = append(f.names, string(site))
	}
	p, _ := f.seen.Page(hash)
	f.site, f.rest = append(f.site, id), append(f.rest, rest...)
	f.end = append(f.end, uint64(len(f.rest)))
	if int(p)/64 == len(f.fetched) {
		f.fetched = append(f.fetched, 0)
	}
	return p
}

func (f *warcFeed) urls(emit func([]byte) error) error {
	var url []byte
	from := uint64(0)
	for p, end := range f.end {
		url = append(append(url[:0], f.names[f.site[p]]...), f.rest[from:end]...)
		if err := emit(url); err != nil {
			return err
		}
		from = end
	}
	return nil
}
