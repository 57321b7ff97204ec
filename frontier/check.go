package frontier

import (
	"fmt"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Check reports whether an event can be applied to the present state. Events of a crawl
// can, in their order; where records are lost, those that depend on them cannot, and to
// apply them would panic or lie. It looks at every id of the event once. What Apply
// leaves out itself, such as admitted pages that are not refused, is no error.
func (f *Frontier) Check(e *event.Event) error {
	if err := f.checkKind(e); err != nil {
		return fmt.Errorf("%v: %w", e.Kind, err)
	}
	return nil
}

func (f *Frontier) checkKind(e *event.Event) error {
	if e.Near && e.Kind != event.Done {
		return fmt.Errorf("it is a near duplicate, but no page came")
	}
	switch e.Kind {
	case event.Seed:
		return f.checkNew(e)
	case event.Admitted, event.Revisit, event.Retried:
		if len(e.New) > 0 {
			return fmt.Errorf("it has %d new pages", len(e.New))
		}
		return f.checkKnown(e, e.Admit)
	case event.Took:
		return f.checkTook(e)
	case event.Probed:
		return f.checkSite(e.Site)
	case event.Refused:
		return f.checkWaits(e.Page)
	case event.Asked, event.Session, event.Denied:
		return nil
	case event.Withdrawn:
		return f.checkWithdrawn(e)
	case event.Resolved:
		if int(e.Address) > f.o.MaxAddresses {
			return fmt.Errorf("address %d is one too many", e.Address)
		}
		return f.checkEnd(e, e.Site)
	case event.Ruled:
		return f.checkRuled(e)
	case event.Listed:
		return f.checkEnd(e, e.Site)
	case event.Done:
		return f.checkDone(e)
	}
	return fmt.Errorf("there is no event of kind %d", uint8(e.Kind))
}

// checkNew looks at the pages that an event makes known.
func (f *Frontier) checkNew(e *event.Event) error {
	switch {
	case len(e.New) > f.o.MaxPages-f.Pages():
		return fmt.Errorf("%d new pages after %d are more than %d", len(e.New), f.Pages(), f.o.MaxPages)
	case len(e.Bars) > 0 && len(e.Bars) != len(e.New):
		return fmt.Errorf("%d bars for %d new pages", len(e.Bars), len(e.New))
	}
	sites := f.Sites()
	for _, s := range e.New {
		if int(s) == sites && sites < f.o.MaxSites {
			sites++
		} else if int(s) >= sites {
			return fmt.Errorf("a new page is of site %d, but %d are known", s, sites)
		}
	}
	for _, b := range e.Bars {
		if b > event.MaxBar {
			return fmt.Errorf("there is no bar %d", uint8(b))
		}
	}
	return f.checkKnown(e, e.Admit)
}

// checkKnown looks for pages that are known after the event.
func (f *Frontier) checkKnown(e *event.Event, list []graph.Page) error {
	end := graph.Page(f.Pages() + len(e.New))
	for _, p := range list {
		if p >= end {
			return fmt.Errorf("page %d is not known", p)
		}
	}
	return nil
}

func (f *Frontier) checkSite(s graph.Site) error {
	if int(s) >= f.Sites() {
		return fmt.Errorf("site %d is not known", s)
	}
	return nil
}

// checkWaits looks whether p may be handed out or refused. It may be due by then.
func (f *Frontier) checkWaits(p graph.Page) error {
	if int(p) >= f.Pages() {
		return fmt.Errorf("page %d is not known", p)
	}
	if s := f.State(p); s != Known && s != Fetched {
		return fmt.Errorf("page %d is %v", p, s)
	}
	if s := f.Site(p); f.stage.At(int(s)) == closed {
		return fmt.Errorf("site %d is closed", s)
	}
	return nil
}

func (f *Frontier) checkTook(e *event.Event) error {
	if err := f.checkSite(e.Site); err != nil {
		return err
	}
	at := f.place.At(int(e.Site))
	switch {
	case e.Task.Kind > event.Sitemap:
		return fmt.Errorf("there is no work of kind %d", uint8(e.Task.Kind))
	case int(e.Board) >= len(f.boards):
		return fmt.Errorf("there is no board %d", e.Board)
	case at == acquired || at == kept && e.Task.Kind != event.Fetch:
		return fmt.Errorf("site %d is acquired", e.Site)
	case f.stage.At(int(e.Site)) == closed:
		return fmt.Errorf("site %d is closed", e.Site)
	case e.Task.Kind == event.Robots:
		return f.checkHop(e)
	case e.Task.Kind != event.Fetch:
		return nil
	}
	if err := f.checkWaits(e.Page); err != nil {
		return err
	}
	if s := f.Site(e.Page); s != e.Site {
		return fmt.Errorf("page %d is of site %d, not %d", e.Page, s, e.Site)
	}
	return nil
}

// checkHop looks whether the robots.txt of For is to be asked for at Site.
func (f *Frontier) checkHop(e *event.Event) error {
	if e.For == e.Site {
		return nil
	}
	if t, ok := f.target[e.For]; !ok || t != e.Site {
		return fmt.Errorf("the robots.txt of site %d did not move to site %d", e.For, e.Site)
	}
	return nil
}

// checkWithdrawn looks whether there is what is taken back.
func (f *Frontier) checkWithdrawn(e *event.Event) error {
	if err := f.checkSite(e.Site); err != nil {
		return err
	}
	switch _, moves := f.target[e.Site]; {
	case int(e.Files) > f.files(e.Site):
		return fmt.Errorf("site %d has %d sitemap files to be asked for, not %d", e.Site, f.files(e.Site), e.Files)
	case e.Hop && !moves:
		return fmt.Errorf("the robots.txt of site %d did not move", e.Site)
	}
	return nil
}

// checkEnd looks at what all ends of works have, and whether s is acquired.
func (f *Frontier) checkEnd(e *event.Event, s graph.Site) error {
	if err := f.checkSite(s); err != nil {
		return err
	}
	switch {
	case f.place.At(int(s)) != acquired:
		return fmt.Errorf("site %d is not acquired", s)
	case e.Class > event.LastClass:
		return fmt.Errorf("there is no class %d", uint8(e.Class))
	case e.Delay < 0 || e.Retry < 0 || e.Due < 0 || e.Expiry < 0:
		return fmt.Errorf("a delay is negative (Crawl-delay %v, Retry-After %v, due %v, expiry %v)", e.Delay, e.Retry, e.Due, e.Expiry)
	case e.End < e.Start:
		return fmt.Errorf("it ends at %v, before its start at %v", e.End, e.Start)
	}
	return f.checkNew(e)
}

func (f *Frontier) checkRuled(e *event.Event) error {
	if err := f.checkEnd(e, e.Site); err != nil {
		return err
	}
	if e.Hop && (int(e.To) > f.Sites() || int(e.To) == f.o.MaxSites) {
		return fmt.Errorf("it moved to site %d, but %d are known", e.To, f.Sites())
	}
	return f.checkHop(e)
}

func (f *Frontier) checkDone(e *event.Event) error {
	if int(e.Page) >= f.Pages() {
		return fmt.Errorf("page %d is not known", e.Page)
	}
	if s := f.State(e.Page); s != Acquired && s != Reacquired {
		return fmt.Errorf("page %d is %v", e.Page, s)
	}
	if err := f.checkEnd(e, f.Site(e.Page)); err != nil {
		return err
	}
	return f.checkKnown(e, e.Links)
}

// Skip makes pages known whose record is lost, so that those after them have their
// numbers. They are lost themselves: nothing is known of them, they count as pages of
// site 0, which becomes known if it is not, and they are never handed out.
func (f *Frontier) Skip(pages int) {
	for range pages {
		f.add(0, graph.NoPage, 0, event.BarLost)
		f.setState(graph.Page(f.Pages()-1), Lost)
	}
}

// SkipSites makes sites known whose record is lost. Without a name they are never
// asked: they are closed.
func (f *Frontier) SkipSites(sites int) {
	for range sites {
		f.addSite()
		f.setStage(graph.Site(f.Sites()-1), closed)
	}
}
