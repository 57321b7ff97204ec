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

// A Chance selects failed or refused pages that get another chance.
type Chance struct {
	Site  string // scheme, host and port, or a host; "": all
	Class string // a class of failures or a reason of refusals; "": all failures
}

// check returns an error if there is no such class.
func (c *Chance) check() error {
	if c == nil || c.Class == "" {
		return nil
	}
	if _, _, ok := c.means(); !ok {
		return &hint.Error{Text: fmt.Sprintf("there is no class of failures and no reason of refusals %q", c.Class),
			Hint: "winnow pages DIR --state failed, or --state refused, lists them in its second column"}
	}
	return nil
}

// means returns the class or the bar that a chance is for.
func (c *Chance) means() (class event.Class, bar event.Bar, ok bool) {
	for k := event.TooLarge; k <= event.LastClass; k++ {
		if k.String() == c.Class {
			return k, 0, true
		}
	}
	for b := event.BarRobots; int(b) < event.Bars(); b++ {
		if b.String() == c.Class {
			return 0, b, true
		}
	}
	return 0, 0, false
}

// chance reports whether a page gets the chance of the options.
func (o *owner) chance(p graph.Page) bool {
	c, f := o.o.Chance, o.s.Frontier
	if c.Site != "" {
		if name := o.s.Table.Name(f.Site(p)); string(name) != c.Site && string(page.Host(name)) != c.Site {
			return false
		}
	}
	class, bar, named := c.means()
	switch f.State(p) {
	case frontier.Failed:
		return !named || class == f.FailedBy(p)
	case frontier.RefusedPage:
		return named && bar == f.Bar(p)
	}
	return false
}

// retrySession gives another chance to pages that failed in sessions before for a reason that
// may have passed, to all seeds that failed, and to pages that were too large for a smaller
// --max-body.
func (o *owner) retrySession() {
	seeds := map[graph.Page]bool{}
	for _, url := range o.c.Seeds {
		if p, ok := o.s.Lookup(url); ok {
			seeds[p] = true
		}
	}
	was := config.Default()
	larger := was.Read("the last session", o.before) == nil && was.MaxBody < o.c.MaxBody
	o.retry(func(p graph.Page) bool {
		f := o.s.Frontier
		switch f.State(p) {
		case frontier.Failed:
			class := f.FailedBy(p)
			return seeds[p] || trouble.Passes(class) || larger && class == event.TooLarge
		case frontier.RefusedPage: // older versions closed a site whose robots.txt was unavailable
			return f.Bar(p) == event.BarRobots && f.Closed(f.Site(p))
		}
		return false
	})
}

// retry gives another chance to the pages that want selects, and returns their number.
func (o *owner) retry(want func(graph.Page) bool) int {
	r := o.begin(event.Retried, o.base)
	for i := range o.s.Frontier.Pages() {
		if p := graph.Page(i); want(p) {
			r.Event.Admit = append(r.Event.Admit, p)
		}
	}
	return o.recordAdmitted(r)
}
