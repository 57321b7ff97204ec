package stored

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// MaxBody is the largest number of bytes that are read of a body, and that it may have when it
// is decoded.
const MaxBody = 256 << 20

// A Copy is a page as it was stored at a visit.
type Copy struct {
	URL     string
	Time    time.Time // of the visit
	Status  int       // of the answer that holds the body
	Reason  string    // that follows the status; may be empty
	Head    []archive.Field
	Media   string // type and subtype, in lower case
	Charset string // of a text, else empty
	Body    []byte // without content codings
	Raw     []byte // as it was sent, without transfer coding
	// Truncated says why the body ends early, as WARC-Truncated does: length, time or disconnect.
	// It is empty for a whole body.
	Truncated string
	// Damage says why the body could not be decoded to its end; nil if it could.
	Damage error
	// Original is the time of the visit that brought the body, if the page had not changed since.
	// It is Time otherwise.
	Original time.Time
}

// Get returns the value of the first field of the header with a name, in any case.
func (c *Copy) Get(name string) string {
	h := archive.Head{Fields: c.Head}
	return h.Get(name)
}

// IsText reports whether the body is a text that people read.
func (c *Copy) IsText() bool { return c.Charset != "" }

// Text returns the body in UTF-8. If it is no text, its bytes are returned.
func (c *Copy) Text() []byte {
	if !c.IsText() {
		return c.Body
	}
	var d page.Decoder
	text, _ := d.Decode(c.Body, c.Get("Content-Type"))
	return text
}

// Find returns the copy of a URL at a time: of the last visit at this time or before. The zero
// time is now. The URL must be in its normal form. If there is no such copy, the error is a
// *Missing.
func (a *Archive) Find(url string, at time.Time) (*Copy, error) {
	visits, others, err := a.lookUp(url)
	if err != nil {
		return nil, err
	}
	for i := len(visits) - 1; i >= 0; i-- {
		v := &visits[i]
		if !at.IsZero() && v.Time.After(at) {
			continue
		}
		c, err := a.Read(v, visits...)
		if err == nil && !at.IsZero() && c.Time.After(at) { // in the same second
			continue
		}
		return c, err
	}
	m := a.missing(Missing{URL: url, Reason: Unfound, Others: others})
	if len(visits) > 0 {
		m.Reason, m.First = Later, visits[0].Time
	}
	return nil, m
}

// Nearest returns the copy of a URL whose visit is nearest to a time, one that brought something if
// there is such a one: what a page was shown with was mostly fetched after it.
func (a *Archive) Nearest(url string, at time.Time) (*Copy, error) {
	visits, others, err := a.lookUp(url)
	if err != nil {
		return nil, err
	}
	if len(visits) == 0 {
		return nil, a.missing(Missing{URL: url, Reason: Unfound, Others: others})
	}
	best := slices.MinFunc(visits, func(x, y Visit) int {
		if x.failed() != y.failed() {
			return map[bool]int{true: 1, false: -1}[x.failed()]
		}
		return cmp.Compare(x.Time.Sub(at).Abs(), y.Time.Sub(at).Abs())
	})
	return a.Read(&best, visits...)
}

// failed reports whether the answer says that there is nothing.
func (v *Visit) failed() bool { return v.Status >= http.StatusBadRequest }

// Read reads the copy of a visit. The body of a revisit is looked for among some visits of the
// URL, and if it is not there in the whole archive.
func (a *Archive) Read(v *Visit, among ...Visit) (*Copy, error) {
	c, rec, err := a.record(v)
	if err != nil || !v.Revisit {
		return c, err
	}
	o, err := a.original(v, rec, among)
	var none *Missing
	if len(among) > 0 && errors.As(err, &none) && none.Reason == NoOriginal {
		o, err = a.original(v, rec, nil)
	}
	if err != nil {
		return nil, err
	}
	o.Original, o.Time = o.Time, c.Time
	if c.Status != http.StatusNotModified { // the whole header came again
		o.Status, o.Reason, o.Head = c.Status, c.Reason, c.Head
	}
	return o, nil
}

// original returns the response that holds the body of a revisit: one of some visits, or of any.
func (a *Archive) original(v *Visit, fields []archive.Field, visits []Visit) (*Copy, error) {
	h := archive.Head{Fields: fields}
	url := h.Get("WARC-Refers-To-Target-URI")
	if url == "" {
		url = v.URL
	}
	date, _ := time.Parse(time.RFC3339, h.Get("WARC-Refers-To-Date")) // without one: the last before it
	if visits == nil {
		var err error
		if visits, err = a.Copies(url); err != nil {
			return nil, err
		}
	}
	for i := len(visits) - 1; i >= 0; i-- {
		o := &visits[i]
		if o.URL != url || o.Revisit || o.Time.After(v.Time) || v.Digest != "" && o.Digest != v.Digest || !date.IsZero() && !o.Time.Equal(date.Truncate(time.Second)) {
			continue
		}
		found, _, err := a.record(o)
		if err == nil && !date.IsZero() && !found.Time.Equal(date) {
			continue
		}
		return found, err
	}
	return nil, a.missing(Missing{URL: v.URL, Reason: NoOriginal, First: date})
}

