package partition

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/graph"
)

// mirrorPages is the number of pages of each site of TestEchoes.
const mirrorPages = 60

// TestEchoes: two sites of different partitions have the same pages. One of them is found to be the
// mirror: that which is found later, or if they are fetched side by side that of the higher partition.
func TestEchoes(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprint("late=", late), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { findEcho(t, late) })
		})
	}
}

func findEcho(t *testing.T, late bool) {
	hosts := [2]string{hostIn(t, 0, 2), hostIn(t, 1, 2)}
	first, mirror := 0, 1
	if late {
		first, mirror = 1, 0
	}
	serve := func(last string) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			n := 0
			fmt.Sscanf(r.URL.Path, "/p%d", &n)
			links := []string{}
			for i := n + 1; i <= min(n+5, mirrorPages); i++ {
				links = append(links, fmt.Sprintf("/p%d", i))
			}
			if n == mirrorPages && last != "" {
				links = append(links, last)
			}
			writePage(rw, r.URL.Path, links...)
		}
	}
	web := map[string]http.HandlerFunc{hosts[first]: serve(""), hosts[mirror]: serve("")}
	seeds := []string{"http://" + hosts[0] + "/", "http://" + hosts[1] + "/"}
	if late {
		web[hosts[first]] = serve(seeds[mirror])
		seeds = []string{seeds[first]}
	}
	w := newHandWeb(t, web, seeds...)
	c := &w.o.Config
	c.Partitions, c.Policy, c.Delay, c.DelayFactor = 2, "breadth-first", config.Seconds(1), 0
	if sum := w.run(t); sum.Fetched != 2*(mirrorPages+1) {
		t.Errorf("%d pages were fetched", sum.Fetched)
	}
	for i, host := range hosts {
		w.withState(t, i, func(s *state.State) {
			for site := range s.Frontier.Sites() {
				id := graph.Site(site)
				if is := s.Frontier.SiteDiscounted(id); is != (i == mirror && !s.IsForeign(id)) {
					t.Errorf("%s, partition %d of %s: a mirror: %v", s.Table.Name(id), i, host, is)
				}
			}
		})
	}
}
