package terminal

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/show"
)

// An emptyCrawl explains why a crawl has no page.
type emptyCrawl struct {
	dir    string
	config *config.Config
}

// ResumeIn returns the command that resumes the crawl in a directory.
func ResumeIn(dir string) string { return Command("winnow", "crawl", "--dir", dir) }

// NoPage returns the error of a crawl in dir that has no page: the reason, and what to do.
func NoPage(ctx context.Context, dir string, conf *config.Config, sum *history.Status) error {
	c := &emptyCrawl{dir, conf}
	if len(sum.Unreachable) > 0 {
		d := &sum.Unreachable[0]
		return c.unreachable(d.Site, d.Why, d.Cause)
	}
	pages, maps, err := firstPages(ctx, c.dir)
	if err != nil {
		return fmt.Errorf("no page was fetched: %w", err)
	}
	if err := c.noSitemap(pages, maps); err != nil {
		return err
	}
	for _, x := range pages {
		if err := c.explainPage(&x, pages); err != nil {
			return err
		}
	}
	return noPage(fmt.Sprintf("failed: %s; skipped: %s", show.ByNumber(sum.FailedBy), show.ByNumber(sum.RefusedBy)),
		"winnow pages %s lists the reasons", Command(c.dir))
}

// noPage returns the error of a crawl without a page.
func noPage(why, advice string, args ...any) error {
	return &hint.Error{Text: "no page was fetched: " + why, Hint: fmt.Sprintf(advice, args...)}
}

// firstPages returns the first pages of a crawl, its seeds among them, and its sitemap files.
func firstPages(ctx context.Context, dir string) (list []history.PageInfo, maps []history.SitemapInfo, err error) {
	v, err := recut.Open(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	defer v.Close()
	err = v.Pages(&history.PageFilter{Limit: 100}, func(x *history.PageInfo) error {
		list = append(list, *x)
		return nil
	})
	if err == nil {
		maps, err = v.Sitemaps()
	}
	return list, maps, err
}

// noSitemap returns the error of a crawl of sitemaps that lists no page, nil for others.
func (c *emptyCrawl) noSitemap(pages []history.PageInfo, maps []history.SitemapInfo) error {
	if !c.config.SitemapOnly || len(pages) == 0 || slices.ContainsFunc(pages, func(x history.PageInfo) bool {
		return x.Why != event.BarScope.String() && x.Why != event.BarType.String()
	}) {
		return nil
	}
	why := "robots.txt forbids all of them"
	if n := len(maps); n > 0 {
		x := &maps[n-1]
		switch why = show.Line(x.URL) + " lists no page of the site"; {
		case x.Class.Failed() && x.Status != 0:
			why = fmt.Sprintf("%s answers with status %d", show.Line(x.URL), x.Status)
		case x.Class == event.NotHTML:
			why = show.Line(x.URL) + " is not a sitemap"
		case x.Class != event.OK:
			why = show.Line(x.URL + ": " + cmp.Or(x.Note, x.Class.String()))
		}
	}
	return noPage(fmt.Sprintf("no sitemap lists one: %s", why),
		"give the URL of a sitemap as the seed, or follow links instead: %s --sitemap-only=false", ResumeIn(c.dir))
}

// explainPage returns the error of a crawl without a page if this page shows why, else nil.
func (c *emptyCrawl) explainPage(x *history.PageInfo, all []history.PageInfo) error {
	dir, url := Command(c.dir), show.Line(x.URL)
	switch {
	case x.State == "failed" && (x.Class == event.DNSError.String() || x.Class == "" && x.Note != ""):
		return c.unreachable(url, x.Note, x.Cause)
	case x.State == "failed" && x.Status != 0:
		return noPage(fmt.Sprintf("%s answers with status %d", url, x.Status), "check the URL; winnow pages %s --state failed lists all", dir)
	case x.State == "failed":
		return noPage(fmt.Sprintf("%s failed: %s", url, show.Line(cmp.Or(x.Note, x.Why, x.Class))), "winnow pages %s --state failed lists all", dir)
	case x.Why == event.BarRobots.String():
		return noPage(fmt.Sprintf("robots.txt forbids %s", url), "the rule: %s", Command(c.askRobots(x.URL)...))
	case x.Why == event.BarDenied.String():
		return noPage(fmt.Sprintf("the deny list forbids %s", url), "edit %s, or: %s --deny ''", c.config.Deny, ResumeIn(c.dir))
	case x.Class == event.Redirect.String():
		return c.movedAway(url, all)
	}
	return nil
}

// askRobots returns the command that shows the rule about a URL.
func (c *emptyCrawl) askRobots(url string) []string {
	args := []string{"winnow", "robots", url}
	if c.config.AllowPrivate {
		args = append(args, "--allow-private")
	}
	return args
}

// movedAway explains a crawl whose seed redirects to a page that is not fetched.
func (c *emptyCrawl) movedAway(seed string, all []history.PageInfo) error {
	for _, x := range all {
		if x.State != history.PageSkipped {
			continue
		}
		to := show.Line(x.URL)
		switch {
		case x.Why == event.BarScope.String() && !c.config.List:
			return noPage(fmt.Sprintf("%s redirects to %s, which is outside the scope (%s)", seed, to, c.config.Scope),
				"to crawl that site: %s %s", ResumeIn(c.dir), Command("--add-seeds", x.URL))
		case x.Why == event.BarScope.String(), x.Why == event.BarDepth.String():
			return noPage(fmt.Sprintf("%s redirects to %s, and redirects are not followed", seed, to), "list the URL it redirects to")
		}
		return noPage(fmt.Sprintf("%s redirects to %s, which is skipped (%s)", seed, to, x.Why), "winnow pages --help explains the reason")
	}
	return nil
}

// unreachable explains why a site cannot be reached, by the note about its last attempt and
// the name of its cause.
func (c *emptyCrawl) unreachable(site, why, cause string) error {
	site, why = show.Line(site), show.Line(why)
	err := fmt.Sprintf("%s cannot be reached (%s)", site, why)
	switch cause {
	case event.CausePrivate.String():
		return noPage(err, "if it is your own, try: %s --allow-private", ResumeIn(c.dir))
	case event.CausePublic.String():
		return noPage(err, "tell its owner how to reach you: %s --contact you@example.org", ResumeIn(c.dir))
	case event.CauseNoName.String():
		return noPage(err, "there is no such host; check the spelling")
	case event.CauseNoLookup.String(), event.CauseOffline.String():
		return noPage(err, "this machine seems to be offline; check the network, then: %s", ResumeIn(c.dir))
	case event.CauseRefused.String():
		return noPage(err, "no server listens there; check the port, start the server, then: %s", ResumeIn(c.dir))
	}
	return noPage(err, "check the network and the name, then: %s", ResumeIn(c.dir))
}
