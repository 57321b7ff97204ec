// Package offline shows stored pages in a browser that has no network: one pass of a page at a
// time. A Studio reads the page and what earlier passes asked for from the archive, answers the
// requests of the browser with that alone, and returns what the page shows, and what was not there.
// It knows no clock of a site and makes no request.
package offline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/render"
	"github.com/winnow-crawler/winnow/crawl/render/browser"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A Browser shows pages, one at a time. *browser.Browser is one.
type Browser interface {
	Show(ctx context.Context, p *browser.Page, get func(url string) *browser.Answer) (*browser.Shown, error)
	Close()
}

// A Job is one pass of a page, and its result.
type Job struct {
	Page   graph.Page
	URL    string
	Answer render.Mark // of the page
	Parts  []Part      // what earlier passes asked for and has come
	Room   int         // requisites that it may still ask for

	Found gather.Found  // what the page shows; of its HTML alone, if Note is not ""
	Asked *gather.Needs // what was not there
	Note  string        // why it was not shown; "": it was
	Void  bool          // it was cancelled and has no result
}

// A Part is a requisite that has come.
type Part struct {
	Number graph.Page
	Mark   render.Mark
}

// A Studio does passes. It is for one goroutine.
type Studio struct {
	Journal *journal.Finder
	Archive disk.Dir
	Gather  *gather.Options
	Browser Browser // nil: pages are not shown, and have the links of their HTML
	MaxBody int64   // bytes of an answer without its content coding
	// Secret, if not nil, reports whether a site is requested with secrets of the user. Pages of other
	// sites do not get its answers.
	Secret func(site []byte) bool

	gatherer *gather.Gatherer
	decoder  fetch.Decoder
	resolver page.Resolver
	answers  map[string]*browser.Answer // by URL, of the last passes
	bytes    int64                      // of their bodies
	broken   int                        // times that the browser failed, one after the other
}

const (
	// mostKept is the most bytes of answers that are kept for the next passes.
	mostKept = 64 << 20
	// mostBroken is how often the browser may fail, one page after the other, before it is not used
	// any more.
	mostBroken = 5
)

// Do does a pass. A page on which a parser panics counts as not shown.
func (s *Studio) Do(ctx context.Context, j *Job) {
	defer func() {
		if x := recover(); x != nil {
			s.gatherer = nil // it may be in any state
			j.Found, j.Asked, j.Note = gather.Found{}, new(gather.Needs), fmt.Sprintf("parser crashed: %.200v", x)
		}
	}()
	if s.gatherer == nil {
		s.gatherer = gather.New(s.Gather)
	}
	j.Asked = new(gather.Needs)
	p, err := s.load(j)
	if err != nil {
		j.Note = fmt.Sprintf("cannot read its copy: %.200v", err)
		j.Found.Reset()
		return
	}
	shown, err := s.show(ctx, j, p)
	if j.Void = ctx.Err() != nil; j.Void {
		return
	}
	if err != nil {
		j.Note = err.Error()
		shown = new(browser.Shown)
	} else {
		j.Asked = s.gatherer.Asked(j.URL, s.allowed(j.URL, shown.Asked), j.Room)
	}
	a := fetch.Answer{Class: event.OK, Status: p.Answer.Status, Header: p.Answer.Header, Body: p.Answer.Body}
	s.gatherer.Rendered(j.URL, &a, shown.HTML, shown.Leads, &j.Found)
}

// Close ends the browser.
func (s *Studio) Close() {
	if s.Browser != nil {
		s.Browser.Close()
	}
}

// errOff is the note of pages when there is no browser to use.
var (
	errOff    = errors.New("rendering is switched off")
	errBroken = errors.New("the browser does not work")
)

