package history

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A SiteInfo describes a site. winnow sites prints its JSON form.
type SiteInfo struct {
	part     int        // the partition that requests it
	Site     string     `json:"site"` // scheme, host and port
	Known    int64      `json:"known"`
	Waiting  int64      `json:"waiting"` // pages that wait or are being fetched
	Fetched  int64      `json:"fetched"`
	Failed   int64      `json:"failed"`
	Skipped  int64      `json:"skipped"`
	Requests int64      `json:"requests"` // of pages, requisites, robots.txt and sitemaps
	Delay    float64    `json:"delay_seconds"`
	By       string     `json:"by"`                     // what decides the delay: see frontier.DelayBy
	Next     *time.Time `json:"next_request,omitempty"` // it is not requested before; nil: nothing is left, now, or when the crawl is resumed
	Robots   string     `json:"robots"`                 // ok, none (the server has no robots.txt), elsewhere (it moved), unavailable, not fetched, ignored
	// Down tells why its last request failed, if it cannot be reached at present.
	Down      string     `json:"unreachable,omitempty"`
	LastError string     `json:"last_error,omitempty"` // of a page, robots.txt, a sitemap or its name
	ErrorAt   *time.Time `json:"last_error_at,omitempty"`
}

// A SiteFilter selects sites.
type SiteFilter struct {
	Name    string // a part of the name; "": all
	Waiting bool   // only those with pages that wait
	Failed  bool   // only those with failed pages
	Down    bool   // only those that cannot be reached
	Sort    string // one of SiteOrders; "": by name
	Limit   int    // 0: no limit
}

// siteOrders are the orders of sites. All but that by name begin with the largest.
var siteOrders = map[string]func(a, b *SiteInfo) int{
	"name":     func(a, b *SiteInfo) int { return 0 },
	"waiting":  func(a, b *SiteInfo) int { return cmp.Compare(b.Waiting, a.Waiting) },
	"fetched":  func(a, b *SiteInfo) int { return cmp.Compare(b.Fetched, a.Fetched) },
	"failed":   func(a, b *SiteInfo) int { return cmp.Compare(b.Failed, a.Failed) },
	"skipped":  func(a, b *SiteInfo) int { return cmp.Compare(b.Skipped, a.Skipped) },
	"requests": func(a, b *SiteInfo) int { return cmp.Compare(b.Requests, a.Requests) },
	"delay":    func(a, b *SiteInfo) int { return cmp.Compare(b.Delay, a.Delay) },
	"error":    func(a, b *SiteInfo) int { return -compareTimes(a.ErrorAt, b.ErrorAt) },
}

// compareTimes compares two times; nil is before all others.
func compareTimes(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return a.Compare(*b)
}

// SiteOrders returns the names of the orders in which sites can be listed.
func SiteOrders() []string {
	return []string{"name", "waiting", "fetched", "failed", "skipped", "requests", "delay", "error"}
}

// SiteList returns the selected sites at a time. It calls State and reads the journal.
func (c *Crawl) SiteList(f *SiteFilter, now time.Time) ([]SiteInfo, error) {
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	list := make([]SiteInfo, s.Frontier.Sites())
	for i := range list {
		list[i] = c.Site(graph.Site(i), now)
	}
	for p := range graph.Page(s.Frontier.Pages()) {
		list[s.Frontier.Site(p)].count(s.Frontier.State(p))
	}
	if err := c.Each(func(r *journal.Record) error { siteErrors(s, list, r); return nil }); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(x SiteInfo) bool {
		return !strings.Contains(x.Site, f.Name) || f.Waiting && x.Waiting == 0 || f.Failed && x.Failed == 0 || f.Down && x.Down == ""
	})
	if self, of := s.Self(); of > 0 {
		list = slices.DeleteFunc(list, func(x SiteInfo) bool { return x.part != self })
	}
	return f.cut(list), nil
}

// SiteList returns the selected sites of all partitions.
func (a *All) SiteList(f *SiteFilter, now time.Time) (list []SiteInfo, err error) {
	for _, c := range a.Crawls {
		part, err := c.SiteList(f, now)
		if err != nil {
			return nil, err
		}
		list = append(list, part...)
	}
	return f.cut(list), nil
}

// cut sorts a list of sites, and cuts it.
func (f *SiteFilter) cut(list []SiteInfo) []SiteInfo {
	order := siteOrders[cmp.Or(f.Sort, "name")]
	slices.SortFunc(list, func(a, b SiteInfo) int { return cmp.Or(order(&a, &b), cmp.Compare(a.Site, b.Site)) })
	if f.Limit > 0 {
		list = list[:min(len(list), f.Limit)]
	}
	return list
}

// Site describes a site at a time, without its pages, requests and errors. State must be called
// before.
func (c *Crawl) Site(id graph.Site, now time.Time) SiteInfo {
	s, f := c.state, c.state.Frontier
	x := SiteInfo{part: f.Partition(id), Site: string(s.Table.Name(id)), Delay: f.Between(id).Seconds(), By: f.DelayBy(id), Robots: "not fetched"}
	if !c.config.Robots {
		x.Robots = "ignored"
	}
	why, down := s.Weather.WhyDown(id)
	if down && f.Wanting(id) {
		x.Down = why
	}
	if at := s.Wall(f.Instant(id)); f.Wanting(id) && at.After(now) && (c.Running || x.Down != "") {
		x.Next = &at
	}
	return x
}

// count counts a page.
func (x *SiteInfo) count(s frontier.State) {
	x.Known++
	switch s {
	case frontier.Known, frontier.Acquired:
		x.Waiting++
	case frontier.Fetched, frontier.Reacquired:
		x.Fetched++
	case frontier.Failed:
		x.Failed++
	case frontier.RefusedPage:
		x.Skipped++
	}
}

// siteErrors takes from a record what it tells about requests to a site and their failures.
func siteErrors(s *state.State, list []SiteInfo, r *journal.Record) {
	e := &r.Event
	site := e.Site
	switch e.Kind {
	case event.Done:
		site = s.Frontier.Site(e.Page)
		fallthrough
	case event.Ruled, event.Listed, event.Brought:
		if e.Kind == event.Ruled {
			list[e.For].Robots = RobotsState(r)
		}
		list[site].Requests++
	case event.Resolved:
	default:
		return
	}
	if !e.Class.Failed() || e.Kind == event.Ruled && RobotsState(r) != "unavailable" {
		return
	}
	at := s.Wall(e.End)
	list[site].LastError, list[site].ErrorAt = FailureOf(r), &at
}

// RobotsState returns what the answer to a request for a robots.txt means for the site.
func RobotsState(r *journal.Record) string {
	switch {
	case r.Event.Hop:
		return "elsewhere"
	case r.Event.Again || r.Event.Class.Failed():
		return "unavailable"
	case r.Facts.Status >= 400:
		return "none"
	}
	return "ok"
}

// FailureOf says in a few words why a request failed.
func FailureOf(r *journal.Record) string {
	d := Failure{Class: r.Event.Class.String(), Status: int(r.Facts.Status), Note: r.Facts.Note}
	return d.Text()
}
