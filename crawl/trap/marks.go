package trap

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A Mark describes a trap to people: a place of a site, why it is skipped, and how many pages
// that concerns.
type Mark struct {
	Site    graph.Site
	Bar     event.Bar
	Pattern string // of path and query; "": all of the site
	Pages   int64
}

// maxMarks is the largest number of marks.
const maxMarks = 1000

type markKey struct {
	site    graph.Site
	bar     event.Bar
	pattern string
}

// marks counts refused pages.
type marks struct {
	pages  map[markKey]int64
	barred *graph.Column[uint32] // by site: pages refused as traps; may be shorter than the sites
}

func newMarks(set *graph.Set, maxSites int) marks {
	return marks{pages: map[markKey]int64{}, barred: graph.NewColumnIn[uint32](set, "trap site barred", maxSites)}
}

// note counts a refused page.
func (m *marks) note(pattern []byte, s graph.Site, bar event.Bar) {
	m.barred.Grow(int(s) + 1)
	m.barred.Slice()[s]++
	key := markKey{s, bar, string(pattern)}
	if _, known := m.pages[key]; known || len(m.pages) < maxMarks {
		m.pages[key]++
	}
}

// forget undoes note.
func (m *marks) forget(pattern []byte, s graph.Site, bar event.Bar) {
	m.barred.Slice()[s]--
	key := markKey{s, bar, string(pattern)}
	if n := m.pages[key]; n > 1 {
		m.pages[key] = n - 1
	} else {
		delete(m.pages, key)
	}
}

// pattern returns the place that a bar is about.
func (g *Guard) pattern(p *Page, bar event.Bar) []byte {
	const most = 200 // bytes: it is for people
	text := []byte(nil)
	switch bar {
	case event.BarNoNews, event.BarDuplicate:
		g.text = appendGroup(g.text[:0], p.Rest)
		text = g.text
	case event.BarGrows:
		text, _ = place(p.Rest)
	}
	return text[:min(len(text), most)]
}

// Barred notes a page that was refused when it became known, because of the shape of its
// URL, and the page that made it known.
func (g *Guard) Barred(s graph.Site, bar event.Bar, from graph.Page) {
	g.marks.note(nil, s, bar)
	g.trials.made(from)
}

// BarredOn returns the number of pages of a site that are refused as traps.
func (g *Guard) BarredOn(s graph.Site) int64 {
	if int(s) >= g.marks.barred.Len() {
		return 0
	}
	return int64(g.marks.barred.At(int(s)))
}

// Marks returns the traps that were found, those with most pages first.
func (g *Guard) Marks() (list []Mark) {
	for k, n := range g.marks.pages { // sorted below
		list = append(list, Mark{k.site, k.bar, k.pattern, n})
	}
	slices.SortFunc(list, func(a, b Mark) int {
		return cmp.Or(-cmp.Compare(a.Pages, b.Pages), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Bar, b.Bar), cmp.Compare(a.Pattern, b.Pattern))
	})
	return list
}

// Saved holds the state of a guard that is in no column. The names of its types and fields
// are part of the format of snapshots.
type Saved struct {
	Marks []Mark
	Held  []HeldFor
	Free  []FreePage

	Trials []Trial
	Crowds []graph.Page
}

// A FreePage is a page that was held and will be handed out, and what it will cost.
type FreePage struct {
	Page graph.Page
	Key  uint64
	Cost uint64
}

// HeldFor holds the pages that wait for the same, in the order in which they were refused.
type HeldFor struct {
	Key   uint64
	Pages []graph.Page
	Bars  []event.Bar // by page
	Over  int         // pages for which there was no room
}

// Saved returns the state of the guard that is in no column.
func (g *Guard) Saved() *Saved {
	s := &Saved{Marks: g.Marks(), Crowds: slices.Sorted(maps.Keys(g.crowds))}
	for _, p := range slices.Sorted(maps.Keys(g.held.free)) {
		c := g.held.free[p]
		s.Free = append(s.Free, FreePage{p, c.Key, c.Cost})
	}
	for _, l := range g.held.order {
		if l == nil {
			continue
		}
		h := HeldFor{Key: l.key, Over: l.over}
		for _, p := range l.pages {
			if p != graph.NoPage {
				h.Pages, h.Bars = append(h.Pages, p), append(h.Bars, g.held.of[p].bar)
			}
		}
		s.Held = append(s.Held, h)
	}
	for _, key := range slices.Sorted(maps.Keys(g.trials.byKey)) {
		t := *g.trials.byKey[key]
		t.Pages = slices.Clone(t.Pages)
		s.Trials = append(s.Trials, t)
	}
	return s
}

// SetSaved undoes Saved, in a guard that knows nothing.
func (g *Guard) SetSaved(s *Saved) error {
	for _, m := range s.Marks {
		g.marks.pages[markKey{m.Site, m.Bar, m.Pattern}] = m.Pages
	}
	for _, p := range s.Crowds {
		g.crowds[p] = true
	}
	g.trials.load(s.Trials)
	for _, p := range s.Free {
		g.held.let(p.Page, charge{p.Key, p.Cost})
	}
	for _, h := range s.Held {
		if len(h.Bars) != len(h.Pages) {
			return fmt.Errorf("%d held pages for %d reasons", len(h.Pages), len(h.Bars))
		}
		for i, p := range h.Pages {
			g.held.add(h.Key, p, h.Bars[i])
		}
		if l := g.held.lists[h.Key]; l != nil {
			l.over = h.Over
		}
	}
	return nil
}
