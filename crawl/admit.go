package crawl

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// refill admits pages that a limit of their site or domain kept out, when others that had
// been counted were not fetched: forbidden, say, or in a trap. It is for the end of a crawl,
// and looks at every page.
func (o *owner) refill(now time.Duration) (some bool) {
	_, bars, _ := o.s.Frontier.Census()
	if !o.s.Limits.Freed || o.stopping != "" || bars[event.BarSitePages]+bars[event.BarDomainPages] == 0 {
		return false
	}
	o.s.Limits.Freed = false
	return o.admitAll(now, func(p graph.Page, bar event.Bar) bool {
		capped := bar == event.BarSitePages || bar == event.BarDomainPages || bar == event.BarDepth
		return capped && !o.s.Limits.NoRoom(o.s.Frontier.Site(p)) && o.fits(p) && o.s.Barred(p) == event.NoBar
	}) > 0
}

// fits reports whether the limits let a page be requested.
func (o *owner) fits(p graph.Page) bool {
	site, rest, ok := o.s.Read(p)
	return ok && o.s.Limits.Judge(site, rest, o.s.Depth(p)) == event.NoBar
}

// admitAll admits the refused pages that a function wants, and returns their number.
func (o *owner) admitAll(now time.Duration, wants func(graph.Page, event.Bar) bool) int {
	r := o.begin(event.Admitted, now)
	for i := range o.s.Frontier.Pages() {
		if p := graph.Page(i); o.s.Frontier.State(p) == frontier.RefusedPage && wants(p, o.s.Frontier.Bar(p)) {
			o.s.Admit(r, p)
		}
	}
	return o.recordAdmitted(r)
}

// recordAdmitted records the pages that a record admits, if there are any, and returns
// their number.
func (o *owner) recordAdmitted(r *journal.Record) int {
	n := len(r.Event.Admit)
	if n > 0 {
		o.record()
	}
	return n
}

// admitNearer admits the pages that were refused for their depth and turned out to be
// nearer. It is called after each record that may make pages nearer, so that both stand in
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
			o.s.Admit(r, p)
		}
	}
	o.recordAdmitted(r)
}

// relentEvery is after how many tasks refused pages are looked at again.
const relentEvery = 256

// relent admits pages that were refused as traps and have support by now. At the end of a
// crawl it also tries others.
func (o *owner) relent(now time.Duration, end bool) (some bool) {
	if o.stopping != "" {
		return false
	}
	pages, trial := o.s.Traps.Release(end)
	r := o.begin(event.Admitted, now)
	r.Facts.Trial = trial
	for _, p := range pages {
		o.s.Admit(r, p)
	}
	return o.recordAdmitted(r) > 0
}
