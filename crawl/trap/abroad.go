package trap

import (
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
)

// A crawl that is divided into partitions has a guard for each, and a farm of many domains lies in
// several of them. So the guards tell each other where domains hang in the tree.
//
// A domain has one partition, which knows all links to it from its own sites. Others tell it where
// the domain hangs by the links that they have found: below the domain that all of these lead
// through. The nearest common ancestor of all these places is its place. What hangs below a domain
// depends on where that one hangs, so a partition tells all others when a domain has moved that it
// has named before. Places only move up: words that are late make a domain more suspicious than it
// is, and never less for long.
//
// Requests are counted where they are made. Each partition has its part of the allowance of a
// branch.

// A Word tells where a domain hangs.
type Word struct {
	Domain uint64   // hash of its name
	News   uint32   // new pages of the last of Path, or of the domain if it hangs below none
	Path   []uint64 // hashes of the domains above it, the nearest first; empty: it stands on the ground
}

// Abroad connects a guard with those of other partitions.
type Abroad struct {
	Self, Of int
	// Tell tells a partition, or all others if it is negative.
	Tell func(part int, w Word)
	// Number returns the number of the domain with a hash. It adds the domain if it is new and
	// add is set.
	Number func(hash uint64, add bool) (n uint32, ok bool)
}

// abroad is what a guard knows because of other partitions. Its columns are empty if there are
// none.
type abroad struct {
	*Abroad
	hash  *graph.Column[uint64] // by domain: of its name
	part  *graph.Column[uint16] // by domain: 1 + its partition; 0: not known
	found *graph.Column[uint32] // by domain of another partition: its place by the links of this one
}

func newAbroad(set *graph.Set, max int) abroad {
	return abroad{
		hash:  graph.NewColumnIn[uint64](set, "trap domain names", max),
		part:  graph.NewColumnIn[uint16](set, "trap domain partitions", max),
		found: graph.NewColumnIn[uint32](set, "trap domain found", max),
	}
}

// Connect lets the guard talk to those of other partitions.
func (g *Guard) Connect(a *Abroad) { g.domains.abroad.Abroad = a }

// DomainNames returns the hashes of the names of all domains, in the order of their numbers; nothing
// if there is one partition.
func (g *Guard) DomainNames() []uint64 { return g.domains.abroad.hash.Slice() }

// AddDomain makes the next domain known, by the hash of its name.
func (g *Guard) AddDomain(hash uint64) {
	if x := &g.domains.abroad; x.Abroad != nil {
		x.hash.Append(hash)
		x.part.Append(0)
		x.found.Append(unlinked)
	}
	g.domains.grow(g.domains.via.Len() + 1)
}

// SetPartition notes to which partition a site belongs, and so its domain.
func (g *Guard) SetPartition(s graph.Site, part int) {
	g.domains.abroad.part.Set(int(g.domains.of.At(int(s))), uint16(part)+1)
}

// foreign reports whether a domain is of another partition, as far as is known.
func (x *abroad) foreign(n uint32) bool {
	return x.Abroad != nil && int(x.part.At(int(n))) != x.Self+1
}

// parts returns the number of partitions.
func (x *abroad) parts() uint64 {
	if x.Abroad == nil {
		return 1
	}
	return uint64(x.Of)
}

// place returns where a domain hangs, by what its own partition has said or else by the links of
// this one.
func (d *domains) place(n uint32) uint32 {
	if via := d.via.At(int(n)); via != unlinked || !d.abroad.foreign(n) {
		return via
	}
	return d.abroad.found.At(int(n))
}

// find notes a link to a domain of another partition, and tells that one if the domain has moved.
func (d *domains) find(n, via uint32) {
	x := &d.abroad
	was := x.found.At(int(n))
	if via = d.merge(was, via); via == was {
		return
	}
	x.found.Set(int(n), via)
	if part := int(x.part.At(int(n))); part > 0 {
		x.Tell(part-1, d.word(n, via))
	}
}

// merge returns the place of a domain that has one, and another by other links.
func (d *domains) merge(was, via uint32) uint32 {
	if was == unlinked || via == unlinked {
		return max(was, via)
	}
	return d.common(was, via)
}

