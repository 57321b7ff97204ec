package trap

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// Allowances of hosts that only their own domain links to, and of domains that can be
// reached through one other domain only.
const (
	freeHosts = 2  // hosts of a domain that are vouched for, and as many that are not
	hostWorth = 2  // more hosts that are vouched for, for each proven host of the domain
	loneWorth = 1  // more hosts that are not, for each proven host
	hostProof = 3  // new pages that make a host proven
	freePages = 32 // requests for the domains of a branch
	newSite   = 4  // requests that the first page of a domain counts for: its robots.txt, and what follows
	worth     = 2  // more requests, times the square root of the new pages of the domain above
	branches  = 2  // branches that may use up their requests
	maxHeight = 8  // of the tree of domains: deeper domains hang at this height
	leadTimes = 4  // requests to a domain for each page that it makes known on others of its kind
)

// Flags of a site.
const (
	outside = 1 << iota // another domain links to it, or it is a seed
	first               // its host is that of the domain, or www. below it
	asked
	vouched // a host of its domain links to it that is outside or first
	proves  // it is counted as proven
	paid    // its first page was counted with its robots.txt
)

// Flags of a domain.
const (
	seeded  = 1 << iota
	visited // a page was requested
	named   // other partitions may know where it hangs
)

// Ways in which a domain is reached.
const (
	unlinked = 0 // not yet, or not by a link
	ground   = 1 // from a seed, or by ways through different domains
	above    = 2 // domain + above: by ways through that domain only
)

// domains is a tree of the ways in which domains were found. A domain hangs below the last
// one that all known ways from the seeds to it lead through (its dominator). With each link
// it moves up to the nearest common ancestor of its place and of the domain that links to
// it. Domains with seeds stand on the ground, and so do domains that they link to.
type domains struct {
	of    *graph.Column[uint32] // by site: its domain
	flags *graph.Column[uint8]  // by site
	good  *graph.Column[uint16] // by site: new pages, as far as 16 bits can count
	same  *graph.Column[uint16] // by site: pages whose content a page of another site had before

	via    *graph.Column[uint32] // by domain: how it is reached
	own    *graph.Column[uint32] // by domain: requests for its pages, and newSite for its robots.txt and the first
	below  *graph.Column[uint32] // by domain: the same, for it and all that hang below it
	news   *graph.Column[uint32] // by domain: new pages
	inner  *graph.Column[uint16] // by domain: requested hosts that only the domain links to, vouched for
	lone   *graph.Column[uint16] // by domain: the same, not vouched for
	proven *graph.Column[uint16] // by domain: proven hosts: see prove
	leads  *graph.Column[uint16] // by domain: pages that it made known on others that hang as it does
	marked *graph.Column[uint8]  // by domain: flags
	abroad abroad
}

func newDomains(set *graph.Set, max int) domains {
	column := func(name string) *graph.Column[uint32] { return graph.NewColumnIn[uint32](set, name, max) }
	short := func(name string) *graph.Column[uint16] { return graph.NewColumnIn[uint16](set, name, max) }
	return domains{
		of: column("trap site domain"), flags: graph.NewColumnIn[uint8](set, "trap site flags", max),
		good: short("trap site news"), same: short("trap site same"),
		via: column("trap domain via"), own: column("trap domain own"), below: column("trap domain below"),
		news: column("trap domain news"), inner: short("trap domain hosts"), lone: short("trap domain lone hosts"), proven: short("trap domain proven"), leads: short("trap domain leads"),
		marked: graph.NewColumnIn[uint8](set, "trap domain flags", max), abroad: newAbroad(set, max),
	}
}

// add adds the next site.
func (d *domains) add(domain uint32, isFirst bool) {
	d.of.Append(domain)
	d.good.Append(0)
	d.same.Append(0)
	flags := uint8(0)
	if isFirst {
		flags = first
	}
	d.flags.Append(flags)
	d.grow(int(domain) + 1)
}

// grow makes room for so many domains.
func (d *domains) grow(n int) {
	for d.via.Len() < n {
		for _, c := range []*graph.Column[uint32]{d.via, d.own, d.below, d.news} {
			c.Append(0)
		}
		for _, c := range []*graph.Column[uint16]{d.inner, d.lone, d.proven, d.leads} {
			c.Append(0)
		}
		d.marked.Append(0)
	}
}

// seed notes that a site has a seed.
func (d *domains) seed(s graph.Site) {
	n := d.of.At(int(s))
	d.mark(s, outside)
	d.marked.Slice()[n] |= seeded
	if d.abroad.foreign(n) {
		d.find(n, ground)
		return
	}
	d.hang(n, ground)
}

