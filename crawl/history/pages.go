package history

import (
	"fmt"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// A PageInfo describes a page. winnow pages prints its JSON form.
type PageInfo struct {
	ID       graph.Page `json:"id"`
	URL      string     `json:"url"`
	State    string     `json:"state"`                    // waiting, fetched, failed, skipped or lost
	Why      string     `json:"why,omitempty"`            // it is not fetched, or not all of its links are known
	Note     string     `json:"note,omitempty"`           // what went wrong, for people
	Cause    string     `json:"cause,omitempty"`          // the same as a code: a name of event.Cause
	Class    string     `json:"class,omitempty"`          // of the last attempt; "": there was none
	Like     string     `json:"like,omitempty"`           // URL of a page with the same content, or nearly; of a duplicate that repeats its canonical page, that page
	Status   uint16     `json:"status,omitempty"`         // of HTTP; 0: no answer
	Seconds  *float64   `json:"seconds,omitempty"`        // from the beginning of the crawl to the end of the last attempt
	Depth    int        `json:"depth"`                    // links from a seed
	LinksIn  int64      `json:"links_in"`                 // from fetched pages
	Cut      int64      `json:"links_left_out,omitempty"` // it has more than max_links
	Dropped  bool       `json:"dropped,omitempty"`        // it was fetched, and is not in the archive any more
	Withheld string     `json:"withheld,omitempty"`       // it was fetched, and is not stored, because it asks for this: noindex, noarchive
	Rendered string     `json:"rendered,omitempty"`       // by a browser: yes, no or waiting; "": it was not to be
	Value    float64    `json:"value"`                    // its value under the policy of the crawl
	// Similarity is that of a fetched page to the topic of the crawl, if it has one, and Hot reports
	// whether it is about the topic.
	Similarity *float64 `json:"similarity,omitempty"`
	Hot        bool     `json:"hot,omitempty"`
	Topical    bool     `json:"-"` // the crawl has a topic
}

// A PageFilter selects pages.
type PageFilter struct {
	State string       // one of PageStates; "": all
	Only  []graph.Page // these; nil: all
	Site  string       // scheme, host and port, or a host: both schemes and all ports; "": all
	Limit int64        // 0: no limit
}

// Pages calls fn for the selected pages, in the order in which they became known, until fn
// returns an error. It calls State and reads the journal.
func (c *Crawl) Pages(f *PageFilter, fn func(*PageInfo) error) error {
	s, err := c.State()
	if err != nil {
		return err
	}
	sites, err := c.sitesOf(s, f.Site)
	if err != nil {
		return err
	}
	ends := &pageEnds{list: make([]pageEnd, s.Frontier.Pages()), notes: map[graph.Page]failure{}, sites: map[graph.Site]failure{}}
	if err := c.Each(func(r *journal.Record) error { ends.take(r, likeThen(s, r)); return nil }); err != nil {
		return err
	}
	left := f.Limit
	pages := slices.Values(f.Only)
	if f.Only == nil {
		pages = func(yield func(graph.Page) bool) {
			for p := graph.Page(0); int(p) < s.Frontier.Pages() && yield(p); p++ {
			}
		}
	}
	for p := range pages {
		if f.Only == nil && c.elsewhere(s, p) {
			continue
		}
		if f.State != "" && f.State != stateName(s.Frontier.State(p)) || sites != nil && !sites[s.Frontier.Site(p)] {
			continue
		}
		x := info(s, p, ends)
		if s.Err != nil {
			return explain(c.Path, s.Err)
		}
		if err := fn(&x); err != nil {
			return err
		}
		if left--; left == 0 {
			return nil
		}
	}
	return nil
}

// The states of a page.
const (
	PageWaiting = "waiting" // for its first request, or it is being fetched
	PageFetched = "fetched"
	PageFailed  = "failed"
	PageSkipped = "skipped"
	pageLost    = "lost"
)

// What PageInfo.Rendered says.
const (
	RenderedPage   = "yes"
	NotRendered    = "no"
	waitsForRender = "waiting"
)

// PageStates returns the states that a filter can select.
func PageStates() []string { return []string{PageWaiting, PageFetched, PageFailed, PageSkipped} }

// stateName returns the name of a state. A page that is being fetched waits: if the crawl
// is not running, it will be requested again.
func stateName(s frontier.State) string {
	switch s {
	case frontier.Fetched, frontier.Reacquired:
		return PageFetched
	case frontier.Failed:
		return PageFailed
	case frontier.RefusedPage:
		return PageSkipped
	case frontier.Lost:
		return pageLost
	}
	return PageWaiting
}

// sitesOf returns the sites that a filter selects, nil for all.
func (c *Crawl) sitesOf(s *state.State, name string) (map[graph.Site]bool, error) {
	if name == "" {
		return nil, nil
	}
	sites := sitesCalled(s, name)
	if len(sites) == 0 {
		if known, err := c.others(name); known || err != nil {
			return sites, err
		}
		return nil, &hint.Error{Text: fmt.Sprintf("no page of site %s is known in %s", name, c.Path), Hint: "name a host, or scheme://host:port as in the URLs"}
	}
	return sites, nil
}

// sitesCalled returns the sites with a name, or of a host.
func sitesCalled(s *state.State, name string) map[graph.Site]bool {
	sites := map[graph.Site]bool{}
	for i := range s.Table.Sites() {
		full := s.Table.Name(graph.Site(i))
		if string(full) == name || string(page.Host(full)) == name {
			sites[graph.Site(i)] = true
		}
	}
	return sites
}

// info describes a page.
func info(s *state.State, p graph.Page, ends *pageEnds) PageInfo {
	f, site, end := s.Frontier, s.Frontier.Site(p), &ends.list[p]
	x := PageInfo{
		ID: p, URL: string(s.AppendURL(nil, p)), State: stateName(f.State(p)), Note: ends.notes[p].note, Cause: ends.notes[p].cause.String(),
		Depth: f.Depth(p), LinksIn: s.LinksIn(p), Value: f.Value(p, 0),
		Cut: int64(s.Cut.Pages[p].Left), Dropped: end.gone, Withheld: end.withheld.String(), Rendered: end.rendered,
	}
	if s.Renders.Of(p) != nil {
		x.Rendered = waitsForRender
	}
	if _, _, ok := f.Topical().Counts(); ok {
		if near, hot := f.Topical().Similarity(p); f.State(p) == frontier.Fetched || f.State(p) == frontier.Reacquired {
			x.Similarity, x.Hot = &near, hot
		}
		x.Topical = true
	}
	if end.tried {
		seconds := end.at.Seconds()
		x.Class, x.Status, x.Seconds = end.class.String(), end.status, &seconds
		if end.like != 0 {
			x.Like = string(s.AppendURL(nil, graph.Page(end.like-1)))
		}
	}
	why, isDown := s.Weather.WhyDown(site)
	switch bar := f.Bar(p); {
	case bar != event.NoBar:
		x.Why = bar.String()
	case f.State(p) == frontier.Failed && end.tried:
		x.Why = x.Class
	case f.State(p) == frontier.Failed:
		end := ends.sites[site]
		x.Why, x.Note, x.Cause = f.FailedBy(p).String(), end.note, end.cause.String()
	case isDown && f.State(p) == frontier.Known:
		x.Why = "unreachable"
		x.Note = fmt.Sprintf("%s; next try %s", why, s.Wall(f.Instant(site)).Format(time.DateTime))
	case x.Cut > 0:
		x.Why = "max-links"
	case x.Dropped:
		x.Why = "dropped"
	case x.Withheld != "":
		x.Why = "withheld"
	case x.Rendered == NotRendered:
		x.Why = "not-rendered"
	}
	return x
}

// pageEnds holds how the last attempts at pages ended. The state does not need it, so it comes
// from the journal. It takes 16 bytes a page.
type pageEnds struct {
	list  []pageEnd
	notes map[graph.Page]failure // of pages whose last attempt failed
	sites map[graph.Site]failure // why sites were given up
}

// A failure describes why an attempt failed: for people, and as a code.
type failure struct {
	note  string
	cause event.Cause
}

type pageEnd struct {
	at       time.Duration
	status   uint16
	class    event.Class
	tried    bool
	withheld robots.Tags // why it was not stored
	gone     bool        // it was stored, and dropped since
	like     uint32      // 1 + a page with the same content, or nearly; 0: none
	rendered string      // see PageInfo
}

// likeThen returns 1 + a page with the same content as a fetched page, or nearly; 0: none.
// For a duplicate it is the canonical page that it repeats, or else the present original,
// which may have been fetched later.
func likeThen(s *state.State, r *journal.Record) uint32 {
	if !r.Event.Kind.Reads() || r.Event.Class.Failed() {
		return 0
	}
	if n := r.Facts.Near; r.Event.Class == event.Duplicate && n > 0 && int(n) <= s.Table.Pages() {
		return n
	}
	p, _, _ := s.Content.Like(r)
	return uint32(p + 1) // NoPage is the largest number
}

func (x *pageEnds) take(r *journal.Record, like uint32) {
	e := &r.Event
	switch e.Kind {
	case event.Done:
		gone := x.list[e.Page].gone && (r.Facts.Place.Length == 0 || len(r.Facts.Payload) == 0)
		withheld := state.Withheld(&r.Facts)
		if e.Class.Failed() || withheld == 0 && r.Facts.Status == journal.NotModified {
			withheld = x.list[e.Page].withheld
		}
		x.list[e.Page] = pageEnd{e.End, r.Facts.Status, e.Class, true, withheld, gone, like, ""}
		delete(x.notes, e.Page)
		if e.Class.Failed() && r.Facts.Note != "" {
			x.notes[e.Page] = failure{r.Facts.Note, r.Facts.Cause}
		}
	case event.Rendered:
		if end := &x.list[e.Page]; !e.Again {
			end.class, end.like, end.rendered = e.Class, like, RenderedPage
			if delete(x.notes, e.Page); r.Facts.Note != "" {
				end.rendered, x.notes[e.Page] = NotRendered, failure{note: "not rendered: " + r.Facts.Note}
			}
		}
	case event.Dropped:
		for _, p := range e.Admit {
			x.list[p].gone = true
		}
	case event.Resolved:
		if e.Class.Failed() && !e.Again {
			x.sites[e.Site] = failure{e.Class.String() + ": " + r.Facts.Note, r.Facts.Cause}
		}
	}
}
