package fakeweb

import (
	"strconv"

	"github.com/winnow-crawler/winnow/graph"
)

// Names are padded with zeros to equal length, so URLs are in byte order where
// ids are in order, as in the graphs of the Laboratory for Web Algorithmics.

// SiteName is scheme and host of site s: http://s042.example. (RFC 2606 keeps the
// domain example for such use.)
func (w *Web) SiteName(s graph.Site) string { return string(w.appendSite(nil, s)) }

func (w *Web) appendSite(b []byte, s graph.Site) []byte {
	b = append(b, "http://s"...)
	b = appendPadded(b, uint64(s), uint64(w.spec.Sites-1))
	return append(b, ".example"...)
}

// AppendURL appends the URL of page p: http://s042.example/ for a home page,
// http://s042.example/d3/ for an index page, http://s042.example/d3/p07.html
// below it.
func (w *Web) AppendURL(b []byte, p graph.Page) []byte {
	s := w.site(w.SiteOf(p))
	return s.appendPath(w.appendSite(b, s.id), uint32(p)-s.first)
}

// EachURL calls fn with the URL of every page in order. The bytes are only valid
// during the call. An error of fn ends the walk and is returned as it is.
func (w *Web) EachURL(fn func(url []byte) error) error {
	var b []byte
	for id := range graph.Site(w.spec.Sites) {
		s := w.site(id)
		b = w.appendSite(b[:0], id)
		for j := range s.pages {
			if err := fn(s.appendPath(b, j)); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendPath appends the path of page j.
func (s *site) appendPath(b []byte, j uint32) []byte {
	b = append(b, '/')
	d, k := s.place(j)
	if d < 0 {
		return b
	}
	b = append(b, 'd')
	b = appendPadded(b, uint64(d), uint64(s.dirs()-1))
	b = append(b, '/')
	if k == 0 {
		return b
	}
	b = append(b, 'p')
	b = appendPadded(b, uint64(k), uint64(s.dir-1))
	return append(b, ".html"...)
}

// appendPadded appends n with as many digits as the largest number of its kind.
func appendPadded(b []byte, n, largest uint64) []byte {
	for range digits(largest) - digits(n) {
		b = append(b, '0')
	}
	return strconv.AppendUint(b, n, 10)
}

func digits(n uint64) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}
