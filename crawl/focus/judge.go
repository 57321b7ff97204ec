package focus

import (
	"cmp"
	"context"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// Judge returns what those examples of the topic have to do with it that the crawl in a directory
// has fetched, in the order of their numbers. They are read as they are stored.
func Judge(s *state.State, c *config.Config, dir string) ([]event.Event, error) {
	files, err := warcFiles(dir)
	if err != nil {
		return nil, err
	}
	found, wanted := map[graph.Page]event.Event{}, exampleURLs(s, c)
	o := &gather.Options{Key: s.Key, Topic: s.Setup.Frontier.Topic, MaxLinks: c.MaxLinks}
	err = history.EachFound(context.Background(), files, o, func(url string, f *gather.Found) error {
		if p, ok := wanted[url]; ok {
			found[p] = judged(s, p, f)
		}
		return nil
	})
	var list []event.Event
	for _, e := range found { // sorted below
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b event.Event) int { return cmp.Compare(a.Page, b.Page) })
	return list, err
}

// exampleURLs returns the examples of the topic that were fetched.
func exampleURLs(s *state.State, c *config.Config) map[string]graph.Page {
	list := map[string]graph.Page{}
	for _, u := range c.ExampleURLs() {
		url, err := page.ParseSeed(u)
		if err != nil {
			continue
		}
		site, rest := page.Site([]byte(url))
		p, known := s.Table.LookupPage(s.Key.Page(s.Key.Site(site), rest))
		if known && s.Frontier.State(p) == frontier.Fetched {
			list[url] = p
		}
	}
	return list
}

// judged returns what was found in a stored page as an event, with the links that are known.
func judged(s *state.State, p graph.Page, f *gather.Found) (e event.Event) {
	e.Page = p
	e.Read.Set(&f.Read)
	for i := range f.Links.Len() {
		q, known := s.Table.LookupPage(f.Links.At(i).Hash)
		if !known || q == p {
			continue
		}
		if x := f.Links.Terms(i); x.Anchor|x.Around != 0 {
			e.Read.Hits = append(e.Read.Hits, event.Hit{Link: uint32(len(e.Links)), Anchor: x.Anchor, Around: x.Around})
		}
		e.Links = append(e.Links, q)
	}
	return e
}
