package najork01

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A cut is a crawl broken off, with the ranks of what it had then.
type cut struct {
	name    string
	fetched int          // pages crawled
	ranked  []graph.Page // those and the well-linked others, best first
	links   int          // from the pages crawled to the pages ranked
	early   []bool       // by page: crawled before the cut
	inTop   []uint32     // by page: its place in ranked and 1, 0 if it has none
}

// najorkBias is p of the rank-biased overlap: the first 100 pages have 63 % of the weight.
const najorkBias = 0.99

// fig3 shows the overlap of the top N between a part and the whole.
func fig3(r *experiment.Run, c *crawl58) (err error) {
	parts := []float64{measure.Share(najorkCut, najorkDays), najorkPart, 0.1, 0.25, 0.8}
	names := []string{"28 of 58 days", "62 % of the pages", "10 %", "25 %", "80 %"}
	place, whole, cuts := c.Place.World.Name, c.Judge.Ranked(), make([]*cut, len(parts))
	for i, of := range parts {
		r.Say(i, len(parts), "%s: ranks of %s", place, names[i])
		if cuts[i], err = cutAt(r.Bench, c, names[i], of); err != nil {
			return fmt.Errorf("after %s: %w", names[i], err)
		}
	}
	chart := &plot.Chart{Title: place + ": overlap of the top N", XLabel: "N", YLabel: "overlap, %", LogX: true}
	var over [][]measure.Point
	for _, k := range cuts[:2] {
		line := plot.Series{Name: "after " + k.name}
		points := measure.Overlap(k.ranked, whole).On(measure.LogGrid(len(k.ranked), 10))
		for _, x := range points {
			line.Add(float64(x.Pages), 100*x.Value)
		}
		chart.Series, over = append(chart.Series, line), append(over, points)
	}
	bias := func(k *cut) float64 { return measure.RankBiasedOverlap(k.ranked, whole, najorkBias) }
	r.Show(show.Section{Title: place, Chart: chart, Table: cutTable(cuts, whole),
		Text: fmt.Sprintf("The whole has %d pages; the top 0.28 %% are %d of them. Rank-biased overlap, which weighs the first pages most (p = %v): %.3f after %s, %.3f after %s.",
			len(whole), measure.PagesAt(najorkTop, len(whole)), najorkBias, bias(cuts[0]), cuts[0].name, bias(cuts[1]), cuts[1].name)})
	r.Find(place, fig3Finding(over, cuts[0], whole))
	if c.Place.History == nil || c.Times == nil {
		return nil
	}
	return snapshots(r, c.Place)
}

// snapshots shows the overlap of the top N between an older snapshot of a place and the present
// one, both by PageRank with follow 0.9 of the whole graph.
func snapshots(r *experiment.Run, p *experiment.Place) error {
	truth, err := experiment.ByPageRank(r.Bench, p, nil)
	if err != nil {
		return err
	}
	now, before := rankedNow(truth), rankedBefore(p)
	line := plot.Series{Name: "older snapshot"}
	t := &show.Table{Columns: []show.Column{{Name: "N"}, {Name: "overlap", Unit: "%"}}}
	for _, x := range measure.Overlap(before, now).On(measure.LogGrid(min(len(before), len(now)), 10)) {
		line.Add(float64(x.Pages), 100*x.Value)
		t.Add(x.Pages, show.Num(100*x.Value, 1))
	}
	chart := &plot.Chart{Title: p.World.Name + ": overlap of the top N with the older snapshot", XLabel: "N", YLabel: "overlap, %", LogX: true, Series: []plot.Series{line}}
	r.Show(show.Section{Title: p.World.Name + ": two snapshots", Chart: chart, Table: t,
		Text: fmt.Sprintf("The older snapshot has %s, of which %d are gone. Rank-biased overlap (p = %v): %.3f. Both are ranked by PageRank of the whole graph, follow 0.9.",
			show.Counted(len(before), "page"), p.History.Gone, najorkBias, measure.RankBiasedOverlap(before, now, najorkBias))})
	return nil
}

// rankedNow returns all pages, best first.
func rankedNow(t *measure.Truth) []graph.Page {
	all := make([]graph.Page, len(t.Value))
	for p := range all {
		all[p] = graph.Page(p)
	}
	return measure.Ranking(t.Value, all)
}

