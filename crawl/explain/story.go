package explain

import (
	"slices"
	"strconv"
	"time"

	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A story is what the journal tells about a page.
type story struct {
	page graph.Page
	site graph.Site
	most int // linking pages to keep

	foundBy  string
	foundAt  time.Duration
	since    time.Duration // of the last change of its state
	visits   []visit
	linkers  map[graph.Page]bool // all that link to it
	linked   []graph.Page        // the first of them
	target   graph.Page          // where it redirects to, or NoPage
	like     graph.Page          // a page with the same content, or nearly, or NoPage
	withheld string              // what it asks for, if it was not stored for that reason
	dropped  time.Duration       // when it was dropped last, if it was
	reading  event.Reading       // of its last visit
	anchor   uint64              // terms of the topic in the texts of links to it
	around   uint64              // and in the words around them
}

// A visit is an attempt at the page.
type visit struct {
	start, end, due time.Duration
	status          uint16
	class           event.Class
	bytes           int64
	note            string
}

// read takes from a record what it tells about the page.
func (x *story) read(s *state.State, r *journal.Record) {
	e := &r.Event
	if n := graph.Page(len(e.New)); n > 0 && r.First <= x.page && x.page < r.First+n {
		x.foundBy, x.foundAt, x.since = foundBy(r), r.Now, r.Now
	}
	if slices.Contains(e.Admit, x.page) {
		switch e.Kind {
		case event.Dropped:
			x.dropped = r.Now
		case event.Moved: // within the archive
		default:
			x.since = r.Now
		}
	}
	switch e.Kind {
	case event.Took:
		if e.Task.Kind == event.Fetch && e.Page == x.page {
			x.since = r.Now
		}
	case event.Refused:
		if e.Page == x.page {
			x.since = r.Now
		}
	case event.Resolved, event.Ruled:
		if e.Site == x.site && e.Class.Failed() && !e.Again { // its site is given up
			x.since = r.Now
		}
	case event.Done:
		x.done(s, r)
	case event.Judged:
		if e.Page == x.page {
			x.reading.Set(&e.Read)
		}
		x.hits(e)
	}
}

// done takes what the end of an attempt at a page tells.
func (x *story) done(s *state.State, r *journal.Record) {
	e := &r.Event
	if e.Page == x.page {
		x.visited(s, r)
		return
	}
	x.hits(e)
	if !e.Class.Failed() && !x.linkers[e.Page] && slices.Contains(e.Links, x.page) {
		x.linkers[e.Page] = true
		if len(x.linked) < x.most {
			x.linked = append(x.linked, e.Page)
		}
	}
}

// hits takes the terms at links to the page.
func (x *story) hits(e *event.Event) {
	for _, h := range e.Read.Hits {
		if e.Links[h.Link] == x.page {
			x.anchor, x.around = x.anchor|h.Anchor, x.around|h.Around
		}
	}
}

// visited notes an attempt at the page.
func (x *story) visited(s *state.State, r *journal.Record) {
	e := &r.Event
	x.since = e.End
	v := visit{start: e.Start, end: e.End, status: r.Facts.Status, class: e.Class, bytes: e.Bytes, note: r.Facts.Note}
	if e.Again {
		v.due = e.Due
	}
	x.visits = append(x.visits, v)
	if e.Read.Words > 0 {
		x.reading.Set(&e.Read)
	}
	if w := state.Withheld(&r.Facts); !e.Class.Failed() && (w != 0 || v.status != journal.NotModified) {
		x.withheld = w.String()
	}
	x.target, x.like = graph.NoPage, graph.NoPage
	switch {
	case e.Class.Failed():
	case e.Class == event.Redirect && len(e.Links) > 0:
		x.target = e.Links[0]
	case e.Class == event.Duplicate && r.Facts.Near > 0:
		x.like = graph.Page(r.Facts.Near - 1)
	default:
		if p, _, _ := s.Content.Like(r); p != x.page {
			x.like = p
		}
	}
}

// foundBy names what made a page known.
func foundBy(r *journal.Record) string {
	switch e := &r.Event; {
	case r.Facts.Notice:
		return "notice"
	case r.Facts.Old:
		return "history"
	case e.Kind == event.Seed:
		return "seed"
	case e.Kind == event.Done && e.Class == event.Redirect:
		return "redirect"
	case e.Kind == event.Done:
		return "link"
	}
	return "sitemap"
}

// numbered returns a number counted from 1.
func numbered(i int) string { return strconv.Itoa(i + 1) }
