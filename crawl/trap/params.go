package trap

import (
	"bytes"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
)

// A parameter of a query that changes nothing names a visit, not a page: a session id under
// an unusual name, an order of columns, a link back. So does a directory whose name is an
// id. It is found by pages of a site whose URLs differ in its value only. When idleLeast of
// them were the same page, and idleTimes as many as were another page, one value is enough
// from then on.
const (
	idleLeast = 4
	idleTimes = 10
	maxIdle   = 4      // directories and parameters of a URL that are examined
	valueMark = '\x00' // stands for a value; no URL has it
)

// params counts, by site and parameter, the pages that had been fetched with another value,
// and whether they brought news. stems has the URLs without the value.
type params struct {
	groups
	stems *urltable.Table
}

func newParams(set *graph.Set, secret [16]byte, max int) params {
	return params{newGroups(set, "trap parameter", "parameter", secret, max), urltable.New("trap stem", secret, max, 1)}
}

// eachParam calls do for all that may name a visit in a URL, directories with an id in their
// name and parameters, while do returns true. key is the hash of the site and of the name of
// the parameter, or of the path before the directory. stem is the hash of the URL without
// the value. without is path and query without the directory, nil for a parameter.
func (g *Guard) eachParam(p *Page, do func(key, stem uint64, without []byte) (more bool)) {
	path, query, dynamic := bytes.Cut(p.Rest, []byte("?"))
	left := maxIdle
	for at := 0; left > 0; {
		n := bytes.IndexByte(path[at:], '/')
		if n < 0 {
			break // the last segment is the page itself
		}
		if hasID(path[at : at+n]) {
			left--
			key, stem := g.variants(p, at, at+n, valueMark, path[:at])
			without := append(append(make([]byte, 0, len(p.Rest)), p.Rest[:at]...), p.Rest[at+n+1:]...)
			if !do(key, stem, without) {
				return
			}
		}
		at += n + 1
	}
	if !dynamic {
		return
	}
	for at := len(path) + 1; left > 0 && len(query) > 0; left-- {
		param, rest, _ := bytes.Cut(query, []byte("&"))
		name, _, valued := bytes.Cut(param, []byte("="))
		if valued {
			key, stem := g.variants(p, at+len(name), at+len(param), '=', name)
			if !do(key, stem, nil) {
				return
			}
		}
		query, at = rest, at+len(param)+1
	}
}

// variants returns the key and the stem (see eachParam) for the value at from:to.
func (g *Guard) variants(p *Page, from, to int, kind byte, name []byte) (key, stem uint64) {
	g.text = append(append(append(g.text[:0], p.Rest[:from]...), valueMark), p.Rest[to:]...)
	stem = g.hash(p.Site, g.text)
	g.text = append(append(g.text[:0], valueMark, kind), name...)
	return g.hash(p.Site, g.text), stem
}

// noteParams notes a fetched page. Below a directory that is an id, the same text is enough:
// the links of a copy lead below the directory, and those of the page itself do not.
func (g *Guard) noteParams(p *Page, n *News) {
	g.eachParam(p, func(key, stem uint64, without []byte) bool {
		q, fresh := g.params.stems.Page(stem)
		same := n.Exact || n.Text && without != nil
		if fresh && !(same && without != nil) || q == graph.NoPage {
			return true // it is new, or there is no room
		}
		if id, _ := g.params.enter(key); graph.Page(id) != graph.NoPage {
			g.params.count(id, !same)
		}
		return true
	})
}

// isVariant reports whether a page differs from a fetched one only in a parameter that
// changes nothing.
func (g *Guard) isVariant(p *Page) bool {
	_, is := g.idleParam(p)
	return is
}

// idleParam returns the parameter that changes nothing in which a page differs from a fetched
// one, or the directory without which the page is known.
func (g *Guard) idleParam(p *Page) (name uint64, is bool) {
	g.eachParam(p, func(key, stem uint64, without []byte) bool {
		if id, ok := g.params.find(key); ok && g.params.tired(id, idleLeast, idleTimes) {
			_, is = g.params.stems.LookupPage(stem)
			is = is || without != nil && g.Known != nil && g.Known(p.Site, without)
			name = key
		}
		return !is
	})
	return name, is
}