// rankedBefore returns the pages of the older snapshot, best first. Those that are gone have
// numbers after the pages of the present one.
func rankedBefore(p *experiment.Place) []graph.Page {
	h, n := p.History, p.World.Pages()
	value := make([]float64, n, n+h.Gone)
	var pages []graph.Page
	for q := range graph.Page(n) {
		if v, ok := h.Prior.Value(q); ok {
			value[q], pages = v, append(pages, q)
		}
	}
	for _, v := range h.Prior.All[h.Old:] {
		value, pages = append(value, v), append(pages, graph.Page(len(value)))
	}
	return measure.Ranking(value, pages)
}

// cutAt breaks the crawl off after a share of its pages and ranks what it has.
func cutAt(b *experiment.Bench, c *crawl58, name string, of float64) (*cut, error) {
	w, order := c.Place.World, c.Runs[0].Result.Order
	k := &cut{name: name, fetched: measure.PagesAt(of, len(order)), early: make([]bool, w.Pages()), inTop: make([]uint32, w.Pages())}
	within := slices.Clone(order[:k.fetched])
	for _, p := range within {
		k.early[p] = true
	}
	seen := make([]int, w.Pages()) // links from pages crawled
	for _, p := range order[:k.fetched] {
		for _, q := range w.Sim.Out.List(p) {
			if q == p {
				continue
			}
			if seen[q]++; seen[q] == najorkLinks && !k.early[q] {
				within = append(within, q)
			}
		}
	}
	for _, p := range within {
		k.links += seen[p]
	}
	o := b.TruthOptions(c.Place)
	o.Follow, o.Within = najorkFollow, within
	t, err := measure.PageRankTruth(&rank.Web{In: w.In, Out: w.Sim.Out, Fetched: func(p graph.Page) bool { return k.early[p] }}, o)
	if err != nil {
		return nil, err
	}
	k.ranked = measure.Ranking(t.Value, within)
	for i, p := range k.ranked {
		k.inTop[p] = uint32(i + 1)
	}
	return k, nil
}

// shares returns how many of the top n of the whole were crawled before the cut, and how
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
// 1 % and 10 %.
func cutTable(cuts []*cut, whole []graph.Page) *show.Table {
	t := &show.Table{Columns: []show.Column{{Name: "after"}, {Name: "pages crawled", Key: "pages"}, {Name: "URLs ranked", Key: "urls"}, {Name: "links"}}}
	tops := []float64{najorkTop, 0.01, 0.1}
	for _, of := range tops {
		name := "top " + plot.Number(100*of) + " %"
		t.Columns = append(t.Columns, show.Column{Name: name + " crawled", Unit: "%"}, show.Column{Name: name + " in the top then", Unit: "%"})
	}
	none := show.None()
	t.Add("theirs: 28 days", none, "217 million", "3.8 billion", show.Num(96, 1), show.Num(76, 1), none, none, none, none)
	for _, k := range cuts {
		row := []any{k.name, k.fetched, len(k.ranked), k.links}
		for _, of := range tops {
			crawled, top := k.shares(whole, measure.PagesAt(of, len(whole)))
			row = append(row, show.Num(100*crawled, 1), show.Num(100*top, 1))
		}
		t.Add(row...)
	}
	return t
}

// fig3Finding states whether the overlap after 28 days stays at 60 % and more from N =
// 20 on.
func fig3Finding(over [][]measure.Point, k *cut, whole []graph.Page) experiment.Finding {
	low, high := extremes(over[0])
	low62, high62 := extremes(over[1])
	crawled, top := k.shares(whole, measure.PagesAt(najorkTop, len(whole)))
	return experiment.Found(low >= 0.6, "overlap %.0f to %.0f %% against 60 to 80, after 62 %% of the pages %.0f to %.0f %%; of the top 0.28 %% %.0f %% crawled by then and %.0f %% in the top, against 96 and 76",
		100*low, 100*high, 100*low62, 100*high62, 100*crawled, 100*top)
}

// extremes returns the least and the greatest overlap from N = 20 on.
func extremes(over []measure.Point) (low, high float64) {
	low = 1
	for _, x := range over {
		if x.Pages >= 20 {
			low, high = min(low, x.Value), max(high, x.Value)
		}
	}
	return low, high
}

