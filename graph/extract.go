package graph

// A Subgraph holds some pages of a graph and the links among them. Links to and from
// other pages do not count. Write makes a graph of its Source.
type Subgraph struct {
	// CutOut and CutIn count the links from its pages to others, and from others
	// to its pages. They are known once the subgraph has been written.
	CutOut, CutIn int64

	g     *Graph
	pages []Page // the pages of the subgraph, ascending
	to    []Page // for each page of g its number in the subgraph, or NoPage
}

// Extract returns the subgraph of g with the pages for which in returns true.
func (g *Graph) Extract(in func(Page) bool) *Subgraph {
	c := &Subgraph{g: g, to: make([]Page, g.Pages())}
	for p := range Page(g.Pages()) {
		c.to[p] = NoPage
		if in(p) {
			c.to[p] = Page(len(c.pages))
			c.pages = append(c.pages, p)
		}
	}
	return c
}

// Source returns the subgraph as Write takes it. The card of the new graph names the
// program, and note after the origin of g.
func (c *Subgraph) Source(note, program string) Source {
	card := c.g.Card()
	if card.Origin != "" && note != "" {
		card.Origin += "; "
	}
	card.Origin += note
	card.Program, card.RepeatedURLs = program, 0
	src := Source{Pages: len(c.pages), Card: &card, IDs: c.ids(), Fetched: c.fetched(), Sizes: c.sizes()}
	src.Lists = func(emit func(Page, []Page) error) error {
		err := c.lists(emit)
		card.OutsideLinks += c.CutOut + c.CutIn
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

// ids returns the original ids, or nil if they are 0, 1, 2 and so on in the subgraph too.
func (c *Subgraph) ids() []uint32 {
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

// fetched returns one bit a page, or nil if all pages were fetched.
func (c *Subgraph) fetched() []uint64 {
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

// lists emits the links inside the subgraph and counts those that it cuts.
func (c *Subgraph) lists(emit func(Page, []Page) error) error {
	var inside []Page
	for s := c.g.Forward().Scan(0, Page(c.g.Pages())); s.Next(); {
		inside = inside[:0]
		list, p := s.List(), c.to[s.Page()]
		for _, q := range list {
			if c.to[q] != NoPage {
				inside = append(inside, c.to[q])
			}
		}
		if p == NoPage {
			c.CutIn += int64(len(inside))
			continue
		}
		c.CutOut += int64(len(list) - len(inside))
		if err := emit(p, inside); err != nil {
			return err
		}
	}
	return nil
}

func (c *Subgraph) urls(emit func([]byte) error) error {
	return c.g.EachURL(func(p Page, url []byte) error {
		if c.to[p] == NoPage {
			return nil
		}
		return emit(url)
	})
}

func (c *Subgraph) sites(emit func([]byte) error) error {
	name := c.g.SiteNames()
	var b []byte
	for _, p := range c.pages {
		b = append(b[:0], name(c.g.Site(p))...)
		if err := emit(b); err != nil {
			return err
		}
	}
	return nil
}

// SiteNames returns a function that returns the names of sites, "" if g has none. It
// remembers some: pages of a site mostly follow one another.
func (g *Graph) SiteNames() func(Site) string {
	const most = 1 << 12
	known := map[Site]string{}
	return func(s Site) string {
		if !g.HasSites() {
			return ""
		}
		name, ok := known[s]
		if !ok {
			if len(known) == most {
				clear(known)
			}
			name = g.SiteName(s)
			known[s] = name
		}
		return name
	}
}
