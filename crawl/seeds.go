package crawl

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// checkSeeds refuses seeds that are not of the crawl, while nothing has been changed.
func (o *owner) checkSeeds() error {
	if o.o.AddSeeds || len(o.s.LastConfig) == 0 {
		return nil
	}
	before := seedsOf(o.s.LastConfig)
	for _, url := range o.o.Seeds {
		if !o.isSeed(url, before) {
			return &hint.Error{
				Text: fmt.Sprintf("%s is a crawl with other seeds: %s is not one of them", o.o.Dir, url),
				Hint: "give --add-seeds to add it, another --dir for a new crawl, or no seeds to go on",
			}
		}
	}
	return nil
}

// seedsOf are the seeds of a session by its configuration.
func seedsOf(text []byte) []string {
	c := config.Default()
	if len(text) == 0 || c.Read("the last session", text) != nil {
		return nil
	}
	return c.Seeds
}

// isSeed reports whether the crawl began at a URL already: a page that it met on its way
// may be the seed of another crawl.
func (o *owner) isSeed(url string, before []string) bool {
	if slices.Contains(before, url) {
		return true
	}
	site, rest := page.Site([]byte(url))
	p, known := o.s.Table.LookupPage(o.s.Key.Page(o.s.Key.Site(site), rest))
	return known && int(p) < o.s.Frontier.Pages() && o.s.IsSeed(p)
}

// seed makes the seeds known that are not.
func (o *owner) seed() error {
	r := o.begin(event.Seed, o.base)
	for _, url := range o.o.Seeds {
		site, rest := page.Site([]byte(url))
		hash := o.s.Key.Page(o.s.Key.Site(site), rest)
		if p, ok := o.s.Table.LookupPage(hash); ok {
			o.seedKnown(r, p)
			continue
		}
		o.ceiling.look(o.s, false)
		full := o.s.Full() || o.ceiling.needed > o.ceiling.most
		id, newSite := o.s.Site(o.s.Key.Site(site), site)
		if full || id == graph.NoSite {
			return roomError(url, o.ceiling.most)
		}
		p, _ := o.s.Table.Page(hash)
		if !newSite {
			site = nil
		}
		o.s.Add(r, p, id, site, rest, event.NoBar)
	}
	if len(r.Event.New) > 0 || len(r.Event.Admit) > 0 {
		o.record()
		o.admitNearer(o.base)
	}
	return nil
}

// seedKnown makes a seed of a page that is known, unless it is one already and not
// refused.
func (o *owner) seedKnown(r *journal.Record, p graph.Page) {
	if int(p) >= o.s.Frontier.Pages() {
		return // it is there twice
	}
	refused := o.s.Frontier.State(p) == frontier.RefusedPage
	if refused {
		o.s.Admit(o.s.Frontier.Site(p))
	}
	if refused || !o.s.IsSeed(p) {
		r.Event.Admit = append(r.Event.Admit, p)
	}
}
