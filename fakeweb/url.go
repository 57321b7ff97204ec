package fakeweb

import (
	"strings"

	"github.com/winnow-crawler/winnow/fakeweb/internal/padded"
	"github.com/winnow-crawler/winnow/graph"
)

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
// below it.
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
	k := uint64(0)
	if ok && name != "" {
		file, html := strings.CutSuffix(name, ".html")
		if !html || !strings.HasPrefix(file, "p") {
			return 0, false
		}
		k, ok = padded.Parse(file[1:], uint64(s.dir-1))
		ok = ok && k > 0
	}
	n := uint64(s.index(int64(d))) + k
	return uint32(n), ok && n < uint64(s.Pages)
}
