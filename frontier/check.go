package frontier

import (
	"fmt"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Check reports whether an event can be applied to the present state. Events of a crawl
// can, in their order. Where records are lost, those that depend on them cannot: to apply
// them would panic or give a wrong state. Check looks at every id of the event once. What
// Apply skips itself, such as admitted pages that are not refused, is no error.
func (f *Frontier) Check(e *event.Event) error {
	if err := (&checker{f, e}).check(); err != nil {
		return fmt.Errorf("%v: %w", e.Kind, err)
	}
	return nil
}

// A checker looks for the reason why an event cannot be applied.
type checker struct {
	f *Frontier
	e *event.Event
}

func (c *checker) check() error {
	e := c.e
	if e.Near && !e.Kind.Reads() {
		return fmt.Errorf("it is a near duplicate or in a trap, but no page was fetched")
	}
	switch e.Kind {
	case event.Seed:
		return c.new()
	case event.Admitted, event.Revisit, event.Retried, event.Dropped, event.Moved:
		if len(e.New) > 0 {
			return fmt.Errorf("it has %d new pages", len(e.New))
		}
		return c.known(e.Admit)
	case event.Took:
		return c.took()
	case event.Probed:
		return c.site(e.Site)
	case event.Refused:
		return c.waits()
	case event.Polled, event.Session, event.Denied, event.Scored, event.Wanted, event.Granted:
		return nil
	case event.Withdrawn:
		return c.withdrawn()
	case event.Named:
		return c.named()
	case event.Resolved, event.Listed:
		if int(e.Address) > c.f.o.MaxAddresses {
			return fmt.Errorf("address %d is one too many", e.Address)
		}
		return c.end(e.Site)
	case event.Ruled:
		return c.ruled()
	case event.Done:
		return c.done()
	case event.Needed:
		return c.needed()
	case event.Brought:
		return c.brought()
	case event.Unneeded:
		return c.unneeded()
	case event.Judged:
		if err := c.page(Fetched, Fetched); err != nil {
			return err
		}
		return c.known(e.Links)
	case event.Rendered:
		return c.rendered()
	case event.Asked:
		return c.asked()
	case event.Sent:
		return c.exchangeOf()
	case event.Linked:
		return c.linked()
	}
	return fmt.Errorf("there is no event of kind %d", uint8(e.Kind))
}

// new checks the pages that the event makes known.
func (c *checker) new() error {
	f, e := c.f, c.e
	switch {
	case len(e.New) > f.o.MaxPages-f.Pages():
		return fmt.Errorf("%d new pages after %d are more than %d", len(e.New), f.Pages(), f.o.MaxPages)
	case len(e.Bars) > 0 && len(e.Bars) != len(e.New):
		return fmt.Errorf("%d bars for %d new pages", len(e.Bars), len(e.New))
	}
	if err := c.sites(e.New); err != nil {
		return err
	}
	if err := c.parts(); err != nil {
		return err
	}
	return c.known(e.Admit)
}

// sites checks the sites of new pages, or requisites, and their bars.
func (c *checker) sites(list []graph.Site) error {
	sites := c.f.Sites()
	for _, s := range list {
		if int(s) == sites && sites < c.f.o.MaxSites {
			sites++
		} else if int(s) >= sites {
			return fmt.Errorf("a new page is of site %d, but %d are known", s, sites)
		}
	}
	for _, b := range c.e.Bars {
		if b > event.MaxBar {
			return fmt.Errorf("there is no bar %d", uint8(b))
		}
	}
	return nil
}

func (c *checker) needed() error {
	if e := c.e; len(e.Bars) > 0 && len(e.Bars) != len(e.Needs) {
		return fmt.Errorf("%d bars for %d requisites", len(e.Bars), len(e.Needs))
	}
	return c.sites(c.e.Needs)
}

func (c *checker) brought() error {
	if err := c.end(c.e.Site); err != nil {
		return err
	}
	if c.f.sites.requisites.at(c.e.Site) == 0 && !c.f.Closed(c.e.Site) {
		return fmt.Errorf("site %d has no requisites", c.e.Site)
	}
	return nil
}

func (c *checker) unneeded() error {
	e := c.e
	if err := c.site(e.Site); err != nil {
		return err
	}
	if n := c.f.sites.requisites.at(e.Site); int(e.Files) > n {
		return fmt.Errorf("site %d has %d requisites to be fetched, not %d", e.Site, n, e.Files)
	}
	return nil
}

// known checks that all pages of a list are known after the event.
func (c *checker) known(list []graph.Page) error {
	end := graph.Page(c.f.Pages() + len(c.e.New))
	for _, p := range list {
		if p >= end {
			return fmt.Errorf("page %d is not known", p)
		}
	}
	return nil
}

func (c *checker) site(s graph.Site) error {
	if int(s) >= c.f.Sites() {
		return fmt.Errorf("site %d is not known", s)
	}
	return nil
}

// page checks that the page of the event is known and in one of two states.
func (c *checker) page(one, two State) error {
	p := c.e.Page
	if int(p) >= c.f.Pages() {
		return fmt.Errorf("page %d is not known", p)
	}
	if s := c.f.State(p); s != one && s != two {
		return fmt.Errorf("page %d is %v", p, s)
	}
	return nil
}

// waits checks that the page may be handed out or refused. It may be due by then.
func (c *checker) waits() error {
	if err := c.page(Known, Fetched); err != nil {
		return err
	}
	if s := c.f.Site(c.e.Page); c.f.Closed(s) {
		return fmt.Errorf("site %d is closed", s)
	}
	return nil
}

func (c *checker) took() error {
	f, e := c.f, c.e
	if err := c.site(e.Site); err != nil {
		return err
	}
	at := f.sites.place.At(int(e.Site))
	switch {
	case e.Task.Kind > event.Requisite:
		return fmt.Errorf("there is no task of kind %d", uint8(e.Task.Kind))
	case at == acquired || at == kept && e.Task.Kind != event.Fetch:
		return fmt.Errorf("site %d is acquired", e.Site)
	case f.Closed(e.Site):
		return fmt.Errorf("site %d is closed", e.Site)
	case e.Task.Kind == event.Robots:
		return c.hop()
	case e.Task.Kind == event.Requisite && f.sites.requisites.at(e.Site) == 0:
		return fmt.Errorf("site %d has no requisites", e.Site)
	case e.Task.Kind != event.Fetch:
		return nil
	}
	if err := c.waits(); err != nil {
		return err
	}
	if s := f.Site(e.Page); s != e.Site {
		return fmt.Errorf("page %d is of site %d, not %d", e.Page, s, e.Site)
	}
	return nil
}

// hop checks that the robots.txt of For is to be fetched at Site.
func (c *checker) hop() error {
	e := c.e
	if e.For == e.Site {
		return nil
	}
	if t, ok := c.f.sites.hops.target[e.For]; !ok || t != e.Site {
		return fmt.Errorf("the robots.txt of site %d did not move to site %d", e.For, e.Site)
	}
	return nil
}

func (c *checker) withdrawn() error {
	e, sites := c.e, c.f.sites
	if err := c.site(e.Site); err != nil {
		return err
	}
	switch _, moves := sites.hops.target[e.Site]; {
	case int(e.Files) > sites.files(e.Site):
		return fmt.Errorf("site %d has %d sitemap files to be fetched, not %d", e.Site, sites.files(e.Site), e.Files)
	case e.Hop && !moves:
		return fmt.Errorf("the robots.txt of site %d did not move", e.Site)
	}
	return nil
}

// named checks that the site of the files is known after the event.
func (c *checker) named() error {
	e := c.e
	if int(e.Site) == c.f.Sites() && len(e.New) > 0 && e.New[0] == e.Site {
		return c.new()
	}
	if err := c.site(e.Site); err != nil {
		return err
	}
	return c.new()
}

// end checks what the ends of all tasks have, and that s is acquired.
func (c *checker) end(s graph.Site) error {
	e := c.e
	if err := c.site(s); err != nil {
		return err
	}
	switch {
	case c.f.sites.place.At(int(s)) != acquired:
		return fmt.Errorf("site %d is not acquired", s)
	case e.Class > event.LastClass:
		return fmt.Errorf("there is no class %d", uint8(e.Class))
	case e.Delay < 0 || e.Retry < 0 || e.Due < 0 || e.Expiry < 0:
		return fmt.Errorf("a delay is negative (Crawl-delay %v, Retry-After %v, due %v, expiry %v)", e.Delay, e.Retry, e.Due, e.Expiry)
	case e.End < e.Start:
		return fmt.Errorf("it ends at %v, before its start at %v", e.End, e.Start)
	}
	return c.new()
}

func (c *checker) ruled() error {
	f, e := c.f, c.e
	if told := int(e.Site) < f.Sites() && f.sites.exchange.foreign(e.Site); told && e.For == e.Site {
		return fmt.Errorf("the robots.txt of site %d is for another partition", e.Site)
	} else if err := c.end(e.Site); err != nil && !told {
		return err
	}
	if e.Hop && (int(e.To) > f.Sites() || int(e.To) == f.o.MaxSites) {
		return fmt.Errorf("it moved to site %d, but %d are known", e.To, f.Sites())
	}
	return c.hop()
}

func (c *checker) rendered() error {
	if int(c.e.Page) >= c.f.Pages() {
		return fmt.Errorf("page %d was rendered, but %d are known", c.e.Page, c.f.Pages())
	}
	if err := c.new(); err != nil {
		return err
	}
	return c.known(c.e.Links)
}

func (c *checker) done() error {
	if err := c.page(Acquired, Reacquired); err != nil {
		return err
	}
	if err := c.end(c.f.Site(c.e.Page)); err != nil {
		return err
	}
	return c.known(c.e.Links)
}
