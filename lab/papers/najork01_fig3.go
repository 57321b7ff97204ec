package papers

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A cut is a crawl broken off, with the ranks of what it had then.
type cut struct {
	name    string
	fetched int          // pages crawled
	ranked  []graph.Page // those and the well-linked others, best first
	links   int64        // from the pages crawled to the pages ranked
	early   []bool       // by page: crawled before the cut
	inTop   []uint32     // by page: its place in ranked and 1, 0 if it has none
}

// najorkFig3 is the overlap of the top N between a part and the whole (X15, X17, P17).
func najorkFig3(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "najork01-fig3", Header: b.najorkHeader([]string{"breadth-first"}, "PageRank"),
		Intro: []string{"For each N, the share of the N pages of highest PageRank in the whole crawl that are among the N highest in the graph of its first 28 of 58 days. That graph has the pages crawled by then and those that five or more of them link to, as theirs did. The paper: an overlap of 80 % at N = 20, and between 60 and 80 % from there on; of the top million (0.28 % of the URLs) 96 % were crawled in the first 28 days and 76 % were in the top million then. 28 of our equal days are 48 % of the pages; their graph of 28 days had 62 % of the URLs of the whole, so that cut is listed too, and others. " + dayText}}
	all, err := b.eachCrawl58(r, b.fig3At)
	if err != nil {
		return nil, err
	}
	r.Verdict = verdict("after 28 of 58 days at least 60 % of the top N, from N = 20 on, are known to be the top N", all)
	return r, nil
}

// najorkBias is p of the rank-biased overlap (P17): the first 100 pages have 63 % of the
// weight.
const najorkBias = 0.99

func (b *Bench) fig3At(c *crawl58) (f finding, s show.Section, err error) {
	days28 := measure.Share(najorkCut, najorkDays)
	parts := []float64{days28, najorkPart, 0.1, 0.25, 0.8}
	names := []string{"28 of 58 days", "62 % of the pages", "10 %", "25 %", "80 %"}
	cuts := make([]*cut, len(parts))
	for i, of := range parts {
		b.say(i, len(parts), "%s: ranks of %s", c.place.World.Name, names[i])
		if cuts[i], err = b.cutAt(c, names[i], of); err != nil {
			return f, s, err
		}
	}
	chart := &plot.Chart{Title: c.place.World.Name + ": overlap of the top N", XLabel: "N", YLabel: "overlap, %", LogX: true}
	whole := c.Judge.Ranked()
	var over [][]measure.Point
	for _, k := range cuts[:2] {
		points := measure.Overlap(k.ranked, whole).On(measure.LogGrid(len(k.ranked), 10))
		s := plot.Series{Name: "after " + k.name}
		for _, x := range points {
			s.X, s.Y = append(s.X, float64(x.Pages)), append(s.Y, 100*x.Value)
		}
		chart.Series, over = append(chart.Series, s), append(over, points)
	}
	s = show.Section{Title: c.place.World.Name, Chart: chart, Table: cutTable(cuts, whole),
		Text: fmt.Sprintf("The whole has %d pages; the top 0.28 %% are %d of them. Rank-biased overlap, which weighs the first pages most (p = %v): %.3f after %s, %.3f after %s.",
			len(whole), measure.PagesAt(najorkTop, len(whole)), najorkBias, measure.RankBiasedOverlap(cuts[0].ranked, whole, najorkBias), cuts[0].name, measure.RankBiasedOverlap(cuts[1].ranked, whole, najorkBias), cuts[1].name)}
	return fig3Finding(c.place.World.Name, over, cuts[0], whole), s, nil
}

