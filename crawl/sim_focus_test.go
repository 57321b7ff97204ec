package crawl

import (
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/focus"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/subject"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/sim"
)

// Sim = real for crawls about a topic: the policies that use it make the same choices at the same
// instants, by what the pages have to do with it and the words of links. The simulator knows of
// pages what the crawl has read in them, and which are near duplicates. Half of the crawls
// have a limit of pages, so that sites are left idle for better ones.
func TestFocusSimEqualsReal(t *testing.T) {
	t.Parallel()
	for k, s := range simSettings() {
		if testing.Short() && k > 0 {
			break
		}
		set := s.set
		if k%2 == 0 {
			s.max = 120 // so that pages are worth waiting for
		}
		s.topics = fakeweb.Topics{Number: subject.Most, Share: 0.1, Preference: 0.5}
		s.set = func(c *config.Config) {
			set(c)
			c.Query = subject.Name(0)
			made, err := focus.Make(t.Context(), c, "")
			if err != nil {
				t.Fatal(err)
			}
			c.Topic = made.Text()
		}
		t.Run(s.name, func(t *testing.T) {
			for i, name := range []string{"topical", "two-queue", "best-first", "foresight", "shark-search", "two-queue/near=0", "topical/explore=0", "topical/explore=0.3"} {
				if testing.Short() && i > 1 || !tortured() && i > 1 && (i+k)%4 != 0 {
					continue
				}
				synctest.Test(t, func(t *testing.T) { s.compare(t, name, uint64(i+1)) })
			}
		})
	}
}

// read lets the simulator know what the crawl has read in pages and at their links.
func (w *testWeb) read(t *testing.T, world *sim.World) {
	t.Helper()
	var sites, urls []string
	read, anchors, near, hits := map[graph.Page]event.Reading{}, map[graph.Page][]event.Anchor{}, map[graph.Page]bool{}, 0
	dir, _ := w.disk.open(layout.JournalDir)
	_, err := journal.Read(dir, 0, func(r *journal.Record) error {
		for i, s := range r.Event.New {
			if n := r.Facts.Names.Site(i); n != nil {
				sites = append(sites, string(n))
			}
			urls = append(urls, sites[s]+string(r.Facts.Names.Rest(i)))
		}
		e := &r.Event
		if e.Kind != event.Done {
			return nil
		}
		p, _ := w.server.Page(urls[e.Page])
		var one event.Reading
		one.Set(&e.Read)
		read[p], anchors[p] = one, append([]event.Anchor{}, e.Anchors...)
		near[p] = r.Facts.Near != 0 || r.Facts.Doubt
		hits += len(one.Hits)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if hits == 0 {
		t.Error("no link says anything about the topic")
	}
	world.Read = func(p graph.Page, to *event.Reading) { one := read[p]; to.Set(&one) }
	world.Near = func(p graph.Page) bool { return near[p] }
	world.Anchors = func(to []event.Anchor, p graph.Page) []event.Anchor { return append(to, anchors[p]...) }
}
