package gather

import (
	"bytes"

	"github.com/winnow-crawler/winnow/crawl/page"
)

// A Canonical is the page that a page names as its canonical one (RFC 6596): itself, or
// another of its site. The zero value names none.
type Canonical struct {
	Hash uint64 // Link.Hash of the page; 0: none is named
	Self bool   // it is the page itself
	// Spare holds the parameters that the page has and its canonical one has not, with "&"
	// between them. It is empty if the two differ in anything else.
	Spare []byte
}

// A nominee is what the answer has named as canonical so far.
type nominee struct {
	url   []byte // normal form; empty: nothing is named
	split bool   // two different pages are named, so that none counts
}

// name notes that the answer names a page as canonical. A page that names two contradicts
// itself, and neither order of them is better than the other.
func (n *nominee) name(r *page.Resolver, href []byte) {
	url, v := r.Resolve(nil, href)
	if !v.Usable() {
		return
	}
	n.split = n.split || len(n.url) > 0 && !bytes.Equal(url, n.url)
	n.url = url
}

// canonical sets the canonical page, if the answer names one and it is on the same site.
func (g *Gatherer) canonical(n *nominee, f *Found) {
	if len(n.url) == 0 || n.split {
		return
	}
	link, mid := g.hash(n.url)
	if !link.Local {
		return
	}
	f.Canonical = Canonical{Hash: link.Hash, Self: link.Hash == g.doc.hash}
	if !f.Canonical.Self {
		f.Canonical.Spare = spare(g.doc.url[g.doc.mid:], n.url[mid:])
	}
}

// maxSpare is the largest number of parameters by which a page may differ from its
// canonical one. It bounds the work for each link of the page.
const maxSpare = 4

// spare returns the parameters of path and query that those of the canonical page have not,
// or nil if the two differ in anything else.
func spare(rest, canonical []byte) (list []byte) {
	path, query, _ := bytes.Cut(rest, []byte("?"))
	to, kept, _ := bytes.Cut(canonical, []byte("?"))
	if !bytes.Equal(path, to) || bytes.Count(query, []byte("&")) >= maxParams || bytes.Count(kept, []byte("&")) >= maxParams {
		return nil
	}
	n := 0
	for param := range bytes.SplitSeq(query, []byte("&")) {
		if next, same := cutParam(kept, param); same {
			kept = next
			continue
		}
		if n++; n > 1 {
			list = append(list, '&')
		}
		list = append(list, param...)
	}
	if n > maxSpare || len(kept) > 0 {
		return nil
	}
	return list
}

// cutParam returns a query without its first parameter, and reports whether that is param.
func cutParam(query, param []byte) ([]byte, bool) {
	first, rest, _ := bytes.Cut(query, []byte("&"))
	return rest, len(query) > 0 && bytes.Equal(first, param)
}

// AppendPlain appends path and query of a link without the spare parameters. It reports
// whether the link had one.
func (c *Canonical) AppendPlain(dst, rest []byte) ([]byte, bool) {
	path, query, _ := bytes.Cut(rest, []byte("?"))
	if len(c.Spare) == 0 || len(query) == 0 || bytes.Count(query, []byte("&")) >= maxParams {
		return append(dst, rest...), false
	}
	dst = append(dst, path...)
	mark, cut := byte('?'), false
	for param := range bytes.SplitSeq(query, []byte("&")) {
		if c.spares(param) {
			cut = true
			continue
		}
		dst = append(append(dst, mark), param...)
		mark = '&'
	}
	return dst, cut
}

func (c *Canonical) spares(param []byte) bool {
	for s := range bytes.SplitSeq(c.Spare, []byte("&")) {
		if bytes.Equal(s, param) {
			return true
		}
	}
	return false
}

// aim adds a link to the targets of the page, without the parameters by which the page
// differs from its canonical one: many sites carry them on into every link.
func (g *Gatherer) aim(f *Found, link Link, url []byte, mid int) {
	if len(f.Canonical.Spare) > 0 && link.Local {
		plain, cut := f.Canonical.AppendPlain(append(g.plainURL[:0], url[:mid]...), url[mid:])
		if g.plainURL = plain; cut {
			g.targets.add(g.opt.Key.Page(link.SiteHash, plain[mid:]), plain)
			return
		}
	}
	g.targets.add(link.Hash, url)
}
