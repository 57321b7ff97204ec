package sim

import (
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// Policies that read links again have room for all there are, however many a page has:
// here each links to all others.
func TestEveryPageLinksToAllOthers(t *testing.T) {
	const pages = 400
	out := graph.NewLists(pages, pages*(pages-1))
	t.Cleanup(out.Free)
	n := 0
	for p := range graph.Page(pages) {
		for to := range graph.Page(pages) {
			if to != p {
				out.To.Set(n, to)
				n++
			}
		}
		out.Off.Set(int(p)+1, uint64(n))
	}
	for _, name := range []string{"batch-pagerank/k=50", "partial-pagerank/k=50"} {
		res, err := Run(&World{Out: out}, Options{Policy: mustChoose(t, name), Setup: Setup{Seeds: []graph.Page{7}}})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Order) != pages {
			t.Errorf("%s: %d of %d pages were fetched", name, len(res.Order), pages)
		}
	}
}
