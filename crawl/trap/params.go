package trap

import (
	"bytes"

	"github.com/winnow-crawler/winnow/graph"
)

// A parameter of a query that changes nothing names a visit, not a page: a session id
// under a name of its own, an order of columns, a way back (DUST). Of a site it is told by
// pages whose URLs differ in its value only: when so many of them were the same page, and
// hardly any was another, one value is enough from then on.
const (
	idleLeast = 4
	idleTimes = 10
	maxIdle   = 4      // parameters of a query that are looked at
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

// eachParam goes over the parameters of a page with a query: the hash of its site and name, and
// of its URL without the value.
func (g *Guard) eachParam(p *Page, do func(key, stem uint64) (more bool)) {
	path, query, dynamic := bytes.Cut(p.Rest, []byte("?"))
	if !dynamic {
		return
	}
	at := len(path) + 1
	for i := 0; i < maxIdle && len(query) > 0; i++ {
		param, rest, _ := bytes.Cut(query, []byte("&"))
		name, _, valued := bytes.Cut(param, []byte("="))
		end := at + len(param)
		if valued {
			g.text = append(append(g.text[:0], p.Rest[:at+len(name)]...), valueMark)
			g.text = append(g.text, p.Rest[end:]...)
			stem := g.hash(p.Site, g.text)
			g.text = append(append(g.text[:0], valueMark), name...)
			if !do(g.hash(p.Site, g.text), stem) {
				return
			}
		}
		query, at = rest, end+1
	}
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
