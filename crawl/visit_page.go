package crawl

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
)

// A Page is a fetched page, as RunOptions.OnPage gets it. Header and Body must not be changed, and
// are valid until OnPage returns.
type Page struct {
	URL    string // in normal form
	Time   time.Time
	Status int
	Header http.Header // of the answer, as received
	Body   []byte      // without content coding; nil if the server answered 304
	// Media is the type, such as text/html; Charset and Title are known of HTML only.
	Media, Charset, Title string
	// Duplicate reports whether the content is that of another page. Unchanged reports whether it
	// is the same as at the last visit.
	Duplicate, Unchanged bool
}

// A visitor shows committed pages to RunOptions.OnPage. The first error ends the crawl.
type visitor struct {
	onPage func(*Page) error // nil: nobody wants to see pages
	began  time.Time         // wall clock of instant 0
	stop   context.CancelCauseFunc
	err    error
}

// newVisitor returns a visitor, and the context that it ends.
func newVisitor(ctx context.Context, o *RunOptions) (*visitor, context.Context) {
	v := &visitor{onPage: o.OnPage}
	ctx, v.stop = context.WithCancelCause(ctx)
	return v, ctx
}

// wants reports whether OnPage is to see the page of a task, whose outcome is of a class.
func (v *visitor) wants(class event.Class, c *config.Config) bool {
	return v.onPage != nil && (class == event.OK || class == event.Duplicate || class == event.NotHTML && c.Types != config.TypesHTML)
}

// show shows the pages of a group that is on disk.
func (v *visitor) show(tasks []*task) {
	for _, t := range tasks {
		if !t.shown || v.err != nil {
			continue
		}
		if err := v.onPage(t.page(v.began)); err != nil {
			v.err = fmt.Errorf("OnPage, at %s: %w", t.url, err)
			v.stop(v.err)
		}
	}
}

// page returns what OnPage sees of a task.
func (t *task) page(began time.Time) *Page {
	a, f := t.answer, &t.found
	p := &Page{
		URL: t.url, Time: began.Add(t.start + t.shift), Status: a.Status, Header: a.Header, Body: f.Body,
		Media: f.Media, Charset: f.Charset, Title: f.Title,
		Duplicate: t.duplicate, Unchanged: f.Revisit || a.Status == http.StatusNotModified,
	}
	if len(f.Body) == 0 {
		p.Body = nil
	}
	return p
}
