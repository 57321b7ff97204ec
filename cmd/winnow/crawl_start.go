package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
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
	if c.u.asJSON {
		scope := c.config.Scope
		if c.config.List {
			scope = "list"
		}
		return c.u.json(crawlStart{"start", c.dir, c.resume, len(c.seeds), c.config.Policy, scope, c.config.Delay.String(), stops(&c.config), score})
	}
	if c.resume {
		c.u.notef("resuming %s, policy %s", c.dir, c.config.Policy)
	} else {
		c.u.notef("crawling from %s, policy %s", show.Counted(int64(len(c.seeds)), "seed"), c.config.Policy)
	}
	c.u.notef("scope: %s · delay %s · stops: %s · writes %s", scopeLine(&c.config, slices.Concat(c.config.Seeds, c.seeds)), c.config.Delay, stops(&c.config), c.dir)
	if score != "" {
		c.u.notef("score: %s", score)
	}
	if again := againLine(&c.config); again != "" {
		c.u.notef("%s", again)
	}
	return nil
}

// againLine describes when pages are visited again; "" if they are not.
func againLine(c *config.Config) string {
	if c.Recrawl.Duration == 0 {
		return ""
	}
	if !c.Planned() {
		return fmt.Sprintf("pages again: each after %s", c.Recrawl)
	}
	text := fmt.Sprintf("pages again: every %s on the average, by %s", c.Recrawl, c.Revisit)
	if b, err := c.Shares(); err == nil && b.Compete {
		text += "; while there are new pages only where that gains more"
	} else if c.Balance != "" {
		text += "; balance " + c.Balance
	}
	return text
}

// scopeLine describes which pages are fetched.
func scopeLine(c *config.Config, seeds []string) string {
	if c.List {
		return "exactly the URLs given (--list)"
	}
	what := sitesLine(c, seeds)
	switch {
	case c.SitemapOnly:
		what += ", pages of sitemaps only"
	case c.MaxDepth == 0:
		return "the seeds only (--max-depth 0)"
	}
	if len(c.Include)+len(c.Exclude) > 0 || c.Rules != "" {
		what += ", within the rules given"
	}
	return what
}

// sitesLine describes the kind of the scope.
func sitesLine(c *config.Config, seeds []string) string {
	expr, byRegexp := strings.CutPrefix(c.Scope, config.ScopeRegexp)
	switch {
	case byRegexp:
		return "URLs that match " + expr
	case c.Scope == config.ScopeDomain:
		return someNames(seeds, func(site []byte) string { return page.Domain(page.Host(site)) }) + " and all hosts below (--scope domain)"
	case c.Scope == config.ScopeSeeds:
		return someNames(seeds, seedName) + " only (--scope any for the whole Web)"
	}
	return "the whole Web (--scope seeds for the sites of the seeds only)"
}

// someNames returns the names of the seeds, the first three of many.
func someNames(seeds []string, name func(site []byte) string) string {
	const most = 3
	var names []string
	known := map[string]bool{}
	for _, seed := range seeds {
		site, _ := page.Site([]byte(seed))
		if n := name(site); !known[n] {
			known[n] = true
			names = append(names, show.Line(n))
		}
	}
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %s more", strings.Join(names[:most], ", "), show.Grouped(int64(more)))
	}
	return strings.Join(names, ", ")
}

// seedName returns host and port of a site without "www.": the scope has both.
func seedName(site []byte) string {
	_, name, _ := bytes.Cut(site, []byte("://"))
	return strings.TrimPrefix(string(name), "www.")
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
