// Package text exports the texts of stored pages: one row for each page with its URL, title,
// language, text and date, as JSON lines or as a Parquet table.
//
// The main text is found by the scanner of package page, without navigation and footers; see
// docs/howto-archive.md for how good that is. Rows are in the order of the index, by host and
// path, so the same archive gives the same bytes.
package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/stored"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/zeebo/xxh3"
)

// Options selects pages and what is exported of them.
type Options struct {
	Full       bool   // all visible text; else the main text
	AllVisits  bool   // a row for each visit with another body; else one for the last
	Duplicates bool   // also pages with title and text of an earlier row
	Site       string // only of this host, or scheme://host:port; "": all
	Language   string // only of this declared language; "": all
	MinWords   int    // only with so many words
}

// A Row is the text of a page.
type Row struct {
	URL       string    `json:"url" parquet:"url,delta"`
	Title     string    `json:"title" parquet:"title"`
	Language  string    `json:"language" parquet:"language,dict"` // "": the page declares none
	Date      time.Time `json:"date" parquet:"date,timestamp"`    // of the visit
	Duplicate bool      `json:"duplicate,omitempty" parquet:"duplicate"`
	Text      string    `json:"text" parquet:"text"`
}

// A Sum counts what an export did.
type Sum struct {
	Rows       int64 `json:"rows"`
	Words      int64 `json:"words"`
	Duplicates int64 `json:"duplicates"` // with title and text of an earlier row; left out unless they were asked for
	Short      int64 `json:"short"`      // left out: too few words
	Others     int64 `json:"others"`     // left out: another language
	Unreadable int64 `json:"unreadable"` // left out: the copy cannot be read
	NoPages    int64 `json:"not_pages"`  // left out: URLs without a copy that is a text
	First      error `json:"-"`          // why the first unreadable one was
}

// Sentence says what an export did, for people; duplicates whether it wrote duplicates.
func (s *Sum) Sentence(duplicates bool) string {
	said := fmt.Sprintf("%s with %s", show.Counted(s.Rows, "page"), show.Counted(s.Words, "word"))
	var left []string
	add := func(n int64, what string) {
		if n > 0 {
			left = append(left, show.Grouped(n)+" "+what)
		}
	}
	if duplicates {
		said += ", among them " + show.Counted(s.Duplicates, "duplicate")
	} else {
		add(s.Duplicates, show.Plural(s.Duplicates, "duplicate"))
	}
	add(s.Short, "with too few words")
	add(s.Others, "of other languages")
	add(s.NoPages, "without a text")
	if len(left) > 0 {
		said += "; left out: " + strings.Join(left, ", ")
	}
	return said
}

// ahead is the number of pages that may be read before the first of them is written.
const ahead = 64

// Each calls fn with the rows of an archive, in the order of the index, until fn returns an error.
// It reads on all cores. It remembers 8 bytes for each row, to recognise duplicates.
func Each(ctx context.Context, a *stored.Archive, o Options, fn func(*Row) error) (Sum, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	jobs, order := make(chan *job), make(chan *job, ahead)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			x := newReader(&o)
			for j := range jobs {
				j.row, j.err = x.row(a, j)
				close(j.done)
			}
		}()
	}
	var left int64
	go func() {
		defer close(order)
		defer close(jobs)
		err := a.Each(ctx, func(visits []stored.Visit) error {
			chosen := o.choose(visits)
			if len(chosen) == 0 && o.ofSite(visits[0].URL) {
				left++
			}
			for _, v := range chosen {
				j := &job{visit: v, among: visits, done: make(chan struct{})}
				for _, c := range []chan *job{order, jobs} {
					select {
					case c <- j:
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				}
			}
			return nil
		})
		if err != nil {
			stop(err)
		}
	}()
	w := collector{o: &o, seen: map[uint64]struct{}{}, fn: fn}
	for j := range order {
		select {
		case <-j.done:
		case <-ctx.Done():
			return w.sum, context.Cause(ctx)
		}
		if err := w.take(j); err != nil {
			stop(err)
			return w.sum, err
		}
	}
	w.sum.NoPages += left
	return w.sum, context.Cause(ctx)
}

// A job is a page to be read.
type job struct {
	visit stored.Visit
	among []stored.Visit
	row   *Row // nil: it is no text
	err   error
	done  chan struct{}
}

