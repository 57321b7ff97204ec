package crawl

import (
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// duplicate reports whether another page had the same content before (W20): the same words and
// numbers, links to the same pages, the same pictures. Its own links bring nothing then. The
// page with the shorter path counts as the original, whichever came first.
func (o *outcomes) duplicate(e *event.Event, f *gather.Found) bool {
	if !o.config.Duplicates || e.Class != event.OK {
		return false
	}
	first, targets, ok := o.state.Content.Of(f.Digest)
	if !ok || first == e.Page || targets != f.Targets {
		return false
	}
	_, rest, _ := o.state.Read(first)
	n := len(rest)
	_, rest, _ = o.state.Read(e.Page)
	return len(rest) >= n
}

// nearly is a page whose content differs from that of another one in a few words, or in
// where its links lead alone.
func (o *outcomes) nearly(p graph.Page, f *gather.Found) (graph.Page, bool) {
	if !o.config.Duplicates || f.Class != event.OK || f.Status == state.NotModified {
		return graph.NoPage, false
	}
	if first, targets, known := o.state.Content.Of(f.Digest); known {
		return first, first != p && targets != f.Targets // else it takes the place of a copy, which is nothing against it
	}
	q, ok := o.state.Near.Find(f.SimHash)
	return q, ok && q != p
}