// link notes a link from one site to another.
func (d *domains) link(from, to graph.Site) {
	a, b := d.of.At(int(from)), d.of.At(int(to))
	if a == b {
		if d.flags.At(int(from))&(outside|first) != 0 {
			d.mark(to, vouched)
		}
		return
	}
	d.mark(to, outside)
	if d.via.At(int(a)) == unlinked { // nothing may hang below a domain that hangs nowhere
		d.hang(a, ground)
	}
	switch via := d.via.At(int(b)); {
	case d.abroad.foreign(b):
		d.find(b, d.under(a))
	case via == ground:
	case via == unlinked:
		d.hang(b, d.under(a))
	case d.marked.At(int(a))&seeded != 0:
		d.hang(b, ground)
	default:
		d.hang(b, d.common(via, a+above))
	}
}

// under returns the place of a domain to which the domain a is the first to link.
func (d *domains) under(a uint32) uint32 {
	if d.marked.At(int(a))&seeded != 0 {
		return ground
	}
	for d.height(a) >= maxHeight {
		a = d.via.At(int(a)) - above
	}
	return a + above
}

// mark sets a flag of a site.
func (d *domains) mark(s graph.Site, flag uint8) {
	if f := d.flags.At(int(s)); f&flag == 0 {
		d.flags.Set(int(s), f|flag)
		d.prove(s)
	}
}

// prove counts a host with enough new pages as proven, once. A host that only others of its
// kind link to is not: if every name resolves, each can have any number of pages.
func (d *domains) prove(s graph.Site) {
	f := d.flags.At(int(s))
	if d.good.At(int(s)) < hostProof || f&(outside|first|vouched) == 0 || f&proves != 0 {
		return
	}
	d.flags.Set(int(s), f|proves)
	countUp(d.proven, int(d.of.At(int(s))))
}

// countUp counts one more, unless 16 bits are full. Nothing depends on the exact number
// then.
func countUp(c *graph.Column[uint16], i int) { c.Set(i, min(c.At(i), math.MaxUint16-1)+1) }

// height returns the number of domains from one to the ground, itself included.
func (d *domains) height(n uint32) (h int) {
	for v := n + above; v >= above; v = d.via.At(int(v - above)) {
		h++
	}
	return h
}

// common returns the nearest common ancestor of two places in the tree.
func (d *domains) common(a, b uint32) uint32 {
	up := func(v uint32) uint32 { return d.via.At(int(v - above)) }
	heightOf := func(v uint32) int {
		if v < above {
			return 0
		}
		return d.height(v - above)
	}
	x, y := heightOf(a), heightOf(b)
	for ; x > y; x-- {
		a = up(a)
	}
	for ; y > x; y-- {
		b = up(b)
	}
	for a != b && a >= above && b >= above {
		a, b = up(a), up(b)
	}
	if a != b { // one of them is unlinked
		return ground
	}
	return max(a, ground)
}

// hang moves a domain in the tree, with all domains below it.
func (d *domains) hang(n, via uint32) {
	was := d.via.At(int(n))
	if was == via {
		return
	}
	weight := d.below.At(int(n))
	d.weigh(was, -weight)
	d.via.Set(int(n), via)
	d.weigh(via, weight)
	d.moved(n)
}

// weigh adds weight to a place in the tree and to all above it. The weight may be negative,
// modulo 2^32.
func (d *domains) weigh(via, weight uint32) {
	for via >= above {
		n := via - above
		d.below.Slice()[n] += weight
		via = d.via.At(int(n))
	}
}

// charge counts a request for a page.
func (d *domains) charge(s graph.Site) {
	d.spend(s)
	d.flags.Slice()[s] &^= paid
	d.marked.Slice()[d.of.At(int(s))] |= visited
}

// approach counts the first request for the robots.txt of a site, if nothing was requested from
// its domain before. The first page is counted with it: otherwise all sites of a farm are
// approached before the first page counts.
func (d *domains) approach(s graph.Site) {
	if d.own.At(int(d.of.At(int(s)))) == 0 {
		d.spend(s)
		d.flags.Slice()[s] |= paid
	}
	d.ask(s)
}

// spend counts what the next page of a site costs.
func (d *domains) spend(s graph.Site) {
	n, cost := d.of.At(int(s)), d.cost(s)
	d.own.Slice()[n] += cost
	d.weigh(n+above, cost)
	d.ask(s)
}

