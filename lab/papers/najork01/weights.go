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

// A division is a way to divide the rank of a page among its remote and its local links.
type division struct {
	name  string
	value float64
	split rank.Split
}

// shares and factors return the two sweeps of section 6: the share of all remote links of a page,
// and how many local links a remote one weighs.
func shares() (all []division) {
	for i := range 11 {
		s := float64(i) / 10
		all = append(all, division{fmt.Sprintf("share %.1f", s), s, rank.Share(s)})
	}
	return all
}

func factors() (all []division) {
	for _, f := range []float64{1, 2, 4, 10, 30, 100} {
		all = append(all, division{"factor " + plot.Number(f), f, rank.Factor(f)})
	}
	return all
}

// A swept is what a sweep is compared with: other ranks of the same pages.
type swept struct {
	name  string
	value []float64
}

// weights shows both divisions against remote-only ranks, the number of linking sites and, if there
// is one, the importance of the user: human judgements would be such.
func weights(r *experiment.Run, p *experiment.Place) error {
	web := p.World.Web()
	opt := rank.Options{Follow: najorkFollow, SelfLinks: p.World.Sim.SelfLinks, Threads: r.Threads, Progress: func(int, float64) error { return r.Context.Err() }}
	against, err := sweptAgainst(r, p, web, opt)
	if err != nil {
		return err
	}
	var lines [2][]plot.Series
	t := &show.Table{Columns: []show.Column{{Name: "division"}}}
	for _, a := range against {
		t.Columns = append(t.Columns, show.Column{Name: "tau with " + a.name, Key: a.name})
	}
	var taus [2][][]float64 // by sweep, then division and what it is compared with
	for sweep, all := range [][]division{shares(), factors()} {
		lines[sweep] = make([]plot.Series, len(against))
		for i, d := range all {
			r.Say(i, len(all), "%s: %s", p.World.Name, d.name)
			res, err := rank.WeightedPageRank(web, opt, d.split)
			if err != nil {
				return err
			}
			row, taus1 := []any{d.name}, []float64{}
			for k, a := range against {
				tau, err := measure.TauB(res.Score, a.value)
				if err != nil {
					return err
				}
				lines[sweep][k].Name = a.name
				lines[sweep][k].Add(d.value, tau)
				row, taus1 = append(row, show.Num(tau, 4)), append(taus1, tau)
			}
			taus[sweep] = append(taus[sweep], taus1)
			t.Add(row...)
		}
	}
	r.Show(
		show.Section{Title: p.World.Name, Chart: &plot.Chart{Title: p.World.Name + ": by the share of remote links", XLabel: "share of the remote links of a page", YLabel: "Kendall's tau", Series: lines[0]}, Table: t},
		show.Section{Title: p.World.Name + ", by factor", Chart: &plot.Chart{Title: p.World.Name + ": by the weight of a remote link", XLabel: "local links that a remote link weighs", YLabel: "Kendall's tau", LogX: true, Series: lines[1]}},
		endorsed(p, against[0].value))
	plain, four, eight := taus[1][0], taus[1][2], taus[0][8]
	r.Find(p.World.Name,
		experiment.Found(four[0] > plain[0] && eight[0] > plain[0], "tau with remote-only ranks %.4f by factor 4 and %.4f by a share of 0.8, plain %.4f", four[0], eight[0], plain[0]),
		experiment.Found(four[1] > plain[1] && eight[1] > plain[1], "tau with the number of linking sites %.4f by factor 4 and %.4f by a share of 0.8, plain %.4f", four[1], eight[1], plain[1]))
	return nil
}

// sweptAgainst returns what sweeps are compared with, remote-only ranks first.
func sweptAgainst(r *experiment.Run, p *experiment.Place, web *rank.Web, opt rank.Options) ([]swept, error) {
	remote, err := rank.RemotePageRank(web, opt)
	if err != nil {
		return nil, err
	}
	sites, err := rank.BacklinkSites(web, opt)
	if err != nil {
		return nil, err
	}
	all := []swept{{"remote-only PageRank", remote.Score}, {"linking sites", sites.Score}}
	if r.Importance != nil {
		t, err := experiment.ByPageRank(r.Bench, p, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, swept{r.ImportanceName, t.Value})
	}
	return all, nil
}

// flawTop is the number of pages whose ranks are looked at.
const flawTop = 100

// endorsed shows the flaw that section 4 finds in remote-only ranks: a page that only its own site
// links to has the least rank of all, whatever leads there, as the pages of a large directory. Of
// the best pages by all links these are lost.
func endorsed(p *experiment.Place, remote []float64) show.Section {
	w := p.World
	own := make([]bool, w.Pages()) // it has links, and none from another site
	count, linked := 0, 0
	for q := range graph.Page(w.Pages()) {
		list := w.In.List(q)
		others := slices.DeleteFunc(slices.Clone(list), func(from graph.Page) bool { return from == q })
		if len(others) == 0 {
			continue
		}
		linked++
		own[q] = !slices.ContainsFunc(others, func(from graph.Page) bool { return w.Sim.SiteOf[from] != w.Sim.SiteOf[q] })
		if own[q] {
			count++
		}
	}
	least := slices.Min(remote)
	floor := 0
	for _, v := range remote {
		if v <= least*(1+1e-9) {
			floor++
		}
	}
	t := &show.Table{Columns: []show.Column{{Name: "of the pages"}, {Name: "pages"}, {Name: "share", Unit: "%"}}}
	t.Add("have links", linked, show.Num(100*measure.Share(linked, w.Pages()), 1))
	t.Add("have links from their own site only", count, show.Num(100*measure.Share(count, w.Pages()), 1))
	t.Add("have the least remote-only rank of all", floor, show.Num(100*measure.Share(floor, w.Pages()), 1))
	lost := lostTop(p, own)
	t.Add(fmt.Sprintf("are among the best %d by backlinks, and have links from their own site only", flawTop), lost, show.Num(100*measure.Share(lost, min(flawTop, w.Pages())), 1))
	return show.Section{Title: p.World.Name + ": what remote-only ranks cannot see", Table: t,
		Text: "Of a page that only its own site links to, remote-only ranks know nothing; the paper's example is a large directory, whose pages are linked to from inside."}
}

// lostTop returns how many of the pages with most backlinks only their own sites link to.
func lostTop(p *experiment.Place, own []bool) (lost int) {
	w := p.World
	pages := make([]graph.Page, w.Pages())
	links := make([]float64, w.Pages())
	for q := range pages {
		pages[q], links[q] = graph.Page(q), float64(w.In.Degree(graph.Page(q)))
	}
	for _, q := range measure.Ranking(links, pages)[:min(flawTop, len(pages))] {
		if own[q] {
			lost++
		}
	}
	return lost
}
