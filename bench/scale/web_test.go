//go:build linux

package scale

import (
	"math"
	"strconv"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/urltable"
)

// An endless is a Web without end: a page has so many links, of which freshLinks, on
// average, lead to pages that nobody has seen yet, and localShare stay on its site. Other sites are
// drawn by Zipf's law with exponent 1, and of a site its old pages are drawn more often
// than its young ones (the square of a uniform number). It keeps 8 bytes a site and
// nothing of a page.
type endless struct {
	key   urltable.Key
	sites int
	links int
	pages *graph.Column[uint32] // by rank of the site: pages drawn so far
	ranks *graph.Column[uint32] // by id of the site: its rank
	draws uint64                // numbers drawn so far
}

const (
	freshLinks = 5 // new pages for one that was fetched: a fifth of the known pages is fetched
	localShare = 0.75
)

func newEndless(key urltable.Key, sites, links int) *endless {
	w := &endless{
		key: key, sites: sites, links: links,
		pages: graph.NewColumn[uint32]("web pages", sites), ranks: graph.NewColumn[uint32]("web ranks", sites),
	}
	w.pages.Grow(sites)
	return w
}

func (w *endless) free() {
	w.pages.Free()
	w.ranks.Free()
}

// uniform is the next number in [0, 1).
func (w *endless) uniform() float64 {
	w.draws++
	return float64(policy.Hash(1, w.draws)>>11) / (1 << 53)
}

// zipf is the rank of a site: log-uniform, so that rank r has a share of about
// 1/(r ln sites).
func (w *endless) zipf() uint32 {
	return uint32(math.Exp(w.uniform()*math.Log(float64(w.sites))) - 1)
}

// A link is what a fetcher sends to the owner: names and hashes are made.
type link struct {
	rank           uint32
	local          bool
	siteHash, hash uint64
	name, rest     []byte
}

func appendName(b []byte, rank uint32) []byte {
	b = append(b, "http://www.site-"...)
	b = strconv.AppendUint(b, uint64(rank), 10)
	return append(b, ".example"...)
}

func appendRest(b []byte, page uint32) []byte {
	b = append(b, "/section-"...)
	b = strconv.AppendUint(b, uint64(page/100), 10)
	b = append(b, "/page-"...)
	b = strconv.AppendUint(b, uint64(page), 10)
	return append(b, ".html"...)
}

// fill makes l a link to a page of a site.
func (w *endless) fill(l *link, rank, page uint32) {
	l.rank = rank
	l.name, l.rest = appendName(l.name[:0], rank), appendRest(l.rest[:0], page)
	l.siteHash = w.key.Site(l.name)
	l.hash = w.key.Page(l.siteHash, l.rest)
}

// draw makes the links of a page of a site, distinct and none to the page itself, and
// returns how many there are.
func (w *endless) draw(site graph.Site, self uint64, list []link) (n int) {
	home := w.ranks.At(int(site))
	for range len(list) {
		l := &list[n]
		rank := home
		if w.uniform() >= localShare {
			rank = w.zipf()
		}
		l.local = rank == home
		known := w.pages.At(int(rank))
		if known == 0 || w.uniform()*float64(w.links) < freshLinks {
			w.pages.Set(int(rank), known+1)
			w.fill(l, rank, known)
			n++
			continue
		}
		u := w.uniform()
		w.fill(l, rank, uint32(u*u*float64(known)))
		if l.hash != self && !holds(list[:n], l.hash) {
			n++
		}
	}
	return n
}

func holds(list []link, hash uint64) bool {
	for i := range list {
		if list[i].hash == hash {
			return true
		}
	}
	return false
}
