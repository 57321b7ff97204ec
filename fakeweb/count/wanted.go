package count

import (
	"net/http"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// CheckWanted compares the pages answered in full with those that a crawl has to fetch:
// each of w.Pages exactly once, and no request for a page that is in none of the sets. On
// a hostile web, a page on the mirror of its site or under a session id will do. Nobody
// may request what only a copy leads to, if the original had been answered before the
// request for the copy. The Summary counts what else copies and traps cost.
func (c *Counter) CheckWanted(w *answer.Wanted) (found []Violation) {
	full, h := c.Answered(), c.holdings()
	about := func(kind string, p graph.Page, n int) {
		found = append(found, Violation{Kind: kind, Site: c.world.Web().SiteOf(p), Page: p, N: n})
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
			case q.Kind == answer.KindPage && w.Depth[q.Page] < 0:
				found = append(found, Violation{Kind: Unwanted, Site: graph.Site(i), Page: q.Page, At: q.Start})
			case q.Kind == answer.KindHidden && !w.Behind && h.throughCopy(q.Page) && c.world.Options().Changes.Clock == nil:
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
	for i := range c.Sites() {
		for _, q := range c.Requests(graph.Site(i)) {
			if q.Page != graph.NoPage && q.Kind != answer.KindHidden && q.Full && q.Status == http.StatusOK {
				h.add(c, &q)
			}
		}
	}
	return h
}

func (h *holdings) add(c *Counter, q *Request) {
	switch q.variant {
	case answer.CopySlash:
		earliest(h.slash, q.Page, q.Start)
		return
	case answer.CopyNear:
		return
	case answer.CopyMirror:
		h.instead[q.Page] = true
		if slices.ContainsFunc(c.world.Copies(q.Page), func(c answer.Copy) bool { return c.Odd }) {
			return
		}
	}
	if q.Trap.BySession() {
		h.instead[q.Page] = true
	}
	earliest(h.had, q.Page, q.End)
}

func earliest(m map[graph.Page]time.Duration, p graph.Page, at time.Duration) {
	if old, ok := m[p]; !ok || at < old {
		m[p] = at
	}
}

// throughCopy reports whether a visitor that asks for what lies behind the copy of page p
// below /copy/ could know that it is one: it had the content before it requested the copy.
func (h *holdings) throughCopy(p graph.Page) bool {
	slash, asked := h.slash[p]
	had, ok := h.had[p]
	return !asked || ok && had <= slash
}
