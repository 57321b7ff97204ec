package papers

import (
	"fmt"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// Experiments of Cho, Garcia-Molina and Page, "Efficient crawling through URL
// ordering" (WWW7, 1998), sections 3 and 6: 179,000 reachable pages of stanford.edu,
// crawled from its home page. Their graphs survive as pictures without numbers; what
// the text says of them is what ours are held against.

// cho98 is the experiments of that paper.
func cho98() []Experiment {
	const paper = "Cho, Garcia-Molina, Page 1998, "
	return []Experiment{
		{"cho98-graph1", paper + "section 6, graph 1", "hot pages found by backlink order for three definitions of hot", choGraph1},
		{"cho98-graph2", paper + "section 6, graph 2", "pages with many backlinks found by four orders", choGraph2},
		{"cho98-graph3", paper + "section 6, graph 3", "the same as Crawl & Stop, which needs no threshold", choGraph3},
		{"cho98-graph4", paper + "section 6, graph 4", "pages of high PageRank found by four orders", choGraph4},
		{"cho98-graph5", paper + "section 6, graph 5", "a small domain, where orders can be worse than random", choGraph5},
		{"cho98-graph6", paper + "section 6, graph 6", "histogram of backlink counts in a small domain", choGraph6},
		{"cho98-figure3", paper + "section 6, figure 3", "the cluster that traps backlink order, generated", choFigure3},
		{"cho98-buffer", paper + "section 3, Limited Buffer Crawl", "hot pages in a buffer of B pages, which the paper defined and never ran", choBuffer},
	}
}

// A hotRule says which pages are hot, in a way that can be asked of any E: importance
// of at least g, or the best share of E where g is 0.
type hotRule struct{ g, share float64 }

func (r hotRule) of(j *measure.Judge) measure.Hot {
	if r.g > 0 {
		return j.HotAbove(r.g)
	}
	return j.HotTop(r.share)
}

func (r hotRule) String() string {
	if r.g > 0 {
		return fmt.Sprintf("G = %s", plot.Number(r.g))
	}
	return fmt.Sprintf("top %s %%", plot.Number(100*r.share))
}

// fewHot is the least number of hot pages from which a curve is drawn.
const fewHot = 10

// usable says whether a threshold divides E into hot pages and others: some, and not
// nearly all.
func usable(h measure.Hot, reachable int) bool {
	return h.Pages >= fewHot && measure.Share(h.Pages, reachable) <= 0.75
}

// scaled is the threshold g of the paper where it means here about what it meant
// there: at least ten hot pages and no more than five times their share. Elsewhere it
// is the best pages of that share (S6), or more of them where these would be fewer
// than ten.
func scaled(j *measure.Judge, g, theirs float64) hotRule {
	h := j.HotAbove(g)
	if h.Pages >= fewHot && measure.Share(h.Pages, j.Reachable()) <= 5*theirs {
		return hotRule{g: g}
	}
	return hotRule{share: max(theirs, measure.Share(fewHot, j.Reachable()))}
}

// ruleText says which threshold was taken and why.
func ruleText(j *measure.Judge, r hotRule, g float64) string {
	h := r.of(j)
	s := fmt.Sprintf("Hot are %d of %d pages (%.2f %%), those with importance %s or more", h.Pages, j.Reachable(), 100*measure.Share(h.Pages, j.Reachable()), plot.Number(h.G))
	if r.g > 0 {
		return s + "."
	}
	asked := j.HotAbove(g)
	return fmt.Sprintf("%s (the %s; with G = %s it would be %d pages).", s, r, plot.Number(g), asked.Pages)
}
