package main

import (
	"context"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/sim"
)

// open opens the world: a graph file or a crawl directory.
func (s *simulation) open(ctx context.Context) (done func(), err error) {
	if isDir(s.path) {
		w, err := openCrawlWorld(ctx, s.path, false, s.shown.tell)
		if err != nil {
			return nil, err
		}
		w.remark(s.u, s.path)
		s.crawled, s.g = w, w.g
		return w.close, nil
	}
	if s.g, err = openGraph(s.u, s.path); err != nil {
		return nil, err
	}
	return func() { s.g.Close() }, nil
}

// setRecordedTime takes the times of a crawl, and what it was told about politeness
// where no flag says otherwise.
func (s *simulation) setRecordedTime(ctx context.Context) (err error) {
	rec := (*history.Crawl)(nil)
	if s.crawled != nil && s.time == s.path {
		rec = s.crawled.rec
	} else if rec, err = openRecording(ctx, s.time); err != nil {
		return err
	} else {
		defer rec.Close()
	}
	if s.setting.Times, err = recordedTimes(rec, s.g, s.random, rec.Path == s.path); err != nil {
		return err
	}
	conf, err := rec.Config()
	if err != nil {
		return explainCrawl(err)
	}
	return s.likeCrawl(conf)
}

// likeCrawl waits as a crawl did, but for what flags say.
func (s *simulation) likeCrawl(c *config.Config) error {
	o, err := state.FrontierOptions(c)
	if err != nil {
		return err
	}
	f := &s.setting.Frontier
	if !s.flags.Changed("delay") {
		f.Delay, f.SmallDelay, f.SmallSite = o.Delay, o.SmallDelay, o.SmallSite
		f.Factor, f.FactorMax = o.Factor, o.FactorMax
	}
	if !s.flags.Changed("per-connection") {
		f.PerConnection, s.perConnection = o.PerConnection, o.PerConnection
	}
	if !s.flags.Changed("fetchers") {
		s.setting.Fetchers, s.fetchers = c.Fetchers, c.Fetchers
	}
	f.Resolve, f.Robots = o.Resolve, o.Robots
	return nil
}

// recordedTimes are the times of a crawl for a world: sites are the same if their names
// are, and if the world is that very crawl, pages have the sizes that they had.
func recordedTimes(rec *history.Crawl, g *graph.Graph, seed uint64, same bool) (*sim.Times, error) {
	trail, err := rec.Trail()
	if err != nil {
		return nil, explainCrawl(err)
	}
	names, err := rec.SiteNames()
	if err != nil {
		return nil, explainCrawl(err)
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
		return nil, withHint(err, "let the crawl go on, or take another model: thesis2004, modern")
	}
	return times, nil
}

// sitesOf gives each site of a crawl its id in the world: the same by name, else one
// beyond those of the world.
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

// observer turns the timings of a crawl into observations.
type observer struct {
	site  []graph.Site // of the world, by site of the crawl
	speed []speed      // by site of the crawl
	g     *graph.Graph // nil: pages are not those of the crawl
	sizes []uint32
	all   []sim.Observation
}

// speed sums up the bodies of a site.
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

// addSpeeds adds one speed for each site: that of all its bodies together, since small
// ones come whole and say nothing.
func (o *observer) addSpeeds() {
	for s, v := range o.speed {
		if v.seconds > 0 {
			o.add(sim.BytesPerSecond, graph.Site(s), v.bytes/v.seconds)
		}
	}
}
