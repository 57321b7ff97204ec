package queue

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// An offer is a site that takes part and has pages. Sites of equal value are ordered by
// tie: the best page, or the site itself if sites have values of their own.
//
// With groups each group has a heap of its sites. The heap of offers then holds groups:
// site is the number of the group, and its value is that of its best site.
type offer struct {
	value float64
	tie   uint32
	site  graph.Site
}

func (o *offer) before(p *offer) bool {
	return o.value > p.value || o.value == p.value && o.tie < p.tie
}

// Offer lets site s take part.
func (q *Queue) Offer(s graph.Site) {
	if q.places.At(int(s)) == withdrawn {
		q.places.Set(int(s), idle)
		q.renew(s)
	}
}

// Withdraw lets site s take part no more. Its pages still wait.
func (q *Queue) Withdraw(s graph.Site) {
	if at := q.places.At(int(s)); at != withdrawn && at != idle {
		q.retract(s, at)
	}
	q.places.Set(int(s), withdrawn)
}

// Offers reports whether Best can return site s: it takes part, has pages, and its group is
// not shut.
func (q *Queue) Offers(s graph.Site) bool {
	at := q.places.At(int(s))
	return at != withdrawn && at != idle && (q.groups == nil || !q.groups.isShut(q.groups.of.At(int(s))))
}

// SetSite sets the value of site s. Best never returns a site with -Inf. Without SitesOwn
// it does nothing.
func (q *Queue) SetSite(s graph.Site, v float64) {
	if !q.own {
		return
	}
	q.owns.Set(int(s), v)
	q.renew(s)
}

// SitesValued reports whether sites have values of their own.
func (q *Queue) SitesValued() bool { return q.own }

// SiteValue returns the value of site s: its own, or that of its best page, or 0 if it has
// no pages.
func (q *Queue) SiteValue(s graph.Site) float64 {
	if q.own {
		return q.owns.At(int(s))
	}
	if p, ok := q.First(s); ok {
		return q.value[p]
	}
	return 0
}

// Best returns the best site that takes part and has pages, and whose group is not shut.
func (q *Queue) Best() (s graph.Site, ok bool) {
	if len(q.offers) == 0 || q.own && math.IsInf(q.offers[0].value, -1) {
		return 0, false
	}
	if q.groups == nil {
		return q.offers[0].site, true
	}
	o, ok := q.bestOf(uint32(q.offers[0].site))
	return o.site, ok
}

// renew updates the offer of s after its pages or its value changed.
func (q *Queue) renew(s graph.Site) {
	at := q.places.At(int(s))
	if at == withdrawn {
		return
	}
	if q.pages.len(s) == 0 {
		if at != idle {
			q.retract(s, at)
			q.places.Set(int(s), idle)
		}
		return
	}
	q.propose(at, q.offerOf(s))
}

// offerOf returns the offer of s, which has pages.
func (q *Queue) offerOf(s graph.Site) offer {
	if q.own {
		return offer{q.owns.At(int(s)), uint32(s), s}
	}
	p := q.pages.of(s)[0]
	return offer{q.value[p], uint32(p), s}
}

// propose puts o, which was at place at, where it belongs.
func (q *Queue) propose(at uint32, o offer) {
	if q.groups == nil {
		q.offers = put(q.offers, q.places.Slice(), at, o)
		return
	}
	q.join(at, o)
}

// retract removes the offer of s, which is at place at.
func (q *Queue) retract(s graph.Site, at uint32) {
	if q.groups == nil {
		q.offers = remove(q.offers, q.places.Slice(), at)
		return
	}
	q.part(s, at)
}

// put puts o, which is at place at or idle, where it belongs in a heap. Places are counted
// from 1.
func put(heap []offer, places []uint32, at uint32, o offer) []offer {
	if at == idle {
		heap = append(heap, o)
		up(heap, places, len(heap)-1, o)
		return heap
	}
	if i := int(at) - 1; o.before(&heap[i]) {
		up(heap, places, i, o)
	} else {
		down(heap, places, i, o)
	}
	return heap
}

// remove removes the offer at place at.
func remove(heap []offer, places []uint32, at uint32) []offer {
	i, n := int(at)-1, len(heap)-1
	last := heap[n]
	heap = heap[:n]
	switch {
	case i == n:
	case i > 0 && last.before(&heap[(i-1)/4]):
		up(heap, places, i, last)
	default:
		down(heap, places, i, last)
	}
	return heap
}

// up puts o at place i of a heap and moves it towards the top.
func up(heap []offer, places []uint32, i int, o offer) {
	for i > 0 {
		j := (i - 1) / 4
		if heap[j].before(&o) {
			break
		}
		heap[i] = heap[j]
		places[heap[i].site] = uint32(i + 1)
		i = j
	}
	heap[i] = o
	places[o.site] = uint32(i + 1)
}

// down puts o at place i of a heap and moves it towards the end.
func down(heap []offer, places []uint32, i int, o offer) {
	for {
		first := 4*i + 1
		if first >= len(heap) {
			break
		}
		best := first
		for j := first + 1; j < min(first+4, len(heap)); j++ {
			if heap[j].before(&heap[best]) {
				best = j
			}
		}
		if o.before(&heap[best]) {
			break
		}
		heap[i] = heap[best]
		places[heap[i].site] = uint32(i + 1)
		i = best
	}
	heap[i] = o
	places[o.site] = uint32(i + 1)
}
