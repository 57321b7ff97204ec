package fakeweb

import (
	"math"
	"math/bits"

	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// degrees draws how many links each page gets.
//
// Every page has a weight class c by hash; class 0 is dangling, the others weigh
// 2^(c/16). Page p gets
//
//	clamp(floor(scale * weight / 2^32), least links of p, Pages - 1)
//
// links, with the largest scale that stays within the total. What is missing is
// smaller than the step to scale+1, which adds at most one link per page: the
// pages before cut are given that step.
type degrees struct {
	weight   [classes]uint64
	scale    uint64
	cut      uint32
	tree     bool   // there are enough links for the whole tree: no page gets fewer than its part
	one      bool   // and for one link on every page that is not dangling
	dangling uint64 // probability in 2^-16 that a page below an index page is dangling
}

const (
	classes = 256

	// maxScale makes every page of class 1 or more link to every other page.
	maxScale = 1 << 60

	// maxTree is above the tree links of any page: 126 pages and 16 directories,
	// or 16 directories and 8 sites.
	maxTree = 160
)

// weights returns 2^(c/16) in units of 1/256 for c from 1; weights[0] is 0.
func weights() (w [classes]uint64) {
	root16 := math.Sqrt(math.Sqrt(math.Sqrt(math.Sqrt(2))))
	x := 256.0
	for c := range w {
		if c < 16 {
			w[c] = uint64(x)
			x *= root16
		} else {
			w[c] = 2 * w[c-16]
		}
	}
	w[0] = 0
	return w
}

// settle finds scale and cut.
func (w *Web) settle() degrees {
	g := degrees{weight: weights(), dangling: w.danglingShare()}
	g.tree = w.spec.Links >= int64(w.spec.Pages)-1
	g.one = w.spec.Links/2 >= int64(w.spec.Pages)
	links, most := uint64(w.spec.Links), uint64(w.spec.Pages)-1
	t := w.tally(&g)
	if t.total(&g, maxScale, most) < links {
		g.dangling = 0 // the other pages have no room for all links
		t = w.tally(&g)
	}
	g.scale = largest(maxScale, func(x uint64) bool { return t.total(&g, x, most) <= links })
	g.cut = w.cut(&g, links-t.total(&g, g.scale, most))
	return g
}

// largest returns the largest x in [0, top] for which ok holds, given that it holds for
// 0 and for all numbers below one for which it holds.
func largest(top uint64, ok func(uint64) bool) uint64 {
	var x uint64
	for step := uint64(1) << (bits.Len64(top) - 1); step > 0; step /= 2 {
		if x+step <= top && ok(x+step) {
			x += step
		}
	}
	return x
}

// cut returns the number of pages to walk until missing of them could be given one
// link more by the next scale.
func (w *Web) cut(g *degrees, missing uint64) uint32 {
	if missing == 0 {
		return 0
	}
	most := uint64(w.spec.Pages) - 1
	for s := range w.spec.Sites {
		site := w.Site(graph.Site(s))
		for j := range site.Pages {
			c, least := w.kind(g, &site, j)
			missing -= g.at(g.scale+1, c, least, most) - g.at(g.scale, c, least, most)
			if missing == 0 {
				return site.First + j + 1
			}
		}
	}
	return uint32(w.spec.Pages)
}

// tally counts the pages of each class and least number of links.
type tally [classes][maxTree]uint64

func (w *Web) tally(g *degrees) *tally {
	t := new(tally)
	for s := range w.spec.Sites {
		site := w.Site(graph.Site(s))
		for j := range site.Pages {
			c, least := w.kind(g, &site, j)
			t[c][least]++
		}
	}
	return t
}

// total returns the number of links at a scale.
func (t *tally) total(g *degrees, scale, most uint64) (sum uint64) {
	for c := range t {
		for least, pages := range t[c] {
			if pages > 0 {
				sum += pages * g.at(scale, c, uint64(least), most)
			}
		}
	}
	return sum
}

// at returns the number of links of a page of class c at a scale.
func (g *degrees) at(scale uint64, c int, least, most uint64) uint64 {
	hi, lo := bits.Mul64(scale, g.weight[c])
	return min(max(hi<<32|lo>>32, least), most)
}

// kind returns the weight class of page j and the least number of links it gets.
func (w *Web) kind(g *degrees, s *Site, j uint32) (c int, least uint64) {
	c = g.class(s, j)
	if g.tree {
		pages, dirs, sites := w.branches(s, j)
		least = uint64(pages.size() + dirs.size() + sites.size())
	}
	if g.one && c > 0 {
		least = max(least, 1)
	}
	return c, least
}

// degree returns the number of links of page j.
func (w *Web) degree(s *Site, j uint32) int {
	g := &w.deg
	scale := g.scale
	if s.First+j < g.cut {
		scale++
	}
	c, least := w.kind(g, s, j)
	return int(g.at(scale, c, least, uint64(w.spec.Pages)-1))
}

// danglingShare makes a fifth of all pages dangling, though home and index pages
// never are; at most half of the others.
func (w *Web) danglingShare() uint64 {
	var hubs uint64
	for s := range w.spec.Sites {
		site := w.Site(graph.Site(s))
		hubs += 1 + uint64(site.Dirs())
	}
	pages := uint64(w.spec.Pages)
	return min(1<<15, pages<<16/5/max(1, pages-hubs))
}

// class returns the weight class of page j. Seven pages of eight have the class of
// their directory: pages made from one template have about as many links.
func (g *degrees) class(s *Site, j uint32) int {
	d, k := s.Place(j)
	h := draw.Hash(s.Seed, streamDegree, uint64(j))
	if k > 0 && h&(1<<16-1) < g.dangling {
		return 0
	}
	if h>>16&7 != 0 {
		h = draw.Hash(s.Seed, streamMenu, uint64(d))
	}
	return drawClass(h>>20) - smallSite(s.Pages)
}

// drawClass draws a class between 58 and 193. From its middle upwards the distribution is a
// power law, eight classes up (a factor 2^(8/16)) for half of the pages, exponent 1 + 16/8
// = 3; the lower half is spread over a factor 4.
func drawClass(h uint64) int {
	c := 90 + int(h>>32&7)
	if z := min(bits.TrailingZeros64(h), 12); z > 0 {
		return c + 8*z
	}
	return c - int(h>>1&31)
}

// smallSite returns the number of classes by which the pages of a small site are lower: a
// site of few pages has few pages to link to, and most links are local. At most 48.
func smallSite(pages uint32) int {
	return 16 * max(0, 7-bits.Len32(pages+8))
}
