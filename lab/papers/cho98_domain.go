package papers

import (
	"cmp"
	"context"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/sim"
)

// The small domain of graphs 5 and 6, the pages of the authors' database group, had
// 1,100 pages. Here small is a web of up to a fifth of smallDomain pages, or the sites of
// a larger one: at most mostDomains, of at least smallest pages.
const (
	smallDomain = 10_000
	smallest    = 200
	mostDomains = 4
)

// A domain is a small web: a place, or one site of it as a closed world, in which links
// to and from outside do not count.
type domain struct {
	Place
	made []*graph.Lists // to be freed
}

// newDomain returns the world of some links. Its seeds are still to be chosen.
func newDomain(name string, links [][]graph.Page) *domain {
	out := graph.ListsOf(links)
	in := rank.Transpose(out)
	return &domain{Place: Place{World: &lab.World{Name: name, In: in, Sim: sim.World{Out: out}}}, made: []*graph.Lists{out, in}}
}

func (d *domain) free() {
	for _, l := range d.made {
		l.Free()
	}
}

// domains returns the place itself if it has no more than 2,000 pages or is one site,
// else its largest sites of up to 10,000 pages, or the smallest if all are larger; none
// where sites are unknown.
func (p *Place) domains() (all []*domain) {
	w := p.World
	if w.Pages() <= smallDomain/5 || w.Sim.SiteOf != nil && w.Sites() == 1 {
		return []*domain{{Place: *p}}
	}
	if !w.HasSites() {
		return nil
	}
	for _, s := range smallSites(w) {
		all = append(all, p.closed(s))
	}
	return all
}

// eachDomain calls fn with each domain and frees it afterwards.
func eachDomain(domains []*domain, fn func(*domain) error) (err error) {
	for _, d := range domains {
		if err == nil {
			err = fn(d)
		}
		d.free()
	}
	return err
}

// smallSites returns the sites to look at, the largest first.
func smallSites(w *lab.World) []graph.Site {
	sizes, by := make([]int, w.Sites()), make([]graph.Site, w.Sites())
	for _, s := range w.Sim.SiteOf {
		sizes[s]++
	}
	for s := range by {
		by[s] = graph.Site(s)
	}
	slices.SortStableFunc(by, func(a, b graph.Site) int { return cmp.Compare(sizes[b], sizes[a]) })
	var chosen []graph.Site
	for _, s := range by {
		if sizes[s] <= smallDomain && len(chosen) < mostDomains && (sizes[s] >= smallest || len(chosen) == 0) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		chosen = by[len(by)-1:]
	}
	return chosen
}

// closed returns one site as a world of its own, crawled from the page that reaches most
// among its starts.
func (p *Place) closed(s graph.Site) *domain {
	w := p.World
	var pages []graph.Page
	id := make([]graph.Page, w.Pages()) // the page in the domain, NoPage outside
	for q := range id {
		id[q] = graph.NoPage
		if w.Sim.SiteOf[q] == s {
			id[q] = graph.Page(len(pages))
			pages = append(pages, graph.Page(q))
		}
	}
	inside := func(list []graph.Page) (out []graph.Page) {
		for _, q := range list {
			if id[q] != graph.NoPage {
				out = append(out, id[q])
			}
		}
		return out
	}
	links := make([][]graph.Page, len(pages))
	for k, q := range pages {
		links[k] = inside(w.Sim.Out.List(q))
	}
	d := newDomain(w.Name+", "+w.SiteName(s), links)
	d.World.Sim.SelfLinks = w.Sim.SelfLinks
	if url := w.Sim.URL; url != nil {
		d.World.Sim.URL = func(b []byte, q graph.Page) []byte { return url(b, pages[q]) }
	}
	seed, _ := lab.Widest(context.Background(), d.World.Sim.Out, len(pages), d.starts(inside(p.Seeds))) // ends in time: no error
	d.Seeds, d.SeedsName = []graph.Page{seed}, "widest reach"
	return d
}

// starts returns the pages that a crawl of the domain may start from: of the given ones
// at most 16, then the 16 with most links.
func (d *domain) starts(given []graph.Page) []graph.Page {
	const most = 16
	out := d.World.Sim.Out
	by := make([]graph.Page, out.Pages())
	for p := range by {
		by[p] = graph.Page(p)
	}
	slices.SortStableFunc(by, func(a, b graph.Page) int { return cmp.Compare(out.Degree(b), out.Degree(a)) })
	return slices.Concat(given[:min(most, len(given))], by[:min(most, len(by))])
}
