package main

import (
	"github.com/winnow-crawler/winnow/graph"
)

// A part is some pages of a graph and the links among them (P7: links to and from
// outside do not count), on its way to become a graph of its own.
type part struct {
	g     *graph.Graph
	pages []graph.Page // the pages chosen, ascending
	to    []graph.Page // number of each page in the part, or NoPage
	note  string       // how it was chosen, for the card

	cutOut, cutIn int64 // links that cross the border, known once links have been read
}

func newPart(g *graph.Graph, in func(graph.Page) bool) *part {
	c := &part{g: g, to: make([]graph.Page, g.Pages())}
	for p := range graph.Page(g.Pages()) {
		c.to[p] = graph.NoPage
		if in(p) {
			c.to[p] = graph.Page(len(c.pages))
			c.pages = append(c.pages, p)
		}
	}
	return c
}

// source is the part as graph.Write wants it.
func (c *part) source() graph.Source {
	card := c.g.Card()
	if card.Origin != "" {
		card.Origin += "; "
	}
	card.Origin += c.note
	card.Program, card.RepeatedURLs = programName(), 0
	src := graph.Source{Pages: len(c.pages), Card: &card, IDs: c.ids(), Fetched: c.fetched()}
	src.Lists = func(emit func(graph.Page, []graph.Page) error) error {
		err := c.lists(emit)
		card.OutsideLinks += c.cutOut + c.cutIn
		return err
	}
	if c.g.HasURLs() {
		src.URLs = c.urls
	}
	if c.g.HasSites() {
		src.Sites = c.sites
	}
	return src
}

// ids are the original ids, nil if they are 0, 1, 2 and so on in the part too.
func (c *part) ids() []uint32 {
	ids := make([]uint32, len(c.pages))
	dense := true
	for i, p := range c.pages {
		ids[i] = c.g.ID(p)
		dense = dense && ids[i] == uint32(i)
	}
	if dense {
		return nil
	}
	return ids
}

// fetched is one bit a page, nil if all pages were fetched.
func (c *part) fetched() []uint64 {
	if !c.g.HasUncrawled() {
		return nil
	}
	bits := make([]uint64, (len(c.pages)+63)/64)
	for i, p := range c.pages {
		if c.g.Fetched(p) {
			bits[i/64] |= 1 << (i % 64)
		}
	}
	return bits
}

// lists hands over the links inside and counts those that are cut.
func (c *part) lists(emit func(graph.Page, []graph.Page) error) error {
	var inside []graph.Page
	for s := c.g.Forward().Scan(0, graph.Page(c.g.Pages())); s.Next(); {
		inside = inside[:0]
		list, p := s.List(), c.to[s.Page()]
		for _, q := range list {
			if c.to[q] != graph.NoPage {
				inside = append(inside, c.to[q])
			}
		}
		if p == graph.NoPage {
			c.cutIn += int64(len(inside))
			continue
		}
		c.cutOut += int64(len(list) - len(inside))
		if err := emit(p, inside); err != nil {
			return err
		}
	}
	return nil
}

func (c *part) urls(emit func([]byte) error) error {
	return c.g.EachURL(func(p graph.Page, url []byte) error {
		if c.to[p] == graph.NoPage {
			return nil
		}
		return emit(url)
	})
}

func (c *part) sites(emit func([]byte) error) error {
	names := map[graph.Site]string{}
	var b []byte
	for _, p := range c.pages {
		b = append(b[:0], siteName(c.g, names, c.g.Site(p))...)
		if err := emit(b); err != nil {
			return err
		}
	}
	return nil
}