// record reads the record of a visit, and returns its header, too.
func (a *Archive) record(v *Visit) (*Copy, []archive.Field, error) {
	f, err := a.openFile(v.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, a.missing(Missing{URL: v.URL, Reason: Deleted, File: v.File})
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	rec, err := archive.NewReaderAt(f, v.Offset, v.File).Next()
	if err == nil && (rec.URL != v.URL || !rec.Time.Truncate(time.Second).Equal(v.Time)) {
		err = fmt.Errorf("%s: record at %d: it is about %q, and the index says %q", v.File, v.Offset, rec.URL, v.URL)
	}
	if err != nil {
		return nil, nil, a.unreadable(v, err)
	}
	c := &Copy{URL: v.URL, Time: rec.Time, Original: rec.Time, Truncated: rec.Get("WARC-Truncated")}
	if rec.Type == "revisit" {
		c.Truncated = ""
	}
	head, body, err := rec.Response()
	if err != nil {
		return nil, nil, a.unreadable(v, err)
	}
	c.Status, c.Reason, c.Head, c.Media = head.Status, head.Reason, head.Fields, head.Media()
	var raw bytes.Buffer
	if _, err := raw.ReadFrom(io.LimitReader(body, MaxBody+1)); err != nil {
		return nil, nil, a.unreadable(v, err)
	}
	c.Raw = raw.Bytes()
	a.decode(c, head.Get("Content-Encoding"))
	return c, rec.Fields, nil
}

// decode undoes the content codings of a body, and finds what kind of text it is.
func (a *Archive) decode(c *Copy, coding string) {
	if len(c.Raw) > MaxBody {
		c.Raw, c.Damage = c.Raw[:MaxBody], fmt.Errorf("it is larger than %d bytes", MaxBody)
	}
	c.Body = c.Raw
	if coding != "" && len(c.Raw) > 0 {
		body, err := a.decoder.Decode(nil, c.Raw, coding, MaxBody)
		if c.Body = body; err != nil && c.Truncated == "" {
			c.Damage = err
		}
	}
	if c.Media == "" && len(c.Body) > 0 {
		c.Media, _, _ = strings.Cut(http.DetectContentType(c.Body), ";")
	}
	if isText(c.Media) {
		c.Charset = page.DetectCharset(c.Body, c.Get("Content-Type")).Name
	}
}

// isText reports whether a media type is one of texts.
func isText(media string) bool {
	switch kind, sub, _ := strings.Cut(media, "/"); kind {
	case "text":
		return true
	case "application", "image", "model", "message":
		switch sub {
		case "json", "xml", "javascript", "ecmascript", "x-javascript", "x-sh", "yaml", "toml":
			return true
		}
		return strings.HasSuffix(sub, "+xml") || strings.HasSuffix(sub, "+json")
	}
	return false
}

// openFile opens a WARC file, which may get its final name just then, or be in a store.
func (a *Archive) openFile(name string) (warcFile, error) {
	at, name := a.partOf(filepath.Base(name))
	path := filepath.Join(at.dir, layout.ArchiveDir, name)
	return openWARC(at.files, name, path, path+archive.OpenSuffix)
}

// partOf returns the partition of a WARC file, and the name that the file has there.
func (a *Archive) partOf(name string) (part, string) {
	for _, p := range a.parts {
		if own, ok := strings.CutPrefix(name, p.tag); ok {
			return p, own
		}
	}
	return a.parts[0], name
}

func (a *Archive) unreadable(v *Visit, err error) error {
	e := &hint.Error{
		Text: "cannot read the copy of " + v.URL, Err: err,
		Hint: "winnow verify " + a.dir + " lists what is wrong with the archive; a wrong index can be deleted, winnow report writes it again",
	}
	var more *hint.Error
	if errors.As(err, &more) && more.Hint != "" { // of a store
		e.Hint = more.Hint
	}
	return e
}

// maxHops is the number of redirects that Follow follows.
const maxHops = 5

// Follow returns the last copy of a URL or, if that is a redirect, of where it leads. It returns
// nil if there is none.
func (a *Archive) Follow(url string) *Copy {
	for range maxHops {
		c, err := a.Find(url, time.Time{})
		if err != nil {
			return nil
		}
		to := c.Get("Location")
		if c.Status < 300 || c.Status > 399 || to == "" {
			return c
		}
		var r page.Resolver
		if !r.Document([]byte(url)).Usable() {
			return nil
		}
		next, v := r.Resolve(nil, []byte(to))
		if !v.Usable() {
			return nil
		}
		url = string(next)
	}
	return nil
}
