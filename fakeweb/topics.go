package fakeweb

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/fakeweb/subject"
	"github.com/winnow-crawler/winnow/graph"
)

// Topics describes what the pages of a web are about. The zero value is a web without topics.
//
// Pages of a topic lie together: half of them in sites that are mostly about it, three tenths in
// directories of other sites, and a fifth alone among pages about nothing in particular.
type Topics struct {
	Number int // of topics, at most subject.Most; 0: there are none
	// Share is the share of the pages that are on topic 0, which is the one that measures are
	// about. Topic t has the share Share / (t+1).
	Share float64
	// Preference is the share of the links of a page of a topic, those of the tree and of the
	// navigation apart, that lead to pages of the same topic whatever they would lead to
	// otherwise. It is higher in hubs.
	Preference float64
}

// SomeTopics returns the topics of a web that has them, unless something else is wanted.
func SomeTopics() Topics { return Topics{Number: subject.Most, Share: 0.05, Preference: 0.5} }

// NoTopic is the topic of pages about nothing in particular.
const NoTopic = -1

// A Subject says what a page is about: the truth, whatever its words say.
type Subject struct {
	Topic int // NoTopic for none
	// Stuffed is the topic whose name is the only word of the page, which is about nothing;
	// NoTopic for other pages.
	Stuffed int
	Hub     bool // most of its links lead to pages of its topic
	Shy     bool // links to it seldom say what it is about
}

// Where the pages of a topic are, and how dense they are there, in 1/256.
const (
	inSites    = 0.5 // share of them in sites about the topic
	inOthers   = 0.3 // share of them in directories of other sites
	alone      = 0.2 // share of them elsewhere
	dirDensity = 205 // directories of a site about the topic that are about it, too
	density    = 205 // pages of a directory about it that are about it, too, about
	shyness    = 51  // sites and directories about it whose first page is not, and to which links do not say so
	hubShare   = 8   // pages of a topic that are hubs
	stuffed    = 0.1 // pages that are stuffed with the name of a topic, for each page of it
)

// topics knows which pages are about what. It needs a few bytes a site and none a page.
type topics struct {
	Topics
	lead  []int8 // by site: the topic that it is about
	sites [subject.Most][]graph.Site
	dirs  []uint64 // cumulated shares of directories of other sites, in 2^-63
	pages []uint64 // the same of pages elsewhere
	stuff []uint64 // the same of stuffed pages
	dense []uint64 // by topic: share of the pages of its directories that are on it, in 2^-63
}

func (t *Topics) check() error {
	all := 0.0
	for k := range t.Number {
		all += t.share(k)
	}
	switch {
	case t.Number < 0 || t.Number > subject.Most:
		return fmt.Errorf("%d topics: there are at most %d", t.Number, subject.Most)
	case t.Number > 0 && !(t.Share > 0 && all <= 0.9):
		return fmt.Errorf("a topic on %v of the pages: together the %d topics would be on %.2f of them; want more than 0 and at most 0.9", t.Share, t.Number, all)
	case !(t.Preference >= 0 && t.Preference <= 1):
		return fmt.Errorf("a preference of %v: want 0 to 1", t.Preference)
	}
	return nil
}

// share returns the share of the pages that are on a topic.
func (t *Topics) share(topic int) float64 { return t.Share / float64(topic+1) }

// layTopics decides which sites are about what. It returns nil if there are no topics.
func (w *Web) layTopics() *topics {
	if w.spec.Topics.Number == 0 {
		return nil
	}
	x := &topics{Topics: w.spec.Topics, lead: make([]int8, w.spec.Sites)}
	for s := range x.lead {
		x.lead[s] = NoTopic
	}
	pages := float64(w.spec.Pages)
	led, others := w.leadSites(x), pages
	for _, n := range led {
		others -= n
	}
	var dirs, single, stuff float64
	for t, n := range led {
		share := x.share(t)
		missing := float64(share*pages)*(inSites+inOthers) - float64(n*inside())
		dirs += min(1, max(0, missing)/max(1, float64(others*density)/256))
		single += share * alone
		stuff += share * stuffed
		x.dirs = append(x.dirs, threshold(dirs))
		x.pages = append(x.pages, threshold(single))
		x.stuff = append(x.stuff, threshold(stuff))
		x.dense = append(x.dense, threshold(density/256.))
	}
	w.thin(x)
	return x
}

