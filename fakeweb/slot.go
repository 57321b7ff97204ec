package fakeweb

import "github.com/winnow-crawler/winnow/graph"

// localSlot is slot i of the page: that of the nearest of its prototypes which
// draws it afresh.
func (l *lister) localSlot(i uint32) graph.Page {
	for t := 0; ; t++ {
		if t == len(l.local) {
			l.local = append(l.local, l.site.prototype(l.local[t-1]))
		}
		j := l.local[t]
		if to, ok := l.near.find(graph.Page(l.site.first+j), i); ok {
			return to
		}
		h := hash(l.site.seed, streamLocal, pair(j, i))
		if j == 0 || h&255 < freshLocal {
			return graph.Page(l.site.first + l.site.freshLink(j, h>>8))
		}
	}
}

// prototype is the page before j, j > 0, from which j copies its local slots: one
// of the last four pages of its directory, for an index page the index page above
// it in the tree, and in one case of sixteen any page before it.
func (s *site) prototype(j uint32) uint32 {
	h := hash(s.seed, streamLocal, pair(j, 1<<32-1))
	switch d, k := s.place(j); {
	case h&15 == 0:
		return uint32(below(h, uint64(j)))
	case k > 0:
		return j - 1 - uint32(below(h, uint64(min(k, 4))))
	case d < dirBranch:
		return 0
	default:
		return s.index(d/dirBranch - 1)
	}
}

// freshLink is a page of the site: one within 32 places of j, or any, the early
// ones more often (n*u*v with uniform u and v).
func (s *site) freshLink(j uint32, h uint64) uint32 {
	if h&255 >= toNear {
		return uint32(below(mix(h), below(h<<8, uint64(s.pages))+1))
	}
	lo := j - min(j, 32)
	hi := min(j+32, s.pages-1)
	return lo + uint32(below(h<<8, uint64(hi-lo+1)))
}

// remoteSlot is the same as localSlot over the whole web.
func (l *lister) remoteSlot(i uint32) graph.Page {
	for t := 0; ; t++ {
		if t == len(l.remote) {
			l.remote = append(l.remote, l.w.remotePrototype(&l.remote[t-1]))
		}
		a := &l.remote[t]
		if to, ok := l.near.find(graph.Page(a.site.first+a.j), i); ok {
			return to
		}
		h := hash(a.site.seed, streamRemote, pair(a.j, i))
		if a.site.first+a.j == 0 || h&255 < freshRemote {
			return l.w.freshRemoteLink(&a.site, h>>8)
		}
	}
}

// remotePrototype is where a page copies its remote slots: one of the last four
// pages of its directory in three cases of four, else any page of the sites with
// smaller ids (in site 0: any page before it). Ids always fall, so the way ends.
func (w *Web) remotePrototype(a *spot) spot {
	s := &a.site
	h := hash(s.seed, streamRemote, pair(a.j, 1<<32-1))
	switch _, k := s.place(a.j); {
	case k > 0 && h&3 != 0:
		return spot{*s, a.j - 1 - uint32(below(h, uint64(min(k, 4))))}
	case s.id > 0:
		p := graph.Page(below(h, uint64(s.first)))
		site := w.site(w.SiteOf(p))
		return spot{site, uint32(p) - site.first}
	default:
		return spot{*s, uint32(below(h, uint64(a.j)))}
	}
}

// freshRemoteLink is a page of a site within 64 ids of s, the same subject so to
// speak, or of any site, chosen by size; mostly its home page.
func (w *Web) freshRemoteLink(s *site, h uint64) graph.Page {
	var to graph.Site
	if h&255 < toKin {
		lo := s.id - min(s.id, 64)
		hi := min(s.id+64, graph.Site(w.spec.Sites-1))
		to = lo + graph.Site(below(h<<16, uint64(hi-lo+1)))
	} else {
		to = w.SiteOf(graph.Page(below(h<<16, uint64(w.spec.Pages))))
	}
	if h>>8&255 < toHome {
		return w.Home(to)
	}
	return w.Home(to) + graph.Page(below(mix(h), uint64(w.Size(to))))
}
