package trap

import (
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Which pages make those later that they make known. Each page comes after two levels of a
// place, the second without an end unless leaf says so.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		name, rest string
		leaf       bool
		n          News
		want       bool
	}{
		{"new words", "/x/2.html", false, News{Change: 9, Ends: true}, false},
		{"the same words", "/x/2.html", false, News{Change: 7, Ends: true}, true},
		{"not found", "/x/2.html", false, News{Change: 9, Soft: true, Ends: true}, true},
		{"deeper, without an end", "/tree/a/", false, News{Change: 9}, true},
		{"an end", "/tree/a/", false, News{Change: 9, Ends: true}, false},
		{"deeper, where there are ends", "/tree/a/", true, News{Change: 9}, false},
		{"deeper, at the top of a place", "/tree/", false, News{Change: 9}, false},
		{"deeper, in a place that is new", "/new/a/", false, News{Change: 9}, false},
		{"the next month", "/cal/2", false, News{Change: 9, Ends: true, Turns: true, Terms: 1}, true},
		{"the next list", "/list/2", false, News{Change: 9, Ends: true, Turns: true}, false},
	} {
		g := newsGuard()
		g.Fetched(g.page(0, "/x/1.html"), News{Change: 7, Ends: true})
		g.Fetched(g.page(0, "/tree/"), News{Change: 1})
		g.Fetched(g.page(0, "/tree/b/"), News{Change: 2, Ends: c.leaf})
		before := saved(t, g.Guard)
		if got := g.Doubts(g.page(0, "%s", c.rest), &c.n); got != c.want {
			t.Errorf("%s: doubt is %v", c.name, got)
		}
		if saved(t, g.Guard) != before {
			t.Errorf("%s: it has left a trace", c.name)
		}
	}
}

func TestTurns(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"/cal/2024/05/", "/cal/2024/06/", true},
		{"/cal?y=2024&m=9", "/cal?y=2024&m=10", true},
		{"/cal/2024/", "/cal/2024/06/", false},
		{"/a/1", "/b/1", false},
		{"/p/", "/p/1", false},
		{"/p/x", "/p/1", false},
	} {
		if Turns([]byte(c.a), []byte(c.b)) != c.want || Turns([]byte(c.b), []byte(c.a)) != c.want {
			t.Errorf("%s and %s differ in numbers only: want %v", c.a, c.b, c.want)
		}
	}
}

// Names that are ids need less evidence than others to be made up.
func TestMadeNames(t *testing.T) {
	for name, least := range map[string]int{"/old/%016x1a.html": madeGroup, "/old/p%d.html": groupLeast} {
		g := newsGuard()
		g.Parent = func(p *Page) (Page, bool) { return g.pages[max(1, p.ID)-1], true }
		n := 0
		for ; n < 10 && g.ask(g.page(0, name, n+0xabcde), News{Same: true, Soft: true, Ends: true}) == event.NoBar; n++ {
		}
		if n != least {
			t.Errorf("%d pages like %s were requested, want %d", n, name, least)
		}
	}
}

// Pages that several pages link to speak for others like them, unless they are not found or
// have ids as names.
func TestReaders(t *testing.T) {
	for _, c := range []struct {
		name string
		soft bool
		want event.Bar
	}{{"/old/%016x1a.html", false, event.BarNoNews}, {"/old/p%d.html", true, event.BarNoNews}, {"/old/p%d.html", false, event.NoBar}} {
		g := newsGuard()
		g.Parent = func(p *Page) (Page, bool) { return g.pages[max(1, p.ID)-1], true }
		for n := range groupLeast + 2 {
			p := g.page(0, c.name, n+0xabcde)
			p.Single = n > 1 // two have readers
			g.Fetched(p, News{Same: true, Soft: c.soft, Ends: true})
		}
		if got := g.Judge(g.page(0, c.name, 1)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The robots.txt of a domain counts with its first page: however many sites of a farm are
// approached before a page is requested, they are no more than the farm may have. A site that
// was approached may be visited, and is no end before.
func TestApproach(t *testing.T) {
	const sites = 100
	d := treeOf(sites)
	d.seed(0)
	d.link(0, 1) // the door
	var near []graph.Site
	for i := graph.Site(2); i < sites; i++ {
		if d.link(1, i); !d.isFarm(i) {
			d.approach(i)
			d.approach(i) // once more, when it has expired
			near = append(near, i)
		}
	}
	if n := len(near); n != branches*freePages/newSite {
		t.Fatalf("%d sites were approached", n)
	}
	for _, s := range near {
		if d.isFarm(s) || d.isEnd(s) {
			t.Errorf("site %d, which was approached: farm %v, end %v", s, d.isFarm(s), d.isEnd(s))
		}
		before := d.below.At(1)
		if d.charge(s); d.below.At(1) != before || d.cost(s) != 1 || !d.isEnd(s) {
			t.Errorf("the first page of site %d costs %d, the next one %d; end %v", s, d.below.At(1)-before, d.cost(s), d.isEnd(s))
		}
	}
	if !d.isFarm(sites - 1) {
		t.Error("another site may be approached")
	}
}
