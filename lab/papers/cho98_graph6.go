package papers

import (
	"fmt"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// choGraph6 is the histogram of backlink counts (X6).
func choGraph6(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "cho98-graph6", Header: b.paperHeader(nil, "backlinks counted once per linking page"),
		Intro: []string{"How many pages have how many backlinks, in small domains (those of graph 5) and in the whole. The paper: most pages of the small domain have fewer than 10, a range in which the count is the style of an author and not importance. Counts are over all pages, reachable or not."}}
	var all []finding
	err := b.eachDomain(func(p *Place, d *domain) error {
		if d == nil {
			d = &domain{Place: *p, title: p.World.Name}
		}
		f, s, err := b.graph6At(p, d)
		all, r.Sections = append(all, f), append(r.Sections, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Verdict = verdict("most pages have fewer than 10 backlinks", all)
	return r, nil
}

func (b *Bench) graph6At(p *Place, d *domain) (f finding, s show.Section, err error) {
	small, err := d.Backlinks(b)
	if err != nil {
		return f, s, err
	}
	whole, err := p.Backlinks(b)
	if err != nil {
		return f, s, err
	}
	chart := &plot.Chart{Title: d.title + ": histogram of backlinks", XLabel: "backlinks", YLabel: "pages", LogX: true, LogY: true, Points: true,
		Series: []plot.Series{histogram(d.title, small)}}
	t := &show.Table{Columns: []show.Column{{Name: "web"}, {Name: "pages"}, {Name: "none", Unit: "%"}, {Name: "1", Unit: "%", Key: "one"}, {Name: "fewer than 5", Unit: "%"}, {Name: "fewer than 10", Unit: "%"}, {Name: "100 or more", Unit: "%"}, {Name: "most"}}}
	t.Rows = append(t.Rows, histogramRow(d.title, small))
	if d.World != p.World {
		chart.Series = append(chart.Series, histogram(p.World.Name, whole))
		t.Rows = append(t.Rows, histogramRow(p.World.Name, whole))
	}
	below := fewerThan(small, 10)
	f = finding{place: d.title, holds: below > 0.5, numbers: fmt.Sprintf("%.1f %% of %d pages", 100*below, d.World.Pages())}
	return f, show.Section{Title: d.title, Chart: chart, Table: t}, nil
}

// histogram is the number of pages for each count of backlinks but 0, which has no
// place on a logarithmic axis.
func histogram(name string, t *measure.Truth) plot.Series {
	most := 0
	for _, v := range t.Value {
		most = max(most, int(v))
	}
	pages := make([]int, most+1)
	for _, v := range t.Value {
		pages[int(v)]++
	}
	s := plot.Series{Name: name}
	for n, k := range pages {
		if n > 0 && k > 0 {
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, float64(k))
		}
	}
	return s
}

func histogramRow(name string, t *measure.Truth) []show.Cell {
	most := 0.0
	for _, v := range t.Value {
		most = max(most, v)
	}
	return []show.Cell{show.Words(name), show.Count(len(t.Value)), show.Num(100*fewerThan(t, 1), 1), show.Num(100*(fewerThan(t, 2)-fewerThan(t, 1)), 1),
		show.Num(100*fewerThan(t, 5), 1), show.Num(100*fewerThan(t, 10), 1), show.Num(100*(1-fewerThan(t, 100)), 2), show.Count(int(most))}
}

// fewerThan is the share of pages with fewer than n backlinks.
func fewerThan(t *measure.Truth, n float64) float64 {
	k := 0
	for _, v := range t.Value {
		if v < n {
			k++
		}
	}
	return measure.Share(k, len(t.Value))
}
