package fakeweb

import (
	"slices"

	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// Probabilities in 1/256, found by comparison with cnr-2000 and apache-sites: there 77 % of
// the links of a page are also in one of the seven lists before it, 61 to 90 % of the pages
// have fewer than ten in-links, and the in-degrees from 10 on have exponents of 2.0 and
// 2.4. TestLooksLikeAWeb states what comes out here.
const (
	freshLocal  = 6   // a local slot is drawn rather than copied
	freshRemote = 16  // the same for a remote slot
	remoteSlots = 28  // share of remote slots in a large site
	toNear      = 64  // a fresh local link goes to a page close by
	toHome      = 160 // a fresh remote link goes to the home page of its site
	toKin       = 128 // a fresh remote link goes to a site close by
)

// A Lister makes lists of links. It reuses its memory for every page.
type Lister struct {
	w     *Web
	site  *Site
	j     uint32 // the page, counted in its site
	self  graph.Page
	menu  uint64 // seed of the decisions that the pages of its directory share
	about Subject

	local  []uint32 // page, its prototype, the prototype of that, ...
	remote []spot
	out    []graph.Page
	near   recent
}

// spot is a page anywhere in the web.
type spot struct {
	site Site
	j    uint32
}

// Links returns the links of page j of a site, valid until the next call.
func (l *Lister) Links(w *Web, s *Site, j uint32) []graph.Page {
	d, k := s.Place(j)
	l.w, l.site, l.j, l.self = w, s, j, graph.Page(s.First+j)
	l.menu, l.about = draw.Hash(s.Seed, streamMenu, uint64(d)), s.Subject(j)
	l.local = append(l.local[:0], j)
	l.remote = append(l.remote[:0], spot{*s, j})
	l.out = l.out[:0]
	l.near.start(l.menu, l.self)
	n := w.degree(s, j)
	if n == 0 {
		return l.out
	}
	l.tree()
	if d >= 0 {
		l.navigation(d, k)
	}
	l.out = l.out[:min(n, len(l.out))]
	l.slots(n)
	return l.out
}

// tree appends the tree links.
func (l *Lister) tree() {
	pages, dirs, sites := l.w.branches(l.site, l.j)
	for x := dirs.lo; x < dirs.hi; x++ {
		l.add(graph.Page(l.site.First + l.site.index(x)))
	}
	for x := pages.lo; x < pages.hi; x++ {
		l.add(graph.Page(int64(l.site.First) + x))
	}
	for x := sites.lo; x < sites.hi; x++ {
		l.add(graph.Page(l.w.first[x]))
	}
}

// navigation appends the links in the template of the directory: home page, index page,
// next page. It never repeats a tree link, so lists cut short stay distinct.
func (l *Lister) navigation(d int64, k uint32) {
	if l.menu&15 != 0 {
		l.add(graph.Page(l.site.First))
	}
	if k == 0 {
		return
	}
	if l.menu>>4&15 != 0 {
		l.add(graph.Page(l.site.First + l.site.index(d)))
	}
	if l.menu>>8&3 == 0 && l.j+1 < l.site.Pages {
		l.add(l.self + 1)
	}
}

// slots fills the list up to n distinct links and sorts it.
func (l *Lister) slots(n int) {
	remote := remoteShare(l.site.Pages)
	limit := uint32(min(4*int64(n)+64, 1<<31)) // then it is time for the last resort
	for i := uint32(0); i < limit; {
		for ; len(l.out) < n && i < limit; i++ {
			to := l.slot(i, remote)
			l.near.keep(l.self, to)
			l.add(l.steer(i, to))
		}
		slices.Sort(l.out)
		l.out = slices.Compact(l.out)
		if len(l.out) == n {
			return
		}
	}
	l.fill(n)
}

// slot returns slot i. Whether it is remote depends on the directory.
func (l *Lister) slot(i uint32, remote uint64) graph.Page {
	if h := draw.Hash(l.menu, streamRemote, uint64(i)); h&255 < remote {
		return l.remoteSlot(i)
	}
	return l.localSlot(i)
}

// remoteShare returns the share of remote slots in 1/256: higher in a site of few pages.
func remoteShare(pages uint32) uint64 {
	if pages == 1 {
		return 256
	}
	return max(remoteSlots, 8*256/(uint64(pages)+8))
}

// add appends a link unless it is the page itself.
func (l *Lister) add(p graph.Page) {
	if p != l.self {
		l.out = append(l.out, p)
	}
}

// fill completes lists that are nearly as long as the site or the web. It takes the
// pages of the site, then all pages, from a random one on.
func (l *Lister) fill(n int) {
	h := draw.Hash(l.site.Seed, streamFill, uint64(l.j))
	l.fillFrom(n, uint64(l.site.First), uint64(l.site.Pages), h)
	l.fillFrom(n, 0, uint64(l.w.spec.Pages), h)
}

func (l *Lister) fillFrom(n int, first, pages, h uint64) {
	known := l.out // sorted
	x := draw.Below(h, pages)
	for range pages {
		if len(l.out) == n {
			break
		}
		p := graph.Page(first + x)
		if _, found := slices.BinarySearch(known, p); !found {
			l.add(p)
		}
		if x++; x == pages {
			x = 0
		}
	}
	slices.Sort(l.out)
}

// recent holds the slots of the last pages of one directory, because that is where
// most slots are copied from. It only saves work: a slot is a function of the seed.
type recent struct {
	menu uint64 // the directory
	page [8]graph.Page
	slot [8][]graph.Page // slots 0, 1, ... as far as they were needed
}

// start makes room for the slots of page p.
func (r *recent) start(menu uint64, p graph.Page) {
	if r.menu != menu {
		r.menu = menu
		for k := range r.page {
			r.page[k] = graph.NoPage
		}
	}
	r.page[p%8], r.slot[p%8] = p, r.slot[p%8][:0]
}

func (r *recent) keep(p, to graph.Page) { r.slot[p%8] = append(r.slot[p%8], to) }

// find returns slot i of page p, if it is there.
func (r *recent) find(p graph.Page, i uint32) (graph.Page, bool) {
	if r.page[p%8] != p || i >= uint32(len(r.slot[p%8])) {
		return 0, false
	}
	return r.slot[p%8][i], true
}
