package trap

import (
	"bytes"

	"github.com/winnow-crawler/winnow/graph"
)

// A parameter of a query that changes nothing names a visit, not a page: a session id
// under a name of its own, an order of columns, a way back (DUST). So does a directory
// whose name is an id. Of a site it is told by pages whose URLs differ in its value only: when so many of them were the same page, and
// hardly any was another, one value is enough from then on.
const (
	idleLeast = 4
	idleTimes = 10
	maxIdle   = 4      // directories and parameters of a URL that are looked at
	valueMark = '\x00' // stands for a value; no URL has it
)

// params counts by site and parameter what pages brought that had been there with another
// value: news or not. stems has the URLs without the value.
type params struct {
	groups
	stems *graph.Seen
}

func newParams(secret [16]byte, max int) params {
	return params{newGroups("parameter", secret, max), graph.NewSeen(secret, max, 1)}
}

// eachParam goes over what in a URL may name a visit: directories with an id in their name,
// and parameters. It gives the hash of the site and the name of the parameter, or of what
// stands before the directory, and that of the URL without the value.
func (g *Guard) eachParam(p *Page, do func(key, stem uint64) (more bool)) {
	path, query, dynamic := bytes.Cut(p.Rest, []byte("?"))
	left := maxIdle
	for at := 0; left > 0; {
		n := bytes.IndexByte(path[at:], '/')
		if n < 0 {
			break // the last segment is the page itself
		}
		if hasID(path[at : at+n]) {
			left--
			if !do(g.variants(p, at, at+n, valueMark, path[:at])) {
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
		if end := at + len(param); valued && !do(g.variants(p, at+len(name), end, '=', name)) {
			return
		}
		query, at = rest, at+len(param)+1
	}
}

// variants are the hashes of what has this name, and of a page without the value that
// stands there.
func (g *Guard) variants(p *Page, from, to int, kind byte, name []byte) (key, stem uint64) {
	g.text = append(append(append(g.text[:0], p.Rest[:from]...), valueMark), p.Rest[to:]...)
	stem = g.hash(p.Site, g.text)
	g.text = append(append(g.text[:0], valueMark, kind), name...)
	return g.hash(p.Site, g.text), stem
}

// noteParams notes a page that came.
func (g *Guard) noteParams(p *Page, same bool) {
	g.eachParam(p, func(key, stem uint64) bool {
		if q, fresh := g.params.stems.Page(stem); fresh || q == graph.NoPage {
			return true // new, or there is no room to tell
		}
		if id, _ := g.params.enter(key); graph.Page(id) != graph.NoPage {
			g.params.count(id, !same)
		}
		return true
	})
}

// isVariant tells whether a page differs from one that came in a parameter that changes
// nothing.
func (g *Guard) isVariant(p *Page) (is bool) {
	g.eachParam(p, func(key, stem uint64) bool {
		if id, ok := g.params.find(key); ok && g.params.tired(id, idleLeast, idleTimes) {
			_, is = g.params.stems.LookupPage(stem)
		}
		return !is
	})
	return is
}

func (x *params) columns(each func(graph.AnyColumn)) {
	x.seen.Columns(func(c graph.AnyColumn) { each(named{c, "trap parameter " + c.Name()}) })
	x.stems.Columns(func(c graph.AnyColumn) { each(named{c, "trap stem " + c.Name()}) })
	x.rest(each)
}
