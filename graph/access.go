package graph

import "slices"

// Pages is the number of pages.
func (g *Graph) Pages() int { return int(g.h.pages) }

// Links is the number of links, self-links included.
func (g *Graph) Links() int64 { return int64(g.h.links) }

// SelfLinks is the number of pages that link to themselves.
func (g *Graph) SelfLinks() int64 { return int64(g.h.selfLinks) }

// Sites is the number of sites.
func (g *Graph) Sites() int { return int(g.h.sites) }

// Path is the file.
func (g *Graph) Path() string { return g.path }

// Card says where the graph comes from.
func (g *Graph) Card() Card { return g.card }

// Forward is the out-links.
func (g *Graph) Forward() *Links { return g.forward }

// Backward is the in-links.
func (g *Graph) Backward() *Links { return g.back }

// SectionBytes is the size of all sections whose names begin with one of the
// prefixes.
func (g *Graph) SectionBytes(prefixes ...string) (n int64) {
	for _, s := range g.h.sections {
		for _, p := range prefixes {
			if len(s.name) >= len(p) && s.name[:len(p)] == p {
				n += int64(s.length)
			}
		}
	}
	return n
}

// BytesURLs is the size of URLs, their index and the table that finds them.
func (g *Graph) BytesURLs() int64 { return g.SectionBytes(secURLs) }

// HasURLs says whether the graph knows its URLs.
func (g *Graph) HasURLs() bool { return g.urls != nil }

// HasSites says whether sites are known; if not, every page is its own site.
func (g *Graph) HasSites() bool { return g.siteOf != nil }

// Site is the site of page p.
func (g *Graph) Site(p Page) Site {
	if g.siteOf == nil {
		return Site(p)
	}
	return g.siteOf[p]
}

// SiteColumn is the site of every page, nil when every page is its own site. It
// must not be changed.
func (g *Graph) SiteColumn() []Site { return g.siteOf }

// SiteName is the name of a site, "" when names are not known.
func (g *Graph) SiteName(s Site) string {
	if g.names == nil {
		return ""
	}
	name, err := g.names.append(nil, int(s))
	if err != nil {
		panic(&CorruptError{g.path, err})
	}
	return string(name)
}

// URL is the URL of page p, "" when URLs are not known.
func (g *Graph) URL(p Page) string { return string(g.AppendURL(nil, p)) }

// AppendURL adds the URL of page p to b.
func (g *Graph) AppendURL(b []byte, p Page) []byte {
	if g.urls == nil {
		return b
	}
	b, err := g.urls.append(b, int(p))
	if err != nil {
		panic(&CorruptError{g.path, err})
	}
	return b
}

// EachURL calls fn for every page in order, which is much cheaper than URL for
// each. The bytes are valid during the call. An error of fn ends the walk and is
// returned as it is; a damaged URL is a CorruptError.
func (g *Graph) EachURL(fn func(p Page, url []byte) error) error {
	if g.urls == nil {
		return nil
	}
	err := g.urls.each(func(i int, s []byte) error { return fn(Page(i), s) })
	if err == errText {
		return &CorruptError{g.path, err}
	}
	return err
}

// Lookup finds the page of a URL, byte for byte; the smallest id when the URL
// occurs more than once.
func (g *Graph) Lookup(url string) (Page, bool) {
	if g.table == nil {
		return NoPage, false
	}
	b := []byte(url)
	scratch := make([]byte, 0, 256)
	return g.table.find(hashURL(b), func(q Page) bool {
		return int(q) < g.Pages() && g.urls.equal(int(q), b, scratch)
	})
}

// ID is the id that page p had in the input; all input and output of users speaks
// these.
func (g *Graph) ID(p Page) uint32 {
	if g.ids == nil {
		return uint32(p)
	}
	return g.ids[p]
}

// IDs is the original id of every page, ascending; nil when they are 0, 1, 2...
func (g *Graph) IDs() []uint32 { return g.ids }

// ByID finds the page that had this id in the input; NoPage and false if there is
// none.
func (g *Graph) ByID(id uint32) (Page, bool) {
	if g.ids == nil {
		if int64(id) < int64(g.Pages()) {
			return Page(id), true
		}
		return NoPage, false
	}
	if i, ok := slices.BinarySearch(g.ids, id); ok {
		return Page(i), true
	}
	return NoPage, false
}

// Fetched says whether page p was fetched; a page that was only linked to is known
// but has no out-links of its own. Where nothing was said all pages are fetched.
func (g *Graph) Fetched(p Page) bool {
	return g.fetched == nil || bit(g.fetched, p)
}

// HasUncrawled says whether some pages are known but not fetched.
func (g *Graph) HasUncrawled() bool { return g.fetched != nil }