// word says that a domain hangs at a place. The domains above it are named from now on.
func (d *domains) word(n, via uint32) Word {
	w := Word{Domain: d.abroad.hash.At(int(n)), News: d.news.At(int(n))}
	for ; via >= above; via = d.via.At(int(via - above)) {
		m := via - above
		w.Path, w.News = append(w.Path, d.abroad.hash.At(int(m))), d.news.At(int(m))
		d.marked.Slice()[m] |= named
	}
	return w
}

// moved tells all partitions where a domain of this one hangs, if they may have heard of it.
func (d *domains) moved(n uint32) {
	if d.abroad.Abroad != nil && d.marked.At(int(n))&named != 0 && !d.abroad.foreign(n) {
		d.abroad.Tell(-1, d.word(n, d.via.At(int(n))))
	}
}

// grown tells all partitions when a domain has brought twice as many new pages as they know of: what
// hangs below it may have more requests.
func (d *domains) grown(n uint32) {
	if news := d.news.At(int(n)); news >= 16 && bits.OnesCount32(news) == 1 {
		d.moved(n)
	}
}

// Heard notes what a partition has told.
func (g *Guard) Heard(part int, w *Word) {
	d := &g.domains
	n, ok := d.abroad.Number(w.Domain, false)
	if !ok || len(w.Path) > maxHeight {
		return // it was told for others
	}
	via := d.hear(w)
	if d.abroad.foreign(n) {
		if len(w.Path) == 0 {
			d.news.Set(int(n), max(d.news.At(int(n)), w.News))
		}
		first := d.via.At(int(n)) == unlinked
		if d.move(n, via); first {
			d.heardOf(n)
		}
		return
	}
	d.marked.Slice()[n] |= named
	d.move(n, via)
	d.abroad.Tell(part, d.word(n, d.via.At(int(n))))
}

// heardOf counts a domain of another partition as one to which a domain of this one leads, if both
// hang below the same one. It is called when the place of the domain is known.
func (d *domains) heardOf(n uint32) {
	from := d.abroad.found.At(int(n))
	if from >= above && d.via.At(int(n)) >= above && d.top(from-above) == d.top(n) {
		countUp(d.leads, int(from-above))
	}
}

// top returns the domain at the bottom of the branch of another one.
func (d *domains) top(n uint32) uint32 {
	for d.place(n) >= above {
		n = d.place(n) - above
	}
	return n
}

// hear enters the path of a word, and returns the place below it.
func (d *domains) hear(w *Word) uint32 {
	via := uint32(ground)
	for i := len(w.Path) - 1; i >= 0; i-- {
		n, _ := d.abroad.Number(w.Path[i], true)
		if d.abroad.foreign(n) {
			if i == len(w.Path)-1 {
				d.news.Set(int(n), max(d.news.At(int(n)), w.News))
			}
			if d.move(n, via); d.via.At(int(n)) == unlinked {
				d.hang(n, ground) // nothing may hang below a domain that hangs nowhere
			}
		}
		via = n + above
	}
	for via >= above && d.height(via-above) >= maxHeight {
		via = d.via.At(int(via - above))
	}
	return via
}

// move hangs a domain where it is by its place so far and by another one, unless that one is below
// itself.
func (d *domains) move(n, via uint32) {
	for v := via; v >= above; v = d.via.At(int(v - above)) {
		if v-above == n {
			return
		}
	}
	d.hang(n, d.merge(d.via.At(int(n)), via))
}

// LinkedFrom notes that pages of another partition link to a site.
func (g *Guard) LinkedFrom(s graph.Site) { g.domains.mark(s, outside) }

// Echoed notes that a page of a site was fetched elsewhere with the same content, which counted as
// new here if news is set.
func (g *Guard) Echoed(s graph.Site, news bool) {
	d := &g.domains
	countUp(d.same, int(s))
	if n := d.of.At(int(s)); news {
		d.good.Set(int(s), max(d.good.At(int(s)), 1)-1)
		d.news.Set(int(n), max(d.news.At(int(n)), 1)-1)
	}
}

// IsEcho reports whether a site is a mirror of one of another partition: so many of its pages are
// those of that one, at the same paths, and it had them later. Of two sites that are fetched side by
// side, that of the higher partition is the mirror.
func (g *Guard) IsEcho(s graph.Site, paths int, higher bool) bool {
	later := int(g.domains.same.At(int(s)))
	all := later + int(g.domains.good.At(int(s)))
	switch {
	case 5*paths < 4*all || 4*later < all:
		return false
	case 4*later > 3*all:
		return true
	}
	return higher
}
