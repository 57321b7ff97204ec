package trap

import (
	"encoding/binary"
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
)

// News describes what a fetched page brought.
type News struct {
	Change    uint64     // hash of its words without numbers; 0: none
	Terms     uint64     // set of its words, as bits, if they are few; else 0
	Like      graph.Page // with Same: the page that had its words
	Same      bool       // a page of the site had the same words before, or nearly
	Title     uint64     // hash of the words of its title that are not in its URL; 0: none
	Text      bool       // it had the same text
	Exact     bool       // it had the same pictures and links too, except for ids
	Elsewhere bool       // a page of another site had the same content before
	Soft      bool       // its title is that of a missing page
	Ends      bool       // it made no deeper page known: see Deeper
	Turns     bool       // it made a page known that differs in numbers only: see Turns
	Numbers   [8]uint32  // a sample of its pairs of numbers, up to the first 0
	Pictures  uint32     // hash of its pictures; 0: none
}

// A page with at most FewTerms terms has few of them. A group with more than manyTerms has
// too many to prove anything.
const (
	FewTerms  = 24
	manyTerms = 32
)

// leastPairs is the number of pairs of numbers of a page that must be new on its site to be
// news; half of all pairs must be, too. A date, or the page number of a list, is no news.
const leastPairs = 4

// KnowsWords reports whether the words of a fetched page are known on its site or in its
// group.
func (g *Guard) KnowsWords(p *Page, change, terms uint64) bool {
	if change == 0 {
		return false
	}
	id, ok := g.groups.find(g.groupOf(p))
	return ok && (g.last.At(id) == uint32(change) || g.knowsTerms(id, terms)) || g.novel.has(g.thing(p.Site, wordsOf, change))
}

// knowsTerms reports whether a group with few words has all of these.
func (g *Guard) knowsTerms(group int, terms uint64) bool {
	met := g.terms.At(group)
	return terms != 0 && terms&^met == 0 && bits.OnesCount64(met) <= manyTerms
}

// Kinds of things that are remembered.
const (
	wordsOf = iota + 1
	titlesOf
	picturesOf
	numbersOf
)

// thing returns the hash of something that a site has.
func (g *Guard) thing(s graph.Site, kind byte, what uint64) uint64 {
	var b [9]byte
	b[0] = kind
	binary.LittleEndian.PutUint64(b[1:], what)
	return g.key.Page(uint64(s), b[:])
}

// isNews reports whether a page brought something new on its site. News are new words; the
// words of a page elsewhere on the site, for the first time in this place, as untranslated
// pages of a translation have them; a new title that does not just repeat the URL; new
// pictures; or many new numbers. For a page with an id in its name only new words and new
// pictures count.
func (g *Guard) isNews(p *Page, n *News) bool {
	words := g.KnowsWords(p, n.Change, n.Terms)
	switch {
	case n.Soft:
		return false
	case !n.Same && !words, n.Pictures != 0 && !g.novel.has(g.thing(p.Site, picturesOf, uint64(n.Pictures))):
		return true
	case hasID(p.Rest):
		return false
	case n.Title != 0 && !words && !g.novel.has(g.thing(p.Site, titlesOf, n.Title)):
		return true
	}
	return g.isFirst(p, n) || g.hasNumbers(p, n)
}

// isFirst reports whether a page is the first of its place that has the words of a page
// elsewhere.
func (g *Guard) isFirst(p *Page, n *News) bool {
	if n.Change == 0 {
		return false
	}
	at := g.placeOf(p)
	first := !g.novel.has(at ^ n.Change)
	if n.Same {
		return first && !g.novel.has(at^uint64(n.Like)*mixer)
	}
	return first && g.novel.has(g.thing(p.Site, wordsOf, n.Change))
}

// hasNumbers reports whether many of the pairs of numbers of a page are new.
func (g *Guard) hasNumbers(p *Page, n *News) bool {
	pairs, new := 0, 0
	for ; pairs < len(n.Numbers) && n.Numbers[pairs] != 0; pairs++ {
		if !g.novel.has(g.thing(p.Site, numbersOf, uint64(n.Numbers[pairs]))) {
			new++
		}
	}
	return new >= leastPairs && 2*new >= pairs
}

// remember remembers what a page of a group brought.
func (g *Guard) remember(p *Page, n *News, group int) {
	g.last.Set(group, uint32(n.Change))
	g.terms.Slice()[group] |= n.Terms
	if n.Change != 0 {
		g.rememberWords(p, n)
		if n.Terms == 0 {
			g.terms.Set(group, 1<<64-1) // too many words
		}
	}
	if n.Title != 0 {
		g.novel.add(g.thing(p.Site, titlesOf, n.Title))
	}
	if n.Pictures != 0 {
		g.novel.add(g.thing(p.Site, picturesOf, uint64(n.Pictures)))
	}
	for _, x := range n.Numbers {
		if x == 0 {
			break
		}
		g.novel.add(g.thing(p.Site, numbersOf, uint64(x)))
	}
}

// rememberWords remembers the words of a page: that the site has them, that the place has
// them, and that the place has had this page and the one like it.
func (g *Guard) rememberWords(p *Page, n *News) {
	g.novel.add(g.thing(p.Site, wordsOf, n.Change))
	at := g.placeOf(p)
	g.novel.add(at ^ n.Change)
	g.novel.add(at ^ uint64(p.ID)*mixer)
	if n.Same {
		g.novel.add(at ^ uint64(n.Like)*mixer)
	}
}

// mixer spreads the number of a page over 64 bits.
const mixer = 0x9e3779b97f4a7c15

// novelSize is the number of last things that are remembered: 1 MiB.
const novelSize = 1 << 18

// novel remembers the last words, pictures and numbers of sites and places, by hash. It
// forgets a thing when another takes its place, so it may call a thing new that is not.
type novel struct {
	marks *graph.Column[uint32] // by a part of the hash: another part; empty until the first add
}

func newNovel(set *graph.Set) novel {
	return novel{graph.NewColumnIn[uint32](set, "trap novel", novelSize)}
}

// has reports whether a thing is remembered.
func (n *novel) has(hash uint64) bool {
	return n.marks.Len() > 0 && n.marks.At(int(hash%novelSize)) == uint32(hash>>32)|1
}

// add remembers a thing.
func (n *novel) add(hash uint64) {
	n.marks.Grow(novelSize)
	n.marks.Set(int(hash%novelSize), uint32(hash>>32)|1)
}
