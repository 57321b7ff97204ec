package sim

import (
	"slices"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/keep"
)

// A store holds the pages that a virtual crawl of limited storage keeps. It has the rule of a
// real crawl with --keep-pages: see state.Kept.
type store struct {
	*keep.Buffer
	c       *crawl
	set     graph.Set
	in      []uint32 // by page of the crawl: links to it from fetched pages
	fetched []bool   // by page of the crawl
}

// newStore returns the store of a crawl, nil if all pages are kept.
func newStore(c *crawl) *store {
	if c.o.KeepPages == 0 {
		return nil
	}
	s := &store{c: c}
	s.Buffer = keep.NewBuffer(&s.set, c.w.pages())
	return s
}

// note takes the end of a visit, after it was applied.
func (s *store) note(e *event.Event) {
	if s == nil || e.Kind != event.Done || e.Again || e.Class.Failed() {
		return
	}
	known := s.c.f.Pages()
	s.in = append(s.in, make([]uint32, known-len(s.in))...)
	s.fetched = append(s.fetched, make([]bool, known-len(s.fetched))...)
	first := graph.Page(0)
	if s.fetched[e.Page] { // only links to what the page made known count again
		first = graph.Page(known - len(e.New))
	}
	s.fetched[e.Page] = true
	for _, p := range e.Links {
		if p != e.Page && p >= first {
			s.in[p]++
			s.Change(p, s.worth(p))
		}
	}
	if e.Class != event.Redirect {
		s.Store(e.Page, s.worth(e.Page))
	}
	if s.Len() > s.c.o.KeepPages {
		s.Remove(s.Worst())
	}
}

// worth returns the present value of a page.
func (s *store) worth(p graph.Page) float64 {
	if v, ok := s.c.f.Worth(p); ok {
		return v
	}
	return float64(s.in[p])
}

// pages returns the pages of the world that are kept, ascending.
func (s *store) pages() (list []graph.Page) {
	if s == nil {
		return nil
	}
	for slot := range s.Len() {
		list = append(list, s.c.page(s.Page(slot)))
	}
	slices.Sort(list)
	return list
}

func (s *store) free() {
	if s != nil {
		s.set.Free()
	}
}
