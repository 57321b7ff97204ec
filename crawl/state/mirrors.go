package state

import (
	"bytes"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A site is a mirror of another when of at least mirrorPaths paths that were fetched from
// both four fifths have the same content.
const mirrorPaths = 20

// mirrors compares each site with one other: the first that had a page of the same path
// and the same content. It takes 6 bytes a site. The frontier knows which sites are
// mirrors: it discounts them.
type mirrors struct {
	s      *State
	other  *graph.Column[uint32] // by site: 1 + the site that it is compared with; 0: none
	common *graph.Column[uint8]  // by site: paths that the other had before, at most mostPaths
	equal  *graph.Column[uint8]  // of these, with the same content
}

// mostPaths is how many paths of a site are compared: by then it is decided.
const mostPaths = 1<<8 - 1

func newMirrors(s *State, max int) mirrors {
	return mirrors{
		s:      s,
		other:  graph.NewColumnIn[uint32](&s.Saved, "mirror other", max),
		common: graph.NewColumnIn[uint8](&s.Saved, "mirror common", max),
		equal:  graph.NewColumnIn[uint8](&s.Saved, "mirror equal", max),
	}
}

// otherOf returns 1 + the site that a site is compared with, 0 for none.
func (m *mirrors) otherOf(id graph.Site) uint32 {
	if int(id) >= m.other.Len() {
		return 0
	}
	return m.other.At(int(id))
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

// note takes a page of a site that was fetched and whose content is not noted yet.
func (m *mirrors) note(r *journal.Record, home graph.Site) {
	p := r.Event.Page
	first, _, repeated := m.s.Content.original(r.Facts.Digest)
	if repeated = repeated && first != p; repeated {
		m.pair(home, p, first)
	}
	n := m.otherOf(home)
	if n == 0 {
		return
	}
	q, ok := m.samePath(p, graph.Site(n-1))
	if !ok || m.common.At(int(home)) == mostPaths {
		return
	}
	m.common.Slice()[home]++
	if repeated && first == q {
		m.equal.Slice()[home]++
	}
	m.decide(home, graph.Site(n-1))
}

// pair lets two sites be compared that have a page of the same path and content, if they
// are compared with no others.
func (m *mirrors) pair(home graph.Site, p, first graph.Page) {
	s := m.s
	there := s.Frontier.Site(first)
	if there == home || m.otherOf(home) != 0 || m.otherOf(there) != 0 {
		return
	}
	_, rest, ok := s.Read(first)
	s.text = append(s.text[:0], rest...)
	if _, rest, also := s.Read(p); ok && also && bytes.Equal(rest, s.text) {
		m.match(home, there)
	}
}

// samePath returns the page of a site with the path of p, if it was fetched.
func (m *mirrors) samePath(p graph.Page, site graph.Site) (graph.Page, bool) {
	_, rest, ok := m.s.Read(p)
	if !ok {
		return graph.NoPage, false
	}
	q, ok := m.s.lookup(site, rest)
	return q, ok && int(q) < m.s.in.Len() && m.s.WasFetched(q)
}

// decide discounts the site that became known later when two are the same. It is not left
// out: a fifth of its pages may be its own.
func (m *mirrors) decide(a, b graph.Site) {
	common := int(m.common.At(int(a))) + int(m.common.At(int(b)))
	equal := int(m.equal.At(int(a))) + int(m.equal.At(int(b)))
	if common >= mirrorPaths && 5*equal >= 4*common {
		m.s.Frontier.DiscountSite(max(a, b))
	}
}

// A MirrorOf is a site that is nearly the same as another.
type MirrorOf struct {
	Site string `json:"site"`
	Of   string `json:"of"`
}

// MaxListed is how many traps, mirrors and unreachable sites a status names.
const MaxListed = 20

// List returns the first mirrors that were found, and the number of all.
func (m *mirrors) List() (list []MirrorOf, n int64) {
	name := func(id graph.Site) string { return string(m.s.Table.Name(id)) }
	for i, of := range m.other.Slice() {
		if of == 0 || !m.s.Frontier.SiteDiscounted(graph.Site(i)) {
			continue
		}
		if n++; len(list) < MaxListed {
			list = append(list, MirrorOf{name(graph.Site(i)), name(graph.Site(of - 1))})
		}
	}
	return list, n
}
