package crawl

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// An admission decides which known pages are fetched: it adds seeds, admits pages that were
// refused, and withdraws what is now forbidden. Every decision is a record.
type admission struct {
	*session
	was      *config.Config // of the session before; nil: it is not known
	loosened bool           // the limits differ from those of the session before
}

// refill admits pages that a limit of their site or domain kept out, when others that had
// been counted were not fetched after all: forbidden or in a trap, for example. It is for the
// end of a crawl, and looks at every page.
func (a *admission) refill(now time.Duration) (some bool) {
	_, bars, _ := a.state.Frontier.Census()
	if !a.state.Limits.Freed || bars[event.BarSitePages]+bars[event.BarDomainPages] == 0 {
		return false
	}
	a.state.Limits.Freed = false
	return a.admitAll(now, func(p graph.Page, bar event.Bar) bool {
		capped := bar == event.BarSitePages || bar == event.BarDomainPages || bar == event.BarDepth
		return capped && !a.state.Limits.NoRoom(a.state.Frontier.Site(p)) && a.fits(p) && a.state.Barred(p) == event.NoBar
	}) > 0
}

// fits reports whether the limits allow a request for a page.
func (a *admission) fits(p graph.Page) bool {
	site, rest, ok := a.state.Read(p)
	return ok && a.state.Limits.Judge(site, rest, a.state.Depth(p)) == event.NoBar
}

// admitAll admits the refused pages that a function accepts, and returns their number.
func (a *admission) admitAll(now time.Duration, wants func(graph.Page, event.Bar) bool) int {
	r := a.begin(event.Admitted, now)
	for i := range a.state.Frontier.Pages() {
		if p := graph.Page(i); a.state.Frontier.State(p) == frontier.RefusedPage && wants(p, a.state.Frontier.Bar(p)) {
			a.state.Admit(r, p)
		}
	}
	n := len(r.Event.Admit)
	if n > 0 {
		a.record()
	}
	return n
}

// admitNearer admits the pages that were refused for their depth and turned out to be
// nearer. It is called after each record that may cause this, so that both are in the
// same group of the journal.
func (a *admission) admitNearer(now time.Duration) {
	list := a.state.Frontier.Nearer()
	if len(list) == 0 {
		return
	}
	r := a.begin(event.Admitted, now)
	slices.Sort(list)
	for _, p := range slices.Compact(list) {
		if a.state.Frontier.Bar(p) == event.BarDepth && a.fits(p) {
			a.state.Admit(r, p)
		}
	}
	if len(r.Event.Admit) > 0 {
		a.record()
	}
}
