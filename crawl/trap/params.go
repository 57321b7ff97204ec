package trap

import (
	"bytes"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
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
	stems *urltable.Table
}

func newParams(set *graph.Set, secret [16]byte, max int) params {
	return params{newGroups(set, "trap parameter", "parameter", secret, max), urltable.New("trap stem", secret, max, 1)}
}

// eachParam goes over what in a URL may name a visit: directories with an id in their name,
// and parameters. It gives the hash of the site and the name of the parameter, or of what
// stands before the directory, and that of the URL without the value. without is path and
// query without a directory, nil of a parameter.
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

// variants are the hashes of what has this name, and of a page without the value that
// stands there.
func (g *Guard) variants(p *Page, from, to int, kind byte, name []byte) (key, stem uint64) {
	g.text = append(append(append(g.text[:0], p.Rest[:from]...), valueMark), p.Rest[to:]...)
	stem = g.hash(p.Site, g.text)
	g.text = append(append(g.text[:0], valueMark, kind), name...)
	return g.hash(p.Site, g.text), stem
}

// noteParams notes a page that came. Below a directory that is an id the same text is
// enough: the links of its copies stay below it, and those of the page itself do not.
func (g *Guard) noteParams(p *Page, n *News) {
	g.eachParam(p, func(key, stem uint64, without []byte) bool {
		q, fresh := g.params.stems.Page(stem)
		same := n.Exact || n.Text && without != nil
		if fresh && !(same && without != nil) || q == graph.NoPage {
			return true // new, or there is no room to tell
		}
		if id, _ := g.params.enter(key); graph.Page(id) != graph.NoPage {
			g.params.count(id, !same)
		}
		return true
	})
}

// isVariant reports whether a page differs from one that came in a parameter that changes
// nothing.
func (g *Guard) isVariant(p *Page) bool {
	_, is := g.idleParam(p)
	return is
}

// idleParam is the parameter that changes nothing in which a page differs from one that
// came, or the directory without which it is known.
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
