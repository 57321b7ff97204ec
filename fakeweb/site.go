package fakeweb

import (
	"math"
	"math/bits"
	"strings"

	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/fakeweb/internal/padded"
	"github.com/winnow-crawler/winnow/graph"
)

// layout draws the sizes of the sites and returns their home pages. Site of rank r has a
// share of the pages proportional to r^(-15/16), which makes the sizes a power law with
// exponent 1 + 16/15 = 2.07; the ranks are shuffled.
func layout(spec Spec) []uint32 {
	share := shuffledShares(spec)
	var total uint64
	for _, v := range share {
		total += v
	}
	first := make([]uint32, spec.Sites+1)
	spare := uint64(spec.Pages - spec.Sites) // pages beyond the home pages
	var sum uint64
	for s, v := range share {
		first[s] = uint32(uint64(s) + portion(spare, sum, total))
		sum += v
	}
	first[spec.Sites] = uint32(spec.Pages)
	return first
}

// portion returns floor(n * part / whole) without overflow.
func portion(n, part, whole uint64) uint64 {
	hi, lo := bits.Mul64(n, part)
	q, _ := bits.Div64(hi, lo, whole)
	return q
}

// shuffledShares returns r^(-15/16) in units of 2^-30 for r = 1 .. Sites, in random order.
// Square root, product and quotient are rounded in the same way everywhere.
func shuffledShares(spec Spec) []uint64 {
	share := make([]uint64, spec.Sites)
	for i := range share {
		r := float64(i + 1)
		root16 := math.Sqrt(math.Sqrt(math.Sqrt(math.Sqrt(r))))
		share[i] = uint64(root16 / r * (1 << 30))
	}
	for i := len(share) - 1; i > 0; i-- {
		k := draw.Below(draw.Hash(spec.Seed, streamOrder, uint64(i)), uint64(i+1))
		share[i], share[k] = share[k], share[i]
	}
	return share
}

// A Site is one site of a web. All of it follows from its number.
//
// Its pages are numbered j = 0 .. Pages-1: 0 is the home page, then come the
// directories, Dir pages each (the last may be shorter), the index page first.
type Site struct {
	ID    graph.Site
	First uint32 // the home page
	Pages uint32
	dir   uint32 // pages per directory, 8 to 127
	Seed  uint64

	topics *topics // of the web; nil without topics
}

// Site returns site s.
func (w *Web) Site(s graph.Site) Site {
	seed := draw.Hash(w.spec.Seed, streamSite, uint64(s))
	scale := uint32(8) << (seed & 3) // log-uniform: index pages get in-links by a power law, too
	return Site{
		ID:    s,
		First: w.first[s],
		Pages: w.first[s+1] - w.first[s],
		dir:   scale + uint32(draw.Below(seed, uint64(scale))),
		Seed:  seed,

		topics: w.topics,
	}
}

// Place returns the directory of page j and its position there, 0 for the index page.
// The home page is in no directory: d = -1.
func (s *Site) Place(j uint32) (d int64, k uint32) {
	if j == 0 {
		return -1, 0
	}
	return int64((j - 1) / s.dir), (j - 1) % s.dir
}

// Dirs returns the number of directories.
func (s *Site) Dirs() int64 { return (int64(s.Pages) - 1 + int64(s.dir) - 1) / int64(s.dir) }

// index returns the index page of directory d.
func (s *Site) index(d int64) uint32 { return uint32(1 + d*int64(s.dir)) }

const (
	dirBranch  = 16 // directory d is the parent of directories 16(d+1) .. 16(d+1)+15; d = -1 is the home page
	siteBranch = 8  // the home page of site s links to those of sites 8s+1 .. 8s+8
)

// A span is a range of numbers from lo up to but without hi.
type span struct{ lo, hi int64 }

func (s span) size() int64 { return max(0, s.hi-s.lo) }

// heapChildren returns the children of number v in a heap with the given branching in
// which n numbers from 0 exist; the root has number -1.
func heapChildren(v, branch, n int64) span {
	lo := branch * (v + 1)
	return span{lo, min(lo+branch, n)}
}

