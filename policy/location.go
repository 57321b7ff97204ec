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
			return &location{fixed{e.Boards[0], func(p graph.Page) float64 {
				url = e.URL(url[:0], p)
				return locationValue(url)
			}}, e.URL}, nil
		},
	}
}

type location struct {
	fixed
	url func(b []byte, p graph.Page) []byte
}

// Explain returns the three numbers that are added up.
func (l *location) Explain(p graph.Page) []Factor {
	slashes, query, home := locationParts(l.url(nil, p))
	return []Factor{
		{Name: "slashes in the path", Value: float64(slashes)}, {Name: "query", Value: float64(query)}, {Name: "home page", Value: float64(home)},
	}
}

func locationValue(url []byte) float64 {
	slashes, query, home := locationParts(url)
	return float64(slashes + query + home)
}

// locationParts returns the three parts of the value of a URL, the first two at most 0.
func locationParts(url []byte) (slashes, query, home int) {
	path, asks := urlPath(url)
	slashes = -bytes.Count(path, []byte("/"))
	if asks {
		query = -1
	}
	if len(path) == 0 || string(path) == "/" || bytes.Contains(url, []byte("home")) {
		home = 1
	}
	return slashes, query, home
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
