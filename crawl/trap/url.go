package trap

import (
	"bytes"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
)

// appendGroup appends the form of path and query of a page: what pages have in common that
// one program, or one person with a plan, has made. It keeps directories without numbers and
// ids, the ending of a file name, and the names of the parameters of a query.
//
//	/blog/2024/05/rice.html     /blog/#/#/*.html
//	/again/0f3a9c21b7/          /again/*/
//	/list.php?f=1&f=2           /list.php?f&f
func appendGroup(b, rest []byte) []byte {
	path, query, dynamic := bytes.Cut(rest, []byte("?"))
	last := lastSegment(path)
	if dynamic {
		b = appendFolded(b, path)
		return appendKeys(append(b, '?'), query)
	}
	b = appendFolded(b, path[:last])
	b = append(b, '*')
	name := path[last:]
	if bytes.HasSuffix(name, []byte("/")) {
		return append(b, '/')
	}
	if dot := bytes.LastIndexByte(name, '.'); dot >= 0 && len(name)-dot <= maxEnding {
		b = append(b, name[dot:]...)
	}
	return b
}

// maxEnding is the length of the ending of a file name, with its dot.
const maxEnding = 6

// lastSegment returns where the last segment of a path begins: that of /a/b/ is b/.
func lastSegment(path []byte) int {
	end := len(path)
	if end > 0 && path[end-1] == '/' {
		end--
	}
	return bytes.LastIndexByte(path[:end], '/') + 1
}

// idLength is the number of letters and digits from which a word with digits is an id, which
// is folded as a whole. A shorter word may be a name with a number.
const idLength = 6

// appendFolded appends a path in which numbers and ids are "#".
func appendFolded(b, path []byte) []byte {
	for len(path) > 0 {
		n, digits := word(path)
		switch {
		case n == 0:
			b, n = append(b, path[0]), 1
		case digits == 0:
			b = append(b, path[:n]...)
		case digits == n || n >= idLength:
			b = append(b, '#')
		default:
			b = appendNumbered(b, path[:n])
		}
		path = path[n:]
	}
	return b
}

// word returns the number of letters and digits that text begins with, and how many of them
// are digits.
func word(text []byte) (n, digits int) {
	for n < len(text) {
		switch c := text[n]; {
		case isDigit(c):
			digits++
		case c|0x20 < 'a' || c|0x20 > 'z':
			return n, digits
		}
		n++
	}
	return n, digits
}

// sureLength is the number of letters and digits from which a word with both is certainly an
// id: the name of a session, or a hash.
const sureLength = 10

// hasID reports whether path and query have such a word.
func hasID(rest []byte) bool {
	for len(rest) > 0 {
		n, digits := word(rest)
		if n >= sureLength && digits > 1 && digits < n {
			return true
		}
		rest = rest[max(n, 1):]
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// appendNumbered appends a word with "#" for each number in it.
func appendNumbered(b, word []byte) []byte {
	for i, c := range word {
		switch {
		case !isDigit(c):
			b = append(b, c)
		case i == 0 || !isDigit(word[i-1]):
			b = append(b, '#')
		}
	}
	return b
}

// appendKeys appends the names of the parameters of a query.
func appendKeys(b, query []byte) []byte {
	for more := true; more; {
		var param []byte
		param, query, more = bytes.Cut(query, []byte("&"))
		key, _, _ := bytes.Cut(param, []byte("="))
		b = append(append(b, key...), '&')
	}
	return b[:len(b)-1]
}

// place returns the part of a site in which a page lies, and how deep in it: for a path the
// first directory and the number of directories, for a query the program and the number of
// parameters. Pages at the top of a site lie in no place.
func place(rest []byte) (name []byte, depth int) {
	if path, query, dynamic := bytes.Cut(rest, []byte("?")); dynamic {
		return rest[:len(path)+1], 1 + bytes.Count(query, []byte("&"))
	}
	if depth = bytes.Count(rest, []byte("/")) - 1; depth == 0 {
		return nil, 0
	}
	return rest[:bytes.IndexByte(rest[1:], '/')+2], depth
}

// Deeper reports whether a page lies below another one of the same site, as pages of a place
// without end do: in a directory below its own, or with its query and more.
func Deeper(below, page []byte) bool {
	if path, query, dynamic := bytes.Cut(page, []byte("?")); dynamic {
		return len(below) > len(page) && bytes.HasPrefix(below, path) && below[len(path)] == '?' &&
			bytes.HasPrefix(below[len(path)+1:], query) && below[len(page)] == '&'
	}
	dir := page[:bytes.LastIndexByte(page, '/')+1]
	path, _, _ := bytes.Cut(below, []byte("?"))
	return bytes.HasPrefix(path, dir) && bytes.IndexByte(path[len(dir):], '/') >= 0
}

// Turns reports whether path and query of two pages differ in numbers only, as those of a
// month and the next do.
func Turns(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		x, y := digits(a), digits(b)
		switch {
		case (x == 0) != (y == 0), x == 0 && a[0] != b[0]:
			return false
		case x == 0:
			x, y = 1, 1
		}
		a, b = a[x:], b[y:]
	}
	return len(a) == len(b)
}

// digits returns the number of digits that text begins with.
func digits(text []byte) (n int) {
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

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
