package frontier

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// halfCrawled returns a frontier under a policy that has fetched 40 of some hundred pages on
// 5 sites.
func halfCrawled(t *testing.T, name string, o Options) *Frontier {
	t.Helper()
	c, err := policy.Choose(name)
	if err != nil {
		t.Fatal(err)
	}
	o.MaxPages, o.MaxSites = 1000, 8
	env := policy.Env{Batch: 20, URL: func(b []byte, p graph.Page) []byte { return fmt.Appendf(b, "http://s/%d/%d/x", p%3, p) }}
	f, err := New(o, env, c, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0, 1, 2, 3, 4}})
	for i := range uint64(40) {
		w, _, ok := f.Next(time.Duration(i))
		if !ok {
			t.Fatalf("%s: nothing is handed out", name)
		}
		e := event.Event{Kind: event.Done, Task: w, Class: event.OK, Near: i%7 == 3}
		for k := range 4 + i%3 {
			e.New = append(e.New, graph.Site(policy.Hash(i, k)%5))
			e.Links = append(e.Links, graph.Page(f.Pages()+int(k)))
		}
		for k := range uint64(5) {
			if q := graph.Page(policy.Hash(i, k, 1) % uint64(f.Pages())); q != w.Page && !slices.Contains(e.Links, q) {
				e.Links = append(e.Links, q)
			}
		}
		f.Apply(time.Duration(i), &e)
	}
	return f
}

// positions returns the positions of all waiting pages. Those in their sites are the same if only
// the site is looked at.
func positions(f *Frontier) map[graph.Page][]Position {
	all := map[graph.Page][]Position{}
	for p := range graph.Page(f.Pages()) {
		list, near := f.Ranks().Positions(p), f.Ranks().PositionsInSite(p)
		if list != nil {
			all[p] = list
		}
		for i, pos := range slices.Clone(list) {
			if pos.Of = 0; pos.Overall >= 0 {
				pos.Overall = Uncounted
			}
			if len(near) != len(list) || near[i] != pos {
				panic(fmt.Sprintf("page %d: %+v, in its site %+v", p, list, near))
			}
		}
	}
	return all
}

// TestPositions: where no link changes a value any more, the frontier hands out the pages in
// the order that their positions tell, overall and in each site.
func TestPositions(t *testing.T) {
	for _, name := range []string{"breadth-first", "backlink-count", "opic", "opic/cash=all", "location", "batch-pagerank/k=1000", "partial-pagerank/k=1000"} {
		f := halfCrawled(t, name, Options{})
		told := positions(f)
		inSite := map[graph.Site]int{}
		for i, p := range handOut(t, f, len(told)) {
			s := f.Site(p)
			if len(told[p]) != 1 {
				t.Fatalf("%s: page %d has positions %v", name, p, told[p])
			}
			if pos := told[p][0]; pos.Overall != i || pos.InSite != inSite[s] || pos.Of != len(told) || pos.Sites != -1 {
				t.Fatalf("%s: page %d was handed out as number %d, %d of its site; told %+v", name, p, i, inSite[s], pos)
			}
			inSite[s]++
		}
		for p := range told {
			if f.Ranks().Positions(p) != nil {
				t.Fatalf("%s: page %d does not wait and has a position", name, p)
			}
		}
	}
}

// TestPositionsOfBoards: with several boards no page goes before the pages that all of them
// put before it, and what hides its values, as xim does, tells the next page all the same.
func TestPositionsOfBoards(t *testing.T) {
	f := halfCrawled(t, "mix:opic+breadth-first", Options{})
	told := positions(f)
	inSite := map[graph.Site]int{}
	for i, p := range handOut(t, f, len(told)) {
		s := f.Site(p)
		if list := told[p]; len(list) != 2 || inSite[s] < Least(list) || i < min(list[0].Overall, list[1].Overall) {
			t.Fatalf("page %d was handed out as number %d, %d of its site; told %+v", p, i, inSite[s], list)
		}
		inSite[s]++
	}
	f = halfCrawled(t, "xim", Options{})
	for range 20 {
		told := positions(f)
		if p := handOut(t, f, 1)[0]; told[p][0].Overall != 0 || told[p][0].InSite != 0 {
			t.Fatalf("page %d is next; told %+v", p, told[p][0])
		}
	}
}

// TestPositionsOfSites: a policy that orders sites tells how many sites come first, and no
// order of all pages.
func TestPositionsOfSites(t *testing.T) {
	f := halfCrawled(t, "larger-sites-first", Options{})
	told := positions(f)
	for p, list := range told {
		if list[0].Overall != -1 || list[0].Sites < 0 || list[0].Sites > 4 {
			t.Fatalf("page %d: %+v", p, list[0])
		}
	}
	if p := handOut(t, f, 1)[0]; told[p][0].Sites != 0 || told[p][0].InSite != 0 {
		t.Errorf("page %d is next; told %+v", p, told[p][0])
	}
}

// TestExplainFactors: a policy that explains itself tells the numbers of its definition.
func TestExplainFactors(t *testing.T) {
	for name, factors := range map[string]int{
		"breadth-first": 1, "backlink-count": 1, "opic": 1, "location": 3, "xim": 3, "pagerank": 4, "larger-sites-first": 1,
		"site-at-a-time": 2, "mix:opic*3+xim": 6, "hedge:opic+random": 3, "random": 0,
	} {
		f := halfCrawled(t, name, Options{})
		for p := range graph.Page(f.Pages()) {
			list := f.Ranks().Explain(p)
			if len(list) != factors {
				t.Fatalf("%s, page %d: %+v", name, p, list)
			}
			if name == "opic" && (list[0].Value != f.Value(p, 0) || list[0].Share != 1) {
				t.Fatalf("page %d: %+v, value %v", p, list, f.Value(p, 0))
			}
			if name == "mix:opic*3+xim" && (list[0].Value != 0.75 || list[0].Of != "opic" || list[5].Of != "xim" || list[1].Name != "cash") {
				t.Fatalf("page %d: %+v", p, list)
			}
		}
	}
}

// TestClock: the clock of a site names the delay in force and the place of the site.
func TestClock(t *testing.T) {
	f := halfCrawled(t, "breadth-first", Options{})
	f.o.Delay, f.o.PerConnection = 10*time.Second, 4
	w, _, _ := f.Next(100)
	if k := f.Clock(100, w.Site); k.Place != "acquired" || k.Needs != event.Fetch {
		t.Errorf("%+v", k)
	}
	f.Apply(200, &event.Event{Kind: event.Done, Task: w, Class: event.Timeout, End: 200, Again: true, Due: time.Hour})
	k := f.Clock(300, w.Site)
	if k.Place != "waiting" || k.At != 200+10*time.Second || k.Between != 10*time.Second || k.Delay != 10*time.Second || k.Failures != 1 || k.Batch != 1 {
		t.Errorf("%+v", k)
	}
	if at, yields, ok := f.Due(w.Page); at != time.Hour || yields || !ok || f.Ranks().Positions(w.Page) != nil {
		t.Errorf("due at %v, %v, %v", at, yields, ok)
	}
	if _, _, ok := f.Due(w.Page + 1); ok {
		t.Error("a page without an instant is due")
	}
}
