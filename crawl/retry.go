package crawl

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/trouble"
)

// A Chance selects the pages and sites that get another chance.
type Chance struct {
	Site  string // scheme, host and port, or a host; "": all
	Class string // a class of failures, or a reason for which pages are skipped; "": all failures
}

// check returns an error if there is no such class.
func (c *Chance) check() error {
	if c == nil || c.Class == "" {
		return nil
	}
	if _, _, ok := c.means(); !ok {
		return &hint.Error{Text: fmt.Sprintf("there is no class of failures and no reason for which pages are skipped %q", c.Class),
			Hint: "winnow pages DIR --state failed, or --state skipped, lists them in its second column"}
	}
	return nil
}

// means returns the class or the bar of a chance.
func (c *Chance) means() (event.Class, event.Bar, bool) { return event.FailureOrBar(c.Class) }

// chance reports whether a page gets the chance.
func (a *admission) chance(p graph.Page) bool {
	c, f := a.options.Chance, a.state.Frontier
	if c.Site != "" {
		if name := a.state.Table.Name(f.Site(p)); string(name) != c.Site && string(page.Host(name)) != c.Site {
			return false
		}
	}
	class, bar, named := c.means()
	switch f.State(p) {
	case frontier.Failed:
		return !named || class == f.FailedBy(p)
	case frontier.RefusedPage:
		return named && bar == f.Bar(p) && bar != event.BarForeign
	}
	return false
}

// retrySession retries what failed in sessions before: everything whose failure may have
// passed, all seeds, and pages that were too large for a smaller --max-body.
func (a *admission) retrySession() {
	seeds := map[graph.Page]bool{}
	for _, url := range a.config.Seeds {
		if p, ok := a.state.Lookup(url); ok {
			seeds[p] = true
		}
	}
	larger := func(graph.Page) bool { return false }
	if a.was != nil {
		was := config.NewOverrides(a.was)
		larger = func(p graph.Page) bool {
			site := a.state.Table.Name(a.state.Frontier.Site(p))
			return was.MaxBody(site) < a.overrides.MaxBody(site)
		}
	}
	a.retry(func(p graph.Page) bool {
		f := a.state.Frontier
		switch f.State(p) {
		case frontier.Failed:
			class := f.FailedBy(p)
			return seeds[p] || trouble.Passes(class) || class == event.TooLarge && larger(p)
		case frontier.RefusedPage: // before trouble was weather a site without robots.txt was closed
			return f.Bar(p) == event.BarRobots && f.Closed(f.Site(p))
		}
		return false
	})
}

// retry records another chance for the pages that want accepts, and returns their number.
func (a *admission) retry(want func(graph.Page) bool) (n int) {
	r := a.begin(event.Retried, a.base)
	for i := range a.state.Frontier.Pages() {
		if p := graph.Page(i); want(p) {
			r.Event.Admit = append(r.Event.Admit, p)
		}
	}
	if n = len(r.Event.Admit); n > 0 {
		a.record()
	}
	return n
}
