package trap

import (
	"slices"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// How many pages are held for one reason, and in all. Those beyond are refused for good,
// unless another link is found to them.
const (
	maxHeldFor = 1000
	maxHeld    = 200_000
)

// held keeps the pages that wait for something to speak for them, by what that would be
// about: a domain or a place. Lists may name pages that are held no more; of tells.
type held struct {
	lists map[uint64][]graph.Page
	keys  []uint64 // of the lists, in the order in which they began
	of    map[graph.Page]uint64
	next  int // which of the keys is looked at next
}

func newHeld() held {
	return held{lists: map[uint64][]graph.Page{}, of: map[graph.Page]uint64{}}
}

func (h *held) add(key uint64, p graph.Page) {
	list, known := h.lists[key]
	if _, there := h.of[p]; there || len(list) >= maxHeldFor || len(h.of) >= maxHeld {
		return
	}
	if !known {
		h.keys = append(h.keys, key)
	}
	h.lists[key] = append(list, p)
	h.of[p] = key
}

// list is the pages that are held for a reason.
func (h *held) list(key uint64) []graph.Page {
	list := slices.DeleteFunc(h.lists[key], func(p graph.Page) bool { k, ok := h.of[p]; return !ok || k != key })
	h.lists[key] = list
	return list
}

// keyOf is what a held page waits for.
func (g *Guard) keyOf(p *Page, bar frontier.Bar) uint64 {
	if name, _ := place(p.Rest); bar == frontier.BarGrows {
		return g.hash(p.Site, name)
	}
	return uint64(bar)<<32 | uint64(g.of.At(int(p.Site)))
}

// Refused notes that a page was refused for a reason of traps.
func (g *Guard) Refused(p *Page, bar frontier.Bar) {
	g.marks.note(g.pattern(p, bar), p.Site, bar)
	if Held(bar) {
		g.held.add(g.keyOf(p, bar), p.ID)
	}
}

// Admitted notes that a page is not refused any more.
func (g *Guard) Admitted(p graph.Page) { delete(g.held.of, p) }

// Holds is the number of held pages.
func (g *Guard) Holds() int { return len(g.held.of) }

// Limits of a round of Release.
const (
	roundKeys  = 64
	roundPages = 16 // for each
)

// Release gives held pages that nothing speaks against any more, some of them at a time;
// with all it looks at every one. look says what is known of a page now. Nothing changes
// until Admitted is called with them.
func (g *Guard) Release(all bool, look func(graph.Page) (Page, bool)) (free []graph.Page) {
	h := &g.held
	rounds := min(roundKeys, len(h.keys))
	if all {
		rounds = len(h.keys)
	}
	for range rounds {
		if h.next >= len(h.keys) {
			h.next = 0
		}
		key := h.keys[h.next]
		list := h.list(key)
		if len(list) == 0 {
			delete(h.lists, key)
			h.keys = slices.Delete(h.keys, h.next, h.next+1)
			continue
		}
		h.next++
		for i, id := range list {
			p, ok := look(id)
			if !ok || i == roundPages || g.Judge(&p) != frontier.NoBar {
				break
			}
			free = append(free, id)
		}
	}
	return free
}
