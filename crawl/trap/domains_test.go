package trap

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// naiveTree knows the way to each domain as a list, outermost first: empty on the ground;
// nil if there is none.
type naiveTree struct {
	path  map[int][]int
	own   map[int]int
	seeds map[int]bool
}

// link is the rule of domains.link in words: a domain that seeds link to, or that two ways
// lead to with nothing in common, stands on the ground; one that one way leads to hangs at
// its end; one that several ways lead to at the last that they share.
func (n *naiveTree) link(a, b int) {
	if a == b {
		return
	}
	if n.path[a] == nil {
		n.move(a, []int{})
	}
	way := append(append([]int{}, n.path[a]...), a)
	switch old := n.path[b]; {
	case old != nil && len(old) == 0:
	case n.seeds[a]:
		n.move(b, []int{})
	case old == nil:
		n.move(b, way[:min(len(way), maxHeight-1)])
	default:
		same := 0
		for same < min(len(old), len(way)) && old[same] == way[same] {
			same++
		}
		n.move(b, way[:same])
	}
}

// move gives a domain another way, and all that hang below it.
func (n *naiveTree) move(b int, way []int) {
	for x, p := range n.path {
		for i, y := range p {
			if y == b {
				n.path[x] = append(append([]int{}, way...), p[i:]...)
				break
			}
		}
	}
	n.path[b] = append([]int{}, way...)
}

// compare holds all domains against the reference.
func (n *naiveTree) compare(t *testing.T, d *domains, domains int) {
	t.Helper()
	for x := range domains {
		want := uint32(unlinked)
		if p := n.path[x]; p != nil {
			if want = ground; len(p) > 0 {
				want = above + uint32(p[len(p)-1])
			}
		}
		if got := d.via.At(x); got != want {
			t.Fatalf("domain %d is reached by %d, want %d (%v)", x, got, want, n.path[x])
		}
		if h := d.height(uint32(x)); h > maxHeight {
			t.Fatalf("domain %d is %d high", x, h)
		}
		below := n.own[x]
		for y, p := range n.path {
			for _, z := range p {
				if z == x {
					below += n.own[y]
				}
			}
		}
		if own, got := d.own.At(x), d.below.At(x); int(own) != n.own[x] || int(got) != below {
			t.Fatalf("domain %d has %d and %d below, want %d and %d", x, own, got, n.own[x], below)
		}
	}
}

// treeOf makes domains of one site each.
func treeOf(n int) *domains {
	d := newDomains(new(graph.Set), n)
	for i := range n {
		d.add(uint32(i), true)
	}
	return &d
}

// Random links, seeds and requests, in any order: the tree is that of the naive rule.
func TestDomainTree(t *testing.T) {
	for round := range uint64(300) {
		r := rand.New(rand.NewPCG(round, 5))
		n := 2 + r.IntN(20)
		d := treeOf(n)
		ref := &naiveTree{map[int][]int{}, map[int]int{}, map[int]bool{}}
		for range 4 * n {
			a, b := r.IntN(n), r.IntN(n)
			switch x := r.IntN(20); {
			case x == 0 || x == 1 && round%2 == 0:
				d.seed(graph.Site(a))
				ref.seeds[a] = true
				ref.move(a, []int{})
			case x < 8:
				cost := 1
				if ref.own[a] == 0 {
					cost = newSite
				}
				ref.own[a] += cost
				d.charge(graph.Site(a))
			default:
				d.link(graph.Site(a), graph.Site(b))
				ref.link(a, b)
			}
			ref.compare(t, d, n)
		}
	}
}

// A long chain of domains ends at maxHeight; what lies deeper hangs there.
func TestDomainChain(t *testing.T) {
	d := treeOf(50)
	d.seed(0)
	for i := range graph.Site(49) {
		d.link(i, i+1)
		d.charge(i + 1)
	}
	for i := range uint32(50) {
		if h, want := d.height(i), min(max(1, int(i)), maxHeight); h != want {
			t.Errorf("domain %d is %d high, want %d", i, h, want)
		}
	}
	if below := d.below.At(1); below != 49*newSite {
		t.Errorf("%d requests below the first", below)
	}
	d.link(0, 30)
	if d.via.At(30) != ground || d.below.At(1) != 48*newSite {
		t.Errorf("a domain that a seed links to hangs at %d", d.via.At(30))
	}
}

