package papers

import (
	"slices"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// graph6 shows the histogram of backlink counts.
func graph6(r *run, p *Place) error {
	whole, err := byBacklinks(r.Bench, p, nil)
	if err != nil {
		return err
	}
	domains := p.domains()
	if domains == nil {
		domains = []*domain{{Place: *p}}
	}
	return eachDomain(domains, func(d *domain) error {
		small, err := byBacklinks(r.Bench, &d.Place, nil)
		if err != nil {
			return err
		}
		name := d.World.Name
		chart := &plot.Chart{Title: name + ": histogram of backlinks", XLabel: "backlinks", YLabel: "pages", LogX: true, LogY: true, Points: true,
			Series: []plot.Series{histogram(name, small)}}
		t := &show.Table{Columns: []show.Column{{Name: "web"}, {Name: "pages"}, {Name: "none", Unit: "%"}, {Name: "1", Unit: "%", Key: "one"}, {Name: "fewer than 5", Unit: "%"}, {Name: "fewer than 10", Unit: "%"}, {Name: "100 or more", Unit: "%"}, {Name: "most"}}}
		addHistogram(t, name, small)
		if d.World != p.World {
			chart.Series = append(chart.Series, histogram(p.World.Name, whole))
			addHistogram(t, p.World.Name, whole)
		}
		below := fewerThan(small, 10)
		r.find(name, found(below > 0.5, "%.1f %% of %d pages", 100*below, d.World.Pages()))
		r.show(show.Section{Title: name, Chart: chart, Table: t})
		return nil
	})
}

// histogram returns the number of pages for each count of backlinks but 0, which has no
// place on a logarithmic axis.
func histogram(name string, t *measure.Truth) plot.Series {
	pages := make([]int, int(slices.Max(t.Value))+1)
	for _, v := range t.Value {
		pages[int(v)]++
	}
	s := plot.Series{Name: name}
	for n, k := range pages {
		if n > 0 && k > 0 {
			s.Add(float64(n), float64(k))
		}
	}
	return s
}

func addHistogram(t *show.Table, name string, counts *measure.Truth) {
	percent := func(share float64, decimals int) show.Cell { return show.Num(100*share, decimals) }
	none, ten := fewerThan(counts, 1), fewerThan(counts, 10)
	t.Add(name, len(counts.Value), percent(none, 1), percent(fewerThan(counts, 2)-none, 1), percent(fewerThan(counts, 5), 1), percent(ten, 1),
		percent(1-fewerThan(counts, 100), 2), int(slices.Max(counts.Value)))
}

// fewerThan returns the share of pages with fewer than n backlinks.
func fewerThan(t *measure.Truth, n float64) float64 {
	k := 0
	for _, v := range t.Value {
		if v < n {
			k++
		}
	}
	return measure.Share(k, len(t.Value))
}
