package history

import (
	"errors"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A Request is a request that has ended. winnow log prints its JSON form.
type Request struct {
	Record uint64    `json:"record"` // number of the record in the journal
	At     time.Time `json:"at"`     // its end
	Kind   string    `json:"kind"`   // fetch, robots, sitemap, resolve
	Site   string    `json:"site"`
	URL    string    `json:"url,omitempty"` // of a page
	Class  string    `json:"class"`
	Status uint16    `json:"status,omitempty"` // of HTTP; 0: no answer
	Took   float64   `json:"seconds"`
	Bytes  int64     `json:"bytes"`
	Note   string    `json:"note,omitempty"`  // what went wrong, for people
	Again  bool      `json:"again,omitempty"` // it is to be tried again
}

// A LogFilter selects requests.
type LogFilter struct {
	Site         string            // see PageFilter
	Class        func(string) bool // nil: all
	Since, Until time.Time         // of their ends; the zero time: any
	Limit        int64             // 0: no limit
}

// errEnough ends a list that has reached its limit.
var errEnough = errors.New("enough")

// upTo returns a function for the error of each item of a list. It returns that error, and
// errEnough with the last item of the limit, if there is one.
func upTo(limit int64) func(error) error {
	return func(err error) error {
		if limit--; err == nil && limit == 0 {
			return errEnough
		}
		return err
	}
}

// unlessEnough returns nil for errEnough.
func unlessEnough(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// Log calls fn for the selected requests in the order of their records until fn returns an
// error. It calls State and reads the journal.
func (c *Crawl) Log(f *LogFilter, fn func(*Request) error) error {
	s, err := c.State()
	if err != nil {
		return err
	}
	sites, err := c.sitesOf(s, f.Site)
	if err != nil {
		return err
	}
	each, parts := upTo(f.Limit), requisiteURLs{}
	err = c.Each(func(r *journal.Record) error {
		part := parts.take(s, r)
		site, kind := requestOf(s, r)
		if kind == "" || sites != nil && !sites[site] || f.Class != nil && !f.Class(r.Event.Class.String()) {
			return nil
		}
		at := time.Unix(0, s.Began).Add(r.Event.End).Truncate(time.Millisecond)
		if at.Before(f.Since) || !f.Until.IsZero() && at.After(f.Until) {
			return nil
		}
		x := Request{
			Record: r.Seq, At: at, Kind: kind, Site: string(s.Table.Name(site)), Class: r.Event.Class.String(), Status: r.Facts.Status,
			Took: (r.Event.End - r.Event.Start).Seconds(), Bytes: r.Event.Bytes, Note: r.Facts.Note, Again: r.Event.Again,
		}
		if r.Event.Kind == event.Done {
			x.URL = string(s.AppendURL(nil, r.Event.Page))
		}
		if part != "" {
			x.URL = part
		}
		return each(fn(&x))
	})
	return unlessEnough(err)
}

// requestOf returns the site that a record of a request is about, and what was requested; ""
// for other records.
func requestOf(s *state.State, r *journal.Record) (graph.Site, string) {
	switch r.Event.Kind {
	case event.Done:
		return s.Frontier.Site(r.Event.Page), event.Fetch.String()
	case event.Ruled:
		return r.Event.Site, event.Robots.String()
	case event.Listed:
		return r.Event.Site, event.Sitemap.String()
	case event.Brought:
		return r.Event.Site, event.Requisite.String()
	case event.Resolved:
		return r.Event.Site, event.Resolve.String()
	}
	return 0, ""
}

// Lookup returns the page of a URL as people write it. Without a scheme both are tried.
func (c *Crawl) Lookup(text string) (p graph.Page, known bool, err error) {
	s, err := c.State()
	if err != nil {
		return 0, false, err
	}
	forms, err := page.Forms(text)
	if err != nil {
		return 0, false, err
	}
	for _, url := range forms {
		if p, ok := s.Lookup(url); ok && int(p) < s.Frontier.Pages() {
			return p, true, nil
		}
	}
	return 0, false, nil
}
