package live

import (
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/sim"
)

// Times returns the times of a crawl for a world. Sites are the same if their names are. If
// the world is of this very crawl, pages have the sizes that they had.
func Times(rec *history.Crawl, g *graph.Graph, seed uint64, same bool) (*sim.Times, error) {
	trail, err := rec.Trail()
	if err != nil {
		return nil, err
	}
	names, err := rec.SiteNames()
	if err != nil {
		return nil, err
	}
	o := &observer{site: sitesOf(names, g), speed: make([]speed, len(names))}
	if same {
		o.g, o.sizes = g, make([]uint32, g.Pages())
	}
	for i := range trail.Timings {
		o.see(&trail.Timings[i])
	}
	o.addSpeeds()
	var siteOf []graph.Site
	if g.HasSites() {
		siteOf = g.SiteColumn()
	}
	times, err := sim.Recorded(rec.Path, seed, o.all, siteOf, o.sizes)
	if err != nil {
		return nil, &hint.Error{Err: err, Hint: "resume the crawl, or use another model: thesis2004, modern"}
	}
	return times, nil
}

// sitesOf returns the id in the world of each site of a crawl. Sites that the world does
// not have get ids beyond those that it has.
func sitesOf(names []string, g *graph.Graph) []graph.Site {
	known := map[string]graph.Site{}
	if g.HasSites() {
		for s := range graph.Site(g.Sites()) {
			known[g.SiteName(s)] = s
		}
	}
	ids, next := make([]graph.Site, len(names)), graph.Site(g.Sites())
	for i, name := range names {
		id, ok := known[name]
		if !ok {
			id = next
			next++
		}
		ids[i] = id
	}
	return ids
}

// An observer turns the timings of a crawl into observations.
type observer struct {
	site  []graph.Site // of the world, by site of the crawl
	speed []speed      // by site of the crawl
	g     *graph.Graph // nil: pages are not those of the crawl
	sizes []uint32
	all   []sim.Observation
}

// speed is the sum over the bodies of a site.
type speed struct{ bytes, seconds float64 }

func (o *observer) add(kind sim.Measured, s graph.Site, v float64) {
	o.all = append(o.all, sim.Observation{Kind: kind, Site: o.site[s], Value: v})
}

func (o *observer) see(t *history.Timing) {
	if t.Kind == event.Resolve {
		o.add(sim.LookupSeconds, t.Site, t.Took.Seconds())
		return
	}
	if t.Connect > 0 {
		o.add(sim.ConnectSeconds, t.Site, t.Connect.Seconds())
	}
	o.add(sim.FirstByteSeconds, t.Site, t.FirstByte.Seconds())
	o.speed[t.Site].bytes += float64(t.Bytes)
	o.speed[t.Site].seconds += t.Body.Seconds()
	switch t.Kind {
	case event.Robots:
		o.add(sim.RobotsBytes, t.Site, float64(t.Bytes))
	case event.Fetch:
		o.add(sim.PageBytes, t.Site, float64(t.Bytes))
		if o.g == nil {
			return
		}
		if p, ok := o.g.ByID(uint32(t.Page)); ok {
			o.sizes[p] = uint32(min(t.Bytes, 1<<32-1))
		}
	}
}

// addSpeeds adds one speed for each site, that of all its bodies together: a small body
// arrives at once and has no speed of its own.
func (o *observer) addSpeeds() {
	for s, v := range o.speed {
		if v.seconds > 0 {
			o.add(sim.BytesPerSecond, graph.Site(s), v.bytes/v.seconds)
		}
	}
}
