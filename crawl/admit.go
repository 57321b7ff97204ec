package crawl

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// refill admits pages that a limit of their site or domain kept out, when others that had
// been counted turned out not to be fetched: forbidden, say, or in a trap. It is for the
// end of a crawl, and looks at every page.
func (o *owner) refill(now time.Duration) (some bool) {
	_, bars, _ := o.s.Frontier.Census()
	if !o.s.Freed || o.stopping != "" || bars[event.BarSitePages]+bars[event.BarDomainPages] == 0 {
		return false
	}
	o.s.Freed = false
	return o.admitAll(now, func(p graph.Page, bar event.Bar) bool {
		capped := bar == event.BarSitePages || bar == event.BarDomainPages || bar == event.BarDepth
		return capped && !o.s.NoRoom(&o.limits, o.s.Frontier.Site(p)) && o.fits(p) && o.s.Barred(p) == event.NoBar
	}) > 0
}

// fits reports whether the limits let a page be asked for.
func (o *owner) fits(p graph.Page) bool {
	site, rest, ok := o.s.Read(p)
	return ok && o.s.Judge(&o.limits, site, rest, o.s.Depth(p)) == event.NoBar
}

// admitAll admits the refused pages that a function wants, and tells how many.
func (o *owner) admitAll(now time.Duration, wants func(graph.Page, event.Bar) bool) int {
	r := o.begin(event.Admitted, now)
	for i := range o.s.Frontier.Pages() {
		if p := graph.Page(i); o.s.Frontier.State(p) == frontier.RefusedPage && wants(p, o.s.Frontier.Bar(p)) {
			r.Event.Admit = append(r.Event.Admit, p)
			o.s.Admit(o.s.Frontier.Site(p))
		}
	}
	n := len(r.Event.Admit)
	if n > 0 {
		o.record()
	}
	return n
}

// admitNearer admits the pages that were refused for their depth and turned out to be
// nearer. It is called after each record that may bring that about, so that both stand in
// the same group of the journal.
func (o *owner) admitNearer(now time.Duration) {
	list := o.s.Frontier.Nearer()
	if len(list) == 0 {
		return
	}
	r := o.begin(event.Admitted, now)
	slices.Sort(list)
	for _, p := range slices.Compact(list) {
		if o.s.Frontier.Bar(p) == event.BarDepth && o.fits(p) {
			r.Event.Admit = append(r.Event.Admit, p)
			o.s.Admit(o.s.Frontier.Site(p))
		}
	}
	if len(r.Event.Admit) > 0 {
		o.record()
	}
}
