package partition

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/graph"
)

// A site with the texts of a site of another partition, at the same paths, is a mirror: its pages go
// later. The one that came first is none.
func TestEchoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := hostIn(t, 0, 3), hostIn(t, 1, 3) // the third partition compares some of their texts
		site := func(rw http.ResponseWriter, r *http.Request) {
			var links []string
			switch r.URL.Path {
			case "/":
				for i := range 30 {
					links = append(links, fmt.Sprintf("/same/%d", i))
				}
			case "/same/29":
				links = append(links, "http://"+b+"/")
			}
			writePage(rw, r.URL.Path, links...)
		}
		w := newHandWeb(t, map[string]http.HandlerFunc{a: site, b: site}, "http://"+a+"/")
		w.o.Config.Partitions, w.o.Config.Policy = 3, "breadth-first"
		if sum := w.run(t); sum.Fetched != 62 {
			t.Errorf("%d pages came", sum.Fetched)
		}
		for part, mirror := range []bool{false, true} {
			w.withState(t, part, func(s *state.State) {
				for p := range s.Frontier.Pages() {
					if id := graph.Page(p); !s.Frontier.Foreign(id) && s.Frontier.Discounted(id) != mirror {
						t.Errorf("%s is discounted: %v", s.AppendURL(nil, id), !mirror)
					}
				}
			})
		}
		w.verify(t, 3)
	})
}