// branches returns the tree below page j: child pages (only for an index page), child
// directories (home and index pages), child sites (home pages).
func (w *Web) branches(s *Site, j uint32) (pages, dirs, sites span) {
	d, k := s.Place(j)
	if k > 0 {
		return
	}
	dirs = heapChildren(d, dirBranch, s.Dirs())
	if d >= 0 {
		pages = span{int64(j) + 1, min(int64(j)+int64(s.dir), int64(s.Pages))}
	} else {
		sites = heapChildren(int64(s.ID)-1, siteBranch, int64(w.spec.Sites)-1)
		sites.lo, sites.hi = sites.lo+1, sites.hi+1 // site 0 is the root of its heap
	}
	return pages, dirs, sites
}

// Names are padded with zeros to equal length, so URLs are in byte order where
// ids are in order, as in the graphs of the Laboratory for Web Algorithmics.

// SiteName returns scheme and host of site s: http://s042.example. (RFC 2606 reserves
// the domain example for such use.)
func (w *Web) SiteName(s graph.Site) string { return string(w.appendSite(nil, s)) }

func (w *Web) appendSite(b []byte, s graph.Site) []byte {
	b = append(b, "http://s"...)
	b = padded.Append(b, uint64(s), uint64(w.spec.Sites-1))
	return append(b, ".example"...)
}

// AppendURL appends the URL of page p: http://s042.example/ for a home page,
// http://s042.example/d3/ for an index page, http://s042.example/d3/p07.html
// below it, with topics also http://s042.example/d3/p07-computer.html.
func (w *Web) AppendURL(b []byte, p graph.Page) []byte {
	s, j := w.Locate(p)
	return s.AppendPath(w.appendSite(b, s.ID), j)
}

// EachURL calls fn with the URL of every page in order. The bytes are only valid
// during the call. EachURL stops at the first error of fn and returns it.
func (w *Web) EachURL(fn func(url []byte) error) error {
	var b []byte
	for id := range graph.Site(w.spec.Sites) {
		s := w.Site(id)
		b = w.appendSite(b[:0], id)
		for j := range s.Pages {
			if err := fn(s.AppendPath(b, j)); err != nil {
				return err
			}
		}
	}
	return nil
}

// AppendPath appends the path of page j.
func (s *Site) AppendPath(b []byte, j uint32) []byte {
	b = append(b, '/')
	d, k := s.Place(j)
	if d < 0 {
		return b
	}
	b = append(b, 'd')
	b = padded.Append(b, uint64(d), uint64(s.Dirs()-1))
	b = append(b, '/')
	if k == 0 {
		return b
	}
	b = append(b, 'p')
	b = padded.Append(b, uint64(k), uint64(s.dir-1))
	if word := s.word(j); word != "" {
		b = append(append(b, '-'), word...)
	}
	return append(b, ".html"...)
}

// PageAt returns the number of the page of the site that has a path.
func (s *Site) PageAt(path string) (j uint32, ok bool) {
	if path == "/" {
		return 0, true
	}
	dir, name, found := strings.Cut(strings.TrimPrefix(path, "/d"), "/")
	if !found || !strings.HasPrefix(path, "/d") || s.Dirs() == 0 {
		return 0, false
	}
	d, ok := padded.Parse(dir, uint64(s.Dirs()-1))
	k, word := uint64(0), ""
	if ok && name != "" {
		file, html := strings.CutSuffix(name, ".html")
		if !html || !strings.HasPrefix(file, "p") {
			return 0, false
		}
		file, word, _ = strings.Cut(file, "-")
		k, ok = padded.Parse(file[1:], uint64(s.dir-1))
		ok = ok && k > 0 && !strings.HasSuffix(name, "-.html")
	}
	n := uint64(s.index(int64(d))) + k
	return uint32(n), ok && n < uint64(s.Pages) && s.word(uint32(n)) == word
}
