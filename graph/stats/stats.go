// Package stats measures graphs: what `winnow graph stats` prints.
//
// One pass over the forward lists gives a [Survey]: links of each kind, the
// distribution of degrees both ways, the sites. From a [Distribution] (exact
// counts by value) follow bins for a plot, the share of pages below a bound (X6)
// and the exponent of a power law (L11); ranks have the same in [PowerLaw] and
// [Bands]. [Reach] counts what can be reached from seeds (L8), [Compare] what two
// snapshots have in common (L10).
//
// Lists are read in order where that is enough, so that a compressed file need
// not be unpacked. Memory is a few bytes per page and per site, never per link.
package stats

import (
	"cmp"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// A Survey is what one pass over the forward lists tells.
type Survey struct {
	Pages int64
	Links int64
	Self  int64 // links of a page to itself
	Local int64 // links inside a site, self-links among them

	Out   Distribution // of out-degrees; its zeros are the dangling pages
	In    Distribution // of in-degrees; its zeros are the pages without in-links
	Sites []SiteCount  // by site id; nil if sites are not known
}

// SiteCount is the size of one site.
type SiteCount struct {
	Site  graph.Site
	Pages int64
	Local int64 // links inside it
	Out   int64 // links to other sites
	In    int64 // links from other sites
}

// Take surveys a graph of a number of pages. siteOf says the site of each page,
// all below sites; nil stands for every page being its own site.
func Take(pages int, forward graph.Sequential, siteOf []graph.Site, sites int) *Survey {
	s := &Survey{Pages: int64(pages)}
	if siteOf != nil {
		s.Sites = make([]SiteCount, sites)
		for i := range s.Sites {
			s.Sites[i].Site = graph.Site(i)
		}
		for _, site := range siteOf[:pages] {
			s.Sites[site].Pages++
		}
	}
	var out counter
	in := make([]uint32, pages)
	for c := forward.Scan(0, graph.Page(pages)); c.Next(); {
		p, list := c.Page(), c.List()
		out.add(uint64(len(list)))
		s.Links += int64(len(list))
		for _, q := range list {
			in[q]++
			if q == p {
				s.Self++
			}
		}
		if siteOf != nil {
			s.visit(siteOf, siteOf[p], list)
		}
	}
	s.finish(&out, in)
	return s
}

// visit counts the links of one page by site.
func (s *Survey) visit(siteOf []graph.Site, from graph.Site, list []graph.Page) {
	local := int64(0)
	for _, q := range list {
		if to := siteOf[q]; to == from {
			local++
		} else {
			s.Sites[to].In++
		}
	}
	s.Sites[from].Local += local
	s.Sites[from].Out += int64(len(list)) - local
}

func (s *Survey) finish(out *counter, in []uint32) {
	var c counter
	for _, d := range in {
		c.add(uint64(d))
	}
	s.In, s.Out = c.distribution(), out.distribution()
	s.Local = s.Self
	if s.Sites != nil {
		s.Local = 0
		for i := range s.Sites {
			s.Local += s.Sites[i].Local
		}
	}
}

// Dangling is the number of pages without out-links.
func (s *Survey) Dangling() int64 { return s.Out.Below(1) }

// Unlinked is the number of pages without in-links.
func (s *Survey) Unlinked() int64 { return s.In.Below(1) }

// Largest is the n sites with most pages, equal ones by links inside and then by
// id.
func (s *Survey) Largest(n int) []SiteCount {
	all := slices.Clone(s.Sites)
	slices.SortFunc(all, func(a, b SiteCount) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(b.Local, a.Local), cmp.Compare(a.Site, b.Site))
	})
	return all[:min(n, len(all))]
}

// Gini is the Gini coefficient of the pages per site: 0 if all sites are equal,
// near 1 if one of many has nearly everything.
//
//	G = 2 sum(i x_i) / (n sum(x_i)) - (n+1)/n,  x_1 <= x_2 <= ... <= x_n
func (s *Survey) Gini() float64 {
	sizes := make([]int64, len(s.Sites))
	for i := range s.Sites {
		sizes[i] = s.Sites[i].Pages
	}
	return gini(sizes)
}

func gini(sizes []int64) float64 {
	slices.Sort(sizes)
	var sum, weighted float64
	for i, x := range sizes {
		sum += float64(x)
		weighted += float64(i+1) * float64(x)
	}
	if sum == 0 {
		return 0
	}
	n := float64(len(sizes))
	return float64(2*weighted)/float64(n*sum) - (n+1)/n
}
