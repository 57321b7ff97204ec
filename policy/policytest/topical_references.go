package policytest

import (
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/topic"
)

// contains reports whether a term of the topic is in the text of the link at place i of page q.
func (w *World) contains(q, i int) bool { return w.hit(q, i).Anchor != 0 }

// hit returns the terms at the link at place i of page q.
func (w *World) hit(q, i int) event.Hit {
	for _, h := range w.Read[q].Hits {
		if int(h.Link) == i {
			return h
		}
	}
	return event.Hit{}
}

// urlTerms returns the terms in the URL of a page. They are long, so they count wherever they are.
func (w *World) urlTerms(p int) (mask uint64) {
	for i, term := range w.Topic.Terms() {
		if w.URL != nil && strings.Contains(w.URL[p], term) {
			mask |= 1 << i
		}
	}
	return mask
}

// isHot is the test of figure 5: 10 or more terms in the body, or one in the title.
func (w *World) isHot(p int) bool {
	title, body := 0, 0
	for _, m := range w.Read[p].Matches {
		title, body = title+int(m.Title), body+int(m.Body)
	}
	return body >= 10 || title >= 1
}

// named reports whether a term is in the URL of p or in a link to it.
func (v *view) named(p int) bool {
	return v.w.urlTerms(p) != 0 || slices.ContainsFunc(v.fetched, func(q int) bool {
		i := slices.Index(v.w.Out[q], p)
		return i >= 0 && v.w.contains(q, i)
	})
}

// near reports whether p is a hot page, or less than so many links behind one.
func (v *view) near(p, links int) bool {
	if links == 0 {
		return false
	}
	if slices.Contains(v.fetched, p) && v.w.isHot(p) {
		return true
	}
	return links > 1 && slices.ContainsFunc(v.fetched, func(q int) bool { return slices.Contains(v.w.Out[q], p) && v.near(q, links-1) })
}

// twoQueue is figure 5, with near = 0 figure 4: pages of the hot queue first, in each queue by
// another order, whose numbers are below 1000.
func twoQueue(near int, order func() reference) func() reference {
	return func() reference {
		by := order()
		return func(v *view) func(int) key {
			inner := by(v)
			return func(p int) key {
				if v.named(p) || v.near(p, near) {
					return key{1000 + inner(p)[0]}
				}
				return inner(p)
			}
		}
	}
}

// bestFirst adds up the best of parents, anchors and URL.
func bestFirst(parents bool) func() reference {
	return func() reference {
		return func(v *view) func(int) key {
			seen, known := topic.NewCollection(v.w.Topic), map[int]bool{}
			parent, anchor, url := map[int]float32{}, map[int]float32{}, map[int]float32{}
			discover := func(p int) {
				if !known[p] {
					known[p], url[p] = true, float32(seen.Share(v.w.urlTerms(p)))
				}
			}
			for _, p := range v.w.Seeds {
				discover(p)
			}
			for _, q := range v.fetched {
				seen.Add(&v.w.Read[q])
				similarity := float32(seen.Similarity(&v.w.Read[q]))
				for i, p := range v.w.Out[q] {
					discover(p)
					parent[p] = max(parent[p], similarity)
					anchor[p] = max(anchor[p], float32(seen.Share(v.w.hit(q, i).Anchor)))
				}
			}
			seen.Free()
			return func(p int) key {
				if parents {
					return key{float64(parent[p])}
				}
				return key{float64(parent[p]) + float64(anchor[p]) + float64(url[p])}
			}
		}
	}
}

// sharkSearch follows the formulas of Hersovici et al., link by link.
func sharkSearch(v *view) func(int) key {
	seen := topic.NewCollection(v.w.Topic)
	defer seen.Free()
	inherited, score := map[int]float64{}, map[int]float64{}
	for _, q := range v.fetched {
		seen.Add(&v.w.Read[q])
		hands := 0.5 * inherited[q]
		if similarity := seen.Similarity(&v.w.Read[q]); similarity > 0 {
			hands = 0.5 * similarity
		}
		for i, p := range v.w.Out[q] {
			hit := v.w.hit(q, i)
			anchor, context := seen.Share(hit.Anchor), seen.Share(hit.Around)
			if anchor > 0 {
				context = 1
			}
			near := float64(0.8*anchor) + float64((1-0.8)*context)
			score[p] = max(score[p], float64(0.8*hands)+float64((1-0.8)*near))
			inherited[p] = max(inherited[p], hands)
		}
	}
	return func(p int) key { return key{score[p]} }
}
