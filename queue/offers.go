package queue

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// Offer lets site s take part.
func (q *Queue) Offer(s graph.Site) {
	if q.places.At(int(s)) == withdrawn {
		q.places.Set(int(s), idle)
		q.renew(s)
	}
}

// Withdraw takes site s out; its pages wait on.
func (q *Queue) Withdraw(s graph.Site) {
	if at := q.places.At(int(s)); at != withdrawn && at != idle {
		q.removeOffer(int(at) - 1)
	}
	q.places.Set(int(s), withdrawn)
}

// SetSite gives site s a value of its own; -Inf keeps it from being the best.
func (q *Queue) SetSite(s graph.Site, v float64) {
	q.owns.Set(int(s), v)
	q.renew(s)
}

// SiteValue is what site s counts as: its own value, or that of its best page (0 when
// it has none).
func (q *Queue) SiteValue(s graph.Site) float64 {
	if q.own {
		return q.owns.At(int(s))
	}
	if p, ok := q.First(s); ok {
		return q.value[p]
	}
	return 0
}

// Best is the best site that takes part and has pages.
func (q *Queue) Best() (s graph.Site, ok bool) {
	if len(q.offers) == 0 || q.own && math.IsInf(q.offers[0].value, -1) {
		return 0, false
	}
	return q.offers[0].site, true
}

// renew brings the offer of s up to date with its pages and its value.
func (q *Queue) renew(s graph.Site) {
	at := q.places.At(int(s))
	if at == withdrawn {
		return
	}
	p, ok := q.First(s)
	if !ok {
		if at != idle {
			q.removeOffer(int(at) - 1)
			q.places.Set(int(s), idle)
		}
		return
	}
	o := offer{q.value[p], uint32(p), s}
	if q.own {
		o.value, o.tie = q.owns.At(int(s)), uint32(s)
	}
	if at == idle {
		q.offers = append(q.offers, o)
		q.offerUp(len(q.offers)-1, o)
		return
	}
	i := int(at) - 1
	if o.before(&q.offers[i]) {
		q.offerUp(i, o)
	} else {
		q.offerDown(i, o)
	}
}

func (q *Queue) removeOffer(i int) {
	n := len(q.offers) - 1
	last := q.offers[n]
	q.offers = q.offers[:n]
	if i == n {
		return
	}
	if i > 0 && last.before(&q.offers[(i-1)/4]) {
		q.offerUp(i, last)
	} else {
		q.offerDown(i, last)
	}
}

// offerUp puts o at place i and moves it towards the top.
func (q *Queue) offerUp(i int, o offer) {
	places, offers := q.places.Slice(), q.offers
	for i > 0 {
		j := (i - 1) / 4
		if offers[j].before(&o) {
			break
		}
		offers[i] = offers[j]
		places[offers[i].site] = uint32(i + 1)
		i = j
	}
	offers[i] = o
	places[o.site] = uint32(i + 1)
}

// offerDown puts o at place i and moves it towards the end.
func (q *Queue) offerDown(i int, o offer) {
	places, offers := q.places.Slice(), q.offers
	for {
		first := 4*i + 1
		if first >= len(offers) {
			break
		}
		best := first
		for j := first + 1; j < min(first+4, len(offers)); j++ {
			if offers[j].before(&offers[best]) {
				best = j
			}
		}
		if o.before(&offers[best]) {
			break
		}
		offers[i] = offers[best]
		places[offers[i].site] = uint32(i + 1)
		i = best
	}
	offers[i] = o
	places[o.site] = uint32(i + 1)
}
