package rank

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// Backlinks returns the number of pages that link to each page. Counts are not
// scaled; Normalise does that.
func Backlinks(w *Web, o Options) (*Result, error) {
	return counted("backlinks", w, o, func(v *world, score []float64) {
		degreesInto(score, v, v.In, v.Out)
	})
}

// Outlinks returns the number of pages that each page links to.
func Outlinks(w *Web, o Options) (*Result, error) {
	return counted("outlinks", w, o, func(v *world, score []float64) {
		degreesInto(score, v, v.Out, v.In)
	})
}

// BacklinkSites returns the number of sites from which some page links to each page, its
// own site among them if it does: harder to inflate than the number of pages.
func BacklinkSites(w *Web, o Options) (*Result, error) {
	return counted("backlink sites", w, o, func(v *world, score []float64) {
		in := v.in()
		at := bounds(in)
		graph.Parallel(v.threads, parts, func(part int) {
			var sites []graph.Site
			for p := at[part]; p < at[part+1]; p++ {
				sites = sitesOf(sites[:0], v, in.List(graph.Page(p)))
				score[p] = float64(len(sites))
			}
		})
	})
}

// sitesOf adds the distinct sites of some pages to an empty list. Neighbours in a
// list are mostly of one site, which leaves little to sort.
func sitesOf(sites []graph.Site, v *world, pages []graph.Page) []graph.Site {
	for _, q := range pages {
		s := graph.Site(q)
		if v.Sites != nil {
			s = v.Sites[q]
		}
		if len(sites) == 0 || sites[len(sites)-1] != s {
			sites = append(sites, s)
		}
	}
	slices.Sort(sites)
	return slices.Compact(sites)
}

// degreesInto sets score to the lengths of own, or, where there are no such lists,
// to how often each page occurs in the others.
func degreesInto(score []float64, v *world, own, others *graph.Lists) {
	if own == nil {
		for _, q := range others.To.Slice() {
			score[q]++
		}
		return
	}
	for p := range score {
		score[p] = float64(own.Degree(graph.Page(p)))
	}
}

// counted returns the result of a metric that is exact without any sweep.
func counted(name string, w *Web, o Options, count func(v *world, score []float64)) (*Result, error) {
	v, _, err := prepared(name, w, o)
	if err != nil {
		return nil, err
	}
	defer v.free()
	r := &Result{Score: make([]float64, w.Pages()), Pages: v.pages}
	count(v, r.Score)
	return r, nil
}

// prepared returns the world of w, without self-links unless the options keep them.
func prepared(name string, w *Web, o Options) (*world, Options, error) {
	o, err := o.filled(w.Pages())
	if err != nil {
		return nil, o, fmt.Errorf("%s: %w", name, err)
	}
	v, err := w.view(&o)
	if err != nil {
		return nil, o, fmt.Errorf("%s: %w", name, err)
	}
	if !o.SelfLinks {
		v.withoutSelf()
	}
	return v, o, nil
}
