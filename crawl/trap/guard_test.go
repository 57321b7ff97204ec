package trap

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// aHistory is a guard after random calls, drawn as a crawl makes them; what the guard
// answered is in the log.
type aHistory struct {
	*guarded
	r   *rand.Rand
	log strings.Builder
}

func newHistory(seed uint64) *aHistory {
	h := &aHistory{guarded: newGuarded(20_000, 300), r: rand.New(rand.NewPCG(seed, 1))}
	h.Parent = func(p *Page) (Page, bool) {
		if p.ID == 0 {
			return Page{}, false
		}
		return h.pages[p.ID-1], true
	}
	return h
}

// step makes one call.
func (h *aHistory) step() {
	sites := h.of.Len()
	switch x := h.r.IntN(100); {
	case sites < 3 || x < 3 && sites < 300:
		d := sites / 4
		name := fmt.Sprintf("d%d.example", d)
		h.AddSite(fmt.Appendf(nil, "%s.%s", []string{"www", "a", "b", "c"}[sites%4], name), uint32(d), name)
	case x < 4:
		h.Seed(graph.Site(h.r.IntN(3)))
	case x < 20:
		to := h.r.IntN(sites)
		h.Linked(graph.Site(to/2), graph.Site(to)) // what hangs from one domain stays there
	case x < 25:
		fmt.Fprintln(&h.log, "released", h.release(x == 24))
	case x < 27 && len(h.pages) > 0:
		h.Brought(graph.Page(h.r.IntN(len(h.pages))), 990+h.r.IntN(20))
	case x < 35 && len(h.pages) > 0: // a second try
		h.log.WriteString(h.ask(&h.pages[h.r.IntN(len(h.pages))], h.news()).String() + "\n")
	default:
		p := h.page(graph.Site(h.r.IntN(sites)), "%s", h.rest())
		p.Single = h.r.IntN(4) > 0
		h.log.WriteString(h.ask(p, h.news()).String() + "\n")
	}
}

func (h *aHistory) news() News {
	n := h.r.IntN(32)
	return News{Same: n < 24, Exact: n == 1, Elsewhere: n == 24, Soft: n < 4, Ends: n == 31}
}

// rest is path and query of a page.
func (h *aHistory) rest() string {
	if h.r.IntN(3) == 0 {
		return fmt.Sprintf("/list?a=%d", h.r.IntN(9)) + strings.Repeat("&b=1", h.r.IntN(6))
	}
	return fmt.Sprintf("/d%d", h.r.IntN(3)) + strings.Repeat("/x", h.r.IntN(9)) + fmt.Sprintf("/%x/", h.r.Uint32())
}

// saved is the whole guard as bytes.
func saved(t *testing.T, g *Guard) string {
	t.Helper()
	var b bytes.Buffer
	if err := g.Save(&b); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%+v", g.Saved())
	return b.String()
}

// The same calls give the same answers and the same bytes, and what must hold of lists and
// counters holds.
func TestGuardIsDetermined(t *testing.T) {
	all := ""
	for seed := range uint64(6) {
		a, b := newHistory(seed), newHistory(seed)
		for range 3000 {
			a.step()
			b.step()
		}
		checkHeld(t, a.Guard)
		if a.log.String() != b.log.String() || saved(t, a.Guard) != saved(t, b.Guard) || !reflect.DeepEqual(a.Marks(), b.Marks()) {
			t.Errorf("seed %d: two guards differ", seed)
		}
		all += a.log.String()
		a.Free()
		b.Free()
	}
	for _, word := range []string{"none", "no-news", "grows", "hosts", "farm", "released [1", "released [2"} {
		if !strings.Contains(all, word) {
			t.Errorf("nothing is %s", word)
		}
	}
}

