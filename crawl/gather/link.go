package gather

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// link adds the target of an href to the links, unless it has no normal form, is the
// document itself, or is there already. from is the link of the page that has the href; nil
// if it is not in the page.
func (g *Gatherer) link(f *Found, href []byte, rel page.Rel, from *page.Link) page.Verdict {
	l := &f.Links
	start := len(l.bytes)
	all, v := g.resolver.Resolve(l.bytes, href)
	f.Refs[v]++
	if !v.Usable() {
		return v
	}
	link, mid := g.hash(all[start:])
	if g.doc.alone && !link.Local && !SameName(all[start:start+mid], g.doc.url[:g.doc.mid]) {
		f.Foreign++
		return v
	}
	g.aim(f, link, all[start:], mid)
	if link.Hash == g.doc.hash {
		return v
	}
	if rel&page.RelNofollow != 0 {
		link.Bar = event.BarNoFollow
	}
	full := len(l.items) >= g.most || len(all) > maxTargets
	if at := g.seen.find(l, link.Hash, !full); at >= 0 {
		if l.items[at].Bar == event.BarNoFollow {
			l.items[at].Bar = link.Bar // a bar of the URL would be there instead
		}
		l.items[at].Anchor = g.anchor(from, l.items[at].Anchor)
		l.items[at].Since = min(l.items[at].Since-1, g.since-1) + 1 // the latest; 0 is none
		l.items[at].Priority = max(l.items[at].Priority, g.priority)
		g.topical.join(l, at)
		return v
	}
	if full {
		g.extra = append(g.extra, link.Hash)
		return v
	}
	if bar := g.bar(all[start:], mid, link.Local); bar != event.NoBar {
		link.Bar = bar
	}
	link.Anchor, link.Since, link.Priority = g.anchor(from, event.Anchor{}), g.since, g.priority
	l.bytes = all
	l.items = append(l.items, item{link, uint32(start), uint32(start + mid), uint32(len(all))})
	g.topical.add(l)
	return v
}

// anchor returns the anchor of a target that has one already, with that of another link of the
// page.
func (g *Gatherer) anchor(from *page.Link, known event.Anchor) event.Anchor {
	if from == nil || !g.opt.Anchors {
		return known
	}
	known.Region = max(known.Region, from.Region)
	if known.Words.Len() < len(known.Words) {
		known.Words.Join(g.page.Words(from))
	}
	return known
}

// leftOut counts the links beyond the limit, each target once.
func (g *Gatherer) leftOut(f *Found) {
	if len(g.extra) == 0 {
		return
	}
	slices.Sort(g.extra)
	f.Dropped += len(slices.Compact(g.extra))
	f.Cut |= page.CutLinks
	g.extra = g.extra[:0]
}

// hash returns the hashes of a normal form and where its site ends.
func (g *Gatherer) hash(url []byte) (link Link, mid int) {
	d := &g.doc
	site, rest := page.Site(url)
	link.Local = bytes.Equal(site, d.url[:d.mid])
	link.SiteHash = d.siteHash
	if !link.Local {
		link.SiteHash = g.opt.Key.Site(site)
	}
	link.Hash = g.opt.Key.Page(link.SiteHash, rest)
	return link, len(site)
}

// bar judges a URL whose site ends at mid.
func (g *Gatherer) bar(url []byte, mid int, local bool) event.Bar {
	s := g.opt.Scope
	known := local && g.doc.inScope || !local && s.holds(url[:mid])
	if bar := s.judge(url, mid, known); bar != event.NoBar {
		return bar
	}
	htmlOnly := g.doc.htmlOnly
	if !local {
		htmlOnly, _ = g.opt.of(url[:mid])
	}
	switch {
	case s.sitemapOnly && !g.doc.alone && !g.doc.moved:
		return event.BarScope
	case htmlOnly && !page.Extension(url).MayBePage():
		return event.BarType
	case isTrap(url, mid):
		return event.BarTrap
	}
	return event.NoBar
}

// Limits of what a URL of a page looks like. A path that winds around itself comes
// from relative links on pages that answer below any path, a query from forms that
// append to themselves. Both grow without end, so a generous limit is as good.
const (
	maxDepth   = 20 // segments of a path, as in Heritrix
	maxRepeats = 2  // equal segments, as in Nutch; equal parameters
)

// isTrap reports whether a URL looks like one of those that never end.
func isTrap(url []byte, mid int) bool {
	path, query, _ := bytes.Cut(url[mid:], []byte("?"))
	if bytes.Count(path, []byte("/")) > maxRepeats { // else there are too few segments
		if s := page.ShapeOf(url); s.Depth > maxDepth || s.Repeats > maxRepeats {
			return true
		}
	}
	return bytes.Count(query, []byte("&")) >= maxRepeats && repeats(query)
}

// maxParams bounds the parameters that are compared with each other: with more of them a
// URL counts as a trap anyway.
const maxParams = 64

// repeats reports whether a parameter occurs too often with the same value. The same name
// with other values is how forms send lists.
func repeats(query []byte) bool {
	var seen [maxParams][]byte
	var times [maxParams]int
	n := 0
	for more := true; more; {
		var param []byte
		param, query, more = bytes.Cut(query, []byte("&"))
		at := 0
		for at < n && !bytes.Equal(seen[at], param) {
			at++
		}
		if at == maxParams {
			return true
		}
		if at == n {
			seen[n], n = param, n+1
		}
		if times[at]++; times[at] > maxRepeats && len(param) > 0 {
			return true
		}
	}
	return false
}

