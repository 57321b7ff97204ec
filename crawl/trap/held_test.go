package trap

import (
	"fmt"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// guarded is a guard and the pages that it has been told of.
type guarded struct {
	*Guard
	pages []Page
	gone  map[graph.Page]bool // something else has become of them
}

func newGuarded(pages, sites int) *guarded {
	return &guarded{Guard: New([16]byte{1}, pages, sites), gone: map[graph.Page]bool{}}
}

// page makes a page known.
func (g *guarded) page(s graph.Site, format string, args ...any) *Page {
	g.pages = append(g.pages, Page{ID: graph.Page(len(g.pages)), Site: s, Rest: fmt.Appendf(nil, format, args...), Single: true})
	return &g.pages[len(g.pages)-1]
}

func (g *guarded) look(p graph.Page) (Page, bool) { return g.pages[p], !g.gone[p] }

// ask hands a page out and lets it come, or refuses it.
func (g *guarded) ask(p *Page, n News) frontier.Bar {
	bar := g.Judge(p)
	if bar != frontier.NoBar {
		g.Refused(p, bar)
		return bar
	}
	g.Asked(p)
	g.Came(p, n)
	return bar
}

// release releases pages and admits them.
func (g *guarded) release(end bool) []graph.Page {
	list := slices.Clone(g.Release(end, g.look))
	for _, p := range list {
		g.Admitted(&g.pages[p])
	}
	return list
}

// farmOf is a seed, a door, and domains behind it with a page each that is held.
func farmOf(t *testing.T, domains int) *guarded {
	g := newGuarded(10_000, domains+2)
	for i := range domains + 2 {
		name := fmt.Sprintf("d%d.example", i)
		g.AddSite([]byte(name), uint32(i), name)
	}
	g.Seed(0)
	g.Linked(0, 1)
	for i := 2; i < domains+2; i++ {
		g.Linked(1, graph.Site(i))
	}
	for i := 2; i < domains+2; i++ {
		g.ask(g.page(graph.Site(i), "/"), News{})
	}
	if want := domains - 2*freePages/newSite; g.Holds() != want {
		t.Fatalf("%d of %d pages are held, want %d", g.Holds(), domains, want)
	}
	return g
}

// Of the pages behind one door no more are released than the allowance has, however many
// branches it is shared by, and no more as long as those wait to be handed out.
func TestReleaseFarm(t *testing.T) {
	g := farmOf(t, 100)
	if list := g.release(false); len(list) != 0 {
		t.Fatalf("%d pages are released though nothing has changed", len(list))
	}
	for range 5 * 5 { // worth*5 requests more for a branch, twice as many for all
		g.Came(g.page(1, "/x%d", len(g.pages)), News{})
	}
	list := g.release(false)
	if len(list) != 20/newSite {
		t.Fatalf("%d pages are released, want %d", len(list), 20/newSite)
	}
	if more := g.release(false); len(more) != 0 {
		t.Errorf("%d more are released while they wait", len(more))
	}
	for _, p := range list {
		if bar := g.ask(&g.pages[p], News{}); bar != frontier.NoBar {
			t.Errorf("a released page is refused as %v", bar)
		}
	}
	if more := g.release(false); len(more) != 0 || len(g.held.pending) != 0 || len(g.held.free) != 0 {
		t.Errorf("%d more are released after they came, %v are pending", len(more), g.held.pending)
	}
}

// A page that was asked for, failed, and is refused the second time is held once.
func TestRefusedAgain(t *testing.T) {
	g := farmOf(t, 100)
	for range 2 * 2 { // worth*2 requests more for a branch
		g.Came(g.page(1, "/x%d", len(g.pages)), News{})
	}
	list := g.release(false)
	if len(list) != 2 {
		t.Fatalf("%d pages are released", len(list))
	}
	holds := g.Holds()
	for _, id := range list {
		g.Asked(&g.pages[id])
	}
	for _, id := range list {
		p := &g.pages[id]
		if bar := g.Judge(p); bar != frontier.BarFarm {
			t.Fatalf("the second try is judged %v", bar)
		}
		g.Refused(p, frontier.BarFarm)
		g.Refused(p, frontier.BarFarm)
	}
	if g.Holds() != holds+2 {
		t.Errorf("%d are held, want %d", g.Holds(), holds+2)
	}
	checkHeld(t, g.Guard)
	for range 400 {
		g.Came(g.page(1, "/x%d", len(g.pages)), News{})
	}
	all := g.Release(true, g.look)
	slices.Sort(all)
	if n := len(all); n == 0 || len(slices.Compact(all)) != n {
		t.Errorf("pages are released twice: %v", all)
	}
}

// checkHeld looks for what must hold of the lists.
func checkHeld(t *testing.T, g *Guard) {
	t.Helper()
	h, n := &g.held, 0
	if len(h.keys) != len(h.lists) || h.next > len(h.keys) {
		t.Fatalf("%d keys of %d lists, the next is %d", len(h.keys), len(h.lists), h.next)
	}
	for _, key := range h.keys {
		list := h.lists[key]
		if len(list) == 0 || len(list) > maxHeldFor {
			t.Fatalf("a list has %d pages", len(list))
		}
		for _, p := range list {
			if h.of[p].key != key {
				t.Fatalf("page %d is in a list of another", p)
			}
		}
		n += len(list)
	}
	if n != len(h.of) {
		t.Fatalf("%d pages in lists, %d held", n, len(h.of))
	}
	sums := map[uint64]uint64{}
	for _, c := range h.free {
		sums[c.Key] += c.Cost
	}
	for key, n := range h.pending {
		if n != sums[key] || n == 0 {
			t.Fatalf("%d pending, want %d", n, sums[key])
		}
	}
}

// One reason holds so many pages and no more; admitted ones make room.
func TestHeldIsBounded(t *testing.T) {
	g := newGuarded(10_000, 10)
	g.AddSite([]byte("a.example"), 0, "a.example")
	for range maxHeldFor + 10 {
		g.Refused(g.page(0, "/x/"), frontier.BarGrows)
	}
	g.Refused(g.page(0, "/y/"), frontier.BarNoNews) // is not held
	checkHeld(t, g.Guard)
	if g.Holds() != maxHeldFor || g.BarredOn(0) != maxHeldFor+11 {
		t.Errorf("%d are held, %d barred", g.Holds(), g.BarredOn(0))
	}
	g.Admitted(&g.pages[3])
	g.Refused(g.page(0, "/x/"), frontier.BarGrows)
	if checkHeld(t, g.Guard); g.Holds() != maxHeldFor {
		t.Errorf("%d are held", g.Holds())
	}
}

// A page that was refused for another reason (a link that is not to be followed) is no
// freer than others when it is admitted.
func TestAdmittedIsNoPass(t *testing.T) {
	g := farmOf(t, 100)
	p := g.page(90, "/other")
	g.Admitted(p)
	if bar := g.Judge(p); bar != frontier.BarFarm {
		t.Errorf("it is judged %v", bar)
	}
}

// At the end, and only then, the rest of a place goes of which most came. A place of which
// more waits than came is held, and so is one of which nobody knows how much waits.
func TestNearlyThrough(t *testing.T) {
	for _, c := range []struct{ came, waits, want int }{{20, 10, 10}, {20, 11, 0}, {3 * maxHeldFor, maxHeldFor - 1, maxHeldFor - 1}, {3 * maxHeldFor, 2 * maxHeldFor, 0}} {
		g := newGuarded(10_000, 10)
		g.AddSite([]byte("a.example"), 0, "a.example")
		for i := range c.came { // each leads deeper, none is an end
			p := g.page(0, "/x/1/2/%d/", i)
			g.Asked(p)
			g.Came(p, News{})
		}
		g.Asked(g.page(0, "/x/"))
		for range freeEnds {
			p := g.page(0, "/x/1/2/3/")
			g.Came(p, News{Same: true})
			g.places.came(0, 4, false)
		}
		for i := range c.waits {
			g.Refused(g.page(0, "/x/1/2/w%d/", i), frontier.BarGrows)
		}
		if list := g.Release(false, g.look); len(list) != 0 {
			t.Errorf("%d pages are released before the end", len(list))
		}
		n := 0
		for list := g.release(true); len(list) > 0; list = g.release(true) {
			n += len(list)
			for _, p := range list {
				g.Asked(&g.pages[p])
			}
		}
		if n != c.want {
			t.Errorf("%d of %d pages are released when %d came, want %d", n, c.waits, c.came, c.want)
		}
	}
}

// At the end nothing waits for released pages that will never be handed out, and pages of
// which something else has become are left alone.
func TestReleaseAtEnd(t *testing.T) {
	g := farmOf(t, 100)
	for range 20 {
		g.Came(g.page(1, "/x%d", len(g.pages)), News{})
	}
	lost := g.release(false)
	if len(lost) == 0 {
		t.Fatal("none is released")
	}
	if more := g.release(false); len(more) > 0 {
		t.Errorf("%d more", len(more))
	}
	rest := g.Release(true, g.look)
	if len(rest) != len(lost) {
		t.Errorf("%d are released at the end, want %d", len(rest), len(lost))
	}
	for _, p := range rest {
		g.gone[p] = true
	}
	for _, p := range g.Release(true, g.look) {
		if g.gone[p] {
			t.Errorf("page %d is released, which is gone", p)
		}
	}
	for p := range g.pages {
		g.gone[graph.Page(p)] = true
	}
	for range 3 {
		if list := g.Release(true, g.look); len(list) > 0 {
			t.Errorf("%d pages are released, all of which are gone", len(list))
		}
	}
}

// Another link to a held page is no way around what is left: it waits for its turn.
func TestHeldWaits(t *testing.T) {
	g := farmOf(t, 100)
	for range 2 * 2 { // worth*2 requests more for a branch
		g.Came(g.page(1, "/x%d", len(g.pages)), News{})
	}
	for id := range g.held.of {
		p := g.pages[id]
		p.Single = false
		if bar := g.Judge(&p); bar != frontier.BarFarm {
			t.Errorf("page %d is judged %v", id, bar)
		}
	}
	site := g.pages[g.held.lists[g.held.keys[0]][0]].Site
	g.Linked(0, site) // but a seed speaks for it
	p := g.pages[g.held.lists[g.held.keys[0]][0]]
	if bar := g.Judge(&p); bar != frontier.NoBar {
		t.Errorf("the page of a site that a seed links to is judged %v", bar)
	}
}