// A domain that came without a link that is known of (found when a page was visited again)
// and one below it that links back are no cycle.
func TestDomainUnlinked(t *testing.T) {
	d := treeOf(3)
	d.charge(1)
	d.link(1, 2)
	d.charge(2)
	d.link(2, 1)
	d.charge(2)
	if d.via.At(1) != ground || d.via.At(2) != above+1 || d.below.At(1) != 2*newSite+1 {
		t.Errorf("they hang at %d and %d, with %d", d.via.At(1), d.via.At(2), d.below.At(1))
	}
}

// What hangs below a domain has freePages requests for each branch, twice as many for all,
// and more when the domain is worth something.
func TestFarmAllowance(t *testing.T) {
	const sites = 100
	d := treeOf(sites)
	d.seed(0)
	d.link(0, 1) // the door
	for i := graph.Site(2); i < sites; i++ {
		d.link(1, i)
	}
	asked := func() (n int) {
		for i := graph.Site(2); i < sites; i++ {
			for !d.isFarm(i) {
				d.charge(i)
				n++
			}
		}
		return n
	}
	if n := asked(); n != 2*(freePages-newSite+1) {
		t.Errorf("%d requests for a farm", n)
	}
	for range 40 * 40 {
		d.fetched(1)
	}
	if n := asked(); n < 2*worth*40 || n > 2*worth*40+newSite {
		t.Errorf("%d requests more behind a door with %d pages", n, 40*40)
	}
	if d.isFarm(0) || d.isFarm(1) {
		t.Error("the door is part of the farm")
	}
	d.link(0, 99)
	if d.isFarm(99) {
		t.Error("a site that a seed links to is part of the farm")
	}
}

// Names below a domain that only the domain links to are requested by twos, and more for each
// that is worth something and that a known host links to; those that others link to, and
// the domain itself, always.
func TestHostAllowance(t *testing.T) {
	for _, vouch := range []bool{true, false} {
		d := newDomains(new(graph.Set), 100)
		for i := range 50 {
			d.add(0, i == 0)
		}
		d.add(1, true)
		d.add(2, true)
		for i := graph.Site(1); i < 50; i++ {
			if d.link(i-1, i); vouch {
				d.link(0, i)
			}
		}
		asked := func() (n int) {
			for i := graph.Site(2); i < 50; i++ { // not the first, which 0 links to
				if !d.isWild(i) && d.flags.At(int(i))&asked == 0 {
					d.charge(i)
					n++
				}
			}
			return n
		}
		d.charge(0)
		if n := asked(); n != freeHosts {
			t.Errorf("%d hosts", n)
		}
		for range hostProof - 1 {
			d.fetched(2)
		}
		if n := asked(); n != 0 {
			t.Errorf("%d hosts more", n)
		}
		for range 5 { // counts once
			d.fetched(2)
		}
		if n := asked(); n != hostWorth && vouch || n != 0 && !vouch {
			t.Errorf("%d hosts more beside one with pages, vouched for: %v", n, vouch)
		}
		d.link(50, 2)
		d.link(51, 2)
		if n := asked(); n != 0 && vouch || n != loneWorth && !vouch {
			t.Errorf("%d hosts more when others link to it, vouched for: %v", n, vouch)
		}
		d.link(48, 49) // of the same kind
		if !d.isWild(49) {
			t.Error("a link within the domain speaks for a host")
		}
		d.link(50, 49)
		if d.isWild(49) || d.isWild(0) || d.isWild(2) {
			t.Error("a host is refused that others link to, or that was asked")
		}
	}
}

func TestCopySite(t *testing.T) {
	for _, c := range []struct {
		same, good int
		want       bool
	}{{49, 0, false}, {50, 0, true}, {50, 2, true}, {50, 3, false}, {60, 3, true}} {
		g := New([16]byte{1}, 1000, 10)
		g.AddSite([]byte("a.example"), 0, "a.example")
		for i := range c.same + c.good {
			p := Page{ID: graph.Page(i), Rest: fmt.Appendf(nil, "/%d", i)}
			g.Fetched(&p, News{Elsewhere: i < c.same})
		}
		if got := g.isCopy(0); got != c.want {
			t.Errorf("%d pages of others and %d of its own: %v", c.same, c.good, got)
		}
	}
}