// A Link holds what the loop needs to know of a link before its URL: most links are to
// known pages.
type Link struct {
	SiteHash uint64    // URLKey.Site of its site
	Hash     uint64    // URLKey.Page of site and rest: the identity of the page
	Local    bool      // on the site of the page that has it
	Bar      event.Bar // why it is not to be followed; event.NoBar: it may be
	// Priority is that of the page by a sitemap, in hundredths, plus 1; 0: it does not say, or
	// anything but a number from 0 to 1.
	Priority uint8
	Anchor   event.Anchor
	// Since is when the page changed, as a sitemap or a feed says: 1 + the seconds before the
	// answer; 0: it does not say.
	Since uint32
}

// Links is a list of any number of links in few pieces of memory.
type Links struct {
	items []item
	bytes []byte  // normal forms, one after the other
	terms []Terms // at the links; empty if there is no topic
}

// item is one link: its URL is bytes[start:end], the site bytes[start:mid].
type item struct {
	Link
	start, mid, end uint32
}

// itemSize is the memory of an item, in bytes.
const itemSize = 48

// Len returns the number of links.
func (l *Links) Len() int { return len(l.items) }

// At returns link i.
func (l *Links) At(i int) Link { return l.items[i].Link }

// Site returns the site of link i: scheme, host and port.
func (l *Links) Site(i int) []byte { return l.bytes[l.items[i].start:l.items[i].mid] }

// Rest returns path and query of link i.
func (l *Links) Rest(i int) []byte { return l.bytes[l.items[i].mid:l.items[i].end] }

// URL returns the normal form of link i: site and rest.
func (l *Links) URL(i int) []byte { return l.bytes[l.items[i].start:l.items[i].end] }

func (l *Links) reset() {
	l.items, l.bytes, l.terms = l.items[:0], l.bytes[:0], l.terms[:0]
	if cap(l.bytes) > maxFound || cap(l.items) > maxFound/itemSize {
		*l = Links{}
	}
}

// set finds the links of a list by hash: open addressing over their indices. The hashes
// are keyed, so that no page can be written that makes it slow.
type set struct {
	slots []uint32 // index + 1; 0 is free
}

// reset makes the set empty, with room for n links.
func (s *set) reset(n int) {
	size := 64
	for size < 2*n {
		size *= 2
	}
	if size > cap(s.slots) {
		s.slots = make([]uint32, size)
		return
	}
	s.slots = s.slots[:size]
	clear(s.slots)
}

// find returns the index of the link with a hash, or -1 if there is none. With add it then
// records that the next link of the list has the hash.
func (s *set) find(l *Links, hash uint64, add bool) int {
	if 2*len(l.items) >= len(s.slots) {
		s.grow(l)
	}
	mask := uint64(len(s.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch at := s.slots[i]; {
		case at == 0:
			if add {
				s.slots[i] = uint32(len(l.items) + 1)
			}
			return -1
		case l.items[at-1].Hash == hash:
			return int(at - 1)
		}
	}
}

func (s *set) grow(l *Links) {
	s.reset(2 * len(s.slots))
	mask := uint64(len(s.slots) - 1)
	for n := range l.items {
		i := l.items[n].Hash & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = uint32(n + 1)
	}
}

// targets hashes where the links of a page lead, in their order, repeats and the page
// itself included: exact hashes all of it, alike leaves out what looks like an id.
type targets struct{ exact, alike uint64 }

// The multiplier of splitmix64, and that of FNV-1a.
const (
	spread = 0x9e3779b97f4a7c15
	prime  = 0x100000001b3
)

func step(h, x uint64) uint64 { return (bits.RotateLeft64(h, 27) ^ x) * spread }

// add adds the target of a link: the hash and the bytes of its normal form.
func (t *targets) add(hash uint64, url []byte) {
	t.exact = step(t.exact, hash)
	t.alike = step(t.alike, alikeHash(url))
}

// idLength is the number of letters and digits from which a word with digits counts as
// an id: the name of a session, a hash, an instant.
const idLength = 10

// alikeHash returns a hash of a URL without its ids.
func alikeHash(url []byte) uint64 {
	h := uint64(0)
	for i := 0; i < len(url); {
		start, w, digits := i, uint64(0), 0
		for ; i < len(url) && alnum[url[i]] != 0; i++ {
			w = (w ^ uint64(url[i])) * prime
			digits += int(alnum[url[i]] & 1)
		}
		if n := i - start; n >= idLength && digits > 1 {
			w = prime
		}
		if i < len(url) {
			w ^= uint64(url[i])
			i++
		}
		h = step(h, w)
	}
	return h
}

// alnum maps digits to 1 and letters to 2.
var alnum = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = 1
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			t[c] = 2
		}
	}
	return t
}()

// pictures adds the pictures of the page to the targets of its links. Where one of them is
// relative to the page, it matters in which directory the page lies.
func (g *Gatherer) pictures(f *Found) {
	p, t := &g.page, g.targets
	if p.Pictures != 0 {
		t.exact, t.alike = step(t.exact, p.Pictures), step(t.alike, p.Pictures)
		shown := p.Pictures
		if p.Beside {
			dir := g.doc.url[:bytes.LastIndexByte(g.doc.url, '/')+1]
			if p.Base != nil {
				dir = p.Base
			}
			t.exact, t.alike = step(t.exact, g.opt.Key.Page(0, dir)), step(t.alike, alikeHash(dir))
			shown = step(shown, alikeHash(dir))
		}
		f.Pictures = uint32(shown>>32) | 1
	}
	f.Targets = t.exact&^(1<<32-1) | t.alike>>32
}
