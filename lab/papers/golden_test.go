package papers

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// fakePlace is a synthetic web with an earlier crawl of it, started at its first page.
func fakePlace(t testing.TB, spec fakeweb.Spec) *Place {
	web, err := fakeweb.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]graph.Page, spec.Pages)
	sites := make([]graph.Site, spec.Pages)
	for p := range out {
		out[p], sites[p] = web.Links(nil, graph.Page(p)), web.SiteOf(graph.Page(p))
	}
	w := &lab.World{Name: fmt.Sprintf("fakeweb-%d", spec.Pages), Sim: sim.World{Out: webOf(t, out), SiteOf: sites, Sites: web.Sites(), URL: web.AppendURL, SiteName: web.SiteName}}
	return withHistory(t, w)
}

// wikiPlace is a web of another kind: one site of 1,000 articles. Everybody links to
// the main page; an article links to a handful of others, half of them drawn from all
// and half from those near it in the alphabet, and every twentieth is a list of the
// articles after it. One in ten has no links, and the last twenty are linked by nobody.
func wikiPlace(t testing.TB) *Place {
	const n = 1000
	draw := func(x ...uint64) int { return int(policy.Hash(77, x...) % n) }
	out := make([][]graph.Page, n)
	for p := range out {
		var links []graph.Page
		switch x := uint64(p); {
		case p == 0:
			for i := range uint64(12) {
				links = append(links, graph.Page(20*draw(x, i)/n*20))
			}
		case p%20 == 0:
			for q := p + 1; q <= p+30; q++ {
				links = append(links, graph.Page(q))
			}
		case draw(x) < n/10: // a dead end
		default:
			links = append(links, 0)
			for i := range uint64(2 + draw(x, 1)%5) {
				far, near := draw(x, 2, i)*draw(x, 3, i)/n, p-15+draw(x, 4, i)%30
				links = append(links, graph.Page(far), graph.Page(max(0, near)))
			}
		}
		slices.Sort(links)
		links = slices.DeleteFunc(slices.Compact(links), func(q graph.Page) bool { return q >= n-20 || int(q) == p })
		out[p] = links
	}
	w := &lab.World{Name: "wiki-1000", Sim: sim.World{Out: webOf(t, out), SiteOf: make([]graph.Site, n), Sites: 1,
		URL: wikiURL, SiteName: func(graph.Site) string { return "https://wiki.example" }}}
	return withHistory(t, w)
}

// wikiURL has lists a level up and some articles behind a query.
func wikiURL(b []byte, p graph.Page) []byte {
	switch {
	case p == 0:
		return append(b, "https://wiki.example/"...)
	case p%20 == 0:
		return fmt.Appendf(b, "https://wiki.example/lists/%d", p)
	case p%7 == 0:
		return fmt.Appendf(b, "https://wiki.example/index?title=A%d", p)
	}
	return fmt.Appendf(b, "https://wiki.example/wiki/a/A%d", p)
}

// withHistory makes a place of a world: its links backward, and what a crawl knew when
// there were three fifths of the pages and, besides, ten that are gone.
func withHistory(t testing.TB, w *lab.World) *Place {
	t.Helper()
	w.In = rank.Transpose(w.Sim.Out)
	t.Cleanup(w.In.Free)
	var old []graph.Page
	for p := range graph.Page(w.Pages()) {
		if p == 0 || policy.Hash(5, uint64(p))%5 < 3 {
			old = append(old, p)
		}
	}
	then, err := measure.PageRankTruth(w.Web(), measure.TruthOptions{Within: old})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, w.Pages())
	for p := range values {
		values[p] = math.NaN()
	}
	for _, p := range old {
		values[p] = then.Value[p]
	}
	gone := slices.Repeat([]float64{1 / float64(len(old))}, 10)
	h, err := lab.NewHistory(values, gone)
	if err != nil {
		t.Fatal(err)
	}
	return &Place{World: w, Seeds: []graph.Page{0}, SeedsName: "page 0", History: h}
}

// goldenPolicies is every policy, with its main parameters. Those that need a topic are left out:
// the worlds here have none.
func goldenPolicies() []string {
	return []string{"random", "breadth-first", "backlink-count", "pagerank", "batch-pagerank/k=100", "batch-pagerank/k=100/ramp=true", "partial-pagerank/k=100",
		"opic", "opic/cash=all", "opic/remote=0.8", "xim", "larger-sites-first",
		"historical-pagerank", "historical-pagerank/new=parent", "historical-pagerank/new=random", "historical-pagerank/new=omniscient", "historical-pagerank/known=false",
		"location", "score", "site-at-a-time", "site-at-a-time/hosts=4", "webbase-500", "mix", "hedge", "hedge/eta=8:opic+xim", "foresight", "omniscient", "horn"}
}