// thin makes the directories about a topic as dense as its share of the pages demands: there are
// few of them, of very different sizes, so that more or fewer pages are in them than expected.
func (w *Web) thin(x *topics) {
	in, always := make([]float64, x.Number), make([]float64, x.Number)
	for id := range graph.Site(w.spec.Sites) {
		s := w.Site(id)
		for j := range s.Pages {
			d, k := s.Place(j)
			t := x.ofDir(&s, d)
			switch {
			case t >= 0 && k > 0:
				in[t]++
			case t >= 0 && !x.shy(&s, d):
				always[t]++
			}
		}
	}
	for t := range in {
		wanted := float64(x.share(t)*float64(w.spec.Pages))*(inSites+inOthers) - always[t]
		x.dense[t] = threshold(min(0.95, max(0.3, wanted/max(1, in[t]))))
	}
}

// shy reports whether a directory about a topic does not look like it.
func (x *topics) shy(s *Site, d int64) bool {
	return draw.Hash(s.Seed, streamShy, uint64(d+1))&255 < shyness
}

// inside returns the share of the pages of a site about a topic that are on it.
func inside() float64 { return dirDensity * density / (256. * 256) }

func threshold(share float64) uint64 { return uint64(min(1, share) * (1 << 63)) }

// leadSites chooses the sites that are about a topic: in random order, as long as they fit. It
// returns the number of pages in those of each topic. Site 0 is about nothing.
func (w *Web) leadSites(x *topics) []float64 {
	room, led := make([]float64, x.Number), make([]float64, x.Number)
	for t := range room {
		room[t] = float64(x.share(t)*float64(w.spec.Pages)) * inSites / inside()
	}
	order := make([]graph.Site, 0, w.spec.Sites)
	for s := 1; s < w.spec.Sites; s++ {
		order = append(order, graph.Site(s))
	}
	by := func(s graph.Site) uint64 { return draw.Hash(w.spec.Seed, streamLead, uint64(s)) }
	slices.SortFunc(order, func(a, b graph.Site) int { return cmp.Or(cmp.Compare(by(a), by(b)), cmp.Compare(a, b)) })
	for _, s := range order {
		size := float64(w.Size(s))
		t := 0 // the topic with the most room
		for k := range room {
			if room[k]-led[k] > room[t]-led[t] {
				t = k
			}
		}
		if led[t]+size <= room[t] {
			led[t] += size
			x.lead[s] = int8(t)
			x.sites[t] = append(x.sites[t], s)
		}
	}
	return led
}

// ofDir returns the topic of directory d of a site; of the home page for d = -1.
func (x *topics) ofDir(s *Site, d int64) int {
	lead := int(x.lead[s.ID])
	if d < 0 {
		return lead
	}
	h := draw.Hash(s.Seed, streamDir, uint64(d))
	if lead < 0 {
		return choose(x.dirs, h)
	}
	if h&255 < dirDensity {
		return lead
	}
	return NoTopic
}

// choose returns the topic whose part of the cumulated shares a hash falls into.
func choose(shares []uint64, h uint64) int {
	for t, top := range shares {
		if h>>1 < top {
			return t
		}
	}
	return NoTopic
}

