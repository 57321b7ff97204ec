package history

import (
	"fmt"
	"path/filepath"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// SiteNames returns the names of all sites by id: scheme, host and port. It calls State.
func (c *Crawl) SiteNames() ([]string, error) {
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	names := make([]string, c.Sites())
	for i := range names {
		names[i] = string(s.Table.Name(graph.Site(i)))
	}
	return names, nil
}

// Feed returns the graph of the crawl: every known page under its id, with the links that
// were found in all its visits. Pages that were not fetched have no links, and are marked.
// It calls State; the links are read from the journal. The crawl must stay open meanwhile.
func (c *Crawl) Feed() (*graph.Feed, error) {
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	fetched := make([]uint64, (c.Known()+63)/64)
	return &graph.Feed{
		Name:    filepath.Base(c.Path),
		Pages:   c.Known,
		Fetched: func() []uint64 { return fetched },
		Links: func(add func(from, to graph.Page) error, tell func(done, total int64) error) error {
			return c.Each(func(r *journal.Record) error {
				e := &r.Event
				if e.Kind != event.Done || e.Class.Failed() {
					return nil
				}
				fetched[e.Page/64] |= 1 << (e.Page % 64)
				for _, to := range e.Links {
					if err := add(e.Page, to); err != nil {
						return err
					}
				}
				return tell(int64(r.Seq), int64(c.end.Next))
			})
		},
		URLs: func(emit func([]byte) error) error {
			var url []byte
			return s.URLs.Each(0, func(p graph.Page, site graph.Site, rest []byte) error {
				url = append(append(url[:0], s.Table.Name(site)...), rest...)
				if s.Frontier.State(p) == frontier.Lost {
					url = fmt.Appendf(url[:0], "lost://page/%d", p)
				}
				return emit(url)
			})
		},
	}, nil
}
