package trap

import (
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// A ring is a crawl of several partitions, as their guards see it. Domain n has site n everywhere
// and is of partition n modulo their number. Words arrive when deliver is called.
type ring struct {
	guards []*Guard
	queue  []func()
}

func newRing(parts, domains int) *ring {
	r := &ring{}
	for self := range parts {
		g := New([16]byte{1}, 1<<10, 1<<10)
		r.guards = append(r.guards, g)
		g.Connect(&Abroad{
			Self: self, Of: parts,
			Number: func(hash uint64, _ bool) (uint32, bool) { return uint32(hash), hash < uint64(domains) },
			Tell: func(to int, w Word) {
				for i := range parts {
					if i == to || to < 0 && i != self {
						r.queue = append(r.queue, func() { r.guards[i].Heard(self, &w) })
					}
				}
			},
		})
		for i := range domains {
			g.AddDomain(uint64(i))
			g.AddSite([]byte("x.example"), uint32(i), "x.example")
			g.SetPartition(graph.Site(i), i%parts)
		}
	}
	return r
}

func (r *ring) of(site int) *Guard { return r.guards[site%len(r.guards)] }

func (r *ring) seed(site int) { r.of(site).Seed(graph.Site(site)) }

// link is found where the site with the link is crawled.
func (r *ring) link(from, to int) { r.of(from).Linked(graph.Site(from), graph.Site(to)) }

func (r *ring) deliver() {
	for len(r.queue) > 0 {
		r.queue[0]()
		r.queue = r.queue[1:]
	}
}

// The places of domains are those that one guard would find, once all words have arrived, in
// whatever partitions they lie.
func TestAbroad(t *testing.T) {
	links := [][2]int{{0, 1}, {0, 2}, {1, 3}, {3, 4}, {4, 5}, {5, 3}, {2, 6}, {6, 7}, {5, 7}, {4, 8}, {8, 9}, {9, 4}}
	for _, late := range []bool{false, true} {
		one, four := newRing(1, 10), newRing(4, 10)
		for _, r := range []*ring{one, four} {
			r.seed(0)
			for _, l := range links {
				if !late || r.of(l[0]).via.At(l[0]) == unlinked { // it is not crawled before its partition knows of it
					r.deliver()
				}
				r.link(l[0], l[1])
			}
			r.deliver()
		}
		for i := range 10 {
			if got, want := four.of(i).via.At(i), one.of(i).via.At(i); got != want {
				t.Errorf("late %t: domain %d hangs at %d, want %d", late, i, got, want)
			}
		}
	}
}

// Sites of a farm that lie in other partitions get its requests in parts, not each of them as many.
func TestFarmAbroad(t *testing.T) {
	spent := func(parts int) (n int) {
		r := newRing(parts, 200)
		r.seed(0)
		r.link(0, 1) // the door
		for i := 2; i < 200; i++ {
			r.link(1, i)
		}
		r.deliver()
		for i := 2; i < 200; i++ {
			r.link(i, 1+i%199)
		}
		r.deliver()
		for i := 2; i < 200; i++ {
			for range 50 {
				p := Page{ID: graph.Page(i), Site: graph.Site(i), Rest: []byte("/")}
				r.of(i).MadeKnown(p.ID, p.Site, graph.Site(1+i%199))
				if r.of(i).Judge(&p) != 0 {
					break
				}
				r.of(i).Requested(&p)
				n++
			}
		}
		return n
	}
	if one, four := spent(1), spent(4); four > one*5/4 || one == 0 {
		t.Errorf("a farm gets %d requests in four partitions, %d in one", four, one)
	}
}