// subject returns what page j of a site is about.
func (x *topics) subject(s *Site, j uint32) Subject {
	d, k := s.Place(j)
	t := x.ofDir(s, d)
	shy := t >= 0 && x.shy(s, d)
	h := draw.Hash(s.Seed, streamSubject, uint64(j))
	switch {
	case t >= 0 && (k == 0 && !shy || k > 0 && h>>1 < x.dense[t]):
		return Subject{Topic: t, Stuffed: NoTopic, Hub: k > 0 && h&255 < hubShare, Shy: shy}
	case k == 0:
		return Subject{Topic: NoTopic, Stuffed: NoTopic}
	}
	if t = choose(x.pages, draw.Mix(h+1)); t >= 0 {
		return Subject{Topic: t, Stuffed: NoTopic, Shy: true}
	}
	return Subject{Topic: NoTopic, Stuffed: choose(x.stuff, draw.Mix(h))}
}

// Subject returns what page p is about. In a web without topics it is about nothing.
func (w *Web) Subject(p graph.Page) Subject {
	s, j := w.Locate(p)
	return s.Subject(j)
}

// Subject returns what page j of the site is about.
func (s *Site) Subject(j uint32) Subject {
	if s.topics == nil {
		return Subject{Topic: NoTopic, Stuffed: NoTopic}
	}
	return s.topics.subject(s, j)
}

// word returns the word of a topic that the URL of page j has, "" for none: in one case of four
// if the page is on the topic, always if it is stuffed, and now and then without any reason.
func (s *Site) word(j uint32) string {
	if _, k := s.Place(j); k == 0 || s.topics == nil {
		return ""
	}
	h := draw.Hash(s.Seed, streamURL, uint64(j))
	switch about := s.topics.subject(s, j); {
	case about.Stuffed >= 0:
		return subject.Name(about.Stuffed)
	case about.Topic >= 0 && h&3 == 0:
		return subject.Words(about.Topic)[subject.Place(h)]
	case h&1023 == 1:
		return subject.Name(int(h >> 32 % uint64(s.topics.Number)))
	}
	return ""
}

// steer returns where link slot i of the page leads that would lead to a page otherwise: in the
// preferred share of the cases to a page of its topic. Half of the draws are those of its
// directory, so that its pages link alike.
func (l *Lister) steer(i uint32, to graph.Page) graph.Page {
	if l.about.Topic < 0 {
		return to
	}
	x := l.site.topics
	h, share := draw.Hash(l.site.Seed, streamSteer, draw.Pair(l.j, i)), x.Preference
	if l.about.Hub && share > 0 {
		share += (1 - share) * 0.8
	}
	if h>>1 >= threshold(share) {
		return to
	}
	if h = draw.Mix(h); h&1 != 0 {
		h = draw.Hash(l.menu, streamSteer, uint64(i))
	}
	if p := l.w.kindred(l.site, l.j, l.about.Topic, h); p != graph.NoPage && p != l.self {
		return p
	}
	return to
}

// kindred returns a page of a topic, as page j of a site would link to it: half of the time one
// of the site, else mostly one of a site about the topic. It returns graph.NoPage if it finds none.
func (w *Web) kindred(s *Site, j uint32, topic int, h uint64) graph.Page {
	x := s.topics
	kind := h & 7
	if kind < 4 {
		for n := range uint64(16) {
			if k := s.freshLink(j, draw.Mix(h+n)); x.subject(s, k).Topic == topic {
				return graph.Page(s.First + k)
			}
		}
	}
	if list := x.sites[topic]; kind < 7 && len(list) > 0 {
		to := w.Site(list[draw.Below(draw.Mix(h), uint64(len(list)))])
		for n := range uint64(16) {
			if k := to.freshLink(0, draw.Mix(h+n+16)); x.subject(&to, k).Topic == topic {
				return graph.Page(to.First + k)
			}
		}
	}
	for n := range uint64(64) {
		p := graph.Page(draw.Below(draw.Mix(h+n+32), uint64(w.spec.Pages)))
		if w.Subject(p).Topic == topic {
			return p
		}
	}
	return graph.NoPage
}
