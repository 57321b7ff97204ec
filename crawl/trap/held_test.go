package trap

import (
	"fmt"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/event"
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
func (g *guarded) ask(p *Page, n News) event.Bar {
	bar := g.Judge(p)
	if bar != event.NoBar {
		g.Refused(p, bar)
		return bar
	}
	g.Requested(p)
	g.Fetched(p, n)
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
		g.leads.Set(i, 1000) // they link to each other
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
		g.Fetched(g.page(1, "/x%d", len(g.pages)), News{})
	}
	list := g.release(false)
	if len(list) != 20/newSite {
		t.Fatalf("%d pages are released, want %d", len(list), 20/newSite)
	}
	if more := g.release(false); len(more) != 0 {
		t.Errorf("%d more are released while they wait", len(more))
	}
	for _, p := range list {
		if bar := g.ask(&g.pages[p], News{}); bar != event.NoBar {
			t.Errorf("a released page is refused as %v", bar)
		}
	}
	if more := g.release(false); len(more) != 0 || len(g.held.pending) != 0 || len(g.held.free) != 0 {
		t.Errorf("%d more are released after they came, %v are pending", len(more), g.held.pending)
	}
}

// A page that was requested, failed, and is refused the second time is held once.
func TestRefusedAgain(t *testing.T) {
	g := farmOf(t, 100)
	for range 2 * 2 { // worth*2 requests more for a branch
		g.Fetched(g.page(1, "/x%d", len(g.pages)), News{})
	}
	list := g.release(false)
	if len(list) != 2 {
		t.Fatalf("%d pages are released", len(list))
	}
	holds := g.Holds()
	for _, id := range list {
		g.Requested(&g.pages[id])
	}
	for _, id := range list {
		p := &g.pages[id]
		if bar := g.Judge(p); bar != event.BarFarm {
			t.Fatalf("the second try is judged %v", bar)
		}
		g.Refused(p, event.BarFarm)
		g.Refused(p, event.BarFarm)
	}
	if g.Holds() != holds+2 {
		t.Errorf("%d are held, want %d", g.Holds(), holds+2)
	}
	checkHeld(t, g.Guard)
	for range 400 {
		g.Fetched(g.page(1, "/x%d", len(g.pages)), News{})
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
	h, n, lists := &g.held, 0, 0
	for i, l := range h.order {
		if l == nil {
			continue
		}
		live := 0
		for at, p := range l.pages {
			if p == graph.NoPage {
				continue
			}
			if r := h.of[p]; r.list != l || r.at != at {
				t.Fatalf("page %d is in a list of another", p)
			}
			live++
		}
		if live == 0 || live != l.live || live > maxHeldFor || h.lists[l.key] != l || l.at != i {
			t.Fatalf("list %d at %d has %d pages, and counts %d", l.at, i, live, l.live)
		}
		n, lists = n+live, lists+1
	}
	if n != len(h.of) || lists != len(h.lists) || h.next > len(h.order) {
		t.Fatalf("%d pages in %d lists, %d held in %d; the next is %d", n, lists, len(h.of), len(h.lists), h.next)
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
		g.Refused(g.page(0, "/x/"), event.BarGrows)
	}
	g.Refused(g.page(0, "/y/"), event.BarTrap) // is not held
	checkHeld(t, g.Guard)
	if g.Holds() != maxHeldFor || g.BarredOn(0) != maxHeldFor+11 {
		t.Errorf("%d are held, %d barred", g.Holds(), g.BarredOn(0))
	}
	g.Admitted(&g.pages[3])
	g.Refused(g.page(0, "/x/"), event.BarGrows)
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
	if bar := g.Judge(p); bar != event.BarFarm {
		t.Errorf("it is judged %v", bar)
	}
}

// At the end nothing waits for released pages that will never be handed out, and pages of
// which something else has become are skipped.
func TestReleaseAtEnd(t *testing.T) {
	g := farmOf(t, 100)
	for range 20 {
		g.Fetched(g.page(1, "/x%d", len(g.pages)), News{})
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

// Held pages are released some at a time, so that what they bring decides about the others:
// at the end of a crawl, too.
func TestReleaseInRounds(t *testing.T) {
	g := farmOf(t, 100)
	for range 400 {
		g.Fetched(g.page(1, "/x%d", len(g.pages)), News{})
	}
	all, released := g.Holds(), 0
	for range all {
		list := g.release(true)
		if len(list) > roundPages {
			t.Fatalf("%d of %d pages are released at once", len(list), all)
		}
		for _, p := range list {
			g.ask(&g.pages[p], News{})
		}
		released += len(list)
	}
	if released <= roundPages {
		t.Errorf("only %d of %d pages are released", released, all)
	}
}

// Another link to a held page is no way around what is left: it waits for its turn.
func TestHeldWaits(t *testing.T) {
	g := farmOf(t, 100)
	for range 2 * 2 { // worth*2 requests more for a branch
		g.Fetched(g.page(1, "/x%d", len(g.pages)), News{})
	}
	for id := range g.held.of {
		p := g.pages[id]
		p.Single = false
		if bar := g.Judge(&p); bar != event.BarFarm {
			t.Errorf("page %d is judged %v", id, bar)
		}
	}
	p := g.pages[g.held.order[0].pages[0]]
	g.Linked(0, p.Site) // but a seed speaks for it
	if bar := g.Judge(&p); bar != event.NoBar {
		t.Errorf("the page of a site that a seed links to is judged %v", bar)
	}
}
