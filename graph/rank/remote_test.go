package rank

import (
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// formulaWeb is the web of scripts/outside.py.
func formulaWeb() (links outLists, site []graph.Site) {
	const n = 60
	links, site = make(outLists, n), make([]graph.Site, n)
	for p := range links {
		site[p] = graph.Site(p / 10)
		var to [n]bool
		to[(7*p+1)%n], to[(p*p+3)%n] = true, true
		if p%4 != 0 {
			to[(p+1)%n] = true
		}
		for q, is := range to {
			if is && q != p {
				links[p] = append(links[p], graph.Page(q))
			}
		}
	}
	return links, site
}

// TestRemoteHITS has the numbers of scripts/outside.py.
func TestRemoteHITS(t *testing.T) {
	links, site := formulaWeb()
	w := links.web(t)
	w.Sites = site
	a, h, err := RemoteHITS(w, Options{Tolerance: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		page graph.Page
		want float64
	}{{52, 0.363740995}, {4, 0.111397508}, {12, 0.092723616}} {
		if got := a.Score[c.page]; math.Abs(got-c.want) > 2e-9 {
			t.Errorf("authority of page %d: %.9f, want %.9f", c.page, got, c.want)
		}
	}
	if h.Score[1] != 0 {
		t.Errorf("page 1, without a remote link, is a hub of %g", h.Score[1])
	}
	for _, name := range MetricNames() {
		if m, ok := Named(name); !ok || m.Name != name {
			t.Errorf("metric %s is not found", name)
		}
	}
}