// choose returns the visits of a URL that are exported.
func (o *Options) choose(visits []stored.Visit) (chosen []stored.Visit) {
	if !o.ofSite(visits[0].URL) || strings.HasSuffix(visits[0].URL, "/robots.txt") {
		return nil
	}
	for i := len(visits) - 1; i >= 0; i-- {
		v := visits[i]
		if !v.Revisit && (v.Status < 200 || v.Status > 299 || !readable(v.Media)) {
			continue
		}
		if !o.AllVisits {
			return []stored.Visit{v}
		}
		if !v.Revisit {
			chosen = append([]stored.Visit{v}, chosen...)
		}
	}
	return chosen
}

// readable reports whether a media type is one of pages with text.
func readable(media string) bool {
	switch media {
	case "text/html", "application/xhtml+xml", "text/plain":
		return true
	}
	return false
}

// ofSite reports whether a URL is of the site that was asked for.
func (o *Options) ofSite(link string) bool {
	if o.Site == "" || strings.HasPrefix(link, o.Site+"/") {
		return true
	}
	u, err := url.Parse(link)
	return err == nil && (u.Hostname() == o.Site || u.Host == o.Site)
}

// A collector counts rows and passes on those that were asked for.
type collector struct {
	o    *Options
	sum  Sum
	seen map[uint64]struct{} // hashes of title and text
	fn   func(*Row) error
}

func (w *collector) take(j *job) error {
	switch {
	case j.err != nil:
		if w.sum.Unreadable++; w.sum.First == nil {
			w.sum.First = j.err
		}
		return nil
	case j.row == nil:
		w.sum.NoPages++
		return nil
	}
	words := int64(len(strings.Fields(j.row.Text)))
	if words < int64(w.o.MinWords) {
		w.sum.Short++
		return nil
	}
	if w.o.Language != "" && j.row.Language != w.o.Language {
		w.sum.Others++
		return nil
	}
	hash := xxh3.HashString(j.row.Title + "\x00" + j.row.Text)
	if _, j.row.Duplicate = w.seen[hash]; j.row.Duplicate {
		if w.sum.Duplicates++; !w.o.Duplicates {
			return nil
		}
	}
	w.seen[hash] = struct{}{}
	w.sum.Rows++
	w.sum.Words += words
	return w.fn(j.row)
}

// A reader makes rows of copies. It belongs to one goroutine.
type reader struct {
	full    bool
	scanner *page.Scanner
	decoder page.Decoder
	page    page.Page
	main    []byte
}

// maxText is the largest number of bytes of a text.
const maxText = 16 << 20

func newReader(o *Options) *reader {
	return &reader{full: o.Full, scanner: page.NewScanner(page.ScanOptions{Text: maxText, Anchors: true, Main: true})}
}

// row reads a copy.
func (x *reader) row(a *stored.Archive, j *job) (*Row, error) {
	c, err := a.Read(&j.visit, j.among...)
	if err != nil {
		return nil, err
	}
	if !readable(c.Media) {
		return nil, nil
	}
	r := x.Text(c)
	return &r, nil
}

// Text returns title, language and text of a copy.
func (x *reader) Text(c *stored.Copy) Row {
	r := Row{URL: c.URL, Date: c.Time.UTC()}
	text, _ := x.decoder.Decode(c.Body, c.Get("Content-Type"))
	if c.Media == "text/plain" {
		r.Language, r.Text = page.Language(nil, c.Get("Content-Language")), clean(text)
		return r
	}
	x.scanner.Scan(text, &x.page)
	r.Language = page.Language(text, c.Get("Content-Language"))
	r.Title = clean(x.page.Title)
	if x.main = x.main[:0]; x.full {
		r.Text = clean(x.page.Text)
	} else {
		x.main = x.page.AppendMain(x.main)
		r.Text = clean(x.main)
	}
	return r
}

// clean returns a text as valid UTF-8 without space around it, and without the signs for links to
// headings that some documentation has at their ends.
func clean(text []byte) string {
	text = bytes.ReplaceAll(text, []byte("¶\n"), []byte("\n"))
	return strings.ToValidUTF8(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(text), []byte("¶")))), "\uFFFD")
}

// A Reader makes rows of single copies. It belongs to one goroutine.
type Reader struct{ x *reader }

// NewReader returns a reader of main texts.
func NewReader() *Reader { return &Reader{newReader(&Options{})} }

// Row returns the row of a copy. It reports whether the copy is a page with text.
func (r *Reader) Row(c *stored.Copy) (Row, bool) {
	if !readable(c.Media) || c.Status < 200 || c.Status > 299 {
		return Row{}, false
	}
	return r.x.Text(c), true
}

// ErrFormat is returned for a file name whose end names no format.
var ErrFormat = errors.New("the name ends neither in .jsonl, .jsonl.gz, .jsonl.zst nor in .parquet")
