package config

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/internal/show"
)

// DescribeAgain describes, in a line for users, when pages are visited again; "" if they are not.
func (c *Config) DescribeAgain() string {
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

// DescribeScope describes which pages are fetched, in a line for users.
func (c *Config) DescribeScope(seeds []string) string {
	if c.List {
		return "exactly the URLs given (--list)"
	}
	what := c.describeSites(seeds)
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

// describeSites describes the kind of the scope.
func (c *Config) describeSites(seeds []string) string {
	expr, byRegexp := strings.CutPrefix(c.Scope, ScopeRegexp)
	switch {
	case byRegexp:
		return "URLs that match " + expr
	case c.Scope == ScopeDomain:
		return someNames(seeds, func(site []byte) string { return page.Domain(page.Host(site)) }) + " and all hosts below (--scope domain)"
	case c.Scope == ScopeSeeds:
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

// DescribeTopic describes what the crawl is about, in a line for users; "" if about nothing in
// particular.
func (c *Config) DescribeTopic() string {
	var parts []string
	if t, err := c.About(); err == nil && t != nil && c.Query == "" {
		words := t.Terms()
		parts = append(parts, strings.Join(words[:min(len(words), 8)], " "))
	}
	for line := range strings.Lines(c.Query) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, show.Line(line))
		}
	}
	if n := len(c.Examples); n > 0 {
		parts = append(parts, show.Counted(int64(n), "example"))
	}
	for _, name := range []string{c.QueryFile, c.Like} {
		if name != "" {
			parts = append(parts, show.Line(name))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s · %s", strings.Join(parts, "; "), c.Similarity)
}
