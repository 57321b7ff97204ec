package gather

import (
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/topic"
)

// Terms are the terms of the topic at a link, as bits by their places.
type Terms struct {
	Anchor uint64 // in its text
	Around uint64 // in the words before and after it
}

// Terms returns the terms of the topic at link i, none if there is no topic.
func (l *Links) Terms(i int) Terms {
	if len(l.terms) == 0 {
		return Terms{}
	}
	return l.terms[i]
}

// topical reads what pages have to do with the topic of the crawl. Without a topic it does
// nothing.
type topical struct {
	reader *topic.Reader // nil without a topic
	edges  []uint32      // of the anchors of the page
	anchor int           // the next one
	next   Terms         // of the next link
}

// read reads a page.
func (x *topical) read(p *page.Page, to *event.Reading) {
	if x.reader == nil {
		return
	}
	x.edges, x.anchor = x.edges[:0], 0
	for i := range p.Links {
		if s, ok := p.Place(&p.Links[i]); ok {
			x.edges = append(x.edges, s.Start, s.End)
		}
	}
	x.reader.PageWithLinks(p.Title, p.Text, x.edges, to)
}

// at sets the terms of the next link, which is link i of the page.
func (x *topical) at(p *page.Page, i int) {
	if x.reader == nil {
		return
	}
	l := &p.Links[i]
	x.next = Terms{}
	if _, ok := p.Place(l); ok {
		x.next.Anchor, x.next.Around = x.reader.Link(x.edges, x.anchor)
		x.anchor++
	}
	if text := p.Aside(l); len(text) > 0 {
		x.next.Anchor |= x.reader.Mask(text)
	}
}

// add adds the terms of the link that was added last.
func (x *topical) add(l *Links) {
	if x.reader != nil {
		l.terms = append(l.terms, x.next)
	}
}

// join adds the terms of a link to those of another with the same target.
func (x *topical) join(l *Links, at int) {
	if x.reader != nil {
		l.terms[at].Anchor |= x.next.Anchor
		l.terms[at].Around |= x.next.Around
	}
}

// trim frees a buffer that has grown for an unusually large page.
func (x *topical) trim() {
	if 4*cap(x.edges) > maxKept {
		x.edges = nil
	}
}
