package history

import (
	"slices"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A RequisiteInfo describes what pages need to be shown. winnow pages --requisites prints its JSON
// form.
type RequisiteInfo struct {
	URL    string `json:"url"`
	State  string `json:"state"`            // waiting, fetched, failed or skipped
	Why    string `json:"why,omitempty"`    // it is not fetched
	Class  string `json:"class,omitempty"`  // of the last attempt; "": there was none
	Status uint16 `json:"status,omitempty"` // of HTTP; 0: no answer
	Media  string `json:"media,omitempty"`  // its type
	Bytes  int64  `json:"bytes"`            // as received
	Page   string `json:"page"`             // the first page that needed it
	Step   int    `json:"step"`             // answers between that page and it: 1 if the page names it
}

// Requisites calls fn for the requisites of a crawl, in the order in which they became known, until
// fn returns an error. Of the filter State, Site and Limit count. It calls State and reads the
// journal.
func (c *Crawl) Requisites(f *PageFilter, fn func(*RequisiteInfo) error) error {
	s, err := c.State()
	if err != nil {
		return err
	}
	sites, err := c.sitesOf(s, f.Site)
	if err != nil {
		return err
	}
	list := requisiteList{s: s}
	if err := c.Each(func(r *journal.Record) error { list.take(r); return nil }); err != nil {
		return err
	}
	each := upTo(f.Limit)
	for i := range list.all {
		x := &list.all[i]
		if x.URL == "" || sites != nil && !sites[list.site[i]] {
			continue
		}
		if x.State == PageWaiting && s.Frontier.Closed(list.site[i]) {
			x.State, x.Why = PageFailed, "unreachable"
		}
		if f.State == "" || f.State == x.State {
			if err := each(fn(x)); err != nil {
				return unlessEnough(err)
			}
		}
	}
	return nil
}

// A requisiteList collects requisites from records.
type requisiteList struct {
	s    *state.State
	all  []RequisiteInfo // by number; without a URL if its record is lost
	site []graph.Site
}

// take takes what a record tells.
func (l *requisiteList) take(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Needed:
		l.needed(r)
	case event.Brought:
		if int(e.Page) >= len(l.all) {
			return
		}
		l.all[e.Page].tried(r)
	case event.Unneeded:
		for _, n := range r.Facts.Parts {
			if int(n) < len(l.all) {
				l.all[n].State, l.all[n].Why = PageSkipped, e.Bar.String()
			}
		}
	}
}

func (l *requisiteList) needed(r *journal.Record) {
	e := &r.Event
	for i, id := range e.Needs {
		n := int(e.First) + i
		for len(l.all) <= n {
			l.all, l.site = append(l.all, RequisiteInfo{}), append(l.site, 0)
		}
		if len(e.Bars) == 0 || e.Bars[i] != event.BarForeign { // another partition has it
			l.all[n], l.site[n] = newRequisite(l.s, r, i), id
		}
	}
}

// newRequisite describes the requisite at a place of those that a record made known.
func newRequisite(s *state.State, r *journal.Record, i int) RequisiteInfo {
	e := &r.Event
	x := RequisiteInfo{State: PageWaiting, Step: int(r.Facts.Step)}
	if e.Page != graph.NoPage { // a page of another partition
		x.Page = string(s.AppendURL(nil, e.Page))
	}
	x.URL = string(s.Table.Name(e.Needs[i])) + string(r.Facts.Names.Rest(i))
	if len(e.Bars) > 0 && e.Bars[i] != event.NoBar {
		x.State, x.Why = PageSkipped, e.Bars[i].String()
		if e.Bars[i] == event.BarSitePages {
			x.Why = "crowded"
		}
	}
	return x
}

// tried takes in the end of an attempt.
func (x *RequisiteInfo) tried(r *journal.Record) {
	e := &r.Event
	x.Class, x.Status, x.Media, x.Bytes = e.Class.String(), r.Facts.Status, r.Facts.Media, e.Bytes
	switch {
	case e.Again:
	case e.Class.Failed():
		x.State, x.Why = PageFailed, e.Class.String()
	default:
		x.State = PageFetched
	}
}

// Requisite describes the requisite with a URL in normal form. each calls its argument for the records
// that tell about the one with a number, and maybe for others, in order. It returns nil if the URL
// is none.
func Requisite(s *state.State, url string, each func(graph.Page, func(*journal.Record) error) error) (*RequisiteInfo, error) {
	name, rest := page.Site([]byte(url))
	n, ok := s.Requisites.Seen().LookupPage(s.Key.Page(s.Key.Site(name), rest))
	if !ok {
		return nil, nil
	}
	var x *RequisiteInfo
	site := graph.NoSite
	err := each(n, func(r *journal.Record) error {
		switch e := &r.Event; {
		case e.Kind == event.Needed && n >= e.First && int(n-e.First) < len(e.Needs):
			one := newRequisite(s, r, int(n-e.First))
			x, site = &one, e.Needs[n-e.First]
		case x == nil:
		case e.Kind == event.Brought && e.Page == n:
			x.tried(r)
		case e.Kind == event.Unneeded && slices.Contains(r.Facts.Parts, n):
			x.State, x.Why = PageSkipped, e.Bar.String()
		}
		return nil
	})
	if x != nil && x.State == PageWaiting && s.Frontier.Closed(site) {
		x.State, x.Why = PageFailed, "unreachable"
	}
	return x, err
}

// AboutRequisite calls fn for all records.
func (c *Crawl) AboutRequisite(_ graph.Page, fn func(*journal.Record) error) error { return c.Each(fn) }

// requisiteURLs knows the URLs of requisites that wait, while records are read in their order.
type requisiteURLs map[graph.Page]string

// take takes what a record tells, and returns the URL of the requisite that it ends.
func (m requisiteURLs) take(s *state.State, r *journal.Record) (url string) {
	switch e := &r.Event; e.Kind {
	case event.Needed:
		for i, id := range e.Needs {
			m[e.First+graph.Page(i)] = string(s.Table.Name(id)) + string(r.Facts.Names.Rest(i))
		}
	case event.Brought:
		url = m[e.Page]
		if !e.Again {
			delete(m, e.Page)
		}
	}
	return url
}
