package measure

import (
	"errors"
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/score"
)

// chosWeb has the pages A, B and C: A links to B, B to A, C to both.
func chosWeb(t *testing.T) (w *rank.Web, url func([]byte, graph.Page) []byte) {
	names := []string{"http://a.edu/home/", "http://a.edu/x/y?z", "http://b.com/"}
	w = &rank.Web{Out: webOf(t, [][]graph.Page{{1}, {0}, {0, 1}}), Sites: []graph.Site{0, 0, 1}}
	return w, func(b []byte, p graph.Page) []byte { return append(b, names[p]...) }
}

// explicit compiles what a user writes.
func explicit(text string) (*score.Function, error) {
	text, err := score.Explicit(text)
	if err != nil {
		return nil, err
	}
	return score.Compile(text)
}

// importance returns what an expression gives to the pages A, B and C.
func importance(t *testing.T, f *score.Function) []float64 {
	t.Helper()
	w, url := chosWeb(t)
	truth, unsound, err := ScoreTruth(w, f, url, TruthOptions{Threads: 1})
	if err != nil || unsound > 0 {
		t.Fatal(err, unsound)
	}
	return truth.Value
}

func isNear(t *testing.T, name string, got []float64, want ...float64) {
	t.Helper()
	for p := range want {
		if math.Abs(got[p]-want[p]) > 1e-9 {
			t.Errorf("%s: page %c has %v, want %v", name, 'A'+p, got[p], want[p])
		}
	}
}

// TestChosMetrics computes the metrics of Cho, Garcia-Molina and Page 1998, section 2, by hand.
//
//	IB: links to a page. A has those of B and C.
//	IF: links from a page.
//	IR(P) = (1-d) + d sum IR(T)/c(T), d = 0.9, C = 0.1:
//	    A = 0.1 + 0.9 (B + C/2) = 0.145 + 0.9 B, B = 0.145 + 0.9 A, so A = B = 0.145/0.1 = 1.45
//	IL: by rules over the URL: +1 for .edu, +2 for "home", -0.5 for a slash.
//	IC = k1 IB + k2 IL, any linear combination (M15), of quantiles: IB is 2, 2, 0, with the
//	    quantiles 4/6, 4/6, 1/6; IL is 2, 0, -0.5, with 5/6, 3/6, 1/6.
func TestChosMetrics(t *testing.T) {
	w, _ := chosWeb(t)
	w.Out = webOf(t, [][]graph.Page{{1}, {0}, {0, 1}})
	forward, err := rank.Outlinks(w, rank.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	isNear(t, "IF", forward.Score, 1, 1, 2)
	compile := func(text string, with func(string) (*score.Function, error)) *score.Function {
		f, err := with(text)
		if err != nil {
			t.Fatal(err)
		}
		f.Rules = score.NewRules()
		for _, line := range []string{"# our rules", "+1 suffix .edu", "+2 contains home", "-0.5 slash"} {
			if err := f.Rules.Add(line); err != nil {
				t.Fatal(err)
			}
		}
		return f
	}
	isNear(t, "IB", importance(t, compile("backlinks", score.Compile)), 2, 2, 0)
	isNear(t, "IR", importance(t, compile("pagerank", score.Compile)), 1.45, 1.45, 0.1)
	isNear(t, "IL", importance(t, compile("location + 1", score.Compile)), 3, 1, 0.5)
	isNear(t, "IC", importance(t, compile("0.7*backlinks + 0.3*location", explicit)),
		0.7*4/6+0.3*5/6, 0.7*4/6+0.3*3/6, 0.7/6+0.3/6)
	isNear(t, "IC, raw", importance(t, compile("0.7*backlinks + 0.3*(location + 1)", score.Compile)), 1.4+0.9, 1.4+0.3, 0.15)
}

// TestScoreTruth checks the terms of sites and of HITS by hand: A and B are of one site, C of
// another. Of the links, only those of C lead to another site.
func TestScoreTruth(t *testing.T) {
	for text, want := range map[string][]float64{
		"site_pages":       {2, 2, 1},
		"site_links":       {2, 2, 0},
		"site_backlinks":   {2, 2, 0},
		"site_pagerank":    {1.45, 1.45, 0.1},
		"sites_in":         {2, 2, 0},
		"authority":        {1.5, 1.5, 0},
		"pagerank_remote":  {3 * 1.45 / 3.9, 3 * 1.45 / 3.9, 3 / 3.9}, // y is 1+0.9/2 twice, and 1
		"authority_remote": {1.5, 1.5, 0},
		"-backlinks":       {0, 0, 0}, // importance is never negative
	} {
		f, err := score.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		isNear(t, text, importance(t, f), want...)
	}
	w, url := chosWeb(t)
	f, _ := score.Compile("1/backlinks")
	if truth, unsound, err := ScoreTruth(w, f, url, TruthOptions{}); err != nil || unsound != 1 || truth.Value[2] != 0 {
		t.Errorf("1/backlinks: %v, %d, %v", truth, unsound, err)
	}
	f, _ = score.Compile("depth")
	if _, _, err := ScoreTruth(w, f, url, TruthOptions{}); !errors.Is(err, ErrCrawlTerm) {
		t.Errorf("depth: %v", err)
	}
	f, _ = score.Compile("location")
	if _, _, err := ScoreTruth(w, f, nil, TruthOptions{}); err == nil {
		t.Error("location needs no URLs")
	}
}
