package history

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// A PageInfo is what is known of a page.
type PageInfo struct {
	ID     graph.Page
	URL    string
	State  frontier.State
	Bar    event.Bar     // why it was refused
	Note   string        // what went wrong, for people
	Tried  bool          // there was an attempt: the next three are those of the last one
	Class  event.Class   // what came of it
	Status uint16        // of HTTP; 0 no answer
	At     time.Duration // instant of the crawl at which it ended
	Depth  int           // links from a seed
	In     int64         // links to it from pages that came
	Score  float64       // its value under the policy of the crawl
	Down   bool          // it waits, and its site cannot be reached
	Cut    int64         // links of it that were left out: it has more than max_links
	Like   string        // URL of the page whose content it had when it came last, or nearly; "": of none
}

// Why says in a word why a page is not fetched, or not all of its links are known; "" if
// there is nothing to say.
func (p *PageInfo) Why() string {
	switch {
	case p.Bar != event.NoBar:
		return p.Bar.String()
	case p.State == frontier.Failed:
		return p.Class.String()
	case p.Down:
		return "unreachable"
	case p.Cut > 0:
		return "max-links"
	}
	return ""
}

// PageFilter says which pages are wanted.
type PageFilter struct {
	States []frontier.State // nil: all
	Site   string           // scheme, host and port, or a host: both schemes and all ports; "": all
	Limit  int64            // 0: no limit
}

// Pages calls fn for the pages that are wanted, in the order in which they became known.
// The PageInfo is used again.
func (c *Crawl) Pages(f *PageFilter, fn func(*PageInfo) error) error {
	s, err := c.State()
	if err != nil {
		return err
	}
	sites, err := c.sitesOf(s, f.Site)
	if err != nil {
		return err
	}
	ends := &pageEnds{list: make([]pageEnd, s.Frontier.Pages()), notes: map[graph.Page]string{}, sites: map[graph.Site]string{}}
	if err := c.Each(func(r *journal.Record) error { ends.take(r, likeThen(s, r)); return nil }); err != nil {
		return err
	}
	var states [256]bool
	for _, s := range f.States {
		states[s] = true
	}
	left := f.Limit
	for i := range s.Frontier.Pages() {
		p := graph.Page(i)
		if f.States != nil && !states[s.Frontier.State(p)] || sites != nil && !sites[s.Frontier.Site(p)] {
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

// sitesOf are the sites that a filter names, nil for all.
func (c *Crawl) sitesOf(s *state.State, name string) (map[graph.Site]bool, error) {
	if name == "" {
		return nil, nil
	}
	sites := map[graph.Site]bool{}
	for i := range s.Table.Sites() {
		full := s.Table.Name(graph.Site(i))
		if string(full) == name || string(page.Host(full)) == name {
			sites[graph.Site(i)] = true
		}
	}
	if len(sites) == 0 {
		return nil, &hint.Error{Text: fmt.Sprintf("no page of site %s is known in %s", name, c.Path), Hint: "name a host, or scheme://host:port as in the URLs"}
	}
	return sites, nil
}

// info gathers what is known of a page.
func info(s *state.State, p graph.Page, ends *pageEnds) PageInfo {
	x := PageInfo{
		ID: p, URL: string(s.AppendURL(nil, p)), State: s.Frontier.State(p), Bar: s.Frontier.Bar(p),
		Depth: s.Frontier.Depth(p), In: int64(s.LinksTo.At(int(p)) & state.LinksIn), Score: s.Frontier.Value(p, 0), Note: ends.notes[p],
		Cut: int64(s.Cut.Pages[p].Left),
	}
	if int(p) < len(ends.list) {
		if e := &ends.list[p]; e.tried {
			x.Tried, x.Class, x.Status, x.At = true, e.class, e.status, e.at
			if e.like != 0 && int(e.like) <= s.Frontier.Pages() {
				x.Like = string(s.AppendURL(nil, graph.Page(e.like-1)))
			}
		}
	}
	if x.State == frontier.Failed && !x.Tried {
		x.Note, x.Class = ends.sites[s.Frontier.Site(p)], s.Frontier.FailedBy(p)
	}
	if d, ok := s.DownSites[s.Frontier.Site(p)]; ok && x.State == frontier.Known {
		x.Down = true
		x.Note = fmt.Sprintf("%s; next try %s", d.Why(), s.Wall(s.Frontier.Instant(s.Frontier.Site(p))).Format(time.DateTime))
	}
	return x
}

// pageEnds is what came of the last attempt at each page: 16 bytes a page.
type pageEnds struct {
	list  []pageEnd
	notes map[graph.Page]string // of those whose last attempt failed
	sites map[graph.Site]string // why sites were given up
}

type pageEnd struct {
	at     time.Duration
	status uint16
	class  event.Class
	tried  bool
	like   uint32 // 1 + the page whose content it had, or nearly; 0: none
}

// likeThen is 1 + the page whose content a page had that came, or nearly; 0: none. Of a
// duplicate it is what is the original now, which may have come later.
func likeThen(s *state.State, r *journal.Record) uint32 {
	if r.Event.Kind != event.Done || r.Event.Class.Failed() {
		return 0
	}
	p, _, _ := s.Like(r)
	return uint32(p + 1) // NoPage is the largest number
}

func (x *pageEnds) take(r *journal.Record, like uint32) {
	e := &r.Event
	switch e.Kind {
	case event.Done:
		x.list[e.Page] = pageEnd{e.End, r.Facts.Status, e.Class, true, like}
		delete(x.notes, e.Page)
		if e.Class.Failed() && r.Facts.Note != "" {
			x.notes[e.Page] = r.Facts.Note
		}
	case event.Resolved:
		if e.Class.Failed() && !e.Again {
			x.sites[e.Site] = e.Class.String() + ": " + r.Facts.Note
		}
	}
}
