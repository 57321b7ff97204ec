package crawl

import (
	"github.com/winnow-crawler/winnow/graph"
)

// originals finds the page that had a content first (W20): by the digest of its
// structural text, so that a page whose formatting alone differs is the same. 18 bytes
// for each different content. Two contents share 64 bits of their digests with
// probability n^2/2^65: 3e-6 over 10 million pages.
type originals struct {
	seen  *graph.Seen
	first *graph.Column[graph.Page] // by number of the content
	key   graph.URLKey
}

func newOriginals(secret [16]byte, pages int) originals {
	s := graph.NewSeen(secret, pages, 1)
	return originals{seen: s, first: graph.NewColumn[graph.Page]("content page", pages), key: s.Key()}
}

// hash is that of a digest. It is keyed, so that nobody can fill one part of the table.
func (o *originals) hash(digest [16]byte) uint64 { return o.key.Page(0, digest[:]) }

// of is the page that had this content first, if one had. A page without words has no
// content to compare.
func (o *originals) of(digest [16]byte) (graph.Page, bool) {
	if digest == [16]byte{} {
		return graph.NoPage, false
	}
	n, ok := o.seen.LookupPage(o.hash(digest))
	if !ok {
		return graph.NoPage, false
	}
	return o.first.At(int(n)), true
}

// note says that p has this content, unless another page had it before.
func (o *originals) note(digest [16]byte, p graph.Page) {
	if digest == [16]byte{} {
		return
	}
	if _, fresh := o.seen.Page(o.hash(digest)); fresh {
		o.first.Append(p)
	}
}

func (o *originals) columns(each func(graph.AnyColumn)) {
	o.seen.Columns(func(c graph.AnyColumn) { each(contentColumn{c}) })
	each(o.first)
}

// contentColumn gives the columns of the table names of their own.
type contentColumn struct{ graph.AnyColumn }

// Name is of AnyColumn.
func (c contentColumn) Name() string { return "content " + c.AnyColumn.Name() }
