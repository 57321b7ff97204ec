package fakeweb

import (
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// localSlot returns slot i of the page: that of the nearest of its prototypes which draws
// it.
func (l *Lister) localSlot(i uint32) graph.Page {
	for t := 0; ; t++ {
		if t == len(l.local) {
			l.local = append(l.local, l.site.prototype(l.local[t-1]))
		}
		j := l.local[t]
		if to, ok := l.near.find(graph.Page(l.site.First+j), i); ok {
			return to
		}
		h := draw.Hash(l.site.Seed, streamLocal, draw.Pair(j, i))
		if j == 0 || h&255 < freshLocal {
			return graph.Page(l.site.First + l.site.freshLink(j, h>>8))
		}
	}
}

// prototype returns the page before j, j > 0, from which j copies its local slots: one
// of the last four pages of its directory, for an index page the index page above
// it in the tree, and in one case of sixteen any page before it.
func (s *Site) prototype(j uint32) uint32 {
	h := draw.Hash(s.Seed, streamLocal, draw.Pair(j, 1<<32-1))
	switch d, k := s.Place(j); {
	case h&15 == 0:
		return uint32(draw.Below(h, uint64(j)))
	case k > 0:
		return j - 1 - uint32(draw.Below(h, uint64(min(k, 4))))
	case d < dirBranch:
		return 0
	default:
		return s.index(d/dirBranch - 1)
	}
}

// freshLink returns a page of the site: one within 32 places of j, or any, the early
// ones more often (n*u*v with uniform u and v).
func (s *Site) freshLink(j uint32, h uint64) uint32 {
	if h&255 >= toNear {
		return uint32(draw.Below(draw.Mix(h), draw.Below(h<<8, uint64(s.Pages))+1))
	}
	lo := j - min(j, 32)
	hi := min(j+32, s.Pages-1)
	return lo + uint32(draw.Below(h<<8, uint64(hi-lo+1)))
}

// remoteSlot returns the same as localSlot over the whole web.
func (l *Lister) remoteSlot(i uint32) graph.Page {
	for t := 0; ; t++ {
		if t == len(l.remote) {
			l.remote = append(l.remote, l.w.remotePrototype(&l.remote[t-1]))
		}
		a := &l.remote[t]
		if to, ok := l.near.find(graph.Page(a.site.First+a.j), i); ok {
			return to
		}
		h := draw.Hash(a.site.Seed, streamRemote, draw.Pair(a.j, i))
		if a.site.First+a.j == 0 || h&255 < freshRemote {
			return l.w.freshRemoteLink(&a.site, h>>8)
		}
	}
}

// remotePrototype returns where a page copies its remote slots: one of the last four
// pages of its directory in three cases of four, else any page of the sites with
// smaller ids (in site 0: any page before it). Ids always fall, so the way ends.
func (w *Web) remotePrototype(a *spot) spot {
	s := &a.site
	h := draw.Hash(s.Seed, streamRemote, draw.Pair(a.j, 1<<32-1))
	switch _, k := s.Place(a.j); {
	case k > 0 && h&3 != 0:
		return spot{*s, a.j - 1 - uint32(draw.Below(h, uint64(min(k, 4))))}
	case s.ID > 0:
		p := graph.Page(draw.Below(h, uint64(s.First)))
		site, j := w.Locate(p)
		return spot{site, j}
	default:
		return spot{*s, uint32(draw.Below(h, uint64(a.j)))}
	}
}

// freshRemoteLink returns a page of a site within 64 ids of s, as if of the same
// subject, or of any site, chosen by size; mostly its home page.
func (w *Web) freshRemoteLink(s *Site, h uint64) graph.Page {
	var to graph.Site
	if h&255 < toKin {
		lo := s.ID - min(s.ID, 64)
		hi := min(s.ID+64, graph.Site(w.spec.Sites-1))
		to = lo + graph.Site(draw.Below(h<<16, uint64(hi-lo+1)))
	} else {
		to = w.SiteOf(graph.Page(draw.Below(h<<16, uint64(w.spec.Pages))))
	}
	if h>>8&255 < toHome {
		return w.Home(to)
	}
	return w.Home(to) + graph.Page(draw.Below(draw.Mix(h), uint64(w.Size(to))))
}