// TestGoldenNamesAll fails when a policy is added without being looked at here.
func TestGoldenNamesAll(t *testing.T) {
	for _, s := range policy.Specs() {
		if !s.Topic && !slices.ContainsFunc(goldenPolicies(), func(n string) bool { return n == s.Name || strings.HasPrefix(n, s.Name+"/") }) {
			t.Errorf("policy %s is not among those with golden files", s.Name)
		}
	}
}

// TestGolden holds the ordering quality of every policy on two small worlds: a change
// of ordering is a change of numbers and of a picture. Look at the difference before
// committing what -update wrote.
func TestGolden(t *testing.T) {
	leaveToWholeRun(t)
	for _, p := range []*Place{fakePlace(t, fakeweb.Spec{Pages: 2000, Sites: 40, Links: 16000, Seed: 1}), wikiPlace(t)} {
		t.Run(p.World.Name, func(t *testing.T) {
			got := goldenText(t, p)
			path := filepath.Join("testdata", "golden", p.World.Name+".txt")
			if *updateGolden {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("orders have changed (-update rewrites %s):\n%s", path, firstDifference(got, want))
			}
		})
	}
}

// goldenText is a table of numbers, then a curve for each policy.
func goldenText(t *testing.T, p *Place) []byte {
	t.Helper()
	truth, err := measure.PageRankTruth(p.World.Web(), measure.TruthOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := (&Bench{Random: 1}).setting(p, truth).Prepare()
	if err != nil {
		t.Fatal(err)
	}
	runs, err := c.All(goldenPolicies(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %d pages, %d links, %d sites, %d reachable from page 0, %d known to an earlier crawl\n",
		p.World.Name, p.World.Pages(), p.World.Sim.Out.Links(), p.World.Sites(), c.Judge.Reachable(), p.History.Old)
	b.WriteString("Truth: PageRank, follow 0.9. Means of C(k) over all pages and the first 10, 25, 50 % of them,\nKendall's tau, mean P_CS, percent of the pages for 50 and 90 % of the PageRank.\n\n")
	fmt.Fprintf(&b, "%-36s%9s%9s%9s%9s%9s%9s%7s%7s\n", "policy", "average", "auc10", "auc25", "auc50", "tau", "p_cs", "for50", "for90")
	for _, r := range runs {
		m := r.Measures
		fmt.Fprintf(&b, "%-36s%9.4f%9.4f%9.4f%9.4f%9.4f%9.4f%7.2f%7.2f\n", r.Policy, m.Average, *m.AUC10, *m.AUC25, *m.AUC50, m.Tau, m.CrawlStop, 100**m.PagesFor50, 100**m.PagesFor90)
	}
	ideal := c.Judge.Ideal(c.Judge.Reachable())
	for _, r := range runs {
		b.WriteString("\n" + goldenCurve(r, ideal))
	}
	return b.Bytes()
}

// goldenCurve draws C(k) of a run under the ideal.
func goldenCurve(r *lab.Run, ideal measure.Curve) string {
	bench := Bench{Context: context.Background()}
	line := diagonal()
	line.Name = "k/T"
	return plot.Curve(plot.Chart{Title: r.Policy, XLabel: "pages, %", YLabel: "PageRank, %", Width: 60, Height: 12, ASCII: true,
		Series: []plot.Series{bench.percents(r.Policy, 0, r.Trial.Cumulative()), baseline(bench.percents("ideal", 0, ideal)), line}})
}

var updateGolden = flag.Bool("update", false, "rewrite the golden files")

// firstDifference shows the lines that differ, up to ten.
func firstDifference(got, want []byte) string {
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	var b strings.Builder
	shown := 0
	for i := 0; i < max(len(g), len(w)) && shown < 10; i++ {
		a, c := "", ""
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			c = w[i]
		}
		if a != c {
			fmt.Fprintf(&b, "line %d\n- %s\n+ %s\n", i+1, c, a)
			shown++
		}
	}
	return b.String()
}

// leaveToWholeRun leaves a test out of the short run, which is also that of the race
// detector: it takes long there and finds nothing that the others do not.
func leaveToWholeRun(t *testing.T) {
	if testing.Short() {
		t.Skip("left to the run without -short")
	}
}