// show shows a page. A browser that crashed gets a second try: it may not be the fault of the page.
func (s *Studio) show(ctx context.Context, j *Job, p *browser.Page) (shown *browser.Shown, err error) {
	switch {
	case s.Browser == nil:
		return nil, errOff
	case s.broken >= mostBroken:
		return nil, errBroken
	}
	if !s.resolver.Document([]byte(j.URL)).Usable() {
		return nil, errors.New("its URL has no normal form")
	}
	for range 2 {
		if shown, err = s.Browser.Show(ctx, p, s.get(j, p)); err == nil {
			s.broken = 0
			return shown, nil
		}
		if !errors.Is(err, browser.ErrCrash) || ctx.Err() != nil {
			return nil, err
		}
	}
	s.broken++
	return nil, err
}

// Broken reports whether the browser is not used any more because it fails always.
func (s *Studio) Broken() bool { return s.broken >= mostBroken }

// get returns what answers the requests of a page.
func (s *Studio) get(j *Job, p *browser.Page) func(url string) *browser.Answer {
	home, _ := page.Site([]byte(j.URL))
	return func(url string) *browser.Answer {
		to, v := s.resolver.Resolve(nil, []byte(url))
		if !v.Usable() {
			return nil
		}
		if string(to) == j.URL {
			return &p.Answer
		}
		if site, _ := page.Site(to); s.Secret != nil && s.Secret(site) && string(site) != string(home) {
			return nil
		}
		return s.answers[string(to)]
	}
}

// allowed returns the URLs that a page may ask for: not those of other sites that get secrets.
func (s *Studio) allowed(url string, asked []string) (list []string) {
	home, _ := page.Site([]byte(url))
	for _, text := range asked {
		to, v := s.resolver.Resolve(nil, []byte(text))
		if !v.Usable() {
			continue
		}
		if site, _ := page.Site(to); s.Secret != nil && s.Secret(site) && string(site) != string(home) {
			continue
		}
		list = append(list, text)
	}
	return list
}

// load reads a page and what has come for it.
func (s *Studio) load(j *Job) (*browser.Page, error) {
	if s.bytes > mostKept || s.answers == nil {
		s.answers, s.bytes = map[string]*browser.Answer{}, 0
	}
	for _, x := range j.Parts {
		if url, a, _, err := s.read(event.Brought, x.Number, x.Mark); err == nil && s.answers[url] == nil {
			s.answers[url] = a
			s.bytes += int64(len(a.Body))
		}
	}
	p := &browser.Page{URL: j.URL}
	_, a, rec, err := s.read(event.Done, j.Page, j.Answer)
	if err != nil {
		return nil, err
	}
	p.Answer, p.Time = *a, rec.Time
	return p, nil
}

// read reads an answer whose record is at a place of the journal.
func (s *Studio) read(kind event.Kind, number graph.Page, m render.Mark) (url string, a *browser.Answer, rec *archive.Record, err error) {
	var at journal.Place
	if m <= render.None || !s.Journal.Find(m.At(), render.Unit, kind, func(r *journal.Record) bool {
		ok := r.Event.Page == number && !r.Event.Again && r.Facts.Place.Length > 0
		if ok {
			at = r.Facts.Place
		}
		return ok
	}) {
		return "", nil, nil, errors.New("the journal does not have its record")
	}
	rec, end, err := archive.Read(s.Archive, archive.Place{File: int(at.File), Offset: at.Offset, Length: at.Length})
	if err != nil {
		return "", nil, nil, err
	}
	defer end()
	if rec.Type != "response" {
		return "", nil, nil, fmt.Errorf("the archive has a %s record", rec.Type)
	}
	head, body, err := rec.Response()
	if err != nil {
		return "", nil, nil, err
	}
	a = &browser.Answer{Status: head.Status, Header: http.Header{}}
	for _, f := range head.Fields {
		a.Header.Add(f.Name, f.Value)
	}
	if a.Body, err = io.ReadAll(io.LimitReader(body, s.MaxBody)); err != nil {
		return "", nil, nil, err
	}
	if coding := strings.Join(a.Header["Content-Encoding"], ","); coding != "" {
		plain, err := s.decoder.Decode(nil, a.Body, coding, s.MaxBody)
		if err != nil && len(plain) == 0 {
			return "", nil, nil, err
		}
		a.Body = plain
		a.Header.Del("Content-Encoding")
	}
	return rec.URL, a, rec, nil
}