// ask notes that something was requested from a site.
func (d *domains) ask(s graph.Site) {
	n := d.of.At(int(s))
	if f := d.flags.At(int(s)); f&asked == 0 {
		d.flags.Set(int(s), f|asked)
		switch {
		case f&(outside|first) != 0:
		case f&vouched != 0:
			countUp(d.inner, int(n))
		default:
			countUp(d.lone, int(n))
		}
	}
}

// cost returns the number of requests that the next page of a site counts for.
func (d *domains) cost(s graph.Site) uint32 {
	switch {
	case d.flags.At(int(s))&paid != 0:
		return 0
	case d.own.At(int(d.of.At(int(s)))) == 0:
		return newSite
	}
	return 1
}

// fetched counts a page that brought something new.
func (d *domains) fetched(s graph.Site) {
	n := d.of.At(int(s))
	d.news.Slice()[n]++
	countUp(d.good, int(s))
	d.prove(s)
	d.grown(n)
}

// branch returns the domain on the ground above that of a site (top), and the domain right
// below top on the way. ok is false if the domain of the site hangs below none.
func (d *domains) branch(s graph.Site) (top, branch uint32, ok bool) {
	top = d.of.At(int(s))
	for d.place(top) >= above {
		branch, top, ok = top, d.place(top)-above, true
	}
	return top, branch, ok && d.place(top) == ground
}

// lead notes that a page of one site made a page of another known. It reports whether both hang
// below the same domain. It counts when the partition of the other has said where that hangs: see
// heardOf.
func (d *domains) lead(from, to graph.Site) bool {
	a, b := d.of.At(int(from)), d.of.At(int(to))
	if a == b {
		return false
	}
	top, _, ok := d.branch(from)
	other, _, also := d.branch(to)
	if ok = ok && also && top == other; ok && d.via.At(int(b)) != unlinked {
		countUp(d.leads, int(a))
	}
	return ok
}

// isEnd reports whether pages of the domain of a site were requested and led to hardly any
// other domains below the same top. Members of a list are ends, sites of a farm are not.
func (d *domains) isEnd(s graph.Site) bool {
	n := int(d.of.At(int(s)))
	own := uint64(d.own.At(n))
	return d.marked.At(n)&visited != 0 && leadTimes*uint64(d.leads.At(n)) <= own
}

// farmLeft returns how many requests are left for a branch. All branches of a domain
// together have as many requests as some of them. Each partition has its part, and one new site.
func (d *domains) farmLeft(top, branch uint32) uint64 {
	had := uint64(d.below.At(int(branch)))
	sum := uint64(d.below.At(int(top)) - d.own.At(int(top)))
	all := freePages + worth*uint64(math.Sqrt(float64(d.news.At(int(top)))))
	if n := d.abroad.parts(); n > 1 {
		all = max(newSite, all/n)
	}
	return min(all-min(all, had), branches*all-min(branches*all, sum))
}

// isFarm reports whether the branch of a site has no request left.
func (d *domains) isFarm(s graph.Site) bool {
	top, branch, ok := d.branch(s)
	return ok && d.farmLeft(top, branch) < uint64(d.cost(s))
}

// isInner reports whether only its own domain links to a site, and nothing was requested
// from it yet.
func (d *domains) isInner(s graph.Site) bool { return d.flags.At(int(s))&(outside|first|asked) == 0 }

// isLone reports whether no host of its domain vouches for a site.
func (d *domains) isLone(s graph.Site) bool { return d.flags.At(int(s))&vouched == 0 }

// hostsLeft returns how many more hosts like s may be requested: hosts that only their
// domain links to.
func (d *domains) hostsLeft(s graph.Site) uint64 {
	n := int(d.of.At(int(s)))
	had, all := uint64(d.inner.At(n)), freeHosts+hostWorth*uint64(d.proven.At(n))
	if d.isLone(s) {
		had, all = uint64(d.lone.At(n)), freeHosts+loneWorth*uint64(d.proven.At(n))
	}
	return all - min(all, had)
}

// isWild reports whether a site is one of too many names below its domain.
func (d *domains) isWild(s graph.Site) bool {
	return d.isInner(s) && d.hostsLeft(s) == 0
}

// A site is a copy if at least leastSame of its pages had contents of other sites, and at
// most one page for timesSame of those had new content.
const (
	leastSame = 50
	timesSame = 20
)

// isCopy reports whether a site is a copy of others.
func (d *domains) isCopy(s graph.Site) bool {
	same := uint64(d.same.At(int(s)))
	return same >= leastSame && same >= timesSame*uint64(d.good.At(int(s)))
}
