package fakeweb

import (
	"net/http"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// CheckWanted compares the pages answered in full with those that a crawl has to fetch:
// each of w.Pages exactly once, and no page asked for that is in none of its sets. On a
// hostile web a page will also do on the mirror of its site (one of the two may be left
// alone, W21) and under a session id; and nothing is to be asked for that only a copy
// leads to, if the copy was asked for when the original had been answered (W20). What
// else copies and traps cost is in the Summary.
func (c *Counter) CheckWanted(w *Wanted) (found []Violation) {
	full, h := c.Answered(), c.holdings()
	about := func(kind string, p graph.Page, n int) {
		found = append(found, Violation{Kind: kind, Site: c.s.web.SiteOf(p), Page: p, N: n})
	}
	for _, p := range w.Pages {
		switch n := int(full[p]); {
		case n == 0 && !h.instead[p]:
			about(Missing, p, 0)
		case n > 1:
			about(Repeated, p, n)
		}
	}
	for i := range c.sites {
		for _, q := range c.Requests(graph.Site(i)) {
			switch {
			case q.Kind == KindPage && w.Depth[q.Page] < 0:
				found = append(found, Violation{Kind: Unwanted, Site: graph.Site(i), Page: q.Page, At: q.Start})
			case q.Kind == KindHidden && !w.Behind && h.throughCopy(q.Page) && c.s.rules.opt.Changes.Clock == nil:
				found = append(found, Violation{Kind: ThroughCopy, Site: graph.Site(i), Page: q.Page, At: q.Start})
			}
		}
	}
	return found
}

// holdings are what a visitor had of pages under several URLs, full answers only.
type holdings struct {
	instead map[graph.Page]bool          // it has the page from a mirror or under a session id
	had     map[graph.Page]time.Duration // end of the first answer with the exact content, /copy/ not counted
	slash   map[graph.Page]time.Duration // start of the first request for the copy below /copy/
}

// holdings reads the record.
func (c *Counter) holdings() *holdings {
	h := &holdings{map[graph.Page]bool{}, map[graph.Page]time.Duration{}, map[graph.Page]time.Duration{}}
	if !c.s.rules.extras {
		return h
	}
	for i := range c.Sites() {
		for _, q := range c.Requests(graph.Site(i)) {
			if q.Page != graph.NoPage && q.Kind != KindHidden && q.Full && q.Status == http.StatusOK {
				h.add(c, &q)
			}
		}
	}
	return h
}

func (h *holdings) add(c *Counter, q *Request) {
	switch q.variant {
	case copySlash:
		earliest(h.slash, q.Page, q.Start)
		return
	case copyNear:
		return
	case copyMirror:
		h.instead[q.Page] = true
		st := c.s.web.site(c.s.web.SiteOf(q.Page))
		if c.s.rules.odd(&st, uint32(q.Page)-st.first) {
			return
		}
	}
	if q.Trap.bySession() {
		h.instead[q.Page] = true
	}
	earliest(h.had, q.Page, q.End)
}

func earliest(m map[graph.Page]time.Duration, p graph.Page, at time.Duration) {
	if old, ok := m[p]; !ok || at < old {
		m[p] = at
	}
}

// throughCopy tells whether a visitor that asks for what lies behind the copy of page p
// below /copy/ could know that it is one: it had the content before it asked for the copy.
func (h *holdings) throughCopy(p graph.Page) bool {
	slash, asked := h.slash[p]
	had, ok := h.had[p]
	return !asked || ok && had <= slash
}