// A guard that was saved and loaded continues as the other does, and asking for releases
// leaves no trace: a replay makes none.
func TestGuardSaved(t *testing.T) {
	for seed := range uint64(6) {
		a := newHistory(seed)
		for range 2000 {
			a.step()
		}
		before := saved(t, a.Guard)
		a.Release(false, a.look)
		a.Release(true, a.look)
		a.held.next = 0 // where the round of releases stands is not kept
		if saved(t, a.Guard) != before {
			t.Error("a release has left a trace")
		}
		b := newHistory(seed)
		for range 2000 {
			b.step() // for its random numbers and pages
		}
		b.Guard = New([16]byte{1}, 20_000, 300)
		b.Parent = a.Parent
		var buf bytes.Buffer
		if err := a.Save(&buf); err != nil {
			t.Fatal(err)
		}
		if err := b.Load(&buf); err != nil {
			t.Fatal(err)
		}
		b.SetSaved(a.Saved())
		if saved(t, b.Guard) != before {
			t.Fatalf("seed %d: the loaded guard has other bytes", seed)
		}
		for range 1000 {
			a.step()
			b.step()
		}
		if a.log.String() != b.log.String() || saved(t, a.Guard) != saved(t, b.Guard) {
			t.Errorf("seed %d: the loaded guard goes on in another way", seed)
		}
	}
}

// What does not fit together is no guard.
func TestGuardLoadsNoOther(t *testing.T) {
	a := newHistory(1)
	for range 200 {
		a.step()
	}
	var b bytes.Buffer
	if err := a.Save(&b); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, b.Len() / 2, b.Len() - 1} {
		if err := New([16]byte{1}, 20_000, 300).Load(bytes.NewReader(b.Bytes()[:n])); err == nil {
			t.Errorf("the first %d of %d bytes are loaded", n, b.Len())
		}
	}
}

// Parameters that do not fit into the tables are not counted.
func TestParametersOverflow(t *testing.T) {
	g := newGuarded(40, 2)
	g.AddSite([]byte("a.example"), 0, "a.example")
	for i := range 40 {
		p := g.page(0, "/x?a%d=1&b%d=1&c%d=1&d%d=1", i, i, i, i)
		g.Requested(p)
		g.Fetched(p, News{Exact: true, Same: true})
	}
	if bar := g.Judge(&Page{Rest: []byte("/y?z=1")}); bar != event.NoBar {
		t.Errorf("a page of another program is judged %v", bar)
	}
}

// NoNews is for pages that were made up: by one of their own group or place, or by a page
// with thousands of links, or under a name that no person writes.
func TestMadeUp(t *testing.T) {
	parent, crowded := Page{ID: 900, Rest: []byte("/x/1.html")}, Page{ID: 901, Rest: []byte("/all")}
	index := Page{ID: 902, Rest: []byte("/index.html")}
	for _, c := range []struct {
		rest   string
		single bool
		from   *Page
		want   event.Bar
	}{
		{"/x/2.html", true, &parent, event.BarNoNews},
		{"/x/2.html", true, &crowded, event.BarNoNews},
		{"/x/2.html", true, &index, event.NoBar},
		{"/x/2.html", true, nil, event.NoBar},
		{"/x/2.html", false, &parent, event.NoBar},
		{"/x/0f3a9c21b7.html", true, &index, event.BarNoNews},
		{"/y/2.html", true, &parent, event.NoBar},
	} {
		g := newGuarded(1000, 2)
		g.AddSite([]byte("a.example"), 0, "a.example")
		g.Brought(901, Crowd+1)
		g.Brought(902, Crowd)
		g.Parent = func(*Page) (Page, bool) {
			if c.from == nil {
				return Page{}, false
			}
			return *c.from, true
		}
		for i := range groupLeast {
			g.Fetched(g.page(0, "/x/a%d.html", i), News{Same: i%2 == 0, Soft: i%2 == 1})
		}
		if bar := g.Judge(&Page{ID: 5, Rest: []byte(c.rest), Single: c.single}); bar != c.want {
			t.Errorf("%+v is judged %v", c, bar)
		}
	}
}
