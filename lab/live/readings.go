package live

import (
	"slices"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/topic"
)

// About returns what the crawl is about, nil if it has no topic.
func (w *World) About() (*topic.Topic, error) {
	conf, err := w.Crawl.Config()
	if err != nil {
		return nil, err
	}
	return conf.About()
}

// Read lets virtual crawls of a world know what its pages have to do with the topic of the crawl,
// as the crawl recorded it. It does nothing if the crawl has no topic.
func (w *World) Read(world *lab.World) error {
	about, err := w.About()
	if err != nil || about == nil {
		return err
	}
	x := &readings{World: w, out: world.Sim.Out, selfLinks: world.Sim.SelfLinks, pages: make(map[graph.Page]event.Reading)}
	if err := w.Crawl.Each(x.add); err != nil {
		return err
	}
	all := &lab.Readings{Topic: about}
	for p := range graph.Page(world.Pages()) {
		one := x.pages[p]
		all.Add(&one)
	}
	world.SetReadings(all)
	return nil
}

// readings collects those of the pages of a world.
type readings struct {
	*World
	out       *graph.Lists
	selfLinks bool
	pages     map[graph.Page]event.Reading
}

// add adds the reading of a page that was fetched. Hits are by place in the links of the page in
// the world.
func (x *readings) add(r *journal.Record) error {
	e := &r.Event
	if !e.Kind.Reads() && e.Kind != event.Judged || e.Read.Words == 0 || e.Class != event.OK {
		return nil
	}
	p, ok := x.page(e.Page)
	if _, known := x.pages[p]; !ok || known {
		return nil
	}
	var one event.Reading
	one.Set(&e.Read)
	one.Hits = one.Hits[:0]
	list := x.links(p)
	for _, h := range e.Read.Hits {
		q, ok := x.page(e.Links[h.Link])
		if at, found := slices.BinarySearch(list, q); ok && found {
			h.Link = uint32(at)
			one.Hits = append(one.Hits, h)
		}
	}
	slices.SortFunc(one.Hits, func(a, b event.Hit) int { return int(a.Link) - int(b.Link) })
	x.pages[p] = one
	return nil
}

// links returns the links of a page that crawls find.
func (x *readings) links(p graph.Page) []graph.Page {
	list := x.out.List(p)
	if at, found := slices.BinarySearch(list, p); found && !x.selfLinks {
		list = slices.Delete(slices.Clone(list), at, at+1)
	}
	return list
}
