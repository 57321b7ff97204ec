package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// A World is the graph of a crawl directory, in a temporary file: all known pages, as winnow
// graph import --crawl writes them. Pages that were not fetched have no links.
type World struct {
	Crawl *history.Crawl
	Trail *history.Trail
	Graph *graph.Graph

	temp string // directory of the file
}

// WorldOptions configure how a World is made.
type WorldOptions struct {
	// FrontierPages lets pages that were not fetched count as fetched pages without links.
	FrontierPages bool
	Program       string // for the card of the graph

	check func(*history.Crawl) error // nil, or called before anything is read

	// Progress is as in graph.WriteOptions.
	Progress func(stage string, done, total int64) error
}

// OpenWorld reads the graph of a crawl. Several partitions are one graph.
func OpenWorld(ctx context.Context, path string, o WorldOptions) (*World, error) {
	c, err := recut.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	w := &World{Crawl: c}
	if o.check != nil {
		err = o.check(c)
	}
	if err == nil {
		err = w.read(ctx, o)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *World) read(ctx context.Context, o WorldOptions) (err error) {
	if w.Trail, err = w.Crawl.Trail(); err != nil {
		return err
	}
	if path := w.Crawl.Path; len(w.Trail.Visits) == 0 {
		return &hint.Error{Err: fmt.Errorf("%w: no page of %s has been fetched", lab.ErrNothing, path), Hint: "resume the crawl: winnow crawl --dir " + path}
	}
	feed, err := w.Crawl.Feed()
	if err != nil {
		return err
	}
	return w.write(ctx, feed, o)
}

// write writes the graph, and opens it.
func (w *World) write(ctx context.Context, feed *graph.Feed, o WorldOptions) (err error) {
	if w.temp, err = os.MkdirTemp("", "winnow-crawl-"); err != nil {
		return err
	}
	file := filepath.Join(w.temp, "crawl.wg")
	imports := graph.ImportOptions{
		Feed: feed, Program: o.Program,
		WriteOptions: graph.WriteOptions{Path: file, Progress: o.Progress},
	}
	if _, err = graph.Import(ctx, imports); err != nil {
		return err
	}
	if w.Graph, err = graph.Open(file); err == nil && o.FrontierPages {
		w.Graph.CountFrontier()
	}
	return err
}

// Close closes the crawl and removes the file.
func (w *World) Close() {
	w.Crawl.Close()
	if w.Graph != nil {
		w.Graph.Close()
	}
	os.RemoveAll(w.temp)
}

// page returns the page of the world for a page of the crawl, if there is one.
func (w *World) page(p graph.Page) (graph.Page, bool) { return w.Graph.ByID(uint32(p)) }

// Seeds returns the seeds of the crawl, and every fetched page that no
// link from them leads to, such as one from a sitemap. The first of them, given, are the
// seeds of the crawl. It also returns a name for them all.
func (w *World) Seeds(out *graph.Lists) (seeds []graph.Page, given int, name string) {
	for _, p := range w.Trail.Seeds {
		if q, ok := w.page(p); ok {
			seeds = append(seeds, q)
		}
	}
	given = len(seeds)
	reached := measure.Reach(out, seeds)
	for _, v := range w.Trail.Visits {
		if q, ok := w.page(v.Page); ok && reached.Grow(q) {
			seeds = append(seeds, q)
		}
	}
	if name = "those of the crawl"; len(seeds) > given {
		name = fmt.Sprintf("those of the crawl (%d) and what no link leads to (%d)", given, len(seeds)-given)
	}
	return seeds, given, name
}

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
	if t.Rested {
		kept := 0.0
		if t.Reused {
			kept = 1
		}
		o.add(sim.KeptShare, t.Site, kept)
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