// cutAt breaks the crawl off after a share of its pages and ranks what it has.
func (b *Bench) cutAt(c *crawl58, name string, of float64) (*cut, error) {
	order := c.runs[0].Result.Order
	w := c.place.World
	k := &cut{name: name, fetched: measure.PagesAt(of, len(order)), early: make([]bool, w.Pages()), inTop: make([]uint32, w.Pages())}
	seen := make([]uint32, w.Pages())
	within := slices.Clone(order[:k.fetched])
	for _, p := range within {
		k.early[p] = true
	}
	for _, p := range order[:k.fetched] {
		for _, q := range w.Sim.Out.List(p) {
			if seen[q]++; seen[q] == najorkLinks && !k.early[q] {
				within = append(within, q)
			}
		}
	}
	inside := make([]bool, w.Pages())
	for _, p := range within {
		inside[p] = true
	}
	for _, p := range order[:k.fetched] {
		for _, q := range w.Sim.Out.List(p) {
			if inside[q] && q != p {
				k.links++
			}
		}
	}
	fetched := func(p graph.Page) bool { return k.early[p] }
	t, err := measure.PageRankTruth(&rank.Web{In: w.In, Out: w.Sim.Out, Fetched: fetched}, measure.TruthOptions{Follow: najorkFollow, SelfLinks: w.Sim.SelfLinks, Within: within, Threads: b.Threads,
		Progress: func(int, float64) error { return b.Context.Err() }})
	if err != nil {
		return nil, fmt.Errorf("%s after %s: %w", w.Name, name, err)
	}
	k.ranked = measure.Ranking(t.Value, within)
	for i, p := range k.ranked {
		k.inTop[p] = uint32(i + 1)
	}
	return k, nil
}

// shares is how many of the top n of the whole were crawled before the cut, and how
// many were in the top n then.
func (k *cut) shares(whole []graph.Page, n int) (crawled, top float64) {
	a, b := 0, 0
	for _, p := range whole[:n] {
		if k.early[p] {
			a++
		}
		if i := int(k.inTop[p]); i > 0 && i <= n {
			b++
		}
	}
	return measure.Share(a, n), measure.Share(b, n)
}

// cutTable lists the cuts, with the two percentages of the paper for the top 0.28 %,
// 1 % and 10 % (X17).
func cutTable(cuts []*cut, whole []graph.Page) *show.Table {
	t := &show.Table{Columns: []show.Column{{Name: "after"}, {Name: "pages crawled", Key: "pages"}, {Name: "URLs ranked", Key: "urls"}, {Name: "links"}}}
	tops := []float64{najorkTop, 0.01, 0.1}
	for _, of := range tops {
		name := "top " + plot.Number(100*of) + " %"
		t.Columns = append(t.Columns, show.Column{Name: name + " crawled", Unit: "%"}, show.Column{Name: name + " in the top then", Unit: "%"})
	}
	t.Rows = append(t.Rows, []show.Cell{show.Words("theirs: 28 days"), show.None(), show.Words("217 million"), show.Words("3.8 billion"), show.Num(96, 1), show.Num(76, 1), show.None(), show.None(), show.None(), show.None()})
	for _, k := range cuts {
		row := []show.Cell{show.Words(k.name), show.Count(k.fetched), show.Count(len(k.ranked)), show.Count(int(k.links))}
		for _, of := range tops {
			crawled, top := k.shares(whole, measure.PagesAt(of, len(whole)))
			row = append(row, show.Num(100*crawled, 1), show.Num(100*top, 1))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// fig3Finding asks whether the overlap after 28 days stays at 60 % and more from N =
// 20 on.
func fig3Finding(place string, over [][]measure.Point, k *cut, whole []graph.Page) finding {
	low, high := band(over[0])
	low62, high62 := band(over[1])
	crawled, top := k.shares(whole, measure.PagesAt(najorkTop, len(whole)))
	f := finding{place: place, holds: low >= 0.6}
	f.numbers = fmt.Sprintf("overlap %.0f to %.0f %% against 60 to 80, after 62 %% of the pages %.0f to %.0f %%; of the top 0.28 %% %.0f %% crawled by then and %.0f %% in the top, against 96 and 76",
		100*low, 100*high, 100*low62, 100*high62, 100*crawled, 100*top)
	return f
}

// band is the least and the greatest overlap from N = 20 on.
func band(over []measure.Point) (low, high float64) {
	low = 1
	for _, x := range over {
		if x.Pages >= 20 {
			low, high = min(low, x.Value), max(high, x.Value)
		}
	}
	return low, high
}
