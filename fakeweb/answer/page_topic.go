package answer

import (
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/fakeweb/subject"
	"github.com/winnow-crawler/winnow/graph"
)

// Streams of topics.
const (
	streamTheme  = iota + 192 // words of topics in pages and titles
	streamAnchor              // and in links
)

// What is about a topic shows in words, more or less. Shares are in 1/256.
const (
	inTitle   = 128 // titles of pages of a topic that have a word of it
	toKnown   = 192 // links between pages of a topic whose text has a word of it
	toUnknown = 96  // links from other pages to one of the topic
	toShy     = 16  // links to pages whose topic links seldom name
	toStuffed = 230 // links to pages that are stuffed with a word
	toNothing = 4   // links to pages of no topic whose text has a word of some topic
	besides   = 26  // pages of no topic that mention one
)

// A theme is the topic whose words a page has between others.
type theme struct {
	topic int
	words uint64 // for every four clauses, in 1/256; 0 without topics
	only  bool   // its name is all that the page has
	seed  uint64
}

func (t *theme) name() string { return subject.Name(t.topic) }

// theme returns that of page j. A page of a topic has from a third to two words of it in four
// clauses, one of a hundred to one of ten words; some other pages mention one now and then.
func (r *pageRules) theme(s *fakeweb.Site, j uint32) theme {
	topics := r.web.Spec().Topics.Number
	if topics == 0 {
		return theme{}
	}
	h, about := r.draw(s, streamTheme, uint64(j)), s.Subject(j)
	switch {
	case about.Stuffed >= 0:
		return theme{about.Stuffed, 1, true, h}
	case about.Topic >= 0:
		return theme{about.Topic, 85 + draw.Below(h, 427), false, h}
	case h&255 < besides:
		return theme{int(draw.Below(h, uint64(topics))), 20, false, h}
	}
	return theme{}
}

// append appends the words for the next four clauses.
func (t *theme) append(b []byte, h uint64) []byte {
	if t.only {
		return append(append(b, t.name()...), ' ')
	}
	for n := t.words + h&255; n >= 256; n -= 256 {
		h = draw.Mix(h)
		b = append(append(append(b, ' '), subject.Words(t.topic)[subject.Place(h)]...), ' ')
	}
	return b
}

// titleWord returns the word of a topic that the title of page j has, "" for none. Words that
// are frequent in the topic are more so in titles.
func (r *pageRules) titleWord(s *fakeweb.Site, j uint32) string {
	about := s.Subject(j)
	if about.Stuffed >= 0 {
		return subject.Name(about.Stuffed)
	}
	h := r.draw(s, streamTheme, uint64(j)|1<<32)
	if about.Topic < 0 || h&255 >= inTitle {
		return ""
	}
	return subject.Words(about.Topic)[min(subject.Place(h), subject.Place(draw.Mix(h)))]
}

// anchorWord returns the word of a topic in the text of link i of the page, which leads to page
// j of a site; "" for none. Not all links tell, and some lie.
func (c *composer) anchorWord(i uint32, to *fakeweb.Site, j uint32) string {
	r := &c.w.rules
	topics := r.web.Spec().Topics.Number
	if topics == 0 {
		return ""
	}
	h, about := r.draw(c.site, streamAnchor, draw.Pair(c.j, i)), to.Subject(j)
	topic, share := about.Topic, uint64(toUnknown)
	switch {
	case about.Stuffed >= 0:
		topic, share = about.Stuffed, toStuffed
	case topic < 0:
		topic, share = int(draw.Below(h, uint64(topics))), toNothing
	case about.Shy:
		share = toShy
	case c.topic.topic == topic && c.site.Subject(c.j).Topic == topic:
		share = toKnown
	}
	if h&255 >= share {
		return ""
	}
	return subject.Words(topic)[subject.Place(draw.Mix(h))]
}

// HTML appends the content of page p to dst: what a visitor of its URL receives, before content
// coding, of its first version, if it is a page of HTML.
func (w *World) HTML(dst []byte, p graph.Page) []byte {
	c := w.composers.Get().(*composer)
	defer w.composers.Put(c)
	st, j := w.web.Locate(p)
	c.key, c.visit, c.at = 0, 0, 0
	return append(dst, c.page(&st, j, 0, w.rules.size(&st, j, OK))...)
}
