package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/internal/show"
)

// crawlStart is the first object of --json.
type crawlStart struct {
	Event  string `json:"event"`
	Dir    string `json:"dir"`
	Resume bool   `json:"resume"`
	Seeds  int    `json:"seeds"`
	Policy string `json:"policy"`
	Scope  string `json:"scope"` // the key of the configuration, or list
	Delay  string `json:"delay"`
	Stops  string `json:"stops"`
	Score  string `json:"score,omitempty"` // the expression, or the file that has it
}

// printStart prints whether a crawl starts or resumes, what it will fetch, how fast, until
// when, and where it writes.
func (c *crawling) printStart() error {
	score := cmp.Or(c.config.ScoreFile, c.config.Score)
	if c.u.AsJSON {
		scope := c.config.Scope
		if c.config.List {
			scope = "list"
		}
		return c.u.JSON(crawlStart{"start", c.dir, c.resume, len(c.seeds), c.config.Policy, scope, c.config.Delay.String(), stops(&c.config), score})
	}
	if c.otherSeeds() { // the crawl may refuse them
		return nil
	}
	if c.resume {
		c.u.Notef("resuming %s, policy %s", c.dir, c.config.Policy)
	} else {
		c.u.Notef("crawling from %s, policy %s", show.Counted(int64(len(c.seeds)), "seed"), c.config.Policy)
	}
	c.u.Notef("scope: %s", c.config.DescribeScope(slices.Concat(c.config.Seeds, c.seeds)))
	c.u.Notef("delay %s · stops: %s · writes %s", c.config.Delay, stops(&c.config), c.dir)
	if score != "" {
		c.u.Notef("score: %s", score)
	}
	if about := c.config.DescribeTopic(); about != "" {
		c.u.Notef("topic: %s", about)
	}
	if again := c.config.DescribeAgain(); again != "" {
		c.u.Notef("%s", again)
	}
	return nil
}

// otherSeeds reports whether a crawl is resumed with seeds that its configuration does not have.
func (c *crawling) otherSeeds() bool {
	return c.resume && !c.opt.addSeeds && slices.ContainsFunc(c.seeds, func(url string) bool { return !contains(c.config.Seeds, url) })
}

// stops describes the limits at which the run ends.
func stops(c *config.Config) string {
	var limits []string
	if c.Pages > 0 {
		limits = append(limits, "after "+show.Counted(c.Pages, "page"))
	}
	if c.Duration.Duration > 0 {
		limits = append(limits, "after "+c.Duration.String())
	}
	if c.Bytes > 0 {
		limits = append(limits, "after "+c.Bytes.String())
	}
	if c.StopWhen != "" && c.StopWhen != config.StopOff {
		limits = append(limits, "when "+c.StopWhen)
	}
	switch {
	case len(limits) > 0:
	case c.Recrawl.Duration > 0:
		return "with Ctrl-C, since pages are visited again"
	default:
		return "when all is fetched"
	}
	return strings.Join(limits, " or ")
}
