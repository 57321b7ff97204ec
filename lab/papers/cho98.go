package papers

import (
	"fmt"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// cho98 lists the experiments of Cho, Garcia-Molina and Page, "Efficient crawling through
// URL ordering" (WWW7, 1998), sections 3 and 6: 179,000 reachable pages of stanford.edu,
// crawled from its home page. Their graphs survive as pictures without numbers; ours are
// compared with the text about them.
func cho98() []Experiment {
	return []Experiment{
		{Name: "graph1", Paper: "section 6, graph 1", What: "hot pages found by backlink order for three definitions of hot",
			header: orderHeader([]string{"backlink-count"}, "I = backlinks"), at: graph1,
			claims: []string{"the larger G, the faster hot pages are found",
				"right of 80 % hot pages come at the rate of a random crawler, within 20 %"}},
		{Name: "graph2", Paper: "section 6, graph 2", What: "pages with many backlinks found by four orders",
			header: orderHeader(choPolicies(), "I = backlinks"), at: graph2,
			claims: []string{"PageRank order finds hot pages before backlink order",
				"breadth-first, backlink and PageRank order all find them before a random crawler (mean 0.5)"}},
		{Name: "graph3", Paper: "section 6, graph 3", What: "the same as Crawl & Stop, which needs no threshold",
			header: orderHeader(choPolicies(), "I = backlinks"), at: graph3,
			claims: []string{"by P_CS the paper's three orders and random come in the same order as by P_ST"}},
		{Name: "graph4", Paper: "section 6, graph 4", What: "pages of high PageRank found by four orders",
			header: orderHeader(choPolicies(), "I = PageRank, follow 0.9, mean 1"), at: graph4,
			claims: []string{"PageRank order finds pages of high PageRank faster than it finds those with many backlinks",
				"it finds them before breadth-first and backlink order"}},
		{Name: "graph5", Paper: "section 6, graph 5", What: "a small domain, where orders can be worse than random",
			header: orderHeader([]string{"breadth-first", "backlink-count", "pagerank"}, "I = backlinks", "closed worlds of one site each"), at: graph5,
			claims: []string{"at least one order is worse than random for a stretch of the crawl (in the paper all three are)"}},
		{Name: "graph6", Paper: "section 6, graph 6", What: "histogram of backlink counts in a small domain",
			header: orderHeader(nil, "backlinks counted once per linking page"), at: graph6,
			claims: []string{"most pages have fewer than 10 backlinks"}},
		{Name: "figure3", Paper: "section 6, figure 3", What: "the cluster that traps backlink order, generated", header: figure3Header, all: figure3},
		{Name: "buffer", Paper: "section 3, Limited Buffer Crawl", What: "hot pages in a buffer of B pages, which the paper defined and never ran",
			header: orderHeader([]string{"breadth-first", "backlink-count", "pagerank", "random"}, "I = backlinks", "eviction by backlinks known"),
			at:     buffer, verdict: bufferVerdict},
	}
}

// orderHeader returns the header of experiments without a model of time.
func orderHeader(policies []string, options ...string) func(*Bench) []show.Field {
	return func(b *Bench) []show.Field {
		var worlds, seeds []string
		for _, p := range b.Places {
			worlds = append(worlds, p.describe())
			seeds = append(seeds, fmt.Sprintf("%s: %s (%d)", p.World.Name, p.SeedsName, len(p.Seeds)))
		}
		h := []show.Field{field("worlds", "%s", strings.Join(worlds, "; ")), field("seeds", "%s", strings.Join(seeds, "; "))}
		if policies != nil {
			h = append(h, field("policies", "%s", strings.Join(policies, ", ")))
		}
		o := "one fetcher, no time model, " + strings.Join(options, ", ")
		if b.Starts > 0 {
			o += fmt.Sprintf(", %d further start sets at random", b.Starts)
		}
		return append(h, field("options", "%s", o), field("random seed", "%d", b.Random))
	}
}

// A hotRule selects the hot pages of any E: those with importance of at least g, or the
// best share of E where g is 0.
type hotRule struct{ g, share float64 }

func (r hotRule) of(j *measure.Judge) measure.Hot {
	if r.g > 0 {
		return j.HotAbove(r.g)
	}
	return j.HotTop(r.share)
}

func (r hotRule) String() string {
	if r.g > 0 {
		return "G = " + plot.Number(r.g)
	}
	return "top " + plot.Number(100*r.share) + " %"
}

// ideal returns P_ST of a crawler that fetches the hot pages first.
func (r hotRule) ideal(j *measure.Judge) measure.Curve {
	return measure.IdealFound(r.of(j).Pages, j.Reachable(), j.Reachable())
}

// fewHot is the least number of hot pages from which a curve is drawn.
const fewHot = 10

// usable reports whether a threshold divides E into hot pages and others: some, and not
// nearly all.
func usable(h measure.Hot, reachable int) bool {
	return h.Pages >= fewHot && measure.Share(h.Pages, reachable) <= 0.75
}

// scaled returns the threshold g of the paper where it means here about what it meant
// there: at least ten hot pages and no more than five times their share. Elsewhere it
// returns the best pages of that share, or more of them where these would be fewer than
// ten.
func scaled(j *measure.Judge, g, theirs float64) hotRule {
	h := j.HotAbove(g)
	if h.Pages >= fewHot && measure.Share(h.Pages, j.Reachable()) <= 5*theirs {
		return hotRule{g: g}
	}
	return hotRule{share: max(theirs, measure.Share(fewHot, j.Reachable()))}
}

// ruleText describes which threshold was taken and why.
func ruleText(j *measure.Judge, r hotRule, g float64) string {
	h := r.of(j)
	s := fmt.Sprintf("Hot are %d of %d pages (%.2f %%), those with importance %s or more", h.Pages, j.Reachable(), 100*measure.Share(h.Pages, j.Reachable()), plot.Number(h.G))
	if r.g > 0 {
		return s + "."
	}
	return fmt.Sprintf("%s (the %s; with G = %s it would be %d pages).", s, r, plot.Number(g), j.HotAbove(g).Pages)
}
