package papers

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
)

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
	experimenttest.Long(t)
	for _, p := range []*experiment.Place{experimenttest.Fake(t, fakeweb.Spec{Pages: 2000, Sites: 40, Links: 16000, Seed: 1}), experimenttest.Wiki(t)} {
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
func goldenText(t *testing.T, p *experiment.Place) []byte {
	t.Helper()
	truth, err := measure.PageRankTruth(p.World.Web(), measure.TruthOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := (&experiment.Bench{Random: 1}).Setting(p, truth).Prepare()
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
	bench := experiment.Bench{Context: context.Background()}
	line := experiment.Diagonal()
	line.Name = "k/T"
	return plot.Curve(plot.Chart{Title: r.Policy, XLabel: "pages, %", YLabel: "PageRank, %", Width: 60, Height: 12, ASCII: true,
		Series: []plot.Series{bench.Percents(r.Policy, 0, r.Trial.Cumulative()), experiment.Baseline(bench.Percents("ideal", 0, ideal)), line}})
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
