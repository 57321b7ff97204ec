package state

import (
	"bytes"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A site is a mirror of another when of at least mirrorPaths paths that came from both
// four fifths have the same content (W21).
const mirrorPaths = 20

// mirrors compares each site with one other: the first that had a page of the same path
// and the same content. 6 bytes a site, as far as there are such. That a site mirrors the
// other is what the frontier knows: it discounts it.
type mirrors struct {
	other  *graph.Column[uint32] // by site: 1 + the site that it is compared with; 0: none
	common *graph.Column[uint8]  // by site: paths that came from the other before, at most mostPaths
	equal  *graph.Column[uint8]  // of these, with the same content
}

// mostPaths is how many paths of a site are compared: by then it is decided.
const mostPaths = 1<<8 - 1

func newMirrors(set *graph.Set, max int) mirrors {
	return mirrors{
		other:  graph.NewColumnIn[uint32](set, "mirror other", max),
		common: graph.NewColumnIn[uint8](set, "mirror common", max),
		equal:  graph.NewColumnIn[uint8](set, "mirror equal", max),
	}
}

// otherOf is 1 + the site that one is compared with; 0: none.
func (m *mirrors) otherOf(s graph.Site) uint32 {
	if int(s) >= m.other.Len() {
		return 0
	}
	return m.other.At(int(s))
}

// match lets two sites be compared.
func (m *mirrors) match(a, b graph.Site) {
	n := int(max(a, b)) + 1
	m.other.Grow(n)
	m.common.Grow(n)
	m.equal.Grow(n)
	m.other.Set(int(a), uint32(b)+1)
	m.other.Set(int(b), uint32(a)+1)
}

// compare takes a page that came, whose content is not noted yet, for what its site has in
// common with another.
func (s *State) compare(r *journal.Record, home graph.Site) {
	p := r.Event.Page
	first, _, repeated := s.Content.Of(r.Facts.Digest)
	if repeated = repeated && first != p; repeated {
		s.pair(home, p, first)
	}
	n := s.otherOf(home)
	if n == 0 {
		return
	}
	q, ok := s.samePath(p, graph.Site(n-1))
	if !ok || s.common.At(int(home)) == mostPaths {
		return
	}
	s.common.Slice()[home]++
	if repeated && first == q {
		s.equal.Slice()[home]++
	}
	s.decideMirror(home, graph.Site(n-1))
}

// pair lets two sites be compared that have a page of the same path and content, if they
// are compared with no others.
func (s *State) pair(home graph.Site, p, first graph.Page) {
	there := s.Frontier.Site(first)
	if there == home || s.otherOf(home) != 0 || s.otherOf(there) != 0 {
		return
	}
	_, rest, ok := s.Read(first)
	s.text = append(s.text[:0], rest...)
	if _, rest, also := s.Read(p); ok && also && bytes.Equal(rest, s.text) {
		s.match(home, there)
	}
}

// samePath is the page of another site with the path of p, if it came.
func (s *State) samePath(p graph.Page, site graph.Site) (graph.Page, bool) {
	_, rest, ok := s.Read(p)
	if !ok {
		return graph.NoPage, false
	}
	q, ok := s.Table.LookupPage(s.Key.Page(s.Key.Site(s.Table.Name(site)), rest))
	return q, ok && int(q) < s.LinksTo.Len() && s.LinksTo.At(int(q))&Came != 0
}

// decideMirror discounts the site that became known later when two are the same. It is not
// left out: a fifth of its pages may be its own.
func (s *State) decideMirror(a, b graph.Site) {
	common := int(s.common.At(int(a))) + int(s.common.At(int(b)))
	equal := int(s.equal.At(int(a))) + int(s.equal.At(int(b)))
	if common >= mirrorPaths && 5*equal >= 4*common {
		s.Frontier.DiscountSite(max(a, b))
	}
}

// A MirrorOf is a site that is nearly the same as another.
type MirrorOf struct {
	Site string `json:"site"`
	Of   string `json:"of"`
}

// MaxListed is how many traps and mirrors a status names.
const MaxListed = 20

// MirrorList names the first mirrors that were found, and counts all.
func (s *State) MirrorList() (list []MirrorOf, n int64) {
	for i, of := range s.other.Slice() {
		if of == 0 || !s.Frontier.SiteDiscounted(graph.Site(i)) {
			continue
		}
		if n++; len(list) < MaxListed {
			list = append(list, MirrorOf{string(s.Table.Name(graph.Site(i))), string(s.Table.Name(graph.Site(of - 1)))})
		}
	}
	return list, n
}