// Of the top 300 of the paper 24 were fetched after the first week, which is 8 %. lateListed is
// how many late pages are listed, fewLate the share up to which they count as few.
const (
	lateTop    = 300
	lateWeek   = 7
	lateListed = 24
	fewLate    = 0.16
)

// A topPage is one of the top pages of a crawl.
type topPage struct {
	page          graph.Page
	rank, day     int
	score         float64
	local, remote int // pages of its site, and of others, that link to it
}

// topPages returns the best pages, when they were fetched, and which reachable pages link
// to them.
func (c *crawl58) topPages(n int) []topPage {
	w := c.World
	day := make([]int, w.Pages())
	for k, p := range c.Runs[0].Result.Order {
		day[p] = c.days[k]
	}
	scale := c.Truth.Scale()
	var top []topPage
	for i, p := range c.Judge.Ranked()[:n] {
		t := topPage{page: p, rank: i + 1, day: day[p], score: c.Truth.Value[p] * scale}
		for _, q := range w.In.List(p) {
			switch {
			case q == p || day[q] == 0:
			case w.HasSites() && w.Sim.SiteOf[q] != w.Sim.SiteOf[p]:
				t.remote++
			default:
				t.local++
			}
		}
		top = append(top, t)
	}
	return top
}

// late lists top pages that were fetched late, with the links to them.
func late(r *experiment.Run, c *crawl58) error {
	w, n := c.World, min(lateTop, max(20, len(c.days)/100), len(c.days))
	var late, soon []topPage
	chart := &plot.Chart{Title: w.Name + ": day of the top pages", XLabel: "rank", YLabel: "day", LogX: true, Points: true,
		Series: []plot.Series{{Name: "after the first week"}, {Name: "in the first week"}}}
	for _, t := range c.topPages(n) {
		if t.day > lateWeek {
			late = append(late, t)
			chart.Series[0].Add(float64(t.rank), float64(t.day))
		} else {
			soon = append(soon, t)
			chart.Series[1].Add(float64(t.rank), float64(t.day))
		}
	}
	t := &show.Table{Columns: []show.Column{{Name: "page"}, {Name: "rank"}, {Name: "PageRank", Key: "score"}, {Name: "day"}, {Name: "links from its site", Key: "local"}, {Name: "from others", Key: "remote"}}}
	for _, x := range late[:min(lateListed, len(late))] {
		remote := show.Count(x.remote)
		if !w.HasSites() {
			remote = show.None()
		}
		t.Add(w.PageName(x.page), x.rank, show.Num(x.score, 1), x.day, x.local, remote)
	}
	of := measure.Share(len(late), n)
	about := fmt.Sprintf("%d of the top %d (%.1f %%) were fetched after the first week; theirs 24 of 300 (8 %%).", len(late), n, 100*of)
	if w.HasSites() {
		about += fmt.Sprintf(" Of the links to late top pages %.1f %% come from their own site, to the others %.1f %%.", 100*localShare(late), 100*localShare(soon))
	} else {
		about += " Sites are unknown or there is one: all links are listed as from its site."
	}
	r.Show(show.Section{Title: w.Name, Chart: chart, Table: t, Text: about})
	r.Find(w.Name, experiment.Found(of <= fewLate, "%d of %d, %.0f %%", len(late), n, 100*of), localFinding(w.HasSites(), late, soon))
	return nil
}

// localShare returns the mean, over pages, of the share of the links to a page that come
// from its own site; pages without links do not count.
func localShare(pages []topPage) float64 {
	var shares []float64
	for _, t := range pages {
		if t.local+t.remote > 0 {
			shares = append(shares, measure.Share(t.local, t.local+t.remote))
		}
	}
	return measure.Sum(shares) / float64(max(1, len(shares)))
}

// localFinding states whether late top pages have more of their links from their site.
func localFinding(sites bool, late, soon []topPage) experiment.Finding {
	switch {
	case !sites:
		return experiment.Finding{Lacks: noSites}
	case len(late) == 0 || len(soon) == 0:
		return experiment.Finding{Lacks: fmt.Sprintf("%d of its top pages are late, %d are not", len(late), len(soon))}
	}
	a, b := localShare(late), localShare(soon)
	return experiment.Found(a > b, "%.1f %% against %.1f %%", 100*a, 100*b)
}
