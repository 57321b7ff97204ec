package state

import (
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Hint adds to the record of a sitemap file which of its pages it finds more important than the
// others, and which less. Pages that do not wait are left out, and so are those that have the
// mean priority: a file that says the same of all pages says nothing.
func (s *State) Hint(r *journal.Record, links *gather.Links) {
	mean, said := meanPriority(links)
	if !said {
		return
	}
	for i := range links.Len() {
		link := links.At(i)
		above := int8(math.Round(priority(link) - mean))
		if above == 0 {
			continue
		}
		if p, known := s.Table.LookupPage(link.Hash); known && s.mayWait(p) {
			r.Facts.Hints = append(r.Facts.Hints, event.Hint{Page: p, Above: above})
		}
	}
}

// hints returns those of a record about pages that are known.
func (s *State) hints(r *journal.Record) []event.Hint {
	return slices.DeleteFunc(r.Facts.Hints, func(h event.Hint) bool { return int(h.Page) >= s.Table.Pages() })
}

// mayWait reports whether a page is new, or waits for its first visit.
func (s *State) mayWait(p graph.Page) bool {
	return int(p) >= s.Frontier.Pages() || s.Frontier.State(p) == frontier.Known
}

// meanPriority returns the mean priority of the pages of a sitemap file, in hundredths, and
// whether the file says any.
func meanPriority(links *gather.Links) (mean float64, said bool) {
	sum := 0.0
	for i := range links.Len() {
		link := links.At(i)
		said = said || link.Priority != 0
		sum += priority(link)
	}
	return sum / float64(max(1, links.Len())), said
}

// priority returns the priority of a page, in hundredths. It is 50 where a sitemap does not say
// another: so the protocol has it.
func priority(link gather.Link) float64 {
	if link.Priority == 0 {
		return 50
	}
	return float64(link.Priority) - 1
}
