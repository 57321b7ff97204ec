package dashboard

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
)

// A pageTable is a part of the list of the pages.
type pageTable struct {
	Query, State, Why, Site, Status string
	States                          []string
	Rows                            []pageRow
	Next, First                     string
	Looked                          string
	Exact                           string // address of the page whose URL was given
	from                            graph.Page
	site                            graph.Site
	status                          uint16
}

// A pageRow is a page in a table.
type pageRow struct {
	URL, To, State, Why string
	Status              uint16
	Depth               int
	Links               int64
	Value               float64
}

func showPages(a *asked) (any, error) {
	t := &pageTable{
		Query: strings.TrimSpace(a.FormValue("q")), State: a.FormValue("state"), Why: a.FormValue("why"),
		Site: strings.TrimSpace(a.FormValue("site")), Status: strings.TrimSpace(a.FormValue("status")), States: history.PageStates(), site: graph.NoSite,
	}
	from, _ := strconv.ParseUint(a.FormValue("from"), 10, 32) // else from the first on
	status, _ := strconv.ParseUint(t.Status, 10, 16)          // else any
	t.from, t.status = graph.Page(from), uint16(min(status, 999))
	return t, a.read(t.Status != "", func(v *follow.View) error {
		if t.Site != "" {
			id, ok := v.S.Table.LookupSite(v.S.Key.Site([]byte(t.Site)), []byte(t.Site))
			if !ok {
				return &wrong{"The crawl knows no site " + t.Site + ".", "A site is scheme, host and port, as in the list of the sites."}
			}
			t.site = id
		}
		if t.Query != "" && t.from == 0 {
			if p, known, err := v.Lookup(t.Query); known && err == nil {
				t.Exact = pageLink(a.base, pageURL(v, p))
			}
		}
		next, err := t.fill(a, v)
		if int(next) < v.S.Frontier.Pages() {
			t.Next = a.with("from", fmt.Sprint(next))
		}
		if t.from > 0 {
			t.First = a.with("from", "")
		}
		return errors.Join(err, v.S.Err)
	})
}

// selects reports whether a page is in the list, as far as its URL does not decide.
func (t *pageTable) selects(v *follow.View, p graph.Page) bool {
	f := v.S.Frontier
	return (t.State == "" || stateOf(f.State(p)) == t.State) && (t.site == graph.NoSite || f.Site(p) == t.site) &&
		(t.Why == "" || whyOf(f, p) == t.Why) && (t.Status == "" || v.Index.Status(p) == t.status)
}

// errFull ends a search.
var errFull = errors.New("enough")

// fill adds the pages of a part, and returns the next page.
func (t *pageTable) fill(a *asked, v *follow.View) (next graph.Page, err error) {
	start, pages := time.Now(), graph.Page(v.S.Frontier.Pages())
	late := func(p graph.Page) bool {
		if p%4096 != 0 || p == t.from || time.Since(start) < searching {
			return false
		}
		t.Looked = fmt.Sprintf("%s of %s were looked at.", show.Grouped(int64(p)), show.Counted(int64(pages), "page"))
		return true
	}
	var found []graph.Page
	if t.Query == "" {
		for next = t.from; next < pages && len(found) < perPage && !late(next); next++ {
			if t.selects(v, next) {
				found = append(found, next)
			}
		}
	} else {
		found, next, err = t.search(v, late)
	}
	for _, p := range found {
		t.Rows = append(t.Rows, rowOf(a.base, v, p))
	}
	return next, err
}

// search looks for pages whose URL contains the query.
func (t *pageTable) search(v *follow.View, late func(graph.Page) bool) (found []graph.Page, next graph.Page, err error) {
	query, known := []byte(t.Query), graph.Page(v.S.Frontier.Pages())
	var name, full []byte
	of := graph.NoSite
	err = v.S.URLs.Each(t.from, func(p graph.Page, site graph.Site, rest []byte) error {
		next = p
		if p >= known || len(found) >= perPage || late(p) {
			return errFull
		}
		next++
		if site != of && site != graph.NoSite {
			name, of = append(name[:0], v.S.Table.Name(site)...), site
		}
		if full = append(append(full[:0], name...), rest...); bytes.Contains(full, query) && t.selects(v, p) {
			found = append(found, p)
		}
		return nil
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return found, next, err
}

// rowOf describes a page.
func rowOf(base string, v *follow.View, p graph.Page) pageRow {
	f := v.S.Frontier
	x := pageRow{URL: pageURL(v, p), State: stateOf(f.State(p)), Why: whyOf(f, p), Depth: f.Depth(p), Links: v.S.LinksIn(p), Value: f.Value(p, 0)}
	x.To = pageLink(base, x.URL)
	if v.Index != nil {
		x.Status = v.Index.Status(p)
	}
	return x
}

// stateOf names the state of a page.
func stateOf(s frontier.State) string {
	switch s {
	case frontier.Fetched, frontier.Reacquired:
		return history.PageFetched
	case frontier.Failed:
		return history.PageFailed
	case frontier.RefusedPage:
		return history.PageSkipped
	case frontier.Lost:
		return "lost"
	}
	return history.PageWaiting
}

// whyOf returns why a page is skipped or failed, "" for others.
func whyOf(f *frontier.Frontier, p graph.Page) string {
	if bar := f.Bar(p); bar != event.NoBar {
		return bar.String()
	}
	if f.State(p) == frontier.Failed {
		return f.FailedBy(p).String()
	}
	return ""
}

// A failurePage lists what failed.
type failurePage struct {
	Classes []count
	Last    []row
	Failed  int64
	Down    []downSite
}

// A downSite is a site that cannot be reached.
type downSite struct {
	Site, To, Why string
	Next          time.Time
}

func showFailures(a *asked) (any, error) {
	x := &failurePage{}
	s := a.glance.Status
	if s == nil {
		return x, follow.ErrNotReady
	}
	x.Failed = s.Failed
	x.Classes = counts(s.FailedBy, func(name string) (string, string) {
		return "", a.base + "pages?state=" + history.PageFailed + "&why=" + url.QueryEscape(name)
	})
	for _, d := range s.Unreachable {
		x.Down = append(x.Down, downSite{d.Site, siteLink(a.base, d.Site), d.Why, d.Next})
	}
	err := a.read(true, func(v *follow.View) error {
		x.Last = lastFailures(a.base, v, 100)
		return nil
	})
	return x, err
}
