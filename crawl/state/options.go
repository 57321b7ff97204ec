package state

import (
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/frontier"
)

// FrontierOptions returns the options of a frontier under a configuration, for a simulation
// that waits as the crawl did. There nothing is held for commits, no page is too deep, and scores
// weigh no visits.
func FrontierOptions(c *config.Config) (frontier.Options, error) {
	set, err := NewSetup(c, layout.Identity{}, 0)
	if err != nil {
		return frontier.Options{}, err
	}
	set.Frontier.Hold, set.Frontier.Depths, set.Frontier.Scores = false, false, false
	set.Frontier.Partitions = 0
	return set.Frontier, nil
}
