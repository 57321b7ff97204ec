package crawl

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// checkSeeds returns an error if a seed is not one of the crawl, before anything changes.
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

// seedsOf returns the seeds in the configuration of a session.
func seedsOf(text []byte) []string {
	c := config.Default()
	if len(text) == 0 || c.Read("the last session", text) != nil {
		return nil
	}
	return c.Seeds
}

// isSeed reports whether the crawl already has a URL as a seed. A page that it found by a
// link is not one.
func (o *owner) isSeed(url string, before []string) bool {
	if slices.Contains(before, url) {
		return true
	}
	p, known := o.s.Lookup(url)
	return known && int(p) < o.s.Frontier.Pages() && o.s.IsSeed(p)
}

// seed makes the seeds known that are not.
func (o *owner) seed() error {
	r := o.begin(event.Seed, o.base)
	for _, url := range o.o.Seeds {
		o.ceiling.look(o.s, false)
		_, known := o.s.Lookup(url)
		if !known && o.ceiling.needed > o.ceiling.most || !o.s.Seed(r, url) {
			return roomError(url, o.ceiling.most)
		}
	}
	if len(r.Event.New) > 0 || len(r.Event.Admit) > 0 {
		o.record()
		o.admitNearer(o.base)
	}
	return nil
}
