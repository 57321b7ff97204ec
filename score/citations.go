package score

import "github.com/winnow-crawler/winnow/graph"

// Citations counts for each page the sites from which some page links to it, its own among them
// if it does: harder to inflate than the number of pages. An update goes through the pages of
// one site after the other, so that a site is counted once if it differs from the last one that
// was counted. It takes 16 bytes a page and 4 a site.
type Citations struct {
	graph.Set
	value   *graph.Column[uint32] // by page, of the last update
	next    *graph.Column[uint32] // of the update under way
	last    *graph.Column[uint32] // 1 + the site that was counted last
	chain   *graph.Column[uint32] // 1 + the next page of the same site
	first   *graph.Column[uint32] // by site: 1 + its page known last
	numbers *graph.Column[uint64] // see the constants below
}

// The indexes of Citations.numbers.
const (
	citePages = iota // of the update
	citeSites        // of the update
	citeStage        // see below
	citeAt           // page or site at which it continues
	citePage         // 1 + page of that site at which it continues; 0: its first
	citeNumbers
)

// The stages of an update.
const (
	citeIdle = iota
	citeClear
	citeCount
	citeSet
	citeEnd
)

// NewCitations returns citations with room for pages and sites.
func NewCitations(pages, sites int) *Citations {
	c := &Citations{}
	c.value = graph.NewColumnIn[uint32](&c.Set, "score citations", pages)
	c.next = graph.NewColumnIn[uint32](&c.Set, "score citations next", pages)
	c.last = graph.NewColumnIn[uint32](&c.Set, "score citations last", pages)
	c.chain = graph.NewColumnIn[uint32](&c.Set, "score citations chain", pages)
	c.first = graph.NewColumnIn[uint32](&c.Set, "score citations first", sites)
	c.numbers = graph.NewColumnIn[uint64](&c.Set, "score citations numbers", citeNumbers)
	c.numbers.Grow(citeNumbers)
	return c
}

// Known adds the next page, which is of a site.
func (c *Citations) Known(site graph.Site) {
	c.first.Grow(int(site) + 1)
	c.chain.Append(c.first.At(int(site)))
	for _, column := range []*graph.Column[uint32]{c.value, c.next, c.last} {
		column.Append(0)
	}
	c.first.Set(int(site), uint32(c.value.Len()))
}

// Value returns the number of sites of a page at the last update.
func (c *Citations) Value(p graph.Page) float64 { return float64(c.value.At(int(p))) }

// Begin begins an update for the pages and sites known now. Step does it.
func (c *Citations) Begin() {
	num := c.numbers.Slice()
	num[citePages], num[citeSites] = uint64(c.value.Len()), uint64(c.first.Len())
	num[citeStage], num[citeAt], num[citePage] = citeClear, 0, 0
}

// Step does a part of an update, about as much as a number of links, and reports whether more
// is left.
func (c *Citations) Step(w *Web, links int) (more bool) {
	num := c.numbers.Slice()
	for num[citeStage] != citeIdle {
		if links <= 0 {
			return true
		}
		end := num[citePages]
		if num[citeStage] == citeCount {
			end = num[citeSites]
		}
		for ; num[citeAt] < end && links > 0; links-- {
			links -= c.advance(w, int(num[citeAt]))
		}
		if num[citeAt] < end {
			continue
		}
		num[citeAt] = 0
		if num[citeStage]++; num[citeStage] == citeEnd {
			num[citeStage] = citeIdle
		}
	}
	return false
}

// advance does the present stage for a page, or for one page of a site, and returns what it took
// in links.
func (c *Citations) advance(w *Web, i int) (took int) {
	num := c.numbers.Slice()
	switch num[citeStage] {
	case citeClear:
		c.next.Set(i, 0)
		c.last.Set(i, 0)
	case citeSet:
		c.value.Set(i, c.next.At(i))
	case citeCount:
		if num[citePage] == 0 {
			num[citePage] = uint64(c.first.At(i))
		}
		if at := num[citePage]; at > 0 {
			took = c.count(w, graph.Page(at-1), uint32(i)+1)
			num[citePage] = uint64(c.chain.At(int(at - 1)))
		}
		if num[citePage] > 0 {
			return took // the site has more pages
		}
	}
	num[citeAt]++
	return took
}

// count counts a site for the links of one of its pages.
func (c *Citations) count(w *Web, p graph.Page, site uint32) int {
	next, last, end := c.next.Slice(), c.last.Slice(), graph.Page(c.numbers.At(citePages))
	links := w.Out(p)
	for _, q := range links {
		if q < end && q != p && last[q] != site {
			last[q] = site
			next[q]++
		}
	}
	return len(links)
}
