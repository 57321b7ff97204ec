package frontier

import "github.com/winnow-crawler/winnow/graph"

// links are the out-links of pages that came, for policies that read them again: 8
// bytes a known page and 4 a link.
type links struct {
	at *graph.Column[uint64]     // by page: where its list begins, plus 1; 0 has none
	to *graph.Column[graph.Page] // for each page the number of its links, then the links
}

// linksEach is the number of links a page for which address space is reserved where
// Options.MaxLinks does not say.
const linksEach = 256

func newLinks(set *graph.Set, o *Options) *links {
	most := o.MaxLinks
	if most == 0 {
		most = linksEach * o.MaxPages
	}
	return &links{
		at: graph.NewColumnIn[uint64](set, "link lists", o.MaxPages),
		to: graph.NewColumnIn[graph.Page](set, "links", o.MaxPages+most),
	}
}

func (l *links) add(p graph.Page, list []graph.Page) {
	l.at.Grow(int(p) + 1)
	n := l.to.Len()
	l.at.Set(int(p), uint64(n)+1)
	l.to.Grow(n + 1 + len(list))
	l.to.Set(n, graph.Page(len(list)))
	copy(l.to.Slice()[n+1:], list)
}

func (l *links) of(p graph.Page) []graph.Page {
	if int(p) >= l.at.Len() || l.at.At(int(p)) == 0 {
		return nil
	}
	n := l.at.At(int(p)) - 1
	to := l.to.Slice()
	return to[n+1 : n+1+uint64(to[n])]
}
