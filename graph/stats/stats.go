// Package stats measures graphs: what `winnow graph stats` prints.
//
// One pass over the forward lists gives a [Survey]: links of each kind, the
// distribution of degrees both ways, the sites. From a [Distribution] (exact
// counts by value) follow bins for a plot, the share of pages below a bound
// and the exponent of a power law; ranks have the same in [PowerLaw] and
// [Bands]. [Reach] counts what can be reached from seeds, [Compare] what two
// snapshots have in common.
//
// Lists are read in order where that is enough, so that a compressed file need
// not be unpacked. Memory is a few bytes per page and per site, never per link.
package stats

import (
	"cmp"
	"context"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// A Survey is the result of one pass over the forward lists.
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

// Take surveys a graph of a number of pages. siteOf has the site of each page, all below
// sites; if nil, every page is its own site.
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

// Dangling returns the number of pages without out-links.
func (s *Survey) Dangling() int64 { return s.Out.Below(1) }

// Unlinked returns the number of pages without in-links.
func (s *Survey) Unlinked() int64 { return s.In.Below(1) }

// Largest returns the n sites with most pages, equal ones by links inside and then by
// id.
func (s *Survey) Largest(n int) []SiteCount {
	all := slices.Clone(s.Sites)
	slices.SortFunc(all, func(a, b SiteCount) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(b.Local, a.Local), cmp.Compare(a.Site, b.Site))
	})
	return all[:min(n, len(all))]
}

// Gini returns the Gini coefficient of the pages per site.
func (s *Survey) Gini() float64 {
	sizes := make([]int64, len(s.Sites))
	for i := range s.Sites {
		sizes[i] = s.Sites[i].Pages
	}
	return Gini(sizes)
}

// Gini returns the Gini coefficient of sizes: 0 if all are equal, near 1 if one of many
// has nearly everything.
//
//	G = 2 sum(i x_i) / (n sum(x_i)) - (n+1)/n,  x_1 <= x_2 <= ... <= x_n
func Gini[T int | int64](sizes []T) float64 {
	var sum, weighted float64
	for i, x := range slices.Sorted(slices.Values(sizes)) {
		sum += float64(x)
		weighted += float64(float64(i+1) * float64(x))
	}
	if sum == 0 {
		return 0
	}
	n := float64(len(sizes))
	return float64(2*weighted)/float64(n*sum) - (n+1)/n
}

// set is a set of pages, one bit each.
type set []uint64

func newSet(pages int) set { return make(set, (pages+63)/64) }

// add adds p and reports whether it is new.
func (s set) add(p graph.Page) bool {
	bit := uint64(1) << (p % 64)
	had := s[p/64]&bit != 0
	s[p/64] |= bit
	return !had
}

func (s set) has(p graph.Page) bool { return s[p/64]>>(p%64)&1 != 0 }

// Reach returns the number of pages first reached at each distance from the seeds,
// which are at distance 0: breadth-first search over the forward lists. All seeds
// are below pages; one named twice counts once.
func Reach(pages int, forward graph.Reader, seeds []graph.Page) (atDepth []int64) {
	seen := newSet(pages)
	var level, next []graph.Page
	for _, p := range seeds {
		if seen.add(p) {
			level = append(level, p)
		}
	}
	for len(level) > 0 {
		atDepth = append(atDepth, int64(len(level)))
		next = next[:0]
		for _, p := range level {
			for _, q := range forward.List(p) {
				if seen.add(q) {
					next = append(next, q)
				}
			}
		}
		level, next = next, level
	}
	return atDepth
}

// An Overlap describes what two snapshots of a web have in common. Links are
// counted only between pages that both have: the others come and go with their
// pages.
type Overlap struct {
	PagesKept int64 `json:"pages_kept" show:"pages kept"` // in both
	PagesGone int64 `json:"pages_gone" show:"pages gone"` // in the old one only
	PagesNew  int64 `json:"pages_new" show:"pages new"`   // in the new one only
	LinksKept int64 `json:"links_kept" show:"links kept" remark:"between pages of both"`
	LinksGone int64 `json:"links_gone" show:"links gone"`
	LinksNew  int64 `json:"links_new" show:"links new"`
}

// Compare compares the out-links of an old snapshot with those of a new one, which
// has a number of pages. to has the page of the new one that each old page has
// become, NoPage for none; no two have become the same.
func Compare(older graph.Sequential, to []graph.Page, pages int, newer graph.Reader) Overlap {
	var o Overlap
	common := newSet(pages)
	for _, q := range to {
		if q == graph.NoPage {
			o.PagesGone++
		} else if common.add(q) {
			o.PagesKept++
		}
	}
	o.PagesNew = int64(pages) - o.PagesKept
	var was, is []graph.Page
	for c := older.Scan(0, graph.Page(len(to))); c.Next(); {
		p := to[c.Page()]
		if p == graph.NoPage {
			continue
		}
		was = translate(was[:0], c.List(), to)
		is = is[:0]
		for _, q := range newer.List(p) {
			if common.has(q) {
				is = append(is, q)
			}
		}
		kept := inBoth(was, is)
		o.LinksKept += kept
		o.LinksGone += int64(len(was)) - kept
		o.LinksNew += int64(len(is)) - kept
	}
	return o
}

// translate appends the links in the numbers of the new snapshot, ascending,
// without those to pages that are gone.
func translate(dst []graph.Page, list, to []graph.Page) []graph.Page {
	for _, q := range list {
		if to[q] != graph.NoPage {
			dst = append(dst, to[q])
		}
	}
	if !slices.IsSorted(dst) {
		slices.Sort(dst)
	}
	return dst
}

// inBoth returns the size of the intersection of two ascending lists.
func inBoth(a, b []graph.Page) (n int64) {
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i] < b[k]:
			i++
		case a[i] > b[k]:
			k++
		default:
			n, i, k = n+1, i+1, k+1
		}
	}
	return n
}

// Match returns for each page of an older snapshot the page of the newer one that it has
// become, or graph.NoPage. Pages are the same by "url" if both graphs know URLs, else by
// "id". Of pages that share a URL the first stands for all.
func Match(ctx context.Context, older, newer *graph.Graph) (to []graph.Page, by string, err error) {
	if by = "id"; older.HasURLs() && newer.HasURLs() {
		by = "url"
	}
	to = make([]graph.Page, older.Pages())
	var url []byte
	for p := range graph.Page(older.Pages()) {
		if p%4096 == 0 && ctx.Err() != nil {
			return nil, by, ctx.Err()
		}
		q, ok := graph.NoPage, false
		if by == "id" {
			q, ok = newer.ByID(older.ID(p))
		} else {
			url = older.AppendURL(url[:0], p)
			if first, _ := older.Lookup(string(url)); first == p {
				q, ok = newer.Lookup(string(url))
			}
		}
		if !ok {
			q = graph.NoPage
		}
		to[p] = q
	}
	return to, by, nil
}
