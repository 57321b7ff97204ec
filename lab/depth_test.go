package lab

import (
	"maps"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// TestSiteDepths has the numbers of scripts/outside.py.
func TestSiteDepths(t *testing.T) {
	const n = 60
	links, site := make([][]graph.Page, n), make([]graph.Site, n)
	var homes []graph.Page
	for p := range links {
		if site[p] = graph.Site(p / 10); p%10 == 0 {
			homes = append(homes, graph.Page(p))
		}
		for q := range n {
			if q != p && (q == (7*p+1)%n || q == (p*p+3)%n || p%4 != 0 && q == (p+1)%n) {
				links[p] = append(links[p], graph.Page(q))
			}
		}
	}
	out := graph.ListsOf(links)
	defer out.Free()
	count := map[int]int{}
	for _, d := range SiteDepths(out, site, homes) {
		count[d]++
	}
	if want := map[int]int{-1: 17, 0: 6, 1: 8, 2: 15, 3: 5, 4: 3, 5: 3, 6: 3}; !maps.Equal(count, want) {
		t.Errorf("pages by depth %v, want %v", count, want)
	}
}
