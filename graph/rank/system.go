package rank

import (
	"fmt"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank/kernel"
)

// A system is the matrix of equation (2), follow Pᵀ, in the form in which it is
// swept: y[p] = base + sum of z over the in-list of p, where z[q] = weight[q] y[q]
// is what q hands to each page it links to. So no weights are kept for links.
//
// If local and remote links of a page have different weights, there are two weights a page,
// and the in-lists hold 2q for a local and 2q+1 for a remote link from q.
type system struct {
	world  *world
	follow float64
	lists  *graph.Lists
	gather *kernel.Gather
	weight [2][]float64 // the second is nil where links are all of one kind
	// live holds the pages with weight to pass on, in ascending order; the others are
	// dangling.
	live []graph.Page
	// self holds the pages whose own z is in their in-list and must be left out of their
	// sum; nil if there are none.
	self bitset
	at   []int // bounds of the in-lists
}

const (
	localLink  = 0
	remoteLink = 1
)

// kinds returns the number of elements of z for each page.
func (s *system) kinds() int {
	if s.weight[1] != nil {
		return 2
	}
	return 1
}

// equalLinks returns the system in which every link of a page weighs the same.
func equalLinks(v *world, o *Options) (*system, error) {
	s := &system{world: v, follow: o.Follow, lists: v.in()}
	var err error
	if s.gather, err = v.gather(s.lists); err != nil {
		return nil, err
	}
	n := s.lists.Pages()
	degree, selfs := s.degrees(!o.SelfLinks)
	defer degree.Free()
	if selfs > 0 {
		s.self = s.selfLinked()
	}
	s.weight[0] = make([]float64, n)
	for p, k := range degree.Slice() {
		if k > 0 {
			s.weight[0][p] = o.Follow / float64(k)
		}
	}
	s.finish()
	return s, nil
}

// degrees counts the out-links of each page, without those to itself if noSelf,
// and how many of those there were.
func (s *system) degrees(noSelf bool) (degree *graph.Column[uint32], selfs int) {
	n := s.lists.Pages()
	degree = graph.NewColumn[uint32]("degrees", n)
	degree.Grow(n)
	d := degree.Slice()
	for p := range n {
		list := s.gather.List(graph.Page(p))
		for _, q := range list {
			d[q]++
		}
		if noSelf && contains(list, graph.Page(p)) {
			d[p]--
			selfs++
		}
	}
	return degree, selfs
}

// selfLinked returns the pages that are in their own list.
func (s *system) selfLinked() bitset {
	b := newBitset(s.lists.Pages())
	for p := range s.lists.Pages() {
		if contains(s.gather.List(graph.Page(p)), graph.Page(p)) {
			b.set(graph.Page(p))
		}
	}
	return b
}

// contains reports whether an ascending list contains p. It need not search the many lists
// that end before p or begin after it.
func contains(list []graph.Page, p graph.Page) bool {
	if len(list) == 0 || list[0] > p || list[len(list)-1] < p {
		return false
	}
	for lo, hi := 0, len(list); lo < hi; {
		switch mid := (lo + hi) / 2; {
		case list[mid] == p:
			return true
		case list[mid] < p:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return false
}

// finish completes a system whose weights are set.
func (s *system) finish() {
	for p := range s.lists.Pages() {
		if s.weight[0][p] != 0 || s.weight[1] != nil && s.weight[1][p] != 0 {
			s.live = append(s.live, graph.Page(p))
		}
	}
	s.at = bounds(s.lists)
}

// A Split divides the rank of a page among its links. Given the numbers of remote and local
// links, it returns the parts of each remote and each local link. All parts must sum to 1.
type Split func(remote, local int) (eachRemote, eachLocal float64)

// Share returns a Split in which the remote links of a page together get the share s and
// the local ones the rest. If a page has links of one kind only, they get equal parts.
// (Najork and Wiener propose 0.8.)
func Share(s float64) Split {
	return func(remote, local int) (float64, float64) {
		if remote == 0 || local == 0 {
			return even(remote + local)
		}
		return s / float64(remote), (1 - s) / float64(local)
	}
}

// Factor returns a Split in which a remote link gets f times as much as a local one.
// (Najork and Wiener propose 4.)
func Factor(f float64) Split {
	return func(remote, local int) (float64, float64) {
		sum := float64(f*float64(remote)) + float64(local)
		if sum == 0 {
			return even(remote + local)
		}
		return f / sum, 1 / sum
	}
}

func even(links int) (float64, float64) { return 1 / float64(links), 1 / float64(links) }

// splitLinks returns the system in which split sets the weights of remote and local links.
func splitLinks(v *world, o *Options, split Split) (*system, error) {
	if n := v.in().Pages(); n > graph.MaxPages/2 {
		return nil, fmt.Errorf("weighted links of %d pages: at most %d", n, graph.MaxPages/2)
	}
	s := &system{world: v, follow: o.Follow, lists: v.own(twoKinds(v))}
	var err error
	if s.gather, err = kernel.NewGather(s.lists); err != nil {
		return nil, err
	}
	if err := s.splitWeights(o, split); err != nil {
		return nil, err
	}
	s.finish()
	return s, nil
}

// twoKinds copies the in-lists with 2q for a local and 2q+1 for a remote link from q.
func twoKinds(v *world) *graph.Lists {
	in := v.in()
	l := graph.NewLists(in.Pages(), in.Links())
	copy(l.Off.Slice(), in.Off.Slice())
	at, off, to := bounds(in), in.Off.Slice(), l.To.Slice()
	graph.Parallel(v.threads, parts, func(part int) {
		i := off[at[part]]
		for p := at[part]; p < at[part+1]; p++ {
			for _, q := range in.List(graph.Page(p)) {
				kind := graph.Page(remoteLink)
				if v.local(graph.Page(p), q) {
					kind = localLink
				}
				to[i] = 2*q + kind
				i++
			}
		}
	})
	return l
}

// splitWeights counts the links of both kinds and sets the weights.
func (s *system) splitWeights(o *Options, split Split) error {
	n := s.lists.Pages()
	counts := graph.NewColumn[uint32]("degrees", 2*n)
	defer counts.Free()
	counts.Grow(2 * n)
	c, self := counts.Slice(), newBitset(n)
	for p := range n {
		list := s.gather.List(graph.Page(p))
		for _, id := range list {
			c[id]++
		}
		if !o.SelfLinks && contains(list, 2*graph.Page(p)+localLink) {
			c[2*p+localLink]--
			self.set(graph.Page(p))
			s.self = self
		}
	}
	s.weight = [2][]float64{make([]float64, n), make([]float64, n)}
	for p := range n {
		local, remote := int(c[2*p+localLink]), int(c[2*p+remoteLink])
		if local+remote == 0 {
			continue
		}
		r, l := split(remote, local)
		if sum := float64(r*float64(remote)) + float64(l*float64(local)); !(r >= 0 && l >= 0 && sum > 1-1e-9 && sum < 1+1e-9) {
			return fmt.Errorf("a page with %d remote and %d local links gives %v to each remote and %v to each local link: not a division of 1",
				remote, local, r, l)
		}
		s.weight[localLink][p], s.weight[remoteLink][p] = float64(o.Follow*l), float64(o.Follow*r)
	}
	return nil
}
