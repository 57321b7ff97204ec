package policy

import (
	"bytes"

	"github.com/winnow-crawler/winnow/graph"
)

// Location: Cho, Garcia-Molina, Page 1998, section 2, IL.
//
//	value(p) = -(slashes in the path) - (1 if there is a query)
//	           + (1 if the URL contains "home", or the path is empty or "/")
//
// It knows only the URL, so a page has its final value when it becomes known. Cost per
// link: none; per page: one scan of its URL.
//
// Where it fails: if URLs are flat, as in most content systems, they do not differ, and
// anybody can choose a short path.

func locationSpec() *Spec {
	return &Spec{
		Name:   "location",
		Source: "Cho 1998",
		What:   "short paths first, by the URL alone",
		URLs:   true,
		New: func(e *Env, _ Params) (Policy, error) {
			var url []byte // reused for each page; no state
			return &fixed{e.Boards[0], func(p graph.Page) float64 {
				url = e.URL(url[:0], p)
				return locationValue(url)
			}}, nil
		},
	}
}

func locationValue(url []byte) float64 {
	path, query := urlPath(url)
	v := -bytes.Count(path, []byte("/"))
	if query {
		v--
	}
	if len(path) == 0 || string(path) == "/" || bytes.Contains(url, []byte("home")) {
		v++
	}
	return float64(v)
}

// urlPath returns the part of a URL between its authority and its query or fragment, and
// whether it has a query.
func urlPath(url []byte) (path []byte, query bool) {
	if i := bytes.Index(url, []byte("://")); i >= 0 {
		url = url[i+3:]
	}
	if i := bytes.IndexAny(url, "/?#"); i >= 0 {
		url = url[i:]
	} else {
		return nil, false
	}
	if i := bytes.IndexAny(url, "?#"); i >= 0 {
		return url[:i], url[i] == '?'
	}
	return url, false
}
