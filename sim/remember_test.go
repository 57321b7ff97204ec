package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// forgetfully is a backlink-count crawl with room for limit waiting pages, by the definition: a
// list of waiting pages with the links seen since they became known.
func forgetfully(out *graph.Lists, seeds []graph.Page, limit int) (order []graph.Page, forgotten int) {
	type known struct {
		page  graph.Page
		links int
	}
	var waiting []known // in the order of discovery
	fetched := make([]bool, out.Pages())
	find := func(p graph.Page, links int) {
		if fetched[p] {
			return
		}
		for i := range waiting {
			if waiting[i].page == p {
				waiting[i].links += links
				return
			}
		}
		waiting = append(waiting, known{p, links})
	}
	for _, p := range seeds {
		find(p, 0)
	}
	for {
		for len(waiting) > limit {
			worst := 0
			for i, w := range waiting {
				if w.links <= waiting[worst].links {
					worst = i
				}
			}
			waiting = slices.Delete(waiting, worst, worst+1)
			forgotten++
		}
		if len(waiting) == 0 {
			return order, forgotten
		}
		best := 0
		for i, w := range waiting {
			if w.links > waiting[best].links {
				best = i
			}
		}
		p := waiting[best].page
		waiting = slices.Delete(waiting, best, best+1)
		fetched[p] = true
		order = append(order, p)
		for _, q := range out.List(p) {
			if q != p {
				find(q, 1)
			}
		}
	}
}

// Orders under limited memory (Cho, Garcia-Molina and Page 1998, section 4) equal a crawl by the
// definition: the page of the lowest value is forgotten, and comes back by another link as if it
// had never been seen.
func TestRemember(t *testing.T) {
	r := rand.New(rand.NewPCG(70, 1))
	for range 100 {
		n := 5 + r.IntN(80)
		links := make([][]graph.Page, n)
		for p := range links {
			for range r.IntN(8) {
				links[p] = append(links[p], graph.Page(float64(n)*r.Float64()*r.Float64()))
			}
			slices.Sort(links[p])
			links[p] = slices.Compact(links[p])
		}
		out := graph.ListsOf(links)
		seeds := []graph.Page{graph.Page(r.IntN(n))}
		for _, limit := range []int{1, 3, 10, n} {
			want, forgotten := forgetfully(out, seeds, limit)
			res, err := Run(&World{Out: out, SiteOf: make([]graph.Site, n), Sites: 1}, Options{Policy: mustChoose(t, "backlink-count"),
				Setup: Setup{Seeds: seeds, Remember: limit}})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(res.Order, want) || res.Forgotten != forgotten {
				t.Fatalf("room for %d: %v, %d forgotten, want %v, %d", limit, res.Order, res.Forgotten, want, forgotten)
			}
		}
		out.Free()
	}
}

// Every policy runs with little memory, fetches no page twice, and repeats itself.
func TestRememberEveryPolicy(t *testing.T) {
	w := newTestWeb(t, 600, 12)
	for _, name := range variants() {
		var first []graph.Page
		for range 2 {
			o := w.options(t, name, &setting{fetchers: 1}, 1)
			o.Remember = 40
			res, err := Run(w.world(t, "", 1), o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			seen := map[graph.Page]bool{}
			for _, p := range res.Order {
				if seen[p] {
					t.Fatalf("%s: page %d was fetched twice", name, p)
				}
				seen[p] = true
			}
			if res.Forgotten == 0 || len(res.Order) < 100 {
				t.Errorf("%s: %d fetched, %d forgotten", name, len(res.Order), res.Forgotten)
			}
			if first != nil && !slices.Equal(first, res.Order) {
				t.Errorf("%s: two crawls differ", name)
			}
			first = res.Order
		}
	}
}
