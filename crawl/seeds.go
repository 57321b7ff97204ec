package crawl

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// checkSeeds refuses seeds that are not of the crawl, while nothing has been changed.
func checkSeeds(o *RunOptions, s *state.State) error {
	if o.AddSeeds || len(s.LastConfig) == 0 {
		return nil
	}
	was := lastConfig(s)
	for _, url := range o.Seeds {
		if (was == nil || !slices.Contains(was.Seeds, url)) && !isSeed(s, url) {
			return &hint.Error{
				Text: fmt.Sprintf("%s is a crawl with other seeds: %s is not one of them", o.Dir, url),
				Hint: "give --add-seeds to add it, another --dir for a new crawl, or no seeds to resume",
			}
		}
	}
	return nil
}

// lastConfig returns the configuration of the session before, nil if it is not known.
func lastConfig(s *state.State) *config.Config {
	c := config.Default()
	if len(s.LastConfig) == 0 || c.Read("the last session", s.LastConfig) != nil {
		return nil
	}
	return &c
}

// isSeed reports whether the crawl began at a URL already: a page that it met on its way
// may be the seed of another crawl.
func isSeed(s *state.State, url string) bool {
	p, known := s.Lookup(url)
	return known && int(p) < s.Frontier.Pages() && s.IsSeed(p)
}

// seed makes the seeds known that are not.
func (a *admission) seed(c *ceiling) error {
	r := a.begin(event.Seed, a.base)
	for _, url := range a.options.Seeds {
		c.look(a.state, false)
		_, known := a.state.Lookup(url)
		if !known && c.needed > c.most || !a.state.Seed(r, url) {
			return &hint.Error{Text: "there is no room for " + url, Hint: fmt.Sprintf("give the crawl more memory: --max-memory %dM", 2*c.most>>20)}
		}
	}
	if len(r.Event.New) > 0 || len(r.Event.Admit) > 0 {
		a.record()
		a.admitNearer(a.base)
	}
	return nil
}
