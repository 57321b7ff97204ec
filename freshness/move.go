package freshness

import "github.com/winnow-crawler/winnow/graph"

// HasContent reports whether a page had some content at its last visit: it is not gone, and it was
// no redirect.
func (p *Plan) HasContent(id graph.Page) bool {
	x := &p.pages.Slice()[id]
	return x.gone() == 0 && x.digest() != 0
}

// IsGone reports whether a page was not there at its last visit.
func (p *Plan) IsGone(id graph.Page) bool { return p.pages.Slice()[id].gone() > 0 }

// Inherit lets a page that was not fetched yet begin with what is known of the changes of
// another.
func (p *Plan) Inherit(from, to graph.Page) {
	p.pages.Grow(int(to) + 1)
	if x, y := p.pages.Slice()[from], &p.pages.Slice()[to]; !y.fetched() {
		*y = page{wordTimes: x[wordTimes], wordRate: x[wordRate] &^ digestPart}
	}
}
